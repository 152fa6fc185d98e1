// The problem: minimise F(x) = sum of terms + psi(x) subject to batches a_i(x) <= 0, E x = e and h - G x in cones.
//
// Rows may be soft (soft_rows.hpp): then F has a price w_i max(0, a_i(x)) for them instead.
#pragma once

#include "pliant/cones.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/constraints.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/handle.hpp"
#include "pliant/objective_term.hpp"
#include "pliant/objectives.hpp"
#include "pliant/prox_term.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/soft_rows.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pliant {

/// E x = e.
struct EqualityConstraint {
  DataMatrix E;
  Doubles e;
};
EqualityConstraint equal(DataMatrix E, Doubles e);

/// A point whose optimality somebody vouches for, carried by generated instances.
struct KnownOptimum {
  double objective = 0.0;
  Vector x;  ///< may be empty
};

/// What the author of a file wanted. A problem is always a minimisation: where a file maximises f, its terms are those
/// of F = -f, and reports give f.
enum class Sense { minimize, maximize };

/// Names of variables and rows, for reports and files. Every list is empty or complete.
struct Names {
  std::string objective;
  std::vector<std::string> variables;                 ///< n
  std::vector<std::string> equalities;                ///< rows of E
  std::vector<std::vector<std::string>> constraints;  ///< one list per batch, with dual_size() names
  bool empty() const;
};

/// t -> f(x + t d) for the smooth part f of a problem; see Problem::prepare_smooth_line.
struct SmoothLine {
  double max_step = kInfinity;  ///< f is finite for 0 <= t < max_step
  std::vector<ObjectiveLine> terms;
};

/// Solves only read a problem: several may run at once on one that nobody changes meanwhile.
class Problem {
 public:
  struct WeightedTerm {
    TermPtr term;
    double weight = 1.0;
  };

  explicit Problem(Index n);

  Index dimension() const { return n_; }

  /// Adds weight * term to the objective.
  Problem& minimize(TermPtr term, double weight = 1.0);
  /// Adds weight * sum_i w_i max(0, a_i(x)): soft rows. They are a batch like others, with duals between 0 and weight * w_i.
  Handle minimize(SoftRows soft, double weight = 1.0, std::string name = {});
  /// Adds a prox term; separable ones combine, others are refused.
  Problem& regularize(ProxPtr term);
  Handle subject_to(BatchPtr batch, std::string name = {});
  /// Adds h - Gx in K.
  Handle subject_to(ConicConstraint conic, std::string name = {});
  /// Adds E x = e below the equalities there are; from the second call on all rows are copied into one matrix.
  Handle subject_to(EqualityConstraint equalities, std::string name = {});
  Handle equal(DataMatrix E, Doubles e) { return subject_to(EqualityConstraint{std::move(E), std::move(e)}); }

  /// Replaces a term, keeping its weight.
  void replace_term(Index index, TermPtr term);
  /// Replaces the constant terms of a batch (ConstraintBatch::with_constants); the data are not checked again.
  void replace_constants(const Handle& batch, Doubles constants);

  const std::vector<WeightedTerm>& terms() const { return terms_; }
  /// False if psi = 0.
  bool has_prox() const;
  const ProxTerm& prox() const { return *prox_; }
  const ProxPtr& prox_ptr() const { return prox_; }
  const std::vector<BatchPtr>& batches() const { return batches_; }
  /// Whether some batch is soft; the prices of a batch, which are the largest multipliers of its rows; none: it is hard.
  bool has_soft_rows() const;
  const Doubles& caps(Index batch) const { return caps_[static_cast<std::size_t>(batch)]; }

  /// One per call of subject_to, in order.
  const std::vector<Handle>& handles() const { return handles_; }
  /// Throws InputError unless the handle is one of this problem and of this kind.
  void expect_handle(const Handle& handle, ConstraintKind kind) const;
  const ConstraintBatch& batch(const Handle& handle) const;

  const std::vector<ConicConstraint>& conic() const { return conic_; }
  const std::string& conic_name(Index index) const { return conic_names_[static_cast<std::size_t>(index)]; }

  bool has_equalities() const { return equalities_ != nullptr; }
  const DataMatrix& equality_matrix() const { return equality_matrix_; }
  const Doubles& equality_rhs() const { return equality_rhs_; }
  /// Rows of E by call of subject_to: part k are rows equality_parts()[k] to equality_parts()[k + 1] - 1.
  const std::vector<Index>& equality_parts() const { return equality_parts_; }
  /// The equalities as two-sided rows with lo = hi; null if there are none.
  const BatchPtr& equality_batch() const { return equalities_; }

