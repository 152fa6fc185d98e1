// Smooth functions that stand for others: what a result says of the functions meant is true. Exact solutions come from
// the same problems written with linear rows, or from closed forms.
#include "pliant/check.hpp"
#include "pliant/constraints.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/objectives.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// Rows max_k (A_ik x - b_ik) <= 0, pieces of row i in rows i pieces, ..., i pieces + pieces - 1 of A.
struct MaxRows {
  Index pieces;
  Matrix A;
  Vector b;

  Index rows() const { return b.size() / pieces; }
  Vector piece_values(ConstVectorRef x, Index i) const {
    return A.middleRows(i * pieces, pieces) * x - b.segment(i * pieces, pieces);
  }
  double value(ConstVectorRef x, Index i) const { return piece_values(x, i).maxCoeff(); }
};

// nu ln sum_k exp(./nu) + shift: within nu ln k above the largest, moved by shift.
CallbackFunctions smoothed(const MaxRows& rows, double nu, double shift) {
  const auto weights = [rows, nu](ConstVectorRef x, Index i) {
    const Vector v = rows.piece_values(x, i);
    return Vector(((v.array() - v.maxCoeff()) / nu).exp());
  };
  CallbackFunctions f;
  f.values = [rows, nu, shift, weights](ConstVectorRef x, Rows which, VectorRef a) {
    for (Index k = 0; k < which.size(); ++k) {
      a[k] = rows.value(x, which[k]) + nu * std::log(weights(x, which[k]).sum()) + shift;
    }
  };
  f.jacobian = [rows, weights](ConstVectorRef x, Rows which, MatrixRef J) {
    for (Index k = 0; k < which.size(); ++k) {
      const Vector w = weights(x, which[k]);
      J.row(k) = w.transpose() / w.sum() * rows.A.middleRows(which[k] * rows.pieces, rows.pieces);
    }
  };
  f.hessian = [rows, nu, weights](ConstVectorRef x, ConstVectorRef w, Rows which, MatrixRef H) {
    H.setZero();
    for (Index k = 0; k < which.size(); ++k) {
      const Vector p = weights(x, which[k]) / weights(x, which[k]).sum();
      const Matrix pieces = rows.A.middleRows(which[k] * rows.pieces, rows.pieces);
      const Vector g = pieces.transpose() * p;
      H += w[k] / nu * (pieces.transpose() * p.asDiagonal() * pieces - g * g.transpose());
    }
  };
  return f;
}

struct Instance {
  MaxRows rows;
  Vector c;
  Index n() const { return c.size(); }

  explicit Instance(std::uint64_t seed) {
    Random random(seed);
    const Index variables = random.integer(2, 5), count = random.integer(3, 12);
    rows.pieces = random.integer(2, 4);
    rows.A = random.matrix(count * rows.pieces, variables);
    rows.b = Vector::Constant(count * rows.pieces, 0.5) + random.vector(count * rows.pieces).cwiseAbs();
    c = random.vector(variables);
  }
  Problem objective() const {
    Problem p(n());
    p.minimize(linear(to_array(c)));
    p.minimize(quadratic(DataMatrix::from(Matrix::Identity(n(), n())), to_array(Vector::Zero(n()))), 0.1);
    return p;
  }
  /// The optimal value, and the sum of its multipliers.
  std::pair<double, double> exact_optimum() const {
    Problem p = objective();
    p.subject_to(linear_le(DataMatrix::from(rows.A), to_array(rows.b)));
    Settings tight;
    tight.tol_feas = tight.tol_gap = 1e-9;
    const Result r = solve(p, tight);
    EXPECT_EQ(r.status, Status::optimal);
    return {r.certificate.lower_bound, r.multipliers.lambda[0].sum()};
  }
};

Approximation stated(const MaxRows& rows, double error, ApproximationSide side, bool exact) {
  Approximation out{Vector::Constant(rows.rows(), error), side};
  if (exact) {
    out.exact = [rows](ConstVectorRef x, Rows which, VectorRef a) {
      for (Index k = 0; k < which.size(); ++k) a[k] = rows.value(x, which[k]);
    };
  }
  return out;
}

double true_violation(const MaxRows& rows, const Vector& x) {
  double worst = 0.0;
  for (Index i = 0; i < rows.rows(); ++i) worst = std::max(worst, rows.value(x, i));
  return worst;
}

