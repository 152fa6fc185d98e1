#include "cones/smoothed_cone.hpp"

#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/rank_update_panel.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using parallel::Scratch;

}  // namespace

std::string_view SmoothedConeBatch::family() const {
  return cones_.shape().kind == ConeKind::second_order ? "smoothed_soc" : "smoothed_lmi";
}

BatchStructure SmoothedConeBatch::structure() const {
  BatchStructure out;
  out.arrays = {&cones_.matrix().values()};
  out.smoothed_cones = this;
  return out;
}

void SmoothedConeBatch::validate() const { cones_.validate(batch_label(family(), name)); }

Index SmoothedConeBatch::bytes(Rows rows) const {
  if (rows.contiguous()) return rows.size() > 0 ? cones_.bytes(rows.first(), rows.size()) : 0;
  Index sum = 0;
  for (Index k = 0; k < rows.size(); ++k) sum += cones_.bytes(rows[k], 1);
  return sum;
}

double SmoothedConeBatch::error() const { return nu_ * std::log(static_cast<double>(cones_.shape().rank)); }

double SmoothedConeBatch::evaluate(const double* s, double* kept) const {
  const Index r = cones_.shape().rank;
  double* p = kept;
  double* a = kept + r;
  decompose(cones_.shape(), s, a, kept + 2 * r);
  double sum = 0.0;
  for (Index j = 0; j < r; ++j) sum += p[j] = std::exp((a[j] - a[0]) / nu_);  // a[0] is the largest
  for (Index j = 0; j < r; ++j) p[j] /= sum;
  return a[0] + nu_ * std::log(sum);
}

void SmoothedConeBatch::block_values(const double* x, Rows rows, double* a, double* scratch) const {
  const Index d = cones_.shape().rows;
  double* s = parallel::scratch(Scratch::block, d);
  for (Index k = 0; k < rows.size(); ++k) {
    cones_.slack(rows[k], 1, x, s);
    a[k] = evaluate(s, scratch + k * scratch_per_row());
  }
}

void SmoothedConeBatch::block_add_gradient(const double*, Rows rows, const double* w, const double* scratch,
                                           double* gradient) const {
  const ConeShape& shape = cones_.shape();
  Eigen::Map<Vector> z(parallel::scratch(Scratch::block, shape.rows), shape.rows);
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] == 0.0) continue;
    const double* kept = scratch + k * scratch_per_row();
    combine(shape, kept + 2 * shape.rank, kept, z.data());
    z *= w[k];
    cones_.column(rows[k], z.data(), gradient);
  }
}

// The second derivative along a unit vector is a variance of slopes of eigenvalues over nu, pairs included.
void SmoothedConeBatch::block_smoothness(Rows rows, double* smoothness) const {
  for (Index k = 0; k < rows.size(); ++k) smoothness[k] = std::pow(cones_.lipschitz(rows[k]), 2) / nu_;
}

void SmoothedConeBatch::block_add_hessian(const double*, Rows rows, const double* curvature, const double* outer,
                                          const double* scratch, MatrixRef H) const {
  const ConeShape& shape = cones_.shape();
  const Index d = shape.rows, r = shape.rank;
  RankUpdatePanel panel(H);
  auto gradient = panel.spare();
  Vector weights(d), derivative(r);
  Matrix basis(d, d);
  for (Index k = 0; k < rows.size(); ++k) {
    if (curvature[k] == 0.0 && outer[k] == 0.0) continue;
    const double* p = scratch + k * scratch_per_row();
    const double* a = p + r;
    for (Index j = 0; j < r; ++j) derivative[j] = p[j] / nu_;
    frame_basis(shape, p + 2 * r, basis.data());
    basis_weights(shape, a, p, derivative.data(), weights.data());
    gradient.setZero();
    const Vector z = basis.leftCols(r) * Eigen::Map<const Vector>(p, r);
    cones_.column(rows[k], z.data(), gradient.data());
    for (Index j = 0; j < d && curvature[k] != 0.0; ++j) {
      if (weights[j] == 0.0) continue;
      panel.column().setZero();
      cones_.column(rows[k], basis.col(j).data(), panel.column().data());
      if (j < r) panel.column() -= gradient;
      panel.push(curvature[k] * weights[j]);
    }
    if (outer[k] == 0.0) continue;
    panel.column() = gradient;
    panel.push(outer[k]);
  }
  panel.flush();
}

void SmoothedConeBatch::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  cones_.prepare_line(x, d, rows, 1, line);
}

void SmoothedConeBatch::line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const {
  const ConeShape& shape = cones_.shape();
  const Index d = shape.rows, r = shape.rank;
  for_row_chunks(Rows::range(0, line.count), [&](Index begin, Index end) {
    double* s = parallel::scratch(Scratch::kernel, d + scratch_per_row() + r);
    double* kept = s + d;
    Eigen::Map<Vector> slopes(kept + scratch_per_row(), r);
    for (Index c = begin; c < end; ++c) {
      Eigen::Map<Vector>(s, d) = line.inner.segment(c * d, d) - t * line.inner_d.segment(c * d, d);
      a[c] = evaluate(s, kept);
      eigen_slopes(shape, kept + 2 * r, line.inner_d.data() + c * d, slopes.data());
      slope[c] = slopes.dot(Eigen::Map<const Vector>(kept, r));
    }
  });
}

void SmoothedConeBatch::read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms,
                                    double* smoothness) const {
  if (smoothness == nullptr) return RowBlockBatch::read_bounds(x, rows, a, norms, nullptr);
  values(x, rows, a);
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) norms[k] = cones_.lipschitz(rows[k]);
  });
  std::fill_n(smoothness, rows.size(), 0.0);
}

void SmoothedConeBatch::growth(ConstVectorRef, ConstVectorRef d, Rows rows, VectorRef slope,
                               VectorRef curvature) const {
  const Vector minus = -d;
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) slope[k] = cones_.growth(rows[k], minus.data());
  });
  curvature.setZero();
}

Vector SmoothedConeBatch::dual_points(ConstVectorRef x, ConstVectorRef lambda) const {
  const ConeShape& shape = cones_.shape();
  const Index d = shape.rows;
  Vector z(size() * d);
  for_row_chunks(Rows::range(0, size()), [&](Index begin, Index end) {
    double* s = parallel::scratch(Scratch::kernel, d + scratch_per_row());
    for (Index c = begin; c < end; ++c) {
      auto part = z.segment(c * d, d);
      part.setZero();
      if (lambda[c] == 0.0) continue;
      cones_.slack(c, 1, x.data(), s);
      evaluate(s, s + d);
      combine(shape, s + d + 2 * shape.rank, s + d, part.data());
      part *= lambda[c];
    }
  });
  return z;
}

// Gradients are convex combinations of those of eigenvalues: C0 = the square of their Lipschitz constant, C1 = 0.
std::optional<RowConstants> SmoothedConeBatch::compute_constants() const {
  RowConstants c{Vector(size()), Vector(size()), Vector::Zero(size()), true};
  for_row_chunks(Rows::range(0, size()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      c.growth_constant[i] = std::pow(cones_.lipschitz(i), 2);
      c.smoothness[i] = c.growth_constant[i] / nu_;
    }
  });
  return c;
}

}  // namespace pliant
