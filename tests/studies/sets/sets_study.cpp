// The public instances beside the repository: each is solved, and judged from the file's own numbers, read a second
// time.
#include "pliant/io.hpp"
#include "pliant/solve.hpp"
#include "support/raw_mps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pliant {
namespace {

using testing::dot;
using testing::Long;
using testing::LongList;
using testing::product;
using testing::RawMps;
using testing::worst;

struct Instance {
  std::string file, cones, status;
  Long reference = 0.0L, allowed = 0.0L;  // |objective - reference| <= allowed (1 + |reference|)
};

std::filesystem::path data_folder() {
  const char* folder = std::getenv("PLIANT_DATA");
  return folder != nullptr ? folder : PLIANT_DATA_FOLDER;
}

// Lines of index.csv; quotes occur behind the fields that matter, except around the last one, the digits.
std::vector<Instance> instances(const std::string& set) {
  std::vector<Instance> out;
  std::ifstream index(data_folder() / "index.csv");
  for (std::string line; std::getline(index, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    if (fields.size() < 9 || fields[0] != set) continue;
    Instance one{fields[1], fields[6], fields[8]};
    if (one.status == "optimal") {
      const int digits = std::stoi(line.substr(line.rfind(',') + 1));
      one.reference = std::stold(fields[7]);
      one.allowed = std::max(1e-6L, std::pow(10.0L, static_cast<Long>(1 - digits)));
    }
    out.push_back(one);
  }
  return out;
}

LongList to_long(const Vector& v) { return {v.data(), v.data() + v.size()}; }

// One signed number per row of the file, found by the row's name.
LongList raw_duals(const RawMps& raw, const Problem& problem, const Multipliers& multipliers) {
  LongList y(raw.low.size(), 0.0L);
  const auto put = [&](const ConstraintBatch& batch, const Vector& lambda, const std::vector<std::string>& names) {
    Vector duals(batch.dual_size());
    batch.multipliers_to_duals(lambda, duals);
    for (Index i = 0; i < duals.size(); ++i) y.at(raw.rows.at(names.at(static_cast<std::size_t>(i)))) = duals[i];
  };
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    put(*problem.batches()[b], multipliers.lambda.at(b), problem.names.constraints.at(b));
  }
  for (Index i = 0; i < multipliers.nu.size(); ++i) {
    y.at(raw.rows.at(problem.names.equalities.at(static_cast<std::size_t>(i)))) = multipliers.nu[i];
  }
  return y;
}

// c + Qx + A'y, less what multipliers of the bounds balance, relative to |c + Qx|; y of a missing side must be 0.
Long raw_dual_residual(const RawMps& raw, const LongList& x, const LongList& y) {
  Long scale = 0.0L, out = 0.0L;
  const LongList smooth = product(raw.Q, x, raw.c);
  for (Long g : smooth) scale = worst(scale, std::fabs(g));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i] > 0.0L ? raw.high[i] : raw.low[i]) && y[i] != 0.0L) return testing::kLongInfinity;
  }
  Long natural = 0.0L;  // |x - clip(x - g)|, which forgives bounds that x misses by a little
  const LongList gradient = product(raw.A, y, smooth, true);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Long g = gradient[j];
    if (!std::isfinite(g > 0.0L ? raw.lo[j] : raw.hi[j])) out = worst(out, std::fabs(g));
    natural = worst(natural, std::fabs(x[j] - std::clamp(x[j] - g, raw.lo[j], raw.hi[j])));
  }
  return std::isnan(out + natural) ? out + natural : std::min(out, natural) / (1.0L + scale);
}

void judge_optimal(const Instance& instance, const RawMps& raw, const Problem& problem, const Result& r) {
  const LongList x = to_long(r.x);
  const Long objective = raw.constant + dot(raw.c, x) + 0.5L * dot(x, product(raw.Q, x, LongList(x.size(), 0.0L)));
  EXPECT_LE(std::fabs(objective - instance.reference), instance.allowed * (1.0L + std::fabs(instance.reference)));
  EXPECT_LE(testing::raw_violation(raw, x), 1e-6L);
  EXPECT_LE(raw_dual_residual(raw, x, raw_duals(raw, problem, r.multipliers)), 1e-6L);
}

// Every feasible point has (A'y)'x <= sum of y+ high + y- low. Within |x_j| <= R the left side is larger: none exists
// there. Bounds of the file that are finite hold without R. A proof without a radius is one for multipliers beside y
// that balance exactly; of y itself R = 1e7 is asked.
void judge_infeasible(const RawMps& raw, const Problem& problem, const Result& r) {
  const LongList y = raw_duals(raw, problem, r.multipliers);
  const LongList g = product(raw.A, y, LongList(raw.c.size(), 0.0L), true);
  const Long radius = 1e7L * std::max<Long>(1.0L, r.x.size() > 0 ? r.x.lpNorm<Eigen::Infinity>() : 0.0);
  Long most = 0.0L, least = 0.0L;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != 0.0L) most += y[i] * (y[i] > 0.0L ? raw.high[i] : raw.low[i]);
  }
  for (std::size_t j = 0; j < g.size(); ++j) {
    if (g[j] != 0.0L) least += g[j] * (g[j] > 0.0L ? std::max(raw.lo[j], -radius) : std::min(raw.hi[j], radius));
  }
  EXPECT_GT(least, most);
}

