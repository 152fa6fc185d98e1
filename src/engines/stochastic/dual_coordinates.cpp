#include "engines/stochastic/dual_coordinates.hpp"

#include "objective/generalized_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace pliant {
namespace {

// t if P = t I, t >= 0.
std::optional<double> multiple_of_identity(const DataMatrix& P) {
  const double t = P.rows() > 0 ? P.row(0)[0] : 0.0;
  for (Index i = 0; i < P.rows(); ++i) {
    const RowView row(P, i);
    double diagonal = 0.0;
    for (Index p = 0; p < row.count; ++p) {
      if ((row.columns == nullptr ? p : row.columns[p]) == i) {
        diagonal += row.values[p];
      } else if (row.values[p] != 0.0) {
        return std::nullopt;
      }
    }
    if (diagonal != t) return std::nullopt;
  }
  return t;
}

// mu/2 |x|^2 + c'x that a term of the objective adds to g; nullopt: the term is no such thing.
struct SimplePart {
  double mu = 0.0;
  const Doubles* c = nullptr;
};
std::optional<SimplePart> simple_part(const ObjectiveTerm& term) {
  const TermStructure form = term.structure();
  if (form.linear) return SimplePart{0.0, form.linear.c};
  if (form.quadratic) {
    if (const auto t = multiple_of_identity(*form.quadratic.P)) return SimplePart{*t, form.quadratic.q};
  }
  return std::nullopt;
}

// z+ of a logistic loss: F(z+) = z+ - z + (s loss'(z+) - alpha) q = 0, F' >= 1. Newton inside a bracket, and
// bisection wherever the steps do not shrink: on a sigmoid Newton alone can go to and fro for ever.
double logistic_margin(double z, double y, double s, double alpha, double q) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  const LogisticLoss loss;
  double low = z + (alpha - (y > 0.0 ? 0.0 : s)) * q;
  double high = z + (alpha - (y > 0.0 ? -s : 0.0)) * q;
  double at = std::clamp(z, low, high);
  double previous = high - low;
  for (int k = 0; k < 200; ++k) {
    const double d = loss.derivative(at, y);
    const double value = at - z + (s * d - alpha) * q;
    if (std::abs(value) <= kRounding * (std::abs(at) + std::abs(z) + (s + std::abs(alpha)) * q)) return at;
    (value < 0.0 ? low : high) = at;
    const double newton = at - value / (1.0 + s * std::abs(d) * (1.0 - std::abs(d)) * q);
    const bool good = newton > low && newton < high && std::abs(newton - at) <= 0.5 * previous;
    const double next = good ? newton : 0.5 * (low + high);
    previous = std::abs(next - at);
    at = next;
  }
  return at;
}

}  // namespace

std::string DualCoordinates::obstacle(const Problem& problem) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr) return fmt::format("needs a separable simple term, which {} is not", problem.prox().kind());
  double mu = psi->l2;
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!(t.weight > 0.0) || is_generalized_linear(*t.term)) continue;
    const auto part = simple_part(*t.term);
    if (!part) {
      return fmt::format(
          "takes least squares, logistic, Huber and linear terms and multiples of the squared norm, not this {} term",
          t.term->kind());
    }
    mu += t.weight * part->mu;
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) {
      return fmt::format("takes linear constraints, not {} ones", batch->family());
    }
  }
  if (!(mu > 0.0)) return "needs strong convexity: l2_squared, or a multiple of the squared norm in the objective";
  return {};
}

