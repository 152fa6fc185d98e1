// First and second derivatives at a solution, of some rows alone: what a derivative of the solution is made of.
#include "arrays.hpp"
#include "background.hpp"
#include "pliant/regularizers.hpp"
#include "problem.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <Eigen/LU>

#include <algorithm>
#include <string>
#include <vector>

namespace pliant::python {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A matrix whose memory becomes that of the array.
nb::object to_array(const Matrix& values) {
  auto* held = new RowMajor(values);
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<RowMajor*>(p); });
  const std::size_t shape[] = {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())};
  return nb::cast(nb::ndarray<nb::numpy, double>(held->data(), 2, shape, owner));
}

std::vector<Index> to_indices(const IndicesIn& array) { return {array.data(), array.data() + array.size()}; }

// Constraints of a batch behind some of its duals: of a two-sided row the side that its dual presses on.
std::vector<Index> constraints_of(const ConstraintBatch& batch, const std::vector<Index>& duals, const Vector& signs) {
  const LinearRows* rows = batch.linear_rows();
  if (rows == nullptr || !rows->two_sided()) return duals;
  std::vector<Index> out;
  std::size_t k = 0;
  for (Index i = 0; i < rows->constraints() && k < duals.size(); ++i) {
    const LinearRows::Side side = rows->side(i);
    if (side.row != duals[k] || (side.sign > 0.0) != (signs[static_cast<Index>(k)] > 0.0)) continue;
    out.push_back(i);
    ++k;
  }
  if (out.size() != duals.size()) throw InputError("duals: a row has none of the side that its dual belongs to");
  return out;
}

struct Tangent {
  Vector values;
  Matrix gradients;  // one per column
};

// a_k(x) and grad a_k(x) of the listed rows; H += sum of multipliers times Hessians.
Tangent tangent(const ConstraintBatch& batch, const Vector& x, const std::vector<Index>& rows,
                const Vector& multipliers, Matrix& H) {
  const Index count = static_cast<Index>(rows.size());
  Tangent out{Vector(count), Matrix::Zero(x.size(), count)};
  batch.values(x, Rows::list(rows), out.values);
  const Vector none = Vector::Zero(count);
  batch.add_weighted_derivatives(x, Rows::list(rows), Matrix(Matrix::Identity(count, count)), multipliers, none,
                                 out.gradients, H);
  return out;
}

// They come from a result, and must be those of this problem.
void expect_shapes(const Problem& problem, const Vector& x, const std::vector<std::vector<Index>>& rows,
                   const std::vector<Vector>& duals) {
  bool fits = x.size() == problem.dimension() && rows.size() == problem.batches().size() && duals.size() == rows.size();
  for (std::size_t b = 0; fits && b < rows.size(); ++b) {
    const Index size = problem.batches()[b]->dual_size();
    fits = static_cast<Index>(rows[b].size()) == duals[b].size() && std::is_sorted(rows[b].begin(), rows[b].end()) &&
           (rows[b].empty() || (rows[b].front() >= 0 && rows[b].back() < size));
  }
  if (!fits) throw InputError("the result is one of another problem");
}

nb::dict derivatives(const HeldProblem& held, const DoublesIn& point, const std::vector<IndicesIn>& rows,
                     const std::vector<DoublesIn>& duals) {
  const Busy::Scope busy(held.busy);
  const Problem& problem = held.problem;
  const Vector x = to_vector(point);
  std::vector<std::vector<Index>> listed;
  std::vector<Vector> signed_duals;
  for (const IndicesIn& list : rows) listed.push_back(to_indices(list));
  for (const DoublesIn& values : duals) signed_duals.push_back(to_vector(values));
  expect_shapes(problem, x, listed, signed_duals);
  Matrix H = Matrix::Zero(x.size(), x.size()), E(problem.equality_rhs().size(), x.size());
  Vector gradient = Vector::Zero(x.size());
  std::vector<Tangent> parts;
  Background().run([&] {
    problem.add_smooth_gradient(x, gradient);
    problem.add_smooth_hessian(x, H);
    for (std::size_t b = 0; b < problem.batches().size(); ++b) {
      const ConstraintBatch& batch = *problem.batches()[b];
      const std::vector<Index> constraints = constraints_of(batch, listed[b], signed_duals[b]);
      parts.push_back(tangent(batch, x, constraints, signed_duals[b].cwiseAbs(), H));
    }
    for (Index i = 0; i < E.rows(); ++i) {
      Vector row = Vector::Zero(x.size());
      const double one = 1.0;
      problem.equality_matrix().add_transposed(Rows::range(i, 1), &one, row.data());
      E.row(i) = row.transpose();
    }
  });
  nb::list batches;
  for (Tangent& part : parts) {
    batches.append(nb::make_tuple(to_numpy(std::move(part.values)), to_array(part.gradients.transpose())));
  }
  nb::dict out;
  out["gradient"] = to_numpy(std::move(gradient));
  out["hessian"] = to_array(Matrix(H.selfadjointView<Eigen::Lower>()));
  out["batches"] = batches;
  out["E"] = to_array(E);
  return out;
}

nb::object optional_array(const Doubles& values) {
  return values.empty() ? nb::none() : to_numpy(std::vector<double>(values.begin(), values.end()));
}

nb::dict simple_term(const ProxTerm& prox) {
  nb::dict out;
  out["kind"] = std::string(prox.kind());
  out["radius"] = prox.structure().radius;
  if (const SeparableParameters* p = separable_parameters(prox)) {
    out["l1"] = p->l1;
    out["l2"] = p->l2;
    out["lo"] = optional_array(p->lo);
    out["hi"] = optional_array(p->hi);
  }
  if (const GroupParameters* p = group_parameters(prox)) {
    out["groups"] = to_numpy(std::vector<Index>(p->groups.begin(), p->groups.end()));
    out["weights"] = optional_array(p->weights);
  }
  return out;
}

// K z = b for a symmetric K, with a step of refinement; None where an eigenvalue may lie below `singular` times the
// largest one. The condition is an estimate, which is rarely too small by more than a few times.
nb::object solve_regular(const DoublesIn& K, const DoublesIn& b, double singular) {
  constexpr double kMargin = 10.0;
  const Index n = static_cast<Index>(b.size());
  if (n == 0 || static_cast<Index>(K.size()) != n * n) throw InputError("K: expected as many rows and columns as b");
  const Eigen::Map<const Matrix> matrix(K.data(), n, n);
  const Vector right = to_vector(b);
  const Eigen::PartialPivLU<Matrix> factors(matrix);
  if (!(factors.rcond() > kMargin * singular)) return nb::none();  // NaN as well
  Vector z = factors.solve(right);
  z += factors.solve(right - matrix * z);
  return to_numpy(std::move(z));
}

}  // namespace

void bind_tangent(nb::module_& m) {
  m.def("derivatives", &derivatives, nb::arg("problem"), nb::arg("x").noconvert(), nb::arg("rows"), nb::arg("duals"));
  m.def(
      "simple_term", [](const HeldProblem& held) { return simple_term(held.problem.prox()); }, nb::arg("problem"));
  m.def(
      "prices",  // of a batch of soft rows; None: it is hard
      [](const HeldProblem& held, Index batch) { return optional_array(held.problem.caps(batch)); }, nb::arg("problem"),
      nb::arg("batch"));
  m.def("solve_regular", &solve_regular, nb::arg("K").noconvert(), nb::arg("b").noconvert(), nb::arg("singular"));
}

}  // namespace pliant::python
