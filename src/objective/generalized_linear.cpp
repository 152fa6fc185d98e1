#include "objective/generalized_linear.hpp"

#include "checks/array_checks.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/row_blocks.hpp"
#include "linalg/sums.hpp"
#include "pliant/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {

using parallel::Scratch;

template <class Loss>
GeneralizedLinearTerm<Loss>::GeneralizedLinearTerm(std::string_view kind, std::string_view field, DataMatrix A,
                                                   Doubles targets, Loss loss)
    : kind_(kind), field_(field), A_(std::move(A)), targets_(std::move(targets)), loss_(loss) {
  if (A_.rows() == 0 || A_.cols() == 0) {
    throw InputError(fmt::format("{}: A is empty ({} x {})", kind_, A_.rows(), A_.cols()));
  }
  expect_entries(fmt::format("{}: {}", kind_, field_), A_.rows(), targets_.size());
  block_ = rows_per_block(A_, 3);
  chunks_ = row_chunks(A_, A_.cols());
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::evaluate_block(const double* x, Rows rows, double* z, double* derivatives) const {
  A_.multiply(x, rows, z);
  loss_.evaluate(rows.size(), z, targets_.data() + rows.first(), z + block_, derivatives);
  return pairwise_sum(0, rows.size(), [&](Index k) { return z[block_ + k]; });
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::value(ConstVectorRef x) const {
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, 2 * block_);
    double* derivatives = parallel::scratch(Scratch::weights, block_);
    for_blocks(begin, end, block_, [&](Rows rows) { *partial += evaluate_block(x.data(), rows, z, derivatives); });
  };
  double sum = 0.0;
  parallel::reduce_chunks(chunks_, 1, std::ref(add_chunk), &sum);
  return share() * sum;
}

template <class Loss>
Growth GeneralizedLinearTerm<Loss>::growth(ConstVectorRef x, ConstVectorRef d) const {
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, 2 * block_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      A_.multiply(x.data(), rows, z);
      A_.multiply(d.data(), rows, z + block_);
      for (Index k = 0; k < rows.size(); ++k) {
        const Growth one = loss_.growth(z[k], z[block_ + k], targets_[rows[k]]);
        partial[0] += one.slope;
        partial[1] += one.curvature;
      }
    });
  };
  double sum[2] = {0.0, 0.0};
  parallel::reduce_chunks(chunks_, 2, std::ref(add_chunk), sum);
  return {share() * sum[0], share() * sum[1]};
}

// Z_i = |a_i||x| + |t_i| is what a_i'x and its difference to the target are computed from. A derivative moves by at most
// the bound c of the second one times what its argument is off by, a value by that times |loss'| + c Z_i.
template <class Loss>
double GeneralizedLinearTerm<Loss>::add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const {
  const Index n = dimension();
  const Vector size_of_x = x.cwiseAbs();
  const double curvature = loss_.curvature_bound();
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    for (Index i = begin; i < end; ++i) {
      const double inner = absolute_dot(A_, i, size_of_x.data()) + std::abs(targets_[i]);
      const double z = A_.dot(i, x.data());
      const double slope = std::abs(loss_.derivative(z, targets_[i])) + curvature * inner;
      absolute_axpy(A_, i, slope, partial);
      partial[n] += std::abs(loss_.value(z, targets_[i])) + slope * inner;
    }
  };
  Vector sum = Vector::Zero(n + 1);
  parallel::reduce_chunks(chunks_, n + 1, std::ref(add_chunk), sum.data());
  gradient_sizes += (weight * share()) * sum.head(n);
  return share() * sum[n];
}

// A margin of n products, functions of one number, then the rows of a chunk and the tree of the chunks.
template <class Loss>
Index GeneralizedLinearTerm<Loss>::rounding_length() const {
  constexpr Index kOwnRoundings = 32;  // exp and log1p are good to a few units in the last place
  return A_.cols() + kOwnRoundings + A_.rows() / chunks_.count + 1 + chunks_.count;
}

// One read: the rows of a block stay in cache between their margins and their share of the gradient.
// Partial sums hold the gradient and, behind it, the value.
template <class Loss>
double GeneralizedLinearTerm<Loss>::add_gradient_and_slopes(ConstVectorRef x, double weight, VectorRef gradient,
                                                            double* slopes) const {
  const Index n = dimension();
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, 2 * block_);
    double* derivatives = parallel::scratch(Scratch::weights, block_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      partial[n] += evaluate_block(x.data(), rows, z, derivatives);
      A_.add_transposed(rows, derivatives, partial);
      if (slopes != nullptr) std::copy_n(derivatives, rows.size(), slopes + rows.first());
    });
  };
  double* sum = parallel::scratch(Scratch::kernel, n + 1);
  std::fill_n(sum, n + 1, 0.0);
  parallel::reduce_chunks(chunks_, n + 1, std::ref(add_chunk), sum);
  gradient += (weight * share()) * Eigen::Map<const Vector>(sum, n);
  return share() * sum[n];
}

