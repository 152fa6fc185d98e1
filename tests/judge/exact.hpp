// Exact arithmetic for judging claims: doubles are rationals, and so is everything computed from them here.
#pragma once

#include "pliant/types.hpp"

#include <gmpxx.h>

#include <optional>
#include <vector>

namespace pliant::judge {

using Rational = mpq_class;
using RationalVector = std::vector<Rational>;

/// The rational a finite double stands for; throws std::logic_error for others.
Rational exact(double value);
RationalVector exact(const Vector& values);

/// Sum of a_j x_j over the entries of a row given as doubles.
Rational dot(const Eigen::Ref<const Vector>& a, const RationalVector& x);
/// 1/2 x'Px
Rational half_quadratic(const Matrix& P, const RationalVector& x);
/// max |x_j|
Rational largest_entry(const RationalVector& x);
/// x + t (y - x)
RationalVector between(const RationalVector& x, const RationalVector& y, const Rational& t);
/// value > bound, where `value` is any double: infinities are compared as such, and NaN exceeds everything (a claim
/// that is not a number is false).
bool exceeds(double value, const Rational& bound);

/// a + b sqrt(2) with rational a and b: the field in which matrices stored as svec have their entries.
class Surd {
 public:
  Surd(Rational a = 0, Rational b = 0) : a_(std::move(a)), b_(std::move(b)) {}

  Surd operator+(const Surd& other) const { return {a_ + other.a_, b_ + other.b_}; }
  Surd operator-(const Surd& other) const { return {a_ - other.a_, b_ - other.b_}; }
  Surd operator*(const Surd& other) const { return {a_ * other.a_ + 2 * b_ * other.b_, a_ * other.b_ + b_ * other.a_}; }
  Surd operator/(const Surd& other) const;
  /// -1, 0 or 1
  int sign() const;
  /// a and b
  const Rational& rational() const { return a_; }
  const Rational& irrational() const { return b_; }

 private:
  Rational a_, b_;
};

/// Whether the symmetric matrix with the lower triangle `S` (row i holds i + 1 entries) is positive semidefinite.
bool is_semidefinite(std::vector<std::vector<Surd>> S);

/// The order of a symmetric matrix with so many entries in its svec.
std::size_t svec_order(std::size_t entries);

/// Determinant of the symmetric matrix in s, by elimination; nullopt unless the matrix is positive definite.
std::optional<Surd> positive_determinant_svec(const RationalVector& s);

/// Whether s, in the order of svec (lower triangle by columns, off-diagonal entries times sqrt(2)), is semidefinite.
bool is_semidefinite_svec(const RationalVector& s);

}  // namespace pliant::judge
