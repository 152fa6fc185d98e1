#include "engines/conic/conic_path.hpp"

#include "engines/conic/conic_problem.hpp"
#include "engines/conic/factored_ray.hpp"
#include "engines/conic/homogeneous.hpp"
#include "engines/interior/driver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

namespace pliant {
namespace {

constexpr InteriorPatience kConicPatience{.steps_without_progress = 25, .most_steps = 200};
// Rays whose residuals cancel to this share of what they gain are tried as proofs.
constexpr double kRay = 1e-6;
// tau/kappa that says of constraints without an objective that they can be satisfied.
constexpr double kFeasible = 1e6;
// Where everything else has failed, eigenvalues and multipliers below this share of the largest are cut off the ray that came
// nearest to a proof; what is left must prove it as a product.
constexpr std::array kCuts{1e-12, 1e-9, 1e-6, 1e-3};
// What the linear algebra adds to the diagonal. Where steps become too short to go on, the next one is tried from the
// start: no value is best everywhere.
constexpr std::array kRegularisations{1e-8, 1e-7, 1e-6};

double largest(const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

class ConicPath final : public InteriorMethod {
 public:
  explicit ConicPath(Context& run)
      : run_(run), problem_(run.problem()), scaled_(problem_.form()), scaling_(equilibrate(scaled_)) {}

  bool begin(Index attempt) override {
    if (attempt >= static_cast<Index>(kRegularisations.size())) return false;
    HomogeneousParameters parameters;
    parameters.regularisation = kRegularisations[static_cast<std::size_t>(attempt)];
    engine_ = std::make_unique<HomogeneousInterior>(scaled_, LdlKind::automatic, parameters);
    return true;
  }

  bool follow(FunctionRef<bool()> stop) override { return engine_->run(stop); }
  std::string failure() const override { return engine_->failure(); }
  Index steps() const override { return engine_->steps(); }

  PathIterate iterate() const override {
    PathIterate it;
    it.objective = scaling_.objective(engine_->objective());
    it.violation = largest(scaling_.s(engine_->primal_residual()));
    it.gap = std::abs(it.objective - scaling_.objective(engine_->dual_objective()));
    it.dual_residual = largest(scaling_.gradient(engine_->dual_residual()));
    it.gradient = largest(scaling_.gradient(engine_->gradient()));
    it.mu = engine_->mu();
    if (engine_->steps() > 0) it.step_primal = it.step_dual = engine_->step_length();
    it.proof = std::min(engine_->infeasibility_ratio(), engine_->unboundedness_ratio());
    return it;
  }

  Candidate candidate() const override {
    const Vector z = scaling_.y(engine_->z());
    return {own_variables(scaling_.x(engine_->x())), multipliers(z), problem_.cone_multipliers(z)};
  }

  // Rays as they are, then balanced ones: rounding alone may stand between a ray and a proof.
  bool try_proofs() override {
    keep_nearest();
    if (try_contradiction()) return true;
    if (!unbounded_.opens(engine_->unboundedness_ratio())) return false;
    return try_ray(engine_->ray_x()) || (engine_->steps() > 0 && try_ray(engine_->balanced_x()));
  }

  // The constraints alone: where they contradict each other, z converges faster without the curvature of the objective,
  // whose Px stands against G'z = 0 until x has vanished beside z.
  bool last_resort() override {
    if (try_products()) return true;
    if (scaled_.P.nonZeros() == 0) return false;
    ConicForm alone = scaled_;
    alone.P.setZero();
    alone.q.setZero();
    engine_ = std::make_unique<HomogeneousInterior>(alone, LdlKind::automatic);
    infeasible_ = ProofGate(kRay);
    engine_->run([&] {
      return run_.tick() || engine_->steps() >= kConicPatience.most_steps ||
             engine_->tau() > kFeasible * engine_->kappa() || (keep_nearest(), try_contradiction());
    });
    engine_.reset();  // it refers to constraints that end here
    return run_.verdict().reached() || try_products();
  }

 private:
  Vector multipliers(const Vector& z) const { return run_.system().multipliers_from_duals(problem_.row_duals(z)); }

  Vector own_variables(const Vector& x) const { return x.head(run_.problem().dimension()); }

  bool try_contradiction() {
    if (!infeasible_.opens(engine_->infeasibility_ratio())) return false;
    return try_infeasibility(engine_->ray_z()) || (engine_->steps() > 0 && try_infeasibility(engine_->balanced_z()));
  }

  void keep_nearest() {
    const double ratio = engine_->infeasibility_ratio();
    if (!(ratio < nearest_ratio_)) return;
    nearest_ratio_ = ratio;
    nearest_ = engine_->ray_z();
  }

  bool try_products() {
    return std::any_of(kCuts.begin(), kCuts.end(), [&](double cut) {
      const std::optional<Vector> z = factored_ray(scaled_, nearest_, cut);
      return z && try_infeasibility(*z);
    });
  }

  bool try_infeasibility(const Vector& scaled) {
    const Vector z = scaling_.y(scaled);
    Vector x = Vector::Zero(run_.problem().dimension());
    run_.problem().prox().project(x);
    return run_.try_infeasibility(x, multipliers(z), problem_.cone_multipliers(z));
  }

  bool try_ray(const Vector& scaled) {
    const Vector ray = own_variables(scaling_.x(scaled));
    const double length = ray.lpNorm<Eigen::Infinity>();
    return length > 0.0 && run_.try_unboundedness(own_variables(scaling_.x(engine_->x())), ray / length);
  }

  Context& run_;
  ConicProblem problem_;
  ConicForm scaled_;
  Equilibration scaling_;
  std::unique_ptr<HomogeneousInterior> engine_;
  ProofGate infeasible_{kRay}, unbounded_{kRay};
  Vector nearest_;  // of all rays, the one with the smallest share of imbalance in what it gains
  double nearest_ratio_ = kInfinity;
};

}  // namespace

void solve_conic_path(Context& run, InnerPoint& point) {
  ConicPath path(run);
  drive(run, point, path, kConicPatience);
}

}  // namespace pliant
