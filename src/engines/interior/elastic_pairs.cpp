#include "engines/interior/elastic_pairs.hpp"

#include <algorithm>

namespace pliant {

using interior::Steps;

void ElasticDirection::resize_pairs(Index count) {
  for (Vector* part : {&s, &v, &lambda}) part->setZero(count);
}

void ElasticPairs::resize(Index count) {
  for (Vector* part : {&s, &v, &lambda, &ceiling}) part->setZero(count);
}

double ElasticPairs::mu() const {
  if (size() == 0) return 0.0;
  return (s.dot(lambda) + v.dot(ceiling - lambda)) / (2.0 * static_cast<double>(size()));
}

double ElasticPairs::mu_after(const ElasticDirection& d, Steps t) const {
  if (size() == 0) return 0.0;
  const auto after = lambda + t.dual * d.lambda;
  double sum = (s + t.primal * d.s).dot(after) + (v + t.primal * d.v).dot(ceiling - after);
  if (d.ceiling.size() > 0) sum += t.dual * (v + t.primal * d.v).dot(d.ceiling);
  return sum / (2.0 * static_cast<double>(size()));
}

Steps ElasticPairs::longest(const ElasticDirection& d) const {
  if (d.ceiling.size() > 0) {
    const double between = interior::longest_step(ceiling - lambda, d.ceiling - d.lambda, 1.0);
    return {interior::longest_step(v, d.v, interior::longest_step(s, d.s, 1.0)),
            interior::longest_step(lambda, d.lambda, between)};
  }
  return {interior::longest_step(v, d.v, interior::longest_step(s, d.s, 1.0)),
          interior::longest_step_between(lambda, ceiling, d.lambda, 1.0)};
}

ElasticPairs::SecondOrder ElasticPairs::second_order(const ElasticDirection& p, Index k, double cap) const {
  return {std::clamp(p.s[k] * p.lambda[k], -cap, cap), std::clamp(p.v[k] * (p.lambda[k] - p.of_ceiling(k)), -cap, cap)};
}

void ElasticPairs::complete(Index k, double slope, double residual, double target_s, double target_v,
                            ElasticDirection& d) const {
  d.v[k] = (target_v - v[k] * room(k) + v[k] * (d.lambda[k] - d.of_ceiling(k))) / room(k);
  // The form that does not lose digits: primal feasibility for wide slacks, complementarity for narrow ones.
  d.s[k] =
      s[k] > lambda[k] ? -residual - slope + d.v[k] : (target_s - s[k] * lambda[k] - s[k] * d.lambda[k]) / lambda[k];
}

void ElasticPairs::move(const ElasticDirection& d, Steps t) {
  s += t.primal * d.s;
  v += t.primal * d.v;
  lambda += t.dual * d.lambda;
  if (d.ceiling.size() > 0) ceiling += t.dual * d.ceiling;
}

void ElasticPairs::raise_ceiling(Index k, double factor) {
  v[k] *= room(k) / (factor * ceiling[k] - lambda[k]);
  ceiling[k] *= factor;
}

}  // namespace pliant
