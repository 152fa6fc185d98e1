#include "certify/exact_bound.hpp"

#include "certify/lagrangian_enclosure.hpp"
#include "certify/row_combination.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "linalg/rounding.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/regularizers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pliant {
namespace {

// Multiplications of a dense factorisation that a bound may cost: a fraction of a second.
constexpr double kMostWork = 4e8;
// Gradients that have to keep a sign are moved to so many times their own rounding, those already there are left.
constexpr double kRoom = 16.0;
// Multipliers of equalities may move by this share of the largest at no higher price than large ones.
constexpr double kFreeShare = 1e-3;
// Those of inequalities by this share at least: rows that are not active may have to lend a hair of theirs.
constexpr double kRowShare = 1e-10;
constexpr int kShifts = 4;
// What of a gradient has to go may be this share of its parts: multipliers further off are not those of the problem.
constexpr double kNearby = 1e-5;
// Rows with a multiplier, relative to the number of variables, up to which none is left out.
constexpr Index kFewRows = 8;

// A multiplier at the price of its soft row stays there: most of them are, and they need not move.
bool at_cap(const Doubles& caps, Index i, double lambda) { return !caps.empty() && lambda >= caps[i]; }

// For each segment, the multipliers that may move, between 0 and what is the largest, ascending; nothing where they are
// more than `most`. One look at each, since there may be very many of them.
std::optional<std::vector<std::vector<Index>>> few_between(const ConstraintSystem& system, ConstVectorRef multipliers,
                                                           Index most) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(system.segments()));
  Index count = 0;
  for (Index s = 0; s < system.segments(); ++s) {
    const Index begin = system.segment_begin(s);
    const Doubles& caps = system.caps(s);
    const auto some = [&](Index first, Index last) {
      std::vector<Index> found;
      for (Index i = first; i < last && static_cast<Index>(found.size()) <= most; ++i) {
        const double lambda = multipliers[begin + i];
        if (lambda > 0.0 && !at_cap(caps, i, lambda)) found.push_back(i);
      }
      return found;
    };
    std::vector<Index>& list = out[static_cast<std::size_t>(s)];
    for (const std::vector<Index>& part : parallel::parts<std::vector<Index>>(system.batch(s).size(), some)) {
      list.insert(list.end(), part.begin(), part.end());
    }
    count += static_cast<Index>(list.size());
    if (count > most) return std::nullopt;
  }
  return out;
}

// The linear rows whose multipliers may move, and all equalities.
std::optional<RowCombination> movable_rows(const Problem& problem, ConstraintSystem& system,
                                           ConstVectorRef multipliers) {
  RowCombination out;
  const Index most = kMostCombinationEntries / std::max<Index>(1, problem.dimension());
  // All of them if they are few: small ones may decide a sign.
  const auto few = few_between(system, multipliers, kFewRows * problem.dimension());
  const double least = std::max(kLeastMultiplier, few ? 0.0 : kMultiplierShare * multipliers.maxCoeff());
  for (Index s = 0; s < system.segments(); ++s) {
    const LinearRows* linear = system.batch(s).linear_rows();
    if (linear == nullptr) continue;
    const Index begin = system.segment_begin(s), count = system.batch(s).size();
    const Doubles& caps = system.caps(s);
    const bool equalities = begin >= system.inequalities();
    Vector nu = Vector::Zero(equalities ? linear->matrix().rows() : 0);
    const auto movable = [&](Index i) {
      const double lambda = multipliers[begin + i];
      return !equalities && lambda > least && !at_cap(caps, i, lambda);
    };
    for (Index i = 0; equalities && i < count; ++i) {
      const LinearRows::Side side = linear->side(i);
      nu[side.row] += side.sign * multipliers[begin + i];
    }
    std::vector<Index> read;
    if (few) {
      const std::vector<Index>& listed = (*few)[static_cast<std::size_t>(s)];
      std::copy_if(listed.begin(), listed.end(), std::back_inserter(read), movable);
    } else {
      read = parallel::positions(count, movable);
    }
    if (out.size() + static_cast<Index>(read.size()) > most) return std::nullopt;
    for (const Index i : read) {
      const LinearRows::Side side = linear->side(i);
      out.add(side.sign * linear->matrix().row(side.row), linear->constant(i), multipliers[begin + i], false,
              caps.empty() ? kInfinity : caps[i]);
    }
    if (nu.size() + out.size() > most) return std::nullopt;
    for (Index i = 0; i < nu.size(); ++i) out.add(linear->matrix().row(i), linear->upper()[i], nu[i], true);
    system.charge(s, equalities ? Rows::range(0, count) : Rows::list(read));
  }
  if (out.size() == 0) return std::nullopt;
  return out;
}

