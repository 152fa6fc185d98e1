// Builds random problems for the path engine, each beside its raw numbers (raw_problem.hpp).
//
// `centre` is strictly feasible; the objective pulls away from it, so that rows become active.
#pragma once

#include "support/raw_problem.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pliant::testing {

class ZooBuilder {
 public:
  ZooBuilder(Random& random, Index n) : random_(random), n_(n), centre_(random.vector(n)), raw_(n) {}

  Vector& centre() { return centre_; }
  RawProblem& raw() { return raw_; }
  RawProblem take() { return std::move(raw_); }

  // ---- objectives ----

  /// 1/2 x'Px + q'x, its minimiser `reach` away from the centre; eigenvalues of P from mu to 3 or so.
  void quadratic_objective(double reach = 5.0, double mu = 0.3) {
    const Matrix B = random_.matrix(n_, n_);
    const Matrix P = B * B.transpose() / static_cast<double>(n_) + mu * Matrix::Identity(n_, n_);
    const Vector q = -P * (centre_ + reach * random_.vector(n_).normalized());
    raw_.problem.minimize(quadratic(DataMatrix::from(P), to_array(q)));
    add_smooth([=](const Vector& x, Vector& g) {
      g += P * x + q;
      return 0.5 * x.dot(P * x) + q.dot(x);
    });
  }
  void linear_objective(double size = 1.0) {
    const Vector c = size * random_.vector(n_);
    raw_.problem.minimize(linear(to_array(c)));
    add_smooth([=](const Vector& x, Vector& g) {
      g += c;
      return c.dot(x);
    });
  }
  /// (1/l) sum loss(a_i'x, y_i), loss giving value and derivative.
  template <class Make, class Loss>
  void data_objective(Index l, const Vector& y, const Make& make, const Loss& loss) {
    const Matrix A = random_.matrix(l, n_);
    raw_.problem.minimize(make(DataMatrix::from(A), to_array(y)));
    add_smooth([=](const Vector& x, Vector& g) {
      double sum = 0.0;
      for (Index i = 0; i < l; ++i) {
        const auto [value, slope] = loss(A.row(i).dot(x), y[i]);
        sum += value / static_cast<double>(l);
        g += slope / static_cast<double>(l) * A.row(i).transpose();
      }
      return sum;
    });
  }
  void least_squares_objective(Index l) {
    data_objective(
        l, 5.0 * random_.vector(l), [](DataMatrix A, Doubles b) { return least_squares(A, b); },
        [](double t, double b) { return std::pair(0.5 * (t - b) * (t - b), t - b); });
  }
  void logistic_objective(Index l) {
    const Vector y = random_.vector(l).unaryExpr([](double t) { return t > -0.5 ? 1.0 : -1.0; });
    data_objective(
        l, y, [](DataMatrix A, Doubles b) { return logistic(A, b); },
        [](double t, double s) { return std::pair(std::log1p(std::exp(-s * t)), -s / (1.0 + std::exp(s * t))); });
  }
  void huber_objective(Index l) {
    data_objective(
        l, 3.0 * random_.vector(l), [](DataMatrix A, Doubles b) { return huber(A, b, 1.0); },
        [](double t, double b) {
          const double r = t - b;
          return std::abs(r) <= 1.0 ? std::pair(0.5 * r * r, r) : std::pair(std::abs(r) - 0.5, r > 0.0 ? 1.0 : -1.0);
        });
  }

  // ---- psi ----

  void add_box(double lo, double hi) {
    raw_.lo = centre_.array() + lo;
    raw_.hi = centre_.array() + hi;
    raw_.problem.regularize(box(to_array(raw_.lo), to_array(raw_.hi)));
  }
  void add_elastic_net(double w1, double w2) {
    raw_.l1 = w1;
    raw_.l2 = w2;
    if (w1 > 0.0) raw_.problem.regularize(l1(n_, w1));
    if (w2 > 0.0) raw_.problem.regularize(l2_squared(n_, w2));
  }
  void add_simplex() {
    centre_ = random_.vector(n_).cwiseAbs().array() + 0.1;
    raw_.simplex_radius = centre_.sum();
    raw_.problem.regularize(simplex(n_, raw_.simplex_radius));
  }
  /// `copies` more rows are combinations of the others.
  void add_equalities(Index count, Index copies = 0) {
    raw_.E.resize(count + copies, n_);
    raw_.E.topRows(count) = random_.matrix(count, n_);
    if (copies > 0) raw_.E.bottomRows(copies) = random_.matrix(copies, count) * raw_.E.topRows(count);
    raw_.e = raw_.E * centre_;
    raw_.problem.equal(DataMatrix::from(raw_.E), to_array(raw_.e));
  }

