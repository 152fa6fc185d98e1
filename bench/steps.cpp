// Steps per second of SVRG and Katyusha beside plain loops with the same arithmetic, written by hand on raw arrays.
//
//   bench_steps [LIBSVM-FILE]     (text or gz, e.g. a9a)
//
// Logistic regression with an l2 term: dense rows of 100 numbers, sparse rows like those of a9a, wide ones (40 of
// 5000), and the given file. Both sides do the same epochs, the full gradients included, on one thread. The ratio is
// that of the median times.
#include "engines/stochastic/alias_table.hpp"
#include "engines/stochastic/katyusha.hpp"
#include "engines/stochastic/svrg.hpp"
#include "parallel/parallel.hpp"
#include "random/random.hpp"
#include "steps_plain.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>

namespace pliant {
namespace {

using bench::Data;

Data dense_data(Index rows, Index cols) {
  Data d;
  d.n = cols;
  d.values.resize(static_cast<std::size_t>(rows * cols));
  random::Stream(1, 1).normals(d.values.data(), rows * cols);
  for (Index i = 0; i < rows; ++i) d.labels.push_back(random::Stream(1, 2).uniform(i) < 0.5 ? -1.0 : 1.0);
  return d;
}

// `nonzeros` ones per row, one in each of as many ranges of columns.
Data binary_data(Index rows, Index cols, Index nonzeros) {
  Data d;
  d.n = cols;
  d.starts.push_back(0);
  const random::Stream stream(2, 1);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < nonzeros; ++k) {
      const Index first = k * cols / nonzeros, last = (k + 1) * cols / nonzeros;
      d.columns.push_back(first + stream.below(i * nonzeros + k, last - first));
      d.values.push_back(1.0);
    }
    d.starts.push_back(static_cast<Index>(d.columns.size()));
    d.labels.push_back(random::Stream(2, 2).uniform(i) < 0.5 ? -1.0 : 1.0);
  }
  return d;
}

Data libsvm_data(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw InputError(fmt::format("{}: cannot be opened", path));
  Data d;
  d.starts.push_back(0);
  std::string line(1 << 20, '\0');
  while (gzgets(file, line.data(), static_cast<int>(line.size())) != nullptr) {
    char* at = line.data();
    d.labels.push_back(std::strtod(at, &at) > 0.0 ? 1.0 : -1.0);
    for (char* next = at;; at = next) {
      const long column = std::strtol(at, &next, 10);
      if (next == at || *next != ':') break;
      d.columns.push_back(column - 1);
      d.values.push_back(std::strtod(next + 1, &next));
      d.n = std::max<Index>(d.n, column);
    }
    d.starts.push_back(static_cast<Index>(d.columns.size()));
  }
  gzclose(file);
  return d;
}

template <class Method, class Parameters>
Vector run_library(const Problem& problem, Index epochs) {
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  Parameters parameters;
  parameters.ball = 0.0;  // one set of constants, as in the plain loop
  Method method(7, parameters);
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  method.advance(
      phi, point, [](const InnerPoint&) { return false; }, epochs);
  return point.x;
}

double seconds(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

bool compare(const char* data_name, const char* method, const Data& data, Index epochs,
             const std::function<Vector(Index)>& library, const std::function<Vector(Index)>& plain) {
  constexpr int kRepeats = 7;
  std::vector<double> ours, theirs;
  Vector x, y;
  for (int r = 0; r < kRepeats; ++r) {
    ours.push_back(seconds([&] { x = library(epochs); }));
    theirs.push_back(seconds([&] { y = plain(epochs); }));
  }
  const double steps = 2.0 * static_cast<double>(data.labels.size()) * static_cast<double>(epochs);
  const double ratio = median(ours) / median(theirs);
  fmt::print("{:<12} {:<9} {:>12.3e} {:>12.3e} {:>7.2f}  {:.1e}\n", data_name, method, steps / median(ours),
             steps / median(theirs), ratio, (x - y).norm() / (1.0 + y.norm()));
  return ratio <= 2.0;
}

bool measure(const char* name, const Data& data, double mu, Index epochs) {
  const Index rows = static_cast<Index>(data.labels.size());
  Problem problem(data.n);
  const DataMatrix A = data.starts.empty() ? DataMatrix::dense(rows, data.n, Doubles(data.values))
                                           : DataMatrix::csr(rows, data.n, Indices(data.starts), Indices(data.columns),
                                                             Doubles(data.values));
  problem.minimize(logistic(A, Doubles(data.labels)));
  problem.regularize(l2_squared(data.n, mu));
  problem.validate();
  const bench::PlainSum plain(data, mu);
  const bool svrg = compare(
      name, "svrg", data, epochs, [&](Index e) { return run_library<Svrg, SvrgParameters>(problem, e); },
      [&](Index e) { return bench::plain_svrg(plain, e); });
  const bool katyusha = compare(
      name, "katyusha", data, epochs, [&](Index e) { return run_library<Katyusha, KatyushaParameters>(problem, e); },
      [&](Index e) { return bench::plain_katyusha(plain, e); });
  return svrg && katyusha;
}

}  // namespace
}  // namespace pliant

int main(int argc, char** argv) {
  using namespace pliant;
  try {
    const parallel::ThreadScope one_thread(1);
    fmt::print("{:<12} {:<9} {:>12} {:>12} {:>7}  {}\n", "data", "method", "pliant 1/s", "plain 1/s", "ratio",
               "distance");
    bool good = measure("dense n=100", dense_data(5000, 100), 1e-3, 5);
    good = measure("like a9a", binary_data(32561, 123, 14), 1e-4, 3) && good;
    good = measure("wide sparse", binary_data(20000, 5000, 40), 1e-4, 3) && good;
    if (argc > 1) good = measure("file", libsvm_data(argv[1]), 1e-4, 3) && good;
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_steps: {}\n", error.what());
    return 1;
  }
}
