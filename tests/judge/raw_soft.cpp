#include "judge/raw_soft.hpp"

#include "judge/enclosure.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <stdexcept>

namespace pliant::judge {
namespace {

using LowerTriangle = std::vector<std::vector<Surd>>;

// Gx - h
RationalVector excess(const RawSoftCones::Piece& cone, const RationalVector& x) {
  RationalVector out;
  for (Index i = 0; i < cone.h.size(); ++i) out.push_back(dot(cone.G.row(i).transpose(), x) - exact(cone.h[i]));
  return out;
}

// max(0, s + |u|) + max(0, s - |u|)
Rational second_order_above(const RationalVector& a) {
  const Rational& s = a.front();
  Rational squares = 0;
  for (std::size_t i = 1; i < a.size(); ++i) squares += a[i] * a[i];
  const bool between = s * s < squares;
  if (between) return s + root_above(squares);
  return s > 0 ? Rational(2 * s) : Rational(0);
}

LowerTriangle negated_triangle(const RationalVector& a, std::size_t order) {
  LowerTriangle S;
  for (std::size_t i = 0; i < order; ++i) S.emplace_back(i + 1);
  std::size_t next = 0;
  for (std::size_t j = 0; j < order; ++j) {
    for (std::size_t i = j; i < order; ++i, ++next) {
      S[i][j] = i == j ? Surd(-a[next]) : Surd(0, -a[next] / 2);  // a/sqrt(2) = (a/2) sqrt(2)
    }
  }
  return S;
}

// The sum of the positive eigenvalues of A is the least trace of a semidefinite Z >= A: that of the rounded positive part,
// moved by the smallest power of two times the identity that makes both certain.
Rational semidefinite_above(const RationalVector& a) {
  constexpr int kFinest = 1074;
  const std::size_t order = svec_order(a.size());
  const auto n = static_cast<Index>(order);
  const LowerTriangle minus_a = negated_triangle(a, order);
  if (is_semidefinite(minus_a)) return 0;
  Matrix A(n, n);
  std::size_t next = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i, ++next) A(i, j) = A(j, i) = a[next].get_d() / (i == j ? 1.0 : std::sqrt(2.0));
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  Matrix Z = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
  Z = (0.5 * (Z + Z.transpose())).eval();
  if (!Z.allFinite()) throw std::overflow_error("eigenvalues beyond the doubles");
  const auto holds = [&](const Rational& shift) {
    LowerTriangle above(order), beyond(order);
    for (std::size_t i = 0; i < order; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        Rational z = exact(Z(static_cast<Index>(i), static_cast<Index>(j)));
        if (i == j) z += shift;
        above[i].emplace_back(z);
        beyond[i].push_back(minus_a[i][j] + Surd(z));
      }
    }
    return is_semidefinite(above) && is_semidefinite(beyond);
  };
  Rational trace = 0;
  for (Index i = 0; i < n; ++i) trace += exact(Z(i, i));
  if (holds(0)) return trace;
  // A power of two beyond rounding holds for certain, and the search ends there or before.
  int exponent = std::ilogb(A.lpNorm<Eigen::Infinity>()) - std::numeric_limits<double>::digits - 4;
  for (; exponent < kFinest; ++exponent) {
    const Rational shift = exact(std::ldexp(1.0, exponent));
    if (holds(shift)) return trace + shift * static_cast<unsigned long>(order);
  }
  throw std::logic_error("no bound of the eigenvalues");
}

}  // namespace

SoftRows to_soft_rows(const RawSoftRows& rows, const DataMatrix& G) {
  return positive_part(G, to_array(rows.upper), to_array(rows.weights));
}

SoftRows to_soft_rows(const RawSoftCones& cones) {
  const Index size = cones.cones.front().h.size(), n = cones.cones.front().G.cols();
  const auto count = static_cast<Index>(cones.cones.size());
  Matrix transposed(n, count * size);  // by columns: the rows of G one after the other
  Vector h(count * size), weights(count);
  ConicConstraint out;
  for (Index k = 0; k < count; ++k) {
    const RawSoftCones::Piece& piece = cones.cones[static_cast<std::size_t>(k)];
    transposed.middleCols(k * size, size) = piece.G.transpose();
    h.segment(k * size, size) = piece.h;
    weights[k] = piece.weight;
    out.cones.push_back(Cone{cones.kind, size});
  }
  out.G = DataMatrix::dense(count * size, n, to_array(transposed.reshaped()));
  out.h = to_array(h);
  return positive_part(out, to_array(weights));
}

Rational exact_value(const RawSoftRows& rows, const RationalVector& x) {
  Rational sum = 0;
  for (Index i = 0; i < rows.upper.size(); ++i) {
    const Rational a = dot(rows.G.row(i).transpose(), x) - exact(rows.upper[i]);
    if (a > 0) sum += exact(rows.weights[i]) * a;
  }
  return sum;
}

Rational value_above(const RawSoftCones& cones, const RationalVector& x) {
  Rational sum = 0;
  for (const RawSoftCones::Piece& piece : cones.cones) {
    const RationalVector a = excess(piece, x);
    const bool matrix = cones.kind == ConeKind::semidefinite;
    sum += exact(piece.weight) * (matrix ? semidefinite_above(a) : second_order_above(a));
  }
  return sum;
}

}  // namespace pliant::judge
