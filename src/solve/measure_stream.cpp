#include "parallel/parallel.hpp"
#include "pliant/solve.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace pliant {
namespace {

// Keeps the compiler from dropping reads whose sum nobody needs.
std::atomic<double> stream_checksum{0.0};

// Sum of all numbers, as fast as memory delivers them.
double read_all(const Doubles& array) {
  double sum = 0.0;
  parallel::reduce_chunks(
      parallel::make_chunks(array.size(), array.size() * static_cast<Index>(sizeof(double)), 64), 1,
      [&](Index, Index begin, Index end, double* partial) {
        *partial += Eigen::Map<const Vector>(array.data() + begin, end - begin).sum();
      },
      &sum);
  return sum;
}

}  // namespace

double measure_stream(const Problem& problem, int threads) {
  const parallel::ThreadScope scope(threads);
  std::vector<Doubles> arrays;
  for (const BatchPtr& batch : problem.batches()) {
    for (Doubles& array : batch->arrays()) arrays.push_back(std::move(array));
  }
  for (const ConicConstraint& conic : problem.conic()) arrays.push_back(conic.G.values());
  double best = kInfinity;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (const Doubles& array : arrays) stream_checksum += read_all(array);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace pliant
