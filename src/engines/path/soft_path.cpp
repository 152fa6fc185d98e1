#include "engines/path/soft_path.hpp"

#include "engines/path/primal_path.hpp"
#include "rows/row_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

class SoftPath {
 public:
  SoftPath(Context& run, InnerPoint& point)
      : run_(run),
        point_(point),
        model_(run.problem()),
        form_(model_),
        rows_(run.system()),
        caps_(row_prices(run.system()).head(run.system().inequalities())) {
    std::vector<Index> all(static_cast<std::size_t>(caps_.size()));
    std::iota(all.begin(), all.end(), Index{0});
    rows_.select(std::move(all));
    for (Vector* v : {&values_, &norms_, &smoothness_}) v->resize(caps_.size());
  }

  /// True: the solve has ended.
  bool solve(double eps) {
    Vector x = point_.x;
    rows_.values_and_bounds(x, values_, norms_, smoothness_);
    form_.solve({rows_, values_, norms_, smoothness_, &caps_}, eps, x, [&] { return run_.tick(); });
    run_.problem().prox().project(x);
    point_.x = std::move(x);
    evaluate();
    run_.journal().penalty(form_.xi(), form_.delta());
    if (run_.judge(point_) || run_.note_size(point_.x)) return true;
    if (form_.exhausted()) run_.conclude_infeasible_perhaps();
    return run_.verdict().reached() || run_.next_stage();
  }

 private:
  // Multipliers of the path, no more than the prices; where x ran away some are no numbers, and 0 is as good as any.
  void evaluate() {
    const ConstraintSystem& system = run_.system();
    Multipliers found;
    const auto within = [](double lambda, double price) {
      return std::isnan(lambda) ? 0.0 : std::clamp(lambda, 0.0, price);
    };
    for (std::size_t b = 0; b < run_.problem().batches().size(); ++b) {
      const Index begin = system.segment_begin(static_cast<Index>(b));
      const Index count = run_.problem().batches()[b]->size();
      found.lambda.emplace_back(
          form_.multipliers().segment(begin, count).binaryExpr(caps_.segment(begin, count), within));
    }
    found.nu = form_.equality_multipliers().head(model_.own_equalities());
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, system.join(found), point_.at);
  }

  Context& run_;
  InnerPoint& point_;
  PathModel model_;
  PrimalPath form_;
  RowSelection rows_;
  Vector caps_, values_, norms_, smoothness_;
};

}  // namespace

std::string soft_path_obstacle(const Problem& problem) {
  if (std::string why = PathModel::obstacle(problem); !why.empty()) return why;
  return problem.conic().empty() ? "" : "hard cones beside soft rows";
}

void solve_soft_path(Context& run, InnerPoint& point, const SoftPathParameters& parameters) {
  if (!std::isfinite(run.problem().objective(point.x))) {
    throw InputError("start: outside the domain of the objective; --method path needs one inside");
  }
  SoftPath path(run, point);
  const Settings& settings = run.settings();
  for (double eps = parameters.margin * std::min(settings.tol_feas, settings.tol_gap); eps >= parameters.finest;
       eps *= parameters.tightening) {
    if (path.solve(eps)) return;
  }
  run.verdict().conclude(Status::numerical_error, "rounding stopped the path short of the tolerances");
}

}  // namespace pliant