// The Lagrangian without these rows, from below by its tangent at x: what rows and multipliers that stay are is known.
std::optional<FixedPart> tangent(const LagrangianEnclosure& whole, const RowCombination& rows, const Matrix& G,
                                 ConstVectorRef x) {
  if (!whole.convexity_known || whole.defect > 0.0 || !std::isfinite(whole.value)) return std::nullopt;
  const Eigen::Map<const Vector> lambda(rows.lambda.data(), rows.size()), h(rows.h.data(), rows.size());
  const Vector sizes = G.cwiseAbs() * lambda.cwiseAbs();
  const auto n = static_cast<double>(x.size()), k = static_cast<double>(rows.size());
  FixedPart out(x.size());
  out.gradient = whole.gradient - G * lambda;
  for (Index j = 0; j < x.size(); ++j) {
    const double size = std::abs(whole.gradient[j]) + sizes[j];
    // Of a variable that no row mentions nothing was taken away, and nothing is rounded.
    const bool untouched = (G.row(j).array() == 0.0).all();
    out.gradient_error[j] =
        kInflation * (whole.gradient_error[j] + (untouched ? 0.0 : rounding_error(k + kAround, size)));
  }
  const double taken = lambda.dot(G.transpose() * x - h);
  const double taken_size = sizes.dot(x.cwiseAbs()) + lambda.cwiseAbs().dot(h.cwiseAbs());
  out.value = (whole.value - taken) - out.gradient.dot(x);
  const double size = std::abs(whole.value) + taken_size + out.gradient.cwiseAbs().dot(x.cwiseAbs());
  out.value_error =
      kInflation * (whole.value_error + out.gradient_error.dot(x.cwiseAbs())) + rounding_error(n + k + kAround, size);
  return out;
}

class Shift {
 public:
  Shift(const RowCombination& rows, const Matrix& G, const FixedPart& fixed, const ProxTerm& prox)
      : rows_(rows), G_(G), fixed_(fixed), prox_(prox) {}

  /// Moves lambda until all gradients have their sign, or this does not help.
  void run(Vector& lambda) const {
    for (int round = 0; round < kShifts; ++round) {
      const std::vector<Wanted> wanted = missing(lambda);
      const bool done = std::none_of(wanted.begin(), wanted.end(), [](const Wanted& w) { return w.change != 0.0; });
      if (done || !affordable(static_cast<double>(wanted.size()))) return;
      move(wanted, lambda);
    }
  }

  /// Whether nothing but a small share of the gradients has to go.
  bool nearby(const Vector& lambda) const {
    const Vector r = fixed_.gradient + G_ * lambda;
    const Vector sizes = fixed_.gradient.cwiseAbs() + G_.cwiseAbs() * lambda.cwiseAbs();
    for (Index j = 0; j < r.size(); ++j) {
      const double bound = r[j] > 0.0 ? bounds_of(prox_, j).lower : bounds_of(prox_, j).upper;
      if (!std::isfinite(bound) && !(std::abs(r[j]) <= kNearby * sizes[j])) return false;
    }
    return true;
  }

  /// How far a multiplier may move at the price of 1.
  Vector scale(const Vector& lambda) const {
    const double largest = lambda.lpNorm<Eigen::Infinity>();
    Vector out = lambda.cwiseAbs();
    for (Index i = 0; i < out.size(); ++i) {
      out[i] = std::min(out[i], rows_.cap[static_cast<std::size_t>(i)] - lambda[i]);
      const double share = rows_.free[static_cast<std::size_t>(i)] ? kFreeShare : kRowShare;
      out[i] = std::max(out[i], share * largest);
    }
    return out;
  }

  bool affordable(double equations) const {
    return equations * equations * static_cast<double>(rows_.size()) <= kMostWork;
  }

 private:
  struct Wanted {
    Index j;
    double change;  // of the gradient; 0: to be kept as it is
  };

