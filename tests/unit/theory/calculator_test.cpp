// The calculator: which entries appear, their values and standing, and refusals.
#include "theory/calculator.hpp"

#include "pliant/theory.hpp"

#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant::theory {
namespace {

using Parameters = std::map<std::string, double>;

/// Entries whose name starts with `name` and whose statement is `statement`.
std::vector<BoundEntry> select(const std::vector<BoundEntry>& all, std::string_view name, std::string_view statement) {
  std::vector<BoundEntry> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const BoundEntry& entry) { return entry.name.starts_with(name) && entry.statement == statement; });
  return found;
}

BoundEntry only(const std::vector<BoundEntry>& all, std::string_view name, std::string_view statement) {
  const auto found = select(all, name, statement);
  EXPECT_EQ(found.size(), 1u) << name << " / " << statement;
  return found.empty() ? BoundEntry{} : found.front();
}

TEST(Calculator, MinimizerBounds) {
  const auto all = evaluate_bounds({{"xi", 3.0}, {"delta", 0.01}, {"m", 10}, {"xi_bar", 1.0}, {"mu", 2.0}});
  const double master = 0.27846454276107379 * 0.3;
  EXPECT_DOUBLE_EQ(only(all, "master", "master bound").value, master);
  EXPECT_DOUBLE_EQ(only(all, "violation", "master bound").value, master / 2.0);
  EXPECT_DOUBLE_EQ(only(all, "distance", "master bound").value, std::sqrt(master / 2.0));
  EXPECT_DOUBLE_EQ(only(all, "objective gap", "Proposition 1").value, 0.3 * std::log(2.0));
  EXPECT_EQ(only(all, "violation V_1(x)", "remark on Proposition 2").condition_holds, true);
  for (const BoundEntry& entry : all) {
    EXPECT_EQ(entry.standing, Standing::guaranteed) << entry.name;
    EXPECT_FALSE(entry.formula.empty());
  }
}

TEST(Calculator, BelowTheThresholdNothingIsGuaranteed) {
  const auto all = evaluate_bounds({{"xi", 0.5}, {"delta", 0.01}, {"m", 10}, {"xi_bar", 1.0}, {"mu", 2.0}});
  EXPECT_EQ(only(all, "violation", "master bound").value, kInfinity);
  EXPECT_EQ(only(all, "violation", "master bound").condition_holds, false);
  EXPECT_EQ(only(all, "master", "master bound").condition_holds, false);
  EXPECT_EQ(only(all, "objective gap", "Proposition 1, sharper").condition_holds, true);
}

// Without xi_bar nobody can say whether xi is large enough.
TEST(Calculator, AConditionThatNobodyCanCheckIsNotSaidToHold) {
  const auto all = evaluate_bounds({{"xi", 0.5}, {"delta", 0.01}, {"m", 10}, {"mu", 2.0}, {"eps", 1e-3}});
  int unknown = 0;
  for (const BoundEntry& entry : all) {
    if (entry.condition.find("xi_bar") == std::string::npos) continue;
    EXPECT_EQ(entry.condition_holds, std::nullopt) << entry.name << ": " << entry.condition;
    ++unknown;
  }
  EXPECT_GE(unknown, 3);
}

TEST(Calculator, SlaterPointStandsForTheThreshold) {
  const auto all = evaluate_bounds({{"xi", 8.0}, {"delta", 0.01}, {"m", 10}, {"slater_gap", 2.0}, {"slater_s", 0.5}});
  EXPECT_DOUBLE_EQ(only(all, "multipliers", "Slater bound").value, 4.0);
  EXPECT_DOUBLE_EQ(only(all, "violation", "master bound").value, kW * 0.8 / 4.0);
}

