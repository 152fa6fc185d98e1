// Kernels against the machine: bytes per second of a sweep beside a plain read, cost of the penalty per number.
#include "penalty/penalized_function.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"
#include "rows/constraint_system.hpp"
#include "softplus/softplus.hpp"

#include <benchmark/benchmark.h>

namespace pliant {
namespace {

void SoftplusSigmoid(benchmark::State& state) {
  const Index n = state.range(0);
  Vector t = Vector::LinSpaced(n, -30.0, 30.0), p(n), s(n);
  for (auto _ : state) {
    penalty::softplus_sigmoid(n, t.data(), nullptr, 0.7, p.data(), s.data());
    benchmark::DoNotOptimize(p.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(SoftplusSigmoid)->Arg(4096);

/// One evaluation of the penalised function; the counter is its time over that of a plain read.
void Sweep(benchmark::State& state, const char* family, double n, double m) {
  const Problem problem = generate(family, {{"n", n}, {"m", m}, {"seed", 1}});
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  LagrangianEvaluation at;
  const Vector x = Vector::Zero(problem.dimension());
  for (auto _ : state) benchmark::DoNotOptimize(phi.evaluate(x, at));
  state.SetBytesProcessed(state.iterations() * problem.data_bytes());
  state.counters["stream_s"] = measure_stream(problem);
}
BENCHMARK_CAPTURE(Sweep, dense_qp, "dense_qp", 50, 400000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Sweep, qcqp, "qcqp", 50, 10000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Sweep, qcqp_lowrank, "qcqp_lowrank", 100, 50000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Sweep, log_sum_exp, "log_sum_exp", 50, 50000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant
