// bench_gpu KIND N M BITS [check|bytes]: generates rows on the first card, solves, and prints one line of numbers.
//
// KIND qp: 1/2 |x|^2 + c'x; lp: c'x; ellipsoid: the smallest one that covers M points of N numbers; qcqp: 1/2 |x|^2 + c'x
// under quadratic rows of rank 3; lse: under log-sum-exp rows of 5 terms; quantile: quantile regression, nothing else.
// BITS 64 or 32: how the rows are stored (64 for curved ones). `check`: the rows travel here, the CPU certifies x on them and solves the same problem. bench/gpu/README.md.
#include "instance.h"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "pliant/svec.hpp"
#include "random/random.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace {

using namespace pliant;

constexpr double kTau = 0.3;

struct Work {
  std::string kind;
  Index n = 0, m = 0;
  int number_bytes = 8;
  bool check = false, bytes = false;
  bool points() const { return kind == "ellipsoid"; }
  bool quadratic_rows() const { return kind == "qcqp"; }
  bool exponentials() const { return kind == "lse"; }
  bool soft() const { return kind == "quantile"; }
  bool curved() const { return quadratic_rows() || exponentials(); }
  Index terms() const { return quadratic_rows() ? 3 : exponentials() ? 5 : 1; }
  /// Bytes of one row, with what stands beside it.
  Index row_bytes() const {
    const Index beside = quadratic_rows() ? n : exponentials() ? terms() : 0;
    return (n * terms() + beside) * number_bytes;
  }
  bench_shape shape() const {
    const bench_kind family = points()           ? BENCH_POINTS
                              : quadratic_rows() ? BENCH_QUADRATIC
                              : exponentials()   ? BENCH_EXPONENTIALS
                              : soft()           ? BENCH_REGRESSION
                                                 : BENCH_ROWS;
    return {family, m, n, terms(), number_bytes};
  }
};

double seconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void expect(int code) {
  if (code != 0) std::exit(1);
}

Problem objective(const Work& work) {
  constexpr double kPull = 3.0;
  const random::Stream stream{1, 0};
  Vector c(work.n);
  for (Index j = 0; j < work.n; ++j) c[j] = kPull * stream.normal(j);
  if (work.points()) {
    Problem out(svec_size(work.n + 1));
    out.minimize(log_det(work.n + 1));
    return out;
  }
  Problem out(work.n);
  if (work.soft()) return out;
  if (work.kind != "lp") {
    out.minimize(quadratic(DataMatrix::from(Matrix::Identity(work.n, work.n)), to_array(c)));
  } else {
    out.minimize(linear(to_array(c)));
  }
  return out;
}

Settings tight() {
  Settings out;
  out.tol_feas = out.tol_gap = 1e-8;
  if (const char* threads = std::getenv("PLIANT_BENCH_THREADS")) out.threads = std::atoi(threads);
  return out;
}

std::vector<double> doubles_at(const void* from, Index count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  expect(bench_copy(out.data(), from, count * static_cast<Index>(sizeof(double))));
  return out;
}

BatchPtr curved_rows_here(const Work& work, const bench_instance& instance) {
  std::vector<double> G = doubles_at(instance.G, work.m * work.terms() * work.n), h = doubles_at(instance.h, work.m);
  std::vector<double> beside = doubles_at(instance.beside, work.m * (work.quadratic_rows() ? work.n : work.terms()));
  if (work.quadratic_rows()) {
    for (double& side : h) side = -side;
    return quadratic_lowrank_le(Tensor({work.m, work.terms(), work.n}, std::move(G)),
                                Tensor({work.m, work.n}, std::move(beside)), Doubles(std::move(h)));
  }
  for (std::size_t k = 0; k < beside.size(); ++k) beside[k] -= h[k / static_cast<std::size_t>(work.terms())];
  return log_sum_exp_le(Tensor({work.m, work.terms(), work.n}, std::move(G)),
                        Tensor({work.m, work.terms()}, std::move(beside)));
}

DeviceBatchPtr adopt(const Work& work, const bench_instance& instance) {
  const DeviceMatrix numbers{instance.G, work.m, work.n, work.number_bytes == 4, 0};
  if (work.points()) return rank_one_lifted_le_on_device(numbers, instance.h);
  if (work.quadratic_rows()) {
    return quadratic_lowrank_le_on_device(numbers, work.terms(), instance.beside, DeviceVector{instance.h});
  }
  if (work.exponentials()) {
    return log_sum_exp_le_on_device(numbers, work.terms(), static_cast<const double*>(instance.beside),
                                    DeviceVector{instance.h});
  }
  return linear_le_on_device(numbers, instance.h);
}

DeviceResult solve_there(const Work& work, const Problem& problem, const DeviceBatchPtr& rows) {
  if (work.soft()) return solve(problem, SoftOnDevice(rows, SoftLoss::quantile, kTau), tight());
  return solve(problem, {rows}, tight());
}

// Of soft rows, how far the objective is from a plain sum.
double plain_violation(const Work& work, const bench_instance& instance, const Result& found) {
  double out = 0.0;
  const Vector& x = found.x;
  if (work.soft()) {
    const bench_shape shape = work.shape();
    expect(bench_quantile_loss(&instance, &shape, kTau, x.data(), &out));
    out = std::abs(out - found.certificate.objective);
  } else if (work.points()) {
    const Matrix X = smat(x);
    expect(bench_form_violation(&instance, work.m, work.n, work.number_bytes, X.data(), &out));
  } else if (work.curved()) {
    const bench_shape shape = work.shape();
    expect(bench_curved_violation(&instance, &shape, x.data(), &out));
  } else {
    expect(bench_violation(&instance, work.m, work.n, work.number_bytes, x.data(), &out));
  }
  return out;
}

