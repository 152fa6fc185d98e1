// Families of problems for the judge, each drawn from a seed: ordinary ones, and hostile ones made to sit beside the
// thresholds of the proofs.
#pragma once

#include "judge/raw_case.hpp"
#include "support/random.hpp"

#include <cmath>
#include <vector>

namespace pliant::judge {

using testing::Random;

struct Family {
  const char* name;
  RawCase (*make)(Random& random);
};

/// A problem of the family under its name, its matrices dense or sparse.
RawCase draw(const Family& family, Random& random);

/// Linear and quadratic programs, cones and quadratic rows with planted solutions, without malice.
const std::vector<Family>& ordinary_families();
/// Slow walls, far sets, wedges, wild scales, huge boxes, hidden indefiniteness, near contradictions.
const std::vector<Family>& hostile_families();

/// The parts these consist of.
const std::vector<Family>& smooth_families();
const std::vector<Family>& hostile_smooth_families();
const std::vector<Family>& hostile_linear_families();
const std::vector<Family>& hostile_curved_families();
const std::vector<Family>& hostile_cone_families();
const std::vector<Family>& exponential_families();
const std::vector<Family>& hostile_exponential_families();
const std::vector<Family>& group_families();
const std::vector<Family>& hostile_group_families();
const std::vector<Family>& price_families();
const std::vector<Family>& hostile_price_families();

/// 10 to a random power between low and high.
inline double power_of_ten(Random& random, double low, double high) {
  return std::pow(10.0, random.uniform(low, high));
}
/// Random orthogonal matrix.
Matrix rotation(Random& random, Index n);
/// Small integers, so that sums and products of a few of them are exact in double.
Vector small_integers(Random& random, Index n, Index largest = 5);
/// Now and then moves the entries of G a little, relatively by 1e-16 to 1e-8.
void perturb(Random& random, RawCase& raw);

}  // namespace pliant::judge
