// Sampled checks of functions of the user: convex functions pass in any units, with any constants and however their
// gradients are computed; functions that are not convex and gradients that are wrong are named with points at which the
// numbers of the message contradict convexity.
#include "pliant/constraints.hpp"
#include "pliant/objectives.hpp"
#include "pliant/problem.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace pliant {
namespace {

using testing::Random;

struct Function {
  std::function<double(ConstVectorRef)> value;
  std::function<Vector(ConstVectorRef)> gradient;
};

BatchPtr batch_of(const std::vector<Function>& rows, Index n, int* calls = nullptr) {
  CallbackFunctions f;
  f.values = [rows, calls](ConstVectorRef x, Rows which, VectorRef a) {
    if (calls != nullptr) ++*calls;
    for (Index k = 0; k < which.size(); ++k) a[k] = rows[static_cast<std::size_t>(which[k])].value(x);
  };
  f.jacobian = [rows, calls](ConstVectorRef x, Rows which, MatrixRef J) {
    if (calls != nullptr) ++*calls;
    for (Index k = 0; k < which.size(); ++k)
      J.row(k) = rows[static_cast<std::size_t>(which[k])].gradient(x).transpose();
  };
  return callback_le(static_cast<Index>(rows.size()), n, f);
}

std::string complaint(const Problem& p) {
  try {
    p.check_functions();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

std::string complaint(const Function& f, Index n, const Vector& start = {}) {
  Problem p(n);
  if (start.size() > 0) p.start = start;
  p.subject_to(batch_of({f}, n));
  return complaint(p);
}

// Convex functions, smooth ones first.
constexpr std::size_t kSmooth = 4;
std::vector<Function> convex_zoo(Random& random, Index n) {
  const Matrix B = random.matrix(n, n), A = random.matrix(4, n);
  const Matrix P = B.transpose() * B;
  const Vector q = random.vector(n), b = random.vector(4);
  const auto pieces = [A, b](ConstVectorRef x) { return Vector(A * x + b); };
  const auto soft = [pieces](ConstVectorRef x) {
    const Vector v = pieces(x);
    return Vector((v.array() - v.maxCoeff()).exp());
  };
  return {
      {[q](ConstVectorRef x) { return q.dot(x); }, [q](ConstVectorRef) { return q; }},
      {[P, q](ConstVectorRef x) { return 0.5 * x.dot(P * x) + q.dot(x); },
       [P, q](ConstVectorRef x) { return Vector(P * x + q); }},
      {[pieces, soft](ConstVectorRef x) { return pieces(x).maxCoeff() + std::log(soft(x).sum()); },
       [A, soft](ConstVectorRef x) { return Vector(A.transpose() * soft(x) / soft(x).sum()); }},
      {[q](ConstVectorRef x) { return std::exp(q.dot(x)); },
       [q](ConstVectorRef x) { return Vector(std::exp(q.dot(x)) * q); }},
      {[](ConstVectorRef x) { return x.norm(); }, [](ConstVectorRef x) { return Vector(x / x.norm()); }},
      {[](ConstVectorRef x) { return x.lpNorm<1>(); }, [](ConstVectorRef x) { return Vector(x.array().sign()); }},
      {[pieces](ConstVectorRef x) { return pieces(x).maxCoeff(); },
       [A, pieces](ConstVectorRef x) {
         Index k = 0;
         pieces(x).maxCoeff(&k);
         return Vector(A.row(k));
       }},
      {[](ConstVectorRef) { return -1.0; }, [n](ConstVectorRef) { return Vector(Vector::Zero(n)); }},
  };
}

// unit (f(x / length) + constant)
Function in_units(const Function& f, double unit, double length, double constant) {
  return {[=](ConstVectorRef x) { return unit * (f.value(x / length) + constant); },
          [=](ConstVectorRef x) { return Vector(unit / length * f.gradient(x / length)); }};
}

// The gradient by forward differences, as users compute it.
Function with_differences(const Function& f, double step) {
  return {f.value, [=](ConstVectorRef x) {
            Vector g(x.size()), y = x;
            for (Index j = 0; j < x.size(); ++j) {
              const double h = step * (1.0 + std::abs(x[j]));
              y[j] = x[j] + h;
              g[j] = (f.value(y) - f.value(x)) / (y[j] - x[j]);
              y[j] = x[j];
            }
            return g;
          }};
}

TEST(FunctionChecks, ConvexFunctionsPassInAnyUnitsWithAnyConstants) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 12);
    Problem p(n);
    if (seed % 3 == 1) p.start = Vector(random.log_uniform(1e-6, 1e6) * random.vector(n));
    const double length = p.start ? std::max(1.0, p.start->norm()) : 1.0;
    if (seed % 3 == 2) {
      const double size = random.log_uniform(1e-6, 1e6);
      p.regularize(box(to_array(Vector::Constant(n, -size)), to_array(Vector::Constant(n, 0.5 * size))));
    }
    std::vector<Function> rows;
    const std::vector<Function> zoo = convex_zoo(random, n);
    for (std::size_t k = 0; k < zoo.size(); ++k) {
      const Function& f = zoo[k];
      const double constant = random.integer(0, 1) == 0 ? 0.0 : random.normal() * random.log_uniform(1e-12, 1e15);
      rows.push_back(in_units(f, random.log_uniform(1e-20, 1e20), length, constant));
      if (k >= kSmooth) continue;  // differences across kinks are no gradients
      const double step = random.log_uniform(1e-8, 1e-6);
      rows.push_back(with_differences(in_units(f, 1.0, length, std::fmod(constant, 1e3)), step));
    }
    p.subject_to(batch_of(rows, n));
    EXPECT_EQ(complaint(p), "");
  }
}

