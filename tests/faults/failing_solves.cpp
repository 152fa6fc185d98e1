#include "linalg/eigen_memory.hpp"  // before Eigen itself

#include "faults/failing_solves.hpp"

#include "linalg/sparse_ldl.hpp"
#include "support/random.hpp"

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include <unistd.h>

namespace pliant::testing {
namespace {

Settings with(Method method, LinearAlgebra algebra = LinearAlgebra::automatic) {
  Settings settings;
  settings.method = method;
  settings.linear_algebra = algebra;
  settings.threads = 2;
  return settings;
}

Settings loose(Method method) {
  Settings settings = with(method);
  settings.tol_feas = settings.tol_gap = 1e-2;
  return settings;
}

std::vector<Answer> answer(const Problem& problem, const Settings& settings) {
  return {{problem, settings, solve(problem, settings)}};
}

Task solve_of(const std::string& name, const std::string& family, const std::map<std::string, double>& parameters,
              const Settings& settings) {
  return {name, [=] { return answer(generate(family, parameters), settings); }};
}

// Gone with the process.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pliant-memory-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for files");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path file(const std::string& ending) const { return path_ / ("p." + ending); }

 private:
  std::filesystem::path path_;
};

const Folder& folder() {
  static const Folder made;
  return made;
}

// A problem from a file of this format.
Task read_of(const std::string& ending, const std::string& family, const std::map<std::string, double>& parameters) {
  const std::filesystem::path file = folder().file(ending);
  write_problem(generate(family, parameters), file);
  return {"read_" + ending, [file] { return answer(read_problem(file), with(Method::automatic)); }};
}

// So much data that threads share it: what fails in one of them reaches the caller.
Task threads_at_work() {
  constexpr double kRows = 12000.0, kVariables = 12.0;  // 1.2 MB
  Task out = solve_of("threads_at_work", "dense_qp", {{"n", kVariables}, {"m", kRows}}, with(Method::automatic));
  out.tried = 40;  // they take a while each
  return out;
}

// Solves in threads of their own that wait for each other where they read the same rows.
Task solved_together() {
  Random random(5);
  constexpr Index kRows = 300, kVariables = 3;
  const DataMatrix A = DataMatrix::from(random.matrix(kRows, kVariables));
  const Doubles b = to_array(random.vector(kRows));
  return {"solved_together", [A, b] {
            std::vector<Problem> problems;
            for (const double tau : {0.2, 0.5, 0.7}) {
              problems.emplace_back(A.cols());
              problems.back().minimize(quantile(A, b, tau));
            }
            const Settings settings = with(Method::automatic);
            const std::vector<std::reference_wrapper<const Problem>> all(problems.begin(), problems.end());
            const std::vector<Result> results = solve_together(all, settings);
            std::vector<Answer> out;
            for (std::size_t k = 0; k < problems.size(); ++k) out.push_back({problems[k], settings, results[k]});
            return out;
          }};
}

// MUMPS: small solves have no matrix whose pivots must be chosen by value.
Task pivots_by_value() {
  Random random(6);
  constexpr Index kSize = 200;  // so that its blocks are large
  const Matrix root = random.matrix(kSize, kSize);
  const Matrix A = root * root.transpose() + Matrix::Identity(kSize, kSize);
  const SparseMatrix lower = Matrix(A.triangularView<Eigen::Lower>()).sparseView();
  const Vector b = random.vector(kSize);
  return {"pivots_by_value", [=] {
            SparseLdlCost cost;
            const auto factor = make_sparse_ldl(lower, kSize, LdlKind::multifrontal, cost);
            Vector x = b;
            if (!factor->factorize(lower)) throw std::logic_error("a definite matrix has no factors");
            factor->solve(x);
            if (!((A * x - b).norm() <= 1e-8 * b.norm())) throw std::logic_error("a system is solved wrongly");
            return std::vector<Answer>{};
          }};
}

// Where the words of an error find no memory, that is the error.
Task refused() {
  return {"refused",
          [] {
            Problem problem(2);
            problem.minimize(quadratic(Matrix(-Matrix::Identity(2, 2)), Vector(Vector::Zero(2))));
            return answer(problem, with(Method::automatic));
          },
          "not convex"};
}

}  // namespace

std::vector<Task> failing_tasks() {
  return {
      solve_of("dense_path", "dense_qp", {{"n", 4}, {"m", 40}}, with(Method::path, LinearAlgebra::dense)),
      solve_of("sparse_interior", "sparse_qp", {{"n", 12}, {"m", 20}}, with(Method::path, LinearAlgebra::sparse)),
      solve_of("conic", "robust_lp", {{"n", 3}, {"m", 6}}, with(Method::automatic)),
      solve_of("semidefinite", "shor_boxqp", {{"d", 3}}, with(Method::automatic)),
      solve_of("first_order", "ridge", {{"n", 3}, {"m", 10}}, loose(Method::apg)),
      solve_of("soft_bands", "quantile", {{"n", 3}, {"m", 60}}, with(Method::automatic)),
      solve_of("log_sum_exp", "log_sum_exp", {{"n", 3}, {"m", 20}}, with(Method::automatic)),
      solve_of("ellipsoid", "ellipsoid", {{"d", 2}, {"m", 30}}, with(Method::automatic)),
      solve_of("infeasible", "infeasible", {{"n", 3}, {"m", 20}}, with(Method::automatic)),
      read_of("mps", "dense_qp", {{"n", 3}, {"m", 10}}),
      read_of("cbf", "robust_lp", {{"n", 3}, {"m", 4}}),
      read_of("h5", "dense_qp", {{"n", 3}, {"m", 10}}),
      threads_at_work(),
      solved_together(),
      pivots_by_value(),
      refused(),
  };
}

}  // namespace pliant::testing
