// What a solve may still spend: seconds, passes, iterations; and whether somebody interrupts it.
#pragma once

#include "parallel/stop.hpp"
#include "pliant/result.hpp"
#include "rows/constraint_system.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string_view>

namespace pliant {

/// What was spent already.
struct Spending {
  double seconds = 0.0;
  double passes = 0.0;
  Index iterations = 0;
};

/// The same settings with limits lowered by what was spent: the budget of a part of a solve.
Settings lower_limits(Settings settings, const Spending& spent);

class Budget {
 public:
  /// Reads are those booked on `system`; `interrupt` may be null.
  Budget(const Settings& settings, const ConstraintSystem& system, const std::atomic<bool>* interrupt);

  double seconds() const;
  double passes() const { return system_.passes(); }
  Index iterations() const { return iterations_; }
  Spending spent() const { return {seconds(), passes(), iterations_}; }
  void count_iteration() { ++iterations_; }

  /// What the present attempt may read from now on: another one was predicted to need as much.
  void allow_attempt(double passes) { attempt_passes_ = system_.passes() + passes; }

  struct Limit {
    Status status;
    std::string_view message;
  };
  /// The limit that has been reached, if any.
  std::optional<Limit> exhausted() const;
  /// Settings for a part of the solve, which shares what is left.
  Settings rest() const { return lower_limits(settings_, spent()); }
  const std::atomic<bool>* interrupt() const { return interrupt_; }
  /// For loops within the solve: interrupts and the limit of time.
  parallel::StopSign stop_sign() const;

 private:
  const Settings& settings_;
  const ConstraintSystem& system_;
  const std::atomic<bool>* interrupt_;
  std::chrono::steady_clock::time_point start_;
  Index iterations_ = 0;
  double attempt_passes_ = kInfinity;
};

}  // namespace pliant
