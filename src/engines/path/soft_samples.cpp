#include "engines/path/soft_samples.hpp"

#include "random/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

SoftLevel sample_of(const SoftTable& table, Index count, Index seed, std::uint64_t label) {
  const random::Stream stream(static_cast<std::uint64_t>(seed), label);
  SoftLevel level;
  level.count = count;
  level.scale = static_cast<double>(table.size()) / static_cast<double>(count);
  for (Index k = 0; k < count; ++k) {
    const double place = (static_cast<double>(k) + stream.uniform(k)) * level.scale;
    level.sample.push_back(std::min(table.size() - 1, static_cast<Index>(place)));
  }
  return level;
}

}  // namespace

std::vector<SoftLevel> draw_samples(const SoftTable& table, Index n, Index seed, const BandParameters& parameters) {
  const auto variables = static_cast<double>(n);
  const double least = static_cast<double>(parameters.first_sample) * variables;
  const double share = parameters.widest / parameters.width;
  std::vector<double> sizes;
  for (auto size = static_cast<double>(table.size());;) {
    size /= std::clamp(share * share * size / variables, parameters.least_growth, parameters.most_growth);
    if (size < least) break;
    sizes.push_back(size);
  }
  std::vector<SoftLevel> out;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    out.push_back(sample_of(table, static_cast<Index>(*size), seed, out.size()));
  }
  return out;
}

Vector tied_linear_part(const SoftLevel& level, const SoftTable& table, const Vector& q,
                        const BandParameters& parameters) {
  if (q.isZero(0.0)) return {};
  const auto [sum, squares] = table.weighted_sums(level.sample, level.scale);
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
