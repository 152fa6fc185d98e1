// A problem as Python holds it.
#pragma once

#include "core.hpp"

#include "pliant/problem.hpp"

#include <atomic>
#include <stdexcept>

namespace pliant::python {

/// Marks an object as being read by a running solve on another thread; changes are refused meanwhile.
class Busy {
 public:
  void expect_idle(const char* what) const {
    if (count_ > 0) throw std::runtime_error(std::string(what) + " cannot change while it is being solved");
  }
  class Scope {
   public:
    explicit Scope(Busy& busy) : busy_(busy) { ++busy_.count_; }
    ~Scope() { --busy_.count_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Busy& busy_;
  };

 private:
  std::atomic<int> count_ = 0;
};

struct HeldProblem {
  explicit HeldProblem(Problem p) : problem(std::move(p)) {}
  HeldProblem(const HeldProblem& other) : problem(other.problem) {}

  Problem& change() {
    busy.expect_idle("problem");
    return problem;
  }

  Problem problem;
  mutable Busy busy;
};

}  // namespace pliant::python
