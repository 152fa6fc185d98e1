#include "judge/enclosure.hpp"

#include <stdexcept>

namespace pliant::judge {
namespace {

Rational power_of_two(long exponent) {
  Rational out = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<unsigned long>(exponent));
  } else {
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<unsigned long>(-exponent));
  }
  return out;
}

long magnitude(const mpz_class& value) { return static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2)); }

// sum_j z^j/j! for 0 <= z < 2^-8: what the terms from 20 on add is below twice the first of them.
Enclosure small_exp(const Rational& z) {
  constexpr int kTerms = 20;
  Enclosure sum{1, 1}, term{1, 1};
  for (int j = 1; j < kTerms; ++j) {
    term = {rounded(term.low * z / j, -1), rounded(term.high * z / j, 1)};
    sum = {sum.low + term.low, sum.high + term.high};
  }
  return {sum.low, sum.high + 2 * term.high};
}

// 2 atanh(z) = 2 sum z^(2j+1)/(2j+1) for 0 <= z <= 1/3; the terms left out are below 9/8 of the first of them.
Enclosure twice_atanh(const Rational& z) {
  constexpr int kTerms = 60;
  const Rational square = z * z;
  const Rational low_square = rounded(square, -1), high_square = rounded(square, 1);
  Enclosure power{rounded(z, -1), rounded(z, 1)}, sum{0, 0};
  for (int j = 0; j < kTerms; ++j) {
    sum.low += rounded(power.low / (2 * j + 1), -1);
    sum.high += rounded(power.high / (2 * j + 1), 1);
    power = {rounded(power.low * low_square, -1), rounded(power.high * high_square, 1)};
  }
  sum.high += 2 * power.high;
  return {2 * sum.low, 2 * sum.high};
}

// ln m = 2 atanh((m - 1)/(m + 1)) for 1/2 <= m <= 2.
Enclosure near_log(const Rational& m) {
  if (m >= 1) return twice_atanh((m - 1) / (m + 1));
  const Enclosure negative = twice_atanh((1 - m) / (m + 1));
  return {-negative.high, -negative.low};
}

}  // namespace

Rational rounded(const Rational& value, int direction) {
  if (value == 0) return 0;
  const long shift = kEnclosureBits - magnitude(value.get_num()) + magnitude(value.get_den());
  const Rational scaled = value * power_of_two(shift);
  mpz_class whole;
  if (direction < 0) {
    mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  } else {
    mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  }
  return Rational(whole) * power_of_two(-shift);
}

// exp(x) = exp(x / 2^k)^(2^k), exp(-x) = 1/exp(x).
Enclosure enclose_exp(const Rational& x) {
  if (x > kLargestExponent) throw std::overflow_error("enclose_exp: the result has too many digits");
  if (x < -kLargestExponent) return {0, enclose_exp(-kLargestExponent).high};
  if (x < 0) {
    const Enclosure inverse = enclose_exp(-x);
    return {rounded(1 / inverse.high, -1), rounded(1 / inverse.low, 1)};
  }
  constexpr int kHalvings = 20;  // 2000 / 2^20 < 2^-8
  Enclosure out{small_exp(rounded(x * power_of_two(-kHalvings), -1)).low,
                small_exp(rounded(x * power_of_two(-kHalvings), 1)).high};
  for (int k = 0; k < kHalvings; ++k) out = {rounded(out.low * out.low, -1), rounded(out.high * out.high, 1)};
  return out;
}

Enclosure enclose_log(const Rational& x) {
  if (x <= 0) throw std::domain_error("enclose_log: the argument is not positive");
  const long exponent = magnitude(x.get_num()) - magnitude(x.get_den());
  const Rational scaled = x * power_of_two(-exponent);  // in (1/2, 2)
  const Enclosure rest{near_log(rounded(scaled, -1)).low, near_log(rounded(scaled, 1)).high};
  static const Enclosure ln2 = twice_atanh(Rational(1, 3));
  const Rational a = exponent * ln2.low, b = exponent * ln2.high;
  return {rest.low + (a < b ? a : b), rest.high + (a < b ? b : a)};
}

// sqrt(p/q) = sqrt(p q 4^k) / (q 2^k), with k so large that kEnclosureBits bits are left before the point.
Rational root_above(const Rational& x) {
  if (x < 0) throw std::domain_error("root_above: the argument is negative");
  if (x == 0) return 0;
  const mpz_class scaled = mpz_class(x.get_num() * x.get_den()) << (2 * kEnclosureBits);
  mpz_class root = sqrt(scaled);
  if (root * root < scaled) ++root;
  return rounded(Rational(root) * power_of_two(-kEnclosureBits) / Rational(x.get_den()), 1);
}

Enclosure enclose(const Surd& value) {
  // floor(sqrt(2) 2^k) by integers.
  static const Enclosure root = [] {
    const mpz_class scaled = sqrt(mpz_class(mpz_class(2) << (2 * kEnclosureBits)));
    return Enclosure{Rational(scaled) * power_of_two(-kEnclosureBits),
                     Rational(scaled + 1) * power_of_two(-kEnclosureBits)};
  }();
  const Rational a = value.irrational() * root.low, b = value.irrational() * root.high;
  return {value.rational() + (a < b ? a : b), value.rational() + (a < b ? b : a)};
}

}  // namespace pliant::judge
