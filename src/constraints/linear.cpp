#include "constraints/linear.hpp"

#include "linalg/absolute_rows.hpp"
#include "linalg/rounding.hpp"
#include "linalg/row_products.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/parallel.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using parallel::Scratch;

}  // namespace

BatchStructure LinearBatch::structure() const {
  BatchStructure out;
  out.linear = true;
  out.arrays = {&matrix().values()};
  out.linear_rows = this;
  return out;
}

StoredForm LinearBatch::stored() const {
  StoredForm out{"linear", {{"G", matrix()}, {"upper", upper()}}};
  if (two_sided()) out.fields.push_back({"lower", lower()});
  return out;
}

Rows LinearBatch::rows_behind(Rows rows) const {
  if (rows.size() == 0) return Rows::range(0, 0);
  const Index first = side(rows.first()).row;
  const Index last = side(rows.first() + rows.size() - 1).row;
  return Rows::range(first, last - first + 1);
}

// A row with two sides costs its bytes once; in a list, consecutive sides of one row share them.
Index LinearBatch::bytes(Rows rows) const {
  if (!two_sided()) return matrix().bytes(rows);
  if (rows.contiguous()) return matrix().bytes(rows_behind(rows));
  Index total = 0;
  Index previous = -1;
  for_each_side(rows, [&](Index, Side side) {
    if (side.row != previous) total += matrix().bytes(Rows::range(side.row, 1));
    previous = side.row;
  });
  return total;
}

double LinearBatch::constant_scale() const {
  double scale = 0.0;
  for (const Doubles* side : {&lower(), &upper()}) {
    for (const double part : parallel::parts<double>(side->size(), [side](Index begin, Index end) {
           double largest = 0.0;
           for (Index i = begin; i < end; ++i) {
             const double c = std::abs((*side)[i]);
             if (c < kInfinity) largest = std::max(largest, c);
           }
           return largest;
         })) {
      scale = std::max(scale, part);
    }
  }
  return scale;
}

void LinearBatch::constant_magnitudes(Rows rows, VectorRef out) const {
  for (Index k = 0; k < rows.size(); ++k) out[k] = std::abs(constant(rows[k]));
}

void LinearBatch::add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                    VectorRef gradient_sizes) const {
  const Vector size_of_x = x.cwiseAbs();
  reduce_rows(
      rows,
      [&](Index k, double* partial) {
        const Index row = side(rows[k]).row;
        sizes[k] = absolute_dot(matrix(), row, size_of_x.data()) + std::abs(constant(rows[k]));
        absolute_axpy(matrix(), row, w[k], partial);
      },
      gradient_sizes);
}

void LinearBatch::block_products(const double* d, Rows rows, double* out) const {
  if (!two_sided()) {
    matrix().multiply(d, rows, out);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = rows_behind(rows);
    double* product = parallel::scratch(Scratch::block, behind.size());
    matrix().multiply(d, behind, product);
    for_each_side(rows, [&](Index k, Side s) { out[k] = s.sign * product[s.row - behind.first()]; });
    return;
  }
  for_each_side(rows, [&](Index k, Side s) { out[k] = s.sign * matrix().dot(s.row, d); });
}

void LinearBatch::block_values(const double* x, Rows rows, double* a, double*) const {
  block_products(x, rows, a);
  for (Index k = 0; k < rows.size(); ++k) a[k] -= constant(rows[k]);
}

// Dense rows: values and norms come out of one loop.
void LinearBatch::read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const {
  if (two_sided() || matrix().is_sparse()) return RowBlockBatch::read_bounds(x, rows, a, norms, smoothness);
  for_row_chunks(rows, [&](Index begin, Index end) {
    const Rows part = rows.slice(begin, end - begin);
    row_products(matrix().values().data(), dimension(), part, x.data(), a.data() + begin, norms.data() + begin);
    for (Index k = begin; k < end; ++k) {
      a[k] -= upper()[rows[k]];
      norms[k] = std::sqrt(norms[k]);
    }
    if (smoothness != nullptr) std::fill(smoothness + begin, smoothness + end, 0.0);
  });
}

void LinearBatch::block_add_gradient(const double*, Rows rows, const double* w, const double*, double* gradient) const {
  if (!two_sided()) {
    matrix().add_transposed(rows, w, gradient);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = rows_behind(rows);
    double* net = parallel::scratch(Scratch::block, behind.size());
    std::fill_n(net, behind.size(), 0.0);
    for_each_side(rows, [&](Index k, Side s) { net[s.row - behind.first()] += s.sign * w[k]; });
    matrix().add_transposed(behind, net, gradient);
    return;
  }
  for_each_side(rows, [&](Index k, Side s) {
    if (w[k] != 0.0) matrix().axpy(s.row, s.sign * w[k], gradient);
  });
}

