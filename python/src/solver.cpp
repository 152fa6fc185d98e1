#include "pliant/solver.hpp"

#include "arrays.hpp"
#include "background.hpp"
#include "problem.hpp"
#include "solve.hpp"
#include "terms.hpp"

namespace pliant::python {
namespace {

struct HeldSolver {
  explicit HeldSolver(const Problem& problem) : solver(problem) {}

  Solver& change() {
    busy.expect_idle("solver");
    return solver;
  }

  Solver solver;
  Busy busy;
};

// The handle of the batch with this index.
Handle batch_handle(const Problem& problem, Index index) {
  for (const Handle& handle : problem.handles()) {
    if (handle.kind == ConstraintKind::batch && handle.part == index) return handle;
  }
  return {index, ConstraintKind::batch, index};  // refused by name where it is used
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::class_<HeldSolver>(m, "Solver")
      .def(
          "__init__", [](HeldSolver* self, const HeldProblem& p) { new (self) HeldSolver(p.problem); },
          nb::arg("problem"))
      .def(
          "solve",
          [](HeldSolver& held, const Settings& settings, nb::object callback, nb::object write,
             const Solution* warm_start) {
            held.change().settings = settings;
            const Busy::Scope busy(held.busy);
            return run_solve(held.solver.problem(), settings, {std::move(callback), std::move(write), warm_start},
                             [&](const SolveHooks& hooks) { return held.solver.solve(hooks); });
          },
          nb::arg("settings"), nb::arg("callback").none(), nb::arg("write").none(), nb::arg("warm_start").none())
      .def(
          "update",
          [](HeldSolver& held, Index index, const DoublesIn& constants) {
            Solver& solver = held.change();
            const Busy::Scope busy(held.busy);
            Background().run(
                [&, values = hold(constants)] { solver.update(batch_handle(solver.problem(), index), values); });
          },
          nb::arg("index"), nb::arg("constants").noconvert())
      .def(
          "update_term",
          [](HeldSolver& held, Index index, const Term& term) { held.change().update_term(index, term.ptr); },
          nb::arg("index"), nb::arg("term"))
      .def(
          "append",
          [](HeldSolver& held, Index index, const Batch& rows) {
            Solver& solver = held.change();
            const Busy::Scope busy(held.busy);
            Background().run([&] { solver.append(batch_handle(solver.problem(), index), rows.ptr); });
            return static_cast<Index>(held.solver.problem().batches().size()) - 1;
          },
          nb::arg("index"), nb::arg("rows"))
      .def(
          "append_soft",
          [](HeldSolver& held, Index index, const Soft& soft) {
            Solver& solver = held.change();
            const Busy::Scope busy(held.busy);
            Background().run([&] { solver.append(batch_handle(solver.problem(), index), soft.rows); });
            return static_cast<Index>(held.solver.problem().batches().size()) - 1;
          },
          nb::arg("index"), nb::arg("soft"))
      .def("problem", [](const HeldSolver& held) { return new HeldProblem(held.solver.problem()); });
}

}  // namespace pliant::python
