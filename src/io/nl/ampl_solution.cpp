#include "io/atomic_file.hpp"
#include "io/nl/nl_problem.hpp"
#include "io/text/at.hpp"
#include "io/text/first_line.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>

#include <cctype>

namespace pliant::io {
namespace {

// Ours are multipliers of F + lambda (body - side): the derivative of F by a side is -lambda, and F = -f of a
// maximisation.
double ampl_dual(const NlPlace& place, const Solution& solution, bool maximize) {
  if (place.part == NlPlace::Part::nowhere) return 0.0;
  const Vector& duals =
      place.part == NlPlace::Part::equality ? solution.equality_duals : solution.duals[at(place.batch)];
  if (place.entry >= duals.size()) return 0.0;
  const double dual = place.factor * duals[place.entry];
  return (maximize ? dual : -dual) + 0.0;  // no -0
}

}  // namespace

int ampl_code(Status status) {
  switch (status) {
    case Status::optimal:
      return 0;
    case Status::primal_infeasible:
      return 200;
    case Status::dual_infeasible:
      return 300;
    case Status::time_limit:
    case Status::pass_limit:
    case Status::iteration_limit:
    case Status::user_stopped:
    case Status::interrupted:
      return 400;
    case Status::numerical_error:
      return 500;
  }
  return 500;
}

void write_ampl_solution(const NlFile& contents, const NlProblem& read, const Result& result,
                         const std::string& message, const std::filesystem::path& file) {
  const Solution solution = to_solution(read.problem, result);
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("{}\n", message);
  out.line("Options\n{}", contents.options.size());
  for (const Index option : contents.options) out.line("{}", option);
  out.line("{}\n{}\n{}\n{}", contents.rows, contents.rows, contents.variables, contents.variables);
  for (const NlPlace& place : read.places) out.line("{}", ampl_dual(place, solution, contents.maximize));
  for (const double x : solution.x) out.line("{}", x);
  out.line("objno 0 {}", ampl_code(result.status));
  out.close();
  target.commit();
}

bool looks_like_nl(const std::filesystem::path& file) {
  const std::string line = first_line(file, "");
  return line.size() > 2 && (line[0] == 'g' || line[0] == 'b') &&
         std::isdigit(static_cast<unsigned char>(line[1])) != 0 && (line[2] == ' ' || line[2] == '\t');
}

}  // namespace pliant::io
