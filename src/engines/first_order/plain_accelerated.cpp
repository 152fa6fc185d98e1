#include "engines/first_order/plain_accelerated.hpp"

#include "engines/nesterov.hpp"

#include <cmath>
#include <utility>

namespace pliant {

PlainAccelerated::Momentum PlainAccelerated::Momentum::strongly_convex(double q) { return {std::sqrt(q), q}; }

PlainAccelerated::PlainAccelerated(const Vector& start, double smoothness, Momentum momentum)
    : smoothness_(smoothness),
      alpha_(momentum.alpha),
      q_(momentum.q),
      x_(start),
      before_(start),
      y_(start.size()),
      moved_(start.size()) {}

void PlainAccelerated::step(PenalizedFunction& phi) {
  y_ = x_ + beta_ * (x_ - before_);
  phi.evaluate(y_, at_);
  moved_ = y_ - at_.gradient / smoothness_;
  std::swap(x_, before_);
  phi.problem().prox().prox(moved_, 1.0 / smoothness_, x_);
  const double next = next_alpha(alpha_, q_);
  beta_ = momentum(alpha_, next);
  alpha_ = next;
}

}  // namespace pliant
