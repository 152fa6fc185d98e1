#include "generate/dense_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

constexpr Index kFactors = 10;         // correlated rows share this many random directions
constexpr double kHeavyDecades = 3.0;  // row norms 10^-3 .. 10^3
constexpr Index kActivePerVariable = 5;
// Active rows of a vertex are tilted by this much so that all of them decrease along one direction:
// without it 5n random rows would leave the vertex as the only feasible point.
constexpr double kTilt = 0.1;
constexpr double kInactiveSlack = 0.05;

class RowMaker {
 public:
  RowMaker(const Parameters& p, double reach)
      : n_(p.n()),
        distinct_((p.m() + p.count("duplicate") - 1) / p.count("duplicate")),
        correlation_(p.real("correlation")),
        heavy_(p.flag("heavy")),
        rows_(p.stream(Label::rows)),
        rhs_(p.stream(Label::right_hand_side)),
        scales_(p.stream(Label::row_scale)),
        loadings_(p.stream(Label::loadings)),
        multipliers_(p.stream(Label::multipliers)) {
    if (correlation_ > 0.0) {
      const random::Stream directions = p.stream(Label::factors);
      factors_.resize(n_, kFactors);
      for (Index k = 0; k < kFactors; ++k) directions.row(k).normals(factors_.col(k).data(), n_);
    }
    if (!p.flag("degenerate")) return;
    active_ = std::min(kActivePerVariable * n_, distinct_);
    const random::Stream point = p.stream(Label::planted_point);
    vertex_.resize(n_);
    for (Index j = 0; j < n_; ++j) vertex_[j] = point.uniform(j, -0.5, 0.5) * std::min(2.0, reach);
    inward_ = unit_vector(p.stream(Label::inner_direction), n_);
    inward_step_ = 0.8 * std::min(kInactiveSlack, 0.5 * reach);
  }

  bool degenerate() const { return vertex_.size() > 0; }

  void make(Index i, double* g) const {
    const Index b = original(i);
    rows_.row(b).normals(g, n_);
    auto row = as_vector(g, n_);
    if (correlation_ > 0.0) correlate(b, row);
    row.normalize();
    if (is_active(b)) {
      if (row.dot(inward_) > 0.0) row = -row;
      row = (row - kTilt * inward_).normalized();
    }
    row *= scale(b);
  }

  // Only around a vertex does the right-hand side depend on the row itself.
  double right_hand_side(Index i, const NumberRows& G) const {
    const Index b = original(i);
    if (!degenerate()) return scale(b) * rhs_.uniform(b, 1.0, 1.1);
    const double at_vertex = as_vector(G.row(i), n_).dot(vertex_);
    return is_active(b) ? at_vertex : at_vertex + scale(b) * rhs_.uniform(b, kInactiveSlack, 1.0 + kInactiveSlack);
  }

  Vector interior() const { return degenerate() ? Vector(vertex_ + inward_step_ * inward_) : Vector::Zero(n_); }

  // Multipliers U(0,1) of the active rows as if these had norm 1.
  PlantedVertex vertex(const NumberRows& G) const {
    Vector pull = Vector::Zero(n_);
    for (Index b = 0; b < distinct_; ++b) {
      if (is_active(b)) pull += (multipliers_.uniform(b) / scale(b)) * as_vector(G.row(b), n_);
    }
    return {vertex_, std::move(pull)};
  }

 private:
  // Rows beyond the distinct ones repeat the first ones.
  Index original(Index i) const { return i % distinct_; }

  // Spreads the active rows evenly over the distinct ones.
  bool is_active(Index b) const { return (b + 1) * active_ / distinct_ > b * active_ / distinct_; }

  double scale(Index b) const {
    return heavy_ ? std::pow(10.0, scales_.uniform(b, -kHeavyDecades, kHeavyDecades)) : 1.0;
  }

  // row = sqrt(1-C) N(0,I) + sqrt(C/k) sum_k v_k f_k: the factors f_k carry the share C of the variance.
  void correlate(Index b, Eigen::Map<Vector> row) const {
    double loading[kFactors];
    loadings_.row(b).normals(loading, kFactors, std::sqrt(correlation_ / static_cast<double>(kFactors)));
    row *= std::sqrt(1.0 - correlation_);
    for (Index k = 0; k < kFactors; ++k) row += loading[k] * factors_.col(k);
  }

  Index n_, distinct_;
  double correlation_;
  bool heavy_;
  random::Stream rows_, rhs_, scales_, loadings_, multipliers_;
  Matrix factors_;  // a column each
  Index active_ = 0;
  Vector vertex_, inward_;
  double inward_step_ = 0.0;
};

}  // namespace

std::vector<ParameterSpec> row_variants() {
  return {count("duplicate", 1, 1), real("correlation", 0.0, 0.0, 1.0), flag("heavy"), flag("degenerate")};
}

DenseRows dense_rows(const Parameters& parameters, double reach) {
  const Index m = parameters.m();
  const auto maker = std::make_shared<const RowMaker>(parameters, reach);
  NumberRows G(parameters, m, parameters.n(), [maker](Index i, double* row) { maker->make(i, row); });
  NumberRows h = column(parameters, m, [maker, G](Index i) { return maker->right_hand_side(i, G); });
  std::optional<PlantedVertex> vertex;
  if (maker->degenerate()) vertex = maker->vertex(G);
  return {std::move(G), std::move(h), maker->interior(), std::move(vertex)};
}

}  // namespace pliant::generation
