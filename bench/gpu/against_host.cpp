// bench_gpu_against_host [COUNT [SEED]]: random problems, small and degenerate, solved by the processor, with copies of their
// rows on a card, and with rows that are no part of the problem. The same status, objectives within the tolerance, the same
// bytes from three runs; the last line counts what was found. Exit status 1: something differs.
//
// PLIANT_CUDA_LIBRARY may name the imitation of a card.
#include "pliant/certificate.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "pliant/svec.hpp"
#include "random/random.hpp"
#include "rows/device_batch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

namespace {

using namespace pliant;

constexpr double kTolerance = 1e-7;

/// Numbers from one stream, in order.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : stream_(seed, 0) {}
  double uniform() { return stream_.uniform(next_++); }
  double normal() { return stream_.normal(next_++); }
  Index below(Index count) { return std::min(count - 1, static_cast<Index>(uniform() * static_cast<double>(count))); }
  bool chance(double p) { return uniform() < p; }
  Vector vector(Index n) {
    Vector out(n);
    for (double& v : out) v = normal();
    return out;
  }
  Matrix matrix(Index m, Index n) {
    Matrix out(m, n);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) out(i, j) = normal();
    }
    return out;
  }

 private:
  random::Stream stream_;
  Index next_ = 0;
};

/// Rows that repeat, vanish, have whole numbers or differ by decades in length.
Matrix awkward_rows(Draws& draws, Index m, Index n) {
  Matrix G = draws.matrix(m, n);
  const bool whole = draws.chance(0.3);
  for (Index i = 0; i < m; ++i) {
    if (whole) G.row(i) = G.row(i).array().round();
    if (draws.chance(0.1)) G.row(i) *= std::pow(10.0, 4.0 * draws.uniform() - 2.0);
    if (i > 0 && draws.chance(0.1)) G.row(i) = G.row(draws.below(i));
    if (draws.chance(0.02)) G.row(i).setZero();
  }
  return G;
}

/// Half-spaces around a point, some through it, or a few that exclude each other.
BatchPtr linear_rows(Draws& draws, Index n, const Vector& inside, bool infeasible) {
  const Index m = 1 + draws.below(draws.chance(0.5) ? 30 : 2500);
  const Matrix G = awkward_rows(draws, m, n);
  Vector hi = G * inside, lo = hi;
  const bool tight = draws.chance(0.2);
  for (Index i = 0; i < m; ++i) {
    const double room = G.row(i).norm();
    if (!tight || draws.chance(0.5)) hi[i] += (0.05 + draws.uniform()) * room;
    lo[i] -= (0.05 + draws.uniform()) * room;
    if (draws.chance(0.1)) hi[i] = kInfinity;
    if (draws.chance(0.1)) lo[i] = -kInfinity;
  }
  hi[0] = std::isfinite(hi[0]) ? hi[0] : G.row(0).dot(inside) + 1.0;
  if (infeasible) {
    Matrix more(m + 2, n);
    more << G, Matrix::Ones(1, n), -Matrix::Ones(1, n);
    Vector sides(m + 2);
    sides << hi, -1.0, -1.0;  // sum x <= -1 and sum x >= 1
    return linear_le(DataMatrix::from(more), to_array(sides));
  }
  if (draws.chance(0.5)) return linear_le(DataMatrix::from(G), to_array(hi));
  return linear_range(to_array(lo), DataMatrix::from(G), to_array(hi));
}

Problem ellipsoid(Draws& draws) {
  const Index d = 1 + draws.below(6), m = d + 2 + draws.below(1500);
  std::vector<double> points;
  for (Index k = 0; k < m * d; ++k) points.push_back(draws.normal());
  Problem out(svec_size(d + 1));
  out.minimize(log_det(d + 1));
  out.subject_to(rank_one_lifted_le(Tensor({m, d}, std::move(points)), to_array(Vector::Ones(m))));
  return out;
}

// Feasible at 0, some with equality there.
BatchPtr curved_rows(Draws& draws, Index n) {
  const Index m = 1 + draws.below(draws.chance(0.5) ? 20 : 1500);
  const bool exponential = draws.chance(0.5);
  const Index terms = 1 + draws.below(exponential ? 6 : 5);
  std::vector<double> numbers, beside;
  for (Index k = 0; k < m * terms * n; ++k) numbers.push_back(draws.normal());
  for (Index k = 0; k < m * (exponential ? terms : n); ++k)
    beside.push_back(draws.normal() - (exponential ? 5.0 : 0.0));
  Tensor A({m, terms, n}, std::move(numbers));
  if (exponential) return log_sum_exp_le(std::move(A), Tensor({m, terms}, std::move(beside)));
  std::vector<double> r;
  for (Index i = 0; i < m; ++i) r.push_back(-0.1 - 3.0 * draws.uniform());
  if (draws.chance(0.3)) r[0] = 0.0;
  return quadratic_lowrank_le(std::move(A), Tensor({m, n}, std::move(beside)), Doubles(std::move(r)));
}

