// The contract of whoever holds the mass of rows of a problem: this memory, a mapped file, a GPU, other machines.
//
// The path engine needs five things of the rows, wherever they are, and asks for nothing else:
//
//   how many    layout(): rows and groups; known here, so that samples by index cost nothing
//   gather      named rows, a few times n of them, as a local block for everything of second order
//   check       at x: the holder reads its rows once, or only those in doubt, and keeps what it learns (row_knowledge.hpp);
//               the worst rows come back with values and distances
//   sums        for certificates: norms of violations, counts
//   screening   how many rows a radius around x proves inactive
//
// Virtual functions of RowHolder are one round of communication each, at most. Holders that look at their rows step by
// step (StepwiseRows) have the candidates of a check found here, between steps. A solve computes the same bytes however
// many holders share the rows, if rows are cut at multiples of kSumChunk groups. Adding a holder:
// docs/how-to/add-a-holder.md. Soft rows have a contract of their own: soft_mass.hpp.
#pragma once

#include "rows/row_block.hpp"
#include "rows/row_layout.hpp"
#include "rows/row_sums.hpp"

#include <memory>
#include <vector>

namespace pliant {

/// What one read found.
struct RowExtremes {
  double worst = 0.0;     ///< the largest value, 0 if none is positive, infinite if one is NaN
  double farthest = 0.0;  ///< the largest distance (row_distance) of a positive one
};

/// Rows near violation, ascending.
struct NearRows {
  std::vector<Index> rows;
  std::vector<double> values, distances;
};

/// Values of gathered rows that are known better than the holder knows them: ascending rows.
struct RowValues {
  const std::vector<Index>& rows;
  const Vector& values;
};

/// A check: which rows outside the working set does x violate, or nearly so.
struct CandidateQuery {
  const Vector& x;
  RowSample level;                  ///< the rows to look at; none: all of them, those proven to be below -slack unread
  const std::vector<Index>& apart;  ///< working rows, ascending: no candidates
  Index most = 0;                   ///< of the farthest no more than so many are of interest
  double share = 0.0;               ///< nor those at a distance below -share times the worst
  double dense_fraction = 1.0;      ///< a holder may read everything where more than this is in doubt
  double radius = 0.0;              ///< inactive_within will probably be asked for this much around x or less; 0: not
};

/// At least the candidates of interest.
struct Candidates : NearRows {
  double worst = 0.0;  ///< the largest value of a candidate, 0 if none is positive
};

class RowHolder {
 public:
  /// Reads are charged to `account`. Checks read rows unless they are proven to be below -slack.
  RowHolder(ConstraintSystem& account, double slack) : account_(account), slack_(slack) {}
  virtual ~RowHolder() = default;
  RowHolder(const RowHolder&) = delete;
  RowHolder& operator=(const RowHolder&) = delete;

  virtual const RowLayout& layout() const = 0;
  Index rows() const { return layout().rows(); }

  /// From here on x means Y with X = R'YR (constraints/rank_one.hpp), or the variables themselves if R is empty. What was
  /// known in other coordinates is forgotten: distances there mean nothing here.
  virtual void set_coordinates(const Matrix& R) = 0;

  /// Named rows, ascending and whole groups, as copies in the variables of the problem: a batch for each batch with rows
  /// among them, in the order of the layout.
  virtual std::vector<BatchPtr> fetch(const std::vector<Index>& rows) = 0;
  /// The same rows as a block, in place where the holder prefers that.
  virtual std::unique_ptr<RowBlock> gather(std::vector<Index> rows);

  /// Whether all rows are linear.
  virtual bool linear() const { return true; }

  virtual Candidates candidates(const CandidateQuery& query) = 0;

  /// Rows whose value at x is not proven to be below `threshold`, ascending: `values` are upper bounds of it where a row
  /// was not read at x. No data.
  virtual NearRows above(const Vector& x, double threshold) = 0;

  /// Sums of the values at x, those of a group by the largest, chunk by chunk (row_sums.hpp): upper bounds where a row
  /// was not read at x, `known` where it is listed there. No data.
  virtual std::vector<RowSums> chunk_sums(const Vector& x, double active_threshold, const RowValues& known) = 0;
  /// Rows (one for each group) proven negative within `radius` of x; those of a larger radius where that is known. No data.
  virtual Index inactive_within(const Vector& x, double radius) = 0;
  /// The values behind chunk_sums, one by one: for reports, which show every row; no part of a solve needs them.
  virtual void values(const Vector& x, VectorRef out) = 0;

  /// Whether the latest check was made at x.
  bool checked(const Vector& x) const { return checked_.size() == x.size() && checked_ == x; }
  RowSums sums(const Vector& x, double active_threshold, const RowValues& known);
  /// Rows (one for each group) that were not read at x, but are proven inactive there.
  virtual Index bounded(const Vector& x);
  /// Rows that were not read are below minus this.
  double slack() const { return slack_; }

 protected:
  ConstraintSystem& account() { return account_; }
  const Matrix& coordinates() const { return coordinates_; }
  void keep_coordinates(const Matrix& R) { coordinates_ = R; }
  void keep_checked(const Vector& x) { checked_ = x; }

 private:
  ConstraintSystem& account_;
  double slack_;
  Matrix coordinates_;
  Vector checked_;  // where the latest check was made
};

/// A holder near enough to be asked step by step.
class StepwiseRows : public RowHolder {
 public:
  using RowHolder::RowHolder;

  /// Values, gradient norms and curvature bounds of named rows at x (ConstraintBatch::values_and_bounds): the check of a
  /// sample. Vectors of this length.
  virtual void measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
                       Vector& smoothness) = 0;

  /// Rows in doubt at x, groups completed: not proven to be below -slack by what is known. No data.
  virtual Index doubtful(const Vector& x) = 0;
  /// Reads the rows in doubt at the x of `doubtful`, or all of them.
  virtual RowExtremes read(bool everything) = 0;
  /// Of the rows just read those at a distance above `threshold`. No data.
  virtual NearRows nearest(double threshold) = 0;

  /// The worst value at x and, if it is positive, the rows near violation: those at a distance above -share times the
  /// worst distance. Rows that are not read are proven to be <= -slack. Reads everything if more than `dense_fraction`
  /// of the rows are in doubt.
  struct Found : NearRows {
    double worst = 0.0;
  };
  Found check(const Vector& x, double share, double dense_fraction);
  Candidates candidates(const CandidateQuery& query) override;

 private:
  Candidates look_at_level(const CandidateQuery& query);

  RowSample level_;                                       // drawn last,
  std::vector<Index> level_rows_;                         // and its rows,
  Vector level_values_, level_norms_, level_smoothness_;  // measured last
};

}  // namespace pliant