DualCoordinates::DualCoordinates(const Problem& problem, ConstraintSystem& system)
    : problem_(problem), psi_(*separable_parameters(problem.prox())) {
  const Index n = problem.dimension();
  mu_ = psi_.l2;
  linear_ = Vector::Zero(n);
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!(t.weight > 0.0)) continue;
    if (const auto part = simple_part(*t.term)) {
      mu_ += t.weight * part->mu;
      linear_ += t.weight * Eigen::Map<const Vector>(part->c->data(), n);
      continue;
    }
    Group g;
    g.scale = t.weight / static_cast<double>(t.term->components());
    const LossSum& losses = *t.term->structure().losses;  // obstacle() takes nothing else
    g.kind = kind_of(losses.loss_kind());
    g.matrix = &losses.A();
    g.targets = losses.targets().data();
    g.k = losses.threshold();
    append(g);
  }
  objective_ = groups_.empty() ? 0 : groups_.back().begin + groups_.back().count;
  for (Index s = 0; s < system.segments(); ++s) {
    const LinearRows& rows = *system.batch(s).linear_rows();
    Group g;
    g.kind = rows.two_sided() ? Kind::two_sided : Kind::one_sided;
    g.matrix = &rows.matrix();
    g.targets = rows.upper().data();
    g.lower = rows.lower().data();
    g.batch = &system.batch(s);
    g.system_begin = system.segment_begin(s);
    if (!system.caps(s).empty()) set_prices(rows, system.caps(s), g);
    append(std::move(g));
  }
  smooth_ = psi_.l1 == 0.0 && psi_.lo.empty();
  alpha_ = Vector::Zero(groups_.empty() ? 0 : groups_.back().begin + groups_.back().count);
  stiffness_.resize(size());
  for (const Group& g : groups_) g.matrix->squared_norms(Rows::range(0, g.count), stiffness_.data() + g.begin);
  stiffness_ /= mu_;
  v_ = -linear_;
  x_.resize(n);
  for (Index j = 0; j < n; ++j) x_[j] = primal(j, v_[j]);
}

void DualCoordinates::append(Group g) {
  g.begin = groups_.empty() ? 0 : groups_.back().begin + groups_.back().count;
  g.count = g.matrix->rows();
  groups_.push_back(std::move(g));
}

void DualCoordinates::set_prices(const LinearRows& rows, const Doubles& caps, Group& g) {
  g.above.assign(static_cast<std::size_t>(rows.matrix().rows()), 0.0);
  g.below = g.above;
  for (Index k = 0; k < rows.constraints(); ++k) {
    const LinearRows::Side side = rows.side(k);
    (side.sign > 0.0 ? g.above : g.below)[static_cast<std::size_t>(side.row)] = caps[k];
  }
}

double DualCoordinates::primal(Index j, double v) const {
  const double free = (v - std::clamp(v, -psi_.l1, psi_.l1)) / mu_;
  return psi_.lo.empty() ? free : std::min(std::max(free, psi_.lo[j]), psi_.hi[j]);
}

void DualCoordinates::move(const RowView& row, double change) {
  if (smooth_) {
    row.add(-change / mu_, x_.data());
    return;
  }
  row.add(-change, v_.data());
  for (Index p = 0; p < row.count; ++p) {
    const Index j = row.columns == nullptr ? p : row.columns[p];
    x_[j] = primal(j, v_[j]);
  }
}

double DualCoordinates::slope(const Group& g, Index local, double z) const {
  const double t = g.targets[local];
  if (g.kind == Kind::square) return g.scale * SquareLoss{}.derivative(z, t);
  if (g.kind == Kind::logistic) return g.scale * LogisticLoss{}.derivative(z, t);
  return g.scale * HuberLoss{g.k}.derivative(z, t);
}

double DualCoordinates::curvature_bound(const Group& g) const {
  return g.scale * (g.kind == Kind::logistic ? LogisticLoss{}.curvature_bound() : 1.0);
}

