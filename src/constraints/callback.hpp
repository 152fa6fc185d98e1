// Constraints given by the caller's functions.
//
// The functions are called from the calling thread only, with blocks of rows, and never more often than
// needed: rows of weight 0 are not asked for.
#pragma once

#include "pliant/constraints.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

class CallbackBatch final : public RowBlockBatch {
 public:
  CallbackBatch(Index m, Index n, CallbackFunctions functions, std::optional<RowConstants> constants,
                std::optional<Approximation> approximates);

  std::string_view family() const override { return "callback"; }
  Index size() const override { return m_; }
  Index dimension() const override { return n_; }
  /// The data behind a function are unknown: counted as one gradient per row.
  Index bytes(Rows rows) const override { return rows.size() * n_ * Index{sizeof(double)}; }
  double constant_scale() const override { return 0.0; }
  BatchStructure structure() const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override;
  void validate() const override;

 protected:
  bool concurrent() const override { return false; }
  void block_values(const double* x, Rows rows, double* a, double* scratch) const override;
  void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                          double* gradient) const override;
  void block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const override;
  void block_slopes(const double* x, const double* d, Rows rows, const double* scratch, double* slopes) const override;
  void block_smoothness(Rows rows, double* smoothness) const override;
  /// Needs the hessian function if some curvature weight is not 0; throws InputError without it.
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                         const double* scratch, MatrixRef H) const override;
  std::optional<RowConstants> compute_constants() const override { return given_constants_; }

 private:
  Index m_;
  Index n_;
  CallbackFunctions functions_;
  std::optional<RowConstants> given_constants_;
  std::optional<Approximation> approximates_;
};

}  // namespace pliant
