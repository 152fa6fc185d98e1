// Which prox terms combine, the parameters they show, and every message about bad ones.
#include "unit/prox/prox_zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

#define EXPECT_REFUSED(statement, text) EXPECT_THAT([&] { statement; }, ThrowsMessage<InputError>(HasSubstr(text)))

Doubles numbers(std::vector<double> values) { return Doubles(std::move(values)); }

TEST(ProxCombination, WeightsAddAndBoxesIntersect) {
  const ProxPtr a = combine(l1(2, 1.0), l1(2, 2.0));
  EXPECT_EQ(a->kind(), "l1");
  EXPECT_EQ(separable_parameters(*a)->l1, 3.0);
  const ProxPtr b = combine(a, l2_squared(2, 0.5));
  EXPECT_EQ(b->kind(), "elastic_net");
  EXPECT_EQ(separable_parameters(*b)->l1, 3.0);
  EXPECT_EQ(separable_parameters(*b)->l2, 0.5);
  EXPECT_TRUE(separable_parameters(*b)->lo.empty());
  EXPECT_TRUE(separable_parameters(*b)->hi.empty());
  const ProxPtr c = combine(box(numbers({-1, -kInfinity}), numbers({2, 5})), nonnegative(2));
  EXPECT_EQ(c->kind(), "box");
  EXPECT_EQ(separable_parameters(*c)->lo[0], 0.0);
  EXPECT_EQ(separable_parameters(*c)->lo[1], 0.0);
  EXPECT_EQ(separable_parameters(*c)->hi[1], 5.0);
  EXPECT_EQ(combine(nonnegative(2), nonnegative(2))->kind(), "nonnegative");
  const ProxPtr d = combine(b, c);
  EXPECT_EQ(d->kind(), "separable");
  EXPECT_EQ(separable_parameters(*d)->l1, 3.0);
  EXPECT_EQ(separable_parameters(*d)->hi[0], 2.0);
  EXPECT_EQ(d->strong_convexity(), 0.5);
}

TEST(ProxCombination, NoneCombinesWithAnything) {
  for (const ProxSpecimen& s : prox_zoo(1, 6)) {
    EXPECT_EQ(combine(no_regularizer(6), s.term), s.term);
    if (s.name != "none") {
      EXPECT_EQ(combine(s.term, no_regularizer(6)), s.term);
    }
  }
}

TEST(ProxCombination, RefusalsNameBothKinds) {
  EXPECT_REFUSED(combine(simplex(2, 1.0), l1(2, 1.0)), "simplex cannot be combined with l1");
  EXPECT_REFUSED(combine(nonnegative(2), ball(2, 1.0)), "nonnegative cannot be combined with ball");
  EXPECT_REFUSED(combine(ball(2, 1.0), simplex(2, 1.0)), "ball cannot be combined with simplex");
  const ProxPtr group = group_l2(std::vector<Index>{0, 0}, numbers({1}));
  EXPECT_REFUSED(combine(group, group), "group_l2 cannot be combined with group_l2");
  EXPECT_REFUSED(combine(l1(2, 1.0), l1(3, 1.0)), "l1 and l1: 2 and 3 variables");
  EXPECT_REFUSED(combine(box(numbers({0, -5}), numbers({1, -3})), nonnegative(2)),
                 "box and nonnegative: no value of variable 1 satisfies both (lo 0 > hi -3)");
  EXPECT_REFUSED(combine(nonnegative(1), box(numbers({std::nan("")}), numbers({1}))), "box: lo: entry 0 is nan");
}

TEST(ProxCombination, ParametersForWriters) {
  const ProxPtr group = group_l2(std::vector<Index>{1, 0, 1}, numbers({3, 4}));
  ASSERT_NE(group_parameters(*group), nullptr);
  EXPECT_EQ(group_parameters(*group)->groups[2], 1);
  EXPECT_EQ(group_parameters(*group)->weights[1], 4.0);
  EXPECT_EQ(separable_parameters(*group), nullptr);
  EXPECT_EQ(group_parameters(*l1(2, 1.0)), nullptr);
  EXPECT_EQ(radius_parameter(*simplex(2, 1.5)), 1.5);
  EXPECT_EQ(radius_parameter(*ball(2, 2.5)), 2.5);
  EXPECT_EQ(radius_parameter(*group), 0.0);
  EXPECT_EQ(separable_parameters(*nonnegative(2))->hi[0], kInfinity);
}

TEST(ProxValidation, BadDataAreNamed) {
  const double nan = std::nan("");
  EXPECT_REFUSED(l1(2, -1.0), "l1: w must be a finite number >= 0, got -1");
  EXPECT_REFUSED(l1(2, nan), "l1: w must be a finite number >= 0, got nan");
  EXPECT_REFUSED(l2_squared(2, kInfinity), "l2_squared: w must be a finite number >= 0, got inf");
  EXPECT_REFUSED(elastic_net(2, -0.5, 1.0), "elastic_net: w1 must be a finite number >= 0, got -0.5");
  EXPECT_REFUSED(elastic_net(2, 0.5, -1.0), "elastic_net: w2 must be a finite number >= 0, got -1");
  EXPECT_REFUSED(no_regularizer(0), "none: expected at least 1 variable, got 0");
  EXPECT_REFUSED(nonnegative(-3), "nonnegative: expected at least 1 variable, got -3");
  EXPECT_REFUSED(box({}, {}), "box: expected at least 1 variable, got 0");
  EXPECT_REFUSED(box(numbers({1, 2}), numbers({1})), "box: hi: expected 2 entries, got 1");
  EXPECT_REFUSED(box(numbers({1, 2}), numbers({1, 1}))->validate(), "box: variable 1 has lo > hi (2 > 1)");
  EXPECT_REFUSED(box(numbers({nan}), numbers({1}))->validate(), "box: lo: entry 0 is nan");
  EXPECT_REFUSED(box(numbers({0}), numbers({nan}))->validate(), "box: hi: entry 0 is nan");
  EXPECT_REFUSED(box(numbers({kInfinity}), numbers({kInfinity}))->validate(), "box: lo: entry 0 is inf");
  EXPECT_REFUSED(box(numbers({-kInfinity}), numbers({-kInfinity}))->validate(), "box: hi: entry 0 is -inf");
  EXPECT_REFUSED(simplex(3, 0.0), "simplex: radius must be a finite number > 0, got 0");
  EXPECT_REFUSED(simplex(0, 1.0), "simplex: expected at least 1 variable, got 0");
  EXPECT_REFUSED(ball(3, nan), "ball: radius must be a finite number > 0, got nan");
  EXPECT_REFUSED(ball(0, 1.0), "ball: expected at least 1 variable, got 0");
  EXPECT_REFUSED(group_l2({}, {}), "group_l2: groups is empty");
  EXPECT_REFUSED(group_l2(std::vector<Index>{0, 2}, numbers({1, 1})),
                 "group_l2: groups: entry 1 is 2, but there are 2 weights");
  EXPECT_REFUSED(group_l2(std::vector<Index>{0, -1}, numbers({1})),
                 "group_l2: groups: entry 1 is -1, but there are 1 weights");
  EXPECT_REFUSED(group_l2(std::vector<Index>{0, 0}, numbers({-1}))->validate(),
                 "group_l2: weights: entry 0 must be a finite number >= 0, got -1");
}

}  // namespace
}  // namespace pliant::testing
