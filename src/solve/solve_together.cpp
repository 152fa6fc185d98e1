// Several problems at once, each in a thread of its own, with one read of memory for the rows that they share.

#include "machine/memory.hpp"
#include "parallel/shared_reads.hpp"
#include "pliant/solve.hpp"
#include "run/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace pliant {
namespace {

using Problems = std::span<const std::reference_wrapper<const Problem>>;

// Vectors with an entry for each row that one solve keeps, and no more threads than this at a time.
constexpr double kVectorsPerSolve = 16.0;
constexpr std::size_t kMostTogether = 16;
// Of the memory that the machine has, or that the settings allow.
constexpr double kMemoryShare = 0.5;

double memory_of(const Problem& problem) {
  Index rows = problem.has_equalities() ? problem.equality_batch()->size() : 0;
  for (const BatchPtr& batch : problem.batches()) rows += batch->size();
  return kVectorsPerSolve * static_cast<double>(rows) * static_cast<double>(sizeof(double));
}

// So many of the first ones that their memory is there.
std::size_t group_size(Problems problems, const Settings& settings) {
  const double there = settings.memory_limit ? static_cast<double>(*settings.memory_limit)
                                             : static_cast<double>(machine::machine_memory());
  double wanted = 0.0;
  std::size_t count = 0;
  while (count < std::min(problems.size(), kMostTogether)) {
    wanted += memory_of(problems[count]);
    if (count > 0 && wanted > kMemoryShare * there) break;
    ++count;
  }
  return count;
}

double bytes_of(const Problem& problem) {
  double sum = 0.0;
  for (const BatchPtr& batch : problem.batches()) {
    sum += static_cast<double>(batch->bytes(Rows::range(0, batch->size())));
  }
  if (problem.has_equalities()) {
    const BatchPtr& batch = problem.equality_batch();
    sum += static_cast<double>(batch->bytes(Rows::range(0, batch->size())));
  }
  for (const ConicConstraint& conic : problem.conic()) sum += static_cast<double>(conic.G.bytes());
  return sum;
}

void solve_group(Problems problems, const Settings& settings, const std::atomic<bool>* interrupt, Result* results) {
  Settings alone = settings;
  alone.threads = 1;
  parallel::SharedReads reads(static_cast<Index>(problems.size()), settings.threads);
  std::vector<std::exception_ptr> errors(problems.size());
  const auto work = [&](std::size_t k) {
    const parallel::SharedReads::Member member(reads);
    try {
      SolveHooks hooks;
      hooks.interrupt = interrupt;
      results[k] = solve(problems[k], alone, hooks);
      const double bytes = bytes_of(problems[k]);
      if (bytes > 0.0) results[k].passes -= member.bytes_saved() / bytes;
    } catch (...) {  // rethrown in the thread that asks
      errors[k] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(problems.size());
    for (std::size_t k = 0; k < problems.size(); ++k) {
      try {
        threads.emplace_back(work, k);
      } catch (...) {  // no more threads, or no memory for one: rethrown below, and nobody waits for it
        errors[k] = std::current_exception();
        reads.withdraw();
      }
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// All of them before the first is solved: nobody should learn of a wrong number after the others have taken an hour.
void validate_all(Problems problems, const Settings& settings) {
  validate(settings);
  const parallel::ThreadScope threads(settings.threads);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Problem& problem = problems[k];
    for (const BatchPtr& batch : problem.batches()) {
      if (batch->family() != "callback") continue;
      throw InputError(
          fmt::format("problem {}: it has functions of its own, which cannot be called for several problems "
                      "at a time: solve it alone",
                      k));
    }
    try {
      problem.validate();
    } catch (const InputError& error) {
      throw InputError(fmt::format("problem {}: {}", k, error.what()));
    }
  }
}

}  // namespace

std::vector<Result> solve_together(Problems problems, const Settings& settings, const std::atomic<bool>* interrupt) {
  const auto begin = std::chrono::steady_clock::now();
  validate_all(problems, settings);
  std::vector<Result> results(problems.size());
  for (std::size_t done = 0; done < problems.size();) {
    const std::size_t count = group_size(problems.subspan(done), settings);
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    solve_group(problems.subspan(done, count), lower_limits(settings, {spent, 0.0, 0}), interrupt,
                results.data() + done);
    done += count;
  }
  return results;
}

}  // namespace pliant
