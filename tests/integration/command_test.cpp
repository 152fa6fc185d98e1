// The command from a user's point of view: files in, files out, exit codes.
#include "command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pliant/io.hpp"

#include <array>
#include <chrono>
#include <iterator>
#include <thread>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using testing::Outcome;
using testing::read_json;
using ::testing::StartsWith;
using testing::WorkFolder;

std::string read_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// One list of formats: whoever asks for help sees all of it.
TEST(Command, EveryHelpNamesEveryFormat) {
  const WorkFolder work;
  std::vector<std::string> endings;
  for (const FileFormat& format : file_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  EXPECT_THAT(endings, ::testing::IsSupersetOf({".h5", ".mps", ".cbf", ".dat-s"}));
  for (const char* command : {"", "solve", "check", "info", "convert"}) {
    const Outcome help = work.pliant(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0);
    std::string text = help.out;  // long lines are broken anywhere
    text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               text.end());
    for (const std::string& ending : endings) EXPECT_THAT(text, HasSubstr(ending)) << command;
  }
  for (const char* page : {"/docs/formats.md", "/docs/python.md"}) {
    const std::string text = read_bytes(std::string(PLIANT_SOURCE_DIR) + page);
    for (const std::string& ending : endings) EXPECT_THAT(text, HasSubstr("`" + ending + "`")) << page;
  }
}

// What --json promises besides status and sizes.
constexpr std::array kResultNames{"objective",
                                  "lower_bound",
                                  "gap_abs",
                                  "gap_rel",
                                  "violation_rel",
                                  "constant_scale",
                                  "equality_residual",
                                  "dual_residual",
                                  "dual_residual_rel",
                                  "active",
                                  "screened",
                                  "method",
                                  "outer",
                                  "xi",
                                  "delta",
                                  "iterations",
                                  "passes",
                                  "component_evaluations",
                                  "peak_memory_bytes",
                                  "peak_resident_bytes",
                                  "mapped_bytes",
                                  "data_bytes",
                                  "threads",
                                  "seed",
                                  "version",
                                  "lower_bound_rigorous",
                                  "time",
                                  "violation",
                                  "stream_time"};

TEST(Command, SolvesChecksAndDescribes) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=10 m=200 seed=3").exit_code, 0);
  const Outcome solved = work.pliant("solve p.h5 --json r.json --solution s.h5 --trace t.csv");
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("status       optimal"));
  const Json result = read_json(work.file("r.json"));
  EXPECT_EQ(result.at("status"), "optimal");
  EXPECT_EQ(result.at("n"), 10);
  EXPECT_EQ(result.at("m"), 200);
  for (const char* name : kResultNames) {
    EXPECT_TRUE(result.contains(name)) << name;
  }
  EXPECT_EQ(result.at("data_bytes"), 200 * 10 * 8);

  const Outcome checked = work.pliant("check p.h5 s.h5 --json -");
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  const Json check = Json::parse(checked.out);
  EXPECT_TRUE(check.at("satisfied").get<bool>());
  EXPECT_NEAR(check.at("objective").get<double>(), result.at("objective").get<double>(), 1e-12);
  EXPECT_NEAR(check.at("lower_bound").get<double>(), result.at("lower_bound").get<double>(), 1e-9);

  const Outcome info = work.pliant("info p.h5 --json -");
  ASSERT_EQ(info.exit_code, 0);
  EXPECT_DOUBLE_EQ(Json::parse(info.out).at("mu").get<double>(), 1.0);

  ASSERT_EQ(work.pliant("convert p.h5 copy.h5").exit_code, 0);
  ASSERT_EQ(work.pliant("solve copy.h5 --quiet --json r2.json").exit_code, 0);
  EXPECT_EQ(read_json(work.file("r2.json")).at("objective"), result.at("objective"));

  std::ifstream trace(work.file("t.csv"));
  std::string header;
  std::getline(trace, header);
  EXPECT_EQ(header,
            "iteration,stage,passes,component_evaluations,delta,xi,objective,lower_bound,violation,dual_residual,"
            "active,near_active,working,screened,gap_estimate,mu,step_primal,step_dual,time");
}

