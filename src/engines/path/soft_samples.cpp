#include "engines/path/soft_samples.hpp"

#include "random/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

std::vector<Index> one_of_each_stratum(Index rows, Index count, Index seed, std::uint64_t label) {
  const random::Stream stream(static_cast<std::uint64_t>(seed), label);
  const double stratum = static_cast<double>(rows) / static_cast<double>(count);
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) {
    const double place = (static_cast<double>(k) + stream.uniform(k)) * stratum;
    out.push_back(std::min(rows - 1, static_cast<Index>(place)));
  }
  return out;
}

}  // namespace

std::vector<std::vector<Index>> draw_samples(Index rows, Index n, Index seed, const BandParameters& parameters) {
  const auto variables = static_cast<double>(n);
  const double least = static_cast<double>(parameters.first_sample) * variables;
  const double share = parameters.widest / parameters.width;
  std::vector<double> sizes;
  for (auto size = static_cast<double>(rows);;) {
    size /= std::clamp(share * share * size / variables, parameters.least_growth, parameters.most_growth);
    if (size < least) break;
    sizes.push_back(size);
  }
  std::vector<std::vector<Index>> out;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    out.push_back(one_of_each_stratum(rows, static_cast<Index>(*size), seed, out.size()));
  }
  return out;
}

SoftLevel sample_level(const SoftTable& table, const std::vector<Index>& sample) {
  SoftLevel level;
  level.sample = table.copy(sample);
  level.table = level.sample.get();
  level.scale = static_cast<double>(table.size()) / static_cast<double>(sample.size());
  return level;
}

SoftLevel whole_level(const SoftTable& table) {
  SoftLevel level;
  level.table = &table;
  return level;
}

Vector tied_linear_part(const SoftLevel& level, const Vector& q, const BandParameters& parameters) {
  if (q.isZero(0.0)) return {};
  const auto [sum, squares] = level.table->weighted_sums(level.scale);
  const double share = sum.isZero(0.0) ? 0.0 : -q.dot(sum) / sum.squaredNorm();
  if (!(share > 0.0 && share < 1.0)) return {};
  double deviations = 0.0;
  for (Index j = 0; j < q.size(); ++j) {
    const double off = q[j] + share * sum[j];
    const double explained = std::max(share * share * squares[j], std::numeric_limits<double>::min());
    if (off != 0.0) deviations += off * off / explained;
  }
  const bool tied = deviations <= parameters.sampling_error * static_cast<double>(q.size());
  return tied ? Vector(-share * sum) : Vector();
}

}  // namespace pliant
