#include "run/problem_view.hpp"

#include "parallel/long_vectors.hpp"
#include "rows/row_subset.hpp"

#include <algorithm>

namespace pliant {

ProblemView::ProblemView(const Problem& problem, ConstraintSystem& system) : all_(problem), system_(system) {}

Index ProblemView::dropped() const { return reduced() ? system_.inequalities() - static_cast<Index>(rows_.size()) : 0; }

// Sides of equalities follow the inequalities, and all of them stay.
Index ProblemView::original(Index position) const {
  if (!reduced()) return position;
  const auto kept = static_cast<Index>(rows_.size());
  return position < kept ? rows_[static_cast<std::size_t>(position)] : position - kept + system_.inequalities();
}

Vector ProblemView::expand(ConstVectorRef multipliers) const {
  if (!reduced()) return parallel::copy(multipliers);
  Vector all = parallel::constant(system_.size(), 0.0);
  for (Index k = 0; k < multipliers.size(); ++k) all[original(k)] = multipliers[k];
  return all;
}

void ProblemView::keep(const std::vector<Index>& positions) {
  const Index inequalities = system().inequalities();
  std::vector<Index> rows;
  for (const Index k : positions) {
    if (k < inequalities) rows.push_back(original(k));
  }
  auto part = std::make_shared<Part>(restrict_rows(all_, rows), system_);
  double copied = 0.0;
  for (const BatchPtr& batch : part->problem.batches()) {
    if (batch->linear_rows() != nullptr) copied += static_cast<double>(batch->bytes(Rows::range(0, batch->size())));
  }
  system_.charge_components(0, copied);
  part_ = std::move(part);
  rows_ = std::move(rows);
}

void ProblemView::stand_for_all(Problem with_rows, std::vector<Index> held, double others_below) {
  part_ = std::make_shared<Part>(std::move(with_rows), system_);
  part_->stands_for_all = true;
  part_->held = std::move(held);
  part_->others_below = others_below;
}

}  // namespace pliant
