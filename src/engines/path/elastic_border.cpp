#include "engines/path/elastic_border.hpp"

#include "engines/interior/steps.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

double ElasticBorder::excess(const Vector& x, const Vector& a, const Vector& prices) const {
  double sum = budget_->gradient.dot(x) + budget_->constant;
  for (Index i = 0; i < prices.size(); ++i) {
    if (prices[i] < kInfinity) sum += prices[i] * std::max(a[i], 0.0);
  }
  return sum;
}

double ElasticBorder::size(const Vector& x) const {
  return std::abs(budget_->constant) + budget_->gradient.cwiseAbs().dot(x.cwiseAbs());
}

void ElasticBorder::start(const Vector& x, const Vector& a, const Vector& prices, double product) {
  slack_ = std::max(-excess(x, a, prices), product / budget_->theta);
}

void ElasticBorder::measure(const Vector& x, const ElasticPairs& pairs, const Vector& prices) {
  residual_ = budget_->gradient.dot(x) + budget_->constant + slack_;
  for (Index i = 0; i < prices.size(); ++i) {
    if (prices[i] < kInfinity) residual_ += prices[i] * pairs.v[i];
  }
}

const Vector& ElasticBorder::weigh(const ElasticPairs& pairs, const Vector& prices, const Vector& weight) {
  u_.setZero(weight.size());
  weights_.setZero(weight.size());
  corner_ = -slack_ / budget_->theta;
  for (Index i = 0; i < prices.size(); ++i) {
    if (!(prices[i] < kInfinity)) continue;
    u_[i] = pairs.v[i] * prices[i] / pairs.room(i);
    weights_[i] = weight[i] * u_[i];
    // u/W - w = -w (s/lambda) / W: no difference of equal numbers.
    corner_ -= u_[i] * prices[i] * weight[i] * pairs.s[i] / pairs.lambda[i];
  }
  return weights_;
}

bool ElasticBorder::eliminate(DenseKkt& kkt, const Vector& column) {
  column_ = column;
  zero_.setZero(kkt.equalities());
  return kkt.solve(column_, zero_, inverse_, inverse_y_);
}

void ElasticBorder::set_side(const ElasticPairs& pairs, const Vector& prices, const Vector& weight, const Vector& b,
                             double target, const Vector& targets_v) {
  side_ = -residual_ - target / budget_->theta + slack_;
  for (Index i = 0; i < prices.size(); ++i) {
    if (!(prices[i] < kInfinity)) continue;
    side_ -= prices[i] * (targets_v[i] / pairs.room(i) - pairs.v[i]) + u_[i] * b[i] * weight[i];
  }
}

double ElasticBorder::complete(Vector& dx, Vector& dy) {
  const double dtheta = (side_ - column_.dot(dx)) / (corner_ - column_.dot(inverse_));
  dx -= dtheta * inverse_;
  dy -= dtheta * inverse_y_;
  return dtheta;
}

double ElasticBorder::complete_refined(const Vector& dx, double dtheta, Vector& more_x, Vector& more_y) {
  const double left = side_ - column_.dot(dx) - corner_ * dtheta;
  const double more = (left - column_.dot(more_x)) / (corner_ - column_.dot(inverse_));
  more_x -= more * inverse_;
  more_y -= more * inverse_y_;
  return more;
}

void ElasticBorder::set_step(double dtheta, double target) {
  dtheta_ = dtheta;
  dslack_ = (target - slack_ * budget_->theta - slack_ * dtheta) / budget_->theta;
}

double ElasticBorder::longest() const {
  return interior::longest_step(budget_->theta, dtheta_, interior::longest_step(slack_, dslack_, 1.0));
}

void ElasticBorder::move(double length) {
  budget_->theta += length * dtheta_;
  slack_ += length * dslack_;
  residual_ *= 1.0 - length;
}

}  // namespace pliant
