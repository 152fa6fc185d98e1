#include "objective/multinomial.hpp"

#include "checks/array_checks.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/rounding.hpp"
#include "linalg/row_blocks.hpp"
#include "pliant/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {

using parallel::Scratch;

MultinomialTerm::MultinomialTerm(DataMatrix A, Indices labels, Index classes)
    : A_(std::move(A)), labels_(std::move(labels)), classes_(classes) {
  if (A_.rows() == 0 || A_.cols() == 0) {
    throw InputError(fmt::format("multinomial: A is empty ({} x {})", A_.rows(), A_.cols()));
  }
  if (classes_ < 2) throw InputError(fmt::format("multinomial: classes: expected at least 2, got {}", classes_));
  expect_entries("multinomial: labels", A_.rows(), labels_.size());
  block_ = rows_per_block(A_, classes_);
  chunks_ = row_chunks(A_, dimension());
}

void MultinomialTerm::margins(ConstVectorRef x, Rows rows, Index stride, double* z) const {
  for (Index c = 0; c < classes_; ++c) A_.multiply(x.data() + c * A_.cols(), rows, z + c * stride);
}

// ln sum_c exp(z_c) = top + ln sum_c exp(z_c - top): no exponent is positive.
double MultinomialTerm::softmax(Rows rows, Index stride, double* z) const {
  double losses = 0.0;
  for (Index k = 0; k < rows.size(); ++k) {
    double top = z[k];
    for (Index c = 1; c < classes_; ++c) top = std::max(top, z[c * stride + k]);
    const double below_top = top - z[labels_[rows[k]] * stride + k];
    double total = 0.0;
    for (Index c = 0; c < classes_; ++c) total += z[c * stride + k] = std::exp(z[c * stride + k] - top);
    for (Index c = 0; c < classes_; ++c) z[c * stride + k] /= total;
    losses += below_top + std::log(total);
  }
  return losses;
}

double MultinomialTerm::value(ConstVectorRef x) const {
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, block_ * classes_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      margins(x, rows, block_, z);
      *partial += softmax(rows, block_, z);
    });
  };
  double sum = 0.0;
  parallel::reduce_chunks(chunks_, 1, std::ref(add_chunk), &sum);
  return share() * sum;
}

Growth MultinomialTerm::growth(ConstVectorRef, ConstVectorRef d) const {
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, block_ * classes_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      margins(d, rows, block_, z);
      for (Index k = 0; k < rows.size(); ++k) {
        double top = z[k];
        for (Index c = 1; c < classes_; ++c) top = std::max(top, z[c * block_ + k]);
        *partial += top - z[labels_[rows[k]] * block_ + k];
      }
    });
  };
  double sum = 0.0;
  parallel::reduce_chunks(chunks_, 1, std::ref(add_chunk), &sum);
  return {share() * sum, 0.0};
}

// As for log_sum_exp constraints: with Z = max_c |a_i||x_c| each probability moves by 4 Z relative to itself, to first
// order, and the loss by 2 Z.
double MultinomialTerm::add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const {
  constexpr double kFirstOrder = 1e-3;
  const Index n = dimension(), d = A_.cols();
  const Vector size_of_x = x.cwiseAbs();
  const double largest = kFirstOrder / gamma_of(static_cast<double>(rounding_length()));
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* p = parallel::scratch(Scratch::values, classes_);
    for (Index i = begin; i < end; ++i) {
      margins(x, Rows::range(i, 1), 1, p);
      const double loss = softmax(Rows::range(i, 1), 1, p);
      double inner = 0.0;
      for (Index c = 0; c < classes_; ++c) inner = std::max(inner, absolute_dot(A_, i, size_of_x.data() + c * d));
      if (!(inner < largest)) inner = kInfinity;
      for (Index c = 0; c < classes_; ++c) {
        const double own = c == labels_[i] ? 1.0 : 0.0;
        absolute_axpy(A_, i, own + p[c] * (1.0 + 8.0 * inner), partial + c * d);
      }
      partial[n] += 1.0 + std::abs(loss) + 4.0 * inner;
    }
  };
  Vector sum = Vector::Zero(n + 1);
  parallel::reduce_chunks(chunks_, n + 1, std::ref(add_chunk), sum.data());
  gradient_sizes += (weight * share()) * sum.head(n);
  return share() * sum[n];
}

