// Curved constraints around 0 under mu/2 |x|^2 + c'x: quadratic (dense and low-rank) and log-sum-exp.
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <cmath>

namespace pliant::generation {
namespace {

Problem square_problem(const Parameters& p) {
  Problem problem(p.n());
  minimize_random_square(problem, p.real("mu"), p.stream(Label::cost));
  problem.slater_point = Vector::Zero(p.n());
  return problem;
}

// P_i = 0.3/n R_i R_i', R_i with N(0,1) entries; symmetric to the last bit.
NumberRows wishart_matrices(const Parameters& p) {
  constexpr double kCurvature = 0.3;
  return NumberRows(p, p.m(), checked_size({p.n(), p.n()}),
                    [stream = p.stream(Label::factors), n = p.n()](Index i, double* row) {
                      Eigen::Map<Matrix> R(parallel::scratch(parallel::Scratch::block, n * n), n, n);
                      stream.row(i).normals(R.data(), n * n);
                      Eigen::Map<Matrix> out(row, n, n);
                      out.setZero();
                      out.selfadjointView<Eigen::Lower>().rankUpdate(R, kCurvature / static_cast<double>(n));
                      out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
                    });
}

// 1/2 x'P_i x + q_i'x + r_i <= 0 with |q_i| = 1, r_i = -1 - 0.1 U
Problem qcqp(const Parameters& p) {
  Problem problem = square_problem(p);
  if (p.m() == 0) return problem;
  const NumberRows P = wishart_matrices(p);
  const NumberRows q = normal_rows(p, Label::rows, p.m(), p.n(), RowNorm::unit);
  const NumberRows r = uniform_rows(p, Label::right_hand_side, p.m(), 1, -1.1, -1.0);
  problem.subject_to(
      quadratic_le(Tensor({p.m(), p.n(), p.n()}, P.share()), Tensor({p.m(), p.n()}, q.share()), r.share()));
  return problem;
}

// 1/2 |B_i x|^2 + q_i'x + r_i <= 0 with B_i (rank x n) of entries 0.7 N(0,1)/sqrt(n), q_i = N(0, I)/sqrt(n)
Problem qcqp_lowrank(const Parameters& p) {
  constexpr double kFactorScale = 0.7;
  Problem problem = square_problem(p);
  if (p.m() == 0) return problem;
  const Index rank = p.count("rank");
  const double root = std::sqrt(static_cast<double>(p.n()));
  const NumberRows B =
      normal_rows(p, Label::factors, p.m(), checked_size({rank, p.n()}), RowNorm::free, kFactorScale / root);
  const NumberRows q = normal_rows(p, Label::rows, p.m(), p.n(), RowNorm::free, 1.0 / root);
  const NumberRows r = uniform_rows(p, Label::right_hand_side, p.m(), 1, -1.1, -1.0);
  problem.subject_to(
      quadratic_lowrank_le(Tensor({p.m(), rank, p.n()}, B.share()), Tensor({p.m(), p.n()}, q.share()), r.share()));
  return problem;
}

// ln sum_k exp(A_ik'x + b_ik) <= 0 with A_ik = 2 N(0, I)/sqrt(n), b_ik = -ln(terms) - 1 - 0.1 U: at most -1 at 0
Problem log_sum_exp(const Parameters& p) {
  constexpr double kSlopeScale = 2.0;
  Problem problem = square_problem(p);
  if (p.m() == 0) return problem;
  const Index terms = p.count("terms");
  const double middle = -std::log(static_cast<double>(terms)) - 1.0;
  const double scale = kSlopeScale / std::sqrt(static_cast<double>(p.n()));
  const NumberRows A = normal_rows(p, Label::rows, p.m(), checked_size({terms, p.n()}), RowNorm::free, scale);
  const NumberRows b = uniform_rows(p, Label::right_hand_side, p.m(), terms, middle - 0.1, middle);
  problem.subject_to(log_sum_exp_le(Tensor({p.m(), terms, p.n()}, A.share()), Tensor({p.m(), terms}, b.share())));
  return problem;
}

}  // namespace

std::vector<Family> curved_families() {
  return {
      {"qcqp", "min mu/2 |x|^2 + c'x s.t. 1/2 x'P_i x + q_i'x + r_i <= 0, P_i dense",
       sizes_and(20, 1000, {positive("mu", 1.0)}), qcqp},
      {"qcqp_lowrank", "min mu/2 |x|^2 + c'x s.t. 1/2 |B_i x|^2 + q_i'x + r_i <= 0, B_i with few rows",
       sizes_and(30, 1000, {positive("mu", 1.0), count("rank", 3, 1)}), qcqp_lowrank},
      {"log_sum_exp", "min mu/2 |x|^2 + c'x s.t. ln sum_k exp(A_ik'x + b_ik) <= 0",
       sizes_and(30, 1000, {positive("mu", 1.0), count("terms", 5, 1)}), log_sum_exp},
  };
}

}  // namespace pliant::generation
