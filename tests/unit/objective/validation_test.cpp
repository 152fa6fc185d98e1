// Every message about bad objective data: it names the term, the field and what was expected.
#include "objective/generalized_linear.hpp"
#include "objective/linear.hpp"
#include "objective/multinomial.hpp"
#include "objective/quadratic.hpp"
#include "unit/objective/term_zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

#define EXPECT_REFUSED(statement, text) EXPECT_THAT([&] { statement; }, ThrowsMessage<InputError>(HasSubstr(text)))

Doubles numbers(std::vector<double> values) { return Doubles(std::move(values)); }

DataMatrix identity(Index n) { return DataMatrix::from(Matrix::Identity(n, n)); }

TEST(ObjectiveValidation, ShapesAreCheckedAtOnce) {
  EXPECT_REFUSED(linear({}), "linear: c is empty");
  EXPECT_REFUSED(quadratic(DataMatrix::from(Matrix::Ones(2, 3)), numbers({1, 2})),
                 "quadratic: P: expected a square matrix, got 2 x 3");
  EXPECT_REFUSED(quadratic(identity(3), numbers({1, 2})), "quadratic: q: expected 3 entries, got 2");
  EXPECT_REFUSED(quadratic(DataMatrix::dense(0, 0, {}), {}), "quadratic: P is empty");
  EXPECT_REFUSED(least_squares(identity(3), numbers({1})), "least_squares: b: expected 3 entries, got 1");
  EXPECT_REFUSED(logistic(identity(3), numbers({1, 1, 1, 1})), "logistic: y: expected 3 entries, got 4");
  EXPECT_REFUSED(huber(identity(3), {}, 1.0), "huber: b: expected 3 entries, got 0");
  EXPECT_REFUSED(huber(identity(1), numbers({0}), 0.0), "huber: k must be a finite number > 0, got 0");
  EXPECT_REFUSED(huber(identity(1), numbers({0}), std::nan("")), "huber: k must be a finite number > 0, got nan");
  EXPECT_REFUSED(multinomial(identity(2), std::vector<Index>{0}, 2), "multinomial: labels: expected 2 entries, got 1");
  EXPECT_REFUSED(multinomial(identity(1), std::vector<Index>{0}, 1),
                 "multinomial: classes: expected at least 2, got 1");
  EXPECT_REFUSED(least_squares(DataMatrix::dense(0, 3, {}), {}), "least_squares: A is empty (0 x 3)");
  EXPECT_REFUSED(multinomial(DataMatrix::dense(0, 3, {}), {}, 2), "multinomial: A is empty (0 x 3)");
}

TEST(ObjectiveValidation, NonFiniteDataAreNamed) {
  const double nan = std::nan("");
  Matrix bad = Matrix::Identity(3, 3);
  bad(2, 1) = bad(1, 2) = nan;
  EXPECT_REFUSED(linear(numbers({1, nan}))->validate(), "linear: c: entry 1 is nan");
  EXPECT_REFUSED(linear(numbers({1}), kInfinity)->validate(), "linear: constant is inf");
  EXPECT_REFUSED(quadratic(DataMatrix::from(bad), numbers({1, 2, 3}))->validate(), "quadratic: P: row 1 contains nan");
  EXPECT_REFUSED(quadratic(identity(2), numbers({-kInfinity, 0}))->validate(), "quadratic: q: entry 0 is -inf");
  for (const DataMatrix& A : {DataMatrix::from(bad), to_csr(bad)}) {
    EXPECT_REFUSED(least_squares(A, numbers({1, 2, 3}))->validate(), "least_squares: A: row 1 contains nan");
    EXPECT_REFUSED(logistic(A, numbers({1, 1, 1}))->validate(), "logistic: A: row 1 contains nan");
    EXPECT_REFUSED(huber(A, numbers({1, 2, 3}), 1.0)->validate(), "huber: A: row 1 contains nan");
    EXPECT_REFUSED(multinomial(A, std::vector<Index>{0, 1, 1}, 2)->validate(), "multinomial: A: row 1 contains nan");
  }
  EXPECT_REFUSED(least_squares(identity(2), numbers({0, nan}))->validate(), "least_squares: b: entry 1 is nan");
  EXPECT_REFUSED(huber(identity(2), numbers({0, nan}), 1.0)->validate(), "huber: b: entry 1 is nan");
  EXPECT_REFUSED(logistic(identity(2), numbers({1, nan}))->validate(), "logistic: y: entry 1 is nan");
}

