// Settings of a solve. One table (settings_table) drives the command line, files and documentation.
#pragma once

#include "pliant/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pliant {

enum class Method {
  automatic,
  path,
  apg,
  lbfgs,
  svrg,
  loopless_svrg,
  catalyst_svrg,
  katyusha,
  loopless_katyusha,
  rpdg,
  sdca,
};
enum class Outer { automatic, fixed, nested, multiplier };
/// Which form of the softplus path `path` follows.
enum class PathKind { automatic, primal, primal_dual };
/// What `path` does linear algebra with: dense matrices on working sets of rows, sparse ones on everything, or products
/// alone (conjugate gradients).
enum class LinearAlgebra { automatic, dense, sparse, iterative };
/// How sampling methods draw components: p_i proportional to the smoothness constants, or all alike.
enum class Sampling { importance, uniform };
/// How cones are treated: softplus of every eigenvalue, softplus of a smoothed largest eigenvalue, or primal-dual
/// interior steps on all cones (xi = infinity).
enum class Nonsmooth { automatic, spectral, logsumexp, interior };
enum class ViolationNorm { l1, l2, linf };

/// Where the checks of all rows are made.
struct Device {
  int card = -1;  ///< number of a CUDA device; -1: the processor
  bool on_card() const { return card >= 0; }
  friend bool operator==(const Device&, const Device&) = default;
};

struct Settings {
  Method method = Method::automatic;
  Outer outer = Outer::automatic;
  PathKind path_form = PathKind::automatic;
  LinearAlgebra linear_algebra = LinearAlgebra::automatic;
  Sampling sampling = Sampling::importance;
  double tol_feas = 1e-6;
  double tol_gap = 1e-6;
  ViolationNorm norm = ViolationNorm::linf;
  std::optional<double> xi;     ///< penalty parameter; unset: automatic
  std::optional<double> delta;  ///< smoothing parameter; unset: automatic
  /// Accuracy epsilon of Corollaries 1 and 2 (guarantee.hpp); set: the plain method for at most the promised steps.
  std::optional<double> guarantee;
  std::optional<double> distance;  ///< guarantee: a bound of |x0 - x*|; unset: from the problem
  Nonsmooth nonsmooth = Nonsmooth::automatic;
  std::optional<double> nu;     ///< logsumexp: smoothing of the largest eigenvalue; unset: automatic
  bool screening = true;        ///< nested, multiplier: drop constraints proven inactive between stages
  bool check_functions = true;  ///< look for counterexamples to the convexity of functions of the user
  std::optional<double> time_limit;
  std::optional<double> max_passes;
  std::optional<Index> max_iterations;
  std::optional<Index> memory_limit;  ///< bytes; unset: the machine's memory
  int threads = 0;                    ///< 0: all cores
  Device device;
  Index seed = 0;
  Index batch_size = 1;  ///< components drawn per step by methods that sample
  bool verbose = false;
  bool timeless = false;
  bool measure_stream = false;
};

/// One entry of the table: how a setting is named, documented, parsed and printed.
struct SettingSpec {
  std::string name;         ///< as in Settings and in Python, e.g. "tol_feas"
  std::string value_name;   ///< e.g. "V", "auto|apg"; empty for a flag
  std::string description;  ///< one line
  bool is_flag = false;

  /// Sets the field from text; throws InputError naming the setting and what was expected.
  void (*parse)(const SettingSpec& spec, Settings& settings, std::string_view text) = nullptr;
  /// The current value as text.
  std::string (*print)(const Settings& settings) = nullptr;

  /// The command-line spelling, e.g. "--tol-feas".
  std::string option() const;
};

const std::vector<SettingSpec>& settings_table();

/// Throws InputError naming the first field that is out of its bounds.
void validate(const Settings& settings);

std::string_view to_string(Method method);
std::string_view to_string(Outer outer);
std::string_view to_string(PathKind form);
std::string_view to_string(LinearAlgebra algebra);
std::string_view to_string(Sampling sampling);
std::string_view to_string(Nonsmooth treatment);
std::string_view to_string(ViolationNorm norm);

}  // namespace pliant