// From a feasible point along d the objective falls, and no row or bound ends the way.
void judge_unbounded(const RawMps& raw, const Result& r) {
  ASSERT_EQ(r.ray.size(), static_cast<Index>(raw.c.size()));
  const LongList d = to_long(r.ray);
  EXPECT_LE(testing::raw_violation(raw, to_long(r.x)), 1e-6L);
  const Long length = std::sqrt(dot(d, d)), descent = -dot(raw.c, d) / (length * std::sqrt(dot(raw.c, raw.c)));
  EXPECT_GE(descent, 1e-10L);
  const LongList slopes = product(raw.A, d, LongList(raw.low.size(), 0.0L));
  LongList norms(raw.low.size(), 0.0L);
  for (const testing::RawEntry& e : raw.A) norms[e.row] += e.value * e.value;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const Long slope = slopes[i] / (length * std::sqrt(norms[i]));
    if (std::isfinite(raw.high[i])) {
      EXPECT_LE(slope, 1e-8L * descent + 1e-14L) << i;
    }
    if (std::isfinite(raw.low[i])) {
      EXPECT_GE(slope, -1e-8L * descent - 1e-14L) << i;
    }
  }
  for (std::size_t j = 0; j < d.size(); ++j) {
    if (std::isfinite(raw.lo[j])) {
      EXPECT_GE(d[j], 0.0L) << j;
    }
    if (std::isfinite(raw.hi[j])) {
      EXPECT_LE(d[j], 0.0L) << j;
    }
  }
  for (Long entry : product(raw.Q, d, LongList(d.size(), 0.0L))) EXPECT_EQ(entry, 0.0L);
}

// Solves a file; returns the number of Newton steps.
Index solve_and_judge(const Instance& instance, const std::filesystem::path& file) {
  SCOPED_TRACE(instance.file + " " + instance.cones);
  const Problem problem = read_problem(file);
  Settings settings;
  settings.tol_feas = settings.tol_gap = 1e-7;
  settings.time_limit = 120.0;
  settings.threads = 2;
  const Result r = solve(problem, settings);
  fmt::print("{:<28} {:<18} {:>4} steps {:>9.3g} s\n", instance.file, to_string(r.status), r.iterations, r.time.solve);
  const RawMps raw = testing::read_raw_mps(file.string());
  if (static_cast<std::size_t>(problem.dimension()) != raw.c.size()) {
    ADD_FAILURE() << "the readers disagree about the number of variables";
  } else if (instance.status == "optimal") {
    EXPECT_EQ(r.status, Status::optimal) << r.message;
    judge_optimal(instance, raw, problem, r);
  } else if (instance.status == "infeasible") {
    EXPECT_EQ(r.status, Status::primal_infeasible) << r.message;
    judge_infeasible(raw, problem, r);
  } else {
    EXPECT_EQ(r.status, Status::dual_infeasible) << r.message;
    judge_unbounded(raw, r);
  }
  return r.iterations;
}

// min x'Sx, sum x = 1, x >= 0, mean'x >= target where there is one; S_ij = corr_ij sd_i sd_j.
std::string portfolio(const Instance& instance) {
  std::istringstream in(testing::read_text((data_folder() / instance.file).string()));
  std::size_t n = 0;
  in >> n;
  std::vector<double> mean(n), deviation(n);
  for (std::size_t i = 0; i < n; ++i) in >> mean[i] >> deviation[i];
  const std::size_t at = instance.cones.find("target=");
  const bool target = at != std::string::npos;
  std::string out = "NAME portfolio\nROWS\n N risk\n E budget\n";
  out += target ? " G return\nCOLUMNS\n" : "COLUMNS\n";
  for (std::size_t i = 0; i < n; ++i) {
    out += fmt::format(" x{} budget 1", i + 1) + (target ? fmt::format(" return {}\n", mean[i]) : "\n");
  }
  out += "RHS\n r budget 1\n" + (target ? " r return " + instance.cones.substr(at + 7) + "\n" : "") + "QUADOBJ\n";
  std::size_t i = 0, j = 0;
  for (double correlation = 0.0; in >> i >> j >> correlation;) {
    out += fmt::format(" x{} x{} {}\n", i, j, 2.0 * correlation * deviation.at(i - 1) * deviation.at(j - 1));
  }
  return out + "ENDATA\n";
}

class SetsStudy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_folder() / "index.csv")) GTEST_SKIP() << data_folder() << " has no index.csv";
  }
};

TEST_F(SetsStudy, MarosMeszarosWithinSixtySteps) {
  const std::vector<Instance> all = instances("maros");
  EXPECT_EQ(all.size(), 26u);
  for (const Instance& one : all) EXPECT_LE(solve_and_judge(one, data_folder() / one.file), 60) << one.file;
}

TEST_F(SetsStudy, NetlibWithItsInfeasibleAndUnboundedOnes) {
  const std::vector<Instance> all = instances("netlib");
  EXPECT_EQ(all.size(), 22u);
  for (const Instance& one : all) solve_and_judge(one, data_folder() / one.file);
}

TEST_F(SetsStudy, Portfolios) {
  const std::vector<Instance> all = instances("orlib");
  EXPECT_EQ(all.size(), 4u);
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "sets_study_portfolio.qps";
  for (const Instance& one : all) {
    std::ofstream(file) << portfolio(one);
    solve_and_judge(one, file);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace pliant
