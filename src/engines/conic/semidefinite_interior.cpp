#include "engines/conic/semidefinite_interior.hpp"

#include "linalg/dense_blocks.hpp"
#include "linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double inner(const Matrix& A, const Matrix& B) { return A.cwiseProduct(B).sum(); }

}  // namespace

SemidefiniteInterior::SemidefiniteInterior(const SemidefiniteForm& form, SemidefiniteParameters parameters)
    : form_(form), parameters_(parameters), rank_(form.rank()) {
  start();
}

void SemidefiniteInterior::restart_orthogonally() {
  orthogonal_.emplace(form_);
  start();
}

// Multiples of the identity that dominate the data: L = max(10, sqrt k, sqrt k max (1 + |c_i|)/(1 + |F_i|)),
// S = max(10, sqrt k, max |F_i|, |F0|), per block, k its order.
void SemidefiniteInterior::start() {
  const Index n = form_.variables();
  x_ = Vector::Zero(n);
  for (std::vector<Matrix>* of_blocks : {&S_, &L_, &S_factor_, &L_factor_}) of_blocks->clear();
  double F0_squares = form_.b.squaredNorm();
  const auto sizes = [&](Index order, const Vector& squares, double F0) {
    const double root = std::sqrt(static_cast<double>(order));
    double ratio = 0.0;
    for (Index i = 0; i < n; ++i) ratio = std::max(ratio, (1.0 + std::abs(form_.c[i])) / (1.0 + std::sqrt(squares[i])));
    return std::pair{std::max({parameters_.least_start, root, root * ratio}),
                     std::max({parameters_.least_start, root, std::sqrt(squares.maxCoeff()), F0})};
  };
  for (const SemidefiniteBlock& block : form_.blocks) {
    Vector squares = Vector::Zero(n);
    for (std::size_t k = 0; k < block.variables.size(); ++k) {
      for (Index p = block.starts[k]; p < block.starts[k + 1]; ++p) {
        const auto& e = block.entries[static_cast<std::size_t>(p)];
        squares[block.variables[k]] += (e.row == e.column ? 1.0 : 2.0) * e.value * e.value;
      }
    }
    const auto [multiplier, slack] = sizes(block.order, squares, block.F0.norm());
    L_.emplace_back(multiplier * Matrix::Identity(block.order, block.order));
    S_.emplace_back(slack * Matrix::Identity(block.order, block.order));
    L_factor_.emplace_back(std::sqrt(multiplier) * Matrix::Identity(block.order, block.order));
    S_factor_.emplace_back(std::sqrt(slack) * Matrix::Identity(block.order, block.order));
    F0_squares += block.F0.squaredNorm();
  }
  Vector squares = Vector::Zero(n);
  for (Index p = 0; p < form_.A.nonzeros(); ++p) squares[form_.A.columns()[p]] += std::pow(form_.A.values()[p], 2);
  const auto [multiplier, slack] = sizes(form_.b.size(), squares, form_.b.norm());
  l_ = Vector::Constant(form_.b.size(), multiplier);
  s_ = Vector::Constant(form_.b.size(), slack);
  F0_norm_ = std::sqrt(F0_squares);
  const std::size_t blocks = form_.blocks.size();
  Rp_.resize(blocks);
  inverse_.resize(blocks);
  carried_.resize(blocks);
  bent_.resize(blocks);
  for (Direction* d : {&predictor_, &corrector_}) {
    d->S.resize(blocks);
    d->L.resize(blocks);
  }
}

void SemidefiniteInterior::evaluate() {
  rp_ = form_.b - form_.rows_times(x_) + s_;
  Vector products = Vector::Zero(form_.variables());
  form_.add_rows_transposed(l_, products);
  double residual = rp_.squaredNorm(), complementarity = s_.dot(l_);
  dual_objective_ = form_.b.dot(l_);
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    const SemidefiniteBlock& block = form_.blocks[b];
    Rp_[b] = block.F0 + S_[b];
    block.add_combination(-x_, Rp_[b]);
    block.add_products(L_[b], products);
    residual += Rp_[b].squaredNorm();
    complementarity += inner(S_[b], L_[b]);
    dual_objective_ += inner(block.F0, L_[b]);
  }
  rd_ = form_.c - products;
  primal_residual_ = std::sqrt(residual);
  primal_objective_ = form_.c.dot(x_);
  mu_ = rank_ > 0 ? complementarity / static_cast<double>(rank_) : 0.0;
}

SemidefiniteInterior::Steps SemidefiniteInterior::longest(const Direction& d) const {
  Steps t{interior::longest_step(s_, d.s, kInfinity), interior::longest_step(l_, d.l, kInfinity)};
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    t.primal = std::min(t.primal, interior::longest_matrix_step(S_factor_[b], d.S[b]));
    t.dual = std::min(t.dual, interior::longest_matrix_step(L_factor_[b], d.L[b]));
  }
  return t;
}

