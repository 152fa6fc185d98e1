#include "constraints/quadratic.hpp"

#include "checks/shape_checks.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/constraints.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

template <class Form>
QuadraticBatch<Form>::QuadraticBatch(Index m, Form form, Doubles q, Doubles r)
    : m_(m), form_(std::move(form)), rows_{Form::kForm,
                                           form_.n,
                                           form_.numbers_per_row() / std::max<Index>(1, form_.n),
                                           form_.data,
                                           std::move(q),
                                           std::move(r)} {
  expect_at_least(Form::kFunction, "number of constraints", 0, m_);
  expect_at_least(Form::kFunction, "number of variables", 1, form_.n);
  expect_entries(Form::kFunction, Form::kData, m_ * form_.numbers_per_row(), form_.data.size());
  expect_entries(Form::kFunction, "q", m_ * form_.n, rows_.q.size());
  expect_entries(Form::kFunction, "r", m_, rows_.r.size());
}

template <class Form>
BatchStructure QuadraticBatch<Form>::structure() const {
  BatchStructure out;
  out.arrays = {&rows_.data, &rows_.q};
  out.quadratic_rows = &rows_;
  return out;
}

// One kind in files, three ways to store P_i.
template <class Form>
StoredForm QuadraticBatch<Form>::stored() const {
  return {"quadratic", {{Form::kField, form_.data, form_.shape(m_)}, {"q", q(), {m_, form_.n}}, {"r", r()}}};
}

template <class Form>
Index QuadraticBatch<Form>::bytes(Rows rows) const {
  return rows.size() * (form_.numbers_per_row() + form_.n + 1) * Index{sizeof(double)};
}

template <class Form>
double QuadraticBatch<Form>::constant_scale() const {
  return largest_magnitude(r());
}

template <class Form>
void QuadraticBatch<Form>::constant_magnitudes(Rows rows, VectorRef out) const {
  for (Index k = 0; k < rows.size(); ++k) out[k] = std::abs(r()[rows[k]]);
}

// With s = what P|x| is computed from: 1/2 |x|'s + |q|'|x| + |r|, and s + |q|.
template <class Form>
void QuadraticBatch<Form>::add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                             VectorRef gradient_sizes) const {
  const Vector size_of_x = x.cwiseAbs();
  reduce_rows(
      rows,
      [&](Index k, double* partial) {
        VectorMap product(parallel::scratch(parallel::Scratch::block, form_.n), form_.n);
        product.setZero();
        form_.add_absolute(rows[k], 1.0, size_of_x.data(), product.data());
        const auto q = linear_part(rows[k]).cwiseAbs();
        sizes[k] = 0.5 * product.dot(size_of_x) + q.dot(size_of_x) + std::abs(r()[rows[k]]);
        if (w[k] != 0.0) VectorMap(partial, form_.n) += w[k] * (product + q);
      },
      gradient_sizes);
}

template <class Form>
void QuadraticBatch<Form>::convexity_defects(Rows rows, VectorRef defects) const {
  for_row_chunks(rows, [&](Index begin, Index end) {
    QuadraticWorkspace work(form_.workspace_order());
    for (Index k = begin; k < end; ++k) defects[k] = form_.defect(rows[k], work);
  });
}

template <class Form>
void QuadraticBatch<Form>::block_values(const double* x, Rows rows, double* a, double* scratch) const {
  const Index stride = form_.scratch_per_row();
  const ConstVectorMap point(x, form_.n);
  form_.multiply(x, rows, scratch);
  for (Index k = 0; k < rows.size(); ++k) {
    const Index i = rows[k];
    a[k] = 0.5 * form_.square(i, x, scratch + k * stride) + linear_part(i).dot(point) + r()[i];
  }
}

template <class Form>
void QuadraticBatch<Form>::block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                                              double* gradient) const {
  const Index stride = form_.scratch_per_row();
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] == 0.0) continue;
    form_.add_product(rows[k], w[k], x, scratch + k * stride, gradient);
    VectorMap(gradient, form_.n) += w[k] * linear_part(rows[k]);
  }
}

template <class Form>
void QuadraticBatch<Form>::block_gradient_norms(const double* x, Rows rows, const double* scratch,
                                                double* norms) const {
  const Index stride = form_.scratch_per_row();
  VectorMap gradient(parallel::scratch(parallel::Scratch::block, form_.n), form_.n);
  for (Index k = 0; k < rows.size(); ++k) {
    gradient = linear_part(rows[k]);
    form_.add_product(rows[k], 1.0, x, scratch + k * stride, gradient.data());
    norms[k] = gradient.norm();
  }
}

template <class Form>
void QuadraticBatch<Form>::block_smoothness(Rows rows, double* smoothness) const {
  for (Index k = 0; k < rows.size(); ++k) smoothness[k] = form_.quick_bound(rows[k]);
}

template <class Form>
void QuadraticBatch<Form>::block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                                             const double* scratch, MatrixRef H) const {
  const Index stride = form_.scratch_per_row();
  RankUpdatePanel panel(H);
  for (Index k = 0; k < rows.size(); ++k) {
    if (curvature[k] != 0.0) form_.add_curvature(rows[k], curvature[k], H, panel);
    if (outer[k] == 0.0) continue;
    auto gradient = panel.column();
    gradient = linear_part(rows[k]);
    form_.add_product(rows[k], 1.0, x, scratch + k * stride, gradient.data());
    panel.push(outer[k]);
  }
  panel.flush();
}

