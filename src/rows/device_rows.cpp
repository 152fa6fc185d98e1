#include "rows/device_rows.hpp"

#include "constraints/rank_one.hpp"
#include "rows/row_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

std::vector<DeviceBatchPtr> copies_on_card(const Problem& problem, int card) {
  std::vector<DeviceBatchPtr> out;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    if (const std::string why = DeviceBatch::obstacle(batch); !why.empty()) {
      throw InputError(fmt::format("--device cuda: {}; constraint batch {} ({}) has others", why, b, batch.family()));
    }
    out.push_back(DeviceBatch::copy_of(batch, card));
  }
  return out;
}

RowLayout layout_of(const std::vector<DeviceBatchPtr>& batches) {
  std::vector<Index> sizes;
  for (const DeviceBatchPtr& batch : batches) sizes.push_back(batch->size());
  return RowLayout(sizes);
}

/// Those of `rows` from `begin` on that belong to a batch of this size, by their numbers there.
std::vector<Index> part_of(const std::vector<Index>& rows, Index begin, Index size) {
  const auto first = std::lower_bound(rows.begin(), rows.end(), begin);
  const auto last = std::lower_bound(first, rows.end(), begin + size);
  std::vector<Index> out(first, last);
  for (Index& i : out) i -= begin;
  return out;
}

/// The same without a copy where their numbers there are the same.
std::span<const Index> view_of(const std::vector<Index>& rows, Index begin, Index size, std::vector<Index>& copy) {
  if (begin > 0) {
    copy = part_of(rows, begin, size);
    return copy;
  }
  return {rows.begin(), std::lower_bound(rows.begin(), rows.end(), size)};
}

// Outer products of so many numbers in all are worth the way to the device and back.
constexpr double kWorthTheWay = 2e7;

/// Outer products of the rows of a block. Batches know the rows that were named last: another block may have come since.
class DeviceGrams final : public RowGrams {
 public:
  void add(DeviceBatchPtr batch, std::vector<Index> list) { parts_.push_back({std::move(batch), std::move(list)}); }
  void begin(Index segment, std::span<const Index> rows, ConstVectorRef weights) override {
    Part& part = parts_[static_cast<std::size_t>(segment)];
    if (part.named != part.batch->latest_gram() || part.named == 0) part.named = part.batch->name_gram_rows(part.list);
    part.batch->begin_gram(rows, weights);
  }
  void end(Index segment, MatrixRef H) override { parts_[static_cast<std::size_t>(segment)].batch->end_gram(H); }

 private:
  struct Part {
    DeviceBatchPtr batch;
    std::vector<Index> list;  // constraints, by their numbers in the batch
    Index named = 0;          // 0: not yet
  };
  std::vector<Part> parts_;  // as the segments of the block
};

RowSums to_sums(const pliant_cuda_sums& s) {
  return {s.largest, s.l1, s.scale, s.squares, s.rows, s.active, s.bounded, s.finite != 0};
}

}  // namespace

DeviceRows::DeviceRows(const Problem& problem, ConstraintSystem& account, int card, double slack)
    : DeviceRows(copies_on_card(problem, card), account, slack) {}

DeviceRows::DeviceRows(std::vector<DeviceBatchPtr> batches, ConstraintSystem& account, double slack)
    : StepwiseRows(account, slack),
      batches_(std::move(batches)),
      layout_(layout_of(batches_)),
      doubtful_(batches_.size(), 0) {
  // What an earlier solve left there counts points of its own.
  for (const DeviceBatchPtr& batch : batches_) {
    batch->call([](const auto& api, auto* rows) { return api.forget(rows); });
    batch->set_coordinates(Matrix());
  }
}

void DeviceRows::set_coordinates(const Matrix& R) {
  if (R.rows() == coordinates().rows() && R == coordinates()) return;
  for (const DeviceBatchPtr& batch : batches_) batch->set_coordinates(R);
  keep_coordinates(R);
  points_.clear();
}

std::vector<BatchPtr> DeviceRows::fetch(const std::vector<Index>& rows) {
  std::vector<BatchPtr> out;
  for_each([&](DeviceBatch& batch, Index begin) {
    const std::vector<Index> list = part_of(rows, begin, batch.size());
    if (!list.empty()) out.push_back(batch.fetch(list));
  });
  return out;
}

std::unique_ptr<RowBlock> DeviceRows::gather(std::vector<Index> rows) {
  auto grams = std::make_shared<DeviceGrams>();
  double work = 0.0;
  for_each([&](DeviceBatch& batch, Index begin) {
    std::vector<Index> list = part_of(rows, begin, batch.size());
    if (list.empty()) return;
    const auto n = static_cast<double>(batch.dimension());
    work += static_cast<double>(list.size()) * n * n;
    grams->add(batch.shared_from_this(), std::move(list));
  });
  std::unique_ptr<RowBlock> block = RowHolder::gather(std::move(rows));
  if (work >= kWorthTheWay && linear()) block->selection().set_grams(std::move(grams));
  return block;
}

