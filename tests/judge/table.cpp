#include "judge/table.hpp"

#include "judge/examine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>

namespace pliant::judge {
namespace {

struct Row {
  Index problems = 0, optimal = 0, infeasible = 0, unbounded = 0, other = 0, refused = 0;
  Index proved = 0, if_convex = 0, estimate = 0, unconditional = 0, within_radius = 0, endless = 0, long_ray = 0;
  Index checks = 0, proved_checks = 0, far_from_truth = 0, false_problems = 0;
  double seconds = 0.0;

  void add(const Examination& one) {
    ++problems;
    if (one.status == "optimal") {
      ++optimal;
    } else if (one.status == "primal_infeasible") {
      ++infeasible;
    } else if (one.status == "dual_infeasible") {
      ++unbounded;
    } else if (one.status == "refused") {
      ++refused;
    } else {
      ++other;
    }
    proved += one.bound == "proved";
    if_convex += one.bound == "if convex";
    estimate += one.bound == "estimate";
    unconditional += one.unconditional;
    within_radius += one.within_radius;
    endless += one.endless_ray;
    long_ray += one.long_ray;
    checks += one.checks;
    proved_checks += one.proved_checks;
    far_from_truth += one.far_from_truth;
    false_problems += !one.false_claims.empty();
  }
};

void print(const std::string& name, const Row& row) {
  fmt::print(
      "{:<22} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>7} {:>6} {:>7} {:>6} | {:>8} {:>8} | {:>6} "
      "{:>6} "
      "{:>8.1f}\n",
      name, row.problems, row.optimal, row.infeasible, row.unbounded, row.other, row.refused, row.proved, row.if_convex,
      row.estimate, row.unconditional, row.within_radius, row.endless, row.long_ray, row.checks, row.proved_checks,
      row.far_from_truth, row.false_problems, row.seconds);
  std::fflush(stdout);
}

// Refusals are told apart by their beginnings.
constexpr std::size_t kRefusalLength = 30;

}  // namespace

void print_header() {
  fmt::print(
      "{:<22} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>7} {:>6} {:>7} {:>6} | {:>8} {:>8} | {:>6} "
      "{:>6} "
      "{:>8}\n",
      "family", "number", "optimal", "infeas", "unbound", "other", "refused", "proved", "convex", "estim", "nowhere",
      "radius", "endless", "long", "checks", "proved", "off", "FALSE", "seconds");
}

Index run(const std::vector<Family>& families, Index count, const RunOptions& options) {
  Index wrong = 0;
  for (std::size_t f = 0; f < families.size(); ++f) {
    const Family& family = families[f];
    if (count == 0 || (!options.family.empty() && options.family != family.name)) continue;
    const Index share = options.family.empty() ? count / static_cast<Index>(families.size()) : count;
    Row row;
    std::map<std::string, Index> refusals;
    Index shown = 0;
    const auto start = std::chrono::steady_clock::now();
    for (Index k = 0; k < share; ++k) {
      Random random(static_cast<std::uint64_t>(options.seed * 1000003 + k));
      const RawCase raw = draw(family, random);
      const Examination one = examine(raw, random);
      row.add(one);
      if (!one.refusal.empty()) ++refusals[one.refusal.substr(0, kRefusalLength)];
      for (const std::string& claim : one.false_claims) {
        if (shown++ < options.show) fmt::print("FALSE #{} {}\n   {}\n", k, claim, describe(raw));
      }
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    print(family.name, row);
    for (const auto& [why, number] : refusals) fmt::print("    refused {}: {}\n", number, why);
    wrong += row.false_problems;
  }
  return wrong;
}

}  // namespace pliant::judge
