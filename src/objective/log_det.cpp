#include "objective/log_det.hpp"

#include "linalg/rounding.hpp"
#include "parallel/parallel.hpp"
#include "pliant/objectives.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// X = LL' and -log det X: +infinity if X is not positive definite, NaN if it contains one.
class Factor {
 public:
  explicit Factor(ConstVectorRef x) : llt_(smat(x)) {
    if (x.hasNaN()) {
      value_ = kNan;
    } else if (llt_.info() == Eigen::Success) {
      value_ = -2.0 * llt_.matrixLLT().diagonal().array().log().sum();
    }
    if (value_ == -kInfinity) value_ = kNan;  // an infinite entry of X
  }

  double value() const { return value_; }
  bool inside() const { return std::isfinite(value_); }
  Matrix inverse() const { return llt_.solve(Matrix::Identity(llt_.rows(), llt_.rows())); }
  /// Ascending eigenvalues of L^-1 D L^-T.
  Vector relative_eigenvalues(const Matrix& D) const {
    Matrix S = llt_.matrixL().solve(D);
    S = llt_.matrixL().solve(S.transpose()).eval();
    return Eigen::SelfAdjointEigenSolver<Matrix>(S, Eigen::EigenvaluesOnly).eigenvalues();
  }

 private:
  Eigen::LLT<Matrix> llt_;
  double value_ = kInfinity;
};

double largest_step(const Vector& eigenvalues) { return eigenvalues[0] < 0.0 ? -1.0 / eigenvalues[0] : kInfinity; }

}  // namespace

LogDetTerm::LogDetTerm(Index order) : order_(order) {
  if (order < 1) throw InputError(fmt::format("log_det: order: expected at least 1, got {}", order));
}

Index LogDetTerm::dimension() const { return svec_size(order_); }

double LogDetTerm::value(ConstVectorRef x) const { return Factor(x).value(); }

double LogDetTerm::add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const {
  const Factor factor(x);
  if (factor.inside()) {
    add_svec(factor.inverse(), -weight, gradient);
  } else {
    gradient.setConstant(kNan);
  }
  return factor.value();
}

// Entry of svec positions a = (i, j), b = (k, l): s_a s_b/2 (V_ik V_jl + V_il V_jk), s = svec_scale.
void LogDetTerm::add_hessian(ConstVectorRef x, double weight, MatrixRef H) const {
  const Factor factor(x);
  if (!factor.inside()) {
    H.triangularView<Eigen::Lower>().setConstant(kNan);
    return;
  }
  const Matrix V = factor.inverse();
  const Index p = order_;
  // Matrix columns l own the svec positions (k, l), k >= l; each is written by one thread.
  const auto columns_of = [&](Index, Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const Index first = l * p - l * (l - 1) / 2;
      for (Index k = l; k < p; ++k) {
        const Index b = first + (k - l);
        const double scale = 0.5 * weight * svec_scale(k, l);
        for_each_svec_entry(p, [&](Index a, Index i, Index j) {
          if (a >= b) H(a, b) += scale * svec_scale(i, j) * (V(i, k) * V(j, l) + V(i, l) * V(j, k));
        });
      }
    }
  };
  constexpr Index kProducts = 4;  // of an entry, beside the read of it: that is what threads share out
  const Index work = (1 + kProducts) * dimension() * dimension() * static_cast<Index>(sizeof(double));
  parallel::for_chunks(parallel::make_chunks(p, work, p), columns_of);
}

double LogDetTerm::max_step(ConstVectorRef x, ConstVectorRef d) const {
  const Factor factor(x);
  return factor.inside() ? largest_step(factor.relative_eigenvalues(smat(d))) : 0.0;
}

void LogDetTerm::prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const {
  const Factor factor(x);
  line.c0 = factor.value();
  line.inner_d.resize(0);
  line.max_step = 0.0;
  if (!factor.inside()) return;
  line.inner_d = factor.relative_eigenvalues(smat(d));
  line.max_step = largest_step(line.inner_d);
}

