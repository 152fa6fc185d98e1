#include "pliant/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace pliant {
namespace {

template <class E>
struct Choice {
  E value;
  std::string_view name;
};
template <class E>
Choice(E, std::string_view) -> Choice<E>;

constexpr std::array kMethods{Choice{Method::automatic, "auto"},
                              Choice{Method::path, "path"},
                              Choice{Method::apg, "apg"},
                              Choice{Method::lbfgs, "lbfgs"},
                              Choice{Method::svrg, "svrg"},
                              Choice{Method::loopless_svrg, "loopless-svrg"},
                              Choice{Method::catalyst_svrg, "catalyst-svrg"},
                              Choice{Method::katyusha, "katyusha"},
                              Choice{Method::loopless_katyusha, "loopless-katyusha"},
                              Choice{Method::rpdg, "rpdg"},
                              Choice{Method::sdca, "sdca"}};
constexpr std::array kOuters{Choice{Outer::automatic, "auto"}, Choice{Outer::fixed, "static"},
                             Choice{Outer::nested, "nested"}, Choice{Outer::multiplier, "multiplier"}};
constexpr std::array kPathForms{Choice{PathKind::automatic, "auto"}, Choice{PathKind::primal, "primal"},
                                Choice{PathKind::primal_dual, "primal-dual"}};
constexpr std::array kLinearAlgebras{Choice{LinearAlgebra::automatic, "auto"}, Choice{LinearAlgebra::dense, "dense"},
                                     Choice{LinearAlgebra::sparse, "sparse"},
                                     Choice{LinearAlgebra::iterative, "iterative"}};
constexpr std::array kSwitch{Choice{true, "on"}, Choice{false, "off"}};
constexpr std::array kSamplings{Choice{Sampling::importance, "importance"}, Choice{Sampling::uniform, "uniform"}};
constexpr std::array kTreatments{Choice{Nonsmooth::automatic, "auto"}, Choice{Nonsmooth::spectral, "spectral"},
                                 Choice{Nonsmooth::logsumexp, "logsumexp"}, Choice{Nonsmooth::interior, "interior"}};
constexpr std::array kNorms{Choice{ViolationNorm::l1, "1"}, Choice{ViolationNorm::l2, "2"},
                            Choice{ViolationNorm::linf, "inf"}};

template <class Choices>
std::string joined(const Choices& choices) {
  std::string text;
  for (const auto& c : choices) {
    if (!text.empty()) text += '|';
    text += c.name;
  }
  return text;
}

template <class Choices, class E>
std::string_view name_of(const Choices& choices, E value) {
  for (const auto& c : choices) {
    if (c.value == value) return c.name;
  }
  return "?";
}

[[noreturn]] void reject(const SettingSpec& spec, std::string_view text, std::string_view expected) {
  throw InputError(fmt::format("{}: expected {}, got '{}'", spec.option(), expected, text));
}

template <class Choices, class E>
void parse_choice(const SettingSpec& spec, const Choices& choices, std::string_view text, E& field) {
  for (const auto& c : choices) {
    if (c.name == text) {
      field = c.value;
      return;
    }
  }
  reject(spec, text, joined(choices));
}

double parse_double(const SettingSpec& spec, std::string_view text, std::string_view expected) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) reject(spec, text, expected);
  return value;
}

Index parse_index(const SettingSpec& spec, std::string_view text, std::string_view expected) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) reject(spec, text, expected);
  return value;
}

// Units as in GNU tools: K = KiB = 1024, KB = 1000, and so on; in any case.
struct SizeUnit {
  std::string_view name;
  double bytes;
};
constexpr std::array kSizeUnits{SizeUnit{"", 1.0},       SizeUnit{"B", 1.0},  SizeUnit{"K", 0x1p10},
                                SizeUnit{"KIB", 0x1p10}, SizeUnit{"KB", 1e3}, SizeUnit{"M", 0x1p20},
                                SizeUnit{"MIB", 0x1p20}, SizeUnit{"MB", 1e6}, SizeUnit{"G", 0x1p30},
                                SizeUnit{"GIB", 0x1p30}, SizeUnit{"GB", 1e9}, SizeUnit{"T", 0x1p40},
                                SizeUnit{"TIB", 0x1p40}, SizeUnit{"TB", 1e12}};
constexpr double kLargestSize = 0x1p62;

Index parse_size(const SettingSpec& spec, std::string_view text) {
  constexpr std::string_view kExpected = "a size > 0 such as 512M, 1.5GiB or 2GB";
  double value = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc()) reject(spec, text, kExpected);
  std::string unit(end, last);
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto* const found =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == unit; });
  if (found == kSizeUnits.end()) reject(spec, text, kExpected);
  const double bytes = value * found->bytes;
  if (!(bytes >= 1.0 && bytes <= kLargestSize)) reject(spec, text, kExpected);
  return static_cast<Index>(bytes);
}

