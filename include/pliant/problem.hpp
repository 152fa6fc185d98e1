// The problem: minimise F(x) = sum of terms + psi(x) subject to batches a_i(x) <= 0, E x = e and h - G x in cones.
#pragma once

#include "pliant/cones.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/constraints.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/objective_term.hpp"
#include "pliant/objectives.hpp"
#include "pliant/prox_term.hpp"
#include "pliant/regularizers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant {

/// Handle of a constraint batch inside its problem.
struct BatchId {
  Index index = -1;
};

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
  /// Adds a prox term; separable ones combine, others are refused.
  Problem& regularize(ProxPtr term);
  BatchId subject_to(BatchPtr batch, std::string name = {});
  /// Adds h - Gx in K. Returns its index in conic().
  Index subject_to(ConicConstraint conic, std::string name = {});
  /// Adds the equalities E x = e (once).
  Problem& equal(DataMatrix E, Doubles e);

  /// Replaces a term, keeping its weight.
  void replace_term(Index index, TermPtr term);
  /// Replaces the constant terms of a batch (ConstraintBatch::with_constants); the data are not checked again.
  void replace_constants(BatchId id, Doubles constants);

  const std::vector<WeightedTerm>& terms() const { return terms_; }
  /// False if psi = 0.
  bool has_prox() const;
  const ProxTerm& prox() const { return *prox_; }
  const ProxPtr& prox_ptr() const { return prox_; }
  const std::vector<BatchPtr>& batches() const { return batches_; }
  const ConstraintBatch& batch(BatchId id) const { return *batches_[static_cast<std::size_t>(id.index)]; }

  const std::vector<ConicConstraint>& conic() const { return conic_; }
  const std::string& conic_name(Index index) const { return conic_names_[static_cast<std::size_t>(index)]; }

  bool has_equalities() const { return equalities_ != nullptr; }
  const DataMatrix& equality_matrix() const { return equality_matrix_; }
  const Doubles& equality_rhs() const { return equality_rhs_; }
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
  double objective(ConstVectorRef x) const;

  /// Bounds: strong convexity of f and of F, smoothness of f, inf f (or -infinity). Kept once computed.
  double smooth_strong_convexity() const;
  double strong_convexity() const;
  double smoothness() const;
  double smooth_lower_bound() const;

  /// Checks everything (finite data, shapes, convexity); throws InputError. Each part is checked once.
  void validate() const;

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
  std::vector<ConicConstraint> conic_;
  std::vector<std::string> conic_names_;
  DataMatrix equality_matrix_;
  Doubles equality_rhs_;
  BatchPtr equalities_;
  /// f(i, term, weight) for the terms with a weight.
  template <class F>
  void for_each_term(const F& f) const {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].weight > 0.0) f(i, *terms_[i].term, terms_[i].weight);
    }
  }
  /// Drops what was computed from the parts when a part changes.
  void forget();
  mutable std::optional<double> strong_convexity_, smoothness_, constant_scale_;
  mutable std::vector<std::shared_ptr<const void>> validated_;  // parts that were
  mutable std::size_t validated_conic_ = 0;                     // so many of the first
};

}  // namespace pliant
