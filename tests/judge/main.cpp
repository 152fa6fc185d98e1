// judge [ordinary=100000] [hostile=10000] [seed=0] [family=NAME] [show=5]: solves and checks problems of all families and
// confronts every claim with the exact truth. A table per family; exit code 1 if a claim is false.
#include "judge/examine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>

namespace {

using namespace pliant;
using namespace pliant::judge;

struct Options {
  Index ordinary = 100000, hostile = 10000, seed = 0, show = 5;
  std::string family;
};

struct Row {
  Index problems = 0, optimal = 0, infeasible = 0, unbounded = 0, other = 0, refused = 0;
  Index proved = 0, if_convex = 0, estimate = 0, unconditional = 0, within_radius = 0;
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
    checks += one.checks;
    proved_checks += one.proved_checks;
    far_from_truth += one.far_from_truth;
    false_problems += !one.false_claims.empty();
  }
};

void print(const std::string& name, const Row& row) {
  fmt::print(
      "{:<22} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>7} {:>7} | {:>8} {:>8} | {:>6} {:>6} "
      "{:>8.1f}\n",
      name, row.problems, row.optimal, row.infeasible, row.unbounded, row.other, row.refused, row.proved, row.if_convex,
      row.estimate, row.unconditional, row.within_radius, row.checks, row.proved_checks, row.far_from_truth,
      row.false_problems, row.seconds);
  std::fflush(stdout);
}

void print_header() {
  fmt::print(
      "{:<22} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>7} {:>7} | {:>8} {:>8} | {:>6} {:>6} "
      "{:>8}\n",
      "family", "number", "optimal", "infeas", "unbound", "other", "refused", "proved", "convex", "estim", "nowhere",
      "radius", "checks", "proved", "off", "FALSE", "seconds");
}

// Refusals are told apart by their beginnings.
constexpr std::size_t kRefusalLength = 60;

// Runs `count` problems shared evenly by the families; returns how many had a false claim.
Index run(const std::vector<Family>& families, Index count, const Options& options) {
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
      RawCase raw = family.make(random);
      raw.family = family.name;
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

bool parse(int argc, char** argv, Options& options) {
  const std::map<std::string, Index*> numbers = {
      {"ordinary", &options.ordinary}, {"hostile", &options.hostile}, {"seed", &options.seed}, {"show", &options.show}};
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos) return false;
    if (name == "family") {
      options.family = text.substr(equals + 1);
    } else if (numbers.contains(name)) {
      *numbers.at(name) = std::stoll(text.substr(equals + 1));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: judge [ordinary=N] [hostile=N] [seed=K] [family=NAME] [show=N]\n");
    return 2;
  }
  print_header();
  Index wrong = run(ordinary_families(), options.ordinary, options);
  wrong += run(hostile_families(), options.hostile, options);
  fmt::print("problems with a false claim: {}\n", wrong);
  return wrong == 0 ? 0 : 1;
}
