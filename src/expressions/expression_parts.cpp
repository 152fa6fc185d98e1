#include "expressions/expression_parts.hpp"

#include "pliant/constraints.hpp"

#include <cmath>
#include <limits>
#include <memory>

namespace pliant {
namespace {

// What a convex function is outside of its domain.
double extended(double value) { return std::isnan(value) ? kInfinity : value; }

class ExpressionTerm final : public ObjectiveTerm {
 public:
  ExpressionTerm(Index n, Expression expression) : n_(n), expression_(std::move(expression)) {}

  std::string_view kind() const override { return "expression"; }
  Index dimension() const override { return n_; }
  Index components() const override { return 1; }
  Index bytes() const override { return static_cast<Index>(expression_.variables().size() * sizeof(double)); }

  double value(ConstVectorRef x) const override { return extended(expression_.value(x)); }
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override {
    return extended(expression_.add_gradient(x, weight, gradient));
  }
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const override {
    expression_.add_hessian(x, weight, H);
  }

  // The domain of a convex function on a line is an interval: doubled steps find whether it ends, halved ones where.
  double max_step(ConstVectorRef x, ConstVectorRef d) const override {
    if (!expression_.has_domain()) return kInfinity;
    const auto inside = [&](double t) { return std::isfinite(expression_.value(x + t * d)); };
    if (!inside(0.0)) return 0.0;
    constexpr double kFarthest = 0x1p60;
    constexpr int kHalvings = 52;
    double in = 0.0, out = 1.0;
    while (inside(out)) {
      in = out;
      out *= 2.0;
      if (out > kFarthest) return kInfinity;
    }
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (in + out);
      (inside(middle) ? in : out) = middle;
    }
    return in;
  }

  double component_value(Index, ConstVectorRef x) const override { return value(x); }
  void add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const override {
    add_gradient(x, weight, gradient);
  }
  double smoothness() const override { return kInfinity; }
  double component_smoothness(Index) const override { return kInfinity; }
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return -kInfinity; }
  void validate() const override {}

 private:
  Index n_;
  Expression expression_;
};

using Expressions = std::vector<Expression>;

const Expression& at(const Expressions& all, Index i) { return all[static_cast<std::size_t>(i)]; }

}  // namespace

TermPtr expression_term(Index n, Expression expression) {
  return std::make_shared<ExpressionTerm>(n, std::move(expression));
}

BatchPtr expression_rows(Index n, std::vector<Expression> expressions) {
  const auto m = static_cast<Index>(expressions.size());
  const auto all = std::make_shared<const Expressions>(std::move(expressions));
  CallbackFunctions functions;
  functions.values = [all](ConstVectorRef x, Rows rows, VectorRef a) {
    for (Index k = 0; k < rows.size(); ++k) a[k] = extended(at(*all, rows[k]).value(x));
  };
  functions.jacobian = [all](ConstVectorRef x, Rows rows, MatrixRef J) {
    Vector gradient(x.size());
    for (Index k = 0; k < rows.size(); ++k) {
      gradient.setZero();
      at(*all, rows[k]).add_gradient(x, 1.0, gradient);
      J.row(k) = gradient.transpose();
    }
  };
  functions.hessian = [all](ConstVectorRef x, ConstVectorRef w, Rows rows, MatrixRef H) {
    H.setZero();
    for (Index k = 0; k < rows.size(); ++k) at(*all, rows[k]).add_hessian(x, w[k], H);
    H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  };
  return callback_le(m, n, std::move(functions));
}

}  // namespace pliant
