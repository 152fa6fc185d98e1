#include "judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pliant::judge {
namespace {

bool finite(const Vector& x) { return x.allFinite(); }

std::string number(const Rational& value) { return fmt::format("{:.17g}", value.get_d()); }

// The program min cost'x + l1 sum u_j + sum w_i s_i, -u <= x <= u, g_i'x - s_i <= h_i, s_i >= 0, over the set; along
// directions h_i = 0.
LpAnswer solve_linear(const RawCase& raw, const Polyhedron& set, bool directions = false) {
  const auto n = static_cast<std::size_t>(raw.n);
  RationalVector cost = exact(raw.q);
  const std::size_t own = n + (raw.l1 > 0.0 ? n : 0);
  std::size_t all = own;
  for (const RawSoftRows& rows : raw.soft_rows) all += static_cast<std::size_t>(rows.upper.size());
  if (all == n) {
    LpAnswer answer = minimise(set, cost);
    answer.value += exact(raw.constant);
    return answer;
  }
  Polyhedron lifted;
  lifted.n = static_cast<Index>(all);
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    RationalVector row = set.rows[i];
    row.resize(all);
    lifted.add(std::move(row), set.rhs[i]);
  }
  for (std::size_t j = 0; own > n && j < n; ++j) {
    for (const int sign : {1, -1}) {
      RationalVector row(all);
      row[j] = sign;
      row[n + j] = -1;
      lifted.add(std::move(row), 0);
    }
  }
  cost.resize(own, exact(raw.l1));
  for (const RawSoftRows& rows : raw.soft_rows) {
    for (Index i = 0; i < rows.upper.size(); ++i) {
      RationalVector row = exact(Vector(rows.G.row(i).transpose())), sign(all);
      row.resize(all);
      row[cost.size()] = sign[cost.size()] = -1;
      lifted.add(std::move(row), directions ? Rational(0) : exact(rows.upper[i]));
      lifted.add(std::move(sign), 0);
      cost.push_back(exact(rows.weights[i]));
    }
  }
  LpAnswer answer = minimise(lifted, cost);
  answer.value += exact(raw.constant);
  if (!answer.x.empty()) answer.x.resize(n);
  if (answer.multipliers.empty()) return answer;
  // Those of the set, then of the soft rows: each has a row and the sign of its slack.
  RationalVector multipliers(answer.multipliers.begin(),
                             answer.multipliers.begin() + static_cast<std::ptrdiff_t>(set.rows.size()));
  for (std::size_t i = lifted.rows.size() - 2 * (all - own); i < lifted.rows.size(); i += 2) {
    multipliers.push_back(answer.multipliers[i]);
  }
  answer.multipliers = std::move(multipliers);
  return answer;
}

// Whether -Gd + share (1 + largest |h_i|) e is outside the cone, e its centre.
bool leaves_cone(const RawCone& cone, const RationalVector& d, const Rational& share) {
  if (cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative) return false;  // among the rows
  RationalVector s;
  Rational allowed = 1;
  for (Index i = 0; i < cone.h.size(); ++i) {
    s.push_back(-dot(cone.G.row(i).transpose(), d));
    if (abs(exact(cone.h[i])) + 1 > allowed) allowed = abs(exact(cone.h[i])) + 1;
  }
  const Rational t = share * allowed;
  const std::size_t rows = s.size();
  if (cone.kind == ConeKind::semidefinite) {
    for (std::size_t k = 0, order = svec_order(rows); k < rows; k += order, --order) s[k] += t;
  } else {
    s[0] += cone.kind == ConeKind::exponential ? Rational(-t) : t;
    if (cone.kind != ConeKind::second_order) s[1] += t;
    if (cone.kind == ConeKind::exponential) s[2] += t;
  }
  return !in_cone(cone, s);
}

}  // namespace

Judge::Judge(const RawCase& raw)
    : raw_(raw),
      polyhedral_(is_polyhedral(raw)),
      linear_(polyhedral_ && raw.P.size() == 0 && raw.terms.empty() && raw.l2 == 0.0 && raw.groups.empty() &&
              raw.soft_cones.empty()),
      set_(linear_part(raw)) {
  for (const Vector& x : raw.planted) learn(exact(x));
  if (raw.inside && finite(*raw.inside)) {
    interior_ = exact(*raw.inside);
    learn(*interior_);
  }
}

void Judge::learn(const RationalVector& x) {
  if (!exactly_feasible(raw_, x)) return;
  try {
    if (const std::optional<Rational> value = exact_objective(raw_, x)) points_.push_back({x, *value});
  } catch (const std::overflow_error&) {  // so large that no claim can be above it
  }
}

