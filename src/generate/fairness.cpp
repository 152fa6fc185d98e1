// Classification whose mean scores may differ by little between groups of samples.
#include "generate/data.hpp"
#include "generate/family.hpp"
#include "io/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

/// The samples, and row i of them added to a dense vector with a weight.
struct Design {
  Index samples, features;
  DataMatrix matrix;
  Doubles labels;
  std::function<void(Index i, double weight, double* out)> add;
};

// Categorical data coded by 0 and 1: the features are cut into attributes, each sample has one feature of each, the
// first ones of an attribute more often than the last (k = floor(U^2 size)). Labels are +1 with probability
// sigma(w0'a), w0 ~ N(0, I), as it were; the mean of w0'a is taken away.
Design categorical(const Parameters& p) {
  constexpr Index kAttributes = 14;
  const Index n = p.n(), l = p.count("l") > 0 ? p.count("l") : std::max<Index>(1, p.m());
  const Index attributes = std::min(kAttributes, n);
  const auto first = [=](Index k) { return k * n / attributes; };
  const auto pick = [=, stream = p.stream(Label::objective_columns)](Index i, Index k) {
    const double u = stream.row(i).uniform(k);
    const Index size = first(k + 1) - first(k);
    return first(k) + std::min(size - 1, static_cast<Index>(u * u * static_cast<double>(size)));
  };
  std::vector<Index> starts(static_cast<std::size_t>(checked_size({l + 1, 1})));  // terms read them when they are made
  for (Index i = 0; i <= l; ++i) starts[static_cast<std::size_t>(i)] = i * attributes;
  const IndexRows columns(p, l, attributes, [=](Index i, Index* row) {
    for (Index k = 0; k < attributes; ++k) row[k] = pick(i, k);
  });
  const NumberRows ones(p, l, attributes, [=](Index, double* row) { std::fill_n(row, attributes, 1.0); });
  const Vector w0 = normal_vector(p.stream(Label::planted_point), n);
  const auto score = [=](Index i) {
    double sum = 0.0;
    for (Index k = 0; k < attributes; ++k) sum += w0[pick(i, k)];
    return sum;
  };
  constexpr Index kSample = 1000;
  double mean = 0.0;
  for (Index i = 0; i < std::min(l, kSample); ++i) mean += score(i) / static_cast<double>(std::min(l, kSample));
  const NumberRows labels = column(p, l, [=, coin = p.stream(Label::targets)](Index i) {
    return coin.uniform(i) * (1.0 + std::exp(mean - score(i))) < 1.0 ? 1.0 : -1.0;
  });
  const auto add = [=](Index i, double weight, double* out) {
    for (Index k = 0; k < attributes; ++k) out[pick(i, k)] += weight;
  };
  return {l, n, DataMatrix::csr(l, n, Indices(std::move(starts)), columns.share(), ones.share()), labels.share(), add};
}

// n: at least the largest index of the file; l: the first so many samples.
Design from_file(const Parameters& p, const std::string& file) {
  io::LabelledRows data = io::read_libsvm(file);
  const Index l = p.count("l") > 0 ? p.count("l") : data.labels.size();
  const Index n = p.given("n") ? p.n() : data.rows.cols();
  if (n < data.rows.cols()) {
    throw InputError(fmt::format("n: expected at least the {} features of {}, got {}", data.rows.cols(), file, n));
  }
  if (l > data.labels.size()) {
    throw InputError(fmt::format("l: expected at most the {} samples of {}, got {}", data.labels.size(), file, l));
  }
  const DataMatrix& all = data.rows;
  const Index nonzeros = all.starts()[l];
  const auto head = [](const auto& array, Index size) {
    using T = std::remove_cvref_t<decltype(array[0])>;
    return SharedArray<T>(std::vector<T>(array.begin(), array.begin() + size));
  };
  DataMatrix matrix =
      DataMatrix::csr(l, n, head(all.starts(), l + 1), head(all.columns(), nonzeros), head(all.values(), nonzeros));
  const auto add = [matrix](Index i, double weight, double* out) { matrix.axpy(i, weight, out); };
  return {l, n, matrix, head(data.labels, l), add};
}

// min (1/l) sum ln(1 + exp(-y_i a_i'x)) + l1 |x|_1 + mu/2 |x|^2  s.t.  (d_j'x)^2 <= eps^2, d_j the difference of the
// means of two random groups of samples. Stored as 1/2 |B_j x|^2 <= 1/2 with B_j = d_j / eps (1 x n).
Problem fairness(const Parameters& p) {
  const std::string file = p.file("data");
  const Design design = file.empty() ? categorical(p) : from_file(p, file);
  const Index n = design.features, m = p.m(), group = p.count("group");
  Problem problem(n);
  problem.minimize(logistic(design.matrix, design.labels));
  problem.regularize(elastic_net(n, p.real("l1"), p.real("mu")));
  problem.slater_point = Vector::Zero(n);
  if (m == 0) return problem;
  const double weight = 1.0 / (static_cast<double>(group) * p.real("eps"));
  const auto difference = [=, groups = p.stream(Label::factors), add = design.add, samples = design.samples](
                              Index j, double* row) {
    std::fill_n(row, n, 0.0);
    const random::Stream picks = groups.row(j);
    for (Index k = 0; k < 2 * group; ++k) add(picks.below(k, samples), k < group ? weight : -weight, row);
  };
  const NumberRows factors(p, m, n, difference);
  const NumberRows q(p, m, n, [n](Index, double* row) { std::fill_n(row, n, 0.0); });
  const NumberRows r = column(p, m, [](Index) { return -0.5; });
  problem.subject_to(quadratic_lowrank_le(Tensor({m, 1, n}, factors.share()), Tensor({m, n}, q.share()), r.share()));
  return problem;
}

}  // namespace

std::vector<Family> fairness_families() {
  return {{"fairness",
           "min (1/l) sum ln(1 + exp(-y_i a_i'x)) + l1 |x|_1 + mu/2 |x|^2 s.t. (d_j'x)^2 <= eps^2: mean scores of "
           "random groups differ by eps at most; data= reads LIBSVM text",
           sizes_and(123, 1000,
                     {count("l", 0, 0), real("l1", 1e-3, 0.0), positive("mu", 1e-3), positive("eps", 0.1),
                      count("group", 200, 1)}),
           fairness,
           {"data"}}};
}

}  // namespace pliant::generation
