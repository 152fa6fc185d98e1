// CSV: the columns part, index, name, value. Status, objective and bound are rows of their own, so that the column of
// values holds numbers alone.
#include "io/atomic_file.hpp"
#include "io/file_error.hpp"
#include "io/solution/solution_forms.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace pliant::io {
namespace {

constexpr std::string_view kCsvHeader = "part,index,name,value";
constexpr std::size_t kCsvColumns = 4;

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\" ") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// The four fields of a line; names may be quoted and hold commas.
std::array<std::string, kCsvColumns> csv_fields(const TextLines& lines, std::string_view line) {
  std::array<std::string, kCsvColumns> out;
  std::size_t field = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      out[field] += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      if (++field == kCsvColumns) break;
    } else {
      out[field] += c;
    }
  }
  if (quoted || field + 1 != kCsvColumns) lines.fail(fmt::format("expected four fields ({})", kCsvHeader));
  return out;
}

bool is_csv_label(std::string_view part) {
  return part == "status" || part == "objective" || part == "lower_bound" || part == "upper_bound";
}

// Collects consecutive lines of one part.
class CsvParts {
 public:
  explicit CsvParts(const TextLines& lines) : lines_(lines) {}

  void add(const std::array<std::string, kCsvColumns>& field) {
    if (field[0] != label_) finish();
    label_ = field[0];
    if (field[1].empty() && field[3].empty()) return place({});  // a part without entries
    if (field[1] != fmt::format("{}", values_.size())) {
      lines_.fail(
          fmt::format("expected index {} of {}, got '{}'", values_.size(), printable(label_), printable(field[1])));
    }
    const std::optional<double> value = parse_number(field[3]);
    if (!value || !std::isfinite(*value)) {
      lines_.fail(fmt::format("expected a finite number, got '{}'", printable(field[3])));
    }
    values_.push_back(*value);
  }
  Solution take() {
    finish();
    if (solution_.x.size() == 0) lines_.fail("there are no lines of the part x");
    return std::move(solution_);
  }

 private:
  void finish() {
    if (values_.empty()) return;
    place(Eigen::Map<const Vector>(values_.data(), static_cast<Index>(values_.size())));
    values_.clear();
  }
  void place(Vector values) {
    if (!place_part(solution_, label_, std::move(values))) {
      lines_.fail(
          fmt::format("the part '{}' is unknown or out of order (expected x, duals/0, duals/1, ..., "
                      "equality_duals, bound_duals, ray)",
                      printable(label_)));
    }
  }

  const TextLines& lines_;
  Solution solution_;
  std::string label_;
  std::vector<double> values_;
};

}  // namespace

void write_solution_csv(const Solution& solution, const std::filesystem::path& file) {
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("{}", kCsvHeader);
  const SolutionLabels& labels = solution.labels;
  if (!labels.status.empty()) out.line("status,0,{},", csv_quoted(labels.status));
  if (labels.objective) out.line("objective,0,{},{}", csv_quoted(labels.names.objective), *labels.objective);
  if (labels.lower_bound) out.line("lower_bound,0,,{}", *labels.lower_bound);
  for (const SolutionPart& part : parts_of(solution)) {
    if (part.values->size() == 0) out.line("{},,,", part.label);
    for (Index i = 0; i < part.values->size(); ++i) {
      out.line("{},{},{},{}", part.label, i, csv_quoted(part.name(i)), (*part.values)[i]);
    }
  }
  out.close();
  target.commit();
}

Solution read_solution_csv(const std::filesystem::path& file) {
  TextLines lines(file);
  std::string_view line;
  if (!lines.next(line) || line != kCsvHeader) {
    lines.fail_at(1, fmt::format("expected the header {} of a solution", kCsvHeader));
  }
  CsvParts parts(lines);
  while (lines.next(line)) {
    if (trim(line).empty()) continue;
    const auto field = csv_fields(lines, line);
    if (!is_csv_label(field[0])) parts.add(field);
  }
  return parts.take();
}

}  // namespace pliant::io