double DualCoordinates::best_alpha(const Group& g, Index local, double z, double alpha, double q, double xi) const {
  const double t = g.targets[local];
  switch (g.kind) {
    case Kind::square:
      return (z + alpha * q - t) / (1.0 / g.scale + q);
    case Kind::huber:
      return std::clamp((z + alpha * q - t) / (1.0 / g.scale + q), -g.scale * g.k, g.scale * g.k);
    case Kind::logistic:
      return slope(g, local, logistic_margin(z, t, g.scale, alpha, q));
    case Kind::one_sided: {
      const double most = domain_of_row(g, local, xi).high;
      if (!(q > 0.0)) return z > t ? most : 0.0;  // a row without entries: x has no say
      return std::clamp(alpha + (z - t) / q, 0.0, most);
    }
    case Kind::two_sided: {
      const double lo = g.lower[local];
      const auto [least, most] = domain_of_row(g, local, xi);
      if (!(q > 0.0)) return z > t ? most : (z < lo ? least : 0.0);
      if (const double up = alpha + (z - t) / q; up > 0.0) return std::min(up, most);
      if (const double down = alpha + (z - lo) / q; down < 0.0) return std::max(down, least);
      return 0.0;
    }
  }
  return alpha;
}

DualCoordinates::Visit DualCoordinates::visit(Index i, double xi) {
  const Group& g = group_of(i);
  const Index local = i - g.begin;
  const RowView row(*g.matrix, local);
  const double z = row.dot(x_.data()), q = stiffness_[i], before = alpha_[i];
  const double after = best_alpha(g, local, z, before, q, xi), change = after - before;
  if (change != 0.0) {
    alpha_[i] = after;
    move(row, change);
  }
  Visit found;
  if (g.batch == nullptr) {
    const double c = curvature_bound(g), off = change * (1.0 + c * q);  // about phi'(z) - alpha_i
    found.gap = 0.5 * off * off / c;
    return found;
  }
  if (!g.above.empty()) return visit_soft(g, local, z, before);
  const double above = z - g.targets[local];
  const double below = g.kind == Kind::two_sided ? g.lower[local] - z : -kInfinity;
  found.violation = std::max({above, below, 0.0});
  found.gap = before > 0.0 ? before * std::abs(above) : (before < 0.0 ? -before * std::abs(below) : 0.0);
  found.saturated = std::abs(after) >= xi && found.violation - std::abs(change) * q > 0.0;
  return found;
}

// c max(0, a) - lambda a of every side: a soft row is never violated, and its multiplier may be at its price.
DualCoordinates::Visit DualCoordinates::visit_soft(const Group& g, Index local, double z, double before) const {
  const auto [least, most] = domain_of_row(g, local, kInfinity);
  const double above = z - g.targets[local];
  Visit found;
  found.gap = priced(most, above) - (before > 0.0 ? before * above : 0.0);
  if (g.kind == Kind::two_sided) {
    const double below = g.lower[local] - z;
    found.gap += priced(-least, below) + (before < 0.0 ? before * below : 0.0);
  }
  return found;
}

void DualCoordinates::multipliers(Vector& out) const {
  for (const Group& g : groups_) {
    if (g.batch == nullptr) continue;
    g.batch->duals_to_multipliers(alpha_.segment(g.begin, g.count), out.segment(g.system_begin, g.batch->size()));
  }
}

void DualCoordinates::adopt(ConstVectorRef x, ConstVectorRef multipliers) {
  for (const Group& g : groups_) {
    auto alpha = alpha_.segment(g.begin, g.count);
    if (g.batch != nullptr) {
      g.batch->multipliers_to_duals(multipliers.segment(g.system_begin, g.batch->size()), alpha);
    } else {
      for (Index k = 0; k < g.count; ++k) alpha[k] = slope(g, k, g.matrix->dot(k, x.data()));
    }
  }
  refresh();
}

Index DualCoordinates::refresh() {
  Index read = 0;
  v_ = -linear_;
  for (const Group& g : groups_) {
    for (Index k = 0; k < g.count; ++k) {
      if (alpha_[g.begin + k] == 0.0) continue;
      RowView(*g.matrix, k).add(-alpha_[g.begin + k], v_.data());
      ++read;
    }
  }
  for (Index j = 0; j < x_.size(); ++j) x_[j] = primal(j, v_[j]);
  return read;
}

}  // namespace pliant
