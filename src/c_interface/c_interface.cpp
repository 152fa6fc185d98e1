// The C interface (include/pliant.h) over the C++ one: handles own objects, exceptions become messages.
#include "pliant.h"

#include "parallel/stop.hpp"
#include "pliant/io.hpp"
#include "pliant/problem.hpp"
#include "pliant/settings.hpp"
#include "pliant/solve.hpp"
#include "pliant/version.hpp"
#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

struct pliant_problem {
  pliant::Problem problem;
};
struct pliant_settings {
  pliant::Settings settings;
};
struct pliant_result {
  pliant::Result result;
  pliant::report::Figures figures;
};

namespace {

using pliant::DataMatrix;
using pliant::Doubles;
using pliant::Index;
using pliant::Indices;
using pliant::InputError;
using pliant::Problem;

// Of fixed size: it is what says that memory is out.
thread_local std::array<char, 2048> last_error{};

void keep_error(std::string_view text) {
  const std::size_t length = std::min(text.size(), last_error.size() - 1);
  std::copy_n(text.begin(), length, last_error.begin());
  last_error[length] = '\0';
}

// Runs the body; what it throws becomes the last error and `failed` the value. A caller may be a function that a solve
// calls: the limits of that solve, which end loops by parallel::Stopped, are not those of the body.
template <class Value, class Body>
Value guarded(Value failed, const Body& body) {
  const pliant::parallel::StopScope undisturbed(nullptr);
  try {
    keep_error({});
    return body();
  } catch (const std::bad_alloc&) {
    keep_error("out of memory");
  } catch (const std::exception& error) {
    keep_error(error.what());
  }
  return failed;
}

template <class Body>
int guarded_call(const Body& body) {
  return guarded<int>(PLIANT_FAILED, [&]() -> int {
    body();
    return PLIANT_OK;
  });
}

template <class T>
T& expect(T* pointer, std::string_view what) {
  if (pointer == nullptr) throw InputError(fmt::format("{}: expected a pointer, got NULL", what));
  return *pointer;
}

// Numbers of a caller, copied; `count` is what the other arguments make it.
Doubles copied(const double* numbers, Index count, std::string_view what) {
  if (count == 0) return {};
  expect(numbers, what);
  return Doubles(std::vector<double>(numbers, numbers + count));
}

Doubles copied_or(const double* numbers, Index count, double otherwise) {
  return Doubles(numbers == nullptr ? std::vector<double>(static_cast<std::size_t>(count), otherwise)
                                    : std::vector<double>(numbers, numbers + count));
}

Index expect_count(Index count, std::string_view what) {
  constexpr Index kMost = Index{1} << 40;
  if (count < 0 || count > kMost) throw InputError(fmt::format("{}: expected 0 to {}, got {}", what, kMost, count));
  return count;
}

DataMatrix dense(Index rows, Index columns, const double* numbers, std::string_view what) {
  return DataMatrix::dense(rows, columns, copied(numbers, expect_count(rows, "rows") * columns, what));
}

DataMatrix csr(Index rows, Index columns, const int64_t* starts, const int64_t* indices, const double* values) {
  expect(starts, "starts");
  expect_count(rows, "rows");
  const Index entries = expect_count(starts[rows], "starts[rows]");
  if (entries > 0) expect(indices, "columns");
  DataMatrix out =
      DataMatrix::csr(rows, columns, Indices(std::vector<Index>(starts, starts + rows + 1)),
                      Indices(std::vector<Index>(indices, indices + entries)), copied(values, entries, "values"));
  out.validate("CSR matrix");
  return out;
}

Index add_rows(Problem& problem, DataMatrix G, const double* lo, const double* hi) {
  const Index rows = G.rows();
  pliant::BatchPtr batch =
      lo == nullptr ? linear_le(std::move(G), copied_or(hi, rows, pliant::kInfinity))
                    : linear_range(copied(lo, rows, "lo"), std::move(G), copied_or(hi, rows, pliant::kInfinity));
  return problem.subject_to(std::move(batch)).index;
}

void copy_out(const pliant::Vector& from, double* to, Index count, std::string_view what) {
  if (count != from.size()) throw InputError(fmt::format("{}: expected {} entries, got {}", what, from.size(), count));
  if (count > 0) std::copy(from.begin(), from.end(), &expect(to, what));
}

const pliant::Vector& duals_of(const pliant_result* result, Index block) {
  const auto& all = expect(result, "result").result.constraint_duals;
  if (block < 0 || block >= static_cast<Index>(all.size())) {
    throw InputError(fmt::format("block: expected 0 to {}, got {}", static_cast<Index>(all.size()) - 1, block));
  }
  return all[static_cast<std::size_t>(block)];
}

// "violation.linf" leads through figures inside figures.
const pliant::report::Value* find(const pliant::report::Figures& figures, std::string_view name) {
  const std::size_t point = name.find('.');
  for (const pliant::report::Figure& figure : figures) {
    if (figure.name != name.substr(0, point)) continue;
    if (point == std::string_view::npos) return &figure.value;
    const auto* inner = std::get_if<pliant::report::Figures>(&figure.value.held);
    return inner == nullptr ? nullptr : find(*inner, name.substr(point + 1));
  }
  return nullptr;
}

struct AsNumber {
  double operator()(bool value) const { return value ? 1.0 : 0.0; }
  double operator()(Index value) const { return static_cast<double>(value); }
  double operator()(double value) const { return value; }
  template <class Other>
  double operator()(const Other&) const {
    return std::numeric_limits<double>::quiet_NaN();
  }
};

const pliant::report::Value& figure(const pliant_result* result, const char* name) {
  const auto* found = find(expect(result, "result").figures, &expect(name, "name"));
  if (found == nullptr) throw InputError(fmt::format("name: a result has no figure {}", name));
  return *found;
}

}  // namespace