TEST(ObjectiveValidation, LabelsAreChecked) {
  EXPECT_REFUSED(logistic(identity(2), numbers({1, 0}))->validate(), "logistic: y: entry 1 is 0, expected -1 or 1");
  EXPECT_REFUSED(multinomial(identity(2), std::vector<Index>{0, 3}, 3)->validate(),
                 "multinomial: labels: entry 1 is 3, expected 0..2");
  EXPECT_REFUSED(multinomial(identity(2), std::vector<Index>{-1, 0}, 3)->validate(),
                 "multinomial: labels: entry 0 is -1, expected 0..2");
}

TEST(ObjectiveValidation, QuadraticMustBeSymmetricAndConvex) {
  Matrix P = Matrix::Identity(3, 3);
  P(0, 2) = 0.5;
  const Doubles q = numbers({0, 0, 0});
  for (const DataMatrix& data : {DataMatrix::from(P), to_csr(P)}) {
    EXPECT_REFUSED(quadratic(data, q)->validate(),
                   "quadratic: P is not symmetric: entry (0, 2) is 0.5, entry (2, 0) is 0");
  }
  P(2, 0) = 0.5 * (1.0 + 1e-15);  // rounding is forgiven
  EXPECT_NO_THROW(quadratic(DataMatrix::from(P), q)->validate());
  P(0, 2) = P(2, 0) = 1.5;  // eigenvalues 2.5, 1, -0.5
  for (const DataMatrix& data : {DataMatrix::from(P), to_csr(P)}) {
    EXPECT_REFUSED(quadratic(data, q)->validate(), "quadratic: P is not convex (most negative eigenvalue -0.5)");
  }
  P = Matrix::Identity(3, 3);
  P(1, 1) = -1e-6;
  EXPECT_REFUSED(quadratic(to_csr(P), q)->validate(), "quadratic: P is not convex (diagonal entry 1 is -1e-06)");
  P(1, 1) = -1e-12;  // no rounding makes a diagonal entry negative
  EXPECT_REFUSED(quadratic(to_csr(P), q)->validate(), "quadratic: P is not convex (diagonal entry 1 is -1e-12)");
  P(1, 1) = 1.0;
  P(0, 2) = P(2, 0) = 1.0 + 1e-15;  // rounding, but no strong convexity comes of it
  EXPECT_NO_THROW(quadratic(to_csr(P), q)->validate());
  EXPECT_EQ(quadratic(to_csr(P), q)->strong_convexity(), 0.0);
}

TEST(ObjectiveValidation, GoodTermsPassAndShowTheirData) {
  for (const Specimen& s : term_zoo(3, 30, 4)) {
    SCOPED_TRACE(s.name);
    EXPECT_NO_THROW(s.dense->validate());
    EXPECT_NO_THROW(s.sparse->validate());
  }
  const TermPtr a = linear(numbers({1, 2}), 3.0);
  EXPECT_EQ(dynamic_cast<const LinearTerm&>(*a).c()[1], 2.0);
  EXPECT_EQ(dynamic_cast<const LinearTerm&>(*a).constant(), 3.0);
  const TermPtr b = quadratic(identity(2), numbers({4, 5}));
  EXPECT_EQ(dynamic_cast<const QuadraticTerm&>(*b).P().rows(), 2);
  EXPECT_EQ(dynamic_cast<const QuadraticTerm&>(*b).q()[0], 4.0);
  const TermPtr c = least_squares(identity(2), numbers({4, 5}));
  EXPECT_EQ(dynamic_cast<const LeastSquaresTerm&>(*c).A().cols(), 2);
  EXPECT_EQ(dynamic_cast<const LeastSquaresTerm&>(*c).b()[1], 5.0);
  const TermPtr d = logistic(identity(2), numbers({1, -1}));
  EXPECT_EQ(dynamic_cast<const LogisticTerm&>(*d).y()[1], -1.0);
  const TermPtr e = huber(identity(2), numbers({1, -1}), 0.25);
  EXPECT_EQ(dynamic_cast<const HuberTerm&>(*e).b()[0], 1.0);
  EXPECT_EQ(dynamic_cast<const HuberTerm&>(*e).k(), 0.25);
  const TermPtr f = multinomial(identity(2), std::vector<Index>{2, 0}, 3);
  EXPECT_EQ(dynamic_cast<const MultinomialTerm&>(*f).labels()[0], 2);
  EXPECT_EQ(dynamic_cast<const MultinomialTerm&>(*f).classes(), 3);
  EXPECT_EQ(f->dimension(), 6);
}

}  // namespace
}  // namespace pliant::testing
