#include "engines/path/soft_samples.hpp"

#include "random/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

std::vector<std::vector<Index>> draw_samples(Index rows, Index n, Index seed, Index most,
                                             const BandParameters& parameters) {
  const auto variables = static_cast<double>(n);
  const double least = static_cast<double>(parameters.first_sample) * variables;
  const double share = parameters.widest / parameters.width;
  std::vector<double> sizes;
  for (auto size = static_cast<double>(rows);;) {
    size /= std::clamp(share * share * size / variables, parameters.least_growth, parameters.most_growth);
    size = std::min(size, static_cast<double>(most));
    if (size < least) break;
    sizes.push_back(size);
  }
  std::vector<std::vector<Index>> out;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    out.push_back(one_of_each_stratum(rows, static_cast<Index>(*size), seed, out.size()));
  }
  return out;
}

SoftLevel sample_level(SoftMass& mass, const std::vector<Index>& sample) {
  SoftLevel level;
  level.copies = mass.copy(sample);
  level.table = level.copies.get();
  level.stands_for = level.count();
  level.scale = static_cast<double>(mass.size()) / static_cast<double>(sample.size());
  return level;
}

// A sample of N of all m rows is off by what m rows sum up to, times the root of 1/N - 1/m. Here only rows that change sides count,
// a quarter of those near a kink, about: `scale` times as many fewer of them.
SoftLevel near_level(NearSample near, Index rows, FrozenSum& rest) {
  SoftLevel level;
  level.copies = std::move(near.copies);
  level.table = level.copies.get();
  level.scale = near.scale;
  level.part = true;
  rest = std::move(near.rest);
  const auto m = static_cast<double>(rows), close = near.scale * static_cast<double>(level.count());
  level.stands_for = static_cast<Index>(1.0 / (1.0 / m + (near.scale - 1.0) * close / (m * m)));
  return level;
}

SoftLevel whole_level(RowsHere rows, Index stands_for) {
  SoftLevel level;
  level.copies = std::move(rows.copies);
  level.table = rows.in_place != nullptr ? rows.in_place : level.copies.get();
  level.whole = true;
  level.stands_for = stands_for;
  return level;
}

NearWish BandWidth::wish(Index rows) const {
  if (!started()) return {rows, -1.0};
  const Index least = parameters_.least_band * n_;
  const auto count = static_cast<double>(rows), solved = static_cast<double>(solved_);
  if (spread_ == 0.0) {
    const double wanted = parameters_.width * std::sqrt(count / solved * static_cast<double>(n_) * count);
    return {std::max(static_cast<Index>(wanted), least), -1.0};
  }
  return {least, parameters_.spread * spread_ * std::sqrt(std::max(0.0, 1.0 / solved - 1.0 / count))};
}

void BandWidth::remember(Index rows) {
  if (solved_ != rows) previous_ = solved_;
  solved_ = rows;
}

void BandWidth::learn(Index rarest, FunctionRef<double()> change) {
  const bool tells = std::exchange(tells_, rarest >= parameters_.least_side * n_);
  if (previous_ == 0) return;
  spread_ = 0.0;
  if (!tells) return;
  const double samples = 1.0 / static_cast<double>(previous_) - 1.0 / static_cast<double>(solved_);
  if (samples > 0.0) spread_ = change() / std::sqrt(samples);
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
