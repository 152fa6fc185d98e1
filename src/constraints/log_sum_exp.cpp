#include "constraints/log_sum_exp.hpp"

#include "checks/shape_checks.hpp"
#include "linalg/rounding.hpp"
#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/constraints.hpp"
#include "pliant/rank_update_panel.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr std::string_view kLogSumExpFunction = "log_sum_exp_le";
// Up to this many terms the exact diameter of the A_ik is affordable.
constexpr Index kDiameterTerms = 64;
constexpr Index kLineBlock = 256;

// Turns the inner values z of `count` rows into softmax weights in place and a into ln sum exp z.
// Subtracting the row maximum first keeps exp from overflowing for any z.
void softmax(double* z, Index count, Index terms, double* a) {
  for (Index k = 0; k < count; ++k) {
    VectorMap row(z + k * terms, terms);
    a[k] = row.maxCoeff();
    row.array() -= a[k];
  }
  VectorMap all(z, count * terms);
  all = all.array().exp();
  for (Index k = 0; k < count; ++k) {
    VectorMap row(z + k * terms, terms);
    const double sum = row.sum();
    row /= sum;
    a[k] += std::log(sum);
  }
}

}  // namespace

LogSumExpBatch::LogSumExpBatch(Index m, Index n, Index terms, Doubles A, Doubles b)
    : m_(m), n_(n), terms_(terms), A_(std::move(A)), b_(std::move(b)) {
  expect_at_least(kLogSumExpFunction, "number of constraints", 0, m_);
  expect_at_least(kLogSumExpFunction, "number of variables", 1, n_);
  expect_at_least(kLogSumExpFunction, "number of terms", 1, terms_);
  expect_entries(kLogSumExpFunction, "A", m_ * terms_ * n_, A_.size());
  expect_entries(kLogSumExpFunction, "b", m_ * terms_, b_.size());
}

Index LogSumExpBatch::bytes(Rows rows) const { return rows.size() * terms_ * (n_ + 1) * Index{sizeof(double)}; }

BatchStructure LogSumExpBatch::structure() const {
  BatchStructure out;
  out.arrays = {&A_, &b_};
  return out;
}

StoredForm LogSumExpBatch::stored() const {
  return {"log_sum_exp", {{"A", A_, {m_, terms_, n_}}, {"b", b_, {m_, terms_}}}};
}

double LogSumExpBatch::constant_scale() const { return largest_magnitude(b_); }

void LogSumExpBatch::constant_magnitudes(Rows rows, VectorRef out) const {
  for (Index k = 0; k < rows.size(); ++k) out[k] = offsets(rows[k]).cwiseAbs().maxCoeff();
}

// Inner values are off by a multiple of Z = max_k |A_k||x| + |b_k|. Their logarithm of a sum moves by no more, and each
// softmax weight by 4 times that relative to itself (z_k, the maximum taken away, and both in the sum), to first order:
// where Z is so large that the first order is not all, nothing is known.
void LogSumExpBatch::add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                       VectorRef gradient_sizes) const {
  constexpr double kFirstOrder = 1e-3;
  const Vector size_of_x = x.cwiseAbs();
  const double largest = kFirstOrder / gamma_of(static_cast<double>(inner_length()));
  reduce_rows(
      rows,
      [&](Index k, double* partial) {
        VectorMap p(parallel::scratch(parallel::Scratch::block, terms_), terms_);
        double a = 0.0;
        block_values(x.data(), rows.slice(k, 1), &a, p.data());
        double inner = 0.0;
        for (Index t = 0; t < terms_; ++t) {
          inner = std::max(inner, term(rows[k], t).cwiseAbs().dot(size_of_x) + std::abs(offsets(rows[k])[t]));
        }
        if (!(inner < largest)) inner = kInfinity;
        sizes[k] = 1.0 + std::abs(a) + 2.0 * inner;
        if (w[k] == 0.0) return;
        const double amplified = w[k] * (1.0 + 8.0 * inner);
        for (Index t = 0; t < terms_; ++t) VectorMap(partial, n_) += (amplified * p[t]) * term(rows[k], t).cwiseAbs();
      },
      gradient_sizes);
}

void LogSumExpBatch::block_values(const double* x, Rows rows, double* a, double* scratch) const {
  multiply_stacked(A_.data(), terms_, n_, rows, x, scratch);
  for (Index k = 0; k < rows.size(); ++k) VectorMap(scratch + k * terms_, terms_) += offsets(rows[k]);
  softmax(scratch, rows.size(), terms_, a);
}

void LogSumExpBatch::block_add_gradient(const double*, Rows rows, const double* w, const double* scratch,
                                        double* gradient) const {
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] == 0.0) continue;
    VectorMap(gradient, n_).noalias() +=
        matrix(rows[k]).transpose() * (w[k] * ConstVectorMap(scratch + k * terms_, terms_));
  }
}

void LogSumExpBatch::block_gradient_norms(const double*, Rows rows, const double* scratch, double* norms) const {
  VectorMap gradient(parallel::scratch(parallel::Scratch::block, n_), n_);
  for (Index k = 0; k < rows.size(); ++k) {
    gradient.noalias() = matrix(rows[k]).transpose() * ConstVectorMap(scratch + k * terms_, terms_);
    norms[k] = gradient.norm();
  }
}

// u'Hess u is a variance of A_k'u: at most the largest squared norm, or a quarter of the squared diameter.
void LogSumExpBatch::block_smoothness(Rows rows, double* smoothness) const {
  for (Index k = 0; k < rows.size(); ++k) {
    smoothness[k] = matrix(rows[k]).rowwise().squaredNorm().maxCoeff() * kSquaresMargin;
  }
}

