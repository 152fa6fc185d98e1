#include "problem.hpp"

#include "arrays.hpp"
#include "background.hpp"
#include "pliant/check.hpp"
#include "pliant/io.hpp"
#include "report/report.hpp"
#include "result.hpp"
#include "terms.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

namespace pliant::python {
namespace {

using PointIn = std::optional<DoublesIn>;

std::optional<Vector> to_point(const PointIn& point) {
  return point ? std::optional<Vector>(to_vector(*point)) : std::nullopt;
}

nb::object from_point(const std::optional<Vector>& point) { return point ? to_numpy(*point) : nb::none(); }

std::vector<Vector> to_vectors(const std::vector<DoublesIn>& arrays) {
  std::vector<Vector> out;
  for (const DoublesIn& array : arrays) out.push_back(to_vector(array));
  return out;
}

// Reading, and checking whether what was read is a convex problem, both without the GIL.
HeldProblem read(const std::string& file, std::optional<Index> memory_limit, std::vector<std::string>& notes) {
  std::optional<Problem> problem;
  Background().run([&] {
    problem = read_problem(file, {memory_limit, &notes});
    try {
      problem->validate();
    } catch (const InputError& error) {  // which does not know the file
      throw InputError(file + ": " + error.what());
    }
  });
  return HeldProblem(std::move(*problem));
}

void bind_building(nb::class_<HeldProblem>& problem) {
  problem
      .def(
          "__init__", [](HeldProblem* self, Index n) { new (self) HeldProblem(Problem(n)); }, nb::arg("n"))
      .def("copy", [](const HeldProblem& p) { return HeldProblem(p); })
      .def(
          "minimize", [](HeldProblem& p, const Term& term, double weight) { p.change().minimize(term.ptr, weight); },
          nb::arg("term"), nb::arg("weight"))
      .def(
          "minimize_soft",
          [](HeldProblem& p, const Soft& soft, double weight, const std::string& name) {
            return p.change().minimize(soft.rows, weight, name).part;
          },
          nb::arg("soft"), nb::arg("weight"), nb::arg("name"))
      .def(
          "regularize", [](HeldProblem& p, const Prox& prox) { p.change().regularize(prox.ptr); }, nb::arg("prox"))
      .def(
          "subject_to",
          [](HeldProblem& p, const Batch& batch, const std::string& name) {
            return p.change().subject_to(batch.ptr, name).part;
          },
          nb::arg("batch"), nb::arg("name"))
      .def(
          "subject_to_cones",
          [](HeldProblem& p, const ConicConstraint& conic, const std::string& name) {
            return p.change().subject_to(conic, name).part;
          },
          nb::arg("conic"), nb::arg("name"))
      .def(
          "equal",
          [](HeldProblem& p, const DataMatrix& E, const DoublesIn& e, const std::string& name) {  // the first row
            const Handle added = p.change().subject_to(equal(E, hold(e)), name);
            return p.problem.equality_parts()[static_cast<std::size_t>(added.part)];
          },
          nb::arg("E"), nb::arg("e").noconvert(), nb::arg("name"));
}

void bind_reading(nb::class_<HeldProblem>& problem) {
  problem.def_prop_ro("n", [](const HeldProblem& p) { return p.problem.dimension(); })
      .def_prop_ro("m", [](const HeldProblem& p) { return p.problem.constraints(); })
      .def_prop_ro("data_bytes", [](const HeldProblem& p) { return p.problem.data_bytes(); })
      .def_prop_ro("prox", [](const HeldProblem& p) { return std::string(p.problem.prox().kind()); })
      .def_prop_ro("equalities", [](const HeldProblem& p) { return p.problem.equality_rhs().size(); })
      .def_prop_ro("terms",
                   [](const HeldProblem& p) {
                     nb::list out;
                     for (const auto& t : p.problem.terms()) out.append(nb::make_tuple(Term{t.term}, t.weight));
                     return out;
                   })
      .def_prop_ro("batches",
                   [](const HeldProblem& p) {
                     nb::list out;
                     for (const BatchPtr& batch : p.problem.batches()) out.append(Batch{batch});
                     return out;
                   })
      .def_prop_ro("soft",  // which batches are
                   [](const HeldProblem& p) {
                     nb::list out;
                     for (std::size_t b = 0; b < p.problem.batches().size(); ++b) {
                       out.append(!p.problem.caps(static_cast<Index>(b)).empty());
                     }
                     return out;
                   })
      .def_prop_ro("conic",
                   [](const HeldProblem& p) {
                     nb::list out;
                     for (std::size_t i = 0; i < p.problem.conic().size(); ++i) {
                       auto* copy = new ConicConstraint(p.problem.conic()[i]);  // nanobind must not throw in making one
                       nb::object taken = nb::cast(copy, nb::rv_policy::take_ownership);
                       out.append(nb::make_tuple(p.problem.conic_name(static_cast<Index>(i)), std::move(taken)));
                     }
                     return out;
                   })
      .def_prop_rw(
          "maximize", [](const HeldProblem& p) { return p.problem.sense == Sense::maximize; },
          [](HeldProblem& p, bool maximize) { p.change().sense = maximize ? Sense::maximize : Sense::minimize; })
      .def("describe_constraints", [](const HeldProblem& p) { return report::describe_constraints(p.problem); })
      .def(
          "objective",
          [](const HeldProblem& p, const DoublesIn& x) {
            const Busy::Scope busy(p.busy);
            double value = 0.0;
            Background().run([&, point = to_vector(x)] { value = p.problem.reported(p.problem.objective(point)); });
            return value;
          },
          nb::arg("x").noconvert())
      .def("validate", [](const HeldProblem& p) {
        const Busy::Scope busy(p.busy);
        Background().run([&] {
          p.problem.validate();
          p.problem.check_functions();
        });
      });
}

void bind_extras(nb::class_<HeldProblem>& problem) {
  problem
      .def_prop_rw(
          "name", [](const HeldProblem& p) { return p.problem.name; },
          [](HeldProblem& p, std::string name) { p.change().name = std::move(name); })
      .def_prop_rw(
          "variable_names", [](const HeldProblem& p) { return p.problem.names.variables; },
          [](HeldProblem& p, std::vector<std::string> names) { p.change().names.variables = std::move(names); })
      .def_prop_ro(
          "row_names",  // of files: by batch, of equalities
          [](const HeldProblem& p) { return nb::make_tuple(p.problem.names.constraints, p.problem.names.equalities); })
      .def_prop_rw(
          "start", [](const HeldProblem& p) { return from_point(p.problem.start); },
          [](HeldProblem& p, const PointIn& x) { p.change().start = to_point(x); }, nb::arg("x").none())
      .def_prop_rw(
          "slater_point", [](const HeldProblem& p) { return from_point(p.problem.slater_point); },
          [](HeldProblem& p, const PointIn& x) { p.change().slater_point = to_point(x); }, nb::arg("x").none())
      .def_prop_ro("known_optimum", [](const HeldProblem& p) -> nb::object {
        if (!p.problem.known_optimum) return nb::none();
        const KnownOptimum& known = *p.problem.known_optimum;
        return nb::make_tuple(p.problem.reported(known.objective),
                              known.x.size() > 0 ? to_numpy(known.x) : nb::object(nb::none()));
      });
}

void bind_files(nb::module_& m) {
  m.attr("readable_endings") = readable_endings();
  m.attr("writable_endings") = writable_endings();
  nb::class_<Solution>(m, "Solution")
      .def(
          "__init__",
          [](Solution* self, const DoublesIn& x, const std::vector<DoublesIn>& duals, const DoublesIn& equality_duals,
             const DoublesIn& bound_duals, const DoublesIn& ray) {
            new (self) Solution{to_vector(x), to_vectors(duals), to_vector(equality_duals), to_vector(bound_duals),
                                to_vector(ray)};
          },
          nb::arg("x").noconvert(), nb::arg("duals"), nb::arg("equality_duals").noconvert(),
          nb::arg("bound_duals").noconvert(), nb::arg("ray").noconvert())
      .def_prop_ro("n", [](const Solution& s) { return s.x.size(); });
  m.def(
      "check",
      [](const HeldProblem& p, const Solution& solution, const Settings& settings) {
        const Busy::Scope busy(p.busy);
        report::Figures figures;
        Background().run([&] { figures = report::figures(p.problem, check(p.problem, solution, settings)); });
        return to_python(figures, false);
      },
      nb::arg("problem"), nb::arg("solution"), nb::arg("settings"));
  m.def(
      "read_problem",
      [](const std::string& file, std::optional<Index> memory_limit) {
        std::vector<std::string> notes;
        HeldProblem problem = read(file, memory_limit, notes);
        return nb::make_tuple(std::move(problem), notes);
      },
      nb::arg("file"), nb::arg("memory_limit").none());
  m.def(
      "write_problem",
      [](const HeldProblem& p, const std::string& file) {
        const Busy::Scope busy(p.busy);
        std::vector<std::string> notes;
        Background().run([&] { write_problem(p.problem, file, &notes); });
        return notes;
      },
      nb::arg("problem"), nb::arg("file"));
  m.def(
      "write_solution",
      [](const Solution& solution, const std::string& file) {
        Background().run([&] { write_solution(solution, file); });
      },
      nb::arg("solution"), nb::arg("file"));
}

}  // namespace

void bind_problem(nb::module_& m) {
  nb::class_<HeldProblem> problem(m, "Problem");
  bind_building(problem);
  bind_reading(problem);
  bind_extras(problem);
  bind_files(m);
}

}  // namespace pliant::python
