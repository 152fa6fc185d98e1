// min 1/2 |x|^2 + c'x subject to G x <= h, with a certificate.
#include <pliant/pliant.hpp>

#include <cstdio>
#include <random>
#include <vector>

int main() {
  const pliant::Index n = 10, m = 500;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> identity(n * n, 0.0), c(n), rows(m * n), h(m, 1.0);
  for (pliant::Index j = 0; j < n; ++j) identity[static_cast<std::size_t>(j * n + j)] = 1.0;
  for (double& v : c) v = 3.0 * normal(random);
  for (double& v : rows) v = normal(random);

  pliant::Problem problem(n);
  problem.minimize(pliant::quadratic(pliant::DataMatrix::dense(n, n, identity), c));
  problem.subject_to(pliant::linear_le(pliant::DataMatrix::dense(m, n, rows), h), "rows");

  const pliant::Result result = pliant::solve(problem);
  const pliant::Certificate& proof = result.certificate;
  std::printf("%s: objective %.9f, lower bound %.9f (%s), violation %.1e, %lld active\n",
              std::string(pliant::to_string(result.status)).c_str(), proof.objective, proof.lower_bound,
              proof.lower_bound_rigorous ? "rigorous" : "estimate", proof.violation_linf,
              static_cast<long long>(proof.active));
  return result.status == pliant::Status::optimal ? 0 : 1;
}
