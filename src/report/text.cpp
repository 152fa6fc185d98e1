#include "report/report.hpp"

#include "cones/cone_checks.hpp"
#include "machine/memory.hpp"
#include "pliant/io.hpp"
#include "pliant/version.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace pliant::report {
namespace {

// The progress table as data: CSV, header and lines are all made from it.
enum class Shown { always, with_penalty, on_path, in_csv };

struct Column {
  std::string_view csv;  // empty: shown alone
  std::string_view title;
  int width;
  Shown shown;
  std::string (*text)(const Progress& row);  // as shown to people
  double (*value)(const Progress& row);
  bool is_time = false;
};

constexpr std::string_view kNotKnown = "-";

std::string sci(double v) { return std::isfinite(v) ? fmt::format("{:.2e}", v) : std::string(kNotKnown); }
std::string full(double v) { return std::isfinite(v) ? fmt::format("{:.9e}", v) : std::string(kNotKnown); }
std::string share(double v) { return std::isfinite(v) ? fmt::format("{:.3f}", v) : std::string(kNotKnown); }
std::string counted(Index v) { return v < 0 ? std::string(kNotKnown) : fmt::format("{}", v); }
double counted_value(Index v) { return v < 0 ? Progress::kUnknown : static_cast<double>(v); }

// Of the bound where there is one; else what the method makes of its own iterates.
double gap(const Progress& r) {
  return std::isfinite(r.lower_bound) ? std::abs(r.objective - r.lower_bound) : r.gap_estimate;
}

constexpr std::array kColumns{
    Column{"iteration", "iter", 7, Shown::always, [](const Progress& r) { return fmt::format("{}", r.iteration); },
           [](const Progress& r) { return static_cast<double>(r.iteration); }},
    Column{"stage", "stage", 5, Shown::with_penalty, [](const Progress& r) { return fmt::format("{}", r.stage); },
           [](const Progress& r) { return static_cast<double>(r.stage); }},
    Column{"passes", "passes", 9, Shown::with_penalty,
           [](const Progress& r) { return fmt::format("{:.1f}", r.passes); },
           [](const Progress& r) { return r.passes; }},
    Column{"component_evaluations", "evals", 8, Shown::with_penalty,
           [](const Progress& r) { return sci(static_cast<double>(r.component_evaluations)); },
           [](const Progress& r) { return static_cast<double>(r.component_evaluations); }},
    Column{"delta", "delta", 8, Shown::with_penalty, [](const Progress& r) { return sci(r.delta); },
           [](const Progress& r) { return r.delta; }},
    Column{"xi", "xi", 8, Shown::with_penalty, [](const Progress& r) { return sci(r.xi); },
           [](const Progress& r) { return r.xi; }},
    Column{"objective", "objective", 17, Shown::always, [](const Progress& r) { return full(r.objective); },
           [](const Progress& r) { return r.objective; }},
    Column{"lower_bound", "bound", 17, Shown::always, [](const Progress& r) { return full(r.lower_bound); },
           [](const Progress& r) { return r.lower_bound; }},
    Column{"", "gap", 8, Shown::on_path, [](const Progress& r) { return sci(gap(r)); }, nullptr},
    Column{"violation", "violation", 9, Shown::always, [](const Progress& r) { return sci(r.violation); },
           [](const Progress& r) { return r.violation; }},
    Column{"dual_residual", "dual res", 8, Shown::always, [](const Progress& r) { return sci(r.dual_residual); },
           [](const Progress& r) { return r.dual_residual; }},
    Column{"active", "active", 7, Shown::with_penalty, [](const Progress& r) { return counted(r.active); },
           [](const Progress& r) { return counted_value(r.active); }},
    Column{"near_active", "", 0, Shown::in_csv, nullptr,
           [](const Progress& r) { return counted_value(r.near_active); }},
    Column{"working", "rows", 8, Shown::with_penalty, [](const Progress& r) { return counted(r.working); },
           [](const Progress& r) { return static_cast<double>(r.working); }},
    Column{"screened", "", 0, Shown::in_csv, nullptr,
           [](const Progress& r) { return static_cast<double>(r.screened); }},
    Column{"gap_estimate", "", 0, Shown::in_csv, nullptr, [](const Progress& r) { return r.gap_estimate; }},
    Column{"mu", "mu", 8, Shown::on_path, [](const Progress& r) { return sci(r.mu); },
           [](const Progress& r) { return r.mu; }},
    Column{"step_primal", "step p", 6, Shown::on_path, [](const Progress& r) { return share(r.step_primal); },
           [](const Progress& r) { return r.step_primal; }},
    Column{"step_dual", "step d", 6, Shown::on_path, [](const Progress& r) { return share(r.step_dual); },
           [](const Progress& r) { return r.step_dual; }},
    Column{"time", "time s", 8, Shown::always, [](const Progress& r) { return fmt::format("{:.2f}", r.time); },
           [](const Progress& r) { return r.time; }, true},
};

bool is_on_path(const Progress& row) { return std::isfinite(row.mu); }

// Objective and bound as the author of the problem counts them.
Progress reported(const Problem& problem, Progress row) {
  row.objective = problem.reported(row.objective);
  row.lower_bound = problem.reported(row.lower_bound);
  return row;
}

template <class Select, class Cell>
std::string join(bool timeless, std::string_view separator, Select select, Cell cell) {
  std::string line;
  bool first = true;
  for (const Column& c : kColumns) {
    if ((timeless && c.is_time) || !select(c)) continue;
    if (!first) line += separator;
    first = false;
    line += cell(c);
  }
  return line;
}

auto shown_beside(const Progress& row) {
  return [other = is_on_path(row) ? Shown::on_path : Shown::with_penalty](const Column& c) {
    return c.shown == Shown::always || c.shown == other;
  };
}
bool in_csv(const Column& c) { return !c.csv.empty(); }

}  // namespace

