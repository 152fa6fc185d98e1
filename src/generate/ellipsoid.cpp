// The ellipsoid of least volume around random points: -log det X under (p_i, 1)'X(p_i, 1) <= 1.
#include "generate/data.hpp"
#include "generate/family.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <cmath>

namespace pliant::generation {
namespace {

enum Distribution : std::size_t { gauss, student, uniform };

// z_i of the chosen distribution: N(0, I); the same over sqrt(chi^2_5/5), Student's t with five degrees of freedom;
// uniform in (-1/2, 1/2)^d.
void draw(std::size_t distribution, const random::Stream& row, const random::Stream& noise, Index d, double* z) {
  constexpr Index kFreedom = 5;
  switch (distribution) {
    case Distribution::uniform:
      for (Index j = 0; j < d; ++j) z[j] = row.uniform(j, -0.5, 0.5);
      return;
    case Distribution::student: {
      Eigen::Matrix<double, kFreedom, 1> chi;
      noise.normals(chi.data(), kFreedom);
      row.normals(z, d, 1.0 / std::sqrt(chi.squaredNorm() / static_cast<double>(kFreedom)));
      return;
    }
    default:
      row.normals(z, d);
  }
}

// p_i = B z_i + shift, B = N(0,1) + 2I, shift = N(0,1): a skewed cloud away from the origin.
NumberRows cloud(const Parameters& p, Index d) {
  Matrix B(d, d);
  p.stream(Label::factors).normals(B.data(), d * d);
  B.diagonal().array() += 2.0;
  const Vector shift = normal_vector(p.stream(Label::planted_point), d);
  const auto rule = [distribution = p.choice("dist"), rows = p.stream(Label::rows), noise = p.stream(Label::noise), d,
                     B, shift](Index i, double* row) {
    Vector z(d);
    draw(distribution, rows.row(i), noise.row(i), d, z.data());
    as_vector(row, d).noalias() = shift + B * z;
  };
  return NumberRows(p, p.m(), d, rule);
}

// X = M^-1/(2 max_i q_i'M^-1 q_i) with M = (1/m) sum q_i q_i', q_i = (p_i, 1): shaped like the points, and every
// a_i <= -1/2.
Vector interior_point(const NumberRows& points, Index m, Index d) {
  const Index order = d + 1;
  const auto lifted = [&](Index i) {
    Vector q(order);
    q << as_vector(points.row(i), d), 1.0;
    return q;
  };
  Matrix M = Matrix::Zero(order, order);
  parallel::reduce_chunks(
      parallel::make_chunks(m, m * d * Index{sizeof(double)}, kMaxRowChunks), order * order,
      [&](Index, Index begin, Index end, double* partial) {
        Eigen::Map<Matrix> sum(partial, order, order);
        for (Index i = begin; i < end; ++i) sum.selfadjointView<Eigen::Lower>().rankUpdate(lifted(i));
      },
      M.data());
  const Eigen::LLT<Matrix> factor(M / static_cast<double>(m));
  if (factor.info() != Eigen::Success) throw InputError("m: the points lie in a hyperplane, take more");
  const double largest = -least(m, d, [&](Index i) { return -factor.matrixL().solve(lifted(i)).squaredNorm(); });
  return svec(factor.solve(Matrix::Identity(order, order))) / (2.0 * largest);
}

Problem ellipsoid(const Parameters& p) {
  const Index d = p.count("d");
  const Index order = d + 1;
  checked_size({p.m(), d});
  if (p.m() < order) {
    throw InputError(fmt::format("m: expected at least d + 1 = {} points, got {}", order, p.m()));
  }
  const Index n = svec_size(order);
  if (p.n() != 0 && p.n() != n) {
    throw InputError(fmt::format("n: follows from d, expected (d+1)(d+2)/2 = {} for d = {}, got {}", n, d, p.n()));
  }
  const NumberRows points = cloud(p, d);
  Problem problem(n);
  problem.minimize(log_det(order));
  problem.subject_to(
      rank_one_lifted_le(Tensor({p.m(), d}, points.share()), column(p, p.m(), [](Index) { return 1.0; }).share()));
  problem.slater_point = interior_point(points, p.m(), d);
  problem.start = problem.slater_point;
  return problem;
}

}  // namespace

std::vector<Family> ellipsoid_families() {
  return {{"ellipsoid",
           "min -log det X s.t. (p_i,1)'X(p_i,1) <= 1: least volume around m points in d dimensions",
           {count("n", 0, 0), count("m", 1000, 0), count("seed", 0, 0), count("d", 5, 1),
            choice("dist", {"gauss", "student", "uniform"})},
           ellipsoid}};
}

}  // namespace pliant::generation
