// The command line itself: suggestions, help, completions, standard input, what `info` says of coefficients.
#include "command.hpp"

#include "pliant/generate.hpp"
#include "pliant/io.hpp"
#include "pliant/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace pliant {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using ::testing::Not;
using testing::Outcome;
using testing::WorkFolder;

TEST(CommandLine, SuggestsWhatWasMeant) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate dense_qp p.h5 n=3 m=5").exit_code, 0);
  const auto expect = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = work.pliant(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_EQ(outcome.err, "pliant: " + message + "\n") << arguments;
  };
  expect("solve p.h5 --tol-gpa 1e-3", "solve: unknown option --tol-gpa; did you mean --tol-gap?");
  expect("solve p.h5 --tol_feas=1e-3", "solve: unknown option --tol_feas; did you mean --tol-feas?");
  expect("solve --tolgap 1e-3", "solve: unknown option --tolgap; did you mean --tol-gap?");  // before what is missing
  expect("check p.h5 --threds 2", "check: unknown option --threds; 'pliant help check' lists them");
  expect("slove p.h5", "unknown command 'slove'; did you mean solve?");
  expect("p.h5", "unknown command 'p.h5'; did you mean 'pliant solve p.h5'?");
  expect("zzzzzzzz", "unknown command 'zzzzzzzz'; 'pliant help' lists them");
  expect("help exitcodes", "help: nothing is known of 'exitcodes'; did you mean exit-codes?");
  expect("solve p.h5 more", "solve: unexpected argument 'more'");
  expect("solve", "solve: FILE is required");
  expect("solve p.h5 --output x.csv", "solve: unknown option --output; did you mean --solution?");
  expect("solve p.h5 -o x.csv", "solve: unknown option -o; did you mean --solution?");
  expect("solve p.h5 --tolerance 1e-3", "solve: unknown option --tolerance; did you mean --tol-gap?");
  expect("generate dense_qp n=5 m=10", "generate: expected FAMILY OUT [name=value ...], got 'n=5' in the place of OUT");
  expect("solve p.h5 --tol 1e-3", "solve: unknown option --tol; did you mean --tol-feas or --tol-gap?");
  expect("generate dense_pq q.h5", "unknown family 'dense_pq'; did you mean dense_qp?");
  expect("", "expected a command; 'pliant help' lists the commands");
  expect("--quiet", "unknown option --quiet; 'pliant help' lists the commands");
  expect("--hlep", "unknown option --hlep; did you mean --help?");
  expect("solve p.h5 --json", "solve: --json: expected OUT, got nothing");
  expect("solve p.h5 --norm", "solve: --norm: expected 1|2|inf, got nothing");
  expect("solve p.h5 --checkpoint-every -1", "--checkpoint-every: expected a number >= 0, got '-1'");
  expect("solve p.h5 --solution -",
         "--solution: expected a file (.h5, .csv, .json, .sol; all but .h5 also .gz), got '-'; --json - --json-x "
         "writes x to "
         "standard output");
  expect("help tolgap", "help: nothing is known of 'tolgap'; did you mean tol-gap?");
  expect("solve p.h5 --" + std::string(5000, 'a'),
         "solve: unknown option --" + std::string(5000, 'a') + "; 'pliant help solve' lists them");
}

TEST(CommandLine, HelpHasAPageForEveryTopicAndCommand) {
  const WorkFolder work;
  const Outcome whole = work.pliant("help");
  EXPECT_EQ(whole.exit_code, 0);
  for (const char* word : {"exit-codes", "formats", "Exit codes:", "130"}) EXPECT_THAT(whole.out, HasSubstr(word));
  for (const char* command : {"solve", "check", "info", "generate", "convert", "bounds", "help", "completions"})
    EXPECT_THAT(whole.out, HasSubstr(std::string("\n  ") + command + " "));
  EXPECT_EQ(work.pliant("-V").out, work.pliant("--version").out);
  EXPECT_THAT(work.pliant("--help").out, HasSubstr("infeasible or unbounded, with a verified certificate"));
  for (const char* command : {"solve", "check", "info", "generate", "convert", "bounds", "help", "completions"}) {
    EXPECT_EQ(work.pliant(std::string("help ") + command).out, work.pliant(std::string(command) + " --help").out);
  }
  const std::string formats = work.pliant("help formats").out;
  for (const FileFormat& format : file_formats()) EXPECT_THAT(formats, HasSubstr(std::string(format.name)));
  const std::string settings = work.pliant("help settings").out;
  for (const SettingSpec& spec : settings_table()) EXPECT_THAT(settings, HasSubstr(spec.option()));
  const std::string statuses = work.pliant("help statuses").out;
  for (const char* row : {"optimal              0  ", "dual_infeasible      3  ", "interrupted        130  "})
    EXPECT_THAT(statuses, HasSubstr(row));
  const std::string methods = work.pliant("help methods").out;
  for (const char* word : {"sparse_factorisations", "catalyst-svrg", "exact_penalty", "path / working sets"})
    EXPECT_THAT(methods, HasSubstr(word));
  const std::string families = work.pliant("help families").out;
  for (const FamilyInfo& family : generated_families()) EXPECT_THAT(families, HasSubstr(family.name));
}

