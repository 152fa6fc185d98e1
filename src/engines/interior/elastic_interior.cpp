#include "engines/interior/elastic_interior.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

using interior::Steps;

ElasticInterior::ElasticInterior(const StandardForm& form, LdlKind kind, InteriorParameters parameters)
    : form_(form),
      parameters_(parameters),
      sides_(form),
      kkt_(form.P, form.A, kind),
      linear_(form.P.nonZeros() == 0 || form.P.coeffs().isZero(0.0)) {
  const Index k = sides_.size();
  for (Vector* v : {&a_, &rp_, &weight_, &target_s_, &target_v_, &r_}) v->setZero(k);
  pairs_.resize(k);
  pairs_.ceiling.setConstant(parameters_.xi);
  for (Index i = sides_.constraints; i < k; ++i) {
    pairs_.ceiling[i] = form_.l1[sides_.place[static_cast<std::size_t>(i)]];
  }
  for (Direction* d : {&predictor_, &corrector_}) d->resize_pairs(k);
  y_ = Vector::Zero(form.rows());
}

// Diagonals of the Newton matrix from the weights W of the sides.
bool ElasticInterior::factorize_diagonals(Regularisation regularisation) {
  diagonal_x_ = Vector::Constant(form_.variables(), regularisation.x);
  sides_.of_variables([&](Index k) { diagonal_x_[sides_.place[static_cast<std::size_t>(k)]] += 1.0 / weight_[k]; });
  diagonal_y_ = Vector::Zero(form_.rows());
  sides_.of_rows([&](Index k) { diagonal_y_[sides_.place[static_cast<std::size_t>(k)]] += 1.0 / weight_[k]; });
  diagonal_y_ = diagonal_y_.cwiseInverse();
  for (const Index i : sides_.equalities) diagonal_y_[i] = regularisation.y;
  return kkt_.factorize(diagonal_x_, diagonal_y_);
}

