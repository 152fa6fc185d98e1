// What numbers may come in: Eigen matrices of either order, sparse ones, spans, vectors, tensors, and borrowed memory.
// Constraints of every kind give a handle, under which their duals are found.
#include <pliant/pliant.hpp>

#include <Eigen/SparseCore>

#include <cstdio>
#include <span>
#include <vector>

int main() {
  using namespace pliant;
  const Index n = 3;
  Problem problem(n);
  problem.minimize(quadratic(Matrix::Identity(n, n), Vector::Constant(n, -2.0)));
  problem.regularize(box({0.0, 0.0, 0.0}, std::vector<double>{5.0, 5.0, 5.0}));

  // Copied, whatever their order: an expression, a sparse matrix, a span.
  Eigen::SparseMatrix<double> sparse(2, n);  // column by column
  sparse.insert(0, 0) = 1.0;
  sparse.insert(1, 2) = 1.0;
  const double limits[] = {1.5, 1.0};
  const Handle rows = problem.subject_to(linear_le(sparse, std::span<const double>(limits)), "limits");

  // Borrowed: nothing is copied, so the matrix and the numbers must outlive the problem.
  const RowMajorMatrix sums = RowMajorMatrix::Ones(1, n);
  const std::vector<double> total{4.0};
  const Handle budget = problem.subject_to(linear_le(DataMatrix::view(sums), Doubles::view(total)));

  // Numbers with a shape: |x|^2 <= 16 as one of m = 1 quadratic constraints, and as a second-order cone.
  const Tensor twice({1, n}, {2.0, 2.0, 2.0});
  problem.subject_to(quadratic_diagonal_le(twice, Matrix::Zero(1, n), {-16.0}));
  const std::vector<Matrix> identity{Matrix::Identity(n, n)};
  const Handle cone = problem.subject_to(soc_le(identity, Matrix::Zero(1, n), Matrix::Zero(1, n), {4.0}));

  // Equalities, any number of times.
  const Handle level = problem.subject_to(equal(Eigen::RowVector3d(1.0, -1.0, 0.0), {0.0}));
  problem.subject_to(equal(Eigen::RowVector3d(0.0, 0.0, 1.0), {0.5}));

  const Settings settings;
  const Result result = solve(problem, settings);
  const Verdict verdict = check(problem, to_solution(problem, result), settings);  // from the data alone
  std::printf("x = (%.4f, %.4f, %.4f), duals: limits %.4f, budget %.4f, equality %.4f, cone of %d rows\n%s\n",
              result.x[0], result.x[1], result.x[2], result.duals(rows)[0], result.duals(budget)[0],
              result.duals(level)[0], static_cast<int>(result.duals(cone).size()), to_json(problem, verdict).c_str());
  return result.status == Status::optimal && verdict.satisfied ? 0 : 1;
}