const char* pliant_version(void) {
  static const std::string text(pliant::version());
  return text.c_str();
}

const char* pliant_last_error(void) { return last_error.data(); }

pliant_problem* pliant_problem_new(int64_t n) {
  return guarded<pliant_problem*>(nullptr, [&] { return new pliant_problem{Problem(n)}; });
}

pliant_problem* pliant_problem_read(const char* file) {
  return guarded<pliant_problem*>(nullptr, [&] {
    auto out = std::make_unique<pliant_problem>(pliant_problem{pliant::read_problem(&expect(file, "file"))});
    out->problem.validate();
    return out.release();
  });
}

int pliant_problem_write(const pliant_problem* problem, const char* file) {
  return guarded_call([&] { write_problem(expect(problem, "problem").problem, &expect(file, "file")); });
}

void pliant_problem_free(pliant_problem* problem) { delete problem; }

int64_t pliant_problem_dimension(const pliant_problem* problem) {
  return guarded<int64_t>(-1, [&] { return expect(problem, "problem").problem.dimension(); });
}

int64_t pliant_problem_blocks(const pliant_problem* problem) {
  return guarded<int64_t>(-1,
                          [&] { return static_cast<int64_t>(expect(problem, "problem").problem.handles().size()); });
}

int pliant_minimize_linear(pliant_problem* problem, const double* c, double constant) {
  return guarded_call([&] {
    Problem& p = expect(problem, "problem").problem;
    p.minimize(pliant::linear(copied(c, p.dimension(), "c"), constant));
  });
}

int pliant_minimize_quadratic(pliant_problem* problem, const double* P, const double* q) {
  return guarded_call([&] {
    Problem& p = expect(problem, "problem").problem;
    const Index n = p.dimension();
    p.minimize(pliant::quadratic(dense(n, n, P, "P"), copied_or(q, n, 0.0)));
  });
}

int pliant_minimize_quadratic_csr(pliant_problem* problem, const int64_t* starts, const int64_t* columns,
                                  const double* values, const double* q) {
  return guarded_call([&] {
    Problem& p = expect(problem, "problem").problem;
    const Index n = p.dimension();
    p.minimize(pliant::quadratic(csr(n, n, starts, columns, values), copied_or(q, n, 0.0)));
  });
}

int pliant_set_bounds(pliant_problem* problem, const double* lower, const double* upper) {
  return guarded_call([&] {
    Problem& p = expect(problem, "problem").problem;
    if (p.has_prox()) throw InputError("pliant_set_bounds: the problem has bounds already");
    const Index n = p.dimension();
    p.regularize(pliant::box(copied_or(lower, n, -pliant::kInfinity), copied_or(upper, n, pliant::kInfinity)));
  });
}

int64_t pliant_add_rows(pliant_problem* problem, int64_t rows, const double* G, const double* lo, const double* hi) {
  return guarded<int64_t>(-1, [&] {
    Problem& p = expect(problem, "problem").problem;
    return add_rows(p, dense(rows, p.dimension(), G, "G"), lo, hi);
  });
}

int64_t pliant_add_rows_csr(pliant_problem* problem, int64_t rows, const int64_t* starts, const int64_t* columns,
                            const double* values, const double* lo, const double* hi) {
  return guarded<int64_t>(-1, [&] {
    Problem& p = expect(problem, "problem").problem;
    return add_rows(p, csr(rows, p.dimension(), starts, columns, values), lo, hi);
  });
}

