#include "generate/family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

// Doubles hold whole numbers exactly up to here.
constexpr double kMaxCount = 0x1p53;

std::string allowed(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::flag) return "0 or 1";
  if (spec.kind == ParameterKind::choice) return fmt::format("one of {}", fmt::join(spec.words, ", "));
  const char* what = spec.kind == ParameterKind::count ? "a whole number" : "a finite number";
  if (spec.max < kInfinity && spec.kind == ParameterKind::real) {
    return fmt::format("{} from {} to {}", what, spec.min, spec.max);
  }
  return fmt::format("{} {} {}", what, spec.min_allowed ? ">=" : ">", spec.min);
}

bool valid(const ParameterSpec& spec, double value) {
  if (!std::isfinite(value)) return false;
  if (spec.kind != ParameterKind::real && value != std::floor(value)) return false;
  return (spec.min_allowed ? value >= spec.min : value > spec.min) && value <= spec.max;
}

}  // namespace

ParameterSpec count(std::string name, Index value, Index min) {
  return {std::move(name), static_cast<double>(value), ParameterKind::count, static_cast<double>(min), kMaxCount, true};
}

ParameterSpec real(std::string name, double value, double min, double max) {
  return {std::move(name), value, ParameterKind::real, min, max, true};
}

ParameterSpec positive(std::string name, double value) {
  return {std::move(name), value, ParameterKind::real, 0.0, kInfinity, false};
}

ParameterSpec flag(std::string name, bool value) {
  return {std::move(name), value ? 1.0 : 0.0, ParameterKind::flag, 0.0, 1.0, true};
}

ParameterSpec choice(std::string name, std::vector<std::string> words) {
  const double last = static_cast<double>(words.size()) - 1.0;
  return {std::move(name), 0.0, ParameterKind::choice, 0.0, last, true, std::move(words)};
}

std::vector<ParameterSpec> sizes_and(Index n, Index m, std::vector<ParameterSpec> more) {
  std::vector<ParameterSpec> all{count("n", n, 1), count("m", m, 0), count("seed", 0, 0)};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Parameters::Parameters(const std::vector<ParameterSpec>& specs, const std::map<std::string, double>& given,
                       io::DeferredArrays* deferred, std::map<std::string, std::string> files)
    : files_(std::move(files)), deferred_(deferred) {
  std::string known;
  for (const ParameterSpec& spec : specs) {
    values_[spec.name] = spec.value;
    known += (known.empty() ? "" : ", ") + spec.name;
  }
  for (const auto& [name, value] : given) {
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const auto& s) { return s.name == name; });
    if (spec == specs.end()) throw InputError(fmt::format("unknown parameter '{}'; known: {}", name, known));
    if (!valid(*spec, value)) throw InputError(fmt::format("{}: expected {}, got {}", name, allowed(*spec), value));
    values_[name] = value;
    given_.insert(name);
  }
}

}  // namespace pliant::generation
