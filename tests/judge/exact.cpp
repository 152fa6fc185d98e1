#include "judge/exact.hpp"

#include <cmath>
#include <stdexcept>

namespace pliant::judge {

Rational exact(double value) {
  if (!std::isfinite(value)) throw std::logic_error("exact: the number is not finite");
  return Rational(value);
}

RationalVector exact(const Vector& values) {
  RationalVector out;
  for (const double value : values) out.push_back(exact(value));
  return out;
}

Rational dot(const Eigen::Ref<const Vector>& a, const RationalVector& x) {
  Rational sum = 0;
  for (Index j = 0; j < a.size(); ++j) {
    if (a[j] != 0.0) sum += exact(a[j]) * x[static_cast<std::size_t>(j)];
  }
  return sum;
}

Rational half_quadratic(const Matrix& P, const RationalVector& x) {
  Rational sum = 0;
  for (Index i = 0; i < P.rows(); ++i) sum += x[static_cast<std::size_t>(i)] * dot(P.row(i).transpose(), x);
  return sum / 2;
}

Rational largest_entry(const RationalVector& x) {
  Rational largest = 0;
  for (const Rational& t : x) {
    if (abs(t) > largest) largest = abs(t);
  }
  return largest;
}

RationalVector between(const RationalVector& x, const RationalVector& y, const Rational& t) {
  RationalVector out;
  for (std::size_t j = 0; j < x.size(); ++j) out.push_back(x[j] + t * (y[j] - x[j]));
  return out;
}

bool exceeds(double value, const Rational& bound) {
  if (std::isnan(value)) return true;
  if (std::isinf(value)) return value > 0.0;
  return exact(value) > bound;
}

// 1/(a + b sqrt 2) = (a - b sqrt 2)/(a^2 - 2 b^2), and the denominator is 0 for 0 alone.
Surd Surd::operator/(const Surd& other) const {
  const Rational norm = other.a_ * other.a_ - 2 * other.b_ * other.b_;
  const Surd inverse(other.a_ / norm, -other.b_ / norm);
  return *this * inverse;
}

std::size_t svec_order(std::size_t entries) {
  std::size_t order = 0;
  while (order * (order + 1) / 2 < entries) ++order;
  return order;
}

int Surd::sign() const {
  const int a = sgn(a_), b = sgn(b_);
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  return a * sgn(Rational(a_ * a_ - 2 * b_ * b_));
}

namespace {

using LowerTriangle = std::vector<std::vector<Surd>>;

LowerTriangle to_matrix(const RationalVector& s) {
  const std::size_t order = svec_order(s.size());
  LowerTriangle S;
  for (std::size_t i = 0; i < order; ++i) S.emplace_back(i + 1);
  std::size_t next = 0;
  for (std::size_t j = 0; j < order; ++j) {
    for (std::size_t i = j; i < order; ++i, ++next) {
      S[i][j] = i == j ? Surd(s[next]) : Surd(0, s[next] / 2);  // s/sqrt(2) = (s/2) sqrt(2)
    }
  }
  return S;
}

// Subtracts multiples of row k from those below it.
void eliminate(LowerTriangle& S, std::size_t k) {
  for (std::size_t i = k + 1; i < S.size(); ++i) {
    if (S[i][k].sign() == 0) continue;
    const Surd factor = S[i][k] / S[k][k];
    for (std::size_t j = k + 1; j <= i; ++j) S[i][j] = S[i][j] - factor * S[j][k];
  }
}

}  // namespace

// A zero pivot needs a zero column below it, a negative one settles the matter.
bool is_semidefinite(LowerTriangle S) {
  for (std::size_t k = 0; k < S.size(); ++k) {
    const int pivot = S[k][k].sign();
    if (pivot < 0) return false;
    if (pivot > 0) {
      eliminate(S, k);
      continue;
    }
    for (std::size_t i = k + 1; i < S.size(); ++i) {
      if (S[i][k].sign() != 0) return false;
    }
  }
  return true;
}

std::optional<Surd> positive_determinant_svec(const RationalVector& s) {
  LowerTriangle S = to_matrix(s);
  Surd product(1);
  for (std::size_t k = 0; k < S.size(); ++k) {
    if (S[k][k].sign() <= 0) return std::nullopt;
    product = product * S[k][k];
    eliminate(S, k);
  }
  return product;
}

bool is_semidefinite_svec(const RationalVector& s) { return is_semidefinite(to_matrix(s)); }

}  // namespace pliant::judge
