// What the path engine makes of a problem before its first step.
#pragma once

#include "engines/path/path_form.hpp"
#include "engines/path/path_model.hpp"
#include "engines/path/variable_scaling.hpp"
#include "engines/path/working_set.hpp"
#include "pliant/settings.hpp"

#include <memory>
#include <vector>

namespace pliant {

/// LP and QP take the primal-dual form, with norms of groups the embedding; curved rows, other objectives the primal one.
std::unique_ptr<PathForm> make_form(const PathModel& model, PathKind wanted);

/// Better coordinates where the problem asks for them, from about `sample_size` rows; from here on the holder works in
/// them. Null: there are none.
std::unique_ptr<VariableScaling> choose_coordinates(const Problem& problem, RowHolder& rows,
                                                    const random::Stream& stream, Index sample_size);

/// Whether x is far beyond a linear row among these, though the row is kept to the tolerance: one with small entries may be,
/// and the objective is another one there.
bool far_beyond_a_row(const PathModel& model, const Candidates& rows, const Vector& x, double tolerance);

/// For how many rows a group counts, on average: a large cone binds more variables than a row does.
Index rows_behind_a_group(const RowLayout& layout, const WorkingSetParameters& parameters);

/// The `most` farthest candidates of those beyond `distance`.
std::vector<Index> farthest_candidates(const Candidates& candidates, double distance, Index most);

/// Adds whole batches of few rows, `most` in all: a sample of many rows has next to none of these, and they may hold
/// together what the many leave free.
void add_small_batches(const RowLayout& layout, Index most, std::vector<Index>& rows);

}  // namespace pliant