// Values that lose their digits: by cancellation of large numbers, or because they are computed in single precision.
TEST(FunctionChecks, NoisyValuesPass) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double far = random.log_uniform(1.0, 1e7);  // beyond, values would have no digit left
    const Function cancelled{
        [far](ConstVectorRef x) { return (x[0] + far) * (x[0] + far) - far * far - 2 * far * x[0]; },
        [](ConstVectorRef x) { return Vector(2.0 * x); }};
    EXPECT_EQ(complaint(cancelled, 1), "") << far;
    const Function offset{[far](ConstVectorRef x) { return (x.squaredNorm() + far * far) - far * far; },
                          [](ConstVectorRef x) { return Vector(2.0 * x); }};
    EXPECT_EQ(complaint(offset, 3), "") << far;
    const Vector q = random.vector(4);
    const Function single{
        [q](ConstVectorRef x) {
          return static_cast<double>(q.cast<float>().dot(x.cast<float>()) + x.cast<float>().squaredNorm());
        },
        [q](ConstVectorRef x) { return Vector(q + 2.0 * x); }};
    EXPECT_EQ(complaint(single, 4), "");
  }
}

TEST(FunctionChecks, FunctionsNeedNotBeDefinedEverywhere) {
  const auto gradient = [](ConstVectorRef x) { return Vector(-x.cwiseInverse()); };
  const auto logs = [](ConstVectorRef x) { return -x.array().log().sum(); };
  const Vector start = Vector::Constant(2, 0.5);
  EXPECT_EQ(complaint({logs, gradient}, 2, start), "");
  EXPECT_EQ(
      complaint({[logs](ConstVectorRef x) { return x.minCoeff() > 0.0 ? logs(x) : kInfinity; }, gradient}, 2, start),
      "");
  const auto throwing = [logs](ConstVectorRef x) {
    if (x.minCoeff() <= 0.0) throw std::domain_error("logarithm");
    return logs(x);
  };
  EXPECT_EQ(complaint({throwing, gradient}, 2, start), "");
}

// Not convex by little: q'x - eps x'x/2, in all units.
TEST(FunctionChecks, SmallDefectsAreFound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 6);
    const Vector q = random.vector(n);
    const double defect = random.log_uniform(1e-9, 1.0);
    const Function f{[=](ConstVectorRef x) { return q.dot(x) - 0.5 * defect * x.squaredNorm(); },
                     [=](ConstVectorRef x) { return Vector(q - defect * x); }};
    const std::string said = complaint(in_units(f, random.log_uniform(1e-20, 1e20), 1.0, random.normal()), n);
    EXPECT_NE(said.find("callback_le: constraint 0 (counting from 0) is not convex: halfway between x = ["),
              std::string::npos)
        << said;
  }
}

