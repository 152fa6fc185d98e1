#include "rows/row_selection.hpp"

#include <algorithm>

namespace pliant {

void RowSelection::select(std::vector<Index> rows) {
  rows_ = std::move(rows);
  split_rows();
}

void RowSelection::select(const RowSelection& all, const std::vector<Index>& positions) {
  system_ = all.system_;
  grams_ = all.grams_;
  rows_.clear();
  rows_.reserve(all.rows_.size());
  for (const Index k : positions) rows_.push_back(all.rows_[static_cast<std::size_t>(k)]);
  // As many parts as there can be, each as long as it can be.
  while (parts_.size() < all.part_count_) parts_.emplace_back();
  std::size_t longest = 0;
  for (const Part& p : all.parts()) longest = std::max(longest, p.local.size());
  for (Part& p : parts_) p.local.reserve(longest);
  cones_.reserve(all.cones_.size());
  split_rows();
}

void RowSelection::split_rows() {
  part_count_ = 0;
  cones_.clear();
  Index position = 0;
  for (Index s = 0; s < system_->segments() && position < size(); ++s) {
    const Index begin = system_->segment_begin(s);
    const Index end = begin + system_->batch(s).size();
    if (rows_[static_cast<std::size_t>(position)] >= end) continue;
    if (part_count_ == parts_.size()) parts_.emplace_back();
    Part& part = parts_[part_count_];
    part.segment = s;
    part.begin = position;
    part.local.clear();
    for (; position < size() && rows_[static_cast<std::size_t>(position)] < end; ++position) {
      part.local.push_back(rows_[static_cast<std::size_t>(position)] - begin);
    }
    if (part.local.empty()) continue;
    if (const SpectralBatch* cones = system_->batch(s).structure().eigenvalues) {
      const Index count = static_cast<Index>(part.local.size()) / cones->group() * cones->cones().shape().rows;
      cones_.push_back({cones, part_count_, dual_size(), count});
    }
    ++part_count_;
  }
}

Index RowSelection::group(Index position) const {
  const auto after = [](Index k, const Part& p) { return k < p.begin; };
  const Part& part = *std::prev(std::upper_bound(parts().begin(), parts().end(), position, after));
  return system_->batch(part.segment).group();
}

Index RowSelection::groups() const {
  Index count = 0;
  for (const Part& p : parts()) count += static_cast<Index>(p.local.size()) / system_->batch(p.segment).group();
  return count;
}

bool RowSelection::mostly_cones() const {
  std::size_t count = 0;
  for (const ConePart& c : cones_) count += parts_[c.part].local.size();
  return has_cones() && 2 * count >= rows_.size();
}

void RowSelection::clear_cones(VectorRef w) const {
  for (const ConePart& c : cones_) {
    w.segment(parts_[c.part].begin, static_cast<Index>(parts_[c.part].local.size())).setZero();
  }
}

Vector RowSelection::dual_points(ConstVectorRef x, ConstVectorRef lambda) const {
  Vector z(dual_size());
  for (const ConePart& c : cones_) {
    const Part& part = parts_[c.part];
    const Rows rows = Rows::list(part.local);
    z.segment(c.begin, c.size) = c.batch->dual_points(x, rows, lambda.segment(part.begin, rows.size()));
    system_->charge(part.segment, rows);
  }
  return z;
}

Vector RowSelection::dual_points_along(ConstVectorRef lambda, ConstVectorRef outer, ConstVectorRef shift) const {
  Vector z(dual_size());
  for (const ConePart& c : cones_) {
    const Part& part = parts_[c.part];
    const auto count = static_cast<Index>(part.local.size());
    z.segment(c.begin, c.size) =
        c.batch->dual_points_along(part.line, lambda.segment(part.begin, count), outer.segment(part.begin, count),
                                   shift.segment(part.begin, count));
  }
  return z;
}

double RowSelection::add_dual_points(ConstVectorRef x, ConstVectorRef z, VectorRef gradient) const {
  double sum = 0.0;
  for (const ConePart& c : cones_) {
    const Part& part = parts_[c.part];
    const Rows rows = Rows::list(part.local);
    sum += c.batch->add_dual_points(x, rows, z.segment(c.begin, c.size), gradient);
    system_->charge(part.segment, rows);
  }
  return sum;
}

void RowSelection::values(ConstVectorRef x, VectorRef a) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).values(x, rows, a.segment(p.begin, rows.size()));
    system_->charge(p.segment, rows);
  }
}

void RowSelection::values_and_gradient_norms(ConstVectorRef x, VectorRef a, VectorRef norms) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).values_and_gradient_norms(x, rows, a.segment(p.begin, rows.size()),
                                                        norms.segment(p.begin, rows.size()));
    system_->charge(p.segment, rows);
  }
}

void RowSelection::slopes(ConstVectorRef x, ConstVectorRef d, VectorRef slope) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).slopes(x, d, rows, slope.segment(p.begin, rows.size()));
    system_->charge(p.segment, rows);
  }
}

void RowSelection::add_weighted_gradient(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).add_weighted_gradient(x, rows, w.segment(p.begin, rows.size()), gradient);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::add_gradient_beside_cones(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const {
  for (const Part& p : parts()) {
    if (system_->batch(p.segment).structure().eigenvalues != nullptr) continue;
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).add_weighted_gradient(x, rows, w.segment(p.begin, rows.size()), gradient);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::values_and_bounds(ConstVectorRef x, VectorRef a, VectorRef norms, VectorRef smoothness) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    system_->batch(p.segment).values_and_bounds(x, rows, a.segment(p.begin, count), norms.segment(p.begin, count),
                                                smoothness.segment(p.begin, count));
    system_->charge(p.segment, rows);
  }
}