template <class Loss>
void GeneralizedLinearTerm<Loss>::add_hessian(ConstVectorRef x, double weight, MatrixRef H) const {
  const double scale = weight * share();
  add_gram_parallel(
      A_,
      [&](Rows rows, double* w) {
        double* z = parallel::scratch(Scratch::values, rows.size());
        A_.multiply(x.data(), rows, z);
        loss_.curvatures(rows.size(), z, targets_.data() + rows.first(), w);
        for (Index k = 0; k < rows.size(); ++k) w[k] *= scale;
      },
      H);
}

template <class Loss>
void GeneralizedLinearTerm<Loss>::margins(ConstVectorRef x, Vector& out) const {
  out.resize(A_.rows());
  const auto rows = [&](Index, Index begin, Index end) {
    A_.multiply(x.data(), Rows::range(begin, end - begin), out.data() + begin);
  };
  parallel::for_chunks(chunks_, std::ref(rows));
}

template <class Loss>
void GeneralizedLinearTerm<Loss>::prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const {
  line.max_step = kInfinity;
  margins(x, line.inner);
  margins(d, line.inner_d);
}

// (1/l) sum loss(z_i + t dz_i) and (1/l) sum loss'(z_i + t dz_i) dz_i
template <class Loss>
LinePoint GeneralizedLinearTerm<Loss>::line_point(ObjectiveLine& line, double t) const {
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, 2 * block_);
    double* derivatives = parallel::scratch(Scratch::weights, block_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      const Index first = rows.first();
      for (Index k = 0; k < rows.size(); ++k) z[k] = line.inner[first + k] + t * line.inner_d[first + k];
      loss_.evaluate(rows.size(), z, targets_.data() + first, z + block_, derivatives);
      partial[0] += pairwise_sum(0, rows.size(), [&](Index k) { return z[block_ + k]; });
      partial[1] += pairwise_sum(0, rows.size(), [&](Index k) { return derivatives[k] * line.inner_d[first + k]; });
    });
  };
  double sums[2] = {0.0, 0.0};
  parallel::reduce_chunks(chunks_, 2, std::ref(add_chunk), sums);
  return {share() * sums[0], share() * sums[1]};
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::component_value(Index i, ConstVectorRef x) const {
  return share() * loss_.value(A_.dot(i, x.data()), targets_[i]);
}

template <class Loss>
void GeneralizedLinearTerm<Loss>::add_component_gradient(Index i, ConstVectorRef x, double weight,
                                                         VectorRef gradient) const {
  A_.axpy(i, weight * share() * loss_.derivative(A_.dot(i, x.data()), targets_[i]), gradient.data());
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::smoothness() const {
  const EigenvalueBounds& gram = gram_.get([&] { return gram_eigenvalues(A_, Loss::kStronglyConvex); });
  return share() * loss_.curvature_bound() * gram.upper;
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::component_smoothness(Index i) const {
  return share() * loss_.curvature_bound() * squared_norm_bound(A_, i);
}

template <class Loss>
double GeneralizedLinearTerm<Loss>::strong_convexity() const {
  if constexpr (!Loss::kStronglyConvex) {
    return 0.0;
  } else {
    return share() * gram_.get([&] { return gram_eigenvalues(A_, true); }).lower;
  }
}

template <class Loss>
void GeneralizedLinearTerm<Loss>::validate() const {
  A_.validate(fmt::format("{}: A", kind_));
  expect_finite(fmt::format("{}: {}", kind_, field_), targets_);
}

template class GeneralizedLinearTerm<SquareLoss>;
template class GeneralizedLinearTerm<LogisticLoss>;
template class GeneralizedLinearTerm<HuberLoss>;

LeastSquaresTerm::LeastSquaresTerm(DataMatrix A, Doubles b)
    : GeneralizedLinearTerm("least_squares", "b", std::move(A), std::move(b), SquareLoss{}) {}

LogisticTerm::LogisticTerm(DataMatrix A, Doubles y)
    : GeneralizedLinearTerm("logistic", "y", std::move(A), std::move(y), LogisticLoss{}) {}

void LogisticTerm::validate() const {
  GeneralizedLinearTerm::validate();
  for (Index i = 0; i < y().size(); ++i) {
    if (y()[i] != 1.0 && y()[i] != -1.0) {
      throw InputError(fmt::format("logistic: y: entry {} is {}, expected -1 or 1", i, y()[i]));
    }
  }
}

HuberTerm::HuberTerm(DataMatrix A, Doubles b, double k)
    : GeneralizedLinearTerm("huber", "b", std::move(A), std::move(b), HuberLoss{k}) {
  expect_positive("huber: k", k);
}

TermPtr least_squares(DataMatrix A, Doubles b) {
  return std::make_shared<LeastSquaresTerm>(std::move(A), std::move(b));
}

TermPtr logistic(DataMatrix A, Doubles y) { return std::make_shared<LogisticTerm>(std::move(A), std::move(y)); }

TermPtr huber(DataMatrix A, Doubles b, double k) { return std::make_shared<HuberTerm>(std::move(A), std::move(b), k); }

}  // namespace pliant
