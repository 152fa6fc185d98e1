// `auto`: the method and the strategy for a problem, and the reason in one line. docs/methods.md has the measurements
// behind the rules.
#include "outer/choose_method.hpp"

#include "cones/cone_checks.hpp"
#include "constraints/linear.hpp"
#include "engines/conic/conic_problem.hpp"
#include "engines/conic/semidefinite_form.hpp"
#include "engines/first_order/lbfgs.hpp"
#include "engines/interior/sparse_path.hpp"
#include "engines/method_obstacle.hpp"
#include "engines/newton_cg/newton_cg.hpp"
#include "engines/path/path_model.hpp"
#include "objective/quadratic.hpp"
#include "outer/cone_rows.hpp"
#include "pliant/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Sampling pays where the objective is a long sum: so many components of full density for each variable.
constexpr double kComponentsPerVariable = 30.0;

// Cones for each variable from which on working sets of them pay.
constexpr Index kConesPerVariable = 20;

bool has_eigenvalue_rows(const Problem& problem) {
  return std::any_of(problem.batches().begin(), problem.batches().end(),
                     [](const BatchPtr& batch) { return batch->group() > 1; });
}

// Whether the rows are stored sparse; without rows, whether the objective is.
bool stored_sparse(const Problem& problem) {
  bool rows = false;
  if (problem.has_equalities()) {
    if (!problem.equality_matrix().is_sparse()) return false;
    rows = true;
  }
  for (const BatchPtr& batch : problem.batches()) {
    const auto* linear = dynamic_cast<const LinearBatch*>(batch.get());
    if (linear == nullptr || !linear->matrix().is_sparse()) return false;
    rows = true;
  }
  return rows || std::any_of(problem.terms().begin(), problem.terms().end(), [](const Problem::WeightedTerm& t) {
           const auto* quadratic = dynamic_cast<const QuadraticTerm*>(t.term.get());
           return quadratic != nullptr && quadratic->P().is_sparse();
         });
}

// The linear algebra for method path, or `automatic` and the reason why it cannot be followed.
struct PathChoice {
  LinearAlgebra algebra = LinearAlgebra::automatic;
  std::string why;
};

PathChoice choose_linear_algebra(const Problem& problem, const Settings& settings) {
  const LinearAlgebra wanted =
      settings.path_form != PathKind::automatic && settings.linear_algebra == LinearAlgebra::automatic
          ? LinearAlgebra::dense  // the forms are those of the working sets
          : settings.linear_algebra;
  const std::string dense = PathModel::obstacle(problem);
  const std::string sparse = sparse_path_obstacle(problem);
  if (wanted == LinearAlgebra::dense) return {dense.empty() ? wanted : LinearAlgebra::automatic, dense};
  if (wanted == LinearAlgebra::sparse) return {sparse.empty() ? wanted : LinearAlgebra::automatic, sparse};
  if (wanted == LinearAlgebra::iterative) {
    const std::string iterative = NewtonCg::obstacle(problem);
    return {iterative.empty() ? wanted : LinearAlgebra::automatic, iterative};
  }
  if (sparse.empty() && !dense.empty() && factor_looks_dense(problem) && NewtonCg::obstacle(problem).empty()) {
    return {LinearAlgebra::iterative,
            "a large quadratic program whose factorisations would fill up: conjugate gradients"};
  }
  if (sparse.empty() && (!dense.empty() || (stored_sparse(problem) && sparse_path_fits(problem)))) {
    return {LinearAlgebra::sparse, "a linear or quadratic program, sparse linear algebra on all rows"};
  }
  if (dense.empty()) return {LinearAlgebra::dense, "second derivatives are at hand and dense linear algebra fits"};
  return {LinearAlgebra::automatic, dense};
}

struct Proposal {
  Method method;
  std::string why;
};

// Share of the numbers of an average row that are stored, of objective and constraints alike.
double density(const Problem& problem) {
  double bytes = static_cast<double>(problem.data_bytes());
  for (const Problem::WeightedTerm& t : problem.terms()) bytes += static_cast<double>(t.term->bytes());
  const double rows = static_cast<double>(problem.components() + problem.constraints());
  const double dense = rows * static_cast<double>(problem.dimension()) * static_cast<double>(sizeof(double));
  return dense > 0.0 ? std::min(1.0, bytes / dense) : 1.0;
}

