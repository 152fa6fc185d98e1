// How a solve ends: a status, the reason in words, and the proof behind `infeasible` and `unbounded`.
#pragma once

#include "certify/proof.hpp"
#include "pliant/result.hpp"

#include <optional>
#include <string>

namespace pliant {

class SolveVerdict {
 public:
  bool reached() const { return status_.has_value(); }
  const std::optional<Status>& status() const { return status_; }
  const std::string& message() const { return message_; }
  const std::optional<Proof>& proof() const { return proof_; }

  /// The first conclusion counts.
  void conclude(Status status, std::string message) {
    if (reached()) return;
    status_ = status;
    message_ = std::move(message);
  }
  /// A verified proof outweighs whatever was concluded before.
  void conclude(Proof proof, std::string message) {
    status_ = std::holds_alternative<Contradiction>(proof) ? Status::primal_infeasible : Status::dual_infeasible;
    message_ = std::move(message);
    proof_ = std::move(proof);
  }
  /// The last look at the best point found it good enough after all.
  void found_optimal() {
    status_ = Status::optimal;
    message_.clear();
  }
  /// Takes back a numerical_error, because something else will be tried. False if the verdict is another one, or none.
  bool reopen() {
    if (status_ != Status::numerical_error) return false;
    status_.reset();
    message_.clear();
    return true;
  }

 private:
  std::optional<Status> status_;
  std::string message_;
  std::optional<Proof> proof_;
};

}  // namespace pliant
