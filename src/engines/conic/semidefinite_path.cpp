#include "engines/conic/semidefinite_path.hpp"

#include "cones/cone_checks.hpp"
#include "engines/conic/semidefinite_interior.hpp"
#include "pliant/svec.hpp"
#include "run/path_progress.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr Index kPatience = 15;  // steps without a better iterate
constexpr Index kMostSteps = 200;
// Multipliers whose products cancel to this share of what they miss by are tried as a proof, and again at a tenth.
constexpr double kInfeasible = 1e-6;
// x is tried as a ray once c'x < 0 is this large, relative to c, and no eigenvalue falls by more than this share of it.
constexpr double kLongRay = 1e3;
constexpr double kReceding = 1e-9;

class SemidefinitePath {
 public:
  SemidefinitePath(Context& run, InnerPoint& point)
      : run_(run), point_(point), form_(semidefinite_form(run.problem())), engine_(form_) {}

  void run() {
    // A warm start that satisfies the tolerances takes no step.
    if (point_.at.cones.multipliers.size() == run_.problem().conic().size()) {
      evaluate(point_.x, std::vector<Vector>(point_.at.cones.multipliers));
      if (run_.judge(point_)) return;
    }
    bool moves = true;
    while (moves && !visit()) moves = engine_.step();
    if (run_.verdict().reached()) return evaluate_best();
    if (best_x_.size() > 0) {
      evaluate_best();
      if (run_.judge(point_)) return;
    }
    run_.verdict().conclude(Status::numerical_error, moves ? "the iterates stopped improving short of the tolerances"
                                                           : "the linear algebra broke down short of the tolerances");
  }

 private:
  // Called at every iterate; true ends the solve.
  bool visit() {
    if (steps_++ > 0 && run_.tick()) return true;
    PathIterate it;
    it.objective = engine_.primal_objective() + form_.constant;
    it.violation = engine_.primal_residual();
    // The gap of the certificate is <S, L>. c'x - <F0, L> differs from it by x'rd, which is all rounding where x is
    // huge.
    it.gap = engine_.mu() * static_cast<double>(form_.rank());
    it.dual_residual = engine_.dual_residual().cwiseProduct(form_.scale).lpNorm<Eigen::Infinity>();
    it.gradient = form_.c.cwiseProduct(form_.scale).lpNorm<Eigen::Infinity>();
    it.delta = engine_.mu();
    it.proof = engine_.infeasibility_ratio();
    it.fall = -engine_.primal_objective();
    const auto judge = [&] {
      evaluate_best();
      return run_.judge(point_);
    };
    return progress_.visit(
               steps_ - 1, it, [&] { keep_best(); }, judge) ||
           try_proofs();
  }

  // The multiplier in the rows of the problem's conic constraints.
  std::vector<Vector> to_rows(const std::vector<Matrix>& blocks, const Vector& diagonal) const {
    std::vector<Vector> out;
    for (const ConicConstraint& conic : run_.problem().conic()) out.emplace_back(Vector::Zero(conic.G.rows()));
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const SemidefiniteBlock& block = form_.blocks[b];
      out[static_cast<std::size_t>(block.conic)].segment(block.first_row, svec_size(block.order)) = svec(blocks[b]);
    }
    for (std::size_t r = 0; r < form_.rows.size(); ++r) {
      out[static_cast<std::size_t>(form_.rows[r].conic)][form_.rows[r].row] = diagonal[static_cast<Index>(r)];
    }
    return out;
  }

  Vector original_x() const { return engine_.x().cwiseQuotient(form_.scale); }

  void keep_best() {
    best_x_ = original_x();
    best_multipliers_ = to_rows(engine_.multipliers(), engine_.diagonal_multipliers());
  }

  void evaluate(const Vector& x, const std::vector<Vector>& multipliers) {
    const Journal::Phase phase(run_.journal(), "certificate");
    const Vector at = x;  // x may be that of the point
    point_.x = at;
    evaluate_lagrangian(run_.problem(), run_.system(), at, Vector(), point_.at, multipliers);
  }

  void evaluate_best() {
    if (best_x_.size() > 0) {
      evaluate(best_x_, best_multipliers_);
    } else {
      evaluate(point_.x, {});
    }
  }

  bool try_proofs() {
    if (const double ratio = engine_.infeasibility_ratio(); ratio < infeasible_) {
      infeasible_ = 0.1 * ratio;
      if (const auto balanced = engine_.balanced_multiplier()) {
        const Vector origin = Vector::Zero(run_.problem().dimension());
        if (run_.try_infeasibility(origin, Vector(), to_rows(balanced->blocks, balanced->diagonal))) return true;
      }
    }
    const double fall = -engine_.primal_objective();
    if (fall > ray_ * (1.0 + form_.c.norm()) && engine_.recedes(kReceding * fall)) {
      ray_ *= 10.0;
      const Vector x = original_x();
      if (run_.try_unboundedness(x, x / x.lpNorm<Eigen::Infinity>())) return true;
    }
    return false;
  }

  Context& run_;
  InnerPoint& point_;
  SemidefiniteForm form_;
  SemidefiniteInterior engine_;
  PathProgress progress_{run_, kPatience, kMostSteps};
  double infeasible_ = kInfeasible, ray_ = kLongRay;
  Index steps_ = 0;
  Vector best_x_;
  std::vector<Vector> best_multipliers_;
};

}  // namespace

void solve_semidefinite_path(Context& run, InnerPoint& point) { SemidefinitePath(run, point).run(); }

}  // namespace pliant