// Why sampling components would fail or not pay; empty: it does. A step costs n operations however sparse its row is,
// and two evaluations where the row is curved.
std::string sampling_obstacle(const Problem& problem) {
  if (!(problem.strong_convexity() > 0.0)) return "no strong convexity is known";
  const double components = static_cast<double>(problem.components()) * density(problem);
  if (components < kComponentsPerVariable * static_cast<double>(problem.dimension())) return "the sum is short";
  for (const BatchPtr& batch : problem.batches()) {
    if (!batch->linear()) return fmt::format("{} constraints are curved", batch->family());
    if (batch->constants() == nullptr) return fmt::format("{} constraints have no constants", batch->family());
  }
  return {};
}

// Among the methods that need gradients only.
Proposal propose_first_order(const Problem& problem, const Settings& settings) {
  const Index n = problem.dimension(), m = problem.constraints(), l = problem.components();
  const std::string sizes = fmt::format("n = {}, m = {}, l = {}", n, m, l);
  if (l + m <= n && !settings.xi && method_obstacle(Method::sdca, problem, settings).empty()) {
    return {Method::sdca, fmt::format("{}: fewer dual coordinates than variables, each with a closed form", sizes)};
  }
  if (Lbfgs::obstacle(problem).empty()) {
    return {Method::lbfgs, fmt::format("{}: the penalised problem is smooth", sizes)};
  }
  const std::string obstacle = sampling_obstacle(problem);
  if (obstacle.empty()) {
    return {Method::katyusha, fmt::format("{}: the term {} is not smooth, and l >> n", sizes, problem.prox().kind())};
  }
  return {Method::apg,
          fmt::format("{}: the term {} is not smooth; no sampling: {}", sizes, problem.prox().kind(), obstacle)};
}

void expect_applicable(const Problem& problem, const Settings& settings) {
  if (settings.method == Method::path) {
    if (settings.outer != Outer::automatic || settings.xi || settings.delta) {
      throw InputError("--outer, --xi and --delta: do not apply to --method path, which drives them itself");
    }
    return;
  }
  expect_smooth(problem, fmt::format("--method {}: needs", to_string(settings.method)));
  if (const std::string why = method_obstacle(settings.method, problem, settings); !why.empty()) {
    throw InputError(fmt::format("--method {}: {}", to_string(settings.method), why));
  }
}

// Engines of their own, which drive the penalty (xi = infinity) and the linear algebra.
ChosenMethod choose_interior(const Problem& problem, const Settings& settings) {
  if (settings.method != Method::automatic && settings.method != Method::path) {
    const std::string why = ConeRows::obstacle(problem);
    throw InputError(fmt::format("--method {}: does not take conic constraints {}", to_string(settings.method),
                                 why.empty() ? "by interior steps" : "(" + why + ")"));
  }
  if (settings.outer != Outer::automatic || settings.xi || settings.delta ||
      settings.path_form != PathKind::automatic || settings.linear_algebra != LinearAlgebra::automatic) {
    throw InputError(
        "--outer, --xi, --delta, --path-form and --linear-algebra: do not apply to problems with conic constraints");
  }
  if (const std::string why = interior_obstacle(problem); !why.empty()) {
    throw InputError(fmt::format("no method for this problem: conic constraints: {}", why));
  }
  return {Method::path, Outer::automatic,
          is_semidefinite_program(problem) ? "a semidefinite program: primal-dual steps on all blocks"
                                           : "a conic program: primal-dual steps on all cones",
          LinearAlgebra::automatic, Nonsmooth::interior};
}

// Many small cones are rows to be selected from, few or large ones a conic program.
Nonsmooth choose_treatment(const Problem& problem, const Settings& settings, std::string& why) {
  if (settings.nonsmooth != Nonsmooth::automatic) return settings.nonsmooth;
  if (!ConeRows::obstacle(problem).empty()) return Nonsmooth::interior;
  if (settings.method != Method::automatic && settings.method != Method::path) return Nonsmooth::spectral;
  if (const std::string obstacle = interior_obstacle(problem); !obstacle.empty()) {
    why = fmt::format("eigenvalues of cones as rows (no conic program: {})", obstacle);
    return Nonsmooth::spectral;
  }
  Index cones = 0;
  for (const ConicConstraint& conic : problem.conic()) cones += count_cones(conic);
  if (cones < kConesPerVariable * problem.dimension()) return Nonsmooth::interior;
  if (!PathModel::obstacle(ConeRows(problem, Nonsmooth::spectral, 0.0).problem()).empty()) return Nonsmooth::interior;
  why = "many small cones: softplus of their eigenvalues";
  return Nonsmooth::spectral;
}

