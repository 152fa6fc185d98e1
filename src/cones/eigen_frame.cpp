#include "cones/eigen_frame.hpp"

#include "cones/cone_checks.hpp"
#include "linalg/safe_norm.hpp"
#include "pliant/svec.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Jacobi>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

using ConstMap = Eigen::Map<const Vector>;
using Map = Eigen::Map<Vector>;
// Bounded at compile time, so that no heap is touched.
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kLargestSmallOrder, kLargestSmallOrder>;

// Relative differences of weights below this are mostly rounding.
constexpr double kAlike = 1e-6;

template <class Small>
void decompose_matrix(Index order, const double* s, double* a, double* frame) {
  Small M(order, order);
  for_each_svec_entry(order, [&](Index k, Index i, Index j) { M(i, j) = -s[k] / svec_scale(i, j); });
  const Eigen::SelfAdjointEigenSolver<Small> solver(M);
  for (Index j = 0; j < order; ++j) {
    a[j] = solver.eigenvalues()[order - 1 - j];
    Map(frame + j * order, order) = solver.eigenvectors().col(order - 1 - j);
  }
}

// Order 2 takes one rotation: M (c, -s)' = (M_11 - t M_12) (c, -s)' and M (s, c)' = (M_22 + t M_12) (s, c)', t = s/c.
void decompose_pair(const double* s, double* a, double* frame) {
  const double m11 = -s[0], m12 = -s[1] / svec_scale(1, 0), m22 = -s[2];
  Eigen::JacobiRotation<double> rotation;
  rotation.makeJacobi(m11, m12, m22);
  const double cosine = rotation.c(), sine = rotation.s(), tangent = sine / cosine;
  const double values[] = {m11 - tangent * m12, m22 + tangent * m12};
  const double vectors[2][2] = {{cosine, -sine}, {sine, cosine}};
  const int first = values[0] >= values[1] ? 0 : 1;
  for (const int j : {first, 1 - first}) {
    *a++ = values[j];
    frame = std::copy_n(vectors[j], 2, frame);
  }
}

// svec((u v' + v u')/2) times `weight`, added to out.
void add_symmetric_product(Index order, const double* u, const double* v, double weight, double* out) {
  for_each_svec_entry(order, [&](Index k, Index i, Index j) {
    out[k] += weight * (i == j ? u[i] * v[i] : std::numbers::sqrt2 * 0.5 * (u[i] * v[j] + u[j] * v[i]));
  });
}

double quotient(double w, double v, double a, double b, double derivative_a, double derivative_b) {
  if (std::abs(w - v) > kAlike * std::max(std::abs(w), std::abs(v)) && a != b) return (w - v) / (a - b);
  return 0.5 * (derivative_a + derivative_b);
}

}  // namespace

bool has_small_frame(const Cone& cone) {
  if (cone.kind == ConeKind::second_order) return cone.rows >= 2;
  return cone.kind == ConeKind::semidefinite && matrix_order(cone) <= kLargestSmallOrder;
}

ConeShape shape_of(const Cone& cone) {
  assert(has_small_frame(cone));
  return {cone.kind, cone.rows, cone.kind == ConeKind::second_order ? 2 : matrix_order(cone)};
}

void decompose(const ConeShape& shape, const double* s, double* a, double* frame) {
  if (!ConstMap(s, shape.rows).allFinite()) {
    std::fill_n(a, shape.rank, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(frame, shape.frame(), 0.0);
    return;
  }
  if (shape.kind == ConeKind::second_order) {
    const ConstMap tail(s + 1, shape.rows - 1);
    const double norm = safe_norm(tail);
    a[0] = norm - s[0];
    a[1] = -norm - s[0];
    Map u(frame, shape.rows - 1);
    u.setZero();
    if (norm > 0.0) {
      u = tail / norm;
    } else {
      u[0] = 1.0;  // any direction will do
    }
    return;
  }
  switch (shape.rank) {
    case 2:
      return decompose_pair(s, a, frame);
    case 3:
      return decompose_matrix<Eigen::Matrix3d>(3, s, a, frame);
    default:
      return decompose_matrix<SmallMatrix>(shape.rank, s, a, frame);
  }
}

void combine(const ConeShape& shape, const double* frame, const double* w, double* z) {
  if (shape.kind == ConeKind::second_order) {
    z[0] = w[0] + w[1];
    Map(z + 1, shape.rows - 1) = (w[1] - w[0]) * ConstMap(frame, shape.rows - 1);
    return;
  }
  std::fill_n(z, shape.rows, 0.0);
  for (Index j = 0; j < shape.rank; ++j) {
    const double* v = frame + j * shape.rank;
    if (w[j] != 0.0) add_symmetric_product(shape.rank, v, v, w[j], z);
  }
}

void eigen_slopes(const ConeShape& shape, const double* frame, const double* g, double* slope) {
  if (shape.kind == ConeKind::second_order) {
    const double along = ConstMap(frame, shape.rows - 1).dot(ConstMap(g + 1, shape.rows - 1));
    slope[0] = g[0] - along;
    slope[1] = g[0] + along;
    return;
  }
  for (Index j = 0; j < shape.rank; ++j) {
    const double* v = frame + j * shape.rank;
    double sum = 0.0;
    for_each_svec_entry(shape.rank, [&](Index k, Index i, Index l) { sum += svec_scale(i, l) * g[k] * v[i] * v[l]; });
    slope[j] = sum;
  }
}

void frame_basis(const ConeShape& shape, const double* frame, double* basis) {
  const Index d = shape.rows;
  std::fill_n(basis, d * d, 0.0);
  if (shape.kind == ConeKind::second_order) {
    const Index k = d - 1;
    const ConstMap u(frame, k);
    basis[0] = basis[d] = 1.0;
    Map(basis + 1, k) = -u;
    Map(basis + d + 1, k) = u;
    // The reflection that takes the first unit vector to -+u; its other columns are orthogonal to u.
    const double sign = u[0] >= 0.0 ? 1.0 : -1.0;
    const double scale = 1.0 / (1.0 + std::abs(u[0]));
    for (Index q = 1; q < k; ++q) {
      Map column(basis + (q + 1) * d + 1, k);
      column = -scale * u[q] * u;
      column[0] -= scale * u[q] * sign;
      column[q] += 1.0;
    }
    return;
  }
  Index column = 0;
  for (Index j = 0; j < shape.rank; ++j, ++column) {
    const double* v = frame + j * shape.rank;
    add_symmetric_product(shape.rank, v, v, 1.0, basis + column * d);
  }
  for (Index j = 0; j < shape.rank; ++j) {
    for (Index l = j + 1; l < shape.rank; ++l, ++column) {
      add_symmetric_product(shape.rank, frame + j * shape.rank, frame + l * shape.rank, 1.0, basis + column * d);
    }
  }
}

void basis_weights(const ConeShape& shape, const double* a, const double* w, const double* derivative,
                   double* weights) {
  std::copy_n(derivative, shape.rank, weights);
  if (shape.kind == ConeKind::second_order) {
    std::fill_n(weights + 2, shape.pairs(), 2.0 * quotient(w[0], w[1], a[0], a[1], derivative[0], derivative[1]));
    return;
  }
  Index column = shape.rank;
  for (Index j = 0; j < shape.rank; ++j) {
    for (Index l = j + 1; l < shape.rank; ++l, ++column) {
      weights[column] = 2.0 * quotient(w[j], w[l], a[j], a[l], derivative[j], derivative[l]);
    }
  }
}

}  // namespace pliant