TEST(FunctionChecks, CommonFunctionsThatAreNotConvexAreFound) {
  const std::vector<Function> functions{
      {[](ConstVectorRef x) { return std::sin(x.sum()); },
       [](ConstVectorRef x) { return Vector(Vector::Constant(2, std::cos(x.sum()))); }},
      {[](ConstVectorRef x) { return x[0] * x[1]; },
       [](ConstVectorRef x) {
         return Vector{{x[1], x[0]}};
       }},
      {[](ConstVectorRef x) { return 1.0 - x.norm(); }, [](ConstVectorRef x) { return Vector(-x / x.norm()); }},
      {[](ConstVectorRef x) { return std::pow(x[0], 3); },
       [](ConstVectorRef x) {
         return Vector{{3.0 * x[0] * x[0], 0.0}};
       }},
      {[](ConstVectorRef x) { return x[0] * x[0] - 0.01 * x[1] * x[1]; },
       [](ConstVectorRef x) {
         return Vector{{2.0 * x[0], -0.02 * x[1]}};
       }}};
  for (std::size_t k = 0; k < functions.size(); ++k) {
    EXPECT_NE(complaint(functions[k], 2).find("is not convex"), std::string::npos) << k;
  }
}

TEST(FunctionChecks, WrongGradientsAreFound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 6);
    for (const Function& f : convex_zoo(random, n)) {
      if (f.gradient(random.vector(n)).norm() == 0.0) continue;  // constant
      const std::vector<std::function<Vector(ConstVectorRef)>> wrong{
          [&f](ConstVectorRef x) { return Vector(-f.gradient(x)); },
          [&f](ConstVectorRef x) { return Vector(2.0 * f.gradient(x)); },
          [&f](ConstVectorRef x) { return Vector(1.01 * f.gradient(x)); },
          [&f](ConstVectorRef x) { return Vector(f.gradient(x).reverse()); },
          [&f](ConstVectorRef x) { return Vector(Vector::Zero(x.size())); }};
      for (const auto& gradient : wrong) {
        if ((gradient(Vector::Ones(n)) - f.gradient(Vector::Ones(n))).norm() < 1e-3) continue;
        const Function bad = in_units({f.value, gradient}, random.log_uniform(1e-12, 1e12), 1.0, 0.0);
        EXPECT_NE(complaint(bad, n).find("its gradient is not that of its values"), std::string::npos);
      }
    }
  }
}

// The numbers of the message are a counterexample by themselves.
TEST(FunctionChecks, MessagesNameTheRowThePointsAndTheNumbers) {
  const Function good{[](ConstVectorRef x) { return x[0]; }, [](ConstVectorRef) { return Vector(Vector::Ones(1)); }};
  const Function bad{[](ConstVectorRef x) { return -x[0] * x[0]; }, [](ConstVectorRef x) { return Vector(-2.0 * x); }};
  Problem p(1);
  p.subject_to(batch_of({good, good, bad, good}, 1), "walls");
  const std::string said = complaint(p);
  double x = 0.0, y = 0.0, middle = 0.0, mean = 0.0, first = 0.0, last = 0.0;
  ASSERT_EQ(
      std::sscanf(said.c_str(),
                  "callback_le 'walls': constraint 2 (counting from 0) is not convex: halfway between x = [%lf] and "
                  "y = [%lf] it is %lf, above the mean %lf of its values %lf and %lf there",
                  &x, &y, &middle, &mean, &first, &last),
      6)
      << said;
  EXPECT_NEAR(first, -x * x, 1e-8);
  EXPECT_NEAR(last, -y * y, 1e-8);
  EXPECT_NEAR(middle, -0.25 * (x + y) * (x + y), 1e-8);
  EXPECT_NEAR(mean, 0.5 * (first + last), 1e-15);
  EXPECT_GT(middle, mean);
  EXPECT_NE(said.find("check_functions=off"), std::string::npos);

  const Function long_one{[](ConstVectorRef v) { return -v.squaredNorm(); },
                          [](ConstVectorRef v) { return Vector(-2.0 * v); }};
  EXPECT_NE(complaint(long_one, 100).find(", ... 100 entries]"), std::string::npos);
}

