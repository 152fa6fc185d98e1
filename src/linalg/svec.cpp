#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {

std::optional<Index> svec_order(Index size) {
  if (size < 1) return std::nullopt;
  const double root = (std::sqrt(8.0 * static_cast<double>(size) + 1.0) - 1.0) / 2.0;
  const Index order = std::llround(root);
  return svec_size(order) == size ? std::optional<Index>(order) : std::nullopt;
}

void add_svec(ConstMatrixRef X, double weight, VectorRef out) {
  for_each_svec_entry(X.rows(), [&](Index k, Index i, Index j) { out[k] += weight * svec_scale(i, j) * X(i, j); });
}

Vector svec(ConstMatrixRef X) {
  Vector out = Vector::Zero(svec_size(X.rows()));
  add_svec(X, 1.0, out);
  return out;
}

void unpack_svec(ConstVectorRef x, MatrixRef X) {
  for_each_svec_entry(X.rows(), [&](Index k, Index i, Index j) { X(i, j) = X(j, i) = x[k] / svec_scale(i, j); });
}

Matrix smat(ConstVectorRef x) {
  const std::optional<Index> order = svec_order(x.size());
  if (!order) throw InputError(fmt::format("smat: expected p(p+1)/2 entries, got {}", x.size()));
  Matrix X(*order, *order);
  unpack_svec(x, X);
  return X;
}

}  // namespace pliant
