#include "engines/conic/semidefinite_path.hpp"

#include "engines/conic/semidefinite_dual.hpp"
#include "engines/conic/semidefinite_interior.hpp"
#include "engines/interior/driver.hpp"
#include "pliant/svec.hpp"

#include <optional>
#include <utility>

namespace pliant {
namespace {

constexpr InteriorPatience kSemidefinitePatience{.steps_without_progress = 15, .most_steps = 200};
// Multipliers whose products cancel to this share of what they miss by are tried as a proof.
constexpr double kInfeasible = 1e-6;
// x is tried as a ray once c'x < 0 is this large, relative to c, and no eigenvalue falls by more than this share of it;
// then again when it is this much longer.
constexpr double kLongRay = 1e3;
constexpr double kReceding = 1e-9;
constexpr double kLonger = 10.0;
// Orthogonal transformations are tried where the Newton matrix led near a solution, to this tolerance, and had not the
// digits for more, and where one factorisation takes at most so many multiplications, about a second.
constexpr double kRough = 1e-3;
constexpr double kMostOperations = 4e9;
// Where they end within so many times the tolerances they have used all digits: the homogeneous embedding factorises
// what is squared, and regularised by 1e-8.
constexpr double kNear = 100.0;

class SemidefinitePath final : public InteriorMethod {
 public:
  explicit SemidefinitePath(Context& run) : run_(run), form_(form_of(run.problem(), dual_)), engine_(form_) {}

  bool begin(Index attempt) override {
    if (attempt == 0) return true;
    if (attempt > 1 || !roughly_solved() || OrthogonalNewton::operations(form_) > kMostOperations) return false;
    engine_.restart_orthogonally();
    orthogonal_ = true;
    return true;
  }
  bool was_orthogonal() const { return orthogonal_; }
  bool follow(FunctionRef<bool()> stop) override { return engine_.run(stop); }
  Index steps() const override { return engine_.steps(); }

  PathIterate iterate() const override {
    PathIterate it;
    it.objective = engine_.primal_objective() + form_.constant;
    it.violation = engine_.primal_residual();
    // The gap of the certificate is <S, L>. c'x - <F0, L> differs from it by x'rd, which is all rounding where x is
    // huge.
    it.gap = engine_.mu() * static_cast<double>(form_.rank());
    it.dual_residual = form_.scaling.gradient(engine_.dual_residual()).lpNorm<Eigen::Infinity>();
    it.gradient = form_.scaling.gradient(form_.c).lpNorm<Eigen::Infinity>();
    it.mu = engine_.mu();
    if (engine_.steps() > 0) {
      it.step_primal = engine_.step_lengths().primal;
      it.step_dual = engine_.step_lengths().dual;
    }
    if (dual_) {  // primal and dual change places, and the engine proves nothing
      it.objective = -it.objective;
      std::swap(it.violation, it.dual_residual);
      std::swap(it.step_primal, it.step_dual);
      it.gradient = dual_->largest_cost();
      return it;
    }
    it.proof = engine_.infeasibility_ratio();
    it.fall = -engine_.primal_objective();
    return it;
  }

  Candidate candidate() const override {
    if (dual_) {
      const Vector nu = original_x();
      return {dual_->x(to_rows(engine_.multipliers(), engine_.diagonal_multipliers())),
              run_.system().multipliers_from_duals(nu), dual_->cone_multipliers(nu)};
    }
    return {original_x(), Vector(), to_rows(engine_.multipliers(), engine_.diagonal_multipliers())};
  }

  bool try_proofs() override { return !dual_ && (try_infeasibility() || try_ray()); }

 private:
  static SemidefiniteForm form_of(const Problem& problem, std::optional<SemidefiniteDual>& dual) {
    if (!SemidefiniteDual::applies(problem)) return semidefinite_form(problem);
    dual.emplace(problem);
    return semidefinite_form(dual->program());
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

  bool roughly_solved() const {
    Settings rough = run_.settings();
    rough.tol_gap = rough.tol_feas = kRough;
    return run_.incumbent().any() && run_.incumbent().best().satisfies(rough);
  }

  Vector original_x() const { return form_.scaling.x(engine_.x()); }

  bool try_infeasibility() {
    if (!infeasible_.opens(engine_.infeasibility_ratio())) return false;
    const auto balanced = engine_.balanced_multiplier();
    if (!balanced) return false;
    const Vector origin = Vector::Zero(run_.problem().dimension());
    return run_.try_infeasibility(origin, Vector(), to_rows(balanced->blocks, balanced->diagonal));
  }

  bool try_ray() {
    const double fall = -engine_.primal_objective();
    if (!(fall > ray_ * (1.0 + form_.c.norm()) && engine_.recedes(kReceding * fall))) return false;
    ray_ *= kLonger;
    const Vector x = original_x();
    return run_.try_unboundedness(x, x / x.lpNorm<Eigen::Infinity>());
  }

  Context& run_;
  std::optional<SemidefiniteDual> dual_;  // where that is what the engine works on
  SemidefiniteForm form_;
  SemidefiniteInterior engine_;
  ProofGate infeasible_{kInfeasible};
  double ray_ = kLongRay;
  bool orthogonal_ = false;
};

}  // namespace

bool solve_semidefinite_path(Context& run, InnerPoint& point) {
  SemidefinitePath path(run);
  const double merit = drive(run, point, path, kSemidefinitePatience);
  const Certificate& best = run.incumbent().best();
  const bool charged = merit <= 1.0 && best.infeasibility(run.settings().norm) <= run.settings().tol_feas &&
                       best.dual_residual_rel <= run.settings().tol_gap;
  return !charged && !(path.was_orthogonal() && run.incumbent().merit() <= kNear);
}

}  // namespace pliant
