// What a generated family is: a name, checked parameters and a function that builds the problem.
#pragma once

#include "io/deferred_arrays.hpp"
#include "pliant/generate.hpp"
#include "pliant/problem.hpp"
#include "random/random.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace pliant::generation {

enum class ParameterKind { count, real, flag, choice };

struct ParameterSpec {
  std::string name;
  double value;  ///< default
  ParameterKind kind;
  double min;
  double max;
  bool min_allowed;                  ///< false: strictly above min
  std::vector<std::string> words{};  ///< of a choice; its value is the position of one of them
};

/// A whole number >= min.
ParameterSpec count(std::string name, Index value, Index min);
/// A finite number in [min, max].
ParameterSpec real(std::string name, double value, double min, double max = kInfinity);
/// A finite number > 0.
ParameterSpec positive(std::string name, double value);
/// 0 or 1.
ParameterSpec flag(std::string name, bool value = false);
/// One of the words, the first by default.
ParameterSpec choice(std::string name, std::vector<std::string> words);
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
  /// Throws InputError that names the parameter. With `deferred`, large arrays become placeholders of it.
  Parameters(const std::vector<ParameterSpec>& specs, const std::map<std::string, double>& given,
             io::DeferredArrays* deferred = nullptr, std::map<std::string, std::string> files = {});

  double real(const std::string& name) const { return values_.at(name); }
  Index count(const std::string& name) const { return static_cast<Index>(real(name)); }
  bool flag(const std::string& name) const { return real(name) != 0.0; }
  std::size_t choice(const std::string& name) const { return static_cast<std::size_t>(count(name)); }

  /// Whether the parameter was given, even if it was given its default.
  bool given(const std::string& name) const { return given_.contains(name); }
  /// The file given for a parameter that names one; empty: none.
  std::string file(const std::string& name) const { return files_.contains(name) ? files_.at(name) : std::string(); }

  /// Where large arrays are registered to be made while they are written; null: they are made in memory.
  io::DeferredArrays* deferred() const { return deferred_; }

  Index n() const { return count("n"); }
  Index m() const { return count("m"); }
  random::Stream stream(Label label) const {
    return random::Stream(static_cast<std::uint64_t>(count("seed")), static_cast<std::uint64_t>(label));
  }

 private:
  std::map<std::string, double> values_;
  std::set<std::string> given_;
  std::map<std::string, std::string> files_;
  io::DeferredArrays* deferred_;
};

struct Family {
  std::string name;
  std::string description;
  std::vector<ParameterSpec> parameters;
  Problem (*build)(const Parameters&);
  std::vector<std::string> files{};  ///< parameters that name a file to read
};

// One function per group of families, each in its own file.
std::vector<Family> entrywise_families();
std::vector<Family> dense_linear_families();
std::vector<Family> sparse_families();
std::vector<Family> curved_families();
std::vector<Family> learning_families();
std::vector<Family> soft_loss_families();
std::vector<Family> fairness_families();
std::vector<Family> ellipsoid_families();
std::vector<Family> proof_families();
std::vector<Family> small_cone_families();
std::vector<Family> relaxation_families();
std::vector<Family> power_families();

}  // namespace pliant::generation
