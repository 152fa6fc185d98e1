// min 1/2 |x|^2 + c'x subject to G x <= h, with a certificate; quick_start PAGE.html also writes a report.
#include <pliant/pliant.hpp>

#include <cstdio>

int main(int count, char** words) {
  const pliant::Index n = 10, m = 500;
  const Eigen::VectorXd c = 3.0 * Eigen::VectorXd::Random(n);
  const Eigen::MatrixXd G = Eigen::MatrixXd::Random(m, n);

  pliant::Problem problem(n);
  problem.minimize(pliant::quadratic(Eigen::MatrixXd::Identity(n, n), c));
  problem.subject_to(pliant::linear_le(G, Eigen::VectorXd::Ones(m)), "rows");

  const pliant::Result result = pliant::solve(problem);
  const pliant::Certificate& proof = result.certificate;
  std::printf("%s: objective %.9f, lower bound %.9f (%s), violation %.1e, %lld active\n",
              std::string(pliant::to_string(result.status)).c_str(), proof.objective, proof.lower_bound,
              std::string(to_string(proof.lower_bound_kind)).c_str(), proof.violation_linf,
              static_cast<long long>(proof.active));
  if (count > 1) pliant::write_report(words[1], result, {{}, summarize(problem, result), "quick start"});
  return result.status == pliant::Status::optimal ? 0 : 1;
}
