#include "engines/path/variable_scaling.hpp"

#include "constraints/rank_one.hpp"
#include "pliant/svec.hpp"

#include <Eigen/Cholesky>

#include <algorithm>

namespace pliant {
namespace {

constexpr double kRidge = 1e-12;  // relative to the mean moment: points in a hyperplane do no harm
constexpr double kInside = 1.05;  // the start lies this much inside the sample's rows

}  // namespace

bool VariableScaling::applies(const Problem& problem) {
  if (problem.has_equalities() || problem.has_prox() || problem.terms().size() != 1) return false;
  const auto& term = problem.terms().front();
  const auto& batches = problem.batches();
  return term.term->kind() == "log_det" && term.weight > 0.0 &&
         std::all_of(batches.begin(), batches.end(),
                     [](const BatchPtr& b) { return b->structure().rank_one != nullptr; });
}

std::unique_ptr<VariableScaling> VariableScaling::create(const Problem& problem, RowHolder& rows,
                                                         const std::vector<Index>& sample) {
  const Index n = problem.dimension();
  const auto count = static_cast<Index>(sample.size());
  Vector moments = Vector::Zero(n);
  rows.gather(sample)->original().add_weighted_gradient(
      Vector::Zero(n), Vector::Constant(count, 1.0 / static_cast<double>(count)), moments);
  Matrix M = smat(moments);
  M.diagonal().array() += kRidge * M.diagonal().mean();
  const Eigen::LLT<Matrix> factor(M);
  if (factor.info() != Eigen::Success) return nullptr;

  std::unique_ptr<VariableScaling> out(new VariableScaling(n));
  // R'R = M^-1 with M = LL': R = L^-1.
  out->R_ = factor.matrixL().solve(Matrix::Identity(M.rows(), M.cols()));
  out->problem_.minimize(problem.terms().front().term, problem.terms().front().weight);
  rows.set_coordinates(out->R_);
  // c I with c q'M^-1 q <= b / kInside on the sample.
  const Vector unit = svec(Matrix::Identity(M.rows(), M.cols()));
  const std::unique_ptr<RowBlock> scaled = rows.gather(sample);
  Vector at_zero(count), at_unit(count);
  scaled->selection().values(Vector::Zero(n), at_zero);
  scaled->selection().values(unit, at_unit);
  double c = kInfinity;
  for (Index k = 0; k < count; ++k) {
    const double form = at_unit[k] - at_zero[k];
    if (form > 0.0) c = std::min(c, -at_zero[k] / form / kInside);
  }
  out->start_ = unit * (std::isfinite(c) && c > 0.0 ? c : 1.0);
  return out;
}

Vector VariableScaling::to_original(const Vector& y) const { return svec(R_.transpose() * smat(y) * R_); }

Vector VariableScaling::to_scaled(const Vector& x) const {
  const auto R = R_.triangularView<Eigen::Lower>();
  const Matrix half = R.transpose().solve(smat(x));                // R^-T X
  return svec(R.transpose().solve(half.transpose()).transpose());  // R^-T X R^-1
}

}  // namespace pliant