std::string print_optional(const std::optional<double>& value, std::string_view otherwise) {
  return value ? fmt::format("{:g}", *value) : std::string(otherwise);
}

// Bounds of the numeric settings, used by parse and by validate.
constexpr std::string_view kPositive = "a number > 0";
constexpr std::string_view kNonNegative = "a number >= 0";

void require(bool good, const SettingSpec& spec, std::string_view text, std::string_view expected) {
  if (!good) reject(spec, text, expected);
}

double parse_positive(const SettingSpec& spec, std::string_view text) {
  const double v = parse_double(spec, text, kPositive);
  require(v > 0.0, spec, text, kPositive);
  return v;
}

template <double Settings::*Field>
SettingSpec positive(std::string name, std::string description) {
  return {std::move(name),
          "V",
          std::move(description),
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) { s.*Field = parse_positive(spec, text); },
          [](const Settings& s) { return fmt::format("{:g}", s.*Field); }};
}

template <std::optional<double> Settings::*Field>
SettingSpec automatic_or_positive(std::string name, std::string description) {
  return {std::move(name),
          "auto|V",
          std::move(description),
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) {
            if (text == "auto") {
              s.*Field = std::nullopt;
              return;
            }
            const double v = parse_double(spec, text, "auto or a number > 0");
            require(v > 0.0, spec, text, "auto or a number > 0");
            s.*Field = v;
          },
          [](const Settings& s) { return print_optional(s.*Field, "auto"); }};
}

template <std::optional<double> Settings::*Field>
SettingSpec limit(std::string name, std::string value_name, std::string description) {
  return {std::move(name),
          std::move(value_name),
          std::move(description),
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) {
            const double v = parse_double(spec, text, kNonNegative);
            require(v >= 0.0, spec, text, kNonNegative);
            s.*Field = v;
          },
          [](const Settings& s) { return print_optional(s.*Field, "none"); }};
}

template <std::optional<double> Settings::*Field>
SettingSpec positive_or_none(std::string name, std::string value_name, std::string description) {
  return {std::move(name),
          std::move(value_name),
          std::move(description),
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) { s.*Field = parse_positive(spec, text); },
          [](const Settings& s) { return print_optional(s.*Field, "none"); }};
}

template <bool Settings::*Field>
SettingSpec flag(std::string name, std::string description) {
  return {std::move(name),
          "",
          std::move(description),
          true,
          [](const SettingSpec& spec, Settings& s, std::string_view text) {
            require(text == "true" || text == "false", spec, text, "true or false");
            s.*Field = text == "true";
          },
          [](const Settings& s) { return std::string(s.*Field ? "true" : "false"); }};
}

template <const auto& kNames, auto Field>
SettingSpec choice(std::string name, std::string description) {
  return {
      std::move(name),
      joined(kNames),
      std::move(description),
      false,
      [](const SettingSpec& spec, Settings& s, std::string_view text) { parse_choice(spec, kNames, text, s.*Field); },
      [](const Settings& s) { return std::string(name_of(kNames, s.*Field)); }};
}

constexpr const char* kGuaranteeMeaning =
    "plain accelerated gradients for the N steps that guarantee sum of violations <= EPS and objective within xi EPS/2";

SettingSpec threads_setting() {
  return {"threads",
          "N",
          "threads (0: all cores); results do not depend on it",
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) {
            const Index v = parse_index(spec, text, "an integer from 0 to 4096");
            require(v >= 0 && v <= 4096, spec, text, "an integer from 0 to 4096");
            s.threads = static_cast<int>(v);
          },
          [](const Settings& s) { return std::to_string(s.threads); }};
}

// cpu, cuda (the first card) or cuda:K.
SettingSpec device_setting() {
  return {"device",
          "cpu|cuda[:K]",
          "where dense linear rows and points of method path are checked; the data are copied to the card",
          false,
          [](const SettingSpec& spec, Settings& s, std::string_view text) {
            constexpr std::string_view kExpected = "cpu, cuda or cuda:K", kCard = "cuda";
            if (text == "cpu") {
              s.device.card = -1;
              return;
            }
            if (!text.starts_with(kCard)) reject(spec, text, kExpected);
            const std::string_view rest = text.substr(kCard.size());
            Index card = 0;
            if (!rest.empty()) {
              require(rest.starts_with(':'), spec, text, kExpected);
              card = parse_index(spec, rest.substr(1), kExpected);
            }
            constexpr Index kMostCards = 1024;
            require(card >= 0 && card < kMostCards, spec, text, kExpected);
            s.device.card = static_cast<int>(card);
          },
          [](const Settings& s) {
            return s.device.on_card() ? fmt::format("cuda:{}", s.device.card) : std::string("cpu");
          }};
}