TEST(Approximation, BoundsAndViolationsOfSmoothedMaximaHoldForTheMaxima) {
  double largest_loss = 0.0, largest_use = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Instance instance(seed);
    const auto [optimum, price] = instance.exact_optimum();
    const double nu = 0.05, width = nu * std::log(static_cast<double>(instance.rows.pieces));
    for (const auto side : {ApproximationSide::above, ApproximationSide::below, ApproximationSide::both}) {
      for (const bool exact : {true, false}) {
        SCOPED_TRACE(std::string(to_string(side)) + (exact ? " measured" : " bounded"));
        const double shift = side == ApproximationSide::above   ? 0.0
                             : side == ApproximationSide::below ? -width
                                                                : -0.5 * width;
        const double error = side == ApproximationSide::both ? 0.5 * width : width;
        Problem p = instance.objective();
        p.subject_to(callback_le(instance.rows.rows(), instance.n(), smoothed(instance.rows, nu, shift), std::nullopt,
                                 stated(instance.rows, error, side, exact)));
        const Result r = solve(p);
        ASSERT_EQ(r.status, Status::optimal);
        ASSERT_TRUE(r.certificate.approximation.has_value());
        const MeantFunctions& meant = *r.certificate.approximation;
        const LowerBound bound = r.certificate.meant_bound();
        const double violation = true_violation(instance.rows, r.x);
        EXPECT_TRUE(meant.holds);
        EXPECT_EQ(meant.rows, instance.rows.rows());
        EXPECT_EQ(meant.measured, exact);
        EXPECT_EQ(meant.error, error);
        if (exact) {
          EXPECT_NEAR(meant.violation_linf, violation, 1e-12);
        } else {
          EXPECT_GE(meant.violation_linf, violation - 1e-12);
          EXPECT_LE(meant.violation_linf, r.certificate.violation_linf + error + 1e-12);
        }
        EXPECT_EQ(bound.kind, BoundKind::proved_if_convex);
        EXPECT_LE(bound.value, optimum + 1e-8);
        // Not far below, either: the problem solved is between those with rows moved by the error to both sides.
        EXPECT_GE(bound.value, optimum - error * (price + r.multipliers.lambda[0].sum()) - 1e-5);
        if (side == ApproximationSide::above) {
          largest_use = std::max(largest_use, r.certificate.lower_bound - optimum);
          EXPECT_LE(violation, r.certificate.violation_linf + 1e-12);
        }
        if (side == ApproximationSide::below) {
          EXPECT_EQ(bound.value, std::nextafter(r.certificate.lower_bound, -1e300));
        }
        if (side == ApproximationSide::both) largest_loss = std::max(largest_loss, violation);
      }
    }
  }
  EXPECT_GT(largest_use, 1e-3);   // bounds of the problem solved would be false for the one meant
  EXPECT_GT(largest_loss, 1e-4);  // and so would its violations
}

// minimise c'x, |x| <= 1: -|c| at -c/|c|. sqrt(|x|^2 + nu^2) - 1 is above by nu at most; its problem has the value
// -|c| sqrt(1 - nu^2).
CallbackFunctions smoothed_norm(double nu, double radius) {
  const auto length = [nu](ConstVectorRef x) { return std::sqrt(x.squaredNorm() + nu * nu); };
  CallbackFunctions f;
  f.values = [length, radius](ConstVectorRef x, Rows, VectorRef a) { a[0] = length(x) - radius; };
  f.jacobian = [length](ConstVectorRef x, Rows, MatrixRef J) { J.row(0) = x.transpose() / length(x); };
  f.hessian = [length](ConstVectorRef x, ConstVectorRef w, Rows, MatrixRef H) {
    const double l = length(x);
    H = w[0] / l * (Matrix::Identity(x.size(), x.size()) - x * x.transpose() / (l * l));
  };
  return f;
}

Approximation norm_stated(double error, double radius, ApproximationSide side = ApproximationSide::above) {
  Approximation out{Vector::Constant(1, error), side};
  out.exact = [radius](ConstVectorRef x, Rows, VectorRef a) { a[0] = x.norm() - radius; };
  return out;
}

Problem over_box(const Vector& c) {
  Problem p(c.size());
  p.minimize(linear(to_array(c)));
  p.regularize(box(to_array(Vector::Constant(c.size(), -5.0)), to_array(Vector::Constant(c.size(), 5.0))));
  return p;
}

