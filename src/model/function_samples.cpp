#include "model/function_samples.hpp"

#include "pliant/batch_checks.hpp"
#include "pliant/regularizers.hpp"
#include "random/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

namespace pliant {
namespace {

// Rows looked at, spread over the batch; fewer where their gradients would fill more than this many numbers.
constexpr Index kRowsLookedAt = 64;
constexpr Index kMostNumbers = Index{1} << 20;
// Lengths of segments relative to the reach.
constexpr std::array kScales{2.0, 0.3, 0.03, 1e-3};
// Any: samples do not depend on the seed of a solve, so that a problem is refused or not.
constexpr std::uint64_t kSampleSeed = 20;
constexpr std::uint64_t kSampleLabel = 1;

std::vector<Index> spread_rows(Index m, Index n) {
  const Index count = std::min({m, kRowsLookedAt, std::max<Index>(1, kMostNumbers / std::max<Index>(1, n))});
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) out.push_back(count == 1 ? 0 : k * (m - 1) / (count - 1));
  return out;
}

}  // namespace

SampledFunctions sample_of(const ConstraintBatch& batch) {
  SampledFunctions out;
  const bool callback = batch.family() == "callback";
  out.label = batch_label(callback ? "callback_le" : batch.family(), batch.name);
  out.rows = spread_rows(batch.size(), batch.dimension());
  out.approximates = batch.structure().approximates;
  out.values = [&batch, rows = out.rows](const Vector& x, Vector& a) {
    a.resize(static_cast<Index>(rows.size()));
    batch.values(x, Rows::list(rows), a);
  };
  out.slopes = [&batch, rows = out.rows](const Vector& x, const Vector& d, Vector& slope, Vector& norm) {
    Vector a(static_cast<Index>(rows.size()));
    slope.resize(a.size());
    norm.resize(a.size());
    batch.slopes(x, d, Rows::list(rows), slope);
    batch.values_and_gradient_norms(x, Rows::list(rows), a, norm);
  };
  return out;
}

SampledFunctions sample_of(const ObjectiveTerm& term, std::size_t position) {
  SampledFunctions out;
  out.label = fmt::format("objective term {} ({})", position, term.kind());
  out.values = [&term](const Vector& x, Vector& a) { a = Vector::Constant(1, term.value(x)); };
  out.slopes = [&term](const Vector& x, const Vector& d, Vector& slope, Vector& norm) {
    Vector gradient = Vector::Zero(x.size());
    term.add_gradient(x, 1.0, gradient);
    slope = Vector::Constant(1, gradient.dot(d));
    norm = Vector::Constant(1, gradient.norm());
  };
  return out;
}

SampleRegion::SampleRegion(const Problem& problem) : prox_(problem.prox()) {
  centre_ = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  prox_.project(centre_);
  const double widest = 2.0 * prox_.domain_radius(centre_);
  reach_ = centre_.unaryExpr([&](double c) { return std::min(1.0 + std::abs(c), widest); });
  const SeparableParameters* p = separable_parameters(prox_);
  if (p == nullptr || p->lo.empty()) return;
  for (Index j = 0; j < reach_.size(); ++j) reach_[j] = std::min(reach_[j], p->hi[j] - p->lo[j]);
}

// Every other length takes the place of the one before mirrored, with half of the signs of its direction turned: what one
// of them cannot see (x^3 on one side, xy along one diagonal) the other does.
Segment SampleRegion::segment(std::size_t length, Index variable) const {
  const random::Stream stream = random::Stream(kSampleSeed, kSampleLabel).row(static_cast<Index>(length / 2));
  const bool mirrored = length % 2 == 1;
  const Index n = centre_.size();
  Vector x = centre_, y = centre_;
  for (Index j = 0; j < n; ++j) {
    const double u = stream.uniform(2 * j, -1.0, 1.0), v = stream.uniform(2 * j + 1, -1.0, 1.0);
    const double middle = 0.5 * (u + v) * (mirrored ? -1.0 : 1.0);
    const bool moves = variable < 0 || variable == j;
    const double half = moves ? 0.5 * (v - u) * (mirrored && j % 2 == 1 ? -1.0 : 1.0) : 0.0;
    x[j] += kScales[length] * reach_[j] * (middle - half);
    y[j] += kScales[length] * reach_[j] * (middle + half);
  }
  prox_.project(x);
  prox_.project(y);
  Segment out;
  out.middle = 0.5 * (x + y);
  out.d = 0.5 * (y - x);
  return out;
}

std::vector<Segment> SampleRegion::segments() const {
  std::vector<Segment> out;
  for (std::size_t length = 0; length < kScales.size(); ++length) {
    for (const Index variable : {Index{-1}, static_cast<Index>(length) % centre_.size()}) {
      Segment next = segment(length, variable);
      if (next.d.lpNorm<Eigen::Infinity>() > 0.0) out.push_back(std::move(next));
    }
  }
  return out;
}

bool evaluate(const SampledFunctions& functions, Segment& s) {
  s.values.resize(functions.count(), static_cast<Index>(Segment::kSteps.size()));
  Vector a(functions.count());
  const bool compare = functions.approximates != nullptr && functions.approximates->exact;
  if (compare) s.exact.resize(functions.count(), static_cast<Index>(Segment::kSteps.size()));
  try {
    for (Index step = 0; step <= Segment::kLast; ++step) {
      functions.values(s.point(step), a);
      s.values.col(step) = a;
      if (!compare || (step != 0 && step != Segment::kMiddle && step != Segment::kLast)) continue;
      functions.approximates->exact(s.point(step), Rows::list(functions.rows), a);
      s.exact.col(step) = a;
    }
    functions.slopes(s.middle, s.d, s.slope, s.norm);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    // Convex functions need not be defined everywhere. Where a solve goes, it hears of it.
    return false;
  }
  return true;
}

}  // namespace pliant
