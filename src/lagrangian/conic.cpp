#include "lagrangian/conic.hpp"

#include "cones/cone_checks.hpp"
#include "cones/distance.hpp"
#include "cones/dual_cone.hpp"
#include "cones/eigen_frame.hpp"
#include "linalg/sums.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

Eigen::Map<const Vector> as_vector(const Doubles& values) { return {values.data(), values.size()}; }

// h - Gx
Vector slack(const ConicConstraint& conic, ConstVectorRef x) {
  Vector s(conic.G.rows());
  conic.G.multiply(x.data(), Rows::range(0, s.size()), s.data());
  return as_vector(conic.h) - s;
}

// f(conic constraint, its index); books the read.
template <class F>
void for_each_conic(const Problem& problem, ConstraintSystem& system, const F& f) {
  for (std::size_t k = 0; k < problem.conic().size(); ++k) {
    const ConicConstraint& conic = problem.conic()[k];
    f(conic, k);
    system.charge_components(count_cones(conic), static_cast<double>(conic.G.bytes()));
  }
}

void expect_size(const ConicConstraint& conic, std::size_t index, const std::vector<Vector>& multipliers) {
  if (index < multipliers.size() && multipliers[index].size() == conic.G.rows()) return;
  throw InputError(fmt::format("multipliers of conic constraint {}: expected {} entries, got {}", index, conic.G.rows(),
                               index < multipliers.size() ? multipliers[index].size() : 0));
}

struct Distances {
  std::vector<double> a, scales;
  double worth = 0.0;
  double zero_residual = 0.0, zero_residual_rel = 0.0;
};

// z'v for the positive part v of -s, which moves s into the cone: what leaving it is worth. Eigenvalue by eigenvalue, as engines
// have it that take the eigenvalues for constraints, so that what they call a solution is one to whoever checks it.
double worth_by_eigenvalues(const Cone& cone, const Eigen::Ref<const Vector>& s, const Eigen::Ref<const Vector>& z) {
  if (!has_small_frame(cone)) {
    const SymmetricEigen eigen = symmetric_eigen(smat(s));
    const Matrix Z = smat(z);
    double worth = 0.0;
    for (Index j = 0; j < eigen.values.size(); ++j) {
      const auto v = eigen.vectors.col(j);
      if (!(eigen.values[j] >= 0.0)) worth -= eigen.values[j] * v.dot(Z * v);
    }
    return worth;
  }
  const ConeShape shape = shape_of(cone);
  Vector a(shape.rank), frame(shape.frame()), along(shape.rank);
  decompose(shape, s.data(), a.data(), frame.data());
  eigen_slopes(shape, frame.data(), z.data(), along.data());
  const double squared_length = cone.kind == ConeKind::second_order ? 2.0 : 1.0;  // of what `along` are products with
  return a.cwiseMax(0.0).dot(along) / squared_length;
}

// What a point outside of a cone is worth by z in the dual cone: z'v for a v that moves it inside.
double violation_worth(const Cone& cone, const Eigen::Ref<const Vector>& s, const Eigen::Ref<const Vector>& z,
                       double distance) {
  if (!std::isfinite(distance)) return kInfinity;
  switch (cone.kind) {
    case ConeKind::second_order:
      return cone.rows > 1 ? worth_by_eigenvalues(cone, s, z) : distance * z[0];
    case ConeKind::semidefinite:
      return worth_by_eigenvalues(cone, s, z);
    case ConeKind::exponential:
      return distance * (z[1] + z[2] - z[0]);
    case ConeKind::power:
      return distance * (z[0] + z[1]);
    case ConeKind::zero:
    case ConeKind::nonnegative:
      break;
  }
  return distance * z.lpNorm<1>();
}

