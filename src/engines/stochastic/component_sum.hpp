// The penalised problem as a finite sum of n' = l + m components,
//
//   Phi(x) = sum_i h_i(x),   h_i = w f_i for objective components,  xi_j p_delta(a_j + u_j) for constraints.
//
// (Written as a mean, the components are n' h_i. The mean of their smoothness constants is then L = sum_i L_i, L_i
// that of h_i, which is what the rates need when i is drawn with probability p_i = L_i / L.)
//
//   L_i = w L_{f_i}   or   xi_j (L_a + C1 (1/4 + |u_j|/(4 delta)) + C0/(4 delta))
//
// since |grad a|^2 <= C0 + C1 |a| <= C0 + C1 (|a + u| + |u|). Components of L_i = 0 have constant gradients: the full
// gradient holds all of them, and they are never drawn.
//
// A term of one component that is strongly convex by itself (a quadratic) hands that part over: h_i - mu_i/2 |x|^2 is
// sampled and ridge() = sum of the mu_i belongs to the prox, where methods make better use of it. Half a squared norm
// is then no component at all.
//
// Generalised linear terms and linear rows are "scalar": h_i'(x) = slope_i(row_i'x) row_i, one number that a snapshot
// keeps. Others are evaluated through their own component functions, twice in a variance-reduced step.
#pragma once

#include "engines/inner_method.hpp"
#include "engines/stochastic/alias_table.hpp"
#include "engines/stochastic/row_view.hpp"
#include "objective/losses.hpp"
#include "penalty/penalized_function.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant {

class ComponentSum {
 public:
  /// Eigenvalue bounds are this close, relatively.
  static constexpr double kRoundingOfBounds = 1e-10;

  /// Why the components of a problem cannot be sampled; empty: they can. Reads the data once, for their constants.
  static std::string obstacle(const Problem& problem);

  /// `who` stands in messages. Iterates and what is extrapolated from them stay within `reach` times the farthest
  /// point of dom psi; it matters to rows whose gradients have no global bound.
  ComponentSum(PenalizedFunction& phi, std::string who, double reach = 1.0);

  /// Constants and sampling at the present xi, delta and shifts of Phi:
  /// p_i = (1 - uniform_share) L_i / L + uniform_share / k over the k components that can have L_i > 0.
  /// Throws InputError where a constraint has no constant; x is any point of dom psi.
  void refresh(ConstVectorRef x, double uniform_share);
  /// The same with constants that hold for |y - x| <= radius: rows whose penalty is flat there, which most are once x
  /// is good, hardly count. Evaluates the curved rows once more, for the norms of their gradients.
  /// Returns the radius they hold for: where that costs nothing, a larger one, so that a start at the minimiser has
  /// room for steps.
  double refresh_around(ConstVectorRef x, ConstVectorRef a, double radius, double uniform_share);

  Index size() const { return smoothness_.size(); }
  /// k
  Index sampled() const { return sampled_; }
  double smoothness(Index i) const { return smoothness_[i]; }
  double total_smoothness() const { return total_; }
  double ridge() const { return ridge_; }
  /// max L_i / p_i, the constant that decides over steps: L itself for p_i = L_i / L.
  double step_smoothness() const { return step_; }
  /// A bound of the smoothness of the whole sum, at most total_smoothness(). The first call costs an eigenvalue bound.
  double sum_smoothness();
  /// Mean number of entries in the row of a draw; n where it is no data row.
  double touched() const { return touched_; }
  double probability(Index i) const { return sampler_.probability(i); }
  Index draw(double u) const { return sampler_.draw(u); }

  /// Evaluates Phi at point.x in full and keeps it as the snapshot: x~, multipliers and slopes.
  void evaluate(InnerPoint& point);

  /// coefficient * row = (grad h_i(x) - grad h_i(x~)) / p_i. The row may be a buffer that the next call overwrites.
  struct Correction {
    RowView row;
    double coefficient;
  };
  Correction correction(Index i, const Vector& x);
  /// The coefficient of a scalar component, from z = row_i'x.
  double coefficient(Index i, double z) {
    Group& g = group_of(i);
    ++g.evaluated;
    return coefficient(g, i, z);
  }
  /// out = mean of the corrections of several components. Threads share the work; they do not change the result.
  void mean_correction(const std::vector<Index>& drawn, const Vector& x, Vector& out);