ChosenMethod choose_conic(const Problem& problem, const Settings& settings) {
  std::string why;
  const Nonsmooth treatment = choose_treatment(problem, settings, why);
  if (settings.nu && treatment != Nonsmooth::logsumexp) {
    throw InputError("--nu: applies to --nonsmooth logsumexp");
  }
  if (treatment == Nonsmooth::interior) return choose_interior(problem, settings);
  if (const std::string obstacle = ConeRows::obstacle(problem); !obstacle.empty()) {
    throw InputError(fmt::format("--nonsmooth {}: {}", to_string(treatment), obstacle));
  }
  ChosenMethod choice = choose_method(ConeRows(problem, treatment, settings.nu.value_or(1.0)).problem(), settings);
  choice.treatment = treatment;
  if (!why.empty()) choice.why = choice.why.empty() ? why : fmt::format("{}; {}", why, choice.why);
  return choice;
}

// The strategy that reaches high accuracy with first-order steps.
void choose_outer(const Problem& problem, const Settings& settings, ChosenMethod& choice) {
  choice.outer = settings.outer;
  if (has_eigenvalue_rows(problem)) {
    if (settings.outer == Outer::multiplier) {
      throw InputError(
          "--outer multiplier: shifts rows one by one, which eigenvalues of cones do not bear; "
          "--nonsmooth logsumexp has one row per cone");
    }
    if (settings.outer == Outer::automatic) choice.outer = Outer::nested;
    return;
  }
  if (settings.outer != Outer::automatic) return;
  choice.outer = Outer::multiplier;
  choice.why += choice.why.empty() ? "" : "; ";
  choice.why += problem.constraints() == 0 && !problem.has_equalities()
                    ? "no constraints: nothing to penalise"
                    : "multipliers let delta stay moderate, so first-order steps stay long";
}

}  // namespace

void expect_smooth(const Problem& problem, std::string_view who) {
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight > 0.0 && !std::isfinite(t.term->smoothness())) {
      throw InputError(
          fmt::format("{} an objective with a smoothness constant, which {} has not", who, t.term->kind()));
    }
  }
}

std::string interior_obstacle(const Problem& problem) {
  return is_semidefinite_program(problem) ? std::string() : conic_obstacle(problem);
}

ChosenMethod choose_method(const Problem& problem, const Settings& settings) {
  expect_batches_apply(settings);
  if (!problem.conic().empty()) return choose_conic(problem, settings);
  ChosenMethod choice{settings.method, Outer::automatic, {}};
  if (settings.method != Method::automatic && settings.method != Method::path) {
    expect_applicable(problem, settings);
    if (settings.method != Method::sdca) choose_outer(problem, settings, choice);
    return choice;
  }
  // --outer, --xi and --delta ask for a penalty that the path engine does not take.
  const bool penalty_is_free = settings.outer == Outer::automatic && !settings.xi && !settings.delta;
  if (settings.method == Method::path) expect_applicable(problem, settings);
  const PathChoice path = choose_linear_algebra(problem, settings);
  if (settings.method == Method::path && path.algebra == LinearAlgebra::automatic) {
    throw InputError(fmt::format("--method path: {}", path.why));
  }
  if (penalty_is_free && path.algebra != LinearAlgebra::automatic) {
    return {Method::path, Outer::automatic, settings.method == Method::path ? std::string() : path.why, path.algebra};
  }
  if (settings.linear_algebra != LinearAlgebra::automatic) {
    throw InputError(
        fmt::format("--linear-algebra {}: {}", to_string(settings.linear_algebra),
                    penalty_is_free ? path.why : "does not apply where --outer, --xi or --delta is given"));
  }
  expect_smooth(problem, penalty_is_free
                             ? fmt::format("no method for this problem: path: {}; the others need", path.why)
                             : "--outer, --xi, --delta: the methods that take them need");
  const Proposal proposal = propose_first_order(problem, settings);
  choice.method = proposal.method;
  choice.why = penalty_is_free ? fmt::format("no path: {}; {}", path.why, proposal.why) : proposal.why;
  if (choice.method != Method::sdca) choose_outer(problem, settings, choice);
  return choice;
}

}  // namespace pliant
