#include "rows/batch_bytes.hpp"

#include "cones/spectral.hpp"
#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/rank_one.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

enum class BatchTag : std::uint8_t { linear, range, quadratic, rank_one, log_sum_exp, cones };

void put_doubles(const Doubles& values, MessageWriter& out) {
  out.put_array(std::span<const double>(values.begin(), values.end()));
}

void put_matrix(const DataMatrix& G, MessageWriter& out) {
  out.put(G.rows()).put(static_cast<std::uint8_t>(G.is_sparse()));
  put_doubles(G.values(), out);
  if (!G.is_sparse()) return;
  out.put_array(std::span<const Index>(G.starts().begin(), G.starts().end()));
  out.put_array(std::span<const Index>(G.columns().begin(), G.columns().end()));
}

DataMatrix get_matrix(MessageReader& in, Index n) {
  const auto rows = in.get<Index>();
  const bool sparse = in.get<std::uint8_t>() != 0;
  Doubles values = in.get_doubles();
  if (!sparse) return DataMatrix::dense(rows, n, std::move(values));
  std::vector<Index> starts = in.get_list<Index>(), columns = in.get_list<Index>();
  return DataMatrix::csr(rows, n, std::move(starts), std::move(columns), std::move(values));
}

void put_quadratic(const QuadraticRows& rows, MessageWriter& out) {
  out.put(BatchTag::quadratic).put(rows.form).put(rows.rank);
  put_doubles(rows.data, out);
  put_doubles(rows.q, out);
  put_doubles(rows.r, out);
}

BatchPtr get_quadratic(MessageReader& in, Index n) {
  const auto form = in.get<QuadraticRows::Form>();
  const auto rank = in.get<Index>();
  Doubles data = in.get_list<double>(), q = in.get_list<double>(), r = in.get_list<double>();
  const Index m = r.size();
  const Tensor linear({m, n}, std::move(q));
  switch (form) {
    case QuadraticRows::Form::whole:
      return quadratic_le(Tensor({m, n, n}, std::move(data)), linear, std::move(r));
    case QuadraticRows::Form::factored:
      return quadratic_lowrank_le(Tensor({m, rank, n}, std::move(data)), linear, std::move(r));
    case QuadraticRows::Form::diagonal:
      return quadratic_diagonal_le(Tensor({m, n}, std::move(data)), linear, std::move(r));
  }
  throw InputError("shards: rows of an unknown quadratic form");
}

void put_cones(const ConeBlock& cones, MessageWriter& out) {
  out.put(BatchTag::cones).put(cones.shape()).put(cones.cones());
  put_matrix(cones.matrix(), out);
  const auto size = static_cast<std::size_t>(cones.cones() * cones.shape().rows);
  out.put_array(std::span<const double>(cones.cones() > 0 ? cones.constants(0) : nullptr, size));
}

BatchPtr get_cones(MessageReader& in, Index n) {
  const auto shape = in.get<ConeShape>();
  const auto count = in.get<Index>();
  DataMatrix G = get_matrix(in, n);
  constexpr bool kTrusted = true;  // checked where they come from
  return std::make_shared<SpectralBatch>(ConeBlock(std::move(G), in.get_list<double>(), 0, count, shape, kTrusted));
}

std::string_view storage(const DataMatrix& G) { return G.is_sparse() ? "sparse" : "dense"; }

}  // namespace

std::string batch_form(const ConstraintBatch& batch) {
  const BatchStructure structure = batch.structure();
  if (const LinearRows* rows = structure.linear_rows) {
    return fmt::format("{} linear rows{}", storage(rows->matrix()), rows->two_sided() ? " with two sides" : "");
  }
  if (const QuadraticRows* rows = structure.quadratic_rows) {
    return fmt::format("quadratic rows of form {} and rank {}", static_cast<int>(rows->form), rows->rank);
  }
  if (const RankOneBatch* points = structure.rank_one) {
    return fmt::format("{} points of order {}", points->lifted() ? "lifted" : "plain", points->order());
  }
  if (const SpectralBatch* cones = structure.eigenvalues) {
    const ConeBlock& block = cones->cones();
    return fmt::format("{} cones of {} rows and rank {}", storage(block.matrix()), block.shape().rows,
                       block.shape().rank);
  }
  return std::string(batch.family());
}

void put_batch(const ConstraintBatch& batch, MessageWriter& out) {
  const BatchStructure structure = batch.structure();
  if (structure.linear_rows != nullptr) {
    const LinearRows& rows = *structure.linear_rows;
    out.put(rows.two_sided() ? BatchTag::range : BatchTag::linear);
    put_matrix(rows.matrix(), out);
    if (rows.two_sided()) put_doubles(rows.lower(), out);
    return put_doubles(rows.upper(), out);
  }
  if (structure.quadratic_rows != nullptr) return put_quadratic(*structure.quadratic_rows, out);
  if (structure.eigenvalues != nullptr) return put_cones(structure.eigenvalues->cones(), out);
  if (structure.rank_one != nullptr) {
    const RankOneBatch& points = *structure.rank_one;
    out.put(BatchTag::rank_one).put(points.size()).put(points.order()).put(static_cast<std::uint8_t>(points.lifted()));
    put_doubles(points.points(), out);
    return put_doubles(points.b(), out);
  }
  if (const auto* terms = dynamic_cast<const LogSumExpBatch*>(&batch)) {
    out.put(BatchTag::log_sum_exp).put(terms->size()).put(terms->terms());
    put_doubles(terms->A(), out);
    return put_doubles(terms->b(), out);
  }
  throw InputError(fmt::format("shards: rows of family {} are not data and cannot travel", batch.family()));
}

BatchPtr get_batch(MessageReader& in, Index n) {
  switch (in.get<BatchTag>()) {
    case BatchTag::linear: {
      DataMatrix G = get_matrix(in, n);
      return finite_linear_le(std::move(G), in.get_list<double>());
    }
    case BatchTag::range: {
      DataMatrix G = get_matrix(in, n);
      Doubles lower = in.get_list<double>();
      return linear_range(std::move(lower), std::move(G), in.get_list<double>());
    }
    case BatchTag::quadratic:
      return get_quadratic(in, n);
    case BatchTag::rank_one: {
      const auto m = in.get<Index>(), order = in.get<Index>();
      const bool lifted = in.get<std::uint8_t>() != 0;
      Doubles points = in.get_list<double>();
      return std::make_shared<RankOneBatch>(m, order, lifted, std::move(points), in.get_list<double>());
    }
    case BatchTag::log_sum_exp: {
      const auto m = in.get<Index>(), terms = in.get<Index>();
      Doubles A = in.get_list<double>();
      return std::make_shared<LogSumExpBatch>(m, n, terms, std::move(A), in.get_list<double>());
    }
    case BatchTag::cones:
      return get_cones(in, n);
  }
  throw InputError("shards: rows of an unknown family");
}

}  // namespace pliant
