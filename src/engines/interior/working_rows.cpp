#include "engines/interior/working_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

bool bounded_without_rows(const StandardForm& form) {
  bool costs = form.P.nonZeros() > 0;
  for (Index j = 0; j < form.variables(); ++j) {
    const double slope = form.l1.size() > 0 ? form.l1[j] : 0.0;
    if (form.q[j] > slope && form.lower[j] == -kInfinity) return false;
    if (form.q[j] < -slope && form.upper[j] == kInfinity) return false;
    costs = costs || form.q[j] != 0.0;
  }
  return costs;
}

WorkingRows::WorkingRows(const StandardForm& whole) : whole_(whole), rows_(whole.A) {
  taken_.resize(static_cast<std::size_t>(whole.rows()));
  for (Index i = 0; i < whole.rows(); ++i) taken_[static_cast<std::size_t>(i)] = whole.lo[i] == whole.hi[i] ? 1 : 0;
  part_ = whole;
  build();
  equalities_ = part_.rows();
}

void WorkingRows::build() {
  kept_.clear();
  std::vector<int> place(taken_.size(), -1);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i] == 0) continue;
    place[i] = static_cast<int>(kept_.size());
    kept_.push_back(static_cast<Index>(i));
  }
  SparseMatrix A(static_cast<int>(kept_.size()), static_cast<int>(whole_.variables()));
  A.reserve(whole_.A.nonZeros());
  for (int j = 0; j < whole_.A.outerSize(); ++j) {
    A.startVec(j);
    for (SparseMatrix::InnerIterator it(whole_.A, j); it; ++it) {
      const int row = place[static_cast<std::size_t>(it.row())];
      if (row >= 0) A.insertBack(row, j) = it.value();
    }
  }
  A.finalize();
  part_.A.swap(A);
  part_.lo = whole_.lo(kept_);
  part_.hi = whole_.hi(kept_);
}

Vector WorkingRows::whole_duals(const Vector& y) const {
  Vector out = Vector::Zero(whole_.rows());
  out(kept_) = y;
  return out;
}

std::vector<Index> WorkingRows::places(const std::vector<Index>& rows) const {
  std::vector<Index> out;
  for (const Index i : rows) out.push_back(std::ranges::lower_bound(kept_, i) - kept_.begin());
  return out;
}

Vector WorkingRows::violations(const Vector& x) const {
  const Vector Ax = rows_ * x;
  return (Ax - whole_.hi).cwiseMax(whole_.lo - Ax).cwiseMax(0.0);
}

bool WorkingRows::join(const Vector& x, double reach) {
  bool violated = false;
  std::vector<std::size_t> near;
  for (Index i = 0; i < whole_.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (taken_[at] != 0) continue;
    double sum = 0.0, size = 0.0;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
      const double term = it.value() * x[it.col()];
      sum += term;
      size += std::abs(term);
    }
    violated = violated || sum > whole_.hi[i] || sum < whole_.lo[i];
    if (sum + reach * size > whole_.hi[i] || sum - reach * size < whole_.lo[i]) near.push_back(at);
  }
  if (!violated) return false;
  for (const std::size_t at : near) taken_[at] = 1;
  build();
  return true;
}

}  // namespace pliant