void LinearBatch::block_gradient_norms(const double*, Rows rows, const double*, double* norms) const {
  if (!two_sided()) {
    matrix().squared_norms(rows, norms);
  } else {
    for_each_side(rows, [&](Index k, Side s) { matrix().squared_norms(Rows::range(s.row, 1), norms + k); });
  }
  for (Index k = 0; k < rows.size(); ++k) norms[k] = std::sqrt(norms[k]);
}

void LinearBatch::block_smoothness(Rows rows, double* smoothness) const { std::fill_n(smoothness, rows.size(), 0.0); }

void LinearBatch::block_slopes(const double*, const double* d, Rows rows, const double*, double* slopes) const {
  block_products(d, rows, slopes);
}

void LinearBatch::block_add_hessian(const double*, Rows rows, const double*, const double* outer, const double*,
                                    MatrixRef H) const {
  if (!two_sided()) {
    matrix().add_gram(rows, outer, H);
    return;
  }
  if (rows.contiguous()) {
    const Rows behind = rows_behind(rows);
    double* net = parallel::scratch(Scratch::weights, behind.size());  // add_gram uses the block slot
    std::fill_n(net, behind.size(), 0.0);
    for_each_side(rows, [&](Index k, Side s) { net[s.row - behind.first()] += outer[k]; });
    matrix().add_gram(behind, net, H);
    return;
  }
  for_each_side(rows, [&](Index k, Side s) { matrix().add_gram(Rows::range(s.row, 1), outer + k, H); });
}

// The same rows with every finite side at 0; the matrix is shared.
RecessionCone LinearBatch::recession_cone() const {
  const auto at_zero = [](const Doubles& side) {
    std::vector<double> out(side.begin(), side.end());
    for (double& c : out) c = std::isfinite(c) ? 0.0 : c;
    return Doubles(std::move(out));
  };
  if (!two_sided()) return {linear_le(matrix(), at_zero(upper())), false};
  return {linear_range(at_zero(lower()), matrix(), at_zero(upper())), false};
}

void LinearBatch::validate() const {
  matrix().validate("linear constraints: G");
  validate_sides();
}

std::shared_ptr<ConstraintBatch> LinearBatch::with_constants(Doubles h) const {
  if (two_sided()) return ConstraintBatch::with_constants(std::move(h));
  auto changed = std::make_shared<LinearBatch>(matrix(), std::move(h));
  changed->name = name;
  changed->validate_sides();
  return changed;
}

Vector LinearBatch::constant_terms() const {
  return two_sided() ? Vector() : Vector(-Eigen::Map<const Vector>(upper().data(), upper().size()));
}

void LinearBatch::validate_sides() const {
  for (Index r = 0; r < matrix().rows(); ++r) {
    if (!two_sided()) {
      if (!std::isfinite(upper()[r])) {
        throw InputError(fmt::format("linear_le: h[{}] is {}, expected a finite number", r, upper()[r]));
      }
      continue;
    }
    if (std::isnan(lower()[r]) || lower()[r] == kInfinity) {
      throw InputError(fmt::format("linear_range: lo[{}] is {}", r, lower()[r]));
    }
    if (std::isnan(upper()[r]) || upper()[r] == -kInfinity) {
      throw InputError(fmt::format("linear_range: hi[{}] is {}", r, upper()[r]));
    }
    if (lower()[r] > upper()[r]) {
      throw InputError(fmt::format("linear_range: lo > hi in row {} ({} > {})", r, lower()[r], upper()[r]));
    }
  }
}

// L_a = 0, C1 = 0, C0 = |g|^2.
std::optional<RowConstants> LinearBatch::compute_constants() const {
  const Index m = size();
  RowConstants c{Vector::Zero(m), Vector(m), Vector::Zero(m), true};
  for_row_chunks(Rows::range(0, m), [&](Index begin, Index end) {
    block_gradient_norms(nullptr, Rows::range(begin, end - begin), nullptr, c.growth_constant.data() + begin);
  });
  c.growth_constant = c.growth_constant.cwiseAbs2() * kSquaresMargin;
  return c;
}

BatchPtr finite_linear_le(DataMatrix G, Doubles h) { return std::make_shared<LinearBatch>(std::move(G), std::move(h)); }

// h_i = infinity means no row, which two-sided rows know how to say.
BatchPtr linear_le(DataMatrix G, Doubles h) {
  if (std::find(h.begin(), h.end(), kInfinity) == h.end()) return finite_linear_le(std::move(G), std::move(h));
  Doubles none = to_array(Vector::Constant(h.size(), -kInfinity));
  return std::make_shared<LinearBatch>(std::move(none), std::move(G), std::move(h));
}

BatchPtr linear_range(Doubles lo, DataMatrix G, Doubles hi) {
  return std::make_shared<LinearBatch>(std::move(lo), std::move(G), std::move(hi));
}

}  // namespace pliant
