// The pairs of an elastic path: for every row a <= 0 a slack s, an excess v and a multiplier 0 <= lambda <= xi with
//
//   a + s - v = 0,   s lambda -> t_s,   v (xi - lambda) -> t_v,
//
// the interior-point path of the exact penalty xi max(0, a). Dense working sets (path/elastic_newton.hpp) and whole
// sparse programs (elastic_interior.hpp) differ in their linear algebra only; what they do with pairs stands here.
#pragma once

#include "engines/interior/steps.hpp"

namespace pliant {

struct ElasticDirection {
  Vector s, v, lambda;
  Vector ceiling = {};  ///< empty: ceilings stay

  void resize_pairs(Index count);
  double of_ceiling(Index k) const { return ceiling.size() > 0 ? ceiling[k] : 0.0; }
};

struct ElasticPairs {
  /// By what xi grows where a multiplier comes near it: in few steps to any size, without a jump that ruins mu.
  static constexpr double kUsualGrowth = 10.0;

  Vector s, v, lambda;
  Vector ceiling;  ///< xi of every pair

  void resize(Index count);
  Index size() const { return s.size(); }
  double room(Index k) const { return ceiling[k] - lambda[k]; }
  /// W = s/lambda + v/(xi - lambda): linearised, the pair of a row reads da - W dlambda = r.
  double weight(Index k) const { return s[k] / lambda[k] + v[k] / room(k); }

  /// Mean of all products s lambda and v (xi - lambda); 0 without pairs.
  double mu() const;
  /// The same after a step.
  double mu_after(const ElasticDirection& d, interior::Steps t) const;
  /// The longest steps <= 1 that keep s, v (primal) and lambda, xi - lambda (dual) nonnegative.
  interior::Steps longest(const ElasticDirection& d) const;

  /// Products of second order of pair k along a predictor, clipped to [-cap, cap]: targets become t - s and t + v.
  struct SecondOrder {
    double s, v;
  };
  SecondOrder second_order(const ElasticDirection& predictor, Index k, double cap) const;
  /// ds and dv of pair k from dlambda, the slope da, the residual a + s - v and the targets of both products.
  void complete(Index k, double slope, double residual, double target_s, double target_v, ElasticDirection& d) const;
  void move(const ElasticDirection& d, interior::Steps t);
  /// xi of pair k grows by a factor; v shrinks such that v (xi - lambda) stays.
  void raise_ceiling(Index k, double factor);
};

}  // namespace pliant
