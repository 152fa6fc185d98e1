#include "report/page/chart.hpp"

#include "report/page/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::report {
namespace {

constexpr double kColumnWidth = 2.5;      // pixels: of more points within, only the extremes are drawn
constexpr std::size_t kMostMarkers = 60;  // points of a line that has room for them

struct Point {
  double x, y;
};

double shown(const Series& series, double value, AxisKind kind) {
  return kind == AxisKind::logarithmic && series.reference ? std::abs(value - *series.reference) : value;
}

// Known values in the order of x; lines join what is known.
std::vector<Point> points_of(const Series& series, const std::vector<double>& at, const Axis& x, const Axis& y) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = shown(series, series.values[i], y.kind());
    if (std::isfinite(value) && std::isfinite(at[i])) out.push_back({x.place(at[i]), y.place(value)});
  }
  std::stable_sort(out.begin(), out.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return out;
}

// Of the points in each column of pixels the highest and the lowest, in their order; the ends of the line stay.
std::vector<Point> thin(const std::vector<Point>& points) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.size();) {
    const double column = std::floor(points[i].x / kColumnWidth);
    std::size_t end = i + 1, least = i, largest = i;
    for (; end < points.size() && std::floor(points[end].x / kColumnWidth) == column; ++end) {
      if (points[end].y < points[least].y) least = end;
      if (points[end].y > points[largest].y) largest = end;
    }
    out.push_back(points[std::min(least, largest)]);
    if (least != largest) out.push_back(points[std::max(least, largest)]);
    i = end;
  }
  if (!points.empty()) out.push_back(points.back());
  return out;
}

// Relative moves between rounded places: short, and errors do not add up.
std::string path_data(const std::vector<Point>& points) {
  std::string out;
  long x = 0, y = 0;  // tenths of pixels
  const auto tenths = [](long value) {
    return value % 10 == 0 ? fmt::format("{}", value / 10)
                           : fmt::format("{}{}.{}", value < 0 ? "-" : "", std::abs(value) / 10, std::abs(value) % 10);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long to_x = std::lround(10.0 * points[i].x), to_y = std::lround(10.0 * points[i].y);
    if (i == 0) {
      out += fmt::format("M{} {}", tenths(to_x), tenths(to_y));
    } else if (to_x != x || to_y != y) {
      out += fmt::format("l{}{}{}", tenths(to_x - x), to_y < y ? "" : " ", tenths(to_y - y));
    }
    x = to_x;
    y = to_y;
  }
  return out;
}

// A shape per series, so that lines can be told apart without their colours.
std::string marker(int style, Point p) {
  constexpr std::array shapes{"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "m-2.7-2.7h5.4v5.4h-5.4z", "m0-3.8l3.6 6.2h-7.2z",
                              "m0-3.9l3.9 3.9-3.9 3.9-3.9-3.9z"};
  return fmt::format("M{} {}{}", pixel(p.x), pixel(p.y), shapes[static_cast<std::size_t>(style) % shapes.size()]);
}

// A single point has no line; it is drawn larger, so that it shows beneath the end of another line.
bool is_one_point(const Series& series) {
  return std::count_if(series.values.begin(), series.values.end(), [](double v) { return std::isfinite(v); }) == 1;
}

std::string draw_series(const Series& series, const std::vector<double>& at, const Axis& x, const Axis& y) {
  const std::vector<Point> points = points_of(series, at, x, y);
  const std::string line = path_data(thin(points));
  std::string markers;
  if (points.size() <= kMostMarkers) {
    for (const Point& p : points) markers += marker(series.style, p);
  }
  std::string out = fmt::format("<path class=\"line s{}\" d=\"{}\"/>", series.style, line);
  if (!markers.empty())
    out += fmt::format("<path class=\"mark s{}{}\" d=\"{}\"/>", series.style, is_one_point(series) ? " alone" : "",
                       markers);
  return out;
}