LinePoint LogDetTerm::line_point(ObjectiveLine& line, double t) const {
  const auto factors = 1.0 + t * line.inner_d.array();
  if (std::isfinite(line.c0) && factors.minCoeff() > 0.0) {
    return {line.c0 - (t * line.inner_d.array()).log1p().sum(), -(line.inner_d.array() / factors).sum()};
  }
  if (std::isnan(line.c0) || line.inner_d.hasNaN() || std::isnan(t)) return {kNan, kNan};
  return {kInfinity, t < 0.0 ? -kInfinity : kInfinity};
}

double LogDetTerm::component_value(Index, ConstVectorRef x) const { return value(x); }

void LogDetTerm::add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const {
  add_gradient(x, weight, gradient);
}

// -log det is logarithmically homogeneous of degree p.
std::optional<LinearMinimum> LogDetTerm::minimum_with(ConstVectorRef g) const {
  const Factor factor(g);
  const double degree = static_cast<double>(order_);
  return LinearMinimum{factor.inside() ? degree - factor.value() : -kInfinity, degree};
}

namespace {

// -log det and the inverse of the exact X behind x, with what they may be off by, for every X + E with |E_ij| <= slack.
// LL' = X + E for the computed L with |E| <= gamma_{p+1} |L||L|', and two roundings per entry for the division by sqrt(2).
// With V near X^-1 and R = I - XV: |X^-1 - V|_F <= |V|_F |R|/(1 - |R|). With eta = |X^-1||E| < 1/4, by
// log(1 + a) >= a - a^2: |log det(X + E) - log det X| <= sum |V_ij||E_ij| + 2 p eta^2.
struct VerifiedLogDet {
  double value = kInfinity, value_error = kInfinity, inverse_norm = kInfinity, inverse_error = kInfinity;

  VerifiedLogDet(ConstVectorRef x, ConstVectorRef slack) {
    constexpr double kSmall = 0.25;
    const Matrix X = smat(x);
    const Index p = X.rows();
    const double size = static_cast<double>(p);
    const Eigen::LLT<Matrix> llt(X);
    if (!x.allFinite() || llt.info() != Eigen::Success) return;
    const Matrix L = llt.matrixL();
    const Vector logs = L.diagonal().array().log();
    const Matrix V = llt.solve(Matrix::Identity(p, p));
    const double norm = X.norm(), inverse = V.norm();
    const double residual = (Matrix::Identity(p, p) - X * V).norm() + rounding_error(size + 4.0, norm * inverse + size);
    if (!(residual < kSmall) || !logs.allFinite()) return;
    inverse_norm = inverse;
    inverse_error = kInflation * inverse * residual / (1.0 - residual);
    const Matrix E =
        kInflation * (smat(slack) + gamma_of(size + 4.0) * (L.cwiseAbs() * L.cwiseAbs().transpose() + X.cwiseAbs()));
    const double eta = kInflation * (inverse + inverse_error) * E.norm();
    if (!(eta < kSmall)) return;
    value = -2.0 * logs.sum();
    const double first = (V.cwiseAbs().array() + inverse_error).matrix().cwiseProduct(E).sum();
    value_error =
        rounding_error(size + 8.0, 2.0 * logs.cwiseAbs().sum() + size) + kInflation * (first + 2.0 * size * eta * eta);
  }
};

}  // namespace

std::optional<LinearMinimum> LogDetTerm::minimum_within(ConstVectorRef g, ConstVectorRef slack) const {
  const VerifiedLogDet at(g, slack);
  const double degree = static_cast<double>(order_);
  if (!std::isfinite(at.value_error)) return LinearMinimum{-kInfinity, degree};
  return LinearMinimum{rounded_down(degree - at.value - at.value_error), degree};
}

// Errors known as such, in units of the roundoff: rounding_length() is 1.
double LogDetTerm::add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const {
  const VerifiedLogDet at(x, Vector::Zero(x.size()));
  gradient_sizes.array() += weight * std::numbers::sqrt2 * (at.inverse_norm + at.inverse_error / kUnitRoundoff);
  return std::abs(at.value) + at.value_error / kUnitRoundoff;
}

TermPtr log_det(Index order) { return std::make_shared<LogDetTerm>(order); }

}  // namespace pliant
