#include "rows/row_block.hpp"

#include "constraints/rank_one.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pliant {
namespace {

Problem problem_of_rows(std::vector<BatchPtr> batches) {
  Problem out(batches.empty() ? 1 : batches.front()->dimension());  // no row: nothing is ever evaluated
  for (BatchPtr& batch : batches) {
    std::string name = batch->name;
    out.subject_to(std::move(batch), std::move(name));
  }
  return out;
}

}  // namespace

std::vector<BatchPtr> in_coordinates(const std::vector<BatchPtr>& batches, const Matrix& R) {
  std::vector<BatchPtr> out;
  for (const BatchPtr& batch : batches) {
    const RankOneBatch* rank_one = batch->structure().rank_one;
    if (rank_one == nullptr) {
      throw InputError(fmt::format("rows of family {} know no other coordinates", batch->family()));
    }
    out.push_back(rank_one->in_coordinates(R));
  }
  return out;
}

RowBlock::Copies::Copies(std::vector<BatchPtr> batches, ConstraintSystem& account)
    : problem(problem_of_rows(std::move(batches))), system(problem, &account) {}

RowBlock::RowBlock(std::vector<Index> rows, ConstraintSystem& original, ConstraintSystem& present)
    : rows_(std::move(rows)), original_(original), moved_(present), present_(&original_) {
  original_.select(rows_);
  if (&original == &present) return;
  moved_.select(rows_);
  present_ = &moved_;
}

RowBlock::RowBlock(std::vector<Index> rows, std::vector<BatchPtr> copies, const Matrix& R, ConstraintSystem& account)
    : rows_(std::move(rows)), present_(&original_) {
  std::vector<Index> all(rows_.size());
  std::iota(all.begin(), all.end(), Index{0});
  if (R.size() > 0) {
    moved_copies_ = std::make_unique<Copies>(in_coordinates(copies, R), account);
    moved_ = RowSelection(moved_copies_->system);
    moved_.select(all);
    present_ = &moved_;
  }
  copies_ = std::make_unique<Copies>(std::move(copies), account);
  original_ = RowSelection(copies_->system);
  original_.select(std::move(all));
}

}  // namespace pliant
