#include "rows/shard_losses.hpp"

#include "constraints/linear.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/spectrum.hpp"
#include "linalg/sums.hpp"
#include "objective/losses.hpp"
#include "parallel/parallel.hpp"
#include "rows/row_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {
namespace {

// Chunks that one thread adds up: a power of two, so that what it makes is a node of the tree.
constexpr Index kChunksAtOnce = 64;

const LinearRows& rows_with_targets(const Problem& problem) {
  const LinearRows* rows = problem.batches().size() == 1 ? problem.batches()[0]->structure().linear_rows : nullptr;
  if (rows == nullptr || rows->two_sided()) {
    throw InputError("shard: losses are taken of rows G with one target each, held in memory");
  }
  return *rows;
}

// (gradient, value) of at most kSumChunk rows.
template <class Loss>
Vector sum_of_chunk(const Loss& loss, const LinearRows& data, Rows rows, const Vector& x) {
  std::array<double, kSumChunk> margins, values, slopes;
  data.matrix().multiply(x.data(), rows, margins.data());
  loss.evaluate(rows.size(), margins.data(), data.upper().data() + rows.first(), values.data(), slopes.data());
  Vector out = Vector::Zero(x.size() + 1);
  data.matrix().add_transposed(rows, slopes.data(), out.data());
  out[x.size()] = pairwise_sum(0, rows.size(), [&](Index k) { return values[static_cast<std::size_t>(k)]; });
  return out;
}

// Their sizes, as those of a term in one memory (generalized_linear.cpp).
template <class Loss>
Vector sizes_of_chunk(const Loss& loss, const LinearRows& data, Rows rows, const Vector& x) {
  const Vector size_of_x = x.cwiseAbs();
  Vector out = Vector::Zero(x.size() + 1);
  for (Index i = rows.first(); i < rows.first() + rows.size(); ++i) {
    const double target = data.upper()[i];
    const double inner = absolute_dot(data.matrix(), i, size_of_x.data()) + std::abs(target);
    const double z = data.matrix().dot(i, x.data());
    const double slope = std::abs(loss.derivative(z, target)) + loss.curvature_bound() * inner;
    absolute_axpy(data.matrix(), i, slope, out.data());
    out[x.size()] += std::abs(loss.value(z, target)) + slope * inner;
  }
  return out;
}

template <class Loss>
SumTree sum_with(const Loss& loss, const LinearRows& data, const LossRequest& request) {
  const Index m = data.matrix().rows(), first = request.first_chunk;
  return sum_over_chunks(first, first + (m + kSumChunk - 1) / kSumChunk, [&](Index c) {
    const Index row = (c - first) * kSumChunk;
    const Rows rows = Rows::range(row, std::min(kSumChunk, m - row));
    return request.wanted == LossRequest::Wanted::sizes ? sizes_of_chunk(loss, data, rows, request.x)
                                                        : sum_of_chunk(loss, data, rows, request.x);
  });
}

}  // namespace

SumTree sum_over_chunks(Index first, Index last, FunctionRef<Vector(Index chunk)> f) {
  const Index begin = first / kChunksAtOnce, blocks = (last + kChunksAtOnce - 1) / kChunksAtOnce - begin;
  std::vector<SumTree> parts(static_cast<std::size_t>(blocks));
  parallel::for_chunks({blocks, blocks, true}, [&](Index b, Index, Index) {
    const Index from = std::max(first, (begin + b) * kChunksAtOnce);
    const Index to = std::min(last, (begin + b + 1) * kChunksAtOnce);
    for (Index c = from; c < to; ++c) parts[static_cast<std::size_t>(b)].add({c, 1, f(c)});
  });
  SumTree out;
  for (const SumTree& part : parts) {
    for (const SumNode& node : part.nodes()) out.add(node);
  }
  return out;
}

LossRequest LossRequest::get(MessageReader& in) {
  LossRequest out;
  out.loss = in.get<LossKind>();
  out.threshold = in.get<double>();
  out.first_chunk = in.get<Index>();
  out.x = in.get_vector();
  out.wanted = in.get<Wanted>();
  const bool known = (out.loss == LossKind::square || out.loss == LossKind::logistic || out.loss == LossKind::huber) &&
                     (out.wanted == Wanted::gradient || out.wanted == Wanted::sizes);
  if (!known || out.first_chunk < 0 || out.first_chunk > kMostChunks) throw InputError("shard: no such losses");
  if (out.loss == LossKind::huber && !(out.threshold > 0.0)) throw InputError("huber: k: expected a positive number");
  return out;
}

Index LossShape::chunks() const { return (rows + kSumChunk - 1) / kSumChunk; }

LossShape describe_losses(const Problem& problem, const LossRequest& request) {
  const LinearRows& data = rows_with_targets(problem);
  LossShape out{problem.dimension(), data.matrix().rows(), problem.data_bytes(), 0.0};
  for (Index i = 0; i < out.rows; ++i) {
    out.largest_square = std::max(out.largest_square, squared_norm_bound(data.matrix(), i));
    const double target = data.upper()[i];
    if (request.loss == LossKind::logistic && target != 1.0 && target != -1.0) {
      throw InputError(fmt::format("logistic: target {} is {}, expected -1 or 1", i, target));
    }
  }
  return out;
}

SumTree sum_losses(const Problem& problem, const LossRequest& request) {
  const LinearRows& data = rows_with_targets(problem);
  if (request.x.size() != problem.dimension()) {
    throw InputError(
        fmt::format("shard: its rows have {} columns, asked at a point of {}", problem.dimension(), request.x.size()));
  }
  switch (request.loss) {
    case LossKind::square:
      return sum_with(SquareLoss{}, data, request);
    case LossKind::logistic:
      return sum_with(LogisticLoss{}, data, request);
    case LossKind::huber:
      return sum_with(HuberLoss{request.threshold}, data, request);
  }
  throw InputError("shard: no such losses");
}

void put_nodes(const SumTree& tree, MessageWriter& out) {
  out.put(static_cast<Index>(tree.nodes().size()));
  for (const SumNode& node : tree.nodes()) out.put(node.begin).put(node.size).put_vector(node.sum);
}

void take_nodes(MessageReader& in, Index first, Index chunks, Index numbers, SumTree& tree) {
  Index next = first;
  for (auto count = in.get<Index>(); count > 0; --count) {
    SumNode node;
    node.begin = in.get<Index>();
    node.size = in.get<Index>();
    node.sum = in.get_vector();
    if (node.begin != next || node.size <= 0 || node.size > first + chunks - next || node.sum.size() != numbers) {
      throw InputError("shards: sums of other rows than were asked for");
    }
    next += node.size;
    tree.add(std::move(node));
  }
  if (next != first + chunks) throw InputError("shards: sums of other rows than were asked for");
}

}  // namespace pliant