  // Pieces, for methods with a table of their own.
  bool scalar(Index i) const { return group_of(i).kind < Kind::term; }
  RowView row(Index i) const { return row(group_of(i), i - group_of(i).begin); }
  /// h_i' as a function of z = row_i'x (counted), and its value at the snapshot.
  double slope(Index i, double z);
  double snapshot_slope(Index i) const { return slopes_[i]; }
  /// out += weight * grad h_i(x), any component (counted).
  void add_gradient(Index i, const Vector& x, double weight, Vector& out);

  /// Books the components evaluated since the last call; evaluate() does so too.
  void settle();

 private:
  enum class Kind { square, logistic, huber, one_sided, two_sided, term, rows };
  static Kind kind_of(LossKind loss) {
    return loss == LossKind::square ? Kind::square : loss == LossKind::logistic ? Kind::logistic : Kind::huber;
  }
  struct Group {
    Kind kind;
    Index begin, count;
    double weight = 1.0;  // of the term
    double scale = 1.0;   // of the scalar loss: weight / count
    double ridge = 0.0;   // weight times the strong convexity taken out
    double k = 0.0;       // of huber
    const DataMatrix* matrix = nullptr;
    const double* targets = nullptr;  // t_i, or h_i of one-sided rows
    const ObjectiveTerm* term = nullptr;
    const ConstraintBatch* batch = nullptr;
    const LinearRows* linear = nullptr;
    const LossSum* losses = nullptr;
    Index system_begin = 0;  // of constraints in the ConstraintSystem
    double bytes = 0.0;      // of an average row
    std::optional<double> gram =
        std::nullopt;     // upper bound of the eigenvalues of the matrix' Gram matrix, once it was wanted
    Index evaluated = 0;  // since the last settle
  };

  void append_term(const ObjectiveTerm& term, double weight);
  void append_rows(const ConstraintBatch& batch, Index system_begin);
  void bound_gradients_on_domain(ConstVectorRef x);
  double smooth_gradient(ConstVectorRef x, VectorRef gradient);
  double global_smoothness(Index j) const;
  double local_smoothness(Index j, double a, double radius) const;
  void sample(double uniform_share);
  /// coefficient(i, z), not counted.
  double coefficient(const Group& group, Index i, double z) const {
    return (slope(group, i - group.begin, z) - slopes_[i]) / sampler_.probability(i);
  }
  Group& group_of(Index i) {
    std::size_t g = 0;
    while (i >= groups_[g].begin + groups_[g].count) ++g;
    return groups_[g];
  }
  const Group& group_of(Index i) const { return const_cast<ComponentSum*>(this)->group_of(i); }
  RowView row(const Group& group, Index local) const;
  double slope(const Group& group, Index local, double z) const;
  double ceiling(Index j) const { return phi_.soft(j) ? phi_.ceiling(j) : xi_; }
  double shift(Index j) const { return phi_.shift.size() > 0 ? phi_.shift[j] : 0.0; }

  PenalizedFunction& phi_;
  std::string who_;
  double reach_;
  std::vector<Group> groups_;
  double ridge_ = 0.0;
  Index objective_ = 0;                       // components of the objective
  Vector smoothness_;                         // L_i
  Vector curvature_, growth_, slope_growth_;  // of constraints: L_a, C0, C1
  Index sampled_ = 0;
  double total_ = 0.0, step_ = 0.0, touched_ = 0.0;
  AliasTable sampler_;

  // What the constants were last computed for.
  bool global_ = false;
  double xi_ = 0.0, delta_ = 0.0, share_ = -1.0;
  Vector shift_;

  Vector norms_, unused_;  // of the gradients of constraints
  Vector snapshot_, multipliers_, slopes_, buffer_, coefficients_;
};

}  // namespace pliant
