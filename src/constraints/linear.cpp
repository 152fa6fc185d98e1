#include "constraints/linear.hpp"

#include "parallel/parallel.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using parallel::Scratch;

void expect_entries(std::string_view what, Index expected, Index got) {
  if (expected != got) throw InputError(fmt::format("{}: expected {} entries, got {}", what, expected, got));
}

}  // namespace

LinearBatch::LinearBatch(DataMatrix G, Doubles h) : G_(std::move(G)), hi_(std::move(h)), two_sided_(false) {
  expect_entries("linear_le: h", G_.rows(), hi_.size());
}

LinearBatch::LinearBatch(Doubles lo, DataMatrix G, Doubles hi)
    : G_(std::move(G)), lo_(std::move(lo)), hi_(std::move(hi)), two_sided_(true) {
  expect_entries("linear_range: lo", G_.rows(), lo_.size());
  expect_entries("linear_range: hi", G_.rows(), hi_.size());
  sides_.reserve(static_cast<std::size_t>(2 * G_.rows()));
  for (Index r = 0; r < G_.rows(); ++r) {
    if (hi_[r] < kInfinity) sides_.push_back({r, 1.0});
    if (lo_[r] > -kInfinity) sides_.push_back({r, -1.0});
  }
}

Rows LinearBatch::stored(Rows rows) const {
  if (rows.size() == 0) return Rows::range(0, 0);
  const Index first = sides_[static_cast<std::size_t>(rows.first())].row;
  const Index last = sides_[static_cast<std::size_t>(rows.first() + rows.size() - 1)].row;
  return Rows::range(first, last - first + 1);
}

// A row with two sides costs its bytes once; in a list, consecutive sides of one row share them.
Index LinearBatch::bytes(Rows rows) const {
  if (!two_sided_) return G_.bytes(rows);
  if (rows.contiguous()) return G_.bytes(stored(rows));
  Index total = 0;
  Index previous = -1;
  for_each_side(rows, [&](Index, Side side) {
    if (side.row != previous) total += G_.bytes(Rows::range(side.row, 1));
    previous = side.row;
  });
  return total;
}

double LinearBatch::constant_scale() const {
  double scale = 0.0;
  for (const Doubles* side : {&lo_, &hi_}) {
    for (double c : *side) {
      if (std::isfinite(c)) scale = std::max(scale, std::abs(c));
    }
  }
  return scale;
}

void LinearBatch::block_products(const double* d, Rows rows, double* out) const {
  if (!two_sided_) {
    G_.multiply(d, rows, out);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = stored(rows);
    double* product = parallel::scratch(Scratch::block, behind.size());
    G_.multiply(d, behind, product);
    for_each_side(rows, [&](Index k, Side s) { out[k] = s.sign * product[s.row - behind.first()]; });
    return;
  }
  for_each_side(rows, [&](Index k, Side s) { out[k] = s.sign * G_.dot(s.row, d); });
}

void LinearBatch::block_values(const double* x, Rows rows, double* a, double*) const {
  block_products(x, rows, a);
  for (Index k = 0; k < rows.size(); ++k) a[k] -= constant(rows[k]);
}

void LinearBatch::block_add_gradient(const double*, Rows rows, const double* w, const double*, double* gradient) const {
  if (!two_sided_) {
    G_.add_transposed(rows, w, gradient);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = stored(rows);
    double* net = parallel::scratch(Scratch::block, behind.size());
    std::fill_n(net, behind.size(), 0.0);
    for_each_side(rows, [&](Index k, Side s) { net[s.row - behind.first()] += s.sign * w[k]; });
    G_.add_transposed(behind, net, gradient);
    return;
  }
  for_each_side(rows, [&](Index k, Side s) {
    if (w[k] != 0.0) G_.axpy(s.row, s.sign * w[k], gradient);
  });
}

void LinearBatch::block_gradient_norms(const double*, Rows rows, const double*, double* norms) const {
  if (!two_sided_) {
    G_.squared_norms(rows, norms);
  } else {
    for_each_side(rows, [&](Index k, Side s) { G_.squared_norms(Rows::range(s.row, 1), norms + k); });
  }
  for (Index k = 0; k < rows.size(); ++k) norms[k] = std::sqrt(norms[k]);
}

void LinearBatch::block_smoothness(Rows rows, double* smoothness) const { std::fill_n(smoothness, rows.size(), 0.0); }

void LinearBatch::block_slopes(const double*, const double* d, Rows rows, const double*, double* slopes) const {
  block_products(d, rows, slopes);
}

