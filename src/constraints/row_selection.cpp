#include "constraints/row_selection.hpp"

namespace pliant {

void RowSelection::select(std::vector<Index> rows) {
  rows_ = std::move(rows);
  parts_.clear();
  Index position = 0;
  for (Index s = 0; s < system_.segments(); ++s) {
    Part part{s, position, {}, {}};
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
    system_.batch(p.segment).slopes(x, d, rows, slope.segment(p.begin, rows.size()));
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

void RowSelection::values_and_bounds(ConstVectorRef x, VectorRef a, VectorRef norms, VectorRef smoothness) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    system_.batch(p.segment).values_and_bounds(x, rows, a.segment(p.begin, count), norms.segment(p.begin, count),
                                               smoothness.segment(p.begin, count));
    system_.charge(p.segment, rows);
  }
}

void RowSelection::sweep(ConstVectorRef x, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const auto shifted = [&map, begin = p.begin](Index first, Index k, const double* values, double* weights) {
      map(begin + first, k, values, weights);
    };
    system_.batch(p.segment).sweep(x, rows, shifted, a.segment(p.begin, count), w.segment(p.begin, count), gradient);
    system_.charge(p.segment, rows);
  }
}

void RowSelection::sweep_slopes(ConstVectorRef x, ConstVectorRef d, const WeightMap& map, VectorRef slope, VectorRef w,
                                VectorRef gradient) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const auto shifted = [&map, begin = p.begin](Index first, Index k, const double* slopes, double* weights) {
      map(begin + first, k, slopes, weights);
    };
    system_.batch(p.segment).sweep_slopes(x, d, rows, shifted, slope.segment(p.begin, count), w.segment(p.begin, count),
                                          gradient);
    system_.charge(p.segment, rows);
  }
}

void RowSelection::add_weighted_derivatives(ConstVectorRef x, ConstMatrixRef w, ConstVectorRef curvature,
                                            ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const {
  for (const Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    system_.batch(p.segment).add_weighted_derivatives(x, rows, w.middleRows(p.begin, count),
                                                      curvature.segment(p.begin, count), outer.segment(p.begin, count),
                                                      gradients, H);
    system_.charge(p.segment, rows);
  }
}

void RowSelection::prepare_line(ConstVectorRef x, ConstVectorRef d) {
  for (Part& p : parts_) {
    const Rows rows = Rows::list(p.local);
    system_.batch(p.segment).prepare_line(x, d, rows, p.line);
    system_.charge(p.segment, rows);
  }
}

void RowSelection::line_values(double t, VectorRef a, VectorRef slope) const {
  for (const Part& p : parts_) {
    const auto count = static_cast<Index>(p.local.size());
    system_.batch(p.segment).line_values(p.line, t, a.segment(p.begin, count), slope.segment(p.begin, count));
  }
}

}  // namespace pliant
