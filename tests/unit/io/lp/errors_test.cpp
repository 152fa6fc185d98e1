// Every way an LP file can be wrong gets one line: file, line, what was expected.
#include "lp_support.hpp"

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(LpTest, ErrorsNameTheLine) {
  EXPECT_EQ(error("x + y\n"), "line 1: expected 'minimize' or 'maximize', got 'x'");
  EXPECT_EQ(error("min\n x\n"), "line 2: expected 'subject to', got the end of the file");
  EXPECT_EQ(error("min x\nst\n x <= 1\n"), "line 3: expected 'end': the file is truncated");
  EXPECT_EQ(error("min x\nst\n x <= 1\nend\nmore\n"), "line 5: expected nothing after 'end', got 'more'");
  EXPECT_EQ(error("min x\nst\n x\nend\n"), "line 4: expected <=, >= or =, got 'end'");
  EXPECT_EQ(error("min x\nst\n x <= y\nend\n"), "line 3: expected a number on the right-hand side, got 'y'");
  EXPECT_THAT(error("min x\nst\n x <= 3 y\nend\n"), StartsWith("line 3: expected the end of the row, got 'y'"));
  EXPECT_EQ(error("min x +\nst\n x <= 1\nend\n"), "line 2: expected a variable, got 'st'");
  EXPECT_EQ(error("min x\nst\n a: x <= 1\n a: x <= 2\nend\n"), "line 5: row a is defined twice");
  EXPECT_EQ(error("min x\nst\n 3 <= x <= 1\nend\n"), "line 4: row R1 has the lower side 3 and the upper side 1");
  EXPECT_EQ(error("min x\nst\n x <= 1 ?= 2\nend\n"),
            "line 3: expected the end of the row, got '?': variables stand on one side only");
  EXPECT_EQ(error("min x @^ y\nst\nend\n"), "line 1: expected 'subject to', got '^'");
  EXPECT_EQ(error("min x\nst\n x = 1 -> y <= 2\nend\n"),
            "line 3: expected the end of the row, got '->': variables stand on one side only");
  EXPECT_EQ(error("min x\nst\n x -> 3\nend\n"), "line 3: indicator constraints ('->') are not supported");
  EXPECT_EQ(error("min x\nst\nbounds\n x <= three\nend\n"), "line 4: expected a number, got 'three'");
  EXPECT_EQ(error("min x\nst\nbounds\n x 3\nend\n"), "line 4: expected <=, >= or =, got '3'");
  EXPECT_EQ(error("min\nst\nend\n"), "line 3: there are no variables, expected at least one");
  EXPECT_EQ(error("min x\nst\nst: x <= 1\nmax\nend"), "line 5: a second objective, expected one");
}

TEST_F(LpTest, QuadraticParts) {
  EXPECT_EQ(error("min [ x ]\nst\nend\n"), "line 1: expected '*' or '^', got ']'");
  EXPECT_EQ(error("min [ x ^ 3 ]\nst\nend\n"), "line 1: expected the power 2, got '3'");
  EXPECT_EQ(error("min [ x ^ 2 ] / 3\nst\nend\n"), "line 1: expected 2 after '/', got '3'");
  EXPECT_EQ(error("min [ 3 ] / 2\nst\nend\n"),
            "line 1: expected a product such as 2 x * y or x ^ 2 between '[' and ']', got ']'");
  EXPECT_THAT(error("min x\nst\n q: [ x ^ 2 ] = 1\nend\n"),
              HasSubstr("row q has quadratic terms, expected exactly one"));
  EXPECT_THAT(error("min [ x ^ 2 - y ^ 2 ]\nst\nend\n"), HasSubstr("-"));  // not convex: validate says so
}

TEST_F(LpTest, IntegersAreRefusedByName) {
  for (const char* section :
       {"General", "binaries", "INTEGERS", "semi-continuous", "SOS1", "sos", "lazy constraints"}) {
    const std::string message = error(std::string("min x\nst\n x <= 1\n") + section + "\n x\nend\n");
    EXPECT_THAT(message, HasSubstr("integer, semi-continuous and piecewise models are not convex programs")) << section;
    EXPECT_THAT(message, StartsWith("line ")) << section;
  }
}

TEST_F(LpTest, BoundsThatContradict) {
  EXPECT_THAT(error("min x\nst\nbounds\n x <= -5\nend\n"),
              HasSubstr("variable x has the lower bound 0 and the upper bound -5 (the lower one is 0"));
  EXPECT_THAT(error("min x\nst\nbounds\n inf <= x\nend\n"), HasSubstr("lower bound inf"));
}

TEST_F(LpTest, WhatIsNoText) {
  EXPECT_THAT(error(std::string("min x\nst\n x\0 <= 1\nend\n", 22)), StartsWith("line 3: contains a zero byte"));
  EXPECT_THAT(error("min " + std::string(300, 'a') + "\nst\nend\n"), StartsWith("line 1: a name of 300 characters"));
  EXPECT_THAT(error("min " + std::string(1000000, '9') + " x\nst\nend\n"),
              HasSubstr("too large or too small for a number"));
  EXPECT_THAT(error("min 1e999 x\nst\nend\n"), StartsWith("line 1: '1e999' is too large"));
  EXPECT_THAT(error("min \xff\xfe\nst\nend\n"), HasSubstr("is not valid UTF-8"));
  EXPECT_THAT(error(std::string("min ") + std::string(17000000, ' ')), HasSubstr("longer than"));
  EXPECT_EQ(error(""), "line 1: expected 'minimize' or 'maximize', got the end of the file");
}

}  // namespace
}  // namespace pliant::testing