Problem under_curved_rows(Draws& draws) {
  const Index n = 1 + draws.below(12);
  Problem out(n);
  if (draws.chance(0.7)) {
    out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(3.0 * draws.vector(n)))));
  } else {
    out.minimize(linear(to_array(draws.vector(n))));
  }
  out.regularize(box(to_array(Vector::Constant(n, -4.0)), to_array(Vector::Constant(n, 4.0))));
  const Index batches = 1 + draws.below(2);
  for (Index b = 0; b < batches; ++b) out.subject_to(curved_rows(draws, n));
  return out;
}

Problem random_problem(Draws& draws) {
  if (draws.chance(0.2)) return ellipsoid(draws);
  if (draws.chance(0.25)) return under_curved_rows(draws);
  const Index n = 1 + draws.below(draws.chance(0.2) ? 90 : 12);
  const Vector inside = draws.vector(n);
  Problem out(n);
  if (draws.chance(0.6)) {
    const Index rank = draws.chance(0.3) ? 1 + draws.below(n) : n;
    const Matrix F = draws.matrix(rank, n);
    out.minimize(quadratic(DataMatrix::from(Matrix(F.transpose() * F)), to_array(draws.vector(n))));
  } else {
    out.minimize(linear(to_array(draws.vector(n))));
  }
  const double edge = inside.lpNorm<Eigen::Infinity>() + 1.0 + 5.0 * draws.uniform();
  out.regularize(box(to_array(Vector::Constant(n, -edge)), to_array(Vector::Constant(n, edge))));
  if (draws.chance(0.2) && n > 2) {
    const Matrix E = draws.matrix(1, n);
    out.equal(DataMatrix::from(E), to_array(Vector(E * inside)));
  }
  const bool infeasible = draws.chance(0.05);
  const Index batches = 1 + draws.below(3);
  for (Index b = 0; b < batches; ++b) out.subject_to(linear_rows(draws, n, inside, infeasible && b == 0));
  return out;
}

Settings tight(bool card) {
  Settings out;
  out.method = Method::path;
  out.tol_feas = out.tol_gap = 1e-8;
  if (card) out.device.card = 0;
  return out;
}

bool same_bytes(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }

DeviceResult beside(const Problem& problem) {
  Problem rest(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) rest.minimize(t.term, t.weight);
  if (problem.batches().front()->structure().rank_one == nullptr) rest.regularize(problem.prox_ptr());
  if (problem.has_equalities()) rest.equal(problem.equality_matrix(), problem.equality_rhs());
  std::vector<DeviceBatchPtr> rows;
  for (const BatchPtr& batch : problem.batches()) {
    rows.push_back(DeviceBatch::copy_of(*batch, 0));
  }
  return solve(rest, rows, tight(false));
}

/// What differs, in words; empty: nothing.
std::string compare(const Problem& problem, Status& status) {
  const Result here = solve(problem, tight(false)), there = solve(problem, tight(true));
  status = here.status;
  if (there.status != here.status) {
    return fmt::format("{} here, {} with rows on the card ({})", to_string(here.status), to_string(there.status),
                       there.message);
  }
  for (int k = 0; k < 2; ++k) {
    if (!same_bytes(solve(problem, tight(true)).x, there.x)) return "other bytes from another run";
  }
  if (here.status != Status::optimal) return "";
  const double scale = 1.0 + std::abs(here.certificate.objective), objective = here.certificate.objective;
  const double off = std::abs(there.certificate.objective - objective) / scale;
  if (!(off <= kTolerance)) return fmt::format("objectives differ by {:.1e}", off);
  const DeviceResult held = beside(problem);
  if (held.result.status != here.status) {
    return fmt::format("{} with rows beside the problem ({})", to_string(held.result.status), held.result.message);
  }
  const double held_off = std::abs(held.result.certificate.objective - objective) / scale;
  if (!(held_off <= kTolerance)) return fmt::format("objectives beside differ by {:.1e}", held_off);
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const Index count = argc > 1 ? std::atoll(argv[1]) : 500;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::map<std::string, Index> seen;
  Index different = 0;
  for (Index k = 0; k < count; ++k) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
    Draws draws(seed);
    const Problem problem = random_problem(draws);
    Status status = Status::numerical_error;
    try {
      const std::string difference = compare(problem, status);
      ++seen[std::string(to_string(status))];
      if (difference.empty()) continue;
      fmt::print("seed {}: {}\n", seed, difference);
    } catch (const InputError& error) {
      fmt::print("seed {}: {}\n", seed, error.what());
    }
    ++different;
  }
  std::string statuses;
  for (const auto& [name, times] : seen) statuses += fmt::format(" {} {}", times, name);
  fmt::print("{} problems, {} different;{}\n", count, different, statuses);
  return different > 0 ? 1 : 0;
}