TEST(Command, ReportsArePages) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=5 m=100 seed=2").exit_code, 0);
  const Outcome solved = work.pliant("solve p.h5 --timeless --report page.html");
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  const std::string page = read_bytes(work.file("page.html"));
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("Solved, and proved"));
  const Outcome piped = work.pliant("solve p.h5 --timeless --report -");
  EXPECT_EQ(piped.out, page);
  EXPECT_THAT(piped.err, HasSubstr("status       optimal"));
  EXPECT_EQ(work.listing(), "p.h5 page.html");
}

TEST(Command, WarmStartAndTimelessLogsAreReproducible) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate svm p.h5 n=8 m=100 seed=1").exit_code, 0);
  ASSERT_EQ(work.pliant("solve p.h5 --solution s.h5 --quiet --json a.json").exit_code, 0);
  ASSERT_EQ(work.pliant("solve p.h5 --warm-start s.h5 --quiet --json b.json").exit_code, 0);
  EXPECT_LT(read_json(work.file("b.json")).at("iterations").get<int>(),
            read_json(work.file("a.json")).at("iterations").get<int>());
  const Outcome one = work.pliant("solve p.h5 --verbose --timeless --threads 1");
  const Outcome two = work.pliant("solve p.h5 --verbose --timeless --threads 2");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, two.out);
}

TEST(Command, LimitsStillWriteTheBestIterate) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=10 m=200").exit_code, 0);
  const Outcome limited = work.pliant("solve p.h5 --max-iterations 3 --solution s.h5 --json r.json --quiet");
  EXPECT_EQ(limited.exit_code, 2);
  EXPECT_EQ(read_json(work.file("r.json")).at("status"), "iteration_limit");
  EXPECT_EQ(work.pliant("check p.h5 s.h5").exit_code, 0);
  EXPECT_EQ(work.pliant("solve p.h5 --time-limit 0 --quiet --json r.json").exit_code, 2);
  EXPECT_EQ(read_json(work.file("r.json")).at("status"), "time_limit");
}

TEST(Command, InterruptReturnsTheBestIterate) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_lp p.h5 n=30 m=3000").exit_code, 0);
  // timeout sends SIGINT (once: --foreground) while the solver chases a tolerance it cannot reach.
  const std::string tail =
      "solve p.h5 --method apg --tol-gap 1e-300 --tol-feas 1e-300 --solution s.h5 --json r.json --quiet";
  const std::string command =
      "cd '" + work.path().string() + "' && timeout --foreground --signal=INT 2 " PLIANT_COMMAND " " + tail;
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  const Json interrupted = read_json(work.file("r.json"));
  EXPECT_EQ(interrupted.at("status"), "interrupted");
  EXPECT_EQ(interrupted.at("message"), "stopped from outside");  // the status says the rest
  EXPECT_EQ(work.pliant("check p.h5 s.h5").exit_code, 0);
}

TEST(Command, DataAreMappedAndAMemoryLimitChangesNoByte) {
  constexpr Index kDataBytes = 100000 * 50 * 8;
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=50 m=100000").exit_code, 0);
  ASSERT_EQ(work.pliant("solve p.h5 --quiet --solution free.h5 --json free.json").exit_code, 0);
  ASSERT_EQ(work.pliant("solve p.h5 --quiet --solution tight.h5 --json tight.json --memory-limit 10M").exit_code, 0);
  EXPECT_TRUE(read_bytes(work.file("free.h5")) == read_bytes(work.file("tight.h5")));
  // Mapped data are resident but no memory of the process.
  for (const char* name : {"free.json", "tight.json"}) {
    const Json result = read_json(work.file(name));
    EXPECT_EQ(result.at("mapped_bytes"), kDataBytes);
    EXPECT_GE(result.at("peak_resident_bytes"), kDataBytes);
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LT(result.at("peak_memory_bytes"), kDataBytes);
#endif
  }

  ASSERT_EQ(work.pliant("convert p.h5 copy.h5 --memory-limit 10M").exit_code, 0);
  EXPECT_TRUE(read_bytes(work.file("copy.h5")) == read_bytes(work.file("p.h5")));
  EXPECT_EQ(work.pliant("check p.h5 mapped.h5 --memory-limit 10M").out, work.pliant("check p.h5 mapped.h5").out);
  EXPECT_EQ(work.pliant("info p.h5 --memory-limit 10M").out, work.pliant("info p.h5").out);
}

