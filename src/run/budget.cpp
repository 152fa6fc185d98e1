#include "run/budget.hpp"

#include <algorithm>

namespace pliant {
namespace {

// A limit of 0 would not be one: the smallest part of a solve that is still begun.
constexpr double kLeastSeconds = 1e-9, kLeastPasses = 1e-3;
constexpr Index kLeastIterations = 1;

}  // namespace

Settings lower_limits(Settings settings, const Spending& spent) {
  if (settings.time_limit) settings.time_limit = std::max(kLeastSeconds, *settings.time_limit - spent.seconds);
  if (settings.max_passes) settings.max_passes = std::max(kLeastPasses, *settings.max_passes - spent.passes);
  if (settings.max_iterations) {
    settings.max_iterations = std::max(kLeastIterations, *settings.max_iterations - spent.iterations);
  }
  return settings;
}

Budget::Budget(const Settings& settings, const ConstraintSystem& system, const std::atomic<bool>* interrupt)
    : settings_(settings), system_(system), interrupt_(interrupt), start_(std::chrono::steady_clock::now()) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

parallel::StopSign Budget::stop_sign() const {
  parallel::StopSign sign;
  sign.interrupt = interrupt_;
  constexpr double kLongest = 1e9;  // seconds; the clock does not count much further
  if (settings_.time_limit && *settings_.time_limit < kLongest) {
    using Duration = parallel::StopSign::Clock::duration;
    sign.deadline = start_ + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*settings_.time_limit));
  }
  return sign;
}

std::optional<Budget::Limit> Budget::exhausted() const {
  if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
    return Limit{Status::interrupted, "stopped from outside"};
  }
  if (settings_.time_limit && seconds() >= *settings_.time_limit)
    return Limit{Status::time_limit, "time limit reached"};
  if (settings_.max_passes && passes() >= *settings_.max_passes) return Limit{Status::pass_limit, "pass limit reached"};
  if (settings_.max_iterations && iterations_ >= *settings_.max_iterations) {
    return Limit{Status::iteration_limit, "iteration limit reached"};
  }
  if (passes() >= attempt_passes_) {
    return Limit{Status::numerical_error, "the attempt took more reads than it was given"};
  }
  return std::nullopt;
}

}  // namespace pliant