void Judge::learn_linear_truth() {
  if (!linear_ || solved_) return;
  solved_ = solve_linear(raw_, set_);
  searched_ = true;
  if (solved_->end == LpEnd::infeasible) return;
  found_ = solved_->x;
  learn(solved_->x);
}

std::optional<Rational> Judge::exact_value() {
  learn_linear_truth();
  if (!solved_ || solved_->end != LpEnd::optimal) return std::nullopt;
  return solved_->value;
}

std::optional<Multipliers> Judge::exact_multipliers() {
  learn_linear_truth();
  if (!solved_ || solved_->multipliers.empty()) return std::nullopt;
  return to_multipliers(raw_, solved_->multipliers);
}

std::optional<Vector> Judge::known_point() const {
  if (points_.empty()) return std::nullopt;
  Vector out(raw_.n);
  for (Index j = 0; j < raw_.n; ++j) out[j] = points_.back().x[static_cast<std::size_t>(j)].get_d();
  return out;
}

const std::optional<RationalVector>& Judge::any_point() {
  if (!searched_ && !points_.empty()) found_ = points_.front().x;
  if (!found_ && polyhedral_ && !searched_) {
    found_ = find_point(set_);
    if (found_) learn(*found_);
  }
  searched_ = true;
  return found_;
}

// Polyhedral sets: the nearest point. Others: towards the interior, as little as binary fractions allow.
void Judge::repair(const Vector& x) {
  if (!finite(x) || x.size() != raw_.n) return;
  const RationalVector start = exact(x);
  if (exactly_feasible(raw_, start)) {
    learn(start);
    return;
  }
  if (linear_) return;  // the exact optimum is known
  if (polyhedral_) {
    if (const auto point = nearest_point(set_, start)) learn(*point);
    return;
  }
  if (!interior_) return;
  constexpr unsigned kFinest = 60, kCoarser = 4, kRefinements = 4;
  Rational before = 0;
  for (unsigned k = kFinest + kCoarser; k >= kCoarser;) {
    k -= kCoarser;
    Rational t(1, mpz_class(1) << k);
    if (!exactly_feasible(raw_, between(start, *interior_, t))) {
      before = t;
      if (k == 0) return;
      continue;
    }
    for (unsigned step = 0; step < kRefinements; ++step) {
      const Rational middle = (before + t) / 2;
      (exactly_feasible(raw_, between(start, *interior_, middle)) ? t : before) = middle;
    }
    learn(between(start, *interior_, t));
    return;
  }
}

bool Judge::convex() {
  if (!convex_) convex_ = exactly_convex(raw_);
  return *convex_;
}

// No direction d of the set with Pd = 0 along which q'd + l1 |d|_1 < 0 (polyhedral sets), or somebody planted a dual
// point.
bool Judge::has_dual_point() {
  if (raw_.dual_feasible || raw_.l2 > 0.0) return true;
  if (!polyhedral_ || !raw_.terms.empty() || !raw_.groups.empty() || !raw_.soft_cones.empty() || !convex())
    return false;
  if (!dual_point_) {
    Polyhedron directions = set_.recession();
    for (Index i = 0; i < raw_.P.rows(); ++i) {
      RationalVector row = exact(Vector(raw_.P.row(i).transpose()));
      directions.add(row, 0);
      for (Rational& t : row) t = -t;
      directions.add(std::move(row), 0);
    }
    dual_point_ = solve_linear(raw_, directions, true).end == LpEnd::optimal;
  }
  return *dual_point_;
}

std::vector<std::string> Judge::contradictions(const Claims& claims) {
  std::vector<std::string> out;
  for (const BoundClaim& bound : claims.bounds) judge_bound(bound, out);
  if (claims.empty) judge_emptiness(*claims.empty, out);
  if (claims.ray) judge_ray(*claims.ray, out);
  return out;
}

void Judge::judge_bound(const BoundClaim& bound, std::vector<std::string>& out) {
  if (bound.value == -kInfinity || bound.kind == BoundKind::estimate) return;
  if (bound.kind == BoundKind::proved_if_convex && !convex()) return;
  if (std::isnan(bound.value)) out.emplace_back("the proved bound is not a number");
  learn_linear_truth();
  if (bound.value == kInfinity && any_point()) out.emplace_back("proved bound inf, but there is a feasible point");
  for (const Point& point : points_) {
    if (!exceeds(bound.value, point.value)) continue;
    out.push_back(fmt::format("proved bound {:.17g}, but a feasible point has {}", bound.value, number(point.value)));
    break;
  }
  if (solved_ && solved_->end == LpEnd::unbounded) {
    out.push_back(fmt::format("proved bound {:.17g}, but the problem is unbounded below", bound.value));
  }
}

