#include "rows/soft_messages.hpp"

#include "constraints/linear.hpp"
#include "rows/batch_bytes.hpp"

namespace pliant {

// The numbers of the rows go as those of any linear rows do, with constants that mean nothing.
void SentSoftRows::put(MessageWriter& out) const {
  constexpr std::size_t kNumbersBeside = 8, kHeaders = 256;  // of a row; of the message
  const auto columns = static_cast<std::size_t>(table != nullptr ? table->matrix().cols() : 0);
  out.make_room(rows.size() * sizeof(double) * (columns + kNumbersBeside) + kHeaders);
  out.put_list(rows);
  if (rows.empty()) return;
  put_batch(*finite_linear_le(table->matrix(), to_array(Vector::Zero(table->size()))), out);
  const SoftSides& sides = table->sides();
  for (const SoftNumbers* part : {&sides.lower, &sides.upper, &sides.below, &sides.above}) {
    out.put_vector(part->first(table->size()));
  }
  out.put_list(states).put_list(keys);
}

SentSoftRows SentSoftRows::get(MessageReader& in, Index n) {
  SentSoftRows out;
  out.rows = in.get_list<Index>();
  if (out.rows.empty()) return out;
  const BatchPtr batch = get_batch(in, n);
  const LinearRows* linear = batch->linear_rows();
  const auto count = static_cast<Index>(out.rows.size());
  bool fits = linear != nullptr && linear->matrix().rows() == count;
  SoftSides sides;
  for (SoftNumbers* part : {&sides.lower, &sides.upper, &sides.below, &sides.above}) {
    Doubles numbers = in.get_doubles();
    fits = fits && numbers.size() == count;
    *part = SoftNumbers(std::move(numbers));
  }
  out.states = in.get_list<SoftState>();
  out.keys = in.get_list<double>();
  fits = fits && out.states.size() == out.rows.size() && out.keys.size() == out.rows.size();
  for (const SoftState state : out.states) fits = fits && state <= SoftState::above;
  if (!fits) throw InputError("shards: soft rows whose parts do not fit together");
  out.table = std::make_unique<SoftTable>(DataMatrix(linear->matrix()), std::move(sides));
  return out;
}

}  // namespace pliant
