// The histogram of slacks: violated constraints to the left, satisfied ones to the right, logarithmic away from 0.
#include "report/page/chart.hpp"
#include "report/page/markup.hpp"
#include "report/page/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::report {
namespace {

constexpr int kPerDecade = SlackHistogram::kPerDecade;
constexpr double kLabelRoom = 64.0;  // of "-1e-10" on a narrow screen, where letters are larger
constexpr double kBottom = Frame::height - Frame::bottom;

double class_begin(int k) { return std::pow(10.0, SlackHistogram::kLowest + static_cast<double>(k) / kPerDecade); }

/// Classes from `first` on are shown, whole decades, so many on either side; the slot of the boundary lies between.
struct Layout {
  int first = 0, violated = 0, satisfied = 0;
  double slot = 0.0;

  explicit Layout(const SlackHistogram& h) {
    int low = SlackHistogram::kClasses, high[2] = {-1, -1};
    for (int k = 0; k < SlackHistogram::kClasses; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (h.violated[i] > 0) high[0] = k;
      if (h.satisfied[i] > 0) high[1] = k;
      if (h.violated[i] > 0 || h.satisfied[i] > 0) low = std::min(low, k);
    }
    if (low == SlackHistogram::kClasses) low = 0;
    first = low / kPerDecade * kPerDecade;
    const auto whole_decades = [&](int k) { return k < 0 ? 0 : (k / kPerDecade + 1) * kPerDecade - first; };
    violated = whole_decades(high[0]);
    satisfied = whole_decades(high[1]);
    slot = (Frame::width - Frame::left - Frame::right) / (violated + 1 + satisfied);
  }
  double left(int slots) const { return Frame::left + slots * slot; }
  /// Left end of a class, and the place of a boundary between classes.
  double satisfied_at(int k) const { return left(violated + 1 + k - first); }
  double violated_at(int k) const { return left(violated - 1 - (k - first)); }
};

struct Bar {
  double x;
  Index count;
  std::string style, range;
};

std::vector<Bar> bars(const SlackHistogram& h, const Layout& at) {
  std::vector<Bar> out;
  for (int k = at.first; k < SlackHistogram::kClasses; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool last = k + 1 == SlackHistogram::kClasses;
    const std::string range =
        last ? "from " + number(class_begin(k), 3) : number(class_begin(k), 3) + " to " + number(class_begin(k + 1), 3);
    if (h.violated[i] > 0) out.push_back({at.violated_at(k), h.violated[i], "violated", "violated by " + range});
    if (h.satisfied[i] > 0) out.push_back({at.satisfied_at(k), h.satisfied[i], "satisfied", "slack " + range});
  }
  if (h.boundary > 0) out.push_back({at.left(at.violated), h.boundary, "boundary", "within 1e-16 of the boundary"});
  return out;
}

std::string decade_labels(const Layout& at) {
  std::string out;
  const int decades = std::max(at.violated, at.satisfied) / kPerDecade;
  const double decade_width = at.slot * kPerDecade;
  const int stride = std::max(1, static_cast<int>(std::ceil(kLabelRoom / decade_width)));
  const auto label = [&](double x, const std::string& text) {
    out += fmt::format(
        "<path class=\"axis\" d=\"M{} {}v4\"/><text class=\"tick\" x=\"{}\" y=\"{}\" "
        "text-anchor=\"middle\">{}</text>",
        pixel(x), pixel(kBottom), pixel(x), pixel(kBottom + 17), text);
  };
  for (int d = 0; d <= decades; d += stride) {
    const int k = at.first + d * kPerDecade;
    const std::string text = number(class_begin(k), 3);
    if (d > 0 && d * kPerDecade <= at.violated) label(at.left(at.violated) - d * decade_width, "&minus;" + text);
    if (d * kPerDecade <= at.satisfied && at.satisfied > 0) label(at.satisfied_at(k), text);
  }
  return out;
}

std::string limit_line(const Layout& at, double allowed) {
  const double slots = (std::log10(allowed) - SlackHistogram::kLowest) * kPerDecade - at.first;
  if (!(slots >= 0.0 && slots <= at.violated)) return {};
  const double x = at.left(at.violated) - slots * at.slot;
  return fmt::format(
      "<path class=\"limit s1\" d=\"M{} {}V{}\"/><text class=\"limit-label\" x=\"{}\" y=\"{}\">allowed"
      "</text>",
      pixel(x), pixel(Frame::top), pixel(kBottom), pixel(x + 4), pixel(Frame::top + 10));
}

std::string draw(const SlackHistogram& h, const Layout& at, AxisKind kind, double allowed) {
  const std::vector<Bar> all = bars(h, at);
  std::vector<double> counts{0.7};  // a single constraint is still a bar
  for (const Bar& bar : all) counts.push_back(static_cast<double>(bar.count));
  const Axis y =
      kind == AxisKind::linear ? Axis::from_zero(counts, kBottom, Frame::top) : Axis(kind, counts, kBottom, Frame::top);
  std::string grid, out;
  for (const Axis::Tick& tick : y.ticks()) {
    if (tick.value != std::floor(tick.value)) continue;  // there are no half constraints
    grid += fmt::format("M{} {}H{}", pixel(Frame::left), pixel(tick.place), pixel(Frame::width - Frame::right));
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", pixel(Frame::left - 8),
                       pixel(tick.place + 4), number(tick.value, 6));
  }
  for (const Bar& bar : all) {
    const double top = y.place(static_cast<double>(bar.count));
    const std::string tip = fmt::format("{}: {}", bar.range, plural(bar.count, "constraint"));
    out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" data-tip=\"{}\"/>", bar.style,
                       pixel(bar.x + 0.5), pixel(top), pixel(std::max(0.8, at.slot - 1.0)), pixel(kBottom - top), tip);
  }
  return fmt::format(
      "<svg class=\"y-{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Histogram of slacks\"><path class=\"grid\" "
      "d=\"{}\"/>{}{}<path class=\"axis\" d=\"M{} {}H{}\"/>{}<text class=\"title\" x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">&larr; violated by &nbsp;|&nbsp; slack &rarr;</text></svg>",
      kind == AxisKind::linear ? "linear" : "log", Frame::width, Frame::height, grid, out, limit_line(at, allowed),
      pixel(Frame::left), pixel(kBottom), pixel(Frame::width - Frame::right), decade_labels(at),
      pixel(Frame::width - Frame::right), pixel(Frame::height - 6));
}

