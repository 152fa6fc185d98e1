#include "result.hpp"

#include "arrays.hpp"
#include "io/atomic_file.hpp"
#include "pliant/io.hpp"
#include "pliant/report.hpp"
#include "report/page/markup.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <string_view>
#include <variant>

namespace pliant::python {
namespace {

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
    Field{"gap_estimate", &Progress::gap_estimate},
    Field{"mu", &Progress::mu},
    Field{"step_primal", &Progress::step_primal},
    Field{"step_dual", &Progress::step_dual},
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

struct Convert {
  bool infinite;

  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool value) const { return nb::bool_(value); }
  nb::object operator()(Index value) const { return nb::int_(value); }
  nb::object operator()(double value) const {
    if (!infinite && !std::isfinite(value)) return nb::none();
    return nb::float_(value);
  }
  nb::object operator()(const std::string& value) const { return nb::cast(value); }
  nb::object operator()(const report::Figures& figures) const { return to_python(figures, infinite); }
  nb::object operator()(const std::vector<report::Value>& list) const {
    nb::list out;
    for (const report::Value& value : list) out.append(std::visit(*this, value.held));
    return out;
  }
};

// Puts a title into the place of the one a page was written with.
void retitle(std::string& page, std::string_view begin, std::string_view end, const std::string& title) {
  const std::size_t from = page.find(begin) + begin.size();
  page.replace(from, page.find(end, from) - from, title);
}

// All that a page is made of. A pickle holds the page itself.
struct Report {
  Result result;
  ReportOptions options;
  std::string page;

  std::string html(const std::string& title) const {
    if (!page.empty()) {
      std::string out = page;
      if (!title.empty()) {
        retitle(out, "<title>", " - pliant</title>", report::escape(title));
        retitle(out, "<h1>", "</h1>", report::escape(title));
      }
      return out;
    }
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

nb::dict to_python(const report::Figures& figures, bool infinite) {
  nb::dict out;
  for (const report::Figure& figure : figures) {
    out[figure.name.c_str()] = std::visit(Convert{infinite}, figure.value.held);
  }
  return out;
}

nb::dict to_python(const Problem& problem, const Settings& settings, Result result) {
  nb::dict info = to_python(report::figures(problem, settings, result), true);
  info["choice"] = result.choice;
  info["linear_algebra"] = std::string(to_string(result.linear_algebra));

  Solution solution = to_solution(problem, result);
  nb::list batch_duals, cone_duals;
  for (std::size_t i = 0; i < solution.duals.size(); ++i) {
    (i < problem.batches().size() ? batch_duals : cone_duals).append(to_numpy(std::move(solution.duals[i])));
  }
  nb::dict out;
  out["info"] = info;
  out["x"] = to_numpy(std::move(solution.x));
  out["duals"] = batch_duals;
  out["cone_duals"] = cone_duals;
  out["equality_duals"] = to_numpy(std::move(solution.equality_duals));
  out["bound_duals"] = to_numpy(std::move(solution.bound_duals));
  out["ray"] = to_numpy(std::move(solution.ray));
  nb::dict trace;
  for (const Field& field : kFields) trace[field.name] = column(problem, field, result.trace);
  out["trace"] = trace;
  // Large vectors belong to Python from here on; the report does not use them.
  ReportOptions options{settings, summarize(problem, result, settings.tol_feas), {}};
  result.multipliers = {};
  result.constraint_duals.clear();
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
