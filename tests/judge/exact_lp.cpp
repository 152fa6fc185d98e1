#include "judge/exact_lp.hpp"

namespace pliant::judge {
namespace {

// The dictionary  D basic_i = T(i, rhs) - sum_j T(i, j) nonbasic_j  in integers with one common denominator D > 0
// (Edmonds): entries are minors of the data, so every division is exact and none of them needs a gcd.
// Variables 0..n-1 are those of the program and free, n..n+m-1 are slacks and nonnegative; row m is the objective.
class Dictionary {
 public:
  Dictionary(const Polyhedron& set, const RationalVector& cost)
      : n_(static_cast<std::size_t>(set.n)), m_(set.rows.size()), table_((m_ + 1) * (n_ + 1)) {
    for (std::size_t i = 0; i < m_; ++i) scales_.push_back(fill_row(i, set.rows[i], set.rhs[i]));
    scales_.push_back(fill_row(m_, cost, 0));
    // z = cost'x = 0 - (-cost)'x
    for (std::size_t j = 0; j < n_; ++j) at(m_, j) = -at(m_, j);
    for (std::size_t j = 0; j < n_; ++j) nonbasic_.push_back(j);
    for (std::size_t i = 0; i < m_; ++i) basic_.push_back(n_ + i);
  }

  LpEnd solve() {
    make_variables_basic();
    if (!reach_feasibility()) return LpEnd::infeasible;
    for (std::size_t j = 0; j < n_; ++j) {  // a line of the set along which the cost is not constant
      if (is_free(nonbasic_[j]) && at(m_, j) != 0) return LpEnd::unbounded;
    }
    return descend() ? LpEnd::optimal : LpEnd::unbounded;
  }

  RationalVector point() const {
    RationalVector x(n_);
    for (std::size_t i = 0; i < m_; ++i) {
      if (!is_free(basic_[i])) continue;
      x[basic_[i]] = Rational(at(i, n_), denominator_);
      x[basic_[i]].canonicalize();
    }
    return x;
  }

  // Optimal: z = z* + sum |T(m, j)|/D s_j over slacks s_j, in the scaled units of both.
  RationalVector optimal_multipliers() const { return multipliers(m_, -1, scales_[m_]); }
  // Infeasible: D s_r + sum T(r, j) s_j = T(r, rhs) < 0 with all factors nonnegative.
  RationalVector contradicting_multipliers() const {
    RationalVector out = multipliers(contradiction_, 1, 1);
    const std::size_t row = basic_[contradiction_] - n_;
    out[row] = scales_[row];
    return out;
  }

 private:
  RationalVector multipliers(std::size_t row, int sign, const mpz_class& unit) const {
    RationalVector out(m_);
    for (std::size_t j = 0; j < n_; ++j) {
      if (is_free(nonbasic_[j])) continue;
      const std::size_t i = nonbasic_[j] - n_;
      out[i] = Rational(sign * at(row, j) * scales_[i], denominator_ * unit);
      out[i].canonicalize();
    }
    return out;
  }

  mpz_class& at(std::size_t i, std::size_t j) { return table_[i * (n_ + 1) + j]; }
  const mpz_class& at(std::size_t i, std::size_t j) const { return table_[i * (n_ + 1) + j]; }
  bool is_free(std::size_t variable) const { return variable < n_; }

  // Multiplied by the denominators' common multiple: slacks and costs scale, signs stay.
  mpz_class fill_row(std::size_t i, const RationalVector& row, const Rational& bound) {
    mpz_class scale = bound.get_den();
    for (const Rational& entry : row) scale = lcm(scale, entry.get_den());
    for (std::size_t j = 0; j < n_; ++j) at(i, j) = row[j].get_num() * (scale / row[j].get_den());
    at(i, n_) = bound.get_num() * (scale / bound.get_den());
    return scale;
  }

  // basic_[r] and nonbasic_[s] change places.
  void pivot(std::size_t r, std::size_t s) {
    const mpz_class p = at(r, s);
    mpz_class product;
    for (std::size_t i = 0; i <= m_; ++i) {
      if (i == r) continue;
      const mpz_class factor = at(i, s);
      for (std::size_t j = 0; j <= n_; ++j) {
        if (j == s) continue;
        mpz_class& entry = at(i, j);
        entry *= p;
        product = factor * at(r, j);
        entry -= product;
        mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), denominator_.get_mpz_t());
      }
      at(i, s) = -factor;
    }
    at(r, s) = denominator_;
    denominator_ = p;
    if (p < 0) {
      for (mpz_class& entry : table_) entry = -entry;
      denominator_ = -p;
    }
    std::swap(basic_[r], nonbasic_[s]);
  }

