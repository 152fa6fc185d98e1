#include "outer/penalty_run.hpp"

#include <algorithm>

namespace pliant {
namespace {

// Rows that are left after screening are copied; these copies may take this share of the memory limit.
constexpr double kShareOfCopies = 0.25;

ScreeningParameters screening_parameters(const Problem& problem, const Settings& settings) {
  ScreeningParameters out;
  const double bytes = static_cast<double>(problem.data_bytes());
  if (!settings.memory_limit || bytes == 0.0) return out;
  const double share = kShareOfCopies * static_cast<double>(*settings.memory_limit) / bytes;
  out.most_rows = static_cast<Index>(std::min(1.0, share) * static_cast<double>(problem.constraints()));
  return out;
}

std::unique_ptr<PenalizedFunction> penalized(Context& context) {
  ProblemView& view = context.view();
  return std::make_unique<PenalizedFunction>(view.problem(), view.system(), &context.journal().objective_components);
}

}  // namespace

PenaltyRun::PenaltyRun(Context& context)
    : context_(context),
      screening_(screening_parameters(context.problem(), context.settings())),
      phi_(penalized(context)) {
  context.incumbent().use_slater_point();
}

InitialPenalty PenaltyRun::guess(ConstVectorRef x0) {
  InitialPenalty first = initial_penalty(problem(), context_.system(), settings(), x0);
  if (first.norms.size() > 0) screening_.expect_norms(first.norms);
  return first;
}

bool PenaltyRun::judge(const InnerPoint& point) {
  context_.journal().penalty(phi_->xi, phi_->delta);
  return context_.judge(point);
}

bool PenaltyRun::raise_xi(double factor) {
  const double before = phi_->xi;
  phi_->xi *= factor;
  context_.journal().penalty(phi_->xi, phi_->delta);
  return context_.note_xi(before, phi_->xi);
}

void PenaltyRun::screen(InnerPoint& point) {
  if (!settings().screening || ended()) return;
  if (problem().has_soft_rows()) return;  // the balls of screening.hpp are about violations, and soft rows have none
  const Journal::Phase phase(context_.journal(), "screening");
  const Incumbent& known = context_.incumbent();
  const ProvedBounds proved{known.upper_bound(), known.slater_objective(), known.slater_slack(),
                            known.multiplier_bound()};
  ProblemView& view = context_.view();
  const auto stay = screening_.remaining(view.problem(), view.system(), point, proved);
  if (!stay) return;
  const double xi = phi_->xi, delta = phi_->delta;
  const Vector shift = phi_->shift.size() > 0 ? Vector(phi_->shift(*stay)) : Vector();
  view.keep(*stay);
  phi_ = penalized(context_);
  phi_->xi = xi;
  phi_->delta = delta;
  phi_->shift = shift;
  context_.journal().dropped(view.dropped());
  point.at = LagrangianEvaluation{};
}

}  // namespace pliant
