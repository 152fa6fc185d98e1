#include "rows/row_subset.hpp"

#include "pliant/constraints.hpp"
#include "rows/gather_rows.hpp"

#include <algorithm>

namespace pliant {
namespace {

// Forwards to the rows of another batch.
class SubsetBatch final : public ConstraintBatch {
 public:
  SubsetBatch(BatchPtr all, std::vector<Index> rows) : all_(std::move(all)), rows_(std::move(rows)) {
    name = all_->name;
  }

  std::string_view family() const override { return all_->family(); }
  Index size() const override { return static_cast<Index>(rows_.size()); }
  Index dimension() const override { return all_->dimension(); }
  /// As behind, but the rows are not those of its data.
  BatchStructure structure() const override {
    const BatchStructure behind = all_->structure();
    BatchStructure out;
    out.group = behind.group;
    out.linear = behind.linear;
    out.has_hessian = behind.has_hessian;
    return out;
  }
  Index bytes(Rows rows) const override { return all_->bytes(Behind(*this, rows).rows()); }
  double constant_scale() const override { return all_->constant_scale(); }
  void constant_magnitudes(Rows rows, VectorRef out) const override {
    all_->constant_magnitudes(Behind(*this, rows).rows(), out);
  }
  void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                         VectorRef gradient_sizes) const override {
    all_->add_absolute_sums(x, Behind(*this, rows).rows(), w, sizes, gradient_sizes);
  }
  Index rounding_length(Rows rows) const override { return all_->rounding_length(Behind(*this, rows).rows()); }
  void convexity_defects(Rows rows, VectorRef defects) const override {
    all_->convexity_defects(Behind(*this, rows).rows(), defects);
  }
  void validate() const override { all_->validate(); }

  void read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const override {
    all_->read_values(x, Behind(*this, rows).rows(), a, sum);
  }
  void read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                   const WeightedGradient* sum) const override {
    all_->read_slopes(x, d, Behind(*this, rows).rows(), slope, sum);
  }
  void read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const override {
    all_->read_derivatives(x, Behind(*this, rows).rows(), sums);
  }
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override {
    all_->read_bounds(x, Behind(*this, rows).rows(), a, norms, smoothness);
  }
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override {
    all_->prepare_line(x, d, Behind(*this, rows).rows(), line);
  }
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override {
    all_->line_values(line, t, a, slope);
  }
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override {
    all_->growth(x, d, Behind(*this, rows).rows(), slope, curvature);
  }
  double component_value(Index i, ConstVectorRef x) const override {
    return all_->component_value(rows_[static_cast<std::size_t>(i)], x);
  }
  void add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const override {
    all_->add_component_gradient(rows_[static_cast<std::size_t>(i)], x, w, gradient);
  }

 protected:
  std::optional<RowConstants> compute_constants() const override {
    const RowConstants* known = all_->constants();
    if (known == nullptr) return std::nullopt;
    RowConstants out{Vector(size()), Vector(size()), Vector(size()), true};
    for (Index k = 0; k < size(); ++k) {
      const Index i = rows_[static_cast<std::size_t>(k)];
      out.smoothness[k] = known->smoothness[i];
      out.growth_constant[k] = known->growth_constant[i];
      out.growth_slope[k] = known->growth_slope[i];
    }
    out.growth_global = out.growth_constant.allFinite();
    return out;
  }

 private:
  // Rows of the batch behind: a part of the list, or a list of its own.
  class Behind {
   public:
    Behind(const SubsetBatch& subset, Rows rows) {
      if (rows.contiguous()) {
        part_ = std::span(subset.rows_)
                    .subspan(static_cast<std::size_t>(rows.first()), static_cast<std::size_t>(rows.size()));
        return;
      }
      own_.reserve(static_cast<std::size_t>(rows.size()));
      for (Index k = 0; k < rows.size(); ++k) own_.push_back(subset.rows_[static_cast<std::size_t>(rows[k])]);
      part_ = own_;
    }
    Behind(const Behind&) = delete;
    Behind& operator=(const Behind&) = delete;
    Rows rows() const { return Rows::list(part_); }

   private:
    std::vector<Index> own_;
    std::span<const Index> part_;
  };

  BatchPtr all_;
  std::vector<Index> rows_;
};

}  // namespace

BatchPtr row_subset(const BatchPtr& batch, std::vector<Index> rows) {
  if (batch->linear_rows() == nullptr) return std::make_shared<SubsetBatch>(batch, std::move(rows));
  const RowPiece piece{batch, std::move(rows)};
  return join_rows({&piece, 1});
}

Problem restrict_rows(const Problem& problem, const std::vector<Index>& rows) {
  Problem out(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) out.minimize(t.term, t.weight);
  out.regularize(problem.prox_ptr());
  Index begin = 0;
  auto next = rows.begin();
  for (const BatchPtr& batch : problem.batches()) {
    const auto last = std::lower_bound(next, rows.end(), begin + batch->size());
    std::vector<Index> local(next, last);
    for (Index& i : local) i -= begin;
    out.subject_to(row_subset(batch, std::move(local)), batch->name);
    begin += batch->size();
    next = last;
  }
  if (problem.has_equalities()) out.equal(problem.equality_matrix(), problem.equality_rhs());
  out.name = problem.name;
  return out;
}

}  // namespace pliant
