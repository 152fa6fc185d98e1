// A budget for what soft rows cost: one more row and column of the elastic Newton system.
//
//   B(x) = g'x + beta + sum_i w_i max(0, a_i(x)) <= 0
//
// has one multiplier theta, and the rows the prices theta w_i. With v_i in the place of max(0, a_i) and a slack t,
// g'x + beta + sum w_i v_i + t = 0 and t theta -> mu. Since ceilings move, dv_i = (r_v + v dlambda - v w dtheta) / room, and
// with u_i = v_i w_i / room_i the condensed system (elastic_newton.hpp) is bordered by
//
//   (g + G'W^-1 u)'dx + (sum_i (u_i^2 / W_i - u_i w_i) - t/theta) dtheta
//       = -r_b - r_t/theta - sum_i (w_i r_v / room_i + u_i b_i / W_i):
//
// symmetric, with a negative corner.
#pragma once

#include "engines/interior/elastic_pairs.hpp"
#include "linalg/dense_kkt.hpp"

namespace pliant {

struct PriceBudget {
  Vector gradient;        ///< g
  double constant = 0.0;  ///< beta
  double theta = 1.0;     ///< where to begin; after a solve the multiplier
};

class ElasticBorder {
 public:
  /// Null: there is no budget, and nothing below is called but exists().
  void begin(PriceBudget* budget) { budget_ = budget; }
  bool exists() const { return budget_ != nullptr; }
  double theta() const { return budget_->theta; }
  const Vector& gradient() const { return budget_->gradient; }

  /// B(x), from the values a of the rows.
  double excess(const Vector& x, const Vector& a, const Vector& prices) const;
  /// What excess is small in relation to.
  double size(const Vector& x) const;
  void start(const Vector& x, const Vector& a, const Vector& prices, double product);
  /// r_b from x and the pairs.
  void measure(const Vector& x, const ElasticPairs& pairs, const Vector& prices);

  /// u and the corner; returns u/W, the weights of the rows in the column.
  const Vector& weigh(const ElasticPairs& pairs, const Vector& prices, const Vector& weight);
  /// Takes the column, g + G'W^-1 u, out of a factorised system.
  bool eliminate(DenseKkt& kkt, const Vector& column);
  /// The right-hand side of the row, for targets of its own product and of v (xi - lambda) of every pair.
  void set_side(const ElasticPairs& pairs, const Vector& prices, const Vector& weight, const Vector& b, double target,
                const Vector& targets_v);
  /// Solutions of the bordered system from those of the system alone, and the step of theta with it.
  double complete(Vector& dx, Vector& dy);
  /// The same for what a first solution (dx, dtheta) has left, the border's part of it.
  double complete_refined(const Vector& dx, double dtheta, Vector& more_x, Vector& more_y);
  const Vector& column() const { return column_; }
  double slope_of_row(Index i) const { return u_[i]; }

  /// The step of the slack, for a step of theta.
  void set_step(double dtheta, double target);
  double second_order() const { return dtheta_ * dslack_; }
  double longest() const;
  void move(double length);

 private:
  PriceBudget* budget_ = nullptr;
  double slack_ = 0.0, residual_ = 0.0, corner_ = 0.0, side_ = 0.0;
  double dtheta_ = 0.0, dslack_ = 0.0;
  Vector u_, weights_, column_, inverse_, inverse_y_, zero_;
};

}  // namespace pliant
