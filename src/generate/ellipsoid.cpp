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
void draw(const Parameters& p, Index i, Index d, double* z) {
  constexpr Index kFreedom = 5;
  const Stream row = p.stream(Label::rows).row(i);
  switch (p.choice("dist")) {
    case Distribution::uniform:
      for (Index j = 0; j < d; ++j) z[j] = row.uniform(j, -0.5, 0.5);
      return;
    case Distribution::student: {
      Eigen::Matrix<double, kFreedom, 1> chi;
      p.stream(Label::noise).row(i).normals(chi.data(), kFreedom);
      row.normals(z, d, 1.0 / std::sqrt(chi.squaredNorm() / static_cast<double>(kFreedom)));
      return;
    }
    default:
      row.normals(z, d);
  }
}

// p_i = B z_i + shift, B = N(0,1) + 2I, shift = N(0,1): a skewed cloud away from the origin.
void fill_points(const Parameters& p, Index d, Numbers& points) {
  Matrix B(d, d);
  p.stream(Label::factors).normals(B.data(), d * d);
  B.diagonal().array() += 2.0;
  const Vector shift = normal_vector(p.stream(Label::planted_point), d);
  for_each_row(p.m(), d, [&](Index i) {
    Vector z(d);
    draw(p, i, d, z.data());
    as_vector(points.data() + i * d, d).noalias() = shift + B * z;
  });
}

// X = M^-1/(2 max_i q_i'M^-1 q_i) with M = (1/m) sum q_i q_i': shaped like the points, and every a_i <= -1/2.
Vector interior_point(const ConstraintBatch& batch, Index order) {
  const Index m = batch.size();
  const Rows all = Rows::range(0, m);
  const Vector origin = Vector::Zero(batch.dimension());
  Vector moments = Vector::Zero(batch.dimension());
  batch.add_weighted_gradient(origin, all, Vector::Constant(m, 1.0 / static_cast<double>(m)), moments);
  const Eigen::LLT<Matrix> factor(smat(moments));
  if (factor.info() != Eigen::Success) throw InputError("m: the points lie in a hyperplane, take more");
  const Vector x = svec(factor.solve(Matrix::Identity(order, order)));
  Vector a(m);
  batch.values(x, all, a);
  return x / (2.0 * (a.maxCoeff() + 1.0));
}

Problem ellipsoid(const Parameters& p) {
  const Index d = p.count("d");
  const Index order = d + 1;
  if (p.m() < order) {
    throw InputError(fmt::format("m: expected at least d + 1 = {} points, got {}", order, p.m()));
  }
  Numbers points({p.m(), d});  // refuses absurd sizes
  const Index n = svec_size(order);
  if (p.n() != 0 && p.n() != n) {
    throw InputError(fmt::format("n: follows from d, expected (d+1)(d+2)/2 = {} for d = {}, got {}", n, d, p.n()));
  }
  fill_points(p, d, points);
  Problem problem(n);
  problem.minimize(log_det(order));
  problem.subject_to(rank_one_lifted_le(p.m(), d, points.share(), to_array(Vector::Ones(p.m()))));
  problem.slater_point = interior_point(*problem.batches()[0], order);
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