  /// Number of inequality constraints m (a cone is one, a row of a nonnegative or zero one too), of objective
  /// components l, bytes of constraint data.
  Index constraints() const;
  Index components() const;
  Index data_bytes() const;
  /// max |constant term| over batches, equalities and cones.
  double constant_scale() const;

  // Smooth part f of the objective and the whole of it. Terms of weight 0 do not count, nor do their domains.
  double smooth_value(ConstVectorRef x) const;
  double add_smooth_gradient(ConstVectorRef x, VectorRef gradient) const;
  void add_smooth_hessian(ConstVectorRef x, MatrixRef H) const;
  /// Prepares t -> f(x + t d); smooth_line evaluates it without reading data again, where the terms can.
  void prepare_smooth_line(ConstVectorRef x, ConstVectorRef d, SmoothLine& line) const;
  LinePoint smooth_line(SmoothLine& line, double t) const;
  /// The largest t such that f is finite on [x, x + t d).
  double max_step(ConstVectorRef x, ConstVectorRef d) const;
  /// What soft rows cost at x; objective contains it. One read of them.
  double soft_value(ConstVectorRef x) const;
  double objective(ConstVectorRef x) const;

  /// Bounds: strong convexity of f and of F, smoothness of f, inf f (or -infinity). Kept once computed.
  double smooth_strong_convexity() const;
  double strong_convexity() const;
  double smoothness() const;
  double smooth_lower_bound() const;

  /// Sizes of the variables, powers of two: in units of them the rows are alike. Empty where they are of one size
  /// already or the problem cannot be written in other units. From a sample of the rows, kept once computed.
  const Vector& natural_units() const;

  /// Checks everything (finite data, shapes, convexity); throws InputError. Each part is checked once.
  void validate() const;
  /// Looks for counterexamples to what is said of functions of the user, families and terms of their own included, at
  /// some tens of points around the start and inside the bounds: convexity, gradients, errors of approximations. Throws
  /// InputError that names the points; once per part. Solves do it unless Settings::check_functions is off.
  void check_functions() const;

  std::string name;
  Names names;
  Sense sense = Sense::minimize;
  /// A value or bound of F as the author of the problem counts it.
  double reported(double value) const { return sense == Sense::maximize ? -value : value; }
  std::optional<Vector> start;
  /// A strictly feasible point, where one is known (Slater point).
  std::optional<Vector> slater_point;
  std::optional<KnownOptimum> known_optimum;

 private:
  Index n_;
  std::vector<WeightedTerm> terms_;
  ProxPtr prox_;
  std::vector<BatchPtr> batches_;
  std::vector<Doubles> caps_;  // of each batch, empty for hard ones
  std::vector<ConicConstraint> conic_;
  std::vector<std::string> conic_names_;
  DataMatrix equality_matrix_;
  Doubles equality_rhs_;
  std::vector<Index> equality_parts_{0};
  BatchPtr equalities_;
  std::vector<Handle> handles_;
  /// f(i, term, weight) for the terms with a weight.
  template <class F>
  void for_each_term(const F& f) const {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].weight > 0.0) f(i, *terms_[i].term, terms_[i].weight);
    }
  }
  Handle add_handle(ConstraintKind kind, std::size_t parts);

  /// What was computed from the parts, for the next who asks. Concurrent solves ask at the same time.
  struct Kept {
    Kept() = default;
    Kept(const Kept& other);
    Kept& operator=(const Kept& other);

    mutable std::mutex mutex;
    std::optional<double> strong_convexity, smoothness, constant_scale;
    std::optional<Vector> units;
    std::vector<std::shared_ptr<const void>> validated;  // parts that were
    std::size_t validated_conic = 0;                     // so many of the first
    std::vector<std::shared_ptr<const void>> functions_checked;
  };
  /// The number in `slot`, computed by f(term, weight) summed over the terms where it is not known yet.
  template <class F>
  double keep_sum(std::optional<double> Kept::*slot, const F& f) const;
  void validate_parts() const;
  /// Drops what was computed from the parts when a part changes.
  void forget();
  mutable Kept kept_;
};

}  // namespace pliant
