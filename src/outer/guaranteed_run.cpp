// The plain accelerated method at static xi and delta, for the number of steps that the corollaries promise.
#include "outer/guarantee.hpp"

#include "engines/first_order/plain_accelerated.hpp"
#include "linalg/rounding.hpp"
#include "outer/penalty_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// N as a number of steps to count up to.
Index as_steps(double iterations) {
  constexpr auto kMost = std::numeric_limits<Index>::max();
  return iterations < static_cast<double>(kMost) ? static_cast<Index>(iterations) : kMost;
}

PlainAccelerated method_for(const GuaranteeForecast& f, const Problem& problem, const Vector& x0) {
  using Momentum = PlainAccelerated::Momentum;
  if (f.corollary == 1) return {x0, f.smoothness, Momentum::any()};
  const double q = std::min(1.0, f.mu / (f.smoothness + problem.prox().strong_convexity()));
  return {x0, f.smoothness, Momentum::strongly_convex(q)};
}

class GuaranteedRun {
 public:
  GuaranteedRun(Context& context, InnerPoint& point, GuaranteeForecast forecast)
      : context_(context), run_(context), point_(point) {
    outcome_.predicted = std::move(forecast);
    run_.phi().xi = predicted().xi;
    run_.phi().delta = predicted().delta;
    run_.begin_stage();
  }

  void run(const GuaranteeParameters& parameters) {
    const Index steps = as_steps(predicted().iterations);
    PlainAccelerated method = method_for(predicted(), context_.problem(), point_.x);
    Index next_look = 0;
    for (Index k = 0; k < steps; ++k) {
      if (k == next_look) {
        if (look()) return;
        next_look = std::max(
            {k + 1, parameters.first_look, static_cast<Index>(parameters.look_growth * static_cast<double>(k))});
      }
      method.step(run_.phi());
      point_.x = method.x();
      if (context_.tick()) {
        look();
        return;
      }
    }
    if (!look()) end_of_steps();
  }

 private:
  const GuaranteeForecast& predicted() const { return outcome_.predicted; }

  // Certifies the present point. True: stop.
  bool look() {
    point_.phi = run_.phi().evaluate(point_.x, point_.at);
    const bool told_to_stop = context_.observe(point_);
    const Certificate& latest = context_.incumbent().latest();
    const bool promising = within(latest);
    if (promising || told_to_stop) take_point();
    const bool proved = promising && within(context_.incumbent().best());
    if (proved) conclude("certificate");
    note();
    return proved || told_to_stop;
  }

  // The result is this point, whatever tolerances say of others.
  void take_point() {
    context_.incumbent().insist_on(point_, context_.view());
    context_.incumbent().take_rounding_off_best();
  }

  bool feasible_enough(const Certificate& c) const { return c.violation_l1 <= kInflation * predicted().violation; }
  double proved_gap(const Certificate& c) const {
    return c.proof.kind == BoundKind::estimate ? kInfinity : c.objective - c.proof.value;
  }
  bool within(const Certificate& c) const { return feasible_enough(c) && proved_gap(c) <= predicted().objective_gap; }

  void conclude(std::string by) {
    outcome_.reached = true;
    outcome_.by = std::move(by);
    context_.verdict().conclude(
        Status::optimal,
        fmt::format(
            "sum of violations <= {:g} and objective within {:g} {}", predicted().violation, predicted().objective_gap,
            outcome_.by == "certificate" ? "are proved by the certificate" : "follow from the number of steps"));
  }

  void end_of_steps() {
    take_point();
    if (feasible_enough(context_.incumbent().best())) {
      conclude("iterations");
    } else {
      context_.verdict().conclude(Status::numerical_error,
                                  "rounding kept the promised steps from the promised accuracy");
    }
    note();
  }

  void note() {
    const Certificate& c = context_.incumbent().best();
    outcome_.iterations = context_.budget().iterations();
    outcome_.violation = c.violation_l1;
    outcome_.objective_gap = proved_gap(c);
    context_.journal().guarantee = outcome_;
  }

  Context& context_;
  PenaltyRun run_;
  InnerPoint& point_;
  GuaranteeOutcome outcome_;
};

}  // namespace

void solve_guaranteed(Context& context, InnerPoint& point, const GuaranteeParameters& parameters) {
  GuaranteePlan plan;
  {
    const Journal::Phase phase(context.journal(), "constants");
    plan = plan_guarantee(context.problem(), context.system(), point.x, context.settings(),
                          [&] { return context.budget().exhausted().has_value(); });
  }
  if (plan.contradiction && context.try_infeasibility(plan.contradiction->x, plan.contradiction->multipliers)) {
    return;
  }
  if (!plan.forecast.available()) {
    if (!context.budget().exhausted()) throw InputError(fmt::format("--guarantee: {}", plan.forecast.missing));
    // The search for constants was cut short: the start is all there is.
    PenaltyRun run(context);
    point.phi = run.phi().evaluate(point.x, point.at);
    context.observe(point);
    context.check_limits();
    return;
  }
  GuaranteedRun(context, point, std::move(plan.forecast)).run(parameters);
}

}  // namespace pliant