TEST(FunctionChecks, CostTensOfCallsOncePerProblemAndNoneWhenOff) {
  int calls = 0;
  const Function f{[](ConstVectorRef x) { return x.squaredNorm() - 1.0; },
                   [](ConstVectorRef x) { return Vector(2.0 * x); }};
  Problem p(2);
  p.minimize(linear(to_array(Vector::Ones(2))));
  p.subject_to(batch_of(std::vector<Function>(1000, f), 2, &calls));
  p.check_functions();
  EXPECT_GT(calls, 10);
  EXPECT_LE(calls, 100);
  calls = 0;
  p.check_functions();
  const Problem copy = p;
  copy.check_functions();
  EXPECT_EQ(calls, 0);

  const Function concave{[](ConstVectorRef x) { return 1.0 - x.squaredNorm(); },
                         [](ConstVectorRef x) { return Vector(-2.0 * x); }};
  Problem bad(2);
  bad.minimize(quadratic(DataMatrix::from(Matrix::Identity(2, 2)), to_array(Vector::Ones(2))));
  bad.subject_to(batch_of({concave}, 2));
  EXPECT_THROW(solve(bad), InputError);
  Settings off;
  off.check_functions = false;
  off.max_iterations = 50;
  EXPECT_NO_THROW(solve(bad, off));
}

// Samples stay inside the domain of the prox term.
TEST(FunctionChecks, SamplesStayInsideTheBounds) {
  Random random(5);
  const Vector lo = random.vector(3), hi = lo + Vector{{0.0, 1e-3, 2.0}};
  bool inside = true;
  const Function f{[&](ConstVectorRef x) {
                     const double slack = 1e-12;
                     inside = inside && ((x - lo).array() >= -slack).all() && ((hi - x).array() >= -slack).all();
                     return x.squaredNorm();
                   },
                   [](ConstVectorRef x) { return Vector(2.0 * x); }};
  Problem p(3);
  p.regularize(box(to_array(lo), to_array(hi)));
  p.subject_to(batch_of({f}, 3));
  EXPECT_EQ(complaint(p), "");
  EXPECT_TRUE(inside);
}

// A term of the user's own, which says nothing of its convexity.
class Saddle final : public ObjectiveTerm {
 public:
  explicit Saddle(double sign) : sign_(sign) {}
  std::string_view kind() const override { return "saddle"; }
  Index dimension() const override { return 2; }
  Index components() const override { return 1; }
  Index bytes() const override { return 0; }
  double value(ConstVectorRef x) const override { return x[0] * x[0] + sign_ * x[1] * x[1]; }
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override {
    gradient += weight * 2.0 * Vector{{x[0], sign_ * x[1]}};
    return value(x);
  }
  void add_hessian(ConstVectorRef, double weight, MatrixRef H) const override {
    H.diagonal() += weight * 2.0 * Vector{{1.0, sign_}};
  }
  double component_value(Index, ConstVectorRef x) const override { return value(x); }
  void add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const override {
    add_gradient(x, weight, gradient);
  }
  double smoothness() const override { return 2.0; }
  double component_smoothness(Index) const override { return 2.0; }
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return -kInfinity; }
  void validate() const override {}

 private:
  double sign_;
};

TEST(FunctionChecks, TermsOfTheirOwnAreLookedAtToo) {
  Problem good(2), bad(2);
  good.minimize(std::make_shared<Saddle>(1.0));
  bad.minimize(linear(to_array(Vector::Ones(2)))).minimize(std::make_shared<Saddle>(-0.01));
  EXPECT_EQ(complaint(good), "");
  EXPECT_EQ(complaint(bad).rfind("objective term 1 (saddle) is not convex", 0), 0U) << complaint(bad);
}

}  // namespace
}  // namespace pliant