// The centred sum of squares, unlike sum p_k A_k A_k' - g g', does not cancel where the A_k are alike.
void LogSumExpBatch::block_add_hessian(const double*, Rows rows, const double* curvature, const double* outer,
                                       const double* scratch, MatrixRef H) const {
  RankUpdatePanel panel(H);
  auto gradient = panel.spare();
  for (Index k = 0; k < rows.size(); ++k) {
    if (curvature[k] == 0.0 && outer[k] == 0.0) continue;
    const Index i = rows[k];
    const ConstVectorMap p(scratch + k * terms_, terms_);
    gradient.noalias() = matrix(i).transpose() * p;
    for (Index j = 0; j < terms_ && curvature[k] != 0.0; ++j) {
      if (p[j] == 0.0) continue;
      panel.column() = term(i, j) - gradient;
      panel.push(curvature[k] * p[j]);
    }
    if (outer[k] == 0.0) continue;
    panel.column() = gradient;
    panel.push(outer[k]);
  }
  panel.flush();
}

void LogSumExpBatch::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  line.count = rows.size();
  line.degree = -1;
  line.inner.resize(rows.size() * terms_);
  line.inner_d.resize(rows.size() * terms_);
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      double* z = line.inner.data() + k * terms_;
      multiply_pair(matrix(rows[k]).data(), terms_, n_, x.data(), d.data(), z, line.inner_d.data() + k * terms_);
      VectorMap(z, terms_) += offsets(rows[k]);
    }
  });
}

// a(x + t d) = ln sum_k exp(z_k + t dz_k), slope = sum_k p_k dz_k.
void LogSumExpBatch::line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const {
  for_row_chunks(Rows::range(0, line.count), [&](Index begin, Index end) {
    double* z = parallel::scratch(parallel::Scratch::block, kLineBlock * terms_);
    for (Index first = begin; first < end; first += kLineBlock) {
      const Index count = std::min(kLineBlock, end - first);
      VectorMap(z, count * terms_) =
          line.inner.segment(first * terms_, count * terms_) + t * line.inner_d.segment(first * terms_, count * terms_);
      softmax(z, count, terms_, a.data() + first);
      for (Index k = 0; k < count; ++k) {
        slope[first + k] =
            ConstVectorMap(z + k * terms_, terms_).dot(line.inner_d.segment((first + k) * terms_, terms_));
      }
    }
  });
}

void LogSumExpBatch::growth(ConstVectorRef, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const {
  for_row_chunks(rows, [&](Index begin, Index end) {
    VectorMap change(parallel::scratch(parallel::Scratch::block, terms_), terms_);
    for (Index k = begin; k < end; ++k) {
      change.noalias() = matrix(rows[k]) * d;
      slope[k] = change.maxCoeff<Eigen::PropagateNaN>();
    }
  });
  curvature.setZero();
}

RecessionCone LogSumExpBatch::recession_cone() const {
  const Index all = m_ * terms_;
  return {linear_le(DataMatrix::dense(all, n_, A_), Doubles(std::vector<double>(static_cast<std::size_t>(all), 0.0))),
          false};
}

void LogSumExpBatch::validate() const {
  const std::string label = batch_label(kLogSumExpFunction, name);
  expect_finite_rows(label, "A", A_, m_, terms_ * n_);
  expect_finite_rows(label, "b", b_, m_, terms_);
}

// u'Hess u is the variance of A_k'u under the softmax weights: at most a quarter of the squared range,
// and at most the second moment about any centre (the origin, the mean of the A_k).
double LogSumExpBatch::smoothness(Index i) const {
  VectorMap centre(parallel::scratch(parallel::Scratch::block, n_), n_);
  centre = matrix(i).colwise().mean();
  double about_origin = 0.0;
  double about_centre = 0.0;
  for (Index k = 0; k < terms_; ++k) {
    about_origin = std::max(about_origin, term(i, k).squaredNorm());
    about_centre = std::max(about_centre, (term(i, k) - centre).squaredNorm());
  }
  double bound = std::min(about_origin, about_centre);
  if (terms_ > kDiameterTerms) return bound;
  double diameter = 0.0;
  for (Index k = 0; k < terms_; ++k) {
    for (Index l = 0; l < k; ++l) diameter = std::max(diameter, (term(i, k) - term(i, l)).squaredNorm());
  }
  return std::min(bound, 0.25 * diameter);
}

// The gradient is a convex combination of the A_ik: C0 = max_k |A_ik|^2, C1 = 0.
std::optional<RowConstants> LogSumExpBatch::compute_constants() const {
  RowConstants c{Vector(m_), Vector(m_), Vector::Zero(m_), true};
  for_row_chunks(Rows::range(0, m_), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      c.smoothness[i] = smoothness(i) * kSquaresMargin;
      c.growth_constant[i] = matrix(i).rowwise().squaredNorm().maxCoeff() * kSquaresMargin;
    }
  });
  return c;
}

BatchPtr log_sum_exp_le(Tensor A, Tensor b) {
  Shapes shapes(kLogSumExpFunction);
  shapes.expect("A", A, {"m", "k", "n"}).expect("b", b, {"m", "k"});
  return std::make_shared<LogSumExpBatch>(shapes["m"], shapes["n"], shapes["k"], A.values(), b.values());
}

}  // namespace pliant
