#include "constraints/rank_one.hpp"

#include "checks/shape_checks.hpp"
#include "constraints/stacked_rows.hpp"
#include "linalg/point_forms.hpp"
#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/constraints.hpp"
#include "pliant/rank_update_panel.hpp"
#include "pliant/svec.hpp"

#include <algorithm>

namespace pliant {
namespace {

using parallel::Scratch;

const char* function_name(bool lifted) { return lifted ? "rank_one_lifted_le" : "rank_one_le"; }

}  // namespace

RankOneBatch::RankOneBatch(Index m, Index order, bool lifted, Doubles points, Doubles b)
    : m_(m),
      order_(order),
      width_(lifted ? order - 1 : order),
      dimension_(svec_size(order)),
      lifted_(lifted),
      points_(std::move(points)),
      b_(std::move(b)) {
  const char* function = function_name(lifted);
  expect_at_least(function, "m", 0, m_);
  expect_at_least(function, lifted ? "d" : "p", 1, width_);
  expect_entries(function, "points", m_ * width_, points_.size());
  expect_entries(function, "b", m_, b_.size());
}

BatchStructure RankOneBatch::structure() const {
  BatchStructure out;
  out.linear = true;
  out.arrays = {&points_};
  out.rank_one = this;
  return out;
}

StoredForm RankOneBatch::stored() const {
  if (transformed()) return {};
  return {"rank_one", {{"points", points_, {m_, width_}}, {"b", b_}}};
}

double RankOneBatch::constant_scale() const { return largest_magnitude(b_); }

void RankOneBatch::constant_magnitudes(Rows rows, VectorRef out) const {
  for (Index k = 0; k < rows.size(); ++k) out[k] = std::abs(b_[rows[k]]);
}

// |q|'|X||q| + |b| and svec(|q||q|'). In other coordinates the points themselves carry the rounding of a product with R.
void RankOneBatch::add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                     VectorRef gradient_sizes) const {
  const Matrix R = transformed() ? Matrix(R_.cwiseAbs()) : Matrix();
  Matrix X(order_, order_);
  unpack_svec(x.cwiseAbs(), X);
  Matrix sum = Matrix::Zero(order_, order_);
  Vector q(order_);
  for (Index k = 0; k < rows.size(); ++k) {
    fill_stored(rows[k], Eigen::Map<Vector>(q.data(), order_));
    q = q.cwiseAbs().eval();
    if (transformed()) q = (R * q).eval();
    sizes[k] = q.dot(X * q) + std::abs(b_[rows[k]]);
    if (w[k] != 0.0) sum.noalias() += w[k] * q * q.transpose();
  }
  add_svec(sum, 1.0, gradient_sizes);
}

void RankOneBatch::fill_stored(Index i, Eigen::Map<Vector> q) const {
  q.head(width_) = ConstVectorMap(point(i), width_);
  if (lifted_) q[width_] = 1.0;
}

void RankOneBatch::fill_point(Index i, Eigen::Map<Vector> q) const {
  fill_stored(i, q);
  if (transformed()) q = (R_ * q).eval();
}

std::shared_ptr<RankOneBatch> RankOneBatch::in_coordinates(Matrix R) const {
  auto batch = std::make_shared<RankOneBatch>(m_, order_, lifted_, points_, b_);
  batch->name = name;
  batch->R_ = std::move(R);
  return batch;
}

void RankOneBatch::block_forms(const double* d, Rows rows, double* out) const {
  double* memory = parallel::scratch(Scratch::block, order_ * order_ + PointForm::memory_size(width_));
  Eigen::Map<Matrix> D(memory, order_, order_);
  unpack_svec(ConstVectorMap(d, dimension_), D);
  if (transformed()) D = (R_.transpose() * D * R_).eval();
  PointForm(D, lifted_, memory + order_ * order_).values(points_.data(), rows, out);
}

void RankOneBatch::block_values(const double* x, Rows rows, double* a, double*) const {
  block_forms(x, rows, a);
  for (Index k = 0; k < rows.size(); ++k) a[k] -= b_[rows[k]];
}