TEST(CommandLine, HelpKnowsSettingsAndFamilies) {
  const WorkFolder work;
  for (const std::string name : {"tol-gap", "outer", "verbose"}) {
    const Outcome page = work.pliant("help " + name);
    EXPECT_EQ(page.exit_code, 0) << name;
    EXPECT_THAT(page.out, ::testing::StartsWith("--" + name));
    EXPECT_THAT(work.pliant("help settings").out, HasSubstr(page.out.substr(page.out.find('\n') + 3, 20)));
  }
  EXPECT_EQ(work.pliant("help tol_gap").out, work.pliant("help tol-gap").out);
  const std::string list = work.pliant("generate --list").out;
  for (const std::string name : {"dense_qp", "fairness"}) {
    const Outcome page = work.pliant("help " + name);
    EXPECT_EQ(page.exit_code, 0) << name;
    EXPECT_THAT(page.out, ::testing::StartsWith(name));
    EXPECT_THAT(list, HasSubstr(page.out));
  }
}

// The page of exit codes and its table in the documentation say the same.
TEST(CommandLine, ExitCodesAreDocumented) {
  const WorkFolder work;
  std::ifstream in(std::string(PLIANT_SOURCE_DIR) + "/docs/command.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::istringstream lines(work.pliant("help exit-codes").out);
  std::string line;
  std::getline(lines, line);
  int codes = 0;
  for (; std::getline(lines, line); ++codes) {
    std::istringstream fields(line);
    std::string code, meaning;
    fields >> code >> std::ws;
    std::getline(fields, meaning);
    EXPECT_THAT(page, HasSubstr("| " + code + " | " + meaning + " |"));
  }
  EXPECT_EQ(codes, 6);
}

TEST(CommandLine, CompletionsKnowEveryOption) {
  const WorkFolder work;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = work.pliant(std::string("completions ") + shell);
    EXPECT_EQ(script.exit_code, 0);
    for (const SettingSpec& spec : settings_table())
      EXPECT_THAT(script.out, HasSubstr(spec.option().substr(2))) << shell;
    for (const FamilyInfo& family : generated_families()) EXPECT_THAT(script.out, HasSubstr(family.name)) << shell;
    for (const char* word : {"print-x", "catalyst-svrg", "exit-codes"})
      EXPECT_THAT(script.out, HasSubstr(word)) << shell;
  }
  EXPECT_EQ(work.pliant("completions csh").exit_code, 1);
  for (const char* shell : {"zsh", "fish"}) {  // quotes in descriptions survive
    EXPECT_THAT(work.pliant(std::string("completions ") + shell).out, HasSubstr("the theory'\\''s bounds"));
  }
}

TEST(CommandLine, BashCompletes) {
  const WorkFolder work;
  std::ofstream(work.file("complete")) << R"(source <($1 completions bash); shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pliant; echo "${COMPREPLY[@]}"
)";
  const auto complete = [&](const std::string& words) {
    // The command of the folder is not asked for anything but its version: the shell runs behind it.
    return work.pliant("--version >/dev/null; bash ./complete " PLIANT_COMMAND " pliant " + words).out;
  };
  EXPECT_EQ(complete("sol"), "solve\n");
  EXPECT_EQ(complete("solve --tol-"), "--tol-feas --tol-gap\n");
  EXPECT_EQ(complete("solve --method ca"), "catalyst-svrg\n");
  EXPECT_EQ(complete("generate dense_l"), "dense_lp\n");
  EXPECT_EQ(complete("solve comp"), "complete\n");                // a file
  EXPECT_EQ(complete("solve --method = ca"), "catalyst-svrg\n");  // --method=ca, as the shell breaks it
  EXPECT_EQ(complete("solve --norm ="), "1 2 inf\n");
  EXPECT_EQ(complete("help comp"), "completions\n");  // and not the file
}

