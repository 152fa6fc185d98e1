#include "pliant/batch_structure.hpp"

#include "pliant/batch_checks.hpp"

namespace pliant {

LinearRows::LinearRows(DataMatrix G, Doubles h) : G_(std::move(G)), hi_(std::move(h)), two_sided_(false) {
  expect_entries("linear_le", "h", G_.rows(), hi_.size());
}

LinearRows::LinearRows(Doubles lo, DataMatrix G, Doubles hi)
    : G_(std::move(G)), lo_(std::move(lo)), hi_(std::move(hi)), two_sided_(true) {
  expect_entries("linear_range", "lo", G_.rows(), lo_.size());
  expect_entries("linear_range", "hi", G_.rows(), hi_.size());
  sides_.reserve(static_cast<std::size_t>(2 * G_.rows()));
  for (Index r = 0; r < G_.rows(); ++r) {
    if (hi_[r] < kInfinity) sides_.push_back({r, 1.0});
    if (lo_[r] > -kInfinity) sides_.push_back({r, -1.0});
  }
}

Matrix QuadraticRows::matrix(Index i) const {
  switch (form) {
    case Form::whole:
      return Eigen::Map<const Matrix>(data.data() + i * n * n, n, n);
    case Form::diagonal:
      return Eigen::Map<const Vector>(data.data() + i * n, n).asDiagonal();
    case Form::factored:
      break;
  }
  const Eigen::Map<const Matrix> F(data.data() + i * rank * n, n, rank);
  Matrix P = Matrix::Zero(n, n);
  P.selfadjointView<Eigen::Lower>().rankUpdate(F);
  P.triangularView<Eigen::StrictlyUpper>() = P.transpose();
  return P;
}

}  // namespace pliant