void RankOneBatch::block_slopes(const double*, const double* d, Rows rows, const double*, double* slopes) const {
  block_forms(d, rows, slopes);
}

// svec(sum w_k q_k q_k')
void RankOneBatch::block_add_gradient(const double*, Rows rows, const double* w, const double*,
                                      double* gradient) const {
  Eigen::Map<Matrix> sum(parallel::scratch(Scratch::weights, order_ * order_), order_, order_);
  sum.setZero();
  RankUpdatePanel panel(sum);
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] == 0.0) continue;
    fill_stored(rows[k], panel.column());
    panel.push(w[k]);
  }
  panel.flush();
  if (transformed()) sum = (R_ * sum.selfadjointView<Eigen::Lower>() * R_.transpose()).eval();
  add_svec(sum, 1.0, VectorMap(gradient, dimension_));
}

void RankOneBatch::block_gradient_norms(const double*, Rows rows, const double*, double* norms) const {
  if (transformed()) {
    const Vector unit = svec(Matrix::Identity(order_, order_));
    block_forms(unit.data(), rows, norms);
    return;
  }
  const double last = lifted_ ? 1.0 : 0.0;
  for (Index k = 0; k < rows.size(); ++k) norms[k] = ConstVectorMap(point(rows[k]), width_).squaredNorm() + last;
}

void RankOneBatch::block_smoothness(Rows rows, double* smoothness) const { std::fill_n(smoothness, rows.size(), 0.0); }

void RankOneBatch::block_add_hessian(const double*, Rows rows, const double*, const double* outer, const double*,
                                     MatrixRef H) const {
  RankUpdatePanel panel(H);
  Eigen::Map<Vector> q(parallel::scratch(Scratch::weights, order_), order_);
  for (Index k = 0; k < rows.size(); ++k) {
    if (outer[k] == 0.0) continue;
    fill_point(rows[k], q);
    Eigen::Map<Vector> g = panel.column();
    for (Index j = 0, at = 0; j < order_; at += order_ - j, ++j) {
      g[at] = q[j] * q[j];
      const Index below = order_ - j - 1;
      g.segment(at + 1, below) = (svec_scale(1, 0) * q[j]) * q.tail(below);
    }
    panel.push(outer[k]);
  }
  panel.flush();
}

// The same rows with b = 0.
RecessionCone RankOneBatch::recession_cone() const {
  auto rows = std::make_shared<RankOneBatch>(m_, order_, lifted_, points_, to_array(Vector::Zero(m_)));
  rows->R_ = R_;
  return {std::move(rows), false};
}

void RankOneBatch::validate() const {
  const std::string label = batch_label(function_name(lifted_), name);
  expect_finite_rows(label, "points", points_, m_, width_);
  expect_finite_rows(label, "b", b_, m_, 1);
}

// L_a = 0, C1 = 0, C0 = |q|^4.
std::optional<RowConstants> RankOneBatch::compute_constants() const {
  RowConstants c{Vector::Zero(m_), Vector(m_), Vector::Zero(m_), true};
  for_row_chunks(Rows::range(0, m_), [&](Index begin, Index end) {
    block_gradient_norms(nullptr, Rows::range(begin, end - begin), nullptr, c.growth_constant.data() + begin);
  });
  c.growth_constant = c.growth_constant.cwiseAbs2() * (1.0 + 1e-12);
  return c;
}

BatchPtr rank_one_le(Tensor points, Doubles b) {
  Shapes shapes("rank_one_le");
  shapes.expect("points", points, {"m", "p"});
  return std::make_shared<RankOneBatch>(shapes["m"], shapes["p"], false, points.values(), std::move(b));
}

BatchPtr rank_one_lifted_le(Tensor points, Doubles b) {
  Shapes shapes("rank_one_lifted_le");
  shapes.expect("points", points, {"m", "d"});
  return std::make_shared<RankOneBatch>(shapes["m"], shapes["d"] + 1, true, points.values(), std::move(b));
}

}  // namespace pliant