  // Variables whose gradient is about 0 and has to be so, or to keep a sign.
  std::vector<Wanted> missing(const Vector& lambda) const {
    const Vector r = fixed_.gradient + G_ * lambda;
    const Vector sizes = fixed_.gradient.cwiseAbs() + G_.cwiseAbs() * lambda.cwiseAbs();
    const double operations = static_cast<double>(rows_.size() + G_.rows()) + kAround;
    std::vector<Wanted> out;
    for (Index j = 0; j < r.size(); ++j) {
      const VariableBounds bounds = bounds_of(prox_, j);
      const double room = kRoom * (rounding_error(operations, sizes[j]) + fixed_.gradient_error[j]);
      if (bounds.free()) {
        if (sizes[j] > 0.0) out.push_back({j, std::abs(r[j]) > room ? -r[j] : 0.0});
        continue;
      }
      if (bounds.lower > -kInfinity && bounds.upper < kInfinity) continue;
      const double inward = bounds.lower > -kInfinity ? r[j] : -r[j];  // has to be >= 0
      if (inward >= kRoom * room) continue;
      const double change = inward >= 0.5 * room ? 0.0 : room - inward;
      out.push_back({j, bounds.lower > -kInfinity ? change : -change});
    }
    return out;
  }

  // The smallest change of the multipliers, each relative to itself, that changes the gradients so.
  void move(const std::vector<Wanted>& wanted, Vector& lambda) const {
    const Vector scales = scale(lambda);
    Matrix M(static_cast<Index>(wanted.size()), lambda.size());
    Vector change(M.rows());
    for (Index k = 0; k < M.rows(); ++k) {
      M.row(k) = G_.row(wanted[static_cast<std::size_t>(k)].j).cwiseProduct(scales.transpose());
      change[k] = wanted[static_cast<std::size_t>(k)].change;
    }
    const Vector w = OrthogonalFactor(M).solve(change);
    if (!w.allFinite()) return;
    lambda += scales.cwiseProduct(w);
    for (Index i = 0; i < lambda.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!rows_.free[k]) lambda[i] = std::clamp(lambda[i], 0.0, rows_.cap[k]);
    }
  }

  const RowCombination& rows_;
  const Matrix& G_;
  const FixedPart& fixed_;
  const ProxTerm& prox_;
};

}  // namespace

std::optional<double> bound_by_exact_multipliers(const Problem& problem, ConstraintSystem& system, const ProofPoint& at,
                                                 const LagrangianEnclosure& whole) {
  const ProxTerm& prox = problem.prox();
  const SeparableParameters* p = separable_parameters(prox);
  if (p == nullptr || p->l1 > 0.0 || p->l2 > 0.0 || !problem.conic().empty() || system.grouped()) return std::nullopt;
  const std::optional<RowCombination> rows = movable_rows(problem, system, at.multipliers);
  if (!rows) return std::nullopt;
  const Matrix G = rows->matrix();
  const std::optional<FixedPart> fixed = tangent(whole, *rows, G, at.x);
  if (!fixed) return std::nullopt;
  Vector lambda = Eigen::Map<const Vector>(rows->lambda.data(), rows->size());
  const Shift shift(*rows, G, *fixed, prox);
  if (!shift.nearby(lambda)) return std::nullopt;
  shift.run(lambda);
  std::vector<bool> zero(static_cast<std::size_t>(G.rows()), false);
  std::vector<Index> equations;
  for (Index j = 0; j < G.rows(); ++j) {
    const bool mentioned = fixed->gradient[j] != 0.0 || fixed->gradient_error[j] > 0.0 || !G.row(j).isZero(0.0);
    if (!bounds_of(prox, j).free() || !mentioned) continue;
    zero[static_cast<std::size_t>(j)] = true;
    equations.push_back(j);
  }
  if (!shift.affordable(static_cast<double>(equations.size()))) return std::nullopt;
  const std::optional<EnclosedMultipliers> exact = solve_for_zero(G, *fixed, lambda, shift.scale(lambda), equations);
  if (!exact) return std::nullopt;
  const double bound = least_combination(*rows, G, *fixed, *exact, zero, prox);
  return std::isfinite(bound) ? std::optional<double>(bound) : std::nullopt;
}

}  // namespace pliant
