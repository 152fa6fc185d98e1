#include "constraints/row_selection.hpp"

namespace pliant {

void RowSelection::select(std::vector<Index> rows) {
  rows_ = std::move(rows);
  parts_.clear();
  Index position = 0;
  for (Index s = 0; s < system_.segments(); ++s) {
    Part part{s, position, {}};
    const Index begin = system_.segment_begin(s);
    const Index end = begin + system_.batch(s).size();
    for (; position < size() && rows_[static_cast<std::size_t>(position)] < end; ++position) {
      part.local.push_back(rows_[static_cast<std::size_t>(position)] - begin);
    }
    if (!part.local.empty()) parts_.push_back(std::move(part));
  }
}

void RowSelection::values(ConstVectorRef x, VectorRef a) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    system_.batch(p.segment).values(x, rows, a.segment(p.begin, rows.size()));
    system_.charge(p.segment, rows);
  }
}

void RowSelection::values_and_gradient_norms(ConstVectorRef x, VectorRef a, VectorRef norms) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    system_.batch(p.segment).values_and_gradient_norms(x, rows, a.segment(p.begin, rows.size()),
                                                       norms.segment(p.begin, rows.size()));
    system_.charge(p.segment, rows);
  }
}

void RowSelection::slopes(ConstVectorRef x, ConstVectorRef d, VectorRef slope) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const ConstraintBatch& batch = system_.batch(p.segment);
    batch.prepare_line(x, d, rows, line_);
    unused_.resize(rows.size());
    batch.line_values(line_, 0.0, unused_, slope.segment(p.begin, rows.size()));
    system_.charge(p.segment, rows);
  }
}

void RowSelection::add_weighted_gradient(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    system_.batch(p.segment).add_weighted_gradient(x, rows, w.segment(p.begin, rows.size()), gradient);
    system_.charge(p.segment, rows);
  }
}

void RowSelection::add_weighted_derivatives(ConstVectorRef x, ConstVectorRef w, ConstVectorRef curvature,
                                            ConstVectorRef outer, VectorRef gradient, MatrixRef H) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    system_.batch(p.segment).add_weighted_derivatives(x, rows, w.segment(p.begin, count),
                                                      curvature.segment(p.begin, count), outer.segment(p.begin, count),
                                                      gradient, H);
    system_.charge(p.segment, rows);
  }
}

}  // namespace pliant