std::string draw_threshold(const Threshold& threshold, const Axis& x, const Axis& y) {
  if (!y.contains(threshold.value)) return {};
  return fmt::format("<path class=\"limit s{}\" d=\"M{} {}H{}\"/>", threshold.style, pixel(x.from()),
                     pixel(y.place(threshold.value)), pixel(x.to()));
}

// Above the lines of the series: its rim keeps it clear of them.
std::string label_threshold(const Threshold& threshold, std::size_t number, const Axis& x, const Axis& y) {
  if (!y.contains(threshold.value)) return {};
  const bool left = number % 2 == 0;
  return fmt::format("<text class=\"limit-label\" x=\"{}\" y=\"{}\"{}>{}</text>",
                     pixel(left ? x.from() + 4 : x.to() - 4), pixel(y.place(threshold.value) - 4),
                     left ? "" : " text-anchor=\"end\"", threshold.label);
}

std::vector<double> all_values(const LineChart& chart, AxisKind kind) {
  std::vector<double> out;
  for (const Series& series : chart.series) {
    for (double value : series.values) out.push_back(shown(series, value, kind));
  }
  if (kind == AxisKind::logarithmic) {  // there is room for limits that are far below the values
    for (const Threshold& threshold : chart.thresholds) out.push_back(threshold.value);
  }
  return out;
}

// What the script needs to find the place of a value: the same formulas as Axis::place.
std::string axis_data(std::string_view name, const Axis& axis) {
  return fmt::format(" data-{}=\"{:.17g} {:.17g} {} {} {}\"", name, axis.low(), axis.high(), pixel(axis.from()),
                     pixel(axis.to()), pixel(axis.floor()));
}

// A horizontal axis: a column, what its name is in words, and what stands below it.
struct Horizontal {
  std::string_view column, words, title;
  const std::vector<double>& values;
};

std::vector<Horizontal> horizontals(const Columns& c) {
  std::vector<Horizontal> out;
  if (c.by_iteration) {
    out.push_back({"iteration", "iterations", "iterations", c.iteration});
  } else {
    out.push_back({"passes", "passes", "passes over the constraint data", c.passes});
  }
  if (c.timed) out.push_back({"time", "time", "time in seconds", c.time});
  return out;
}

std::string draw(const LineChart& chart, const Horizontal& horizontal, AxisKind kind) {
  const std::vector<double>& at = horizontal.values;
  const std::string_view form = kind == AxisKind::logarithmic ? "log" : "linear";  // that of the switch
  if (chart.shares) kind = AxisKind::linear;
  const bool log = kind == AxisKind::logarithmic;
  const Axis x = Axis::from_zero(at, Frame::left, Frame::width - Frame::right, horizontal.column == "iteration");
  std::vector<double> values = all_values(chart, kind);
  if (chart.shares) values.push_back(1.0);
  const double bottom = Frame::height - Frame::bottom;
  const Axis y = chart.shares ? Axis::from_zero(values, bottom, Frame::top) : Axis(kind, values, bottom, Frame::top);
  std::string out = fmt::format(
      "<svg class=\"chart x-{} y-{}\" viewBox=\"0 0 {} {}\" role=\"img\" tabindex=\"0\" aria-label=\"{} over {}, {} "
      "scale\" data-column=\"{}\"{}{} data-log=\"{}\">",
      horizontal.column, form, Frame::width, Frame::height, chart.title, horizontal.words,
      log ? "logarithmic" : "linear", horizontal.column, axis_data("x", x), axis_data("y", y), log ? 1 : 0);
  out += draw_axes(x, y, horizontal.title);
  for (const Threshold& threshold : chart.thresholds) out += draw_threshold(threshold, x, y);
  for (std::size_t s = chart.series.size(); s-- > 0;) out += draw_series(chart.series[s], at, x, y);
  for (std::size_t k = 0; k < chart.thresholds.size(); ++k) out += label_threshold(chart.thresholds[k], k, x, y);
  return out + "</svg>";
}