void DeviceRows::measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
                         Vector& smoothness) {
  Index next = 0;
  for_each([&](DeviceBatch& batch, Index begin) {
    std::vector<Index> copy;
    const std::span<const Index> list = view_of(rows, begin, batch.size(), copy);
    const auto count = static_cast<Index>(list.size());
    batch.call([&](const auto& api, auto* object) {
      return api.measure(object, batch.argument(x), list.data(), count, values.data() + next, norms.data() + next,
                         smoothness.data() + next);
    });
    account().charge_components(count, batch.bytes(count));
    next += count;
  });
}

bool DeviceRows::linear() const {
  return std::all_of(batches_.begin(), batches_.end(), [](const DeviceBatchPtr& batch) { return batch->straight(); });
}

Vector DeviceRows::reach(const Vector& x, double radius) const {
  Vector out = distances_from(points_, x);
  out.array() += radius;
  return out;
}

Index DeviceRows::doubtful(const Vector& x) {
  x_ = x;
  const Vector distances = reach(x);
  Index count = 0;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    doubtful_[b] = batches_[b]->size();
    if (points() > 0) {
      batches_[b]->call([&](const auto& api, auto* object) {
        return api.doubtful(object, distances.data(), points(), slack(), &doubtful_[b]);
      });
    }
    count += doubtful_[b];
  }
  return count;
}

RowExtremes DeviceRows::read(bool everything) {
  const bool all = everything || points() == 0;
  if (all) points_.clear();
  points_.push_back(x_);
  RowExtremes out;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    DeviceBatch& batch = *batches_[b];
    if (!all && doubtful_[b] == 0) continue;
    pliant_cuda_extremes found{};
    batch.call([&](const auto& api, auto* object) {
      return all ? api.read_all(object, batch.argument(x_), &found)
                 : api.read_doubtful(object, batch.argument(x_), points() - 1, &found);
    });
    if (found.invalid >= 0) {
      throw InputError(
          fmt::format("rows on a device: row {} of batch {} contains NaN or infinite numbers", found.invalid, b));
    }
    account().charge_components(all ? batch.size() : doubtful_[b],
                                all ? static_cast<double>(batch.bytes()) : batch.bytes(doubtful_[b]));
    out.worst = std::max(out.worst, found.worst);
    out.farthest = std::max(out.farthest, found.farthest);
  }
  return out;
}

void DeviceRows::take(DeviceBatch& batch, Index begin, Index count, NearRows& out) {
  const std::size_t before = out.rows.size(), after = before + static_cast<std::size_t>(count);
  out.rows.resize(after);
  out.values.resize(after);
  out.distances.resize(after);
  batch.call([&](const auto& api, auto* object) {
    return api.take(object, out.rows.data() + before, out.values.data() + before, out.distances.data() + before);
  });
  for (std::size_t k = before; k < after; ++k) out.rows[k] += begin;
}

NearRows DeviceRows::nearest(double threshold) {
  NearRows out;
  for_each([&](DeviceBatch& batch, Index begin) {
    Index count = 0;
    batch.call([&](const auto& api, auto* object) { return api.find_near(object, points() - 1, threshold, &count); });
    take(batch, begin, count, out);
  });
  return out;
}

NearRows DeviceRows::above(const Vector& x, double threshold) {
  const Vector distances = reach(x);
  NearRows out;
  for_each([&](DeviceBatch& batch, Index begin) {
    Index count = 0;
    batch.call([&](const auto& api, auto* object) {
      return api.find_above(object, distances.data(), points(), threshold, &count);
    });
    take(batch, begin, count, out);
  });
  return out;
}

std::vector<RowSums> DeviceRows::chunk_sums(const Vector& x, double active_threshold, const RowValues& known) {
  const Vector distances = reach(x);
  std::vector<RowSums> out(static_cast<std::size_t>((rows() + kSumChunk - 1) / kSumChunk));
  std::vector<pliant_cuda_sums> chunks;
  Index next = 0;  // of the rows known better
  for_each([&](DeviceBatch& batch, Index begin) {
    const std::vector<Index> list = part_of(known.rows, begin, batch.size());
    const Index first = begin / kSumChunk, last = (begin + batch.size() + kSumChunk - 1) / kSumChunk;
    chunks.resize(static_cast<std::size_t>(last - first));
    batch.call([&](const auto& api, auto* object) {
      return api.sums(object, distances.data(), points(), begin, active_threshold, list.data(),
                      known.values.data() + next, static_cast<Index>(list.size()), chunks.data());
    });
    next += static_cast<Index>(list.size());
    // The first chunk may hold rows of the batch before.
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      RowSums& sum = out[static_cast<std::size_t>(first) + c];
      const RowSums both[] = {sum, to_sums(chunks[c])};
      sum = sum.rows > 0 ? add_chunks(both) : both[1];
    }
  });
  return out;
}

Index DeviceRows::inactive_within(const Vector& x, double radius) {
  const Vector distances = reach(x, radius);
  Index total = 0;
  for_each([&](DeviceBatch& batch, Index) {
    Index count = 0;
    batch.call(
        [&](const auto& api, auto* object) { return api.count_negative(object, distances.data(), points(), &count); });
    total += count;
  });
  return total;
}

void DeviceRows::values(const Vector& x, VectorRef out) {
  const Vector distances = reach(x);
  for_each([&](DeviceBatch& batch, Index begin) {
    batch.call([&](const auto& api, auto* object) {
      return api.bounds(object, distances.data(), points(), out.data() + begin);
    });
  });
}

}  // namespace pliant
