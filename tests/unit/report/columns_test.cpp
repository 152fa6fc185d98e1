// The data of the page: what a script reads back is the trace.
#include "report/page/columns.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace pliant::report {
namespace {

using Json = nlohmann::json;

// `path`: some rows with figures of a path of complementarity; such traces are short.
std::vector<Progress> any_trace(testing::Random& random, Index rows, bool path = false) {
  std::vector<Progress> out;
  double xi = 1.0;
  for (Index k = 0; k < rows; ++k) {
    Progress row;
    row.iteration = 3 * k;
    row.stage = k / 7;
    row.time = 0.01 * static_cast<double>(k) + 1e-3 * random.uniform();
    row.passes = static_cast<double>(k) + random.uniform();
    row.objective = 1e3 * random.normal();
    row.lower_bound = random.uniform() < 0.2 ? -kInfinity : row.objective - random.log_uniform(1e-9, 1e3);
    row.violation = random.uniform() < 0.3 ? 0.0 : random.log_uniform(1e-12, 10.0);
    row.dual_residual = random.uniform() < 0.3 ? kInfinity : random.log_uniform(1e-12, 10.0);
    row.delta = random.log_uniform(1e-12, 1.0);
    if (random.uniform() < 0.1) xi *= 10.0;
    row.xi = xi;
    row.active = random.uniform() < 0.3 ? -1 : random.integer(0, 100);
    if (path && random.uniform() < 0.5) {
      row.gap_estimate = random.log_uniform(1e-9, 1e3);
      row.mu = random.log_uniform(1e-12, 1e3);
      row.step_primal = random.uniform();
      row.step_dual = random.uniform();
    }
    row.near_active = random.uniform() < 0.5 ? -1 : random.integer(0, 1000);
    row.working = 1000;
    row.screened = k / 5;
    out.push_back(row);
  }
  return out;
}

std::vector<Json> unpacked(const Json& column) {
  if (column.is_array()) return column.get<std::vector<Json>>();
  std::vector<Json> out;
  const Json& runs = column.at("runs");
  for (std::size_t i = 0; i < runs.size(); i += 2) out.insert(out.end(), runs[i + 1].get<std::size_t>(), runs[i]);
  return out;
}

void expect_value(const Json& found, double expected, double relative) {
  if (!std::isfinite(expected)) {
    EXPECT_TRUE(found.is_null()) << found;
    return;
  }
  ASSERT_TRUE(found.is_number()) << found;
  EXPECT_NEAR(found.get<double>(), expected, relative * std::abs(expected));
}

TEST(ReportColumns, DataAreTheTrace) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    const bool maximize = random.uniform() < 0.5;
    const std::vector<Progress> trace = any_trace(random, random.integer(0, 60), random.uniform() < 0.5);
    const Json page = Json::parse(make_columns(trace, maximize, false).json);
    const double direction = page.at("direction").get<double>();
    ASSERT_EQ(page.at("rows").get<std::size_t>(), trace.size());
    std::map<std::string, std::vector<Json>> columns;
    for (const auto& [name, column] : page.at("columns").items()) {
      columns[name] = unpacked(column);
      ASSERT_EQ(columns[name].size(), trace.size()) << name;
    }
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const Progress& row = trace[i];
      const double nan = std::nan(""), sign = maximize ? -1.0 : 1.0;
      expect_value(columns["iteration"][i], static_cast<double>(row.iteration), 0.0);
      expect_value(columns["time"][i], row.time, 1e-4);
      expect_value(columns["passes"][i], row.passes, 1e-5);
      expect_value(columns["objective"][i], sign * row.objective, 1e-9);
      expect_value(columns["gap"][i], row.objective - row.lower_bound, 5.1e-3);
      expect_value(columns["violation"][i], row.violation, 5.1e-3);
      expect_value(columns["dual_residual"][i], row.dual_residual, 5.1e-3);
      expect_value(columns["delta"][i], row.delta, 1e-3);
      expect_value(columns["xi"][i], row.xi, 1e-3);
      expect_value(columns["active"][i], row.active < 0 ? nan : static_cast<double>(row.active), 0.0);
      expect_value(columns["gap_estimate"][i], row.gap_estimate / (1.0 + std::abs(row.objective)), 5.1e-3);
      expect_value(columns["mu"][i], row.mu, 5.1e-3);
      expect_value(columns["step_primal"][i], row.step_primal, 5.1e-3);
      expect_value(columns["step_dual"][i], row.step_dual, 5.1e-3);
      expect_value(columns["near_active"][i], row.near_active < 0 ? nan : static_cast<double>(row.near_active), 0.0);
      expect_value(columns["working"][i], static_cast<double>(row.working), 0.0);
      expect_value(columns["screened"][i], static_cast<double>(row.screened), 0.0);
      if (std::isfinite(row.lower_bound)) {  // the bound as the script computes it
        const double bound = columns["objective"][i].get<double>() + direction * columns["gap"][i].get<double>();
        EXPECT_NEAR(bound, sign * row.lower_bound, 5.1e-3 * (row.objective - row.lower_bound) + 1e-6);
      }
    }
  }
}

// Charts run over iterations where a path of complementarity was followed, or passes hardly move.
TEST(ReportColumns, TheHorizontalAxisIsTheOneThatMoves) {
  testing::Random random(7);
  std::vector<Progress> trace = any_trace(random, 12);
  for (Progress& row : trace) row.mu = Progress::kUnknown;
  EXPECT_FALSE(make_columns(trace, false, false).by_iteration);
  EXPECT_FALSE(make_columns(trace, false, false).on_path());
  trace[3].mu = 1e-3;
  EXPECT_TRUE(make_columns(trace, false, false).by_iteration);
  EXPECT_TRUE(make_columns(trace, false, false).on_path());
  trace[3].mu = Progress::kUnknown;
  for (Progress& row : trace) row.passes = 1.0;
  trace.back().passes = 2.0;
  EXPECT_TRUE(make_columns(trace, false, false).by_iteration);
  EXPECT_FALSE(make_columns({}, false, false).by_iteration);
}

TEST(ReportColumns, LongTracesAreThinnedAndKeepTheirEnds) {
  testing::Random random(5);
  for (Index rows : {10000, 20001, 45678}) {
    const std::vector<Progress> trace = any_trace(random, rows);
    const Columns columns = make_columns(trace, false, false);
    EXPECT_EQ(columns.recorded, rows);
    EXPECT_LE(columns.json.size(), Columns::kMostBytes);
    EXPECT_GE(columns.rows(), std::min<Index>(rows, 4000));
    if (rows <= 10000) {
      EXPECT_EQ(columns.rows(), rows);
    }
    EXPECT_EQ(columns.passes.front(), trace.front().passes);
    EXPECT_EQ(columns.passes.back(), trace.back().passes);
  }
}

TEST(ReportColumns, TimelessMeansNoTimes) {
  testing::Random random(6);
  const Json page = Json::parse(make_columns(any_trace(random, 12), false, true).json);
  for (const Json& value : unpacked(page.at("columns").at("time"))) EXPECT_TRUE(value.is_null());
}

}  // namespace
}  // namespace pliant::report
