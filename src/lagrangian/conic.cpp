#include "lagrangian/conic.hpp"

#include "cones/cone_checks.hpp"
#include "cones/distance.hpp"
#include "cones/dual_cone.hpp"
#include "linalg/sums.hpp"

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

// Appends the distances of all cones but the zero ones.
void append_distances(const ConicConstraint& conic, const Vector& s, std::vector<double>& a, double& zero_residual) {
  for_each_cone(conic, [&](const Cone& cone, Index begin) {
    const auto part = s.segment(begin, cone.rows);
    if (cone.kind == ConeKind::zero) {
      const double residual = std::max(0.0, cone_distance(cone, part));
      zero_residual = std::isnan(residual) ? kInfinity : std::max(zero_residual, residual);
    } else if (cone.kind == ConeKind::nonnegative) {
      for (Index i = 0; i < cone.rows; ++i) a.push_back(-part[i]);
    } else {
      a.push_back(cone_distance(cone, part));
    }
  });
}

}  // namespace

ConicEvaluation evaluate_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                               const std::vector<Vector>& multipliers, VectorRef gradient) {
  ConicEvaluation out;
  std::vector<double> a;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t k) {
    const Vector s = slack(conic, x);
    append_distances(conic, s, a, out.zero_residual);
    out.multipliers.emplace_back(Vector::Zero(s.size()));
    if (multipliers.empty()) return;
    expect_size(conic, k, multipliers);
    Vector& z = out.multipliers.back();
    z = multipliers[k];
    move_into_dual_cone(conic, z);
    out.product -= pairwise_sum(0, z.size(), [&](Index i) { return z[i] * s[i]; });
    conic.G.add_transposed(Rows::range(0, z.size()), z.data(), gradient.data());
  });
  out.a = Eigen::Map<const Vector>(a.data(), static_cast<Index>(a.size()));
  return out;
}

ConicCombination combine_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, double reach,
                               const std::vector<Vector>& multipliers) {
  ConicCombination out;
  out.gradient = Vector::Zero(x.size());
  if (multipliers.empty()) return out;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t k) {
    expect_size(conic, k, multipliers);
    Vector z = multipliers[k];
    move_into_dual_cone(conic, z);
    const Vector s = slack(conic, x);
    Vector norms(s.size());
    const Rows all = Rows::range(0, s.size());
    conic.G.squared_norms(all, norms.data());
    norms = norms.cwiseSqrt().eval();
    conic.G.add_transposed(all, z.data(), out.gradient.data());
    const auto sum = [&](auto term) { return pairwise_sum(0, z.size(), term); };
    out.rows += (z.array() != 0.0).count();
    out.value -= sum([&](Index i) { return z[i] * s[i]; });
    out.size += sum([&](Index i) { return std::abs(z[i]) * norms[i]; });
    out.constant += z.lpNorm<1>();
    out.error += sum([&](Index i) { return std::abs(z[i]) * (std::abs(s[i]) + norms[i] * reach); });
  });
  return out;
}

ConicRecession recede_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef d) {
  ConicRecession out;
  for_each_conic(problem, system, [&](const ConicConstraint& conic, std::size_t) {
    std::vector<double> a;
    append_distances(conic, slack(conic, x), a, out.violation);
    for (const double value : a) out.violation = std::isnan(value) ? kInfinity : std::max(out.violation, value);
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
          leave(cone.kind == ConeKind::zero ? std::abs(along[i]) : along[i], squares[i]);
        }
      } else {
        leave(cone_distance(cone, -along.segment(begin, cone.rows)), squares.segment(begin, cone.rows).sum());
      }
    });
  });
  return out;
}

}  // namespace pliant
