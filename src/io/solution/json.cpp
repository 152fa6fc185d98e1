// JSON: the parts under the names they have in HDF5, names of variables and rows beside them where there are any.
#include "io/atomic_file.hpp"
#include "io/file_error.hpp"
#include "io/solution/solution_forms.hpp"
#include "io/text/text_lines.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace pliant::io {
namespace {

using SolutionJson = nlohmann::ordered_json;

constexpr std::string_view kJsonFormat = "pliant-solution";
// A part stands on one line: some 2^25 numbers of 16 characters.
constexpr std::size_t kLongestJsonLine = std::size_t{1} << 29;

SolutionJson json_numbers(const Vector& values) {
  SolutionJson out = SolutionJson::array();
  for (const double v : values) out.push_back(std::isfinite(v) ? SolutionJson(v) : SolutionJson(nullptr));
  return out;
}

[[noreturn]] void refuse_json(const std::string& shown, std::string_view what) {
  throw InputError(fmt::format("{}: {}", shown, what));
}

Vector json_vector(const std::string& shown, const std::string& what, const SolutionJson& list) {
  if (!list.is_array()) refuse_json(shown, fmt::format("{}: expected a list of numbers", what));
  Vector out(static_cast<Index>(list.size()));
  Index i = 0;
  for (const SolutionJson& entry : list) {
    if (!entry.is_number()) refuse_json(shown, fmt::format("{}: entry {}: expected a finite number", what, i));
    out[i++] = entry.get<double>();
  }
  return out;
}

SolutionJson json_names(const Names& names) {
  SolutionJson out = SolutionJson::object();
  if (!names.objective.empty()) out["objective"] = names.objective;
  if (!names.variables.empty()) out["variables"] = names.variables;
  if (!names.constraints.empty()) out["constraints"] = names.constraints;
  if (!names.equalities.empty()) out["equalities"] = names.equalities;
  return out;
}

std::string whole_text(const std::filesystem::path& file) {
  TextLines lines(file, kLongestJsonLine);
  std::string text;
  for (std::string_view line; lines.next(line);) {
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace

void write_solution_json(const Solution& solution, const std::filesystem::path& file) {
  SolutionJson out{{"format", kJsonFormat}, {"version", 1}};
  const SolutionLabels& labels = solution.labels;
  const auto known = [](const std::optional<double>& v) {
    return v && std::isfinite(*v) ? SolutionJson(*v) : SolutionJson(nullptr);
  };
  if (!labels.status.empty()) out["status"] = labels.status;
  if (labels.objective) out["objective"] = known(labels.objective);
  if (labels.lower_bound) out["lower_bound"] = known(labels.lower_bound);
  if (!labels.names.empty()) out["names"] = json_names(labels.names);
  out["x"] = json_numbers(solution.x);
  out["duals"] = SolutionJson::array();
  for (const Vector& dual : solution.duals) out["duals"].push_back(json_numbers(dual));
  if (solution.equality_duals.size() > 0) out["equality_duals"] = json_numbers(solution.equality_duals);
  if (solution.bound_duals.size() > 0) out["bound_duals"] = json_numbers(solution.bound_duals);
  if (solution.ray.size() > 0) out["ray"] = json_numbers(solution.ray);
  AtomicFile target(file);
  TextSink text(target.temporary(), file);
  std::size_t left = out.size();
  text.line("{{");
  for (const auto& [name, value] : out.items()) {
    text.line("  \"{}\": {}{}", name, value.dump(-1, ' ', false, SolutionJson::error_handler_t::replace),
              --left > 0 ? "," : "");
  }
  text.line("}}");
  text.close();
  target.commit();
}

Solution read_solution_json(const std::filesystem::path& file) {
  const std::string shown = file.string();
  SolutionJson in;
  try {
    in = SolutionJson::parse(whole_text(file));
  } catch (const nlohmann::json::exception& error) {
    refuse_json(shown, fmt::format("not JSON ({})", printable(error.what())));
  }
  if (!in.is_object() || in.value("format", SolutionJson(kJsonFormat)) != kJsonFormat || !in.contains("x")) {
    refuse_json(shown, "expected a solution: an object with a list x");
  }
  Solution out;
  out.x = json_vector(shown, "x", in["x"]);
  const SolutionJson duals = in.value("duals", SolutionJson::array());
  if (!duals.is_array()) refuse_json(shown, "duals: expected a list of lists");
  for (const SolutionJson& list : duals) {
    out.duals.push_back(json_vector(shown, fmt::format("duals/{}", out.duals.size()), list));
  }
  for (const char* label : {"equality_duals", "bound_duals", "ray"}) {
    if (in.contains(label)) place_part(out, label, json_vector(shown, label, in[label]));
  }
  return out;
}

}  // namespace pliant::io
