#include "result.hpp"

#include "arrays.hpp"
#include "io/atomic_file.hpp"
#include "pliant/io.hpp"
#include "pliant/report.hpp"
#include "report/report.hpp"

#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

#include <array>
#include <iterator>
#include <string_view>
#include <variant>

namespace pliant::python {
namespace {

using Json = nlohmann::ordered_json;

// The trace as data: columns, rows and names are all made from it.
struct Field {
  const char* name;
  std::variant<Index Progress::*, double Progress::*> member;
  bool in_sense = false;  // counted as the author of the problem does
};
constexpr std::array kFields{
    Field{"iteration", &Progress::iteration},
    Field{"stage", &Progress::stage},
    Field{"time", &Progress::time},
    Field{"passes", &Progress::passes},
    Field{"component_evaluations", &Progress::component_evaluations},
    Field{"delta", &Progress::delta},
    Field{"xi", &Progress::xi},
    Field{"objective", &Progress::objective, true},
    Field{"lower_bound", &Progress::lower_bound, true},
    Field{"violation", &Progress::violation},
    Field{"dual_residual", &Progress::dual_residual},
    Field{"active", &Progress::active},
    Field{"near_active", &Progress::near_active},
    Field{"working", &Progress::working},
    Field{"screened", &Progress::screened},
};

double number(const Problem& problem, const Field& field, const Progress& row) {
  const double value = row.*std::get<double Progress::*>(field.member);
  return field.in_sense ? problem.reported(value) : value;
}

nb::object column(const Problem& problem, const Field& field, const std::vector<Progress>& trace) {
  if (const auto* member = std::get_if<Index Progress::*>(&field.member)) {
    std::vector<Index> values;
    for (const Progress& row : trace) values.push_back(row.**member);
    return to_numpy(values);
  }
  std::vector<double> values;
  for (const Progress& row : trace) values.push_back(number(problem, field, row));
  return to_numpy(values);
}

// Numbers that JSON cannot write.
void restore_infinities(const Problem& problem, const Certificate& c, nb::dict& info) {
  info["objective"] = problem.reported(c.objective);
  info["lower_bound"] = problem.reported(c.lower_bound);
  info["gap_abs"] = c.gap_abs();
  info["gap_rel"] = c.gap_rel();
  nb::dict violation;
  violation["l1"] = c.violation_l1;
  violation["l2"] = c.violation_l2;
  violation["linf"] = c.violation_linf;
  info["violation"] = violation;
  info["violation_rel"] = c.violation_rel();
  info["constant_scale"] = c.constant_scale;
  info["domain_violation"] = c.domain_violation;
  info["equality_residual"] = c.equality_residual;
  info["dual_residual"] = c.dual_residual;
  info["dual_residual_rel"] = c.dual_residual_rel;
}

nb::list to_numpy_list(std::vector<Vector> vectors) {
  nb::list out;
  for (Vector& v : vectors) out.append(to_numpy(std::move(v)));
  return out;
}

// All that a page is made of. A pickle holds the page itself.
struct Report {
  Result result;
  ReportOptions options;
  std::string page;

  std::string html(const std::string& title) const {
    if (!page.empty()) return page;
    ReportOptions titled = options;
    titled.title = title;
    return report_html(result, titled);
  }
};

}  // namespace

void bind_result(nb::module_& m) {
  nb::class_<Report>(m, "Report")
      .def("html", &Report::html, nb::arg("title"))
      .def(
          "write",
          [](const Report& report, const std::string& file, const std::string& title) {
            io::write_text(file, report.html(title));
          },
          nb::arg("file"), nb::arg("title"))
      .def("__getstate__", [](const Report& report) { return nb::make_tuple(report.html("")); })
      .def("__setstate__", [](Report& report, const nb::tuple& state) {
        new (&report) Report{{}, {}, nb::cast<std::string>(state[0])};
      });
}

nb::object to_python(const Json& json) {
  if (json.is_object()) {
    nb::dict out;
    for (const auto& [name, value] : json.items()) out[name.c_str()] = to_python(value);
    return out;
  }
  if (json.is_array()) {
    nb::list out;
    for (const Json& value : json) out.append(to_python(value));
    return out;
  }
  if (json.is_boolean()) return nb::bool_(json.get<bool>());
  if (json.is_number_integer()) return nb::int_(json.get<Index>());
  if (json.is_number()) return nb::float_(json.get<double>());
  if (json.is_string()) return nb::cast(json.get<std::string>());
  return nb::none();
}

nb::dict to_python(const Problem& problem, const Settings& settings, Result result) {
  auto info = nb::cast<nb::dict>(to_python(report::to_json(problem, settings, result)));
  restore_infinities(problem, result.certificate, info);
  info["xi"] = result.xi;
  info["delta"] = result.delta;
  info["choice"] = result.choice;
  info["linear_algebra"] = std::string(to_string(result.linear_algebra));

  Solution solution = to_solution(problem, result);
  const auto first = std::make_move_iterator(solution.duals.begin());
  const auto cones = first + static_cast<std::ptrdiff_t>(problem.batches().size());
  nb::dict out;
  out["info"] = info;
  out["x"] = to_numpy(solution.x);
  out["duals"] = to_numpy_list({first, cones});
  out["cone_duals"] = to_numpy_list({cones, std::make_move_iterator(solution.duals.end())});
  out["equality_duals"] = to_numpy(solution.equality_duals);
  out["bound_duals"] = to_numpy(solution.bound_duals);
  out["ray"] = to_numpy(solution.ray);
  nb::dict trace;
  for (const Field& field : kFields) trace[field.name] = column(problem, field, result.trace);
  out["trace"] = trace;
  // Large vectors belong to Python from here on; the report does not use them.
  ReportOptions options{settings, summarize(problem, result), {}};
  result.multipliers = {};
  out["report"] = nb::cast(Report{std::move(result), std::move(options), {}});
  return out;
}

nb::tuple to_python(const Problem& problem, const Progress& row) {
  nb::list values;
  for (const Field& field : kFields) {
    if (const auto* member = std::get_if<Index Progress::*>(&field.member)) {
      values.append(row.**member);
    } else {
      values.append(number(problem, field, row));
    }
  }
  return nb::tuple(values);
}

nb::tuple progress_fields() {
  nb::list names;
  for (const Field& field : kFields) names.append(field.name);
  return nb::tuple(names);
}

}  // namespace pliant::python