bool has_penalty(const Result& result) { return result.delta > 0.0 && std::isfinite(result.xi); }

std::string trace_csv(const Problem& problem, const std::vector<Progress>& trace, bool timeless) {
  std::string out = join(timeless, ",", in_csv, [](const Column& c) { return std::string(c.csv); }) + "\n";
  for (const Progress& minimized : trace) {
    const Progress row = reported(problem, minimized);
    out += join(timeless, ",", in_csv, [&](const Column& c) { return fmt::format("{:.17g}", c.value(row)); }) + "\n";
  }
  return out;
}

std::string progress_header(const Progress& row, bool timeless) {
  return join(timeless, " ", shown_beside(row),
              [](const Column& c) { return fmt::format("{:>{}}", c.title, c.width); });
}

std::string progress_line(const Problem& problem, const Progress& minimized, bool timeless) {
  const Progress row = reported(problem, minimized);
  return join(timeless, " ", shown_beside(row),
              [&](const Column& c) { return fmt::format("{:>{}}", c.text(row), c.width); });
}

namespace {

// Cones of each kind; rows of nonnegative and zero ones count one by one.
std::map<std::string_view, Index> count_kinds(const Problem& problem) {
  std::map<std::string_view, Index> count;
  for (const ConicConstraint& conic : problem.conic()) {
    for (const Cone& cone : conic.cones) {
      count[to_string(cone.kind)] += cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative ? cone.rows : 1;
    }
  }
  return count;
}

}  // namespace

std::string describe_constraints(const Problem& problem) {
  std::map<std::string, Index> count;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    const bool soft = !problem.caps(static_cast<Index>(b)).empty();
    count[fmt::format("{}{}", soft ? "soft " : "", batch.family())] += batch.size();
  }
  std::string text;
  for (const auto& [family, m] : count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", m, family);
  for (const auto& [kind, cones] : count_kinds(problem)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cones, kind);
  }
  if (problem.has_equalities()) {
    text += fmt::format("{}{} equalities", text.empty() ? "" : ", ", problem.equality_matrix().rows());
  }
  return text.empty() ? "none" : text;
}

std::string heading(const Problem& problem, const std::string& label) {
  const Index mapped = mapped_bytes();
  return fmt::format("pliant {}\nproblem      {}: {} variables; constraints: {}; prox: {}; {} of constraint data{}\n",
                     version(), label, problem.dimension(), describe_constraints(problem), problem.prox().kind(),
                     machine::human_bytes(problem.data_bytes()),
                     mapped > 0 ? fmt::format(" ({} mapped)", machine::human_bytes(mapped)) : "");
}

std::string method_line(const Result& result) {
  return fmt::format("method       {}{}\n", result.engine, result.choice.empty() ? "" : "  (" + result.choice + ")");
}

namespace {

std::string_view bound_in_words(BoundKind kind) {
  switch (kind) {
    case BoundKind::proved:
      return "proved";
    case BoundKind::proved_if_convex:
      return "proved if all functions are convex";
    case BoundKind::estimate:
      return "an estimate: tolerances decide, not a proof";
  }
  return "";
}

std::string meant_in_words(const Problem& problem, const Certificate& c) {
  const MeantFunctions& m = *c.approximation;
  const LowerBound bound = c.meant_bound();
  std::string out = fmt::format("meant        {} rows stand for functions within {:.2e}{}\n", m.rows, m.error,
                                m.holds ? "" : "; at this point they are NOT");
  out += fmt::format("             their violation {}{:.2e} max; {} bound of their problem {:.12e}  ({})\n",
                     m.measured ? "" : "<= ", m.violation_linf, problem.sense == Sense::maximize ? "upper" : "lower",
                     problem.reported(bound.value), bound_in_words(bound.kind));
  return out;
}

}  // namespace

