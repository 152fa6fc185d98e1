// Rigorous enclosures of exp, log and square roots of two, for functions that rationals cannot evaluate.
#pragma once

#include "judge/exact.hpp"

namespace pliant::judge {

/// low <= value <= high
struct Enclosure {
  Rational low, high;
};

/// The nearest number of kEnclosureBits significant bits at most (direction < 0) or at least (> 0) as large.
Rational rounded(const Rational& value, int direction);
constexpr int kEnclosureBits = 160;

/// Arguments above kLargestExponent throw std::overflow_error: nobody wants numbers of that length.
Enclosure enclose_exp(const Rational& x);
constexpr int kLargestExponent = 2000;
/// x > 0
Enclosure enclose_log(const Rational& x);
/// A number not below the square root of x >= 0, and above it by digits that no double has.
Rational root_above(const Rational& x);
/// a + b sqrt(2)
Enclosure enclose(const Surd& value);

}  // namespace pliant::judge