Index MultinomialTerm::rounding_length() const {
  constexpr Index kOwnRoundings = 32;
  return A_.cols() + classes_ + kOwnRoundings + A_.rows() / chunks_.count + 1 + chunks_.count;
}

double MultinomialTerm::add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const {
  const Index n = dimension();
  const auto add_chunk = [&](Index, Index begin, Index end, double* partial) {
    double* z = parallel::scratch(Scratch::values, block_ * classes_);
    for_blocks(begin, end, block_, [&](Rows rows) {
      margins(x, rows, block_, z);
      partial[n] += softmax(rows, block_, z);
      for (Index k = 0; k < rows.size(); ++k) z[labels_[rows[k]] * block_ + k] -= 1.0;
      for (Index c = 0; c < classes_; ++c) A_.add_transposed(rows, z + c * block_, partial + c * A_.cols());
    });
  };
  double* sum = parallel::scratch(Scratch::kernel, n + 1);
  std::fill_n(sum, n + 1, 0.0);
  parallel::reduce_chunks(chunks_, n + 1, std::ref(add_chunk), sum);
  gradient += (weight * share()) * Eigen::Map<const Vector>(sum, n);
  return share() * sum[n];
}

// One symmetric block of H per pair of classes e >= c. Blocks are independent, so each is summed over
// the rows by one thread.
void MultinomialTerm::add_hessian(ConstVectorRef x, double weight, MatrixRef H) const {
  const Index rows = A_.rows();
  const Index d = A_.cols();
  Matrix probabilities(rows, classes_);
  const auto fill_chunk = [&](Index, Index begin, Index end) {
    const Rows part = Rows::range(begin, end - begin);
    margins(x, part, rows, probabilities.data() + begin);
    softmax(part, rows, probabilities.data() + begin);
  };
  parallel::for_chunks(chunks_, std::ref(fill_chunk));

  const double scale = weight * share();
  const auto add_pair = [&](Index pair, Index, Index) {
    Index e = 0;
    while ((e + 1) * (e + 2) / 2 <= pair) ++e;
    const Index c = pair - e * (e + 1) / 2;
    Matrix block = Matrix::Zero(d, d);
    double* w = parallel::scratch(Scratch::weights, block_);
    for_blocks(0, rows, block_, [&](Rows part) {
      for (Index k = 0; k < part.size(); ++k) {
        const double p = probabilities(part[k], e);
        w[k] = scale * p * (c == e ? 1.0 - p : -probabilities(part[k], c));
      }
      A_.add_gram(part, w, block);
    });
    auto target = H.block(e * d, c * d, d, d);
    if (c == e) {
      target.triangularView<Eigen::Lower>() += block;
    } else {
      target += Matrix(block.selfadjointView<Eigen::Lower>());
    }
  };
  const Index pairs = classes_ * (classes_ + 1) / 2;
  parallel::for_chunks(parallel::Chunks{pairs, pairs}, std::ref(add_pair));
}

double MultinomialTerm::component_value(Index i, ConstVectorRef x) const {
  double* z = parallel::scratch(Scratch::values, classes_);
  margins(x, Rows::range(i, 1), 1, z);
  return share() * softmax(Rows::range(i, 1), 1, z);
}

void MultinomialTerm::add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const {
  double* z = parallel::scratch(Scratch::values, classes_);
  margins(x, Rows::range(i, 1), 1, z);
  softmax(Rows::range(i, 1), 1, z);
  z[labels_[i]] -= 1.0;
  for (Index c = 0; c < classes_; ++c) A_.axpy(i, weight * share() * z[c], gradient.data() + c * A_.cols());
}

double MultinomialTerm::smoothness() const {
  return 0.5 * share() * gram_.get([&] { return gram_eigenvalues(A_, false); }).upper;
}

double MultinomialTerm::component_smoothness(Index i) const { return 0.5 * share() * squared_norm_bound(A_, i); }

void MultinomialTerm::validate() const {
  A_.validate("multinomial: A");
  for (Index i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0 || labels_[i] >= classes_) {
      throw InputError(fmt::format("multinomial: labels: entry {} is {}, expected 0..{}", i, labels_[i], classes_ - 1));
    }
  }
}

TermPtr multinomial(DataMatrix A, Indices labels, Index classes) {
  return std::make_shared<MultinomialTerm>(std::move(A), std::move(labels), classes);
}

}  // namespace pliant
