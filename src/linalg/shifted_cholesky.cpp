#include "linalg/shifted_cholesky.hpp"

#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

constexpr double kCholeskyEpsilon = std::numeric_limits<double>::epsilon();
// Sparse factorisations run at about 1e9 multiplications a second, dense ones at ten times that and more.
constexpr double kSparseWork = 2e9;
constexpr Index kDenseCholeskyOrder = 5000;

}  // namespace

double entry_of(const DataMatrix& M, Index i, Index j) {
  if (!M.is_sparse()) return M.values()[i * M.cols() + j];
  const Index* begin = M.columns().data() + M.starts()[i];
  const Index* end = M.columns().data() + M.starts()[i + 1];
  const Index* found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? M.values()[found - M.columns().data()] : 0.0;
}

Matrix symmetric_part(const DataMatrix& P) {
  Matrix S = Matrix::Zero(P.rows(), P.cols());
  for_each_entry(P, [&](Index i, Index j, double value) {
    S(i, j) += 0.5 * value;
    S(j, i) += 0.5 * value;
  });
  return S;
}

ShiftedCholesky::ShiftedCholesky(const DataMatrix& P) : n_(P.rows()) {
  bool finite = true;
  for_each_entry(P, [&](Index i, Index j, double value) {
    if (i == j) trace_ += std::abs(value);
    finite = finite && std::isfinite(value);
  });
  if (P.is_sparse() && n_ < std::numeric_limits<int>::max() && P.nonzeros() < std::numeric_limits<int>::max() / 4) {
    std::vector<Eigen::Triplet<double, int>> entries;
    entries.reserve(static_cast<std::size_t>(2 * P.nonzeros() + n_));
    for_each_entry(P, [&](Index i, Index j, double value) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), 0.5 * value);
      entries.emplace_back(static_cast<int>(j), static_cast<int>(i), 0.5 * value);
    });
    // The shift needs the whole diagonal in the pattern.
    for (int j = 0; j < static_cast<int>(n_); ++j) entries.emplace_back(j, j, 0.0);
    Sparse S(n_, n_);
    S.setFromTriplets(entries.begin(), entries.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
    Eigen::AMDOrdering<int>()(S.selfadjointView<Eigen::Lower>(), inverse);
    sparse_ = S.selfadjointView<Eigen::Lower>().twistedBy(inverse.inverse());
    use_sparse_ = sparse_work() <= kSparseWork;
  }
  if (!use_sparse_) {
    sparse_ = Sparse();
    longest_row_ = n_;
    if (n_ <= kDenseCholeskyOrder) dense_ = symmetric_part(P);
  }
  affordable_ = finite && (use_sparse_ || n_ <= kDenseCholeskyOrder);
}

// Walks the rows of the factor through the elimination tree (J. W. H. Liu): row k of L holds the nodes met on the way
// from the entries of row k of S up to k.
double ShiftedCholesky::sparse_work() {
  const auto size = static_cast<std::size_t>(n_);
  std::vector<int> parent(size, -1), mark(size, -1);
  std::vector<double> column(size, 1.0);
  double entries = 0.0;
  for (int k = 0; k < static_cast<int>(n_); ++k) {
    const auto row = static_cast<std::size_t>(k);
    mark[row] = k;
    Index length = 1;
    for (Sparse::InnerIterator it(sparse_, k); it; ++it) {
      for (int node = static_cast<int>(it.row()); node < k && mark[static_cast<std::size_t>(node)] != k;) {
        const auto i = static_cast<std::size_t>(node);
        if (parent[i] == -1) parent[i] = k;
        mark[i] = k;
        column[i] += 1.0;
        ++length;
        node = parent[i];
      }
    }
    longest_row_ = std::max(longest_row_, length);
    entries += static_cast<double>(length);
    if (entries > 0.1 * kSparseWork) return kInfinity;
  }
  double work = 0.0;
  for (double c : column) work += c * c;
  return work;
}

double ShiftedCholesky::margin(double t) const {
  return static_cast<double>(longest_row_ + 3) * kCholeskyEpsilon * (trace_ + static_cast<double>(n_) * std::abs(t));
}

// A NaN pivot passes the factorisations' own test, hence the look at the factor.
std::optional<double> ShiftedCholesky::prove(double t) const {
  bool success = false;
  if (use_sparse_) {
    Sparse shifted = sparse_;
    for (int j = 0; j < static_cast<int>(n_); ++j) shifted.coeffRef(j, j) -= t;
    const Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(shifted);
    success = factor.info() == Eigen::Success && factor.matrixL().nestedExpression().coeffs().allFinite();
  } else {
    Matrix shifted = dense_;
    shifted.diagonal().array() -= t;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(shifted);  // in place
    success = factor.info() == Eigen::Success && shifted.diagonal().allFinite();
  }
  if (!success) return std::nullopt;
  return t - margin(t);
}

LowerBoundSearch search_lower_bound(const ShiftedCholesky& cholesky, double ritz, double gershgorin) {
  LowerBoundSearch result{0.0, ritz};
  double failed = ritz;
  bool first = true;
  for (double factor : {0.999, 0.9, 0.5, 0.125, 0.01, 1e-4, 1e-6}) {
    const double t = factor * ritz;
    if (t <= 2.0 * cholesky.margin(t)) break;
    if (const auto bound = cholesky.prove(t)) {
      result = {std::max(0.0, *bound), t};
      // Narrow the bracket [t, failed] in ratio; pointless after a success at the first try.
      double proven = t;
      for (int step = 0; !first && step < 4; ++step) {
        const double middle = std::sqrt(proven * failed);
        const auto better = cholesky.prove(middle);
        (better ? proven : failed) = middle;
        if (better) result = {std::max(result.proven, *better), middle};
      }
      return result;
    }
    failed = t;
    first = false;
  }
  // No positive bound. Tell rounding from true non-convexity: look for the smallest shift that makes P definite.
  double shift = std::max(4.0 * cholesky.margin(0.0), std::numeric_limits<double>::min());
  if (cholesky.prove(-shift)) return {0.0, std::max(ritz, -shift)};
  double low = gershgorin, high = -shift;  // lambda_min lies between
  for (int step = 0; step < 20 && low < high; ++step) {
    // Geometric steps first: the magnitude is unknown.
    const double middle = -std::sqrt(low * high);
    (cholesky.prove(middle) ? low : high) = middle;
  }
  return {0.0, std::min(ritz, high)};
}

}  // namespace pliant