// Appends the distances of all cones but the zero ones, and adds what violations are worth by the multipliers z.
void append_distances(const ConicConstraint& conic, const Vector& s, const Vector& z, Distances& out) {
  const Vector h = as_vector(conic.h).cwiseAbs();
  for_each_cone(conic, [&](const Cone& cone, Index begin) {
    const auto part = s.segment(begin, cone.rows);
    if (cone.kind == ConeKind::zero) {
      for (Index i = 0; i < cone.rows; ++i) {
        const double residual = std::isfinite(part[i]) ? std::abs(part[i]) : kInfinity;
        out.zero_residual = std::max(out.zero_residual, residual);
        out.zero_residual_rel = std::max(out.zero_residual_rel, residual / (1.0 + h[begin + i]));
        if (z[begin + i] != 0.0) out.worth += std::abs(z[begin + i]) * residual;
      }
    } else if (cone.kind == ConeKind::nonnegative) {
      for (Index i = 0; i < cone.rows; ++i) {
        out.a.push_back(-part[i]);
        out.scales.push_back(1.0 + h[begin + i]);
        out.worth += z[begin + i] * std::max(0.0, -part[i]);
      }
    } else {
      const double distance = cone_distance(cone, part);
      out.a.push_back(distance);
      if (distance > 0.0) out.worth += violation_worth(cone, part, z.segment(begin, cone.rows), distance);
      out.scales.push_back(1.0 + (cone.rows > 0 ? h.segment(begin, cone.rows).maxCoeff() : 0.0));
    }
  });
}

Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace

ConicEvaluation evaluate_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                               const std::vector<Vector>& multipliers, VectorRef gradient) {
  ConicEvaluation out;
  Distances distances;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t k) {
    const Vector s = slack(conic, x);
    out.multipliers.emplace_back(Vector::Zero(s.size()));
    Vector& z = out.multipliers.back();
    if (!multipliers.empty()) {
      expect_size(conic, k, multipliers);
      z = multipliers[k];
      move_into_dual_cone(conic, z);
    }
    append_distances(conic, s, z, distances);
    if (multipliers.empty()) return;
    out.product -= pairwise_sum(0, z.size(), [&](Index i) { return z[i] * s[i]; });
    conic.G.add_transposed(Rows::range(0, z.size()), z.data(), gradient.data());
  });
  out.a = to_vector(distances.a);
  out.scales = to_vector(distances.scales);
  out.worth = distances.worth;
  out.zero_residual = distances.zero_residual;
  out.zero_residual_rel = distances.zero_residual_rel;
  return out;
}

ConicCombination combine_cones(const Problem& problem, ConstraintSystem& system,
                               const std::vector<Vector>& multipliers) {
  ConicCombination out;
  if (multipliers.empty()) return out;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t k) {
    expect_size(conic, k, multipliers);
    Vector z = multipliers[k];
    move_into_dual_cone(conic, z);
    Vector norms(z.size());
    conic.G.squared_norms(Rows::range(0, z.size()), norms.data());
    norms = norms.cwiseSqrt().eval();
    out.rows += (z.array() != 0.0).count();
    out.size += pairwise_sum(0, z.size(), [&](Index i) { return std::abs(z[i]) * norms[i]; });
    out.constant += z.lpNorm<1>();
    for (Index i = 0; i < z.size(); ++i) {
      if (z[i] != 0.0 && norms[i] > 0.0) out.reach = std::max(out.reach, std::abs(conic.h[i]) / norms[i]);
    }
  });
  return out;
}

ConicRecession recede_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef d) {
  ConicRecession out;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t) {
    Distances at;
    append_distances(conic, slack(conic, x), Vector::Zero(conic.G.rows()), at);
    out.violation = std::max(out.violation, at.zero_residual_rel);
    for (std::size_t i = 0; i < at.a.size(); ++i) {
      out.violation = std::isnan(at.a[i]) ? kInfinity : std::max(out.violation, at.a[i] / at.scales[i]);
    }
    const Rows all = Rows::range(0, conic.G.rows());
    Vector along(conic.G.rows()), squares(conic.G.rows());
    conic.G.multiply(d.data(), all, along.data());
    conic.G.squared_norms(all, squares.data());
    const auto leave = [&](double distance, double square) {
      // Rows that do not depend on x go nowhere.
      const double share = square > 0.0 ? distance / std::sqrt(square) : 0.0;
      out.leaving = std::isnan(share) ? kInfinity : std::max(out.leaving, share);
    };
    for_each_cone(conic, [&](const Cone& cone, Index begin) {
      if (cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative) {
        for (Index i = begin; i < begin + cone.rows; ++i) {
          const double grows = cone.kind == ConeKind::zero ? std::abs(along[i]) : along[i];
          leave(grows, squares[i]);
          if (squares[i] > 0.0) out.leaving_rows = std::max(out.leaving_rows, grows / std::sqrt(squares[i]));
        }
      } else {
        leave(cone_distance(cone, -along.segment(begin, cone.rows)), squares.segment(begin, cone.rows).sum());
        out.longest = std::max(out.longest, 8.0 * static_cast<double>(cone.rows));
      }
    });
  });
  return out;
}

}  // namespace pliant