  // ---- rows ----

  double slack() { return random_.uniform(0.3, 1.5); }

  Matrix rows(Index m) { return random_.matrix(m, n_); }

  /// G x <= h, h such that the centre is strictly inside.
  void linear_rows(const Matrix& G) {
    Vector h = G * centre_;
    for (Index i = 0; i < h.size(); ++i) h[i] += slack() * std::max(G.row(i).norm(), 1e-3);
    linear_rows(G, h);
  }
  void linear_rows(const Matrix& G, const Vector& h) {
    raw_.problem.subject_to(linear_le(DataMatrix::from(G), to_array(h)));
    raw_.batches.push_back([=](const Vector& x, const Vector& duals, Vector& gradient) {
      const Vector a = G * x - h;
      gradient += G.transpose() * duals;
      return RawRows{a.maxCoeff(), a.cwiseProduct(duals).lpNorm<1>()};
    });
  }
  /// lo <= G x <= hi; some sides infinite.
  void range_rows(Index m) {
    const Matrix G = rows(m);
    Vector lo = G * centre_, hi = lo;
    for (Index i = 0; i < m; ++i) {
      lo[i] = i % 5 == 1 ? -kInfinity : lo[i] - slack() * G.row(i).norm();
      hi[i] = i % 5 == 3 ? kInfinity : hi[i] + slack() * G.row(i).norm();
    }
    raw_.problem.subject_to(linear_range(to_array(lo), DataMatrix::from(G), to_array(hi)));
    raw_.batches.push_back([=](const Vector& x, const Vector& duals, Vector& gradient) {
      const Vector z = G * x;
      gradient += G.transpose() * duals;
      RawRows out;
      for (Index i = 0; i < z.size(); ++i) {
        out.violation = std::max({out.violation, z[i] - hi[i], lo[i] - z[i]});
        if (duals[i] > 0.0) out.complementarity += duals[i] * std::abs(z[i] - hi[i]);
        if (duals[i] < 0.0) out.complementarity -= duals[i] * std::abs(z[i] - lo[i]);
      }
      return out;
    });
  }

  enum class Form { dense, low_rank, diagonal, callback, callback_with_constants };
  /// 1/2 x'P_i x + q_i'x + r_i <= 0, negative at the centre; `flat` makes the gradient vanish there.
  void quadratic_rows(Index m, Form form, double scale = 1.0, bool flat = false) {
    const Index rank = 2;
    auto P = std::make_shared<std::vector<Matrix>>();
    auto q = std::make_shared<std::vector<Vector>>();
    auto r = std::make_shared<std::vector<double>>();
    std::vector<double> forms, linear_parts;
    for (Index i = 0; i < m; ++i) {
      Matrix Pi;
      if (form == Form::diagonal) {
        const Vector d = random_.vector(n_).cwiseAbs();
        Pi = d.asDiagonal();
        forms.insert(forms.end(), d.begin(), d.end());
      } else {
        const Matrix B = random_.matrix(form == Form::low_rank ? rank : n_, n_) / std::sqrt(static_cast<double>(n_));
        Pi = B.transpose() * B;
        if (form == Form::low_rank) {
          for (Index k = 0; k < rank; ++k) forms.insert(forms.end(), B.row(k).begin(), B.row(k).end());
        } else {
          Pi = scale * 0.5 * (Pi + Pi.transpose().eval());
          forms.insert(forms.end(), Pi.reshaped().begin(), Pi.reshaped().end());
        }
      }
      const Vector slope = flat ? Vector::Zero(n_).eval() : Vector(scale * random_.vector(n_));
      q->push_back(slope - Pi * centre_);
      r->push_back(-scale * 2.0 * slack() - 0.5 * centre_.dot(Pi * centre_) - q->back().dot(centre_));
      P->push_back(std::move(Pi));
      linear_parts.insert(linear_parts.end(), q->back().begin(), q->back().end());
    }
    raw_.problem.subject_to(make_quadratic(m, rank, form, forms, linear_parts, P, q, r));
    raw_.batches.push_back([=](const Vector& x, const Vector& duals, Vector& gradient) {
      RawRows out;
      for (Index i = 0; i < m; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double a = 0.5 * x.dot((*P)[k] * x) + (*q)[k].dot(x) + (*r)[k];
        gradient += duals[i] * ((*P)[k] * x + (*q)[k]);
        out.violation = std::max(out.violation, a);
        out.complementarity += std::abs(a * duals[i]);
      }
      return out;
    });
  }
  /// ln sum exp(A_i x + b_i) <= 0
  void log_sum_exp_rows(Index m, Index terms = 3) {
    const Matrix A = random_.matrix(m * terms, n_);
    Vector b = random_.vector(m * terms);
    const auto value = [terms](const auto& z) {
      return std::log((z.array() - z.maxCoeff()).exp().sum()) + z.maxCoeff();
    };
    for (Index i = 0; i < m; ++i) {
      const Vector z = A.middleRows(i * terms, terms) * centre_ + b.segment(i * terms, terms);
      b.segment(i * terms, terms).array() -= value(z) + 2.0 * slack();
    }
    const Matrix transposed = A.transpose();  // row after row
    raw_.problem.subject_to(
        log_sum_exp_le(Tensor({m, terms, n_}, to_array(transposed.reshaped())), Tensor({m, terms}, to_array(b))));
    raw_.batches.push_back([=](const Vector& x, const Vector& duals, Vector& gradient) {
      RawRows out;
      for (Index i = 0; i < m; ++i) {
        const Vector z = A.middleRows(i * terms, terms) * x + b.segment(i * terms, terms);
        const double a = value(z);
        gradient += duals[i] * A.middleRows(i * terms, terms).transpose() * (z.array() - a).exp().matrix();
        out.violation = std::max(out.violation, a);
        out.complementarity += std::abs(a * duals[i]);
      }
      return out;
    });
  }

