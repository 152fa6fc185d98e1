// Handles of shared parts of a problem, as Python holds them.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/objective_term.hpp"
#include "pliant/prox_term.hpp"
#include "pliant/soft_rows.hpp"

namespace pliant::python {

struct Term {
  TermPtr ptr;
};
struct Prox {
  ProxPtr ptr;
};
struct Batch {
  BatchPtr ptr;
};
struct Soft {
  SoftRows rows;
};

}  // namespace pliant::python