template <class Form>
void QuadraticBatch<Form>::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  line.count = rows.size();
  line.degree = 2;
  line.c0.resize(rows.size());
  line.c1.resize(rows.size());
  line.c2.resize(rows.size());
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = rows[k];
      const PairProducts products = form_.pair(i, x.data(), d.data());
      line.c0[k] = 0.5 * products.xx + linear_part(i).dot(x) + r()[i];
      line.c1[k] = products.xd + linear_part(i).dot(d);
      line.c2[k] = 0.5 * products.dd;
    }
  });
}

template <class Form>
void QuadraticBatch<Form>::growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                                  VectorRef curvature) const {
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const PairProducts products = form_.pair(rows[k], x.data(), d.data());
      slope[k] = products.xd + linear_part(rows[k]).dot(d);
      curvature[k] = products.dd;
    }
  });
}

template <class Form>
RecessionCone QuadraticBatch<Form>::recession_cone() const {
  const std::vector<double> zero(static_cast<std::size_t>(m_), 0.0);
  return {linear_le(DataMatrix::dense(m_, form_.n, q()), Doubles(zero)), true};
}

template <class Form>
void QuadraticBatch<Form>::validate() const {
  const std::string label = batch_label(Form::kFunction, name);
  expect_finite_rows(label, "q", q(), m_, form_.n);
  expect_finite_rows(label, "r", r(), m_, 1);
  form_.validate(m_, label);
}

template <class Form>
std::shared_ptr<ConstraintBatch> QuadraticBatch<Form>::checked(std::shared_ptr<QuadraticBatch> changed) const {
  changed->name = this->name;
  expect_finite_rows(batch_label(Form::kFunction, this->name), "r", changed->r(), m_, 1);
  return changed;
}

// L_a = lambda_max(P), C1 = 2 L_a, C0 = 2 L_a max(0, -min a): |grad a|^2 <= 2 L_a (a - min a) for every
// smooth convex a. No minimum: no global C0. P = 0 is a linear constraint: C0 = |q|^2, C1 = 0.
template <class Form>
std::optional<RowConstants> QuadraticBatch<Form>::compute_constants() const {
  RowConstants c{Vector(m_), Vector(m_), Vector(m_), true};
  for_row_chunks(Rows::range(0, m_), [&](Index begin, Index end) {
    QuadraticWorkspace work(form_.workspace_order());
    for (Index i = begin; i < end; ++i) {
      const QuadraticBounds bounds = form_.bounds(i, linear_part(i).data(), work);
      const double smoothness = bounds.largest_eigenvalue;
      c.smoothness[i] = smoothness;
      c.growth_slope[i] = 2.0 * smoothness;
      c.growth_constant[i] = smoothness == 0.0 ? linear_part(i).squaredNorm() * (1.0 + 1e-12)
                                               : 2.0 * smoothness * std::max(0.0, bounds.depth - r()[i]);
    }
  });
  c.growth_global = c.growth_constant.allFinite();
  return c;
}

template class QuadraticBatch<DenseForm>;
template class QuadraticBatch<LowRankForm>;
template class QuadraticBatch<DiagonalForm>;

QuadraticDenseBatch::QuadraticDenseBatch(Index m, Index n, Doubles P, Doubles q, Doubles r)
    : QuadraticBatch(m, DenseForm{n, std::move(P)}, std::move(q), std::move(r)) {}

QuadraticLowRankBatch::QuadraticLowRankBatch(Index m, Index n, Index rank, Doubles factors, Doubles q, Doubles r)
    : QuadraticBatch(m, LowRankForm{n, rank, std::move(factors)}, std::move(q), std::move(r)) {
  expect_at_least(LowRankForm::kFunction, "rank", 1, rank);
}

QuadraticDiagonalBatch::QuadraticDiagonalBatch(Index m, Index n, Doubles diagonals, Doubles q, Doubles r)
    : QuadraticBatch(m, DiagonalForm{n, std::move(diagonals)}, std::move(q), std::move(r)) {}

BatchPtr quadratic_le(Tensor P, Tensor q, Doubles r) {
  Shapes shapes("quadratic_le");
  shapes.expect("P", P, {"m", "n", "n"}).expect("q", q, {"m", "n"});
  return std::make_shared<QuadraticDenseBatch>(shapes["m"], shapes["n"], P.values(), q.values(), std::move(r));
}

BatchPtr quadratic_lowrank_le(Tensor factors, Tensor q, Doubles r) {
  Shapes shapes("quadratic_lowrank_le");
  shapes.expect("factors", factors, {"m", "k", "n"}).expect("q", q, {"m", "n"});
  return std::make_shared<QuadraticLowRankBatch>(shapes["m"], shapes["n"], shapes["k"], factors.values(), q.values(),
                                                 std::move(r));
}

BatchPtr quadratic_diagonal_le(Tensor diagonals, Tensor q, Doubles r) {
  Shapes shapes("quadratic_diagonal_le");
  shapes.expect("diagonals", diagonals, {"m", "n"}).expect("q", q, {"m", "n"});
  return std::make_shared<QuadraticDiagonalBatch>(shapes["m"], shapes["n"], diagonals.values(), q.values(),
                                                  std::move(r));
}

}  // namespace pliant