std::vector<SettingSpec> build_table() {
  using Spec = const SettingSpec&;
  return {
      choice<kMethods, &Settings::method>("method",
                                          "path: second-order with working sets; apg: accelerated gradients; lbfgs: "
                                          "quasi-Newton; sdca: dual coordinate ascent; the others sample components"),
      choice<kOuters, &Settings::outer>("outer", "how the penalty is driven to the solution"),
      choice<kPathForms, &Settings::path_form>("path_form", "form of the path that method path follows"),
      choice<kLinearAlgebras, &Settings::linear_algebra>(
          "linear_algebra", "of method path: dense on working sets, sparse on all rows, or conjugate gradients"),
      choice<kSamplings, &Settings::sampling>("sampling",
                                              "how components are drawn: by their smoothness constants, or all alike"),
      positive<&Settings::tol_feas>("tol_feas", "feasibility tolerance, relative to 1 + scale of the constant terms"),
      positive<&Settings::tol_gap>("tol_gap", "gap tolerance, relative to 1 + |objective|"),
      choice<kNorms, &Settings::norm>("norm", "norm of the violation that tol_feas refers to"),
      automatic_or_positive<&Settings::xi>("xi", "penalty parameter"),
      automatic_or_positive<&Settings::delta>("delta", "smoothing parameter (multiplier: the first one)"),
      positive_or_none<&Settings::guarantee>("guarantee", "EPS", kGuaranteeMeaning),
      automatic_or_positive<&Settings::distance>("distance",
                                                 "guarantee: a bound of the distance from start to solution"),
      choice<kTreatments, &Settings::nonsmooth>(
          "nonsmooth", "cones: softplus of all eigenvalues, of a smooth largest one, or interior steps"),
      automatic_or_positive<&Settings::nu>("nu", "logsumexp: smoothing of the largest eigenvalue"),
      choice<kSwitch, &Settings::screening>("screening",
                                            "nested, multiplier: drop constraints proven inactive between stages"),
      choice<kSwitch, &Settings::check_functions>(
          "check_functions", "functions of the user: look for errors of convexity and gradients at sample points"),
      limit<&Settings::time_limit>("time_limit", "S", "stop after S seconds with the best iterate"),
      limit<&Settings::max_passes>("max_passes", "P", "stop after P passes over the constraint data"),
      {"max_iterations", "K", "stop after K iterations of the inner method", false,
       [](Spec spec, Settings& s, std::string_view t) {
         const Index v = parse_index(spec, t, "an integer >= 0");
         require(v >= 0, spec, t, "an integer >= 0");
         s.max_iterations = v;
       },
       [](const Settings& s) { return s.max_iterations ? std::to_string(*s.max_iterations) : std::string("none"); }},
      {"memory_limit", "SIZE",
       "memory for data and solve (none: the machine's): pages of mapped data beyond half of SIZE come when touched; "
       "rpdg keeps its vectors within SIZE",
       false, [](Spec spec, Settings& s, std::string_view t) { s.memory_limit = parse_size(spec, t); },
       [](const Settings& s) { return s.memory_limit ? std::to_string(*s.memory_limit) : std::string("none"); }},
      threads_setting(),
      device_setting(),
      {"seed", "K", "seed of everything random", false,
       [](Spec spec, Settings& s, std::string_view t) { s.seed = parse_index(spec, t, "an integer"); },
       [](const Settings& s) { return std::to_string(s.seed); }},
      {"batch_size", "B", "components drawn per step by svrg and katyusha (also loopless, and under Catalyst)", false,
       [](Spec spec, Settings& s, std::string_view t) {
         const Index v = parse_index(spec, t, "an integer >= 1");
         require(v >= 1, spec, t, "an integer >= 1");
         s.batch_size = v;
       },
       [](const Settings& s) { return std::to_string(s.batch_size); }},
      flag<&Settings::verbose>("verbose", "a line per stage even when not on a terminal"),
      flag<&Settings::timeless>("timeless", "no times in the log, so that logs can be compared"),
      flag<&Settings::measure_stream>("measure_stream", "time one plain read of the constraint data as a yardstick"),
  };
}

}  // namespace

std::string SettingSpec::option() const {
  std::string text = "--" + name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

const std::vector<SettingSpec>& settings_table() {
  static const std::vector<SettingSpec> table = build_table();
  return table;
}

// Every value must survive being parsed back: the bounds live in the table alone.
void validate(const Settings& settings) {
  Settings copy = settings;
  for (const SettingSpec& spec : settings_table()) {
    const std::string text = spec.print(settings);
    if (text != "none") spec.parse(spec, copy, text);
  }
}

std::string_view to_string(Method method) { return name_of(kMethods, method); }
std::string_view to_string(Outer outer) { return name_of(kOuters, outer); }
std::string_view to_string(PathKind form) { return name_of(kPathForms, form); }
std::string_view to_string(LinearAlgebra algebra) { return name_of(kLinearAlgebras, algebra); }
std::string_view to_string(Nonsmooth treatment) { return name_of(kTreatments, treatment); }
std::string_view to_string(Sampling sampling) { return name_of(kSamplings, sampling); }
std::string_view to_string(ViolationNorm norm) { return name_of(kNorms, norm); }

}  // namespace pliant