  void make_variables_basic() {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < m_; ++i) {
        if (is_free(basic_[i]) || at(i, j) == 0) continue;
        pivot(i, j);
        break;
      }
    }
  }

  // Dual simplex for the cost 0, always the variable of least index: it ends (Bland).
  bool reach_feasibility() {
    while (true) {
      std::size_t r = m_;
      for (std::size_t i = 0; i < m_; ++i) {
        if (!is_free(basic_[i]) && at(i, n_) < 0 && (r == m_ || basic_[i] < basic_[r])) r = i;
      }
      if (r == m_) return true;
      std::size_t s = n_;
      for (std::size_t j = 0; j < n_; ++j) {
        if (!is_free(nonbasic_[j]) && at(r, j) < 0 && (s == n_ || nonbasic_[j] < nonbasic_[s])) s = j;
      }
      if (s == n_) {
        contradiction_ = r;
        return false;
      }
      pivot(r, s);
    }
  }

  // Primal simplex with Bland's rule. False if the cost falls for ever.
  bool descend() {
    while (true) {
      std::size_t s = n_;
      for (std::size_t j = 0; j < n_; ++j) {
        if (!is_free(nonbasic_[j]) && at(m_, j) > 0 && (s == n_ || nonbasic_[j] < nonbasic_[s])) s = j;
      }
      if (s == n_) return true;
      std::size_t r = m_;
      for (std::size_t i = 0; i < m_; ++i) {
        if (is_free(basic_[i]) || at(i, s) <= 0) continue;
        if (r == m_) {
          r = i;
          continue;
        }
        const int compared = cmp(at(i, n_) * at(r, s), at(r, n_) * at(i, s));
        if (compared < 0 || (compared == 0 && basic_[i] < basic_[r])) r = i;
      }
      if (r == m_) return false;
      pivot(r, s);
    }
  }

  std::size_t n_, m_;
  std::vector<mpz_class> table_;
  std::vector<std::size_t> basic_, nonbasic_;
  mpz_class denominator_ = 1;
  std::vector<mpz_class> scales_;  // of rows and cost
  std::size_t contradiction_ = 0;  // the row that cannot be satisfied
};

}  // namespace

void Polyhedron::add_bound(Index j, int sign, Rational bound) {
  RationalVector row(static_cast<std::size_t>(n));
  row[static_cast<std::size_t>(j)] = sign;
  add(std::move(row), std::move(bound));
}

void Polyhedron::add_box(const Rational& radius) {
  for (Index j = 0; j < n; ++j) {
    add_bound(j, 1, radius);
    add_bound(j, -1, radius);
  }
}

Polyhedron Polyhedron::recession() const { return {n, rows, RationalVector(rhs.size())}; }

LpAnswer minimise(const Polyhedron& set, const RationalVector& cost) {
  Dictionary dictionary(set, cost);
  LpAnswer out;
  out.end = dictionary.solve();
  if (out.end == LpEnd::infeasible) {
    out.multipliers = dictionary.contradicting_multipliers();
    return out;
  }
  out.x = dictionary.point();
  if (out.end == LpEnd::optimal) {
    out.multipliers = dictionary.optimal_multipliers();
    for (std::size_t j = 0; j < cost.size(); ++j) out.value += cost[j] * out.x[j];
  }
  return out;
}

std::optional<RationalVector> find_point(const Polyhedron& set) {
  LpAnswer answer = minimise(set, RationalVector(static_cast<std::size_t>(set.n)));
  if (answer.end == LpEnd::infeasible) return std::nullopt;
  return std::move(answer.x);
}

// min t subject to y in the set, |y_j - x_j| <= t.
std::optional<RationalVector> nearest_point(const Polyhedron& set, const RationalVector& x) {
  Polyhedron lifted;
  lifted.n = set.n + 1;
  const auto n = static_cast<std::size_t>(set.n);
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    RationalVector row = set.rows[i];
    row.emplace_back(0);
    lifted.add(std::move(row), set.rhs[i]);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (const int sign : {1, -1}) {
      RationalVector row(n + 1);
      row[j] = sign;
      row[n] = -1;
      lifted.add(std::move(row), sign * x[j]);
    }
  }
  RationalVector cost(n + 1);
  cost[n] = 1;
  LpAnswer answer = minimise(lifted, cost);
  if (answer.end != LpEnd::optimal) return std::nullopt;
  answer.x.pop_back();
  return std::move(answer.x);
}

}  // namespace pliant::judge
