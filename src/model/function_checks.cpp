#include "model/function_checks.hpp"

#include "pliant/batch_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pliant {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kDigits = std::numeric_limits<double>::digits;
// Times what rounding seems to be.
constexpr double kNoiseMargin = 64.0;
// Gradients may be differences of values: relative to the gradient, steps relative to 1 + |x|, and values over such steps.
constexpr double kGradientError = 1e-5;
constexpr double kDifferenceStep = 1e-5;
constexpr double kDifferenceNoise = 1e-6;
// Distances that are attained are computed with rounding.
constexpr double kStatedMargin = 1e-9;
// Entries of a point that a message shows.
constexpr Index kShownEntries = 8;
constexpr std::string_view kHint = " (check_functions=off skips this test)";

// The largest power of 2 that divides a number: the last digit it has.
double last_digit(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  auto digits = static_cast<std::int64_t>(std::ldexp(std::abs(fraction), kDigits));
  int zeros = 0;
  for (; digits % 2 == 0; digits /= 2) ++zeros;
  return std::ldexp(1.0, exponent - kDigits + zeros);
}

// What the values of each function are off by, as far as they show it: the roughness of values very near to each other,
// and the last digit that all values have in common, which cancellation of large numbers leaves coarse.
Vector estimate_noise(const std::vector<Segment>& segments, Index count) {
  Vector rough = Vector::Zero(count), coarse = Vector::Constant(count, kInfinity);
  for (const Segment& s : segments) {
    for (Index i = 0; i < count; ++i) {
      const auto v = s.values.row(i);
      if (!v.allFinite()) continue;
      for (Index t = 2; t < Segment::kLast - 1; ++t) {
        rough[i] = std::max(rough[i], std::abs((v[t - 1] - v[t]) + (v[t + 1] - v[t])));
      }
      for (const double value : v) {
        if (value != 0.0) coarse[i] = std::min(coarse[i], last_digit(value));
      }
    }
  }
  return rough + coarse.unaryExpr([](double digit) { return std::isfinite(digit) ? digit : 0.0; });
}

std::string show(const Vector& x) {
  const Index shown = std::min(x.size(), kShownEntries);
  const std::vector<double> entries(x.begin(), x.begin() + shown);
  return x.size() == shown ? fmt::format("[{:.9g}]", fmt::join(entries, ", "))
                           : fmt::format("[{:.9g}, ... {} entries]", fmt::join(entries, ", "), x.size());
}

std::string show_function(const SampledFunctions& functions, Index i) {
  if (functions.rows.empty()) return functions.label;
  return fmt::format("{}: constraint {} (counting from 0)", functions.label,
                     functions.rows[static_cast<std::size_t>(i)]);
}

// One function on one segment.
class Look {
 public:
  Look(const SampledFunctions& functions, const Segment& segment, Index i, double noise)
      : functions_(functions), s_(segment), i_(i) {
    const double position = s_.middle.norm() + s_.d.norm();
    largest_ = std::max({std::abs(first()), std::abs(middle()), std::abs(last())});
    value_error_ = kNoiseMargin * (kEpsilon * (largest_ + s_.norm[i] * position) + noise);
    const double size = 1.0 + s_.middle.lpNorm<Eigen::Infinity>(), step = s_.d.lpNorm<Eigen::Infinity>();
    const double bend = std::max(0.0, (first() - middle()) + (last() - middle()));
    slope_error_ = kGradientError * s_.norm[i] * s_.d.norm() + kDifferenceStep * size / step * bend +
                   kDifferenceNoise * largest_ * (s_.d.array().abs() / (1.0 + s_.middle.array().abs())).sum();
  }

  // a((x + y)/2) <= (a(x) + a(y))/2
  void expect_below_mean() const {
    const double mean = 0.5 * first() + 0.5 * last();
    if (!(middle() - mean > value_error_)) return;
    throw InputError(
        fmt::format("{} is not convex: halfway between x = {} and y = {} it is {:.17g}, above the mean {:.17g} of its "
                    "values {:.17g} and {:.17g} there{}",
                    show_function(functions_, i_), show(s_.point(0)), show(s_.point(Segment::kLast)), middle(), mean,
                    first(), last(), kHint));
  }

  // a(middle + td) >= a(middle) + t grad'd for the steps very near: slopes of convex functions lie between those of the
  // chords to both sides, however short they are.
  void expect_slope_of_values() const {
    for (Index t = 1; t < Segment::kLast; ++t) {
      if (t == Segment::kMiddle || !tangent_above(t)) continue;
      const double chord = (s_.values(i_, t) - middle()) / step(t);
      throw InputError(
          fmt::format("{}: its gradient is not that of its values: at x = {} along d = {} the slope is {:.9g}, but the "
                      "values {:.17g} at x and {:.17g} at x + {:.3g} d make it {:.9g}{}",
                      show_function(functions_, i_), show(s_.middle), show(s_.d), s_.slope[i_], middle(),
                      s_.values(i_, t), step(t), chord, kHint));
    }
  }