void LinearBatch::block_add_hessian(const double*, Rows rows, const double*, const double* outer, const double*,
                                    MatrixRef H) const {
  if (!two_sided_) {
    G_.add_gram(rows, outer, H);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = stored(rows);
    double* net = parallel::scratch(Scratch::weights, behind.size());  // add_gram uses the block slot
    std::fill_n(net, behind.size(), 0.0);
    for_each_side(rows, [&](Index k, Side s) { net[s.row - behind.first()] += outer[k]; });
    G_.add_gram(behind, net, H);
    return;
  }
  for_each_side(rows, [&](Index k, Side s) { G_.add_gram(Rows::range(s.row, 1), outer + k, H); });
}

void LinearBatch::growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const {
  slopes(x, d, rows, slope);
  curvature.setZero();
}

// The same rows with every finite side at 0; the matrix is shared.
RecessionCone LinearBatch::recession_cone() const {
  const auto at_zero = [](const Doubles& side) {
    std::vector<double> out(side.begin(), side.end());
    for (double& c : out) c = std::isfinite(c) ? 0.0 : c;
    return Doubles(std::move(out));
  };
  if (!two_sided_) return {linear_le(G_, at_zero(hi_)), false};
  return {linear_range(at_zero(lo_), G_, at_zero(hi_)), false};
}

void LinearBatch::validate() const {
  G_.validate("linear constraints: G");
  validate_sides();
}

std::shared_ptr<ConstraintBatch> LinearBatch::with_constants(Doubles h) const {
  if (two_sided_) return ConstraintBatch::with_constants(std::move(h));
  auto changed = std::make_shared<LinearBatch>(G_, std::move(h));
  changed->name = name;
  changed->validate_sides();
  return changed;
}

Vector LinearBatch::constant_terms() const {
  return two_sided_ ? Vector() : Vector(-Eigen::Map<const Vector>(hi_.data(), hi_.size()));
}

void LinearBatch::validate_sides() const {
  for (Index r = 0; r < G_.rows(); ++r) {
    if (!two_sided_) {
      if (!std::isfinite(hi_[r])) {
        throw InputError(fmt::format("linear_le: h[{}] is {}, expected a finite number", r, hi_[r]));
      }
      continue;
    }
    if (std::isnan(lo_[r]) || lo_[r] == kInfinity) {
      throw InputError(fmt::format("linear_range: lo[{}] is {}", r, lo_[r]));
    }
    if (std::isnan(hi_[r]) || hi_[r] == -kInfinity) {
      throw InputError(fmt::format("linear_range: hi[{}] is {}", r, hi_[r]));
    }
    if (lo_[r] > hi_[r]) {
      throw InputError(fmt::format("linear_range: lo > hi in row {} ({} > {})", r, lo_[r], hi_[r]));
    }
  }
}

void LinearBatch::multipliers_to_duals(ConstVectorRef multipliers, VectorRef duals) const {
  if (!two_sided_) {
    duals = multipliers;
    return;
  }
  duals.setZero();
  for_each_side(Rows::range(0, size()), [&](Index k, Side s) { duals[s.row] += s.sign * multipliers[k]; });
}

void LinearBatch::duals_to_multipliers(ConstVectorRef duals, VectorRef multipliers) const {
  if (!two_sided_) {
    multipliers = duals.cwiseMax(0.0);
    return;
  }
  for_each_side(Rows::range(0, size()),
                [&](Index k, Side s) { multipliers[k] = std::max(0.0, s.sign * duals[s.row]); });
}

// L_a = 0, C1 = 0, C0 = |g|^2.
std::optional<RowConstants> LinearBatch::compute_constants() const {
  const Index m = size();
  RowConstants c{Vector::Zero(m), Vector(m), Vector::Zero(m), true};
  for_row_chunks(Rows::range(0, m), [&](Index begin, Index end) {
    block_gradient_norms(nullptr, Rows::range(begin, end - begin), nullptr, c.growth_constant.data() + begin);
  });
  c.growth_constant = c.growth_constant.cwiseAbs2() * (1.0 + 1e-12);
  return c;
}

BatchPtr linear_le(DataMatrix G, Doubles h) { return std::make_shared<LinearBatch>(std::move(G), std::move(h)); }

BatchPtr linear_range(Doubles lo, DataMatrix G, Doubles hi) {
  return std::make_shared<LinearBatch>(std::move(lo), std::move(G), std::move(hi));
}

}  // namespace pliant
