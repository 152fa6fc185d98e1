// The parts a solve is made of: budget, verdict, suspicion, journal.
#include "run/context.hpp"

#include "pliant/generate.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace pliant {
namespace {

Problem small() { return generate("dense_qp", {{"n", 3.0}, {"m", 20.0}}); }

TEST(Budget, SaysWhichLimitIsReached) {
  const Problem problem = small();
  ConstraintSystem system(problem);
  Settings settings;
  const Budget unlimited(settings, system, nullptr);
  EXPECT_FALSE(unlimited.exhausted());

  settings.max_iterations = 2;
  Budget counted(settings, system, nullptr);
  counted.count_iteration();
  EXPECT_FALSE(counted.exhausted());
  counted.count_iteration();
  ASSERT_TRUE(counted.exhausted());
  EXPECT_EQ(counted.exhausted()->status, Status::iteration_limit);

  settings = {};
  settings.max_passes = 1.0;
  const Budget read(settings, system, nullptr);
  EXPECT_FALSE(read.exhausted());
  Vector a(system.size());
  system.values(Vector::Zero(3), a);
  ASSERT_TRUE(read.exhausted());
  EXPECT_EQ(read.exhausted()->status, Status::pass_limit);

  settings = {};
  std::atomic<bool> interrupt{false};
  const Budget interrupted(settings, system, &interrupt);
  EXPECT_FALSE(interrupted.exhausted());
  interrupt = true;
  ASSERT_TRUE(interrupted.exhausted());
  EXPECT_EQ(interrupted.exhausted()->status, Status::interrupted);
}

TEST(Budget, PartsOfASolveShareWhatIsLeft) {
  Settings settings;
  settings.time_limit = 10.0;
  settings.max_passes = 5.0;
  settings.max_iterations = 100;
  const Settings rest = lower_limits(settings, {4.0, 1.5, 30});
  EXPECT_DOUBLE_EQ(*rest.time_limit, 6.0);
  EXPECT_DOUBLE_EQ(*rest.max_passes, 3.5);
  EXPECT_EQ(*rest.max_iterations, 70);
  // What is spent is never turned into "no limit".
  const Settings nothing = lower_limits(settings, {40.0, 15.0, 300});
  EXPECT_GT(*nothing.time_limit, 0.0);
  EXPECT_LT(*nothing.time_limit, 0.01);
  EXPECT_GT(*nothing.max_passes, 0.0);
  EXPECT_EQ(*nothing.max_iterations, 1);
  const Settings open = lower_limits({}, {40.0, 15.0, 300});
  EXPECT_FALSE(open.time_limit || open.max_passes || open.max_iterations);
}

TEST(Verdict, TheFirstConclusionCountsAndAProofOutweighsIt) {
  SolveVerdict verdict;
  EXPECT_FALSE(verdict.reached());
  EXPECT_FALSE(verdict.reopen());
  verdict.conclude(Status::numerical_error, "first");
  verdict.conclude(Status::time_limit, "second");
  EXPECT_EQ(verdict.status(), Status::numerical_error);
  EXPECT_EQ(verdict.message(), "first");
  EXPECT_TRUE(verdict.reopen());
  EXPECT_FALSE(verdict.reached());
  verdict.conclude(Status::time_limit, "third");
  EXPECT_FALSE(verdict.reopen());  // a limit is no reason to try something else
  verdict.conclude(Ray{}, "proved");
  EXPECT_EQ(verdict.status(), Status::dual_infeasible);
  EXPECT_EQ(verdict.message(), "proved");
  ASSERT_TRUE(verdict.proof());
  EXPECT_TRUE(std::holds_alternative<Ray>(*verdict.proof()));
}

TEST(Suspicion, IsFollowedUpWhenItHasBecomeStronger) {
  Suspicion suspicion;
  std::vector<int> asked;
  for (int k = 1; k <= 70; ++k) {
    if (suspicion.failure()) asked.push_back(k);
  }
  EXPECT_EQ(asked, (std::vector<int>{4, 16, 64}));
  EXPECT_FALSE(suspicion.size(0.99e7));
  EXPECT_TRUE(suspicion.size(1.01e7));
  EXPECT_FALSE(suspicion.size(1.01e13));
  EXPECT_TRUE(suspicion.size(1.02e14));
  EXPECT_FALSE(suspicion.xi(59.0));
  EXPECT_TRUE(suspicion.xi(61.0));
  EXPECT_FALSE(suspicion.xi(61.0 * 59.0));
  EXPECT_TRUE(suspicion.xi(61.0 * 61.0));
  EXPECT_FALSE(suspicion.size(std::nan("")));
  EXPECT_FALSE(suspicion.stall(9));
  EXPECT_TRUE(suspicion.stall(10));
  EXPECT_FALSE(suspicion.stall(39));
  EXPECT_TRUE(suspicion.stall(40));
  suspicion.progress();
  EXPECT_TRUE(suspicion.stall(10));
}

TEST(Journal, BooksTimeUnderItsNameAndFillsRowsUp) {
  const Problem problem = small();
  ConstraintSystem system(problem);
  const Settings settings;
  const SolveHooks hooks;
  Budget budget(settings, system, nullptr);
  Journal journal(problem, budget, system, hooks);
  {
    const Journal::Phase phase(journal, "waiting");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  { const Journal::Phase phase(journal, "waiting"); }
  budget.count_iteration();
  journal.penalty(7.0, 0.5);
  journal.dropped(5);
  journal.objective_components = 11;
  EXPECT_FALSE(journal.record({}));
  journal.screened(6);
  Result result;
  journal.close(result);
  ASSERT_EQ(result.time.phases.size(), 1u);
  EXPECT_EQ(result.time.phases[0].first, "waiting");
  EXPECT_GE(result.time.phases[0].second, 0.002);
  ASSERT_EQ(result.trace.size(), 1u);
  EXPECT_EQ(result.trace[0].iteration, 1);
  EXPECT_EQ(result.trace[0].xi, 7.0);
  EXPECT_EQ(result.trace[0].delta, 0.5);
  EXPECT_EQ(result.trace[0].working, 15);
  EXPECT_EQ(result.trace[0].screened, 6);
  EXPECT_EQ(result.trace[0].component_evaluations, 11);
  EXPECT_EQ(result.screened, 6);
}

// A search is made when asked for, gets what is left of the time, and its proof ends the solve.
TEST(Context, AsksTheInjectedSearchAndBelievesItsProof) {
  const Problem problem = small();
  const SolveHooks hooks;
  Settings settings;
  settings.time_limit = 1000.0;
  int asked = 0;
  const auto search = [&](const Problem& p, const ProofQuestion& question) {
    ++asked;
    EXPECT_EQ(&p, &problem);
    EXPECT_LE(*question.limits.time_limit, 1000.0);
    ProofAnswer answer;
    if (asked == 2) answer.proof = Ray{Vector::Zero(3), Vector::Ones(3), {}};
    return answer;
  };
  Context context(problem, settings, hooks, search);
  context.verdict().conclude(Status::numerical_error, "gave up");
  context.seek_proof();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(context.verdict().status(), Status::numerical_error);
  EXPECT_EQ(context.verdict().message(), "gave up");
  context.seek_proof();
  EXPECT_EQ(context.verdict().status(), Status::dual_infeasible);
}

TEST(Context, ASettledQuestionIsNotAskedAgainAndNoSearchMeansNone) {
  const Problem problem = small();
  const SolveHooks hooks;
  const Settings settings;
  int asked = 0;
  Context context(problem, settings, hooks, [&](const Problem&, const ProofQuestion&) {
    ++asked;
    return ProofAnswer{{}, true};
  });
  for (int k = 0; k < 3; ++k) context.seek_proof();
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(context.verdict().reached());
  Context without(problem, settings, hooks);
  without.seek_proof();
  EXPECT_FALSE(without.verdict().reached());
}

TEST(Context, GivesUpOnPointsAndPenaltiesBeyondAllProportion) {
  const Problem problem = small();
  const SolveHooks hooks;
  const Settings settings;
  Context far(problem, settings, hooks);
  EXPECT_FALSE(far.note_size(Vector::Constant(3, 0.9e15)));
  EXPECT_FALSE(far.note_size(Vector::Constant(3, 1.1e15), /*more_rows=*/true));
  EXPECT_TRUE(far.note_size(Vector::Constant(3, 1.1e15)));
  EXPECT_EQ(far.verdict().status(), Status::numerical_error);
  Context lost(problem, settings, hooks);
  EXPECT_TRUE(lost.note_size(Vector::Constant(3, std::nan("")), /*more_rows=*/true));
  Context steep(problem, settings, hooks);
  EXPECT_FALSE(steep.note_xi(2.0, 1.9e12));
  EXPECT_TRUE(steep.note_xi(1.9e12, 2.1e12));
}

}  // namespace
}  // namespace pliant
