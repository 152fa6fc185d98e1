#include "pliant/generate.hpp"

#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

namespace pliant {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& family, const std::map<std::string, double>& parameters) {
  return testing::refusal_of([&] { generate(family, parameters); });
}

TEST(GeneratedFamilies, AreTheDocumentedOnes) {
  std::set<std::string> names;
  for (const FamilyInfo& info : generated_families()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.description.empty()) << info.name;
    for (const char* common : {"n", "m", "seed"}) EXPECT_EQ(info.defaults.count(common), 1u) << info.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"entrywise_convex",
                                          "entrywise_strong",
                                          "dense_lp",
                                          "dense_qp",
                                          "sparse_qp",
                                          "qcqp",
                                          "qcqp_lowrank",
                                          "log_sum_exp",
                                          "ridge",
                                          "logistic",
                                          "svm",
                                          "quantile",
                                          "absolute",
                                          "hinge",
                                          "cvar",
                                          "fairness",
                                          "ellipsoid",
                                          "robust_lp",
                                          "small_lmi",
                                          "perspective",
                                          "shor_boxqp",
                                          "soc_rlt",
                                          "opf",
                                          "infeasible",
                                          "unbounded",
                                          "barely_feasible"}));
}

TEST(GeneratedFamilies, StandInTheDocumentationWithAllParameters) {
  std::ifstream file(PLIANT_DOCS "/generate.md");
  ASSERT_TRUE(file.good());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const FamilyInfo& info : generated_families()) {
    EXPECT_THAT(text, HasSubstr("`" + info.name + "`"));
    for (const auto& [name, value] : info.defaults) EXPECT_THAT(text, HasSubstr("`" + name)) << info.name;
  }
}

TEST(Generate, NamesUnknownFamiliesAndParametersWithTheKnownOnes) {
  const std::string family = refusal("dense_qq", {});
  EXPECT_THAT(family, HasSubstr("unknown family 'dense_qq'"));
  EXPECT_THAT(family, HasSubstr("dense_qp"));
  EXPECT_EQ(refusal("svm", {{"rows", 3.0}}), "svm: unknown parameter 'rows'; known: n, m, seed, margin");
}

TEST(Generate, NamesBadValues) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal("dense_qp", {{"n", 0.0}}), "dense_qp: n: expected a whole number >= 1, got 0");
  EXPECT_EQ(refusal("dense_qp", {{"m", -1.0}}), "dense_qp: m: expected a whole number >= 0, got -1");
  EXPECT_EQ(refusal("dense_qp", {{"m", 2.5}}), "dense_qp: m: expected a whole number >= 0, got 2.5");
  EXPECT_EQ(refusal("dense_qp", {{"n", nan}}), "dense_qp: n: expected a whole number >= 1, got nan");
  EXPECT_THAT(refusal("dense_qp", {{"n", kInfinity}}), HasSubstr("n: expected a whole number"));
  EXPECT_EQ(refusal("dense_qp", {{"mu", 0.0}}), "dense_qp: mu: expected a finite number > 0, got 0");
  EXPECT_EQ(refusal("dense_qp", {{"mu", nan}}), "dense_qp: mu: expected a finite number > 0, got nan");
  EXPECT_EQ(refusal("dense_qp", {{"heavy", 0.5}}), "dense_qp: heavy: expected 0 or 1, got 0.5");
  EXPECT_EQ(refusal("dense_qp", {{"heavy", 2.0}}), "dense_qp: heavy: expected 0 or 1, got 2");
  EXPECT_EQ(refusal("dense_qp", {{"correlation", 1.5}}),
            "dense_qp: correlation: expected a finite number from 0 to 1, got 1.5");
  EXPECT_THAT(refusal("dense_qp", {{"seed", -1.0}}), HasSubstr("seed: expected a whole number >= 0"));
  EXPECT_THAT(refusal("dense_qp", {{"duplicate", 0.0}}), HasSubstr("duplicate: expected a whole number >= 1"));
  EXPECT_THAT(refusal("dense_lp", {{"box", -1.0}}), HasSubstr("box: expected a finite number > 0"));
  EXPECT_THAT(refusal("qcqp_lowrank", {{"rank", 0.0}}), HasSubstr("rank: expected a whole number >= 1"));
  EXPECT_THAT(refusal("log_sum_exp", {{"terms", 0.0}}), HasSubstr("terms: expected a whole number >= 1"));
  EXPECT_THAT(refusal("svm", {{"margin", -0.1}}), HasSubstr("margin: expected a finite number >= 0"));
}

TEST(Generate, NamesSizesThatDoNotFitTogether) {
  for (const char* family : {"entrywise_convex", "entrywise_strong"}) {
    EXPECT_EQ(refusal(family, {{"n", 3.0}, {"m", 4.0}}),
              std::string(family) + ": m: expected at most n = 3 constraints, got 4");
  }
  EXPECT_THAT(refusal("ridge", {{"n", 3.0}, {"m", 4.0}, {"planted", 0.0}}), HasSubstr("m: expected at most n = 3"));
  EXPECT_EQ(refusal("ellipsoid", {{"n", 12.0}, {"d", 3.0}}),
            "ellipsoid: n: follows from d, expected (d+1)(d+2)/2 = 10 for d = 3, got 12");
  EXPECT_EQ(refusal("ellipsoid", {{"n", 10.0}, {"d", 3.0}}), "accepted");
  EXPECT_EQ(refusal("ellipsoid", {{"d", 3.0}, {"m", 3.0}}), "ellipsoid: m: expected at least d + 1 = 4 points, got 3");
  EXPECT_THAT(refusal("ellipsoid", {{"d", 1e10}, {"m", 1e11}}), HasSubstr("n, m: an array of the instance"));
  EXPECT_EQ(refusal("ellipsoid", {{"dist", 3.0}}), "ellipsoid: dist: expected one of gauss, student, uniform, got 3");
  EXPECT_THAT(refusal("qcqp", {{"n", 1e6}, {"m", 1e6}}), HasSubstr("n, m: an array of the instance"));
}

TEST(Generate, NameTellsSizesSeedAndWhatDiffersFromTheDefaults) {
  EXPECT_EQ(generate("svm", {{"n", 3.0}, {"m", 4.0}}).name, "svm n=3 m=4 seed=0");
  EXPECT_EQ(generate("svm", {{"n", 3.0}, {"m", 4.0}, {"seed", 7.0}, {"margin", 0.25}}).name,
            "svm n=3 m=4 seed=7 margin=0.25");
  EXPECT_EQ(generate("ellipsoid", {{"d", 2.0}, {"m", 9.0}, {"dist", 1.0}}).name,
            "ellipsoid n=6 m=9 seed=0 d=2 dist=student");
}

}  // namespace
}  // namespace pliant