void RowSelection::sweep(ConstVectorRef x, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const auto shifted = [&map, begin = p.begin](Index first, Index k, const double* values, double* weights) {
      map(begin + first, k, values, weights);
    };
    system_->batch(p.segment).sweep(x, rows, shifted, a.segment(p.begin, count), w.segment(p.begin, count), gradient);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::sweep_slopes(ConstVectorRef x, ConstVectorRef d, const WeightMap& map, VectorRef slope, VectorRef w,
                                VectorRef gradient) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const auto shifted = [&map, begin = p.begin](Index first, Index k, const double* slopes, double* weights) {
      map(begin + first, k, slopes, weights);
    };
    system_->batch(p.segment).sweep_slopes(x, d, rows, shifted, slope.segment(p.begin, count),
                                           w.segment(p.begin, count), gradient);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::add_weighted_derivatives(ConstVectorRef x, ConstMatrixRef w, ConstVectorRef curvature,
                                            ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const {
  for (const Part& p : parts()) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const ConstraintBatch& batch = system_->batch(p.segment);
    const ConstMatrixRef weights = w.middleRows(p.begin, count);
    if (grams_ != nullptr) {  // meanwhile the gradients are added up here
      grams_->begin(p.segment, p.local, outer.segment(p.begin, count));
      batch.read_derivatives(x, rows, {weights, gradients, nullptr});
      grams_->end(p.segment, H);
    } else {
      batch.add_weighted_derivatives(x, rows, weights, curvature.segment(p.begin, count), outer.segment(p.begin, count),
                                     gradients, H);
    }
    system_->charge(p.segment, rows);
  }
}

void RowSelection::sweep_derivatives(ConstVectorRef x, VectorRef a, FunctionRef<void(Index first, Index count)> weigh,
                                     ConstMatrixRef w, ConstVectorRef curvature, ConstVectorRef outer,
                                     MatrixRef gradients, MatrixRef H) {
  for (Part& p : std::span(parts_).first(part_count_)) {
    const Rows rows = Rows::list(p.local);
    const Index count = rows.size();
    const ConstraintBatch& batch = system_->batch(p.segment);
    const SpectralBatch* cones = batch.structure().eigenvalues;
    const ConstMatrixRef weights = w.middleRows(p.begin, count);
    const ConstVectorRef curvatures = curvature.segment(p.begin, count), outers = outer.segment(p.begin, count);
    const HessianSum hessian{curvatures, outers, H};
    VectorRef values = a.segment(p.begin, count);
    system_->charge(p.segment, rows);
    if (cones != nullptr) {
      p.swept.resize(count / cones->group() * cones->cones().shape().rows);
      const auto weigh_part = [&](Index first, Index number) { weigh(p.begin + first, number); };
      cones->read_values_and_derivatives(x, rows, values, p.swept, weigh_part, {weights, gradients, &hessian});
      continue;
    }
    batch.values(x, rows, values);
    weigh(p.begin, count);
    batch.read_derivatives(x, rows, {weights, gradients, &hessian});
    system_->charge(p.segment, rows);
  }
}

void RowSelection::stay() {
  for (const ConePart& c : cones_) parts_[c.part].slacks = parts_[c.part].swept;
}

void RowSelection::stay_with(const RowSelection& all) {
  for (const ConePart& c : cones_) {
    Part& part = parts_[c.part];
    const auto same = [&](const ConePart& other) { return all.parts_[other.part].segment == part.segment; };
    const Part& from = all.parts_[std::find_if(all.cones_.begin(), all.cones_.end(), same)->part];
    const auto r = static_cast<std::size_t>(c.batch->group());
    const Index d = c.batch->cones().shape().rows;
    part.slacks.resize(c.size);
    auto next = from.local.begin();
    for (std::size_t k = 0; k < part.local.size(); k += r) {
      next = std::lower_bound(next, from.local.end(), part.local[k]);
      const auto place = static_cast<std::size_t>(next - from.local.begin());
      part.slacks.segment(static_cast<Index>(k / r) * d, d) = from.slacks.segment(static_cast<Index>(place / r) * d, d);
    }
  }
}

void RowSelection::stay_along(double t) {
  for (const ConePart& c : cones_) {
    Part& part = parts_[c.part];
    part.slacks = part.line.inner - t * part.line.inner_d;
  }
}

// Slacks fall by t G d along the line.
void RowSelection::prepare_line_between(ConstVectorRef x, ConstVectorRef d, double step) {
  for (Part& p : std::span(parts_).first(part_count_)) {
    const Rows rows = Rows::list(p.local);
    if (system_->batch(p.segment).structure().eigenvalues != nullptr) {
      p.line.count = rows.size();
      p.line.degree = -1;
      p.line.inner = p.slacks;
      p.line.inner_d = (p.slacks - p.swept) / step;
      continue;
    }
    system_->batch(p.segment).prepare_line(x, d, rows, p.line);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::prepare_line(ConstVectorRef x, ConstVectorRef d) {
  for (Part& p : std::span(parts_).first(part_count_)) {
    const Rows rows = Rows::list(p.local);
    system_->batch(p.segment).prepare_line(x, d, rows, p.line);
    system_->charge(p.segment, rows);
  }
}

void RowSelection::line_values(double t, VectorRef a, VectorRef slope) const {
  for (const Part& p : parts()) {
    const auto count = static_cast<Index>(p.local.size());
    system_->batch(p.segment).line_values(p.line, t, a.segment(p.begin, count), slope.segment(p.begin, count));
  }
}

}  // namespace pliant
