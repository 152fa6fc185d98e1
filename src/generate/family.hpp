// What a generated family is: a name, checked parameters and a function that builds the problem.
#pragma once

#include "generate/random.hpp"
#include "pliant/generate.hpp"
#include "pliant/problem.hpp"

#include <map>
#include <string>
#include <vector>

namespace pliant::generation {

enum class ParameterKind { count, real, flag };

struct ParameterSpec {
  std::string name;
  double value;  ///< default
  ParameterKind kind;
  double min;
  double max;
  bool min_allowed;  ///< false: strictly above min
};

/// A whole number >= min.
ParameterSpec count(std::string name, Index value, Index min);
/// A finite number in [min, max].
ParameterSpec real(std::string name, double value, double min, double max = kInfinity);
/// A finite number > 0.
ParameterSpec positive(std::string name, double value);
/// 0 or 1.
ParameterSpec flag(std::string name, bool value = false);
/// n >= 1, m >= 0 and seed, then the parameters of the family.
std::vector<ParameterSpec> sizes_and(Index n, Index m, std::vector<ParameterSpec> more);

/// Independent sources of random numbers of one instance.
enum class Label : std::uint64_t {
  rows = 1,
  right_hand_side,
  row_scale,
  cost,
  factors,
  loadings,
  planted_point,
  inner_direction,
  multipliers,
  columns,
  objective_columns,
  objective_values,
  samples,
  noise,
  targets,
};

/// Values of all parameters of a family, checked against their specifications.
class Parameters {
 public:
  /// Throws InputError that names the parameter.
  Parameters(const std::vector<ParameterSpec>& specs, const std::map<std::string, double>& given);

  double real(const std::string& name) const { return values_.at(name); }
  Index count(const std::string& name) const { return static_cast<Index>(real(name)); }
  bool flag(const std::string& name) const { return real(name) != 0.0; }

  Index n() const { return count("n"); }
  Index m() const { return count("m"); }
  Stream stream(Label label) const {
    return Stream(static_cast<std::uint64_t>(count("seed")), static_cast<std::uint64_t>(label));
  }

 private:
  std::map<std::string, double> values_;
};

struct Family {
  std::string name;
  std::string description;
  std::vector<ParameterSpec> parameters;
  Problem (*build)(const Parameters&);
};

// One function per group of families, each in its own file.
std::vector<Family> entrywise_families();
std::vector<Family> dense_linear_families();
std::vector<Family> sparse_families();
std::vector<Family> curved_families();
std::vector<Family> learning_families();
std::vector<Family> proof_families();

}  // namespace pliant::generation
