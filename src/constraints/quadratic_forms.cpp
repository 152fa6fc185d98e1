#include "constraints/quadratic_forms.hpp"

#include "pliant/batch_checks.hpp"

#include <fmt/format.h>

#include <utility>

namespace pliant {
namespace {

// P_jk and P_kj may differ by the rounding of whatever computed P, relative to its largest entry.
constexpr double kSymmetryTolerance = 1e-12;

using StoredSquare = Eigen::Map<const RowMajorMatrix>;

bool is_symmetric(const StoredSquare& P) {
  const double tolerance = kSymmetryTolerance * P.cwiseAbs().maxCoeff();
  return (P - P.transpose()).cwiseAbs().maxCoeff() <= tolerance;
}

[[noreturn]] void throw_asymmetric(const StoredSquare& P, const std::string& where) {
  Index row = 0;
  Index col = 0;
  (P - P.transpose()).cwiseAbs().maxCoeff(&row, &col);
  if (row > col) std::swap(row, col);
  throw InputError(fmt::format("{} is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}", where, row, col,
                               P(row, col), col, row, P(col, row)));
}

[[noreturn]] void throw_not_convex(const std::string& where, double eigenvalue) {
  throw InputError(fmt::format("{} is not convex (most negative eigenvalue {:.6g})", where, eigenvalue));
}

}  // namespace

void DenseForm::validate(Index m, std::string_view label) const {
  expect_finite_rows(label, kData, data, m, numbers_per_row());
  const Index bad = first_row(m, data.size() * Index{sizeof(double)}, [&](Index begin, Index end) -> Index {
    QuadraticWorkspace work(n);
    for (Index i = begin; i < end; ++i) {
      if (!is_symmetric(StoredSquare(matrix(i), n, n)) || !is_convex(matrix(i), n, work)) return i;
    }
    return -1;
  });
  if (bad < 0) return;
  const StoredSquare P(matrix(bad), n, n);
  const std::string where = constraint_label(label, kData, bad);
  if (!is_symmetric(P)) throw_asymmetric(P, where);
  Index entry = 0;
  if (P.diagonal().minCoeff(&entry) < 0.0) {
    throw InputError(fmt::format("{} is not convex (diagonal entry {} is {:.6g})", where, entry, P.diagonal()[entry]));
  }
  QuadraticWorkspace work(n);
  throw_not_convex(where, smallest_eigenvalue(matrix(bad), n, work));
}

// B'B is positive semidefinite whatever B is.
void LowRankForm::validate(Index m, std::string_view label) const {
  expect_finite_rows(label, kData, data, m, numbers_per_row());
}

void DiagonalForm::validate(Index m, std::string_view label) const {
  expect_finite_rows(label, kData, data, m, n);
  const Index bad = first_row(m, data.size() * Index{sizeof(double)}, [&](Index begin, Index end) -> Index {
    for (Index i = begin; i < end; ++i) {
      if (diagonal(i).minCoeff() < 0.0) return i;
    }
    return -1;
  });
  if (bad >= 0) throw_not_convex(constraint_label(label, kData, bad), diagonal(bad).minCoeff());
}

}  // namespace pliant
