#include "engines/conic/semidefinite_orthogonal.hpp"

#include "linalg/dense_blocks.hpp"
#include "parallel/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pliant {
namespace {

// Q'M and W are computed twice, so that what the first projection leaves is that of rounding once more.
constexpr int kProjections = 2;
constexpr Index kMostColumnChunks = 64;

Index stacked_rows(const SemidefiniteForm& form) {
  Index rows = form.b.size();
  for (const SemidefiniteBlock& block : form.blocks) rows += block.order * block.order;
  return rows;
}

Matrix lower(const Matrix& factor) { return factor.triangularView<Eigen::Lower>(); }

Eigen::Map<Matrix> as_matrix(Vector& v, Index first, Index order) { return {v.data() + first, order, order}; }

}  // namespace

double OrthogonalNewton::operations(const SemidefiniteForm& form) {
  const auto columns = static_cast<double>(form.variables());
  return static_cast<double>(stacked_rows(form)) * columns * columns;
}

// Columns A' F_i C^-T of a block: over the rows where F_i is not 0 alone.
void OrthogonalNewton::fill_block(std::size_t b, Index first_row, Matrix& B) const {
  const SemidefiniteBlock& block = form_.blocks[b];
  const auto count = static_cast<Index>(block.variables.size());
  const Index bytes = count * block.order * block.order * static_cast<Index>(sizeof(double));
  const Matrix A_transposed = A_[b].transpose();
  parallel::for_chunks(parallel::make_chunks(count, bytes, kMostColumnChunks), [&](Index, Index begin, Index end) {
    Matrix across(block.order, block.order);  // (F_i C^-T)', column by column
    std::vector<bool> touched(static_cast<std::size_t>(block.order));
    for (Index k = begin; k < end; ++k) {
      std::fill(touched.begin(), touched.end(), false);
      across.setZero();
      const auto place = static_cast<std::size_t>(k);
      for (Index p = block.starts[place]; p < block.starts[place + 1]; ++p) {
        const SemidefiniteBlock::Entry& e = block.entries[static_cast<std::size_t>(p)];
        across.col(e.row) += e.value * C_inverse_[b].col(e.column);
        if (e.row != e.column) across.col(e.column) += e.value * C_inverse_[b].col(e.row);
        touched[static_cast<std::size_t>(e.row)] = touched[static_cast<std::size_t>(e.column)] = true;
      }
      Eigen::Map<Matrix> out(B.data() + block.variables[place] * B.rows() + first_row, block.order, block.order);
      for (Index r = 0; r < block.order; ++r) {
        if (touched[static_cast<std::size_t>(r)]) out.noalias() += A_transposed.col(r) * across.col(r).transpose();
      }
    }
  });
}

bool OrthogonalNewton::factorize(const SemidefinitePoint& at) {
  const std::size_t blocks = form_.blocks.size();
  A_.resize(blocks);
  C_.resize(blocks);
  C_inverse_.resize(blocks);
  Matrix B = Matrix::Zero(stacked_rows(form_), form_.variables());
  Index row = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const Index order = form_.blocks[b].order;
    A_[b] = lower(at.L_factor[b]);
    C_[b] = lower(at.S_factor[b]);
    C_inverse_[b] = C_[b].triangularView<Eigen::Lower>().solve(Matrix::Identity(order, order));
    fill_block(b, row, B);
    row += order * order;
  }
  for (Index i = 0; i < at.s.size(); ++i) {
    const double weight = std::sqrt(at.l[i] / at.s[i]);
    for (Index p = form_.A.starts()[i]; p < form_.A.starts()[i + 1]; ++p) {
      B(row + i, form_.A.columns()[p]) += weight * form_.A.values()[p];
    }
  }
  if (!qr_.factorize(std::move(B))) return false;
  balancing_ = at.rd;
  qr_.solve_transposed(balancing_);
  return balancing_.allFinite();
}

Vector OrthogonalNewton::unrestricted(const SemidefinitePoint& at, double target,
                                      const SemidefiniteDirection* predictor) const {
  Vector out(stacked_rows(form_));
  Index row = 0;
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    const Index order = form_.blocks[b].order;
    const auto A = A_[b].triangularView<Eigen::Lower>();
    const Matrix inverse_transposed = C_inverse_[b].transpose();
    auto M = as_matrix(out, row, order);
    M = -A_[b].transpose() * C_[b];
    M.noalias() += A_[b].transpose() * at.Rp[b] * inverse_transposed;
    Matrix rest = target * inverse_transposed;
    if (predictor != nullptr) rest.noalias() -= predictor->L[b] * predictor->S[b] * inverse_transposed;
    M += A.solve(rest);
    row += order * order;
  }
  Vector m = (Vector::Constant(at.s.size(), target)).cwiseQuotient(at.s) - at.l;
  m += at.rp.cwiseProduct(at.l).cwiseQuotient(at.s);
  if (predictor != nullptr) m -= predictor->s.cwiseProduct(predictor->l).cwiseQuotient(at.s);
  out.tail(at.s.size()) = m.array() * (at.s.array() / at.l.array()).sqrt();
  return out;
}

void OrthogonalNewton::direct(const SemidefinitePoint& at, double target, const SemidefiniteDirection* predictor,
                              SemidefiniteDirection& out) const {
  const Index n = form_.variables();
  Vector W = unrestricted(at, target, predictor);
  out.x = Vector::Zero(n);
  for (int k = 0; k < kProjections; ++k) {
    qr_.multiply_transposed(W);
    out.x += W.head(n) - balancing_;
    W.head(n) = balancing_;
    qr_.multiply(W);
  }
  qr_.solve(out.x);
  Index row = 0;
  for (std::size_t b = 0; b < form_.blocks.size(); ++b) {
    const Index order = form_.blocks[b].order;
    out.S[b] = -at.Rp[b];
    form_.blocks[b].add_combination(out.x, out.S[b]);
    out.L[b] = A_[b] * as_matrix(W, row, order) * C_inverse_[b];
    symmetrize(out.L[b]);
    row += order * order;
  }
  out.s = form_.rows_times(out.x) - at.rp;
  out.l = W.tail(at.s.size()).array() * (at.l.array() / at.s.array()).sqrt();
}

}  // namespace pliant
