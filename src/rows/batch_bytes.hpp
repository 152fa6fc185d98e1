// Rows of any family that is data as bytes (shard_messages.hpp), and back.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "rows/shard_messages.hpp"

#include <string>

namespace pliant {

/// Family and form in words: rows that go into one batch agree in them.
std::string batch_form(const ConstraintBatch& batch);

/// Throws InputError where the rows of the family are not data (copyable, gather_rows.hpp).
void put_batch(const ConstraintBatch& batch, MessageWriter& out);
/// A batch over n variables. Throws InputError where the bytes are none.
BatchPtr get_batch(MessageReader& in, Index n);

}  // namespace pliant
