// Soft rows as hard ones: a price w_i max(0, a_i(x)) is the cost w_i s_i of a slack with a_i(x) <= s_i, s_i >= 0.
//
// The same problem over (x, s) for engines that know nothing of prices. An l1 term becomes slacks as well (-t <= x <= t),
// the square of a norm a quadratic term, a simplex bounds with an equality, so that bounds are all that is left of psi.
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"

#include <string>

namespace pliant {

class SlackForm {
 public:
  /// Why a problem cannot be written so, in words; empty if it can.
  static std::string obstacle(const Problem& problem);

  explicit SlackForm(const Problem& problem);

  const Problem& problem() const { return form_; }
  /// (x, s) with the smallest slacks.
  Vector lift(ConstVectorRef x) const;
  /// The same for a direction: slacks grow as fast as the rows do.
  Vector lift_ray(ConstVectorRef direction) const;
  Multipliers to_original(const Multipliers& of_form) const;
  Multipliers to_form(const Multipliers& of_original) const;

 private:
  void add_terms();
  void add_batches();
  void add_l1(double weight);
  void add_bounds();
  /// Where prices lie far apart, slacks are counted in units of what they cost beside the usual price, to the next power
  /// of two: engines that balance rows and columns see costs of one size, and nothing is rounded. Equal ones stay.
  double unit_of_slack(double price) const;
  Vector lift_with(ConstVectorRef x, FunctionRef<double(const LinearRows&, Index)> value) const;

  const Problem& original_;
  /// Of each batch the constraints with a price, ascending; empty for hard ones.
  std::vector<std::vector<Index>> priced_;
  double usual_price_ = 1.0;
  Index slacks_ = 0, absolute_ = 0;  // of soft rows, of an l1 term
  Problem form_;
};

/// Makes the form, a plan for it, and solves it; `attempt` says why. The result is one of the problem with soft rows.
Result solve_with_slacks(const Problem& problem, const Attempt& attempt, const Settings& settings,
                         const SolveHooks& hooks);

/// prove_unbounded, for problems with soft rows in their slack form.
UnboundednessProof prove_unbounded_with_slacks(const Problem& problem, ConstVectorRef x, ConstVectorRef direction);

}  // namespace pliant
