// How constraints are named once they belong to a problem.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

enum class ConstraintKind { batch, conic, equality };

/// Constraints inside their problem, as subject_to returns them: whatever their kind, duals and changes go by it.
struct Handle {
  Index index = -1;  ///< among the calls of subject_to
  ConstraintKind kind = ConstraintKind::batch;
  Index part = -1;  ///< among the constraints of this kind: in batches(), in conic(), in equality_parts()

  bool operator==(const Handle&) const = default;
};

}  // namespace pliant
