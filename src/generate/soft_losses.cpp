// Sums of positive parts: quantile and absolute regression, soft-margin support vector machines, CVaR portfolios.
#include "constraints/linear.hpp"
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace pliant::generation {
namespace {

// Student's t with as many degrees of freedom, from the first numbers of a stream: N / sqrt(chi^2 / freedom).
template <int freedom>
double student(const random::Stream& stream) {
  Eigen::Matrix<double, freedom + 1, 1> z;
  stream.normals(z.data(), freedom + 1);
  return z[0] / std::sqrt(z.template tail<freedom>().squaredNorm() / freedom);
}

// A soft row for every row of G: weight * max(0, g_i'x - h_i). The numbers may not exist yet.
void add_soft_rows(Problem& problem, const Parameters& p, const NumberRows& G, const NumberRows& h, double weight) {
  const NumberRows weights = column(p, p.m(), [weight](Index) { return weight; });
  problem.minimize(
      SoftRows{finite_linear_le(DataMatrix::dense(p.m(), problem.dimension(), G.share()), h.share()), weights.share()});
}

/// b_i of a sample with the regressors a_i.
using Target = std::function<double(Index i, Eigen::Map<const Vector> a)>;

// The sums over all samples of (a_i, b_i).
Vector sums_of(const NumberRows& A, const Target& target, Index m, Index n) {
  Vector sums = Vector::Zero(n + 1);
  parallel::reduce_chunks(
      parallel::make_chunks(m, m * (n + 1) * Index{sizeof(double)}, kMaxRowChunks), n + 1,
      [&](Index, Index begin, Index end, double* partial) {
        for (Index i = begin; i < end; ++i) {
          const auto a = as_vector(A.row(i), n);
          as_vector(partial, n) += a;
          partial[n] += target(i, a);
        }
      },
      sums.data());
  return sums;
}

// Rows (1, N(0,1), ...): the first coefficient is the level.
NumberRows regressors(const Parameters& p) {
  return NumberRows(p, p.m(), p.n(), [stream = p.stream(Label::rows), n = p.n()](Index i, double* row) {
    stream.row(i).normals(row, n);
    row[0] = 1.0;
  });
}

// scale (1/m) sum rho_tau(b_i - a_i'x) as one soft row per sample: rho_tau(r) = tau r + max(0, -r). The sums of the
// first parts are one linear term.
Problem regression(const Parameters& p, double tau, double scale, const Target& target) {
  const Index n = p.n(), m = p.m();
  Problem problem(n);
  if (m == 0) {
    problem.minimize(linear(to_array(Vector::Zero(n))));
    return problem;
  }
  if (m < n) {  // the linear term, rounded, would pull along directions in which no row moves
    throw InputError(fmt::format("m: expected at least n = {} samples, got {}", n, m));
  }
  const NumberRows A = regressors(p);
  const NumberRows b = column(p, m, [=](Index i) { return target(i, as_vector(A.row(i), n)); });
  const double weight = scale / static_cast<double>(m);
  const Vector sums = sums_of(A, target, m, n);
  problem.minimize(linear(to_array(-tau * weight * sums.head(n)), tau * weight * sums[n]));
  add_soft_rows(problem, p, A, b, weight);
  return problem;
}

constexpr int kFreedom = 3;  // of the noise of regressions: the variance exists, the third moment does not

// b_i = a_i'w + (1 + 0.3 |a_i1|) t_i, w ~ N(0, I), t_i Student's t with three degrees of freedom.
Problem quantile_regression(const Parameters& p) {
  constexpr double kSpread = 0.3;
  const Index n = p.n();
  const Vector w = normal_vector(p.stream(Label::planted_point), n);
  const auto target = [=, noise = p.stream(Label::noise)](Index i, Eigen::Map<const Vector> a) {
    const double size = 1.0 + (n > 1 ? kSpread * std::abs(a[1]) : 0.0);
    return a.dot(w) + size * student<kFreedom>(noise.row(i));
  };
  return regression(p, p.real("tau"), 1.0, target);
}

// b_i = a_i'w + t_i, and for a share of the samples 50 (1 + U) more: gross errors, all to one side.
Problem absolute_regression(const Parameters& p) {
  constexpr double kGross = 50.0;
  constexpr double kMedian = 0.5;  // |r| = 2 rho_{1/2}(r)
  const Vector w = normal_vector(p.stream(Label::planted_point), p.n());
  const auto target = [=, noise = p.stream(Label::noise), errors = p.stream(Label::targets),
                       share = p.real("outliers")](Index i, Eigen::Map<const Vector> a) {
    const random::Stream error = errors.row(i);
    const double gross = error.uniform(0) < share ? kGross * error.uniform(1, 1.0, 2.0) : 0.0;
    return a.dot(w) + student<kFreedom>(noise.row(i)) + gross;
  };
  return regression(p, kMedian, 2.0, target);
}

// min 1/2 |w|^2 + intercept/2 w_n^2 + (C/m) sum max(0, 1 - y_i a_i'(w, w_n)): points N(0, I) with a 1 behind them,
// labels y_i = sign(a_i'w0 + 0.7 sqrt(n) N(0,1)), so that the classes overlap.
Problem soft_margin(const Parameters& p) {
  constexpr double kNoise = 0.7;
  const Index n = p.n(), m = p.m();
  const Vector w0 = normal_vector(p.stream(Label::planted_point), n);
  const NumberRows G(
      p, m, n, [=, stream = p.stream(Label::rows), noise = p.stream(Label::noise)](Index i, double* row) {
        stream.row(i).normals(row, n);
        row[n - 1] = 1.0;
        auto point = as_vector(row, n);
        const double score = point.dot(w0) + kNoise * std::sqrt(static_cast<double>(n)) * noise.normal(i);
        if (score > 0.0) point = -point;
      });
  Problem problem(n);
  Vector curvature = Vector::Ones(n);
  curvature[n - 1] = p.real("intercept");
  problem.minimize(quadratic(diagonal_matrix(curvature), to_array(Vector::Zero(n))));
  if (m == 0) return problem;
  add_soft_rows(problem, p, G, column(p, m, [](Index) { return -1.0; }), p.real("C") / static_cast<double>(m));
  return problem;
}

// min alpha + 1/((1 - beta) m) sum max(0, -r_i'w - alpha) - mean'w over x = (w, alpha) with w >= 0, sum w = 1:
// the mean loss of the worst share 1 - beta of m scenarios, less the expected return. Ten factors with heavy tails
// (Student's t with five degrees of freedom, common to all assets) and noise of each asset.
Problem cvar_portfolio(const Parameters& p) {
  constexpr int kFactors = 10, kTail = 5;
  constexpr double kLoading = 0.01, kNoise = 0.01, kMean = 0.0005;
  constexpr double kReach = 1.0;  // no loss is larger than all that was put in
  const Index n = p.n(), m = p.m(), assets = n - 1;
  if (assets < 1) throw InputError(fmt::format("n: expected at least 2 variables, an asset and alpha, got {}", n));
  Matrix B(assets, kFactors);
  p.stream(Label::loadings).normals(B.data(), B.size(), kLoading);
  Vector mean(assets);
  for (Index j = 0; j < assets; ++j) mean[j] = kMean * p.stream(Label::cost).uniform(j);
  const NumberRows G(p, m, n,
                     [=, factors = p.stream(Label::factors), own = p.stream(Label::noise),
                      tails = p.stream(Label::row_scale)](Index i, double* row) {
                       Eigen::Matrix<double, kFactors, 1> f;
                       factors.row(i).normals(f.data(), kFactors);
                       Eigen::Matrix<double, kTail, 1> chi;
                       tails.row(i).normals(chi.data(), kTail);
                       own.row(i).normals(row, assets, kNoise);
                       as_vector(row, assets) += mean + B * f / std::sqrt(chi.squaredNorm() / kTail);
                       as_vector(row, assets) *= -1.0;
                       row[assets] = -1.0;
                     });
  Problem problem(n);
  Vector cost(n), lo = Vector::Zero(n);
  cost << -mean, 1.0;
  lo[assets] = -kReach;
  problem.minimize(linear(to_array(cost)));
  problem.regularize(box(to_array(lo), to_array(Vector::Constant(n, kReach))));
  Vector ones = Vector::Ones(n);
  ones[assets] = 0.0;
  problem.equal(DataMatrix::dense(1, n, to_array(ones)), {1.0});
  if (m == 0) return problem;
  add_soft_rows(problem, p, G, column(p, m, [](Index) { return 0.0; }),
                1.0 / ((1.0 - p.real("beta")) * static_cast<double>(m)));
  return problem;
}

// Strictly between 0 and 1, as far as a step of 2^-20 tells.
ParameterSpec share(std::string name, double value) { return real(std::move(name), value, 0x1p-20, 1.0 - 0x1p-20); }

}  // namespace

std::vector<Family> soft_loss_families() {
  return {
      {"quantile", "min (1/m) sum rho_tau(b_i - a_i'x): quantile regression, a soft row per sample",
       sizes_and(20, 1000, {share("tau", 0.5)}), quantile_regression},
      {"absolute", "min (1/m) sum |a_i'x - b_i|: robust regression, a soft row per sample",
       sizes_and(20, 1000, {real("outliers", 0.1, 0.0, 1.0)}), absolute_regression},
      {"hinge", "min 1/2 |w|^2 + (C/m) sum max(0, 1 - y_i a_i'w): soft-margin support vector machine",
       sizes_and(30, 1000, {positive("C", 100.0), real("intercept", 1e-8, 0.0)}), soft_margin},
      {"cvar", "min CVaR_beta of the loss of a portfolio - its mean return, x = (weights, alpha)",
       sizes_and(31, 1000, {share("beta", 0.95)}), cvar_portfolio},
  };
}

}  // namespace pliant::generation
