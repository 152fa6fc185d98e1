#include "report/page/axis.hpp"

#include "report/page/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pliant::report {
namespace {

constexpr double kFloorGap = 16.0;    // pixels between the end of a logarithmic axis and its floor
constexpr double kMostDecades = 24;   // smaller values lie on the floor
constexpr double kLinearTicks = 5;    // about as many
constexpr double kDecadeTicks = 7;    // at most about as many
constexpr double kNarrowest = 1e-11;  // of a linear axis, relative to its values: labels have so many digits
constexpr int kTickDigits = 6;        // more than ticks need: 100000, not 1e5
constexpr double kLargest = 1e300;    // differences of values must not overflow

}  // namespace

Axis::Axis(AxisKind kind, std::span<const double> values, double from, double to) : Axis(kind, from, to) {
  if (kind == AxisKind::linear) {
    fit_linear(values);
  } else {
    fit_logarithmic(values);
  }
}

Axis Axis::from_zero(std::span<const double> values, double from, double to, bool whole) {
  Axis axis(AxisKind::linear, from, to);
  axis.whole_ = whole;
  double largest = 0.0;
  for (double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, v);
  }
  axis.high_ = largest > 0.0 ? std::min(largest, kLargest) : 1.0;
  return axis;
}

void Axis::fit_linear(std::span<const double> values) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    least = std::min(least, std::clamp(v, -kLargest, kLargest));
    largest = std::max(largest, std::clamp(v, -kLargest, kLargest));
  }
  if (!(least <= largest)) return;
  const double size = std::max(std::abs(least), std::abs(largest));
  double pad = 0.05 * (largest - least);
  if (largest - least <= kNarrowest * size) pad = size > 0.0 ? 0.5 * kNarrowest * size : 0.5;
  if (largest == least) pad = size > 0.0 ? 0.1 * size : 0.5;
  low_ = least - pad;
  high_ = largest + pad;
}

void Axis::fit_logarithmic(std::span<const double> values) {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  bool others = false;
  for (double v : values) {
    if (!std::isfinite(v)) continue;
    if (v > 0.0) {
      least = std::min(least, std::log10(v));
      largest = std::max(largest, std::log10(v));
    } else {
      others = true;
    }
  }
  if (!(least <= largest)) least = largest = 0.0;
  clipped_ = least < largest - kMostDecades;
  if (clipped_) least = largest - kMostDecades;
  const double pad = std::max(0.04 * (largest - least), largest - least < 0.5 ? 0.5 : 0.0);
  low_ = clipped_ ? least : least - pad;
  high_ = largest + pad;
  if (others || clipped_) {
    floor_ = from_;
    from_ += from_ < to_ ? kFloorGap : -kFloorGap;
  }
}

bool Axis::contains(double value) const {
  if (kind_ == AxisKind::logarithmic) value = std::log10(value);
  return value >= low_ && value <= high_;
}

double Axis::place(double value) const {
  if (kind_ == AxisKind::logarithmic) {
    value = value > 0.0 ? std::log10(value) : -std::numeric_limits<double>::infinity();
    if (value < low_) return floor_;
  }
  const double share = std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
  return from_ + share * (to_ - from_);
}

std::vector<Axis::Tick> Axis::ticks() const { return kind_ == AxisKind::linear ? linear_ticks() : logarithmic_ticks(); }

std::vector<Axis::Tick> Axis::linear_ticks() const {
  const double raw = (high_ - low_) / kLinearTicks;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * decade;
  for (double nice : std::array{5.0, 2.5, 2.0, 1.0}) {
    const bool fits = !whole_ || std::floor(nice * decade) == nice * decade;
    if (nice * decade >= raw && fits) step = nice * decade;
  }
  if (whole_) step = std::max(1.0, step);
  const double size = std::max(std::abs(low_), std::abs(high_));
  const bool plain = size < 1e6 && size >= 1e-3;
  const int digits = static_cast<int>(std::ceil(std::log10(size / step) - 1e-9)) + 2;
  std::vector<Tick> out;
  for (double k = std::ceil(low_ / step); k * step <= high_; ++k) {
    const double value = k * step + 0.0;  // no -0
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) + (step / decade == 2.5 ? 1 : 0))));
    out.push_back({place(value),
                   plain ? fmt::format("{:.{}f}", value, decimals) : number(value, std::clamp(digits, 2, 15)), value});
  }
  return out;
}

std::vector<Axis::Tick> Axis::logarithmic_ticks() const {
  std::vector<Tick> out;
  if (has_floor()) {
    out.push_back({floor_, clipped_ ? "&lt;" + number(std::pow(10.0, low_), 1) : "&le;&#8239;0", 0.0});
  }
  const double decades = high_ - low_;
  const auto add = [&](double value) {
    if (contains(value)) out.push_back({place(value), number(value, kTickDigits), value});
  };
  if (decades <= 2.0) {  // a short range needs more than its powers of ten
    for (double k = std::floor(low_); k <= high_; ++k) {
      for (double digit : {1.0, 2.0, 3.0, 5.0, 7.0}) {
        if (decades <= 1.0 || (digit != 3.0 && digit != 7.0)) add(digit * std::pow(10.0, k));
      }
    }
    return out;
  }
  const double stride = std::ceil(decades / kDecadeTicks);
  for (double k = std::ceil(low_ / stride) * stride; k <= high_; k += stride) add(std::pow(10.0, k));
  return out;
}

}  // namespace pliant::report