TEST(Calculator, TheoremOneIsMarkedAsPrinted) {
  const Parameters p{{"xi", 1.0}, {"delta", 1e-6}, {"m", 2}, {"mu", 1.0}, {"C0", 1e6}, {"C1", 0.0}, {"eps", 1e-3}};
  const auto all = evaluate_bounds(p);
  const BoundEntry theorem = only(all, "violation", "Theorem 1");
  EXPECT_EQ(theorem.standing, Standing::as_printed);
  EXPECT_DOUBLE_EQ(theorem.value, theorem1_as_printed({1.0, 1e-6, 2}, 1.0, 4e6, 0.0).value);
  EXPECT_EQ(only(all, "delta", "Corollary 2").standing, Standing::as_printed);
  EXPECT_EQ(only(all, "delta", "static parameters").standing, Standing::guaranteed);
  Parameters with_u = p;
  with_u["U"] = 8.0;
  EXPECT_DOUBLE_EQ(only(evaluate_bounds(with_u), "violation", "Theorem 1").value,
                   theorem1_as_printed({1.0, 1e-6, 2}, 1.0, 8.0, 0.0).value);
}

TEST(Calculator, TheoremOneRepairedIsGuaranteed) {
  Parameters p{{"xi", 1.0},    {"delta", 1e-6},  {"m", 2},      {"mu", 1.0},      {"xi_bar", 1.0},
               {"A_norm", 30}, {"row_norm", 20}, {"chi", 25.0}, {"chi_inf", 40.0}};
  auto all = evaluate_bounds(p);
  EXPECT_DOUBLE_EQ(only(all, "change", "Theorem 1, repaired").value,
                   theorem1_repaired({1.0, 1e-6, 2}, 1.0, 30.0, 20.0, 25.0));
  EXPECT_DOUBLE_EQ(only(all, "change", "Theorem 1, repaired, sharper").value,
                   theorem1_repaired_sharp({1.0, 1e-6, 2}, 1.0, 30.0, 25.0));
  EXPECT_DOUBLE_EQ(only(all, "change", "Theorem 1, repaired, infinity norm").value,
                   theorem1_repaired_infinity({1.0, 1e-6, 2}, 1.0, 30.0, 20.0, 40.0));
  EXPECT_EQ(only(all, "change", "Theorem 1, repaired").standing, Standing::guaranteed);
  EXPECT_EQ(only(all, "change", "Theorem 1, repaired").condition_holds, true);
  Parameters curved = p;
  curved["La"] = 0.1;  // not linear
  EXPECT_EQ(only(evaluate_bounds(curved), "change", "Theorem 1, repaired").value, kInfinity);
  EXPECT_EQ(only(evaluate_bounds(curved), "change", "Theorem 1, repaired").condition_holds, false);
  p["xi_bar"] = 1.5;  // below the threshold there is no bound
  all = evaluate_bounds(p);
  EXPECT_EQ(only(all, "change", "Theorem 1, repaired").value, kInfinity);
  EXPECT_EQ(only(all, "change", "Theorem 1, repaired").condition_holds, false);
  p.erase("xi_bar");  // whether it holds is not known
  EXPECT_EQ(only(evaluate_bounds(p), "change", "Theorem 1, repaired").condition_holds, std::nullopt);
}

TEST(Calculator, OtherNorms) {
  const auto all =
      evaluate_bounds({{"xi", 3.0}, {"delta", 0.01}, {"m", 10}, {"xi_bar", 1.0}, {"mu", 2.0}, {"C0", 4.0}});
  const NormBounds v = violation_norms({3.0, 0.01, 10}, 1.0);
  EXPECT_DOUBLE_EQ(only(all, "violation |max(0, A(x_delta))|_2", "master bound, other norms").value, v.two);
  EXPECT_DOUBLE_EQ(only(all, "violation |max(0, A(x_delta))|_inf", "master bound, other norms").value, v.infinity);
  EXPECT_DOUBLE_EQ(only(all, "violation", "distance, other norms").value, 2.0 * std::sqrt(kW * 0.3 / 2.0));
}

