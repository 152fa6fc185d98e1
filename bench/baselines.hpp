// Published methods to compare with, on min sum_i f_i(x) + mu/2 |x|^2 s.t. g_j'x <= h_j. Not part of the library.
#pragma once

#include "pliant/problem.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pliant::bench {

/// What a baseline runs on: components of the objective, rows scaled to norm 1, and the weight of the squared norm.
class LinearlyConstrained {
 public:
  /// Throws InputError where the problem has another form.
  explicit LinearlyConstrained(const Problem& problem);

  Index dimension() const { return G_.cols(); }
  Index components() const { return static_cast<Index>(objective_.size()); }
  Index rows() const { return G_.rows(); }
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

  Eigen::Map<const Vector> g(Index j) const { return {G_.data() + j * G_.cols(), G_.cols()}; }
  double h(Index j) const { return h_[j]; }

 private:
  struct Component {
    const ObjectiveTerm* term;
    double weight;
    Index index;
    Vector row;  // empty: not a function of one number
    double target = 0.0;
  };
  std::vector<Component> objective_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> G_;
  Vector h_;
  double mu_ = 0.0;
};

/// Called now and then with the component evaluations so far; true stops.
using Watch = std::function<bool(Index evaluations, const Vector& x)>;

/// `parameter` is the one number of each method that theory leaves open; the scripts try several and keep the best.
using Baseline = void (*)(const LinearlyConstrained& problem, double parameter, Index seed, const Watch& watch);

/// Mishchenko and Richtarik 2018: SVRG on F + (w/2) sum_j dist(x, C_j)^2; parameter: w.
void quadratic_distance(const LinearlyConstrained& problem, double weight, Index seed, const Watch& watch);
/// Fercoq, Alacaoglu, Necoara, Cevher 2019, the restricted strongly convex case; parameter: factor of the first step.
void sasc_sgd(const LinearlyConstrained& problem, double factor, Index seed, const Watch& watch);
/// Chambolle, Ehrhardt, Richtarik, Schoenlieb 2018, with primal acceleration; parameter: primal-dual balance.
void spdhg(const LinearlyConstrained& problem, double balance, Index seed, const Watch& watch);

/// By name: quadratic-distance, sasc-sgd, spdhg. Throws InputError for others.
Baseline find_baseline(const std::string& name);

}  // namespace pliant::bench
