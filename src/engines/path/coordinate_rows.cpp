#include "engines/path/coordinate_rows.hpp"

#include <cmath>

namespace pliant {

bool is_fixed(const SeparableParameters& psi, Index j) {
  return !psi.lo.empty() && !psi.hi.empty() && psi.lo[j] == psi.hi[j];
}

CoordinateRows::CoordinateRows(const SeparableParameters& psi, Index n) : l1_(psi.l1) {
  for (Index j = 0; j < n && !psi.hi.empty(); ++j) {
    if (std::isfinite(psi.hi[j]) && !is_fixed(psi, j)) rows_.push_back({j, 1.0, psi.hi[j]});
  }
  for (Index j = 0; j < n && !psi.lo.empty(); ++j) {
    if (std::isfinite(psi.lo[j]) && !is_fixed(psi, j)) rows_.push_back({j, -1.0, -psi.lo[j]});
  }
  bounds_ = size();
  if (l1_ == 0.0) return;
  for (const double sign : {1.0, -1.0}) {
    for (Index j = 0; j < n; ++j) rows_.push_back({j, sign, 0.0});
  }
}

void CoordinateRows::values(const Vector& x, VectorRef a) const {
  for (Index k = 0; k < size(); ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    a[k] = row.sign * x[row.j] - row.offset;
  }
}

void CoordinateRows::slopes(const Vector& d, VectorRef out) const {
  for (Index k = 0; k < size(); ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    out[k] = row.sign * d[row.j];
  }
}

void CoordinateRows::add_transposed(ConstVectorRef w, VectorRef out) const {
  for (Index k = 0; k < size(); ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    out[row.j] += row.sign * w[k];
  }
}

void CoordinateRows::add_diagonal(ConstVectorRef outer, MatrixRef H) const {
  for (Index k = 0; k < size(); ++k) {
    const Index j = rows_[static_cast<std::size_t>(k)].j;
    H(j, j) += outer[k];
  }
}

}  // namespace pliant