TEST(Calculator, EverythingGivenEverythingComputed) {
  Parameters p;
  for (const BoundParameter& parameter : bound_parameters()) p[std::string(parameter.name)] = 1.0;
  p["xi"] = 2.0;
  p["m"] = 3.0;
  p["active"] = 2.0;
  const auto all = evaluate_bounds(p);
  for (const char* statement : {"softplus",
                                "Lemma 1",
                                "Slater bound",
                                "Proposition 1",
                                "Proposition 1, sharper",
                                "Proposition 2, sharper",
                                "remark on Proposition 2",
                                "master bound",
                                "master bound, refined",
                                "remark on active constraints",
                                "static parameters",
                                "Proposition 3",
                                "Proposition 3, sharper",
                                "Corollary 1",
                                "Corollary 1, corrected",
                                "Corollary 2",
                                "Corollary 2.1",
                                "Corollary 2.1, corrected",
                                "Corollary 2.2",
                                "Corollary 2.2, corrected",
                                "Theorem 1",
                                "Theorem 1, repaired",
                                "Theorem 1, repaired, sharper",
                                "Theorem 1, repaired, infinity norm",
                                "Theorem 1, repaired, active rows",
                                "master bound, linear constraints",
                                "master bound, other norms",
                                "distance, other norms",
                                "Proposition 2, middle term",
                                "remark on non-smooth constraints",
                                "remark on non-smooth constraints, corrected",
                                "safe screening",
                                "safe screening, exact penalty"}) {
    EXPECT_FALSE(select(all, "", statement).empty()) << statement;
  }
  const ProblemConstants problem{.m = 3, .l = 1, .Lf = 1.0, .mu = 1.0, .constraint = {1.0, 1.0, 1.0}};
  EXPECT_EQ(only(all, "accelerated gradient", "Corollary 1, corrected").value,
            std::ceil(accelerated_gradient_iterations(problem, 2.0, 1.0, 1.0)));
  EXPECT_EQ(only(all, "accelerated gradient", "Corollary 2.1, corrected").value,
            std::ceil(strongly_convex_iterations(problem, 2.0, 1.0, 1.0)));
  EXPECT_EQ(select(all, "Catalyst", "Corollary 2.2, corrected").front().standing, Standing::order);
  EXPECT_DOUBLE_EQ(only(all, "violation", "master bound, refined").value,
                   master_bound_refined({2.0, 1.0, 3}, 2, 1.0) / 1.0);
  EXPECT_DOUBLE_EQ(only(all, "violation", "Proposition 2, sharper").value, 1.0);
  for (const BoundEntry& entry : all) EXPECT_FALSE(std::isnan(entry.value)) << entry.name;
}

TEST(Calculator, NothingGivenNothingComputed) { EXPECT_TRUE(evaluate_bounds({}).empty()); }

TEST(Calculator, RefusesWhatItDoesNotUnderstand) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  const auto refusal = [](const Parameters& parameters) {
    return pliant::testing::refusal_of([&] { evaluate_bounds(parameters); });
  };
  EXPECT_THAT(refusal({{"xl", 1.0}}), AllOf(HasSubstr("xl: unknown parameter"), HasSubstr("xi, delta, m, l, mu")));
  EXPECT_THAT(refusal({{"delta", -1.0}}), HasSubstr("delta:"));
  EXPECT_THAT(refusal({{"mu", -1.0}}), HasSubstr("mu:"));
  EXPECT_THAT(refusal({{"xi", std::nan("")}}), HasSubstr("xi:"));
  EXPECT_THAT(refusal({{"m", 2.5}}), HasSubstr("m: expected a whole number"));
  EXPECT_THAT(refusal({{"xi", 1.0}, {"delta", 1.0}, {"m", 2.0}, {"active", 3.0}}), HasSubstr("active:"));
  EXPECT_THAT(refusal({{"eps", 0.0}, {"m", 2.0}}), HasSubstr("eps:"));
}

TEST(Calculator, NamesOfStandings) {
  EXPECT_EQ(to_string(Standing::guaranteed), "guaranteed");
  EXPECT_EQ(to_string(Standing::order), "order");
  EXPECT_EQ(to_string(Standing::as_printed), "as printed");
}

}  // namespace
}  // namespace pliant::theory
