// SVRG and Katyusha for logistic regression with an l2 term, as one writes them by hand: plain loops over raw arrays,
// nothing general. On sparse data skipped steps are made up for from tables of powers.
#pragma once

#include "engines/stochastic/alias_table.hpp"
#include "random/random.hpp"

#include <cmath>
#include <vector>

namespace pliant::bench {

/// Rows dense (starts empty) or CSR, with labels of +-1.
struct Data {
  Index n = 0;
  std::vector<Index> starts, columns;
  std::vector<double> values, labels;
};

// A loop would do if compilers were allowed to reorder sums.
inline double dot(const double* a, const double* b, Index n) {
  return Eigen::Map<const Vector>(a, n).dot(Eigen::Map<const Vector>(b, n));
}

struct PlainSum {
  PlainSum(const Data& d, double mu_) : data(d), l(static_cast<Index>(d.labels.size())), mu(mu_), stream(7, 0x5a3d) {
    Vector smoothness(l);
    for (Index i = 0; i < l; ++i) {
      double squared = 0.0;
      for (Index p = begin(i); p < end(i); ++p) squared += value(p) * value(p);
      smoothness[i] = 0.25 * squared / static_cast<double>(l);
    }
    L = smoothness.sum();
    table = AliasTable(smoothness);
  }
  Index begin(Index i) const { return data.starts.empty() ? i * data.n : data.starts[static_cast<std::size_t>(i)]; }
  Index end(Index i) const { return begin(i + 1); }
  Index n() const { return data.n; }
  double value(Index p) const { return data.values[static_cast<std::size_t>(p)]; }
  double slope(Index i, double z) const {
    const double y = data.labels[static_cast<std::size_t>(i)];
    return -y / (1.0 + std::exp(y * z)) / static_cast<double>(l);
  }
  void gradient(const double* x, double* g, double* slopes) const {
    const bool sparse = !data.starts.empty();
    const double* v = data.values.data();
    const Index* c = data.columns.data();
    std::fill_n(g, data.n, 0.0);
    for (Index i = 0; i < l; ++i) {
      const Index first = begin(i), last = end(i);
      double z = sparse ? 0.0 : dot(v + first, x, n());
      for (Index p = first; sparse && p < last; ++p) z += v[p] * x[c[p]];
      slopes[i] = slope(i, z);
      for (Index p = first; p < last; ++p) g[sparse ? c[p] : p - first] += slopes[i] * v[p];
    }
  }

  const Data& data;
  Index l;
  double mu, L = 0.0;
  AliasTable table;
  random::Stream stream;
};

inline Vector plain_svrg(const PlainSum& s, Index epochs) {
  const Index n = s.data.n, l = s.l, steps = 2 * l;
  const bool sparse = !s.data.starts.empty();
  const double eta = 1.0 / (3.0 * s.L), rho = 1.0 / (1.0 + eta * s.mu);
  const double* v = s.data.values.data();
  const Index* c = s.data.columns.data();
  std::vector<double> x(static_cast<std::size_t>(n), 0.0), g(x), slopes(static_cast<std::size_t>(l)), power, sum;
  std::vector<Index> last(static_cast<std::size_t>(n), 0);
  power.assign(static_cast<std::size_t>(steps) + 1, 1.0);
  sum.assign(power.size(), 0.0);
  for (std::size_t k = 1; k < power.size(); ++k) {
    power[k] = rho * power[k - 1];
    sum[k] = rho * (sum[k - 1] + eta);
  }
  double* __restrict xp = x.data(), * __restrict gp = g.data();
  Index drawn = 0;
  for (Index e = 0; e < epochs; ++e) {
    s.gradient(xp, gp, slopes.data());
    std::fill(last.begin(), last.end(), 0);
    for (Index t = 0; t < steps; ++t) {
      const Index i = s.table.draw(s.stream.uniform(drawn++));
      const Index first = s.begin(i), end = s.end(i);
      double z = 0.0;
      if (sparse) {
        for (Index p = first; p < end; ++p) {
          const Index j = c[p];
          const std::size_t k = static_cast<std::size_t>(t - last[static_cast<std::size_t>(j)]);
          xp[j] = power[k] * xp[j] - sum[k] * gp[j];
          z += v[p] * xp[j];
        }
      } else {
        z = dot(v + first, xp, n);
      }
      const double w = (s.slope(i, z) - slopes[static_cast<std::size_t>(i)]) / s.table.probability(i);
      if (sparse) {
        for (Index p = first; p < end; ++p) {
          const Index j = c[p];
          xp[j] = rho * (xp[j] - eta * (gp[j] + w * v[p]));
          last[static_cast<std::size_t>(j)] = t + 1;
        }
      } else {
        for (Index j = 0; j < n; ++j) xp[j] = rho * (xp[j] - eta * (gp[j] + w * v[first + j]));
      }
    }
    for (Index j = 0; sparse && j < n; ++j) {
      const std::size_t k = static_cast<std::size_t>(steps - last[static_cast<std::size_t>(j)]);
      xp[j] = power[k] * xp[j] - sum[k] * gp[j];
    }
  }
  return Eigen::Map<const Vector>(x.data(), n);
}

// Constants of Katyusha for a sum: weights of z, snapshot and y, step, and the factors of the prox and of the mean.
struct PlainKatyushaSteps {
  PlainKatyushaSteps(const PlainSum& s, Index steps)
      : t1(std::min(std::sqrt(static_cast<double>(steps) * s.mu / (3.0 * s.L)), 0.5)),
        t3(0.5 - t1),
        alpha(1.0 / (3.0 * t1 * s.L)),
        rho(1.0 / (1.0 + alpha * s.mu)),
        d(rho) {}
  double t1, t2 = 0.5, t3, alpha, rho, d;
};

// (z, y, a) after k skipped steps: linear in (z, y, snapshot, g), 3 x 4 numbers and d^k.
struct PlainPower {
  double m[3][4], decay;

