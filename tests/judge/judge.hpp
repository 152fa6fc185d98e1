// The judge: confronts claims with points that satisfy a problem exactly, and with the exact truth about polyhedra.
#pragma once

#include "judge/claims.hpp"
#include "judge/raw_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant::judge {

class Judge {
 public:
  explicit Judge(const RawCase& raw);

  /// Learns an exactly feasible point near x, if it finds one.
  void repair(const Vector& x);

  /// What of the claims is false; empty: nothing known contradicts them.
  std::vector<std::string> contradictions(const Claims& claims);
  /// Rows that x violates beyond `tolerance` (1 + |constant of the row|), in words; empty: none.
  std::vector<std::string> beyond_tolerance(const Vector& x, double tolerance) const;

  /// The exact optimal value of a linear program that has one.
  std::optional<Rational> exact_value();
  /// Exact multipliers of a linear program, rounded: of its optimum, or a contradiction of its rows.
  std::optional<Multipliers> exact_multipliers();
  /// A known feasible point, rounded.
  std::optional<Vector> known_point() const;

 private:
  struct Point {
    RationalVector x;
    Rational value;
  };

  void learn(const RationalVector& x);
  void learn_linear_truth();
  const std::optional<RationalVector>& any_point();
  bool has_dual_point();
  void judge_bound(const BoundClaim& bound, std::vector<std::string>& out);
  void judge_emptiness(const EmptinessClaim& empty, std::vector<std::string>& out);
  void judge_ray(const RayClaim& ray, std::vector<std::string>& out);
  bool convex();

  const RawCase& raw_;
  bool polyhedral_, linear_;
  Polyhedron set_;
  std::vector<Point> points_;
  std::optional<RationalVector> interior_;
  bool searched_ = false;
  std::optional<RationalVector> found_;
  std::optional<LpAnswer> solved_;
  std::optional<bool> dual_point_, convex_;
};

}  // namespace pliant::judge