double SemidefiniteInterior::mu_after(const Direction& d, Steps t) const {
  double sum = (s_ + t.primal * d.s).dot(l_ + t.dual * d.l);
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    sum += inner(S_[b], L_[b]) + t.primal * inner(d.S[b], L_[b]) + t.dual * inner(S_[b], d.L[b]) +
           t.primal * t.dual * inner(d.S[b], d.L[b]);
  }
  return sum / static_cast<double>(rank_);
}

void SemidefiniteInterior::advance(const std::vector<Matrix>& dZ, const Vector& dz, double& step,
                                   std::vector<Matrix>& Z, std::vector<Matrix>& factors, Vector& z) const {
  for (int k = 0; k <= parameters_.most_backtracks; ++k, step *= parameters_.backtracking) {
    bool definite = z.size() == 0 || (z + step * dz).minCoeff() > 0.0;
    std::vector<Matrix> next(Z.size());
    for (std::size_t b = 0; definite && b < Z.size(); ++b) {
      next[b] = Z[b] + step * dZ[b];
      definite = cholesky_in_place(next[b]);
    }
    if (!definite) continue;
    for (std::size_t b = 0; b < Z.size(); ++b) Z[b] += step * dZ[b];
    factors = std::move(next);
    z += step * dz;
    return;
  }
  step = 0.0;
}

bool SemidefiniteInterior::predict() {
  if (orthogonal_) {
    orthogonal_->direct(here(), 0.0, nullptr, predictor_);
  } else {
    direct(0.0, nullptr, predictor_);
  }
  return predictor_.x.allFinite();
}

double SemidefiniteInterior::centring() const {
  const SemidefiniteParameters& c = parameters_;
  const Steps t = interior::damped(longest(predictor_), c.predictor_fraction);
  const double power = std::max(1.0, interior::CentringRule::kPower * t.shorter() * t.shorter());
  const bool infeasible = primal_residual_ > c.feasible * (1.0 + F0_norm_);
  const bool short_step = infeasible && t.shorter() < c.short_step;
  const double least = short_step ? std::max(c.short_step_centring, c.least_centring) : c.least_centring;
  return interior::centring(mu_after(predictor_, t) / mu_, {.least = least, .power = power});
}

bool SemidefiniteInterior::correct(double sigma) {
  if (orthogonal_) {
    orthogonal_->direct(here(), sigma * mu_, &predictor_, corrector_);
  } else {
    direct(sigma * mu_, &predictor_, corrector_);
    refine(corrector_);
  }
  return corrector_.x.allFinite();
}

bool SemidefiniteInterior::move() {
  Steps t = interior::damped(longest(corrector_), parameters_.boundary_fraction);
  advance(corrector_.S, corrector_.s, t.primal, S_, S_factor_, s_);
  x_ += t.primal * corrector_.x;
  advance(corrector_.L, corrector_.l, t.dual, L_, L_factor_, l_);
  step_lengths_ = t;
  ++steps_;
  return std::max(t.primal, t.dual) >= parameters_.least_step;
}

double SemidefiniteInterior::infeasibility_ratio() const {
  if (!(dual_objective_ > 0.0)) return kInfinity;
  return (form_.c - rd_).norm() / dual_objective_;
}

// L - sym(L (sum y_i F_i) S^-1) with H y = <F_i, L>: a small change where these products are small, and one that stays
// away from the boundary of the cone, where S^-1 is large only along what L hardly has.
std::optional<SemidefiniteInterior::Multiplier> SemidefiniteInterior::balanced_multiplier() {
  if (!factorize_matrix()) return std::nullopt;
  Multiplier out{L_, l_};
  for (int round = 0; round < parameters_.balancings; ++round) {
    Vector products = Vector::Zero(form_.variables());
    form_.add_rows_transposed(out.diagonal, products);
    for (std::size_t b = 0; b < form_.blocks.size(); ++b) form_.blocks[b].add_products(out.blocks[b], products);
    const Vector y = solve(products);
    out.diagonal -= form_.rows_times(y).cwiseProduct(l_).cwiseQuotient(s_);
    Matrix moved, change;
    for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
      Matrix F = Matrix::Zero(form_.blocks[b].order, form_.blocks[b].order);
      form_.blocks[b].add_combination(y, F);
      respond(b, F, moved, change);
      out.blocks[b] -= change;
    }
  }
  return out;
}

bool SemidefiniteInterior::recedes(double margin) const {
  const Vector rows = form_.rows_times(x_);
  if (rows.size() > 0 && rows.minCoeff() < -margin) return false;
  for (const SemidefiniteBlock& block : form_.blocks) {
    Matrix F = margin * Matrix::Identity(block.order, block.order);
    block.add_combination(x_, F);
    if (!cholesky_in_place(F)) return false;
  }
  return true;
}

}  // namespace pliant
