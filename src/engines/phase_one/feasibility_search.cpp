#include "engines/phase_one/feasibility_search.hpp"

#include "engines/phase_one/smooth_max.hpp"
#include "linalg/dense_limit.hpp"
#include "linalg/sums.hpp"
#include "prox/domain.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr Index kRounds = 40;
// The first working set, and what joins at a time: this many rows per variable, and at least so many.
constexpr Index kRowsPerVariable = 10;
constexpr Index kLeastRows = 500;

// The constraints alone, the domain of psi among them as one more batch behind the others.
Problem constraints_of(const Problem& problem) {
  Problem out(problem.dimension());
  for (const BatchPtr& batch : problem.batches()) out.subject_to(batch);
  if (BatchPtr domain = domain_rows(problem.prox())) out.subject_to(std::move(domain));
  if (problem.has_equalities()) out.equal(problem.equality_matrix(), problem.equality_rhs());
  return out;
}

class Search {
 public:
  Search(const Problem& problem, ConstraintSystem& system, FunctionRef<bool()> stop)
      : problem_(problem),
        system_(system),
        stop_(stop),
        constraints_(constraints_of(problem)),
        all_(constraints_),
        rows_(all_),
        domain_(all_.size() - system.size()) {}

  FeasibilityOutcome run(const Vector& start, const std::vector<Index>& hints) {
    out_.x = start;
    if (all_.size() == 0) {
      out_.answer = Feasibility::feasible;
      return out_;
    }
    measure(start, hints);
    for (Index round = 0; round < kRounds; ++round) {
      const SmoothMax::End end = minimize();
      if (end == SmoothMax::End::proved) {
        out_.answer = Feasibility::infeasible;
        out_.x = proof_x_;
        break;
      }
      if (end == SmoothMax::End::stopped) break;
      const double worst = check_everything();
      if (worst <= 0.0 && problem_.prox().domain_violation(out_.x) <= 0.0) {
        out_.answer = Feasibility::feasible;
        break;
      }
      if (!join(worst, end == SmoothMax::End::exhausted)) break;
    }
    system_.charge(all_);
    return out_;
  }

 private:
  // Rows of the problem's system stand before and behind those of the domain.
  Index to_all(Index row) const { return row < system_.inequalities() ? row : row + domain_; }
  bool in_domain(Index row) const { return row >= system_.inequalities() && row < system_.inequalities() + domain_; }

  void measure(const Vector& x, const std::vector<Index>& hints) {
    const Index m = all_.size();
    Vector norms(m);
    values_.resize(m);
    all_.values_and_gradient_norms(x, values_, norms);
    const double typical = pairwise_sum(norms) / static_cast<double>(m);
    const double least = typical > 0.0 ? 1e-6 * typical : 1.0;
    scales_ = norms.cwiseMax(least).cwiseInverse();
    chosen_.assign(static_cast<std::size_t>(m), false);
    for (const Index row : hints) chosen_[static_cast<std::size_t>(to_all(row))] = true;
    for (Index i = 0; i < m; ++i) {
      if (in_domain(i)) chosen_[static_cast<std::size_t>(i)] = true;
    }
    choose_worst();
  }

  void choose_worst() {
    std::vector<std::pair<double, Index>> left;
    for (Index i = 0; i < all_.size(); ++i) {
      if (!chosen_[static_cast<std::size_t>(i)]) left.emplace_back(-scales_[i] * values_[i], i);
    }
    const auto limit = static_cast<std::size_t>(std::max(kLeastRows, kRowsPerVariable * problem_.dimension()));
    if (left.size() > limit) {
      std::nth_element(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(limit), left.end());
      left.resize(limit);
    }
    for (const auto& [value, row] : left) chosen_[static_cast<std::size_t>(row)] = true;
  }

  SmoothMax::End minimize() {
    std::vector<Index> rows;
    for (Index i = 0; i < all_.size(); ++i) {
      if (chosen_[static_cast<std::size_t>(i)]) rows.push_back(i);
    }
    Vector scales(static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) scales[static_cast<Index>(k)] = scales_[rows[k]];
    rows_.select(std::move(rows));
    SmoothMax method(rows_, std::move(scales));
    return method.minimize(
        out_.x, [&](const Vector& x, const Vector& lambda) { return prove(x, lambda); }, stop_);
  }

  // The verifier sees the problem itself: multipliers of the domain are left to its exact minimum.
  bool prove(const Vector& x, const Vector& lambda) {
    Vector multipliers = Vector::Zero(system_.size());
    for (Index k = 0; k < rows_.size(); ++k) {
      const Index row = rows_.rows()[static_cast<std::size_t>(k)];
      if (!in_domain(row)) multipliers[row < system_.inequalities() ? row : row - domain_] = lambda[k];
    }
    const double largest = multipliers.maxCoeff();
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    multipliers /= largest;
    const InfeasibilityProof proof = check_infeasibility_balanced(problem_, system_, x, multipliers);
    if (!proof.holds) return false;
    if (out_.proof.holds && !(proof.excess > out_.proof.excess)) return true;
    out_.proof = proof;
    proof_x_ = x;
    out_.multipliers = std::move(multipliers);
    return true;
  }

  double check_everything() {
    all_.values(out_.x, values_);
    return values_.maxCoeff();
  }

  // False if there is nothing new to learn: all violated rows took part already.
  bool join(double worst, bool exhausted) {
    bool outside = false;
    const double counts = exhausted ? 1e-9 * (1.0 + problem_.constant_scale()) : 0.0;
    for (Index i = 0; i < all_.size() && !outside; ++i) {
      outside = values_[i] > counts && !chosen_[static_cast<std::size_t>(i)];
    }
    if (!outside || !std::isfinite(worst)) return false;
    choose_worst();
    return true;
  }

  const Problem& problem_;
  ConstraintSystem& system_;
  FunctionRef<bool()> stop_;
  Problem constraints_;
  ConstraintSystem all_;
  RowSelection rows_;
  Index domain_;
  Vector values_, scales_, proof_x_;
  std::vector<bool> chosen_;
  FeasibilityOutcome out_;
};

}  // namespace

FeasibilityOutcome search_feasibility(const Problem& problem, ConstraintSystem& system, const Vector& start,
                                      const std::vector<Index>& hints, FunctionRef<bool()> stop) {
  const bool curved = std::all_of(problem.batches().begin(), problem.batches().end(),
                                  [](const BatchPtr& batch) { return batch->has_hessian(); });
  if (!curved || problem.dimension() > kLargestDense) return {Feasibility::open, start, {}, {}, {}};
  return Search(problem, system, stop).run(start, hints);
}

}  // namespace pliant
