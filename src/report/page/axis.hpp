// Axes of charts: from values to pixels, and the values worth a label.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pliant::report {

enum class AxisKind { linear, logarithmic };

/// Values between `low` and `high` (their decimal logarithms if logarithmic) lie between the pixels `from` and `to`.
/// Values that have no place on a logarithmic axis, zero above all, lie on `floor`, a little before `from`.
class Axis {
 public:
  /// Wide enough for all finite `values`; whatever they are, the range is finite and not empty.
  Axis(AxisKind kind, std::span<const double> values, double from, double to);
  /// Linear from 0 to the largest of `values`; of whole numbers, only such ones get a label.
  static Axis from_zero(std::span<const double> values, double from, double to, bool whole = false);

  AxisKind kind() const { return kind_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }
  double floor() const { return floor_; }
  /// Whether some values lie on the floor.
  bool has_floor() const { return floor_ != from_; }
  bool contains(double value) const;
  double place(double value) const;

  struct Tick {
    double place;
    std::string label;
    double value;
  };
  std::vector<Tick> ticks() const;

 private:
  Axis(AxisKind kind, double from, double to) : kind_(kind), from_(from), to_(to), floor_(from) {}
  void fit_linear(std::span<const double> values);
  void fit_logarithmic(std::span<const double> values);
  std::vector<Tick> linear_ticks() const;
  std::vector<Tick> logarithmic_ticks() const;

  AxisKind kind_;
  double low_ = 0.0, high_ = 1.0;
  double from_, to_, floor_;
  bool clipped_ = false;  // positive values lie on the floor, too
  bool whole_ = false;    // values count something
};

}  // namespace pliant::report
