#include "engines/conic/factored_ray.hpp"

#include "linalg/orthogonal_factor.hpp"
#include "pliant/svec.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace pliant {
namespace {

// Dense equations are solved where that takes about so many multiplications each time.
constexpr double kMostFactoredWork = 1e8;
// Steps; squares that vanish halve their roots in each, the rest converges quadratically.
constexpr int kFactoredSteps = 30;
// G'z counts as rounding at so much of the sizes of its terms.
constexpr double kFactoredRounding = 8.0 * std::numeric_limits<double>::epsilon();
// A step that does not make the residual this much smaller is the last.
constexpr double kFactoredDecrease = 0.9;
// Entries of factors that are this small beside their column, and free multipliers beside the largest, were meant to be 0. With
// zeros in their place sums have fewer terms, and some no rounding at all, which decides how narrow a gap can be proved.
constexpr double kFactoredZero = 1e-8;

// Position of entry i >= j in svec of a matrix.
Index svec_place(Index order, Index i, Index j) { return j * order - j * (j - 1) / 2 + i - j; }

class FactoredRay {
 public:
  FactoredRay(const ConicForm& form, const Vector& z, double cut) : form_(form), z_(z / z.lpNorm<Eigen::Infinity>()) {
    absolute_ = form.G.cwiseAbs();
    Index first = 0;
    for (const Cone& cone : form.cones) {
      add(cone, first, cut);
      first += cone.rows;
    }
  }

  double work() const {
    const auto n = static_cast<double>(form_.variables()), u = static_cast<double>(unknowns_);
    return n * u * std::min(n, u);
  }

  // z that balances, with as many zeros as it can have, or nothing.
  std::optional<Vector> balanced() {
    std::optional<Vector> best = balance();
    if (!best) return best;
    set_zeros();
    if (std::optional<Vector> sparser = balance()) best = std::move(sparser);
    return best;
  }

 private:
  struct Block {
    Index first, order;
    Matrix C;
    Vector lengths;  // of its columns at the start: what a change is measured by
    Matrix wanted;   // 0 where an entry stays 0, else 1
  };

  struct Root {
    Index row;
    double value;
  };

  std::optional<Vector> balance() {
    multiply();
    double residual = imbalance();
    for (int k = 0; unknowns_ > 0 && k < kFactoredSteps && residual > 0.0; ++k) {
      step();
      multiply();
      const double before = std::exchange(residual, imbalance());
      if (!(residual < kFactoredDecrease * before)) break;
    }
    if (!(residual <= rounding()) || !(form_.h.dot(z_) < 0.0)) return std::nullopt;
    return z_;
  }

  // G'dz = -G'z and z'dz = 0: G'z = 0 has the solution 0, too, which proves nothing.
  void step() {
    const Index n = form_.variables();
    const SparseMatrix D = derivative();
    Matrix J(n + 1, unknowns_);
    J.topRows(n) = form_.G.transpose() * D;
    J.row(n) = D.transpose() * z_;
    Vector rhs = Vector::Zero(n + 1);
    rhs.head(n) = -(form_.G.transpose() * z_);
    apply(OrthogonalFactor(J).solve(rhs));
  }

  void set_zeros() {
    std::erase_if(free_, [&](Index row) {
      if (std::abs(z_[row]) > kFactoredZero) return false;
      z_[row] = 0.0;
      --unknowns_;
      return true;
    });
    for (Block& b : blocks_) {
      const Vector least = kFactoredZero * b.lengths;
      for (Index j = 0; j < b.C.cols(); ++j) b.wanted.col(j) = (b.C.col(j).array().abs() > least[j]).cast<double>();
      b.C = b.C.cwiseProduct(b.wanted);
    }
  }

  void add(const Cone& cone, Index first, double cut) {
    if (cone.kind == ConeKind::zero) {
      for (Index i = first; i < first + cone.rows; ++i) free_.push_back(i);
      unknowns_ += cone.rows;
    } else if (cone.kind == ConeKind::nonnegative) {
      for (Index i = first; i < first + cone.rows; ++i) {
        if (!(z_[i] > cut)) continue;
        roots_.push_back({i, std::sqrt(z_[i])});
        ++unknowns_;
      }
    } else if (cone.kind == ConeKind::semidefinite) {
      add_matrix(z_.segment(first, cone.rows), first, cut);
    }
  }

  void add_matrix(ConstVectorRef packed, Index first, double cut) {
    const Matrix Z = smat(packed);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(Z);
    const Vector& values = solver.eigenvalues();  // ascending
    const Index order = Z.rows(), kept = (values.array() > cut).count();
    const Vector lengths = values.tail(kept).cwiseSqrt();
    blocks_.push_back({first, order, solver.eigenvectors().rightCols(kept) * lengths.asDiagonal(), lengths,
                       Matrix::Ones(order, kept)});
    unknowns_ += order * kept;
  }

  // z from its factors.
  void multiply() {
    Index first = 0;
    for (const Cone& cone : form_.cones) {
      if (cone.kind == ConeKind::nonnegative) z_.segment(first, cone.rows).setZero();
      first += cone.rows;
    }
    for (const Root& root : roots_) z_[root.row] = root.value * root.value;
    for (const Block& b : blocks_) z_.segment(b.first, svec_size(b.order)) = svec(Matrix(b.C * b.C.transpose()));
  }

  double imbalance() const { return (form_.G.transpose() * z_).lpNorm<Eigen::Infinity>(); }
  double rounding() const {
    return kFactoredRounding * (absolute_.transpose() * z_.cwiseAbs()).lpNorm<Eigen::Infinity>();
  }

  // dz / d(unknowns), each unknown in units of its own size.
  SparseMatrix derivative() const {
    std::vector<Eigen::Triplet<double>> entries;
    Index k = 0;
    const auto put = [&](Index row, double value) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(k), value);
    };
    for (const Index row : free_) put(row, 1.0), ++k;
    for (const Root& root : roots_) put(root.row, 2.0 * root.value * root.value), ++k;
    for (const Block& b : blocks_) {
      for (Index j = 0; j < b.C.cols(); ++j) {
        for (Index a = 0; a < b.order; ++a, ++k) {
          for (Index i = 0; i < b.order; ++i) {
            const double change = b.wanted(a, j) * b.lengths[j] * b.C(i, j) * (i == a ? 2.0 : svec_scale(i, a));
            put(b.first + svec_place(b.order, std::max(i, a), std::min(i, a)), change);
          }
        }
      }
    }
    SparseMatrix out(form_.rows(), unknowns_);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  void apply(const Vector& d) {
    Index k = 0;
    for (const Index row : free_) z_[row] += d[k++];
    for (Root& root : roots_) root.value *= 1.0 + d[k++];
    for (Block& b : blocks_) {
      for (Index j = 0; j < b.C.cols(); ++j) {
        b.C.col(j) += b.lengths[j] * d.segment(k, b.order).cwiseProduct(b.wanted.col(j));
        k += b.order;
      }
    }
  }

  const ConicForm& form_;
  SparseMatrix absolute_;
  Vector z_;
  std::vector<Index> free_;  // rows of zero cones
  std::vector<Root> roots_;
  std::vector<Block> blocks_;
  Index unknowns_ = 0;
};

}  // namespace

std::optional<Vector> factored_ray(const ConicForm& form, const Vector& z, double cut) {
  if (z.size() == 0 || !(z.lpNorm<Eigen::Infinity>() > 0.0) || !z.allFinite()) return std::nullopt;
  FactoredRay ray(form, z, cut);
  return ray.work() <= kMostFactoredWork ? ray.balanced() : std::nullopt;
}

}  // namespace pliant
