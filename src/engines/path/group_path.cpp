#include "engines/path/group_path.hpp"

#include "engines/conic/conic_problem.hpp"
#include "engines/conic/homogeneous.hpp"
#include "pliant/constraints.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double largest_entry(const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

// The problem with the working rows alone. Their gradients are slopes along the axes, which any holder's rows have.
Problem on_working_rows(const PathModel& model, const WorkingRows& working, const Vector& x) {
  const Index n = model.dimension(), count = working.rows.size();
  Problem out(n);
  for (const Problem::WeightedTerm& t : model.problem.terms()) out.minimize(t.term, t.weight);
  Matrix G(count, n);
  Vector axis = Vector::Zero(n), slope(count);
  for (Index j = 0; j < n; ++j) {
    axis[j] = 1.0;
    working.rows.slopes(x, axis, slope);
    G.col(j) = slope;
    axis[j] = 0.0;
  }
  out.subject_to(linear_le(G, Vector(G * x - working.values)));
  if (model.E.rows() > 0) out.equal(DataMatrix::from(model.E), to_array(model.e));
  out.regularize(model.problem.prox_ptr());
  return out;
}

}  // namespace

// The embedding of one set of rows, and the best of its iterates.
struct GroupPath::OnRows {
  OnRows(const PathModel& model, const WorkingRows& working, const Vector& from)
      : problem(on_working_rows(model, working, from)),
        conic(problem),
        scaled(conic.form()),
        scaling(equilibrate(scaled)),
        engine(scaled, LdlKind::automatic) {}

  // What is left of the equations and the gap, relative to what they are measured by.
  double merit() const {
    const double objective = scaling.objective(engine.objective());
    const double gap = std::abs(objective - scaling.objective(engine.dual_objective())) / (1.0 + std::abs(objective));
    const double gradient = largest_entry(scaling.gradient(engine.gradient()));
    const double unbalanced = largest_entry(scaling.gradient(engine.dual_residual())) / (1.0 + gradient);
    return std::max({gap, unbalanced, largest_entry(scaling.s(engine.primal_residual()))});
  }

  // True: a better one by `share`.
  bool keep(double share) {
    const double now = merit();
    if (!(now < best)) return false;
    const bool progress = now < share * best;
    best = now;
    x = scaling.x(engine.x()).head(problem.dimension());
    duals = conic.row_duals(scaling.y(engine.z()));
    delta = engine.mu();
    return progress;
  }

  Problem problem;
  ConicProblem conic;
  ConicForm scaled;
  Equilibration scaling;
  HomogeneousInterior engine;
  double best = kInfinity, delta = 0.0;
  Vector x, duals;
};

bool GroupPath::solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) {
  constexpr double kProgress = 0.9;
  OnRows rows(model_, working, x);
  Index since_better = 0;
  bool told = false, ray = false;
  rows.engine.run([&] {
    if (rows.engine.steps() > 0) {
      ++steps_;
      told = stop();
    }
    since_better = rows.keep(kProgress) ? 0 : since_better + 1;
    ray = rows.engine.unboundedness_ratio() < parameters_.ray;
    return told || ray || rows.best <= eps || since_better > parameters_.patience ||
           rows.engine.steps() >= parameters_.max_steps;
  });
  const Index count = working.rows.size();
  if (rows.x.size() == 0) {  // no iterate at all: x stays
    rows.x = x;
    rows.duals = Vector::Zero(count + model_.E.rows());
  }
  x = rows.x;
  row_multipliers_ = rows.duals.head(count);
  equality_multipliers_ = rows.duals.tail(model_.E.rows());
  delta_ = rows.delta;
  // Without a bound on these rows: on along the ray until others stop it.
  if (ray && !told) {
    Vector along = rows.scaling.x(rows.engine.ray_x()).head(x.size());
    x += parameters_.ray_length * (1.0 + largest_entry(x)) / largest_entry(along) * along;
    row_multipliers_.setZero();
    equality_multipliers_.setZero();
  }
  row_values_.resize(count);
  working.rows.values(x, row_values_);
  return !told && (ray || rows.best <= eps);
}

}  // namespace pliant