  void apply(double s, double g, double& z, double& y, double& a) const {
    const double z0 = z, y0 = y;
    z = m[0][0] * z0 + m[0][1] * y0 + m[0][2] * s + m[0][3] * g;
    y = m[1][0] * z0 + m[1][1] * y0 + m[1][2] * s + m[1][3] * g;
    a = decay * a + m[2][0] * z0 + m[2][1] * y0 + m[2][2] * s + m[2][3] * g;
  }
};

inline std::vector<PlainPower> plain_powers(const PlainKatyushaSteps& by, Index steps) {
  std::vector<PlainPower> powers(static_cast<std::size_t>(steps) + 1);
  powers[0] = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}, 1.0};
  for (std::size_t k = 1; k < powers.size(); ++k) {
    for (int q = 0; q < 4; ++q) {
      const double z = powers[k - 1].m[0][q], y = powers[k - 1].m[1][q], snap = q == 2, grad = q == 3;
      const double x = by.t1 * z + by.t2 * snap + by.t3 * y, next = by.rho * (z - by.alpha * grad);
      powers[k].m[0][q] = next;
      powers[k].m[1][q] = x + by.t1 * (next - z);
      powers[k].m[2][q] = by.d * powers[k - 1].m[2][q] + powers[k].m[1][q] - snap;
    }
    powers[k].decay = by.d * powers[k - 1].decay;
  }
  return powers;
}

inline Vector plain_katyusha(const PlainSum& s, Index epochs) {
  const Index n = s.data.n, l = s.l, steps = 2 * l;
  const bool sparse = !s.data.starts.empty();
  const PlainKatyushaSteps by(s, steps);
  const double t1 = by.t1, t2 = by.t2, t3 = by.t3, alpha = by.alpha, rho = by.rho, d = by.d;
  const double* v = s.data.values.data();
  const Index* c = s.data.columns.data();
  const std::vector<PlainPower> powers = plain_powers(by, sparse ? steps : 0);
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> snapshot(size), x(size), y(size), z(size), a(size), g(size), slopes(static_cast<std::size_t>(l));
  std::vector<Index> last(size, 0);
  double* __restrict xp = x.data(), * __restrict yp = y.data(), * __restrict zp = z.data(), * __restrict ap = a.data();
  double* __restrict gp = g.data(), * __restrict sp = snapshot.data();
  const auto skip = [&](Index j, Index count) {
    powers[static_cast<std::size_t>(count)].apply(sp[j], gp[j], zp[j], yp[j], ap[j]);
  };
  Index drawn = 0;
  for (Index e = 0; e < epochs; ++e) {
    s.gradient(sp, gp, slopes.data());
    std::fill(a.begin(), a.end(), 0.0);
    std::fill(last.begin(), last.end(), 0);
    double weights = 0.0;
    for (Index t = 0; t < steps; ++t) {
      weights = d * weights + 1.0;
      const Index i = s.table.draw(s.stream.uniform(drawn++)), first = s.begin(i), end = s.end(i);
      double inner = 0.0;
      if (sparse) {
        for (Index p = first; p < end; ++p) {
          const Index j = c[p];
          skip(j, t - last[static_cast<std::size_t>(j)]);
          xp[j] = t1 * zp[j] + t2 * sp[j] + t3 * yp[j];
          inner += v[p] * xp[j];
        }
      } else {
        for (Index j = 0; j < n; ++j) xp[j] = t1 * zp[j] + t2 * sp[j] + t3 * yp[j];
        inner = dot(v + first, xp, n);
      }
      const double w = (s.slope(i, inner) - slopes[static_cast<std::size_t>(i)]) / s.table.probability(i);
      const auto step = [&](Index j, double correction) {
        const double before = zp[j];
        zp[j] = rho * (before - alpha * (gp[j] + correction));
        yp[j] = xp[j] + t1 * (zp[j] - before);
        ap[j] = d * ap[j] + (yp[j] - sp[j]);
      };
      if (sparse) {
        for (Index p = first; p < end; ++p) {
          step(c[p], w * v[p]);
          last[static_cast<std::size_t>(c[p])] = t + 1;
        }
      } else {
        for (Index j = 0; j < n; ++j) step(j, w * v[first + j]);
      }
    }
    for (Index j = 0; j < n; ++j) {
      if (sparse) skip(j, steps - last[static_cast<std::size_t>(j)]);
      sp[j] += ap[j] / weights;
    }
  }
  return Eigen::Map<const Vector>(snapshot.data(), n);
}

}  // namespace pliant::bench