TEST(CommandLine, ReadsStandardInput) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate sparse_qp p.h5 n=5 m=8 seed=2").exit_code, 0);
  ASSERT_EQ(work.pliant("convert p.h5 p.mps.gz").exit_code, 0);
  ASSERT_EQ(work.pliant("generate small_lmi c.h5 n=3 m=4").exit_code, 0);
  ASSERT_EQ(work.pliant("convert c.h5 c.cbf").exit_code, 0);
  for (const std::string file : {"p.h5", "p.mps.gz", "c.cbf"}) {
    SCOPED_TRACE(file);
    const Json named = Json::parse(work.pliant("solve --json - " + file).out);
    const Outcome piped = work.pliant("solve --json - - <" + file);
    ASSERT_EQ(piped.exit_code, 0) << piped.err;
    EXPECT_EQ(Json::parse(piped.out).at("objective"), named.at("objective"));
    EXPECT_THAT(piped.err, HasSubstr("standard input: "));
  }
  const Outcome refused = work.pliant("solve - </dev/null");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("pliant: standard input: "));
  std::ofstream(work.file("damaged.mps")) << "NAME\nROWS\n Q x\n";
  const Outcome damaged = work.pliant("solve - <damaged.mps");
  EXPECT_THAT(damaged.err, HasSubstr("pliant: standard input: line "));
  EXPECT_THAT(damaged.err, Not(HasSubstr("/tmp")));
}

// A pipe that stays empty for four seconds: somebody who waits is told for what, if asked or on a terminal.
TEST(CommandLine, SaysWhatTakesLong) {
  const WorkFolder work;
  ASSERT_EQ(work.pliant("generate sparse_qp p.h5 n=5 m=8 seed=2").exit_code, 0);
  EXPECT_EQ(work.pliant("solve p.h5 --quiet --progress").err, "");  // what is over at once is not talked about
  const std::string late = "cd '" + work.path().string() + "' && mkfifo late && (exec 3>late; sleep 4; cat p.h5 >&3) &";
  for (const std::string asked : {"--progress", ""}) {
    std::filesystem::remove(work.file("late"));
    ASSERT_EQ(std::system(late.c_str()), 0);
    while (!std::filesystem::exists(work.file("late"))) usleep(1000);
    const Outcome waited = work.pliant("solve - --quiet " + asked + " <late");
    ASSERT_EQ(waited.exit_code, 0) << waited.err;
    if (asked.empty()) {
      EXPECT_EQ(waited.err, "");
    } else {
      EXPECT_THAT(waited.err, ::testing::StartsWith("pliant: reading the problem ... "));
    }
  }
}

TEST(CommandLine, InfoCountsAndWarns) {
  const WorkFolder work;
  const auto write = [&](double small_row, double constant) {
    Problem problem(2);
    problem.minimize(linear(Doubles({1.0, 2.0})));
    problem.subject_to(
        linear_le(DataMatrix::dense(2, 2, Doubles({1.0, 0.0, small_row, small_row / 2.0})), Doubles({constant, 4.0})));
    problem.regularize(box(Doubles({-3.0, 0.0}), Doubles({5.0, kInfinity})));
    write_problem(problem, work.file("p.h5"));
  };
  write(0.5, 8.0);
  const Json plain = Json::parse(work.pliant("info p.h5 --json -").out);
  EXPECT_EQ(plain.at("nonzeros"), 3);
  EXPECT_EQ(plain.at("ranges").at("entries"), Json({0.25, 1.0}));
  EXPECT_EQ(plain.at("ranges").at("rows"), Json({0.5, 1.0}));
  EXPECT_EQ(plain.at("ranges").at("constants"), Json({4.0, 8.0}));
  EXPECT_EQ(plain.at("ranges").at("objective"), Json({1.0, 2.0}));
  EXPECT_EQ(plain.at("ranges").at("bounds"), Json({3.0, 5.0}));
  EXPECT_TRUE(plain.at("warnings").empty());
  EXPECT_THAT(work.pliant("info p.h5").out, Not(HasSubstr("warning")));
  write(1e-9, 8.0);
  EXPECT_THAT(work.pliant("info p.h5").out, HasSubstr("warning      rows are of sizes 1.0e-09 to 1.0e+00: "));
  write(0.5, 1e10);
  EXPECT_THAT(work.pliant("info p.h5").out,
              HasSubstr("warning      constants of rows are of sizes 4.0e+00 to 1.0e+10: "));
}

}  // namespace
}  // namespace pliant