void Judge::judge_emptiness(const EmptinessClaim& empty, std::vector<std::string>& out) {
  const double radius = empty.radius;
  if (radius == kInfinity) {
    if (any_point()) out.emplace_back("no feasible point at all is claimed, but there is one");
    return;
  }
  if (std::isnan(radius)) {
    out.emplace_back("the radius without feasible points is not a number");
    return;
  }
  if (!(radius > 0.0)) return;
  const Rational reach = exact(radius);
  bool found =
      std::any_of(points_.begin(), points_.end(), [&](const Point& point) { return largest_entry(point.x) <= reach; });
  if (polyhedral_ && !found) {
    Polyhedron near = set_;
    near.add_box(reach);
    found = find_point(near).has_value();
  }
  if (found) out.push_back(fmt::format("no feasible point within {:.17g} is claimed, but there is one", radius));
}

// Entries of t d up to R: a row grows by R g'd/|d|_inf, and a cone is left by t with -Gd R/|d|_inf + t e inside it.
void Judge::judge_ray(const RayClaim& ray, std::vector<std::string>& out) {
  if (ray.radius == kInfinity) {
    if (has_dual_point()) out.emplace_back("no dual point is claimed, but there is one");
    return;
  }
  if (std::isnan(ray.radius) || ray.direction.size() != raw_.n || !finite(ray.direction)) {
    out.emplace_back("a ray that is not one is claimed");
    return;
  }
  const RationalVector d = exact(ray.direction);
  const Rational length = largest_entry(d), reach = exact(ray.radius);
  for (std::size_t i = 0; i < set_.rows.size(); ++i) {
    Rational growth = 0;
    for (std::size_t j = 0; j < d.size(); ++j) growth += set_.rows[i][j] * d[j];
    const Rational allowed = 1 + abs(set_.rhs[i]);
    if (growth * reach <= allowed * length) continue;
    out.push_back(fmt::format("a ray of length {:.17g} is claimed, but a row grows by more than {}", ray.radius,
                              number(allowed)));
    return;
  }
  for (const RawCone& cone : raw_.cones) {
    if (!leaves_cone(cone, d, length / reach)) continue;
    out.push_back(fmt::format(
        "a ray of length {:.17g} is claimed, but it leaves a cone by more than 1 + |its constant|", ray.radius));
    return;
  }
  const bool plain = raw_.P.size() == 0 && raw_.terms.empty() && raw_.l1 == 0.0 && raw_.l2 == 0.0 &&
                     raw_.groups.empty() && !raw_.has_prices();
  if (plain && dot(raw_.q, d) >= 0) out.emplace_back("a ray is claimed, but the objective does not fall along it");
}

// The rounding of a row's value is not the row's violation: it is allowed for.
std::vector<std::string> Judge::beyond_tolerance(const Vector& x, double tolerance) const {
  std::vector<std::string> out;
  if (!finite(x)) return {"x is not finite"};
  const RationalVector point = exact(x);
  const auto judge_row = [&](const char* what, Index i, const Eigen::Ref<const Vector>& g, double constant, int sign) {
    const Rational violation = sign * (dot(g, point) - exact(constant));
    const double size = g.cwiseProduct(x).lpNorm<1>() + std::abs(constant);
    const double allowed = tolerance * (1.0 + std::abs(constant)) * (1.0 + 1e-9) +
                           static_cast<double>(x.size() + 8) * std::numeric_limits<double>::epsilon() * size;
    if (!std::isfinite(allowed) || violation <= exact(allowed)) return;
    out.push_back(fmt::format("{} {} is violated by {}, its constant is {:.3g}", what, i, number(violation), constant));
  };
  for (Index i = 0; i < raw_.row_hi.size(); ++i) {
    const Vector g = raw_.G.row(i).transpose();
    if (std::isfinite(raw_.row_hi[i])) judge_row("row", i, g, raw_.row_hi[i], 1);
    if (std::isfinite(raw_.row_lo[i])) judge_row("row", i, g, raw_.row_lo[i], -1);
  }
  for (Index i = 0; i < raw_.e.size(); ++i) {
    const Vector g = raw_.E.row(i).transpose();
    judge_row("equality", i, g, raw_.e[i], 1);
    judge_row("equality", i, g, raw_.e[i], -1);
  }
  return out;
}

}  // namespace pliant::judge