bool has_values(const Series& series) {
  return std::any_of(series.values.begin(), series.values.end(), [](double v) { return std::isfinite(v); });
}

// Limits of one value are one line with one label.
void join_equal(std::vector<Threshold>& thresholds) {
  for (std::size_t k = 1; k < thresholds.size();) {
    const auto same = std::find_if(thresholds.begin(), thresholds.begin() + static_cast<std::ptrdiff_t>(k),
                                   [&](const Threshold& t) { return t.value == thresholds[k].value; });
    if (same == thresholds.begin() + static_cast<std::ptrdiff_t>(k)) {
      ++k;
      continue;
    }
    same->label = "allowed";
    thresholds.erase(thresholds.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::string legend(const LineChart& chart) {
  std::string out = "<ul class=\"legend\">";
  for (const Series& series : chart.series) {
    const std::string reference = series.reference ? fmt::format(" data-reference=\"{:.17g}\"", *series.reference) : "";
    const bool alone = is_one_point(series);
    const std::string line = alone ? "" : fmt::format("<path class=\"line s{}\" d=\"M1 6H29\"/>", series.style);
    out += fmt::format(
        "<li data-column=\"{}\"{}><svg viewBox=\"0 0 30 12\" aria-hidden=\"true\">{}<path class=\"mark s{}{}\" "
        "d=\"{}\"/></svg>{}</li>",
        series.column, reference, line, series.style, alone ? " alone" : "", marker(series.style, {15, 6}),
        series.label);
  }
  return out + "</ul>";
}

}  // namespace

std::string pixel(double value) {
  std::string out = fmt::format("{:.1f}", value);
  return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

std::string draw_axes(const Axis& x, const Axis& y, std::string_view x_title) {
  const double bottom = Frame::height - Frame::bottom;
  std::string grid, labels;
  for (const Axis::Tick& tick : y.ticks()) {
    grid += fmt::format("M{} {}H{}", pixel(Frame::left), pixel(tick.place), pixel(Frame::width - Frame::right));
    labels += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                          pixel(Frame::left - 8), pixel(tick.place + 4), tick.label);
  }
  for (const Axis::Tick& tick : x.ticks()) {
    labels += fmt::format(
        "<path class=\"axis\" d=\"M{} {}v4\"/><text class=\"tick\" x=\"{}\" y=\"{}\" "
        "text-anchor=\"middle\">{}</text>",
        pixel(tick.place), pixel(bottom), pixel(tick.place), pixel(bottom + 17), tick.label);
  }
  return fmt::format(
      "<path class=\"grid\" d=\"{}\"/><path class=\"axis\" d=\"M{} {}H{}\"/>{}<text class=\"title\" x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">{}</text>",
      grid, pixel(Frame::left), pixel(bottom), pixel(Frame::width - Frame::right), labels,
      pixel(Frame::width - Frame::right), pixel(Frame::height - 6), x_title);
}

std::string figure(const LineChart& chart, const Columns& columns) {
  std::string out = fmt::format("<figure class=\"card\" id=\"{}\"><h3>{}</h3>", chart.id, chart.title);
  LineChart drawn = {chart.id, chart.title, chart.caption, {}, {}, chart.shares};
  for (const Series& series : chart.series) {
    if (!has_values(series)) continue;
    drawn.series.push_back(series);
    for (const Threshold& threshold : chart.thresholds) {
      if (threshold.style == series.style) drawn.thresholds.push_back(threshold);
    }
  }
  if (drawn.series.empty()) return {};
  join_equal(drawn.thresholds);
  out += legend(drawn) + "<div class=\"plot\">";
  for (AxisKind kind : {AxisKind::logarithmic, AxisKind::linear}) {
    for (const Horizontal& horizontal : horizontals(columns)) out += draw(drawn, horizontal, kind);
  }
  return out + "</div><figcaption>" + chart.caption + "</figcaption></figure>\n";
}

}  // namespace pliant::report
