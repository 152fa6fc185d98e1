#include "judge/families.hpp"

#include <Eigen/QR>

#include <cmath>

namespace pliant::judge {

Matrix rotation(Random& random, Index n) { return Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ(); }

Vector small_integers(Random& random, Index n, Index largest) {
  Vector out(n);
  for (double& t : out) t = static_cast<double>(random.integer(-largest, largest));
  return out;
}

void perturb(Random& random, RawCase& raw) {
  if (random.uniform() < 0.7) return;
  const double size = std::pow(10.0, random.uniform(-16.0, -8.0));
  for (double& g : raw.G.reshaped()) g *= 1.0 + size * random.normal();
}

RawCase draw(const Family& family, Random& random) {
  RawCase raw = family.make(random);
  raw.family = family.name;
  raw.sparse = random.uniform() < 0.3;
  return raw;
}

const std::vector<Family>& hostile_families() {
  static const std::vector<Family> families = [] {
    std::vector<Family> all = hostile_linear_families();
    for (const std::vector<Family>* part :
         {&hostile_curved_families(), &hostile_cone_families(), &hostile_exponential_families(),
          &hostile_group_families(), &hostile_smooth_families(), &hostile_price_families()}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }();
  return families;
}

}  // namespace pliant::judge
