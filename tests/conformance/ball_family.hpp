// A complete constraint family in one page: balls 1/2 |x - c_i|^2 - R_i^2 / 2 <= 0.
//
// docs/how-to/add-a-constraint-family.md walks through it; the conformance suite runs on it.
#pragma once

#include "constraints/batch_checks.hpp"
#include "constraints/rank_update_panel.hpp"
#include "constraints/row_block_batch.hpp"
#include "pliant/array.hpp"

#include <cmath>
#include <utility>

namespace pliant::testing {

class BallBatch final : public RowBlockBatch {
 public:
  /// centres: m x n, radii: m numbers.
  BallBatch(Index m, Index n, Doubles centres, Doubles radii)
      : m_(m), n_(n), centres_(std::move(centres)), radii_(std::move(radii)) {
    expect_entries("ball_le", "centres", m_ * n_, centres_.size());
    expect_entries("ball_le", "radii", m_, radii_.size());
  }

  std::string_view family() const override { return "ball"; }
  Index size() const override { return m_; }
  Index dimension() const override { return n_; }
  Index bytes(Rows rows) const override { return rows.size() * (n_ + 1) * Index{sizeof(double)}; }
  std::vector<Doubles> arrays() const override { return {centres_}; }
  double constant_scale() const override {
    const double radius = largest_magnitude(radii_);
    return 0.5 * radius * radius;
  }

  // a(x + t d) = a(x) + t (x - c)'d + t^2/2 |d|^2
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override {
    line.count = rows.size();
    line.degree = 2;
    line.c0.resize(rows.size());
    line.c1.resize(rows.size());
    line.c2.setConstant(rows.size(), 0.5 * d.squaredNorm());
    for_row_chunks(rows, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        line.c0[k] = value(rows[k], x.data());
        line.c1[k] = (x - centre(rows[k])).dot(d);
      }
    });
  }
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override {
    a = line.c0 + t * (line.c1 + t * line.c2);
    slope = line.c1 + 2.0 * t * line.c2;
  }

  // Slope (x - c)'d, curvature |d|^2; recession_cone stays unknown: a bounded set has no direction but 0.
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override {
    for (Index k = 0; k < rows.size(); ++k) slope[k] = (x - centre(rows[k])).dot(d);
    curvature.setConstant(d.squaredNorm());
  }

  void validate() const override {
    const std::string label = batch_label("ball_le", name);
    expect_finite_rows(label, "centre", centres_, m_, n_);
    expect_finite_rows(label, "radius", radii_, m_, 1);
  }

 protected:
  void block_values(const double* x, Rows rows, double* a, double*) const override {
    for (Index k = 0; k < rows.size(); ++k) a[k] = value(rows[k], x);
  }
  // Gradient x - c.
  void block_add_gradient(const double* x, Rows rows, const double* w, const double*, double* gradient) const override {
    for (Index k = 0; k < rows.size(); ++k) {
      if (w[k] != 0.0) Eigen::Map<Vector>(gradient, n_) += w[k] * (point(x) - centre(rows[k]));
    }
  }
  void block_smoothness(Rows rows, double* smoothness) const override { std::fill_n(smoothness, rows.size(), 1.0); }
  void block_gradient_norms(const double* x, Rows rows, const double*, double* norms) const override {
    for (Index k = 0; k < rows.size(); ++k) norms[k] = (point(x) - centre(rows[k])).norm();
  }
  // Hessian I.
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer, const double*,
                         MatrixRef H) const override {
    RankUpdatePanel panel(H);
    for (Index k = 0; k < rows.size(); ++k) {
      if (curvature[k] != 0.0) H.diagonal().array() += curvature[k];
      if (outer[k] == 0.0) continue;
      panel.column() = point(x) - centre(rows[k]);
      panel.push(outer[k]);
    }
    panel.flush();
  }
  // min a = -R^2/2, so |grad a|^2 = 2 (a - min a) <= 2 |a| + R^2.
  std::optional<RowConstants> compute_constants() const override {
    const Eigen::Map<const Vector> radii(radii_.data(), m_);
    return RowConstants{Vector::Ones(m_), radii.cwiseAbs2() * (1.0 + 1e-12), Vector::Constant(m_, 2.0 * (1.0 + 1e-12)),
                        true};
  }

 private:
  Eigen::Map<const Vector> point(const double* x) const { return {x, n_}; }
  Eigen::Map<const Vector> centre(Index i) const { return {centres_.data() + i * n_, n_}; }
  double value(Index i, const double* x) const {
    return 0.5 * ((point(x) - centre(i)).squaredNorm() - radii_[i] * radii_[i]);
  }

  Index m_;
  Index n_;
  Doubles centres_, radii_;
};

}  // namespace pliant::testing