 private:
  template <class F>
  void add_smooth(const F& f) {
    const auto before = raw_.smooth;
    raw_.smooth = [=](const Vector& x, Vector& g) { return f(x, g) + (before ? before(x, g) : 0.0); };
  }

  using Matrices = std::shared_ptr<std::vector<Matrix>>;
  using Vectors = std::shared_ptr<std::vector<Vector>>;
  using Numbers = std::shared_ptr<std::vector<double>>;

  BatchPtr make_quadratic(Index m, Index rank, Form form, const std::vector<double>& forms,
                          const std::vector<double>& linear_parts, const Matrices& P, const Vectors& q,
                          const Numbers& r) const {
    if (form == Form::dense) return quadratic_le(Tensor({m, n_, n_}, forms), Tensor({m, n_}, linear_parts), *r);
    if (form == Form::low_rank)
      return quadratic_lowrank_le(Tensor({m, rank, n_}, forms), Tensor({m, n_}, linear_parts), *r);
    if (form == Form::diagonal) return quadratic_diagonal_le(Tensor({m, n_}, forms), Tensor({m, n_}, linear_parts), *r);
    CallbackFunctions f;
    f.values = [=](ConstVectorRef x, Rows which, VectorRef a) {
      for (Index k = 0; k < which.size(); ++k) {
        const auto i = static_cast<std::size_t>(which[k]);
        a[k] = 0.5 * x.dot((*P)[i] * x) + (*q)[i].dot(x) + (*r)[i];
      }
    };
    f.jacobian = [=](ConstVectorRef x, Rows which, MatrixRef J) {
      for (Index k = 0; k < which.size(); ++k) {
        const auto i = static_cast<std::size_t>(which[k]);
        J.row(k) = ((*P)[i] * x + (*q)[i]).transpose();
      }
    };
    f.hessian = [=](ConstVectorRef, ConstVectorRef w, Rows which, MatrixRef H) {
      H.setZero();
      for (Index k = 0; k < which.size(); ++k) H += w[k] * (*P)[static_cast<std::size_t>(which[k])];
    };
    if (form == Form::callback) return callback_le(m, n_, f);
    RowConstants constants;  // |P|_F bounds the curvature; no growth condition is claimed
    constants.smoothness.resize(m);
    for (Index i = 0; i < m; ++i) constants.smoothness[i] = (*P)[static_cast<std::size_t>(i)].norm();
    constants.growth_constant = Vector::Constant(m, kInfinity);
    constants.growth_slope = Vector::Zero(m);
    constants.growth_global = false;
    return callback_le(m, n_, f, constants);
  }

  Random& random_;
  Index n_;
  Vector centre_;
  RawProblem raw_;
};

}  // namespace pliant::testing