std::string slack_legend(const SlackHistogram& h) {
  const auto any = [](const auto& counts) {
    return std::any_of(counts.begin(), counts.end(), [](Index count) { return count > 0; });
  };
  std::string out = "<ul class=\"legend\">";
  if (any(h.satisfied)) out += "<li><i class=\"swatch satisfied\"></i>satisfied</li>";
  if (any(h.violated)) out += "<li><i class=\"swatch violated\"></i>violated</li>";
  if (h.boundary > 0) out += "<li><i class=\"swatch boundary\"></i>on the boundary</li>";
  return out + "</ul>";
}

}  // namespace

std::string soft_figure(const SoftOverview& soft, std::string_view where) {
  if (soft.total() == 0) return {};
  struct Part {
    std::string_view name;
    Index count;
    std::string_view style;
  };
  std::string rows;
  for (const Part& part : {Part{"satisfied: they cost nothing", soft.at_zero, "s2"},
                           Part{"at the kink: they shape the solution", soft.at_kink, "s3"},
                           Part{"violated: they pay their price", soft.at_price, "s1"}}) {
    rows +=
        fmt::format("<tr><td class=\"name\">{}</td><td class=\"num\">{}</td><td class=\"bars\">{}</td></tr>\n",
                    part.name, count(part.count),
                    horizontal_bar(static_cast<double>(part.count) / static_cast<double>(soft.total()), part.style));
  }
  return fmt::format(
      "<figure class=\"card\" id=\"soft\"><h3>Soft rows at the {}</h3><table class=\"data\"><tbody>\n{}</tbody>"
      "</table><figcaption>Together they add {} to the objective.</figcaption></figure>\n",
      where, rows, number(soft.cost, 6));
}

std::string slack_figure(const SlackHistogram& h, double allowed, std::string_view where) {
  std::string out = fmt::format("<figure class=\"card\" id=\"slacks\"><h3>Slacks at the {}</h3>", where);
  if (h.satisfied.empty()) return out + "<p class=\"nothing\">There are no inequalities.</p></figure>\n";
  const Layout layout(h);
  out += slack_legend(h) + "<div class=\"plot\">";
  for (AxisKind kind : {AxisKind::logarithmic, AxisKind::linear}) out += draw(h, layout, kind, allowed);
  out += "</div><figcaption>How far ";
  out += h.total() == 1 ? "the constraint" : "each of " + plural(h.total(), "constraint");
  out += " is from its boundary.";
  if (h.bounded > 0) {
    out += fmt::format(
        " {} of them were not read again at this point: what is known of them gives a lower bound of the slack, which "
        "is what counts here.",
        count(h.bounded));
  }
  if (h.unknown > 0) out += fmt::format(" {} could not be evaluated.", count(h.unknown));
  return out + "</figcaption></figure>\n";
}

}  // namespace pliant::report
