// Rows cut into parts, each with a holder of its own: what holders on other machines will look like to the engine. Every
// part has its own copy of its rows and never sees the others.
#pragma once

#include "rows/local_rows.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace pliant::testing {

class GroupOfHolders final : public StepwiseRows {
 public:
  GroupOfHolders(const Problem& problem, ConstraintSystem& system, double slack, Index parts)
      : StepwiseRows(system, slack), layout_(problem) {
    const Index chunks = (layout_.groups() + kSumChunk - 1) / kSumChunk;
    for (Index p = 0; p < parts; ++p) {
      const Index begin = row_of_group(p * chunks / parts * kSumChunk);
      const Index end = row_of_group((p + 1) * chunks / parts * kSumChunk);
      parts_.push_back(std::make_unique<Part>(problem, system, slack, begin, end));
    }
  }

  Index rounds() const { return rounds_; }

  const RowLayout& layout() const override { return layout_; }

  void set_coordinates(const Matrix& R) override {
    ++rounds_;
    keep_coordinates(R);
    for (auto& p : parts_) p->rows.set_coordinates(R);
  }

  std::vector<BatchPtr> fetch(const std::vector<Index>& rows) override {
    ++rounds_;
    std::vector<std::vector<RowPiece>> pieces(layout_.segments().size());
    for (auto& p : parts_) {
      const std::vector<Index> local = p->local(rows);
      const std::vector<BatchPtr> copies = p->rows.fetch(local);
      std::size_t next = 0;
      for (std::size_t s = 0; s < p->segment.size(); ++s) {
        const RowLayout::Segment& segment = p->rows.layout().segments()[s];
        const auto first = std::lower_bound(local.begin(), local.end(), segment.begin);
        if (first == local.end() || *first >= segment.end()) continue;
        const BatchPtr& batch = copies.at(next++);
        std::vector<Index> all(static_cast<std::size_t>(batch->size()));
        std::iota(all.begin(), all.end(), Index{0});
        pieces[p->segment[s]].push_back({batch, std::move(all)});
      }
    }
    std::vector<BatchPtr> out;
    for (const auto& of_segment : pieces) {
      if (!of_segment.empty()) out.push_back(join_rows(of_segment));
    }
    return out;
  }

  void measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
               Vector& smoothness) override {
    ++rounds_;
    Index next = 0;
    for (auto& p : parts_) {
      const std::vector<Index> local = p->local(rows);
      const auto count = static_cast<Index>(local.size());
      Vector v(count), g(count), L(count);
      p->rows.measure(local, x, v, g, L);
      values.segment(next, count) = v;
      norms.segment(next, count) = g;
      smoothness.segment(next, count) = L;
      next += count;
    }
  }

  Index doubtful(const Vector& x) override {
    ++rounds_;
    Index count = 0;
    for (auto& p : parts_) count += p->rows.doubtful(x);
    return count;
  }

  RowExtremes read(bool everything) override {
    ++rounds_;
    RowExtremes out;
    for (auto& p : parts_) {
      const RowExtremes part = p->rows.read(everything);
      out.worst = std::max(out.worst, part.worst);
      out.farthest = std::max(out.farthest, part.farthest);
    }
    return out;
  }

  NearRows nearest(double threshold) override {
    ++rounds_;
    NearRows out;
    for (auto& p : parts_) append(*p, p->rows.nearest(threshold), out);
    return out;
  }

  NearRows above(const Vector& x, double threshold) override {
    ++rounds_;
    NearRows out;
    for (auto& p : parts_) append(*p, p->rows.above(x, threshold), out);
    return out;
  }

  std::vector<RowSums> chunk_sums(const Vector& x, double active_threshold, const RowValues& known) override {
    ++rounds_;
    std::vector<RowSums> out;
    Index next = 0;
    for (auto& p : parts_) {
      const std::vector<Index> local = p->local(known.rows);
      const Vector values = known.values.segment(next, static_cast<Index>(local.size()));
      next += values.size();
      const std::vector<RowSums> part = p->rows.chunk_sums(x, active_threshold, {local, values});
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  Index inactive_within(const Vector& x, double radius) override {
    ++rounds_;
    Index count = 0;
    for (auto& p : parts_) count += p->rows.inactive_within(x, radius);
    return count;
  }

  void values(const Vector& x, VectorRef out) override {
    ++rounds_;
    for (auto& p : parts_) p->rows.values(x, out.segment(p->begin, p->rows.rows()));
  }

 private:
  struct Part {
    Part(const Problem& all, ConstraintSystem& account, double slack, Index first, Index last)
        : begin(first),
          end(last),
          problem(cut(all, RowLayout(all), segment)),
          system(problem, &account),
          rows(problem, system, known, slack) {}

    Problem cut(const Problem& all, const RowLayout& layout, std::vector<std::size_t>& kept) const {
      Problem out(all.dimension());
      for (std::size_t s = 0; s < layout.segments().size(); ++s) {
        const RowLayout::Segment& of = layout.segments()[s];
        const Index low = std::max(begin, of.begin), high = std::min(end, of.end());
        if (low >= high) continue;
        RowPiece piece{all.batches()[s], std::vector<Index>(static_cast<std::size_t>(high - low))};
        std::iota(piece.rows.begin(), piece.rows.end(), low - of.begin);
        out.subject_to(join_rows({&piece, 1}));
        kept.push_back(s);
      }
      return out;
    }
    /// Those of `rows` that are here, by their numbers here.
    std::vector<Index> local(const std::vector<Index>& all) const {
      std::vector<Index> out;
      for (const Index i : all) {
        if (i >= begin && i < end) out.push_back(i - begin);
      }
      return out;
    }

    Index begin, end;
    std::vector<std::size_t> segment;  // of the whole, for each of its batches
    Problem problem;
    ConstraintSystem system;
    RowKnowledge known;
    LocalRows rows;
  };

  static void append(const Part& part, const NearRows& found, NearRows& out) {
    for (const Index i : found.rows) out.rows.push_back(part.begin + i);
    out.values.insert(out.values.end(), found.values.begin(), found.values.end());
    out.distances.insert(out.distances.end(), found.distances.begin(), found.distances.end());
  }

  Index row_of_group(Index group) const {
    for (const RowLayout::Segment& s : layout_.segments()) {
      if (group < s.size / s.group) return s.begin + group * s.group;
      group -= s.size / s.group;
    }
    return layout_.rows();
  }

  RowLayout layout_;
  std::vector<std::unique_ptr<Part>> parts_;
  Index rounds_ = 0;
};

}  // namespace pliant::testing