int64_t pliant_add_equalities(pliant_problem* problem, int64_t rows, const double* E, const double* e) {
  return guarded<int64_t>(-1, [&] {
    Problem& p = expect(problem, "problem").problem;
    return p.equal(dense(rows, p.dimension(), E, "E"), copied(e, rows, "e")).index;
  });
}

int64_t pliant_add_equalities_csr(pliant_problem* problem, int64_t rows, const int64_t* starts, const int64_t* columns,
                                  const double* values, const double* e) {
  return guarded<int64_t>(-1, [&] {
    Problem& p = expect(problem, "problem").problem;
    return p.equal(csr(rows, p.dimension(), starts, columns, values), copied(e, rows, "e")).index;
  });
}

pliant_settings* pliant_settings_new(void) {
  return guarded<pliant_settings*>(nullptr, [] { return new pliant_settings{}; });
}

int pliant_settings_set(pliant_settings* settings, const char* name, const char* value) {
  return guarded_call([&] {
    pliant::Settings& s = expect(settings, "settings").settings;
    std::string wanted(&expect(name, "name"));
    std::replace(wanted.begin(), wanted.end(), '-', '_');
    for (const pliant::SettingSpec& spec : pliant::settings_table()) {
      if (spec.name == wanted) return spec.parse(spec, s, &expect(value, "value"));
    }
    throw InputError(fmt::format("name: there is no setting {} (docs/settings.md lists them)", wanted));
  });
}

void pliant_settings_free(pliant_settings* settings) { delete settings; }

pliant_result* pliant_solve(const pliant_problem* problem, const pliant_settings* settings) {
  return guarded<pliant_result*>(nullptr, [&] {
    const Problem& p = expect(problem, "problem").problem;
    const pliant::Settings s = settings == nullptr ? pliant::Settings{} : settings->settings;
    auto out = std::make_unique<pliant_result>();
    out->result = pliant::solve(p, s);
    out->figures = pliant::report::figures(p, s, out->result);
    return out.release();
  });
}

void pliant_result_free(pliant_result* result) { delete result; }

pliant_status pliant_result_status(const pliant_result* result) {
  using pliant::Status;
  static_assert(static_cast<int>(Status::optimal) == PLIANT_OPTIMAL &&
                static_cast<int>(Status::primal_infeasible) == PLIANT_PRIMAL_INFEASIBLE &&
                static_cast<int>(Status::dual_infeasible) == PLIANT_DUAL_INFEASIBLE &&
                static_cast<int>(Status::time_limit) == PLIANT_TIME_LIMIT &&
                static_cast<int>(Status::pass_limit) == PLIANT_PASS_LIMIT &&
                static_cast<int>(Status::iteration_limit) == PLIANT_ITERATION_LIMIT &&
                static_cast<int>(Status::user_stopped) == PLIANT_USER_STOPPED &&
                static_cast<int>(Status::interrupted) == PLIANT_INTERRUPTED &&
                static_cast<int>(Status::numerical_error) == PLIANT_NUMERICAL_ERROR);
  return guarded(PLIANT_NUMERICAL_ERROR,
                 [&] { return static_cast<pliant_status>(expect(result, "result").result.status); });
}

const char* pliant_result_status_name(const pliant_result* result) { return pliant_result_text(result, "status"); }

const char* pliant_result_message(const pliant_result* result) {
  return guarded<const char*>("", [&] { return expect(result, "result").result.message.c_str(); });
}

int pliant_result_x(const pliant_result* result, double* x, int64_t n) {
  return guarded_call([&] { copy_out(expect(result, "result").result.x, x, n, "x"); });
}

int64_t pliant_result_dual_count(const pliant_result* result, int64_t block) {
  return guarded<int64_t>(-1, [&] { return static_cast<int64_t>(duals_of(result, block).size()); });
}

int pliant_result_duals(const pliant_result* result, int64_t block, double* duals, int64_t count) {
  return guarded_call([&] { copy_out(duals_of(result, block), duals, count, "duals"); });
}

int pliant_result_bound_duals(const pliant_result* result, double* duals, int64_t n) {
  return guarded_call([&] { copy_out(expect(result, "result").result.bound_duals, duals, n, "duals"); });
}

double pliant_result_number(const pliant_result* result, const char* name) {
  return guarded(std::numeric_limits<double>::quiet_NaN(),
                 [&] { return std::visit(AsNumber{}, figure(result, name).held); });
}

const char* pliant_result_text(const pliant_result* result, const char* name) {
  return guarded<const char*>(nullptr, [&]() -> const char* {
    const auto* text = std::get_if<std::string>(&figure(result, name).held);
    if (text == nullptr) throw InputError(fmt::format("name: the figure {} is no text", name));
    return text->c_str();
  });
}
