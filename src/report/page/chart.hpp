// Line charts of the trace as SVG, drawn here once for every combination of axes: a page shows them without a script.
#pragma once

#include "report/page/axis.hpp"
#include "report/page/columns.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::report {

struct Series {
  int style;                ///< colour, dashes and markers
  std::string_view column;  ///< as in the data of the page
  std::string_view label;
  const std::vector<double>& values;
  /// On a logarithmic axis the distance from this value is drawn.
  std::optional<double> reference{};
};

struct Threshold {
  std::string label;
  double value;
  int style;  ///< of its series; drawn with it only
};

struct LineChart {
  std::string_view id;
  std::string_view title;
  std::string caption;  ///< HTML
  std::vector<Series> series;
  std::vector<Threshold> thresholds{};
  bool shares = false;  ///< values between 0 and 1: the vertical axis is linear and begins at 0
};

/// A figure with the chart in all forms (class "x-time y-log" and so on): over passes or iterations, whichever say more,
/// and over time if there are times. Nothing if there is nothing to draw.
std::string figure(const LineChart& chart, const Columns& columns);

/// Frame of every chart, in user units of its SVG.
struct Frame {
  static constexpr double width = 560, height = 290, left = 76, right = 14, top = 14, bottom = 42;
};
/// Grid lines and labels.
std::string draw_axes(const Axis& x, const Axis& y, std::string_view x_title);
/// Pixels with one decimal.
std::string pixel(double value);

}  // namespace pliant::report
