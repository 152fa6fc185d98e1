// SOL: text for people. Comments say status and objective; then every part with its length, and a line "name value" for
// each entry. The last blank of a line separates the two, so names may hold blanks.
#include "io/atomic_file.hpp"
#include "io/file_error.hpp"
#include "io/solution/solution_forms.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace pliant::io {
namespace {

constexpr std::string_view kSolFirst = "# pliant solution";

// "name value", cut at the last blank.
std::pair<std::string_view, std::string_view> name_and_value(const TextLines& lines, std::string_view line) {
  const std::size_t blank = line.find_last_of(' ');
  if (blank == std::string_view::npos) {
    lines.fail(fmt::format("expected a name and a number, got '{}'", printable(line)));
  }
  return {line.substr(0, blank), line.substr(blank + 1)};
}

Index sol_count(const TextLines& lines, std::string_view text) {
  Index count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    lines.fail(fmt::format("expected the length of a part, got '{}'", printable(text)));
  }
  return count;
}

// The length is a claim: memory grows with the lines that are there.
Vector sol_values(TextLines& lines, std::string_view label, Index count) {
  std::vector<double> values;
  std::string_view line;
  for (Index i = 0; i < count; ++i) {
    if (!lines.next(line)) lines.fail(fmt::format("the file ends after {} of {} entries of {}", i, count, label));
    const std::string_view number = name_and_value(lines, line).second;
    const std::optional<double> value = parse_number(number);
    if (!value || !std::isfinite(*value)) {
      lines.fail(fmt::format("expected a finite number, got '{}'", printable(number)));
    }
    values.push_back(*value);
  }
  return Eigen::Map<const Vector>(values.data(), count);
}

}  // namespace

void write_solution_sol(const Solution& solution, const std::filesystem::path& file) {
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("{}", kSolFirst);
  const SolutionLabels& labels = solution.labels;
  if (!labels.status.empty()) out.line("# status {}", labels.status);
  if (labels.objective) out.line("# objective {}", *labels.objective);
  if (labels.lower_bound) out.line("# lower_bound {}", *labels.lower_bound);
  for (const SolutionPart& part : parts_of(solution)) {
    out.line("{} {}", part.label, part.values->size());
    for (Index i = 0; i < part.values->size(); ++i) out.line("{} {}", part.name(i), (*part.values)[i]);
  }
  out.close();
  target.commit();
}

Solution read_solution_sol(const std::filesystem::path& file) {
  TextLines lines(file);
  std::string_view line;
  if (!lines.next(line) || line != kSolFirst) {
    lines.fail_at(1, fmt::format("expected '{}': .sol files of other programs are not read", kSolFirst));
  }
  Solution out;
  while (lines.next(line)) {
    if (line.starts_with('#') || trim(line).empty()) continue;
    const auto [name, length] = name_and_value(lines, line);
    const std::string label(name);
    const Index count = sol_count(lines, length);
    if (!place_part(out, label, sol_values(lines, label, count))) {
      lines.fail(
          fmt::format("the part '{}' is unknown or out of order (expected x, duals/0, duals/1, ..., "
                      "equality_duals, bound_duals, ray)",
                      printable(label)));
    }
  }
  if (out.x.size() == 0) lines.fail("there is no part x");
  return out;
}

}  // namespace pliant::io
