// Memory that runs out at the k-th allocation of a task, for many k (PLIANT_EVERY_ALLOCATION=1: for every k; PLIANT_ALLOCATION=K: for that one): the caller
// hears of it (std::bad_alloc, or an InputError that says so), or gets a result that holds; nothing leaks, and the next one
// gives the bytes of the first.
#include "linalg/eigen_memory.hpp"  // before Eigen itself

#include "faults/failing_memory.hpp"
#include "faults/failing_solves.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string_view>

#include <unistd.h>

// See kLostByEigen; the loader loses 56 bytes where it finds no memory in the middle of opening a library.
extern "C" const char* __lsan_default_suppressions() { return "leak:Eigen::SparseMatrix\nleak:_dl_map_object_deps\n"; }

namespace pliant {
namespace {

using testing::Answer;
using testing::FailingMemory;
using testing::Random;
using testing::Shortage;
using testing::Task;

// The copy constructor of Eigen's SparseMatrix loses its column starts where the entries find no memory.
constexpr long kLostByEigen = 1;
constexpr unsigned kLongest = 120;  // seconds of one task: more is a hang

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = testing::failing_tasks();
  return all;
}

// What is tried, for whoever looks at a hang or a crash.
std::string at_work;

void tell_of_a_hang(int) {
  constexpr std::string_view kHangs = "hangs: ";
  if (write(STDERR_FILENO, kHangs.data(), kHangs.size()) > 0 &&
      write(STDERR_FILENO, at_work.data(), at_work.size()) > 0) {
    _exit(1);
  }
  _exit(2);
}

class MemoryRunsOut : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Task& task_ = tasks().at(GetParam());

  std::vector<Answer> answers() const;
  // Allocations of the whole task.
  long count() const {
    const FailingMemory none(0, Shortage::once);
    (void)answers();
    return FailingMemory::asked();
  }
  void fail_at(long k, Shortage shortage) const;
  // Blocks that are left behind.
  long left_behind(long k, Shortage shortage) const;
};

// Where there is enough memory.
std::vector<Answer> MemoryRunsOut::answers() const {
  try {
    return task_.run();
  } catch (const InputError& error) {
    EXPECT_FALSE(task_.refusal.empty()) << error.what();
    EXPECT_NE(std::string(error.what()).find(task_.refusal), std::string::npos) << error.what();
    return {};
  }
}

bool same_bytes(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// A result that claims to solve the problem, or that nothing does, proves it to `check`.
void expect_honest(const Answer& answer) {
  const Result& result = answer.result;
  const Verdict verdict = check(answer.problem, to_solution(answer.problem, result), answer.settings);
  EXPECT_TRUE(result.status != Status::optimal || verdict.satisfied);
  EXPECT_TRUE(result.status != Status::primal_infeasible || verdict.infeasible.holds);
}

long MemoryRunsOut::left_behind(long k, Shortage shortage) const {
  std::vector<Answer> out;
  bool refused = false;
  std::array<char, 1024> message{};  // there may be no memory for a string
  const long before = testing::live_blocks();
  alarm(kLongest);
  {
    const FailingMemory failing(k, shortage);
    try {
      out = task_.run();
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const InputError& error) {
      refused = true;
      std::strncpy(message.data(), error.what(), message.size() - 1);
    }
  }
  alarm(0);
  for (const Answer& answer : out) expect_honest(answer);
  if (const std::string_view words(message.data()); !words.empty()) {
    const bool own = !task_.refusal.empty() && words.find(task_.refusal) != words.npos;
    EXPECT_TRUE(own || words.find("memory") != words.npos) << words;
  }
  EXPECT_TRUE(refused || task_.refusal.empty()) << "accepts what it refuses otherwise";
  out = {};
  return testing::live_blocks() - before;
}

// What a thread keeps for the next time it keeps once; what is lost is lost again.
void MemoryRunsOut::fail_at(long k, Shortage shortage) const {
  at_work =
      task_.name + ", allocation " + std::to_string(k) + (shortage == Shortage::once ? " alone\n" : " and after\n");
  SCOPED_TRACE(at_work);
  if (left_behind(k, shortage) != 0) {
    EXPECT_LE(left_behind(k, shortage), kLostByEigen) << "blocks leaked";
  }
}

// In order through the first allocations, then by random steps; or all of them.
TEST_P(MemoryRunsOut, AtTheKthAllocation) {
  std::signal(SIGALRM, tell_of_a_hang);
  const std::vector<Answer> first = answers();  // what threads keep for themselves is theirs from here on
  const long all = count();
  ASSERT_GT(all, 0);
  if (const char* one = std::getenv("PLIANT_ALLOCATION"); one != nullptr) {
    fail_at(std::atol(one), Shortage::once);
    return fail_at(std::atol(one), Shortage::lasting);
  }
  const bool every = std::getenv("PLIANT_EVERY_ALLOCATION") != nullptr;
  const long in_order = every ? all : 2 * task_.tried / 5, at_random = task_.tried - 2 * task_.tried / 5;
  Random random(GetParam());
  SCOPED_TRACE("PLIANT_TEST_SEED=" + std::to_string(testing::base_seed()));
  long tried = 0;
  for (long k = 1; k <= all && !HasFailure(); ++tried) {
    fail_at(k, tried % 2 == 0 ? Shortage::once : Shortage::lasting);
    if (every) fail_at(k, tried % 2 == 0 ? Shortage::lasting : Shortage::once);
    k += k < in_order ? 1 : random.integer(1, std::max<Index>(1, 2 * all / at_random));
  }
  std::cout << task_.name << ": failed at " << tried << " of " << all << " allocations"
            << (every ? ", each alone and with all that follow\n" : "\n");
  const std::vector<Answer> last = answers();
  ASSERT_EQ(last.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(last[i].result.status, first[i].result.status);
    EXPECT_TRUE(same_bytes(last[i].result.x, first[i].result.x));
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, MemoryRunsOut, ::testing::Range<std::size_t>(0, tasks().size()),
                         [](const auto& tested) { return tasks().at(tested.param).name; });

}  // namespace
}  // namespace pliant