TEST(Approximation, SmoothedNormsAgreeWithClosedForms) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Vector c = Random(seed).vector(3);
    const double nu = 0.02;
    Problem p = over_box(c);
    p.subject_to(callback_le(1, 3, smoothed_norm(nu, 1.0), std::nullopt, norm_stated(nu, 1.0)));
    const Result r = solve(p);
    ASSERT_EQ(r.status, Status::optimal);
    EXPECT_NEAR(r.certificate.objective, -c.norm() * std::sqrt(1.0 - nu * nu), 1e-5 * (1.0 + c.norm()));
    EXPECT_LE(r.certificate.meant_bound().value, -c.norm());
    // The multiplier is |c| to first order, the cost nu times that.
    EXPECT_GE(r.certificate.meant_bound().value, -c.norm() * (1.0 + 1.1 * nu));
    EXPECT_NEAR(r.certificate.approximation->violation_linf, std::max(0.0, r.x.norm() - 1.0), 1e-14);
    const std::string figures = to_json(p, Settings{}, r);
    EXPECT_NE(figures.find("\"approximation\""), std::string::npos);
    EXPECT_NE(figures.find("\"error_holds\": true"), std::string::npos) << figures;
  }
}

// |x| <= 0.01 holds at 0, but sqrt(x^2 + 0.01) <= 0.01 nowhere.
TEST(Approximation, AnInfeasibleApproximationDoesNotMakeTheProblemInfeasible) {
  Problem p = over_box(Vector::Ones(1));
  p.subject_to(callback_le(1, 1, smoothed_norm(0.1, 0.01), std::nullopt, norm_stated(0.1, 0.01)));
  EXPECT_NE(solve(p).status, Status::primal_infeasible);
  Multipliers lambda{{Vector::Ones(1)}, {}};
  EXPECT_FALSE(prove_infeasible(p, Vector::Zero(1), lambda).holds);

  Problem really = over_box(Vector::Ones(1));
  really.subject_to(callback_le(1, 1, smoothed_norm(0.1, -1.0), std::nullopt, norm_stated(0.1, -1.0)));
  EXPECT_EQ(solve(really).status, Status::primal_infeasible);
  const InfeasibilityProof proof = prove_infeasible(really, Vector::Zero(1), lambda);
  EXPECT_TRUE(proof.holds);
}

TEST(Approximation, AFalseErrorIsSeenAndProvesNothing) {
  Problem p = over_box(Vector::Ones(2));
  p.subject_to(callback_le(1, 2, smoothed_norm(0.1, 1.0), std::nullopt, norm_stated(1e-4, 1.0)));
  EXPECT_THROW(solve(p), InputError);  // already at the samples
  Settings trusting;
  trusting.check_functions = false;
  const Result r = solve(p, trusting);
  ASSERT_EQ(r.status, Status::optimal);
  EXPECT_FALSE(r.certificate.approximation->holds);
  EXPECT_EQ(r.certificate.meant_bound().kind, BoundKind::estimate);
}

TEST(Approximation, BadErrorsAreNamed) {
  const auto message = [](const Vector& error) {
    try {
      callback_le(1, 2, smoothed_norm(0.1, 1.0), std::nullopt, Approximation{error})->validate();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(Vector::Zero(2)), "callback_le: error: expected 1 entries, got 2");
  EXPECT_EQ(message(Vector::Constant(1, -1.0)),
            "callback_le: error of constraint 0 (counting from 0) is -1, expected a number >= 0");
  EXPECT_EQ(message(Vector::Constant(1, std::nan(""))),
            "callback_le: error of constraint 0 (counting from 0) is nan, expected a number >= 0");
  EXPECT_EQ(message(Vector::Zero(1)), "");
  EXPECT_EQ(approximation_side("below"), ApproximationSide::below);
  EXPECT_THROW(approximation_side("left"), InputError);
}

// Without approximated rows nothing changes.
TEST(Approximation, AbsentWhereNothingIsApproximated) {
  const Instance instance(3);
  Problem p = instance.objective();
  p.subject_to(linear_le(DataMatrix::from(instance.rows.A), to_array(instance.rows.b)));
  const Result r = solve(p);
  EXPECT_FALSE(r.certificate.approximation.has_value());
  EXPECT_EQ(r.certificate.meant_bound().value, r.certificate.lower_bound);
  EXPECT_EQ(to_json(p, Settings{}, r).find("approximation"), std::string::npos);
}

}  // namespace
}  // namespace pliant
