#include "solve.hpp"

#include "arrays.hpp"
#include "background.hpp"
#include "machine/memory.hpp"
#include "problem.hpp"
#include "report/report.hpp"
#include "result.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pliant::python {
namespace {

// The table of the command, line by line.
class Printer {
 public:
  Printer(nb::object write, const Problem& problem, const Settings& settings)
      : write_(std::move(write)), problem_(problem), settings_(settings) {}

  bool enabled() const { return !write_.is_none(); }
  void begin() {
    if (enabled()) write_(report::heading(problem_, problem_.name.empty() ? "problem" : problem_.name) + "\n");
  }
  void row(const Progress& row) {
    constexpr Index kHeaderEvery = 30;
    if (!enabled()) return;
    std::string text = report::progress_line(problem_, row, settings_.timeless) + "\n";
    const std::string header = report::progress_header(row, settings_.timeless);
    if (rows_++ % kHeaderEvery == 0 || header != header_) text = header + "\n" + text;
    header_ = header;
    write_(text);
  }
  void end(const Result& result) {
    if (!enabled()) return;
    std::string text = report::method_line(result);
    if (rows_ > 0) text.insert(text.begin(), '\n');
    write_(text + report::summary(problem_, settings_, result));
  }

 private:
  nb::object write_;
  const Problem& problem_;
  const Settings& settings_;
  Index rows_ = 0;
  std::string header_;
};

nb::list run_together(const nb::list& problems, const Settings& settings) {
  std::vector<std::reference_wrapper<const Problem>> given;
  std::deque<Busy::Scope> busy;
  for (const nb::handle item : problems) {
    const HeldProblem& held = nb::cast<const HeldProblem&>(item);
    busy.emplace_back(held.busy);
    given.emplace_back(held.problem);
  }
  std::atomic<bool> stop = false;
  std::vector<Result> results;
  Background(&stop).run([&] {
    const machine::MemoryWatch memory;
    results = solve_together(given, settings, &stop);
  });
  nb::list out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    out.append(to_python(given[k].get(), settings, std::move(results[k])));
  }
  return out;
}

}  // namespace

nb::dict run_solve(const Problem& problem, const Settings& settings, const Watch& watch,
                   FunctionRef<Result(const SolveHooks&)> solve) {
  return run_solve_in(problem, settings, watch, [&](Background&, const SolveHooks& hooks) { return solve(hooks); });
}

nb::dict run_solve_in(const Problem& problem, const Settings& settings, const Watch& watch,
                      FunctionRef<Result(Background&, const SolveHooks&)> solve) {
  std::atomic<bool> stop = false;
  Background background(&stop);
  Printer printer(watch.write, problem, settings);
  const bool watched = printer.enabled() || !watch.callback.is_none();

  SolveHooks hooks;
  hooks.interrupt = &stop;
  if (watched) {
    hooks.progress = [&](const Progress& row) {
      bool enough = false;
      background.call([&] {
        printer.row(row);
        if (!watch.callback.is_none()) enough = nb::cast<bool>(watch.callback(to_python(problem, row)));
      });
      return enough;
    };
  }
  Multipliers multipliers;
  if (watch.warm_start != nullptr) {
    check_solution_shape(problem, *watch.warm_start);
    hooks.warm_start = &watch.warm_start->x;
    if (!watch.warm_start->duals.empty() || watch.warm_start->equality_duals.size() > 0) {
      multipliers = to_multipliers(problem, *watch.warm_start);
      hooks.warm_multipliers = &multipliers;
    }
  }
  printer.begin();
  std::optional<Result> result;
  std::string failure;
  background.run([&] {
    const machine::MemoryWatch memory;
    CheckpointedSolve checkpoints(problem, watch.checkpoints, settings, hooks);
    result = solve(background, hooks);
    checkpoints.finish(*result);
    failure = checkpoints.failure();
  });
  if (!failure.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, ("checkpoint: " + failure).c_str(), 1) != 0) {
    throw nb::python_error();
  }
  printer.end(*result);
  return to_python(problem, settings, std::move(*result));
}

void bind_solve(nb::module_& m) {
  m.def(
      "solve",
      [](const HeldProblem& held, const Settings& settings, nb::object callback, nb::object write,
         const Solution* warm_start, std::string_view checkpoint, double checkpoint_every, std::string_view resume) {
        const Busy::Scope busy(held.busy);
        return run_solve(held.problem, settings,
                         {std::move(callback), std::move(write), warm_start, {checkpoint, checkpoint_every, resume}},
                         [&](const SolveHooks& hooks) { return solve(held.problem, settings, hooks); });
      },
      nb::arg("problem"), nb::arg("settings"), nb::arg("callback").none(), nb::arg("write").none(),
      nb::arg("warm_start").none(), nb::arg("checkpoint"), nb::arg("checkpoint_every"), nb::arg("resume"));
  m.def(
      "solve_together",
      [](const nb::list& problems, const Settings& settings) { return run_together(problems, settings); },
      nb::arg("problems"), nb::arg("settings"));
  m.def(
      "minimize_penalized",
      [](const HeldProblem& held, double xi, double delta, double tolerance, Index max_iterations,
         const Solution* start) {
        const Busy::Scope busy(held.busy);
        PenalizedMinimum found;
        Background().run([&] {
          found = minimize_penalized(held.problem, xi, delta, tolerance, max_iterations,
                                     start != nullptr ? &start->x : nullptr);
        });
        return nb::make_tuple(to_numpy(std::move(found.x)), found.value, found.residual, found.iterations);
      },
      nb::arg("problem"), nb::arg("xi"), nb::arg("delta"), nb::arg("tolerance"), nb::arg("max_iterations"),
      nb::arg("start").none());
  m.def(
      "forecast_guarantee",
      [](const HeldProblem& held, double epsilon, const Settings& settings, const Solution* start) {
        const Busy::Scope busy(held.busy);
        report::Figures figures;
        Background().run([&] {
          figures = report::figures(held.problem, forecast_guarantee(held.problem, epsilon, settings,
                                                                     start != nullptr ? &start->x : nullptr));
        });
        return to_python(figures, false);
      },
      nb::arg("problem"), nb::arg("epsilon"), nb::arg("settings"), nb::arg("start").none());
  bind_result(m);
  m.attr("progress_fields") = progress_fields();
}

}  // namespace pliant::python