  // The same for the ends.
  void expect_above_tangent() const {
    for (const Index t : {Index{0}, Segment::kLast}) {
      if (!tangent_above(t)) continue;
      throw InputError(fmt::format("{} is not convex: at y = {} it is {:.17g}, below its tangent {:.17g} from x = {}{}",
                                   show_function(functions_, i_), show(s_.point(t)), s_.values(i_, t),
                                   middle() + step(t) * s_.slope[i_], show(s_.middle), kHint));
    }
  }

  void expect_within_stated_error() const {
    if (s_.exact.size() == 0) return;
    const Approximation& given = *functions_.approximates;
    const Index row = functions_.rows[static_cast<std::size_t>(i_)];
    for (const Index t : {Index{0}, Segment::kMiddle, Segment::kLast}) {
      const double a = s_.values(i_, t), exact = s_.exact(i_, t), difference = exact - a;
      const double margin = kStatedMargin * given.error[row] + value_error_ + kNoiseMargin * kEpsilon * std::abs(exact);
      if (!(difference > given.rise(row) + margin) && !(-difference > given.fall(row) + margin)) continue;
      throw InputError(fmt::format(
          "{}: at x = {} it is {:.17g} and what it approximates {:.17g}, farther away than the error {:g} on "
          "side '{}' allows{}",
          show_function(functions_, i_), show(s_.point(t)), a, exact, given.error[row], to_string(given.side), kHint));
    }
  }

 private:
  static double step(Index t) { return Segment::kSteps[static_cast<std::size_t>(t)]; }
  double first() const { return s_.values(i_, 0); }
  double middle() const { return s_.values(i_, Segment::kMiddle); }
  double last() const { return s_.values(i_, Segment::kLast); }
  bool tangent_above(Index t) const {
    const double tangent = middle() + step(t) * s_.slope[i_];
    return tangent - s_.values(i_, t) > value_error_ + std::abs(step(t)) * slope_error_;
  }

  const SampledFunctions& functions_;
  const Segment& s_;
  Index i_;
  double largest_ = 0.0, value_error_ = 0.0, slope_error_ = 0.0;
};

// Families of the library prove their convexity or validate it.
bool convexity_is_somebodys_word(const ConstraintBatch& batch) {
  const BatchStructure structure = batch.structure();
  if (batch.size() == 0 || structure.linear || structure.quadratic_rows != nullptr || structure.group > 1) return false;
  if (structure.eigenvalues != nullptr || structure.smoothed_cones != nullptr) return false;
  Vector defect(1);
  batch.convexity_defects(Rows::range(0, 1), defect);
  return std::isinf(defect[0]);
}

bool convexity_is_somebodys_word(const ObjectiveTerm& term) {
  const TermStructure structure = term.structure();
  if (structure.linear || structure.quadratic || structure.losses != nullptr) return false;
  return std::isinf(term.convexity_defect());
}

}  // namespace

void check_functions(const SampledFunctions& functions, std::vector<Segment> all) {
  std::vector<Segment> segments;
  for (Segment& s : all) {
    if (evaluate(functions, s)) segments.push_back(std::move(s));
  }
  const Vector noise = estimate_noise(segments, functions.count());
  const auto look_at_all = [&](auto test) {
    for (const Segment& s : segments) {
      for (Index i = 0; i < functions.count(); ++i) {
        // Infinite values are those outside of a domain.
        if (s.values.row(i).allFinite() && std::isfinite(s.slope[i])) test(Look(functions, s, i, noise[i]));
      }
    }
  };
  look_at_all([](const Look& look) { look.expect_below_mean(); });
  look_at_all([](const Look& look) { look.expect_slope_of_values(); });
  look_at_all([](const Look& look) { look.expect_above_tangent(); });
  look_at_all([](const Look& look) { look.expect_within_stated_error(); });
}

// Functions may take long and may wait for others that use this problem: nothing is locked meanwhile.
void Problem::check_functions() const {
  std::vector<std::shared_ptr<const void>> done, looked_at;
  {
    const std::lock_guard lock(kept_.mutex);
    done = kept_.functions_checked;
  }
  std::vector<Segment> segments;
  const auto check = [&](const auto& part, const auto& sample) {
    if (std::find(done.begin(), done.end(), part) == done.end()) {
      if (segments.empty()) segments = SampleRegion(*this).segments();
      pliant::check_functions(sample(), segments);
    }
    looked_at.emplace_back(part);
  };
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const TermPtr& term = terms_[i].term;
    if (terms_[i].weight > 0.0 && convexity_is_somebodys_word(*term)) check(term, [&] { return sample_of(*term, i); });
  }
  for (const BatchPtr& batch : batches_) {
    if (convexity_is_somebodys_word(*batch)) check(batch, [&] { return sample_of(*batch); });
  }
  const std::lock_guard lock(kept_.mutex);
  kept_.functions_checked = std::move(looked_at);
}

}  // namespace pliant
