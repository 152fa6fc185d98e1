// Published methods to compare with, on min sum_i f_i(x) + mu/2 |x|^2 s.t. x in C_1, ..., C_m. Not part of the library.
#pragma once

#include "convex_sets.hpp"
#include "pliant/problem.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pliant::bench {

/// What a baseline runs on: components of the objective, constraints as sets, and the weight of the squared norm. Lasts no
/// longer than its problem.
class ConstrainedSum {
 public:
  /// Throws InputError where the problem has another form.
  explicit ConstrainedSum(const Problem& problem);

  Index dimension() const { return problem_.dimension(); }
  Index components() const { return static_cast<Index>(objective_.size()); }
  Index sets() const { return sets_.size(); }
  double mu() const { return mu_; }
  /// L_i of f_i.
  double smoothness(Index i) const;
  void add_gradient(Index i, const Vector& x, double weight, Vector& out) const;
  /// Component gradients a variance-reduced step computes: one where a snapshot keeps a number, otherwise two.
  Index cost(Index i) const { return scalar(i) ? 1 : 2; }

  /// f_i(x) = phi(a'x): the row, and argmin_z phi(z) + (z - v)^2 / (2 t).
  bool scalar(Index i) const { return objective_[static_cast<std::size_t>(i)].row.size() > 0; }
  const Vector& row(Index i) const { return objective_[static_cast<std::size_t>(i)].row; }
  double prox(Index i, double v, double t) const;

  /// out = x - nearest point of set j.
  void displacement(Index j, const Vector& x, Vector& out) const { sets_.displacement(j, x, out); }
  const Problem& problem() const { return problem_; }

 private:
  struct Component {
    const ObjectiveTerm* term;
    double weight;
    Index index;
    Vector row;  // empty: not a function of one number
    double target = 0.0;
  };
  const Problem& problem_;
  std::vector<Component> objective_;
  ConvexSets sets_;
  double mu_ = 0.0;
};

/// Called now and then with the component evaluations so far; true stops.
using Watch = std::function<bool(Index evaluations, const Vector& x)>;

/// `parameter` is the one number of each method that theory leaves open; the scripts try several and keep the best.
struct BaselineOptions {
  double parameter = 1.0;
  double xi = 1.0;  ///< weight of exact penalties
  Index seed = 0;
};
using Baseline = void (*)(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);

// Through projections onto the sets, one of them counting as one evaluation:
/// Mishchenko and Richtarik 2018: SVRG on F + (w/2) sum_j dist(x, C_j)^2; parameter: w.
void quadratic_distance(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);
/// Fercoq, Alacaoglu, Necoara, Cevher 2019, the restricted strongly convex case; parameter: factor of the first step.
void sasc_sgd(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);
/// Chambolle, Ehrhardt, Richtarik, Schoenlieb 2018, with primal acceleration; parameter: primal-dual balance.
void spdhg(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);

// Through the functions a_j, by accelerated gradients with backtracking and restarts (penalties.cpp):
/// Lan and Monteiro 2013: F + (w/2) sum_j max(0, a_j)^2, of cones the squared distance of h - Gx; parameter: w.
void quadratic_penalty(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);
/// Tatarenko and Nedic 2018, Nedic and Tatarenko 2020: F + xi sum_j h(a_j) with the one-sided Huber function h, 0 up to
/// -d, (a + d)^2/(4d) up to d, a beyond; parameter: d.
void huber_penalty(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch);

/// By name, as above with dashes. Throws InputError for others.
Baseline find_baseline(const std::string& name);

}  // namespace pliant::bench