std::string summary(const Problem& problem, const Certificate& c) {
  const bool maximize = problem.sense == Sense::maximize;
  std::string out;
  out += fmt::format("objective    {:.12e}{}\n", problem.reported(c.objective), maximize ? "  (maximised)" : "");
  out += fmt::format("{} bound  {:.12e}  ({})\n", maximize ? "upper" : "lower", problem.reported(c.lower_bound),
                     bound_in_words(c.lower_bound_kind));
  // Without a bound, and where a proof says that there is no optimal value, there is no distance to it.
  out += std::isfinite(c.gap_abs())
             ? fmt::format("gap          {:.2e} absolute, {:.2e} relative\n", c.gap_abs(), c.gap_rel())
             : std::string("gap          none\n");
  out += fmt::format("violation    {:.2e} max, {:.2e} 2-norm, {:.2e} sum; relative {:.2e}\n", c.violation_linf,
                     c.violation_l2, c.violation_l1, c.violation_rel());
  if (c.domain_violation > 0.0) out += fmt::format("outside the prox term's domain by {:.2e}\n", c.domain_violation);
  if (c.equality_residual > 0.0) out += fmt::format("equalities   {:.2e} max residual\n", c.equality_residual);
  out += fmt::format("dual resid.  {:.2e} absolute, {:.2e} relative\n", c.dual_residual, c.dual_residual_rel);
  out += fmt::format("active       {} constraint{}\n", c.active, c.active == 1 ? "" : "s");
  if (c.approximation) out += meant_in_words(problem, c);
  return out;
}

std::string describe(const GuaranteeForecast& f) {
  if (!f.available()) return fmt::format("guarantee    none for epsilon = {:g}: {}\n", f.epsilon, f.missing);
  std::string out = fmt::format(
      "guarantee    epsilon = {:g}: sum of violations <= {:g} and |F - F*| <= {:.4g} after N = {:.6g} steps "
      "(Corollary {})\n",
      f.epsilon, f.violation, f.objective_gap, f.iterations, f.corollary);
  out += fmt::format("             xi = {:.6g} ({}), delta = {:.6g}, L = {:.4g}, mu = {:.4g}", f.xi,
                     f.xi_source == "given" ? "given" : "twice the Slater bound", f.delta, f.smoothness, f.mu);
  if (std::isfinite(f.distance)) out += fmt::format(", |x0 - x*| <= {:.4g} ({})", f.distance, f.distance_source);
  return out + "\n";
}

std::string describe(const SlaterConstants& slater) {
  if (!slater.known()) return fmt::format("Slater       none known: {}\n", slater.source);
  std::string out = fmt::format("Slater       s = {:.4g} ({})", slater.slack, slater.source);
  if (std::isfinite(slater.multiplier_bound)) return out + fmt::format(": xi_bar <= {:.4g}\n", slater.multiplier_bound);
  return out + ": no bound of xi_bar, because mu = 0 and the domain is unbounded leave no lower bound of F*\n";
}

namespace {

// Predicted beside actual.
std::string predicted_and_actual(const GuaranteeOutcome& g) {
  const GuaranteeForecast& f = g.predicted;
  return describe(f) + fmt::format("             {} after {} of N = {:.6g} steps: sum of violations {:.3e}, {}\n",
                                   g.reached ? "reached" : "not reached", g.iterations, f.iterations, g.violation,
                                   std::isfinite(g.objective_gap) ? fmt::format("F - F* <= {:.3e}", g.objective_gap)
                                                                  : "no bound of F - F* but the corollary's");
}

}  // namespace

std::string summary(const Problem& problem, const Settings& settings, const Result& r) {
  std::string out = fmt::format("status       {}{}{}\n", to_string(r.status), r.message.empty() ? "" : ": ", r.message);
  out += summary(problem, r.certificate);
  if (const SoftOverview& soft = r.overview.soft; soft.total() > 0) {
    out += fmt::format("soft rows    {} at zero, {} at the kink, {} at their price; they cost {:.6e}\n", soft.at_zero,
                       soft.at_kink, soft.at_price, soft.cost);
  }
  if (r.guarantee) out += predicted_and_actual(*r.guarantee);
  if (r.screened > 0) {
    out += fmt::format("screened     {} constraint{} proven inactive\n", r.screened, r.screened == 1 ? "" : "s");
  }
  if (has_penalty(r)) {
    out += fmt::format("penalty      xi = {:.3g}{}, delta = {:.3g}\n", r.xi,
                       r.xi_proved ? " (proved large enough)" : "", r.delta);
  }
  out += fmt::format("effort       {} iterations, {:.1f} passes over {} of constraint data, {} component evaluations\n",
                     r.iterations, r.passes, machine::human_bytes(problem.data_bytes()), r.component_evaluations);
  if (!settings.timeless) {
    out += fmt::format("time         {:.3f} s read, {:.3f} s setup, {:.3f} s solve\n", r.time.read, r.time.setup,
                       r.time.solve);
    if (r.stream_time) {
      out += fmt::format("yardstick    one read of the data takes {:.3e} s; (setup + solve) / read = {:.1f}\n",
                         *r.stream_time, (r.time.setup + r.time.solve) / *r.stream_time);
    }
  }
  return out;
}

}  // namespace pliant::report