BatchPtr rows_here(const Work& work, const bench_instance& instance) {
  if (work.curved()) return curved_rows_here(work, instance);
  std::vector<double> G(static_cast<std::size_t>(work.m * work.n)), h(static_cast<std::size_t>(work.m));
  expect(bench_rows(&instance, 0, work.m, work.n, work.number_bytes, G.data(), h.data()));
  if (work.points()) return rank_one_lifted_le(Tensor({work.m, work.n}, std::move(G)), Doubles(std::move(h)));
  return linear_le(DataMatrix::dense(work.m, work.n, std::move(G)), Doubles(std::move(h)));
}

void compare_here(const Problem& here, const DeviceResult& found) {
  Result solved;
  const double seconds = seconds_of([&] { solved = solve(here, tight()); });
  fmt::print("  CPU: {} in {:.3f} s, {:.2f} passes, objective differs by {:.1e}, x by {:.1e}\n",
             to_string(solved.status), seconds, solved.passes,
             std::abs(solved.certificate.objective - found.result.certificate.objective),
             (solved.x - found.result.x).lpNorm<Eigen::Infinity>());
}

// The CPU's word on the same rows.
void check_here(const Work& work, const bench_instance& instance, const DeviceResult& found) {
  Problem here = objective(work);
  if (work.soft()) {
    std::vector<double> G(static_cast<std::size_t>(work.m * work.n)), h(static_cast<std::size_t>(work.m));
    expect(bench_rows(&instance, 0, work.m, work.n, work.number_bytes, G.data(), h.data()));
    here.minimize(quantile(DataMatrix::dense(work.m, work.n, std::move(G)), Doubles(std::move(h)), kTau));
    return compare_here(here, found);
  }
  here.subject_to(rows_here(work, instance));
  Multipliers multipliers = zero_multipliers(here);
  const Vector& lambda = found.result.multipliers.lambda.front();
  for (std::size_t k = 0; k < found.rows.size(); ++k)
    multipliers.lambda[0][found.rows[k]] = lambda[static_cast<Index>(k)];
  const Certificate certificate = certify(here, found.result.x, multipliers);
  fmt::print("  CPU: certificate violation {:.1e} gap {:.1e} ({})\n", certificate.violation_linf, certificate.gap_rel(),
             to_string(certificate.lower_bound_kind));
  compare_here(here, found);
}

void run(const Work& work) {
  bench_instance instance{};
  const bench_shape shape = work.shape();
  expect(bench_make(&shape, 0, &instance));
  double before = 0.0, after = 0.0;
  expect(bench_used_bytes(&before));
  const Problem problem = objective(work);
  DeviceBatchPtr rows;
  const double adopting = seconds_of([&] { rows = adopt(work, instance); });
  DeviceResult found;
  double best = kInfinity;
  constexpr int kRepeats = 3;
  for (int k = 0; k < kRepeats; ++k) {
    best = std::min(best, seconds_of([&] { found = solve_there(work, problem, rows); }));
  }
  expect(bench_used_bytes(&after));
  const Result& r = found.result;
  const double violation = plain_violation(work, instance, r);
  if (work.bytes) {
    for (const double x : r.x) fmt::print("{:a}\n", x);
    return;
  }
  const auto data = static_cast<double>(work.m * work.row_bytes());
  fmt::print(
      "{} n={} m={:.0e} fp{}: {} in {:.4f} s, passes {:.2f}, iterations {}, full reads {} of {:.2f} ms ({:.0f} GB/s); "
      "violation {:.1e} (plain product {:.1e}) gap {:.1e} objective {:.10g}; memory beside the data {:.3f}; set up "
      "{:.3f} s\n",
      work.kind, work.n, static_cast<double>(work.m), 8 * work.number_bytes, to_string(r.status), best, r.passes,
      r.iterations, found.reads, 1e3 * found.read_seconds / static_cast<double>(found.reads),
      1e-9 * data * static_cast<double>(found.reads) / found.read_seconds, r.certificate.violation_linf, violation,
      r.certificate.gap_rel(), r.certificate.objective, (after - before) / data, adopting);
  for (const auto& [name, seconds] : r.time.phases) fmt::print("  {:14s} {:.4f} s\n", name, seconds);
  if (work.check) check_here(work, instance, found);
  rows.reset();
  bench_free(&instance);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: bench_gpu qp|lp|ellipsoid|qcqp|lse|quantile N M 64|32 [check|bytes]\n");
    return 1;
  }
  try {
    if (std::getenv("PLIANT_BENCH_COPY") != nullptr) {
      double bandwidth = 0.0;
      expect(bench_copy_bandwidth(&bandwidth));
      fmt::print("copy bandwidth {:.0f} GB/s\n", 1e-9 * bandwidth);
    }
    run({argv[1], std::atoll(argv[2]), static_cast<Index>(std::atof(argv[3])), std::atoi(argv[4]) / 8,
         argc > 5 && std::string(argv[5]) == "check", argc > 5 && std::string(argv[5]) == "bytes"});
  } catch (const InputError& error) {
    fmt::print(stderr, "bench_gpu: {}\n", error.what());
    return 1;
  }
  return 0;
}
