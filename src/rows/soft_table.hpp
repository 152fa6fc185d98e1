// The soft linear rows of a problem, one entry per stored row g: what it costs as a function of z = g'x,
//
//   phi(z) = below max(0, lower - z) + above max(0, z - upper),   lower <= upper,
//
// a piecewise linear function with one kink (lower = upper, or one side without a price) or two. Between kinks its slope
// is a constant, and a row that stays there is no more than a linear term.
#pragma once

#include "pliant/problem.hpp"
#include "rows/constraint_system.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace pliant {

/// Where z lies.
enum class SoftState : std::uint8_t { below, between, above };
/// Those of very many rows.
using SoftStates = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>;

/// A row is certain of its side while x has moved less than its distance from a kink, rounding allowed for.
inline constexpr double kCertainOfSide = 1.0 - 1e-9;

struct SoftRow {
  double lower, upper;  ///< infinite: no such side
  double below, above;  ///< prices

  double value(double z) const { return priced(below, lower - z) + priced(above, z - upper); }
  SoftState state(double z) const {
    if (z > upper && above > 0.0) return SoftState::above;
    return z < lower && below > 0.0 ? SoftState::below : SoftState::between;
  }
  double slope(SoftState s) const { return s == SoftState::above ? above : s == SoftState::below ? -below : 0.0; }
  /// The linear function that is phi where the state is s, at z.
  double extended(SoftState s, double z) const {
    return s == SoftState::above ? above * (z - upper) : s == SoftState::below ? below * (lower - z) : 0.0;
  }
  /// The same at z = 0.
  double constant(SoftState s) const { return extended(s, 0.0); }
  /// Whether the kinks on both sides are one.
  bool one_kink() const { return lower == upper && below > 0.0 && above > 0.0; }
  /// Distance of z from the nearest kink; infinite without any.
  double distance(double z) const;
};

/// A number of each row, or one of all of them.
class SoftNumbers {
 public:
  SoftNumbers() = default;
  explicit SoftNumbers(double all) : all_(all) {}
  explicit SoftNumbers(Doubles each) : each_(std::move(each)) {}

  double operator[](Index r) const { return !each_.empty() ? each_[r] : all_; }
  /// Those of the rows of a list.
  SoftNumbers of(const std::vector<Index>& rows) const;
  double largest() const;
  /// Those of rows 0, ..., count - 1, one by one.
  Vector first(Index count) const;

 private:
  Doubles each_;
  double all_ = 0.0;
};

/// Kinks and prices of rows (SoftRow).
struct SoftSides {
  SoftNumbers lower, upper, below, above;
  double largest_price() const { return std::max(below.largest(), above.largest()); }
};

class SoftTable {
 public:
  /// All soft batches must be linear rows. Reads are charged to `system`.
  SoftTable(const Problem& problem, ConstraintSystem& system);
  /// Rows of a matrix, which outlives the table: nothing is charged.
  SoftTable(const DataMatrix& G, SoftSides sides);
  /// Copies of rows: reading them is no read of the data.
  SoftTable(DataMatrix&& copies, SoftSides sides);
  /// Copies of the rows of a list, ascending: reading them again is no read of the data.
  std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) const;
  std::unique_ptr<SoftTable> copy_all() const;
  /// Copies, as which the rows of `more` follow those of this one.
  void append(const SoftTable& more);

  Index size() const { return size_; }
  SoftRow row(Index r) const { return {sides_.lower[r], sides_.upper[r], sides_.below[r], sides_.above[r]}; }
  double largest_price() const { return largest_price_; }
  const SoftSides& sides() const { return sides_; }
  /// Whether they are rows of a problem.
  bool in_place() const { return pieces_.front().rows != nullptr; }
  /// The rows themselves, where they are those of one matrix.
  const DataMatrix& matrix() const { return *pieces_.front().G; }

  /// From here on norms are |diag(units) g|: in these units the entries of a row are alike, and |g'd| <= |units g| |d/units|
  /// says much.
  void set_units(Vector units) { units_ = std::move(units); }
  const Vector& units() const { return units_; }
  /// Units from the root mean squares of the columns.
  Vector find_units() const;

  /// The sum of the gradients of rows with one side, times their prices and a scale, and of the squares of its parts.
  struct Sums {
    Vector sum, squares;
  };
  Sums weighted_sums(double scale) const;

  /// Some rows that follow each other in what is read: the first is its k-th; z = g'x and |g| of each.
  struct Block {
    Index first, count;
    const double* z;
    const double* norms;
  };
  /// Looks at a block, leaves the weights of its rows in w, and returns a number to be summed, in a fixed order.
  using Visit = FunctionRef<double(const Block& block, double* w)>;
  /// Visits the rows of a list, ascending, block by block, perhaps at the same time; gradient += sum_k w_k g_k in the same
  /// read. Returns the sum of what visits return.
  double read(ConstVectorRef x, const std::vector<Index>& rows, Visit visit, VectorRef gradient) const;
  /// The same of all rows.
  double read_all(ConstVectorRef x, Visit visit, VectorRef gradient) const;
  /// z = g'x of the rows of a list, ascending, and their norms, unless null.
  Vector products(ConstVectorRef x, const std::vector<Index>& rows, Vector* norms = nullptr) const;
  /// z = g'x and the norms of some rows, where they are those of one matrix; nothing is charged.
  void measure(ConstVectorRef x, Rows rows, double* z, double* norms) const;
  /// z = g'x and |g| of some rows, found while they are copied.
  struct Measured {
    const Vector& x;
    Vector values{}, norms{};
  };
  /// Rows sign_k g_k x <= constant_k as a batch of their own: copies.
  BatchPtr gather(const std::vector<Index>& rows, const std::vector<double>& signs, std::vector<double> constants,
                  Measured* measured = nullptr) const;

  /// Multipliers of the constraints of the system from the slopes of rows, between -below and above times theta: those of a
  /// list, ascending, and of all others those of their states. Others stay.
  struct Slopes {
    const SoftStates& states;
    const std::vector<Index>& rows;
    const Vector& of_rows;
  };
  void spread(const Slopes& slopes, double theta, VectorRef multipliers) const;

 private:
  struct Piece {
    const DataMatrix* G;
    Index begin;  // of its rows here
    Index batch;  // of the problem, and its rows; of no use in copies
    const LinearRows* rows;
  };
  void collect_prices(const Problem& problem);
  Index cols() const { return pieces_.front().G->cols(); }
  void charge(Index rows, Index bytes) const;
  DataMatrix matrix_of(const std::vector<Index>& rows, const double* signs, Measured* measured = nullptr) const;
  const Piece& piece_of(Index r) const;
  double read_piece(const Piece& piece, ConstVectorRef x, Rows rows, Visit visit, Index first,
                    VectorRef gradient) const;

  ConstraintSystem* system_ = nullptr;                  // null: copies
  std::vector<std::shared_ptr<const DataMatrix>> own_;  // of copies
  std::vector<Piece> pieces_;
  Index size_ = 0;
  SoftSides sides_;
  double largest_price_ = 0.0;
  Vector units_;  // empty: 1
};

}  // namespace pliant