// sign dt - W dlambda = r for every side, put into the rows of the Newton system. rhs_x_ and rhs_y_ hold those of
// the Lagrangian and of the equalities on entry.
void ElasticInterior::right_hand_sides() {
  sides_.of_variables(
      [&](Index k) { rhs_x_[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * r_[k] / weight_[k]; });
  sides_.of_rows([&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    rhs_y_[sides_.place[at]] += sides_.sign[k] * r_[k] / weight_[k] * diagonal_y_[sides_.place[at]];
  });
}

// Of a row with one side dlambda = sign dy; of one with two sides p and q, whose multipliers differ by dy,
// dlambda_p = (sign_p W_q dy - r_p - r_q)/(W_p + W_q): nothing cancels.
void ElasticInterior::recover_multipliers(Direction& d) const {
  sides_.of_rows([&](Index k) {
    const double dy = sides_.sign[k] * d.y[sides_.place[static_cast<std::size_t>(k)]];
    const Index other = sides_.partner[static_cast<std::size_t>(k)];
    d.lambda[k] = other < 0 ? dy : (weight_[other] * dy - r_[k] - r_[other]) / (weight_[k] + weight_[other]);
  });
  sides_.of_variables([&](Index k) {
    d.lambda[k] = (sides_.sign[k] * d.x[sides_.place[static_cast<std::size_t>(k)]] - r_[k]) / weight_[k];
  });
}

// A regularised least-squares solution of the optimality conditions without signs; slacks and multipliers at least of
// the size of what it leaves.
bool ElasticInterior::start() {
  const Index count = sides_.size();
  weight_.setOnes();
  r_ = sides_.offset;
  if (!factorize_diagonals({parameters_.start_regularisation, parameters_.start_regularisation})) return false;
  rhs_x_ = -form_.q;
  rhs_y_ = Vector::Zero(form_.rows());
  for (const Index i : sides_.equalities) rhs_y_[i] = form_.hi[i];
  right_hand_sides();
  Direction& d = predictor_;
  if (!kkt_.solve(rhs_x_, rhs_y_, d.x, d.y)) return false;
  recover_multipliers(d);
  x_ = d.x;
  Ax_ = form_.A * x_;
  for (const Index i : sides_.equalities) y_[i] = d.y[i];
  for (Index k = 0; k < count; ++k) a_[k] = sides_.term(k, x_, Ax_) - sides_.offset[k];
  if (count > 0) {
    const double slack = std::max(parameters_.start, a_.cwiseAbs().mean());
    const double size = std::max(parameters_.start, d.lambda.cwiseAbs().mean());
    pairs_.s = (-a_).cwiseMax(slack);
    pairs_.lambda = d.lambda.cwiseAbs().cwiseMax(size).cwiseMin(parameters_.xi_share * pairs_.ceiling);
    for (Index k = 0; k < count; ++k) {
      pairs_.v[k] = std::max(pairs_.s[k] * pairs_.lambda[k] / pairs_.room(k), parameters_.start_excess);
    }
  }
  return true;
}

// Sides that are new get a slack of the size of what x leaves or lacks, and the multiplier and the excess that mu asks for:
// what violates them is a residual that the next steps remove, as they do at the start.
void ElasticInterior::continue_from(const InteriorIterate& before, const std::vector<Index>& place) {
  x_ = before.x;
  Ax_ = form_.A * x_;
  const double mu = before.pairs.mu();
  std::vector<Index> first(static_cast<std::size_t>(form_.rows()));  // side of each row
  for (Index k = sides_.rows; k-- > 0;) first[static_cast<std::size_t>(sides_.place[static_cast<std::size_t>(k)])] = k;
  sides_.of_rows([&](Index k) {
    const double a = sides_.term(k, x_, Ax_) - sides_.offset[k];
    pairs_.s[k] = std::max(std::abs(a), parameters_.least_new_slack);
    pairs_.lambda[k] = std::min(mu / pairs_.s[k], parameters_.xi_share * pairs_.ceiling[k]);
    pairs_.v[k] = mu / pairs_.room(k);
  });
  const auto copy = [&](Index k, Index from) {
    pairs_.s[k] = before.pairs.s[from];
    pairs_.v[k] = before.pairs.v[from];
    pairs_.lambda[k] = before.pairs.lambda[from];
    pairs_.ceiling[k] = before.pairs.ceiling[from];
  };
  const auto row = [&](Index r) { return static_cast<std::size_t>(place[static_cast<std::size_t>(r)]); };
  before.sides.of_rows([&](Index from) {
    const Index k = first[row(before.sides.place[static_cast<std::size_t>(from)])];
    copy(sides_.sign[k] == before.sides.sign[from] ? k : k + 1, from);
  });
  before.sides.of_variables([&](Index from) { copy(from - before.sides.rows + sides_.rows, from); });
  for (const Index i : before.sides.equalities) y_[place[static_cast<std::size_t>(i)]] = before.y[i];
  started_ = true;
}

void ElasticInterior::evaluate() {
  InteriorResiduals& r = residuals_;
  Ax_ = form_.A * x_;
  for (Index k = 0; k < sides_.size(); ++k) a_[k] = sides_.term(k, x_, Ax_) - sides_.offset[k];
  rp_ = a_ + pairs_.s - pairs_.v;
  for (Index i = 0; i < form_.rows(); ++i) {
    if (form_.lo[i] != form_.hi[i]) y_[i] = 0.0;
  }
  sides_.of_rows([&](Index k) { y_[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * pairs_.lambda[k]; });
  const Vector Px = form_.P * x_;
  r.gradient = Px + form_.q;
  r.dual = r.gradient + form_.A.transpose() * y_;
  sides_.of_variables(
      [&](Index k) { r.dual[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * pairs_.lambda[k]; });
  r.rows = (Ax_ - form_.hi).cwiseMax(form_.lo - Ax_).cwiseMax(0.0);
  r.variables = (x_ - form_.upper).cwiseMax(form_.lower - x_).cwiseMax(0.0);
  const double l1 = form_.l1.size() > 0 ? form_.l1.dot(x_.cwiseAbs()) : 0.0;
  double constants = pairs_.lambda.dot(sides_.offset);
  for (const Index i : sides_.equalities) constants += y_[i] * form_.hi[i];
  r.objective = 0.5 * x_.dot(Px) + form_.q.dot(x_) + l1 + form_.constant;
  r.gap = x_.dot(Px) + form_.q.dot(x_) + l1 + constants;
  mu_ = pairs_.mu();
}

double ElasticInterior::farkas_ratio() const {
  double constants = pairs_.lambda.head(sides_.constraints).dot(sides_.offset.head(sides_.constraints));
  for (const Index i : sides_.equalities) constants += y_[i] * form_.hi[i];
  if (!(constants < 0.0)) return kInfinity;
  return (residuals_.dual - residuals_.gradient).lpNorm<Eigen::Infinity>() / -constants;
}

bool ElasticInterior::regularise_more() {
  const auto stronger =
      std::find_if(kRegularisations.begin(), kRegularisations.end(), [&](const Regularisation& candidate) {
        return candidate.x > parameters_.regularisation.x || candidate.y > parameters_.regularisation.y;
      });
  if (stronger == kRegularisations.end()) return false;
  parameters_.regularisation = *stronger;
  return true;
}

// The right-hand sides do not depend on the regularisation. Its part of the direction is proximal: a residual that the
// next step sees and removes, while an inaccurate direction throws the iterate off the path.
bool ElasticInterior::solve_newton(Vector& dx, Vector& dy) {
  while (!kkt_.solve_without_pivoting(rhs_x_, rhs_y_, dx, dy)) {
    if (!regularise_more()) return kkt_.solve(rhs_x_, rhs_y_, dx, dy);
    if (!factorize_diagonals(parameters_.regularisation)) return false;
  }
  return true;
}

bool ElasticInterior::solve(Direction& d) {
  for (Index k = 0; k < sides_.size(); ++k) {
    const double rs = target_s_[k] - pairs_.s[k] * pairs_.lambda[k], rv = target_v_[k] - pairs_.v[k] * pairs_.room(k);
    r_[k] = -rp_[k] - rs / pairs_.lambda[k] + rv / pairs_.room(k);
  }
  rhs_x_ = -residuals_.dual;
  rhs_y_ = Vector::Zero(form_.rows());
  for (const Index i : sides_.equalities) rhs_y_[i] = form_.hi[i] - Ax_[i];
  right_hand_sides();
  if (!solve_newton(d.x, d.y)) return false;
  recover_multipliers(d);
  d.Ax = form_.A * d.x;
  for (Index k = 0; k < sides_.size(); ++k) {
    pairs_.complete(k, sides_.term(k, d.x, d.Ax), rp_[k], target_s_[k], target_v_[k], d);
  }
  return true;
}

// LPs take separate steps: their dual residual does not depend on x.
Steps ElasticInterior::longest_steps(const Direction& d) const {
  const Steps t = pairs_.longest(d);
  return linear_ ? t : t.joined();
}

bool ElasticInterior::factorize() {
  if (!std::isfinite(mu_)) return false;
  for (Index k = 0; k < sides_.size(); ++k) {
    weight_[k] = std::min(std::max(pairs_.weight(k), parameters_.least_weight), parameters_.largest_weight);
  }
  return factorize_diagonals(parameters_.regularisation);
}

bool ElasticInterior::predict() {
  target_s_.setZero();
  target_v_.setZero();
  return solve(predictor_);
}

double ElasticInterior::centring() const {
  if (sides_.size() == 0) return 0.0;
  const double least = std::max(parameters_.least_centring, parameters_.least_mu / mu_);
  return interior::centring(pairs_.mu_after(predictor_, longest_steps(predictor_)) / mu_,
                            {.least = least, .most = kInfinity});
}

bool ElasticInterior::correct(double sigma) {
  if (sides_.size() == 0) {  // the predictor is Newton's step on a linear system
    corrector_ = predictor_;
    return true;
  }
  for (Index k = 0; k < sides_.size(); ++k) {
    const auto second = pairs_.second_order(predictor_, k, parameters_.correction_cap * mu_);
    target_s_[k] = sigma * mu_ - second.s;
    target_v_[k] = sigma * mu_ + second.v;
  }
  return solve(corrector_);
}

// The boundary is approached the closer, the smaller mu is.
bool ElasticInterior::move() {
  const double fraction =
      mu_ < 1.0 ? std::max(parameters_.boundary_fraction, 1.0 - mu_) : parameters_.boundary_fraction;
  const Steps t = interior::damped_where_stopped(longest_steps(corrector_), fraction);
  x_ += t.primal * corrector_.x;
  y_ += t.dual * corrector_.y;
  pairs_.move(corrector_, t);
  step_lengths_ = t;
  recentre();
  raise_xi();
  ++steps_;
  return true;
}

// A multiplier that fell far below mu/s would let the next step throw its slack out of all proportion.
void ElasticInterior::recentre() {
  const double mu = pairs_.mu();
  for (Index k = 0; k < sides_.size(); ++k) {
    const double least =
        std::min(parameters_.least_product * mu / pairs_.s[k], parameters_.lifted_share * pairs_.ceiling[k]);
    pairs_.lambda[k] = std::max(pairs_.lambda[k], least);
  }
}

// Without an objective there is nothing that a larger xi could outweigh.
void ElasticInterior::raise_xi() {
  if (linear_ && form_.q.isZero(0.0)) return;
  for (Index k = 0; k < sides_.constraints; ++k) {
    if (pairs_.lambda[k] > parameters_.xi_share * pairs_.ceiling[k]) pairs_.raise_ceiling(k, parameters_.xi_growth);
  }
}

bool ElasticInterior::run(FunctionRef<bool()> stop) { return (started_ || start()) && follow_path(*this, stop); }

}  // namespace pliant
