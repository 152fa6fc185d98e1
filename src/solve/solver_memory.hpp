// What a Solver keeps between solves besides x and the multipliers.
#pragma once

#include "rows/row_knowledge.hpp"

namespace pliant {

class SolverMemory {
 public:
  RowKnowledge rows;
};

}  // namespace pliant
