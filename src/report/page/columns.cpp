#include "report/page/columns.hpp"

#include "report/page/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace pliant::report {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double finite_or_unknown(double value) { return std::isfinite(value) ? value : kUnknown; }
double count_or_unknown(Index value) { return value >= 0 ? static_cast<double>(value) : kUnknown; }

void append(Columns& c, const Progress& row) {
  c.iteration.push_back(static_cast<double>(row.iteration));
  c.stage.push_back(static_cast<double>(row.stage));
  c.time.push_back(c.timed ? finite_or_unknown(row.time) : kUnknown);
  c.passes.push_back(finite_or_unknown(row.passes));
  c.objective.push_back(finite_or_unknown(-c.direction * row.objective));
  c.bound.push_back(finite_or_unknown(-c.direction * row.lower_bound));
  const double gap = finite_or_unknown(row.objective - row.lower_bound);
  c.gap.push_back(gap);
  c.gap_rel.push_back(gap / (1.0 + std::abs(row.objective)));
  c.violation.push_back(finite_or_unknown(row.violation));
  c.dual_residual.push_back(finite_or_unknown(row.dual_residual));
  c.delta.push_back(row.delta > 0.0 ? finite_or_unknown(row.delta) : kUnknown);
  c.xi.push_back(row.xi > 0.0 ? finite_or_unknown(row.xi) : kUnknown);
  c.active.push_back(count_or_unknown(row.active));
  c.near_active.push_back(count_or_unknown(row.near_active));
  c.working.push_back(count_or_unknown(row.working));
  c.screened.push_back(count_or_unknown(row.screened));
  c.gap_estimate.push_back(finite_or_unknown(std::abs(row.gap_estimate) / (1.0 + std::abs(row.objective))));
  c.mu.push_back(finite_or_unknown(row.mu));
  c.step_primal.push_back(finite_or_unknown(row.step_primal));
  c.step_dual.push_back(finite_or_unknown(row.step_dual));
}

// As an array, or as runs of equal values if that is shorter.
std::string column_json(const std::vector<double>& values, int digits) {
  std::string plain = "[", runs = "{\"runs\":[";
  for (std::size_t i = 0; i < values.size();) {
    const std::string text = json_number(values[i], digits);
    std::size_t end = i + 1;
    while (end < values.size() && json_number(values[end], digits) == text) ++end;
    for (std::size_t k = i; k < end; ++k) plain += (k > 0 ? "," : "") + text;
    runs += fmt::format("{}{},{}", i > 0 ? "," : "", text, end - i);
    i = end;
  }
  plain += "]";
  runs += "]}";
  return runs.size() < plain.size() ? runs : plain;
}

std::string to_json(const Columns& c) {
  constexpr int kExact = 17;  // counts
  struct Entry {
    std::string_view name;
    const std::vector<double>& values;
    int digits;
  };
  std::string columns;
  for (const Entry& entry :
       {Entry{"iteration", c.iteration, kExact}, Entry{"time", c.time, 5}, Entry{"passes", c.passes, 6},
        Entry{"objective", c.objective, 10}, Entry{"gap", c.gap, 3}, Entry{"violation", c.violation, 3},
        Entry{"dual_residual", c.dual_residual, 3}, Entry{"delta", c.delta, 4}, Entry{"xi", c.xi, 4},
        Entry{"active", c.active, kExact}, Entry{"near_active", c.near_active, kExact},
        Entry{"working", c.working, kExact}, Entry{"screened", c.screened, kExact},
        Entry{"gap_estimate", c.gap_estimate, 3}, Entry{"mu", c.mu, 3}, Entry{"step_primal", c.step_primal, 3},
        Entry{"step_dual", c.step_dual, 3}}) {
    columns +=
        fmt::format("{}\"{}\":{}", columns.empty() ? "" : ",", entry.name, column_json(entry.values, entry.digits));
  }
  return fmt::format("{{\"rows\":{},\"direction\":{},\"columns\":{{{}}}}}", c.rows(), c.direction, columns);
}

}  // namespace

namespace {

// Methods that factorise what they read once make steps without passes.
bool passes_say_nothing(const std::vector<Progress>& trace) {
  const bool path = std::any_of(trace.begin(), trace.end(), [](const Progress& r) { return std::isfinite(r.mu); });
  const auto moves = [&](std::size_t i) { return trace[i].passes != trace[i - 1].passes; };
  Index moved = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) moved += moves(i) ? 1 : 0;
  return path || (trace.size() > 2 && moved <= 1);
}

}  // namespace

Columns make_columns(const std::vector<Progress>& trace, bool maximize, bool timeless) {
  const auto recorded = static_cast<Index>(trace.size());
  for (Index stride = 1;; ++stride) {
    Columns out;
    out.recorded = recorded;
    out.direction = maximize ? 1.0 : -1.0;
    out.timed = !timeless;
    out.by_iteration = passes_say_nothing(trace);
    for (Index i = 0; i < recorded; ++i) {
      if (i % stride == 0 || i + 1 == recorded) append(out, trace[static_cast<std::size_t>(i)]);
    }
    out.json = to_json(out);
    if (out.json.size() <= Columns::kMostBytes || out.rows() <= 2) return out;
    // A first guess from the size; rows differ, so it may take another round.
    stride = std::max(stride, stride * static_cast<Index>(out.json.size()) / static_cast<Index>(Columns::kMostBytes));
  }
}

}  // namespace pliant::report
