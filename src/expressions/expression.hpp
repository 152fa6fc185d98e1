// One function of a graph, ready to be evaluated with its derivatives (automatic differentiation).
#pragma once

#include "expressions/graph.hpp"
#include "pliant/types.hpp"

#include <vector>

namespace pliant {

/// Values outside of the domain are NaN.
class Expression {
 public:
  Expression(const Graph& graph, Index root);

  /// The variables it depends on, ascending.
  const std::vector<Index>& variables() const { return variables_; }
  bool has_domain() const { return has_domain_; }
  /// Negative powers are defined on the side of 0 where x lies from here on: 1/y is convex on either one, not on both.
  void choose_sides(ConstVectorRef x);

  double value(ConstVectorRef x) const;
  /// Returns the value; gradient += weight times the gradient.
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const;
  /// Lower triangle of H += weight times the Hessian.
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const;

 private:
  struct Step {
    Graph::Kind kind;
    Unary function;
    double number;
    Index variable;
    Index first, count;  // operands in operands_, as positions of steps
    double side;         // of a negative power: the sign of its operand; 0: either
  };
  using Numbers = std::vector<double>;

  Index operand(const Step& step, Index k) const { return operands_[static_cast<std::size_t>(step.first + k)]; }
  void values(ConstVectorRef x, Numbers& v) const;
  UnaryValue unary(const Step& step, double v) const;
  /// adjoint_i = d(root)/d(step i), from the values.
  void adjoints(const Numbers& v, Numbers& adjoint) const;
  /// Along the direction e_j of x: t_i = the derivative of step i, s_i that of its adjoint.
  void second_order(const Numbers& v, const Numbers& adjoint, Index j, Numbers& t, Numbers& s) const;
  void tangents(const Numbers& v, Index j, Numbers& t) const;

  std::vector<Step> steps_;  // operands first, the root last
  std::vector<Index> operands_;
  std::vector<Index> variables_;
  std::vector<Index> places_;  // the step of each of the variables
  bool has_domain_ = false;
};

}  // namespace pliant
