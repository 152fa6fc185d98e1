#include "expressions/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

namespace pliant {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

// Every variable gets one step, however often the graph names it.
Expression::Expression(const Graph& graph, Index root) {
  std::unordered_map<Index, Index> position;
  std::map<Index, Index> of_variable;
  for (const Index i : graph.below(root)) {
    const Graph::Node& node = graph.node(i);
    if (node.kind == Graph::Kind::variable) {
      const auto [known, added] = of_variable.emplace(node.variable, static_cast<Index>(steps_.size()));
      position[i] = known->second;
      if (!added) continue;
    } else {
      position[i] = static_cast<Index>(steps_.size());
    }
    Step step{node.kind, node.function, node.number, node.variable, static_cast<Index>(operands_.size()), node.count,
              0.0};
    for (Index k = 0; k < node.count; ++k) operands_.push_back(position.at(graph.operand(node, k)));
    if (node.kind == Graph::Kind::unary) has_domain_ = has_domain_ || pliant::has_domain(node.function, node.number);
    steps_.push_back(step);
  }
  for (const auto& [variable, place] : of_variable) {
    variables_.push_back(variable);
    places_.push_back(place);
  }
}

void Expression::choose_sides(ConstVectorRef x) {
  Numbers v;
  values(x, v);
  for (Step& step : steps_) {
    if (step.kind != Graph::Kind::unary || step.function != Unary::power || step.number >= 0.0) continue;
    step.side = v[at(operand(step, 0))] < 0.0 ? -1.0 : 1.0;
  }
}

UnaryValue Expression::unary(const Step& step, double v) const {
  if (step.side != 0.0 && !(step.side * v > 0.0)) return {kUndefined, kUndefined, kUndefined};
  return evaluate(step.function, step.number, v);
}

void Expression::values(ConstVectorRef x, Numbers& v) const {
  v.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    switch (step.kind) {
      case Graph::Kind::constant:
        v[i] = step.number;
        break;
      case Graph::Kind::variable:
        v[i] = x[step.variable];
        break;
      case Graph::Kind::sum:
        v[i] = 0.0;
        for (Index k = 0; k < step.count; ++k) v[i] += v[at(operand(step, k))];
        break;
      case Graph::Kind::multiple:
        v[i] = step.number * v[at(operand(step, 0))];
        break;
      case Graph::Kind::product:
        v[i] = v[at(operand(step, 0))] * v[at(operand(step, 1))];
        break;
      case Graph::Kind::unary:
        v[i] = unary(step, v[at(operand(step, 0))]).value;
        break;
    }
  }
}

double Expression::value(ConstVectorRef x) const {
  Numbers v;
  values(x, v);
  return v.back();
}

// From the root down: an operand's adjoint gets that of what is made of it times the partial derivative.
void Expression::adjoints(const Numbers& v, Numbers& adjoint) const {
  adjoint.assign(steps_.size(), 0.0);
  adjoint.back() = 1.0;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    const double above = adjoint[i];
    if (above == 0.0) continue;
    switch (step.kind) {
      case Graph::Kind::constant:
      case Graph::Kind::variable:
        break;
      case Graph::Kind::sum:
        for (Index k = 0; k < step.count; ++k) adjoint[at(operand(step, k))] += above;
        break;
      case Graph::Kind::multiple:
        adjoint[at(operand(step, 0))] += step.number * above;
        break;
      case Graph::Kind::product: {
        const std::size_t a = at(operand(step, 0)), b = at(operand(step, 1));
        adjoint[a] += above * v[b];
        adjoint[b] += above * v[a];
        break;
      }
      case Graph::Kind::unary: {
        const std::size_t a = at(operand(step, 0));
        adjoint[a] += above * unary(step, v[a]).first;
        break;
      }
    }
  }
}

double Expression::add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const {
  Numbers v, adjoint;
  values(x, v);
  adjoints(v, adjoint);
  for (std::size_t k = 0; k < variables_.size(); ++k) gradient[variables_[k]] += weight * adjoint[at(places_[k])];
  return v.back();
}

void Expression::tangents(const Numbers& v, Index j, Numbers& t) const {
  t.assign(steps_.size(), 0.0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    switch (step.kind) {
      case Graph::Kind::constant:
        break;
      case Graph::Kind::variable:
        t[i] = step.variable == j ? 1.0 : 0.0;
        break;
      case Graph::Kind::sum:
        for (Index k = 0; k < step.count; ++k) t[i] += t[at(operand(step, k))];
        break;
      case Graph::Kind::multiple:
        t[i] = step.number * t[at(operand(step, 0))];
        break;
      case Graph::Kind::product: {
        const std::size_t a = at(operand(step, 0)), b = at(operand(step, 1));
        t[i] = t[a] * v[b] + v[a] * t[b];
        break;
      }
      case Graph::Kind::unary: {
        const std::size_t a = at(operand(step, 0));
        if (t[a] != 0.0) t[i] = unary(step, v[a]).first * t[a];
        break;
      }
    }
  }
}

// The derivative of every line of `adjoints` along e_j.
void Expression::second_order(const Numbers& v, const Numbers& adjoint, Index j, Numbers& t, Numbers& s) const {
  tangents(v, j, t);
  s.assign(steps_.size(), 0.0);
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    const double above = adjoint[i], change = s[i];
    switch (step.kind) {
      case Graph::Kind::constant:
      case Graph::Kind::variable:
        break;
      case Graph::Kind::sum:
        for (Index k = 0; change != 0.0 && k < step.count; ++k) s[at(operand(step, k))] += change;
        break;
      case Graph::Kind::multiple:
        s[at(operand(step, 0))] += step.number * change;
        break;
      case Graph::Kind::product: {
        const std::size_t a = at(operand(step, 0)), b = at(operand(step, 1));
        s[a] += change * v[b] + above * t[b];
        s[b] += change * v[a] + above * t[a];
        break;
      }
      case Graph::Kind::unary: {
        const std::size_t a = at(operand(step, 0));
        if (change == 0.0 && (above == 0.0 || t[a] == 0.0)) break;
        const UnaryValue f = unary(step, v[a]);
        s[a] += change * f.first + above * f.second * t[a];
        break;
      }
    }
  }
}

void Expression::add_hessian(ConstVectorRef x, double weight, MatrixRef H) const {
  Numbers v, adjoint, t, s;
  values(x, v);
  adjoints(v, adjoint);
  for (std::size_t c = 0; c < variables_.size(); ++c) {
    second_order(v, adjoint, variables_[c], t, s);
    for (std::size_t r = c; r < variables_.size(); ++r) H(variables_[r], variables_[c]) += weight * s[at(places_[r])];
  }
}

}  // namespace pliant
