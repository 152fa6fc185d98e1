// A family of constraints of your own, in this one file: balls 1/2 |x - c_i|^2 - R_i^2 / 2 <= 0.
//
// The class needs nothing but installed headers, and a batch of it goes wherever the library's own do. The program finds
// the point of an intersection of many balls that lies farthest in one direction, and checks it against the raw numbers.
// docs/how-to/add-a-constraint-family.md walks through the class; the conformance suite of the library runs on it.
#include <pliant/batch_checks.hpp>
#include <pliant/pliant.hpp>
#include <pliant/rank_update_panel.hpp>
#include <pliant/row_block_batch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace balls {

using namespace pliant;

class BallBatch final : public RowBlockBatch {
 public:
  /// centres: m x n, radii: m numbers.
  BallBatch(Index m, Index n, Doubles centres, Doubles radii)
      : m_(m), n_(n), centres_(std::move(centres)), radii_(std::move(radii)) {
    expect_entries("ball_le", "centres", m_ * n_, centres_.size());
    expect_entries("ball_le", "radii", m_, radii_.size());
  }

  // ---- what the family is ----

  std::string_view family() const override { return "ball"; }
  Index size() const override { return m_; }
  Index dimension() const override { return n_; }
  Index bytes(Rows rows) const override { return rows.size() * (n_ + 1) * Index{sizeof(double)}; }
  double constant_scale() const override {
    const double radius = largest_magnitude(radii_);
    return 0.5 * radius * radius;
  }
  void validate() const override {
    const std::string label = batch_label("ball_le", name);
    expect_finite_rows(label, "centre", centres_, m_, n_);
    expect_finite_rows(label, "radius", radii_, m_, 1);
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

  // ---- what it may say besides: all of this could be left out ----

  BatchStructure structure() const override {
    BatchStructure out;
    out.arrays = {&centres_};
    return out;
  }
  // Slope (x - c)'d, curvature |d|^2; recession_cone stays unknown: a bounded set has no direction but 0.
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override {
    for (Index k = 0; k < rows.size(); ++k) slope[k] = (x - centre(rows[k])).dot(d);
    curvature.setConstant(d.squaredNorm());
  }

 protected:
  // ---- the kernels ----

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

  // Optional, too: by default norms are taken through the gradients, and without constants there is no screening.
  void block_gradient_norms(const double* x, Rows rows, const double*, double* norms) const override {
    for (Index k = 0; k < rows.size(); ++k) norms[k] = (point(x) - centre(rows[k])).norm();
  }
  // min a = -R^2/2, so |grad a|^2 = 2 (a - min a) <= 2 |a| + R^2; a little more, for rounding.
  std::optional<RowConstants> compute_constants() const override {
    constexpr double kMargin = 1.0 + 1e-12;
    const Eigen::Map<const Vector> radii(radii_.data(), m_);
    return RowConstants{Vector::Ones(m_), radii.cwiseAbs2() * kMargin, Vector::Constant(m_, 2.0 * kMargin), true};
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

}  // namespace balls

#ifndef PLIANT_EXAMPLE_WITHOUT_MAIN
int main() {
  const pliant::Index n = 6, m = 20000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> centres(static_cast<std::size_t>(m * n)), radii(static_cast<std::size_t>(m)), c(n);
  for (double& v : centres) v = normal(random);
  for (double& v : c) v = normal(random);
  for (pliant::Index i = 0; i < m; ++i) {  // every ball reaches beyond the origin
    const Eigen::Map<const pliant::Vector> centre(centres.data() + i * n, n);
    radii[static_cast<std::size_t>(i)] = centre.norm() + 1.0;
  }

  pliant::Problem problem(n);
  problem.minimize(pliant::linear(c));
  problem.subject_to(std::make_shared<balls::BallBatch>(m, n, centres, radii), "balls");
  const pliant::Result result = pliant::solve(problem);

  double violation = 0.0;
  for (pliant::Index i = 0; i < m; ++i) {
    const Eigen::Map<const pliant::Vector> centre(centres.data() + i * n, n);
    const double outside = (result.x - centre).norm() - radii[static_cast<std::size_t>(i)];
    violation = std::isnan(outside) ? outside : std::max(violation, outside);
  }
  const double tolerance = 1e-5;
  const bool solved = result.status == pliant::Status::optimal && violation <= tolerance &&
                      std::abs(result.certificate.objective - result.certificate.lower_bound) <=
                          tolerance * (1.0 + std::abs(result.certificate.objective));
  std::printf("%s: objective %.9f, lower bound %.9f, violation %.1e, %lld active of %lld balls\n",
              std::string(pliant::to_string(result.status)).c_str(), result.certificate.objective,
              result.certificate.lower_bound, violation, static_cast<long long>(result.certificate.active),
              static_cast<long long>(m));
  return solved ? 0 : 1;
}
#endif