TEST(Command, InterruptedGenerationLeavesNothing) {
  const WorkFolder work;
  // Not before the command listens, which with sanitizers and others beside it takes half a second; eight gigabytes take longer.
  const std::string command = "cd '" + work.path().string() +
                              "' && timeout --signal=INT 2 " PLIANT_COMMAND
                              " generate dense_qp p.h5 n=50 m=20000000 2>err";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(work.listing(), "err");
  std::ifstream err(work.file("err"));
  std::string line;
  std::getline(err, line);
  EXPECT_EQ(line, "pliant: generate: interrupted, nothing written");
}

TEST(Command, ProofsTravelThroughFiles) {
  const WorkFolder work;
  for (const std::string parameters : {"boxed=0", "boxed=1 qp=1", "curved=1"}) {
    ASSERT_EQ(work.pliant("generate infeasible p.h5 n=8 m=300 " + parameters).exit_code, 0);
    const Outcome solved = work.pliant("solve p.h5 --solution s.h5 --json r.json");
    EXPECT_EQ(solved.exit_code, 3) << solved.out << solved.err;
    EXPECT_THAT(solved.out, HasSubstr("primal_infeasible: no point"));
    EXPECT_EQ(read_json(work.file("r.json")).at("status"), "primal_infeasible");
    const Outcome checked = work.pliant("check p.h5 s.h5 --json c.json");
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.out, StartsWith("proof        holds: no point"));  // before anything else
    EXPECT_EQ(read_json(work.file("c.json")).at("infeasibility_proof").at("holds"), true);
    // The same proof proves nothing about a feasible problem.
    ASSERT_EQ(work.pliant("generate barely_feasible q.h5 n=8 m=300").exit_code, 0);
    EXPECT_EQ(Json::parse(work.pliant("check q.h5 s.h5 --json -").out).at("infeasibility_proof").at("holds"), false);
  }
  ASSERT_EQ(work.pliant("generate unbounded p.h5 n=8 m=300 qp=1 thin=1").exit_code, 0);
  EXPECT_EQ(work.pliant("solve p.h5 --solution s.h5").exit_code, 3);
  const Outcome checked = work.pliant("check p.h5 s.h5 --json c.json");
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.out, StartsWith("ray          holds: the objective is unbounded below"));
  EXPECT_EQ(read_json(work.file("c.json")).at("unboundedness_proof").at("holds"), true);
  ASSERT_EQ(work.pliant("generate dense_qp q.h5 n=8 m=300").exit_code, 0);
  const Outcome nothing = work.pliant("check q.h5 s.h5");
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_THAT(nothing.out, HasSubstr("the ray proves nothing"));
}

TEST(Command, HelpListsWhatExistsAndNothingElse) {
  const WorkFolder work;
  const Outcome help = work.pliant("solve --help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option :
       {"--method",     "--outer",          "--tol-feas",     "--tol-gap",        "--norm",    "--xi",
        "--delta",      "--time-limit",     "--max-passes",   "--max-iterations", "--threads", "--seed",
        "--warm-start", "--json",           "--solution",     "--trace",          "--quiet",   "--verbose",
        "--timeless",   "--measure-stream", "--memory-limit", "--report"}) {
    EXPECT_THAT(help.out, HasSubstr(option));
  }
  EXPECT_THAT(work.pliant("--version").out, StartsWith("pliant "));
  EXPECT_THAT(work.pliant("generate --list").out, HasSubstr("qcqp_lowrank"));
  EXPECT_THAT(work.pliant("bounds xi=2 delta=1e-6 m=1000 xi_bar=1 mu=1").out, HasSubstr("master bound"));
}

}  // namespace
}  // namespace pliant
