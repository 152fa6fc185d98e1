#include "engines/stochastic/component_sum.hpp"

#include "linalg/no_allocation.hpp"
#include "parallel/parallel.hpp"
#include "softplus/softplus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr Index kMostChunks = 64;

}  // namespace

ComponentSum::ComponentSum(PenalizedFunction& phi, std::string who, double reach)
    : phi_(phi), who_(std::move(who)), reach_(reach) {
  for (const Problem::WeightedTerm& t : phi.problem().terms()) {
    if (t.weight > 0.0) append_term(*t.term, t.weight);
  }
  objective_ = groups_.empty() ? 0 : groups_.back().begin + groups_.back().count;
  ConstraintSystem& system = phi.system();
  for (Index s = 0; s < system.segments(); ++s) append_rows(system.batch(s), system.segment_begin(s));

  const Index m = system.size();
  smoothness_ = Vector::Zero(objective_ + m);
  curvature_.resize(m);
  growth_.resize(m);
  slope_growth_.resize(m);
  for (const Group& g : groups_) {
    for (Index k = 0; g.term != nullptr && k < g.count; ++k) {
      smoothness_[g.begin + k] = g.weight * g.term->component_smoothness(k) - g.ridge;
      // Half a squared norm, up to rounding: nothing is left.
      if (smoothness_[g.begin + k] <= kRoundingOfBounds * g.ridge) smoothness_[g.begin + k] = 0.0;
    }
    if (g.batch == nullptr || g.count == 0) continue;
    const RowConstants* constants = g.batch->constants();
    if (constants == nullptr) {
      throw InputError(
          fmt::format("{}: needs the constants of every constraint, which {} constraints have not been given", who,
                      g.batch->family()));
    }
    curvature_.segment(g.system_begin, g.count) = constants->smoothness;
    growth_.segment(g.system_begin, g.count) = constants->growth_constant;
    slope_growth_.segment(g.system_begin, g.count) = constants->growth_slope;
  }

  sampled_ = (smoothness_.head(objective_).array() > 0.0).count() +
             (curvature_.array() + growth_.array() + slope_growth_.array() > 0.0).count();

  snapshot_.resize(phi.problem().dimension());
  buffer_.resize(phi.problem().dimension());
  multipliers_.resize(m);
  norms_.resize(m);
  unused_.resize(m);
  slopes_ = Vector::Zero(size());
}

void ComponentSum::append_term(const ObjectiveTerm& term, double weight) {
  Group g{Kind::term, groups_.empty() ? 0 : groups_.back().begin + groups_.back().count, term.components()};
  g.weight = weight;
  g.term = &term;
  if (g.count == 1) g.ridge = weight * term.strong_convexity();
  if (const LossSum* losses = term.structure().losses) {
    g.losses = losses;
    g.kind = kind_of(losses->loss_kind());
    g.matrix = &losses->A();
    g.targets = losses->targets().data();
    g.scale = weight / static_cast<double>(g.count);
    g.ridge = 0.0;
    g.k = losses->threshold();
  }
  ridge_ += g.ridge;
  groups_.push_back(g);
}

void ComponentSum::append_rows(const ConstraintBatch& batch, Index system_begin) {
  Group g{Kind::rows, objective_ + system_begin, batch.size()};
  g.batch = &batch;
  g.system_begin = system_begin;
  g.bytes =
      static_cast<double>(batch.bytes(Rows::range(0, g.count))) / static_cast<double>(std::max<Index>(1, g.count));
  if (const LinearRows* linear = batch.linear_rows()) {
    g.kind = linear->two_sided() ? Kind::two_sided : Kind::one_sided;
    g.linear = linear;
    g.matrix = &linear->matrix();
    g.targets = linear->upper().data();
  }
  groups_.push_back(g);
}

void ComponentSum::evaluate(InnerPoint& point) {
  settle();
  point.phi = phi_.evaluate(point.x, point.at,
                            [this](ConstVectorRef x, VectorRef gradient) { return smooth_gradient(x, gradient); });
  snapshot_ = point.x;
  multipliers_ = point.at.multipliers;
  for (const Group& g : groups_) {
    if (g.kind == Kind::one_sided) slopes_.segment(g.begin, g.count) = multipliers_.segment(g.system_begin, g.count);
    for (Index k = 0; g.kind == Kind::two_sided && k < g.count; ++k) {
      slopes_[g.begin + k] = g.linear->side(k).sign * multipliers_[g.system_begin + k];
    }
  }
}

// As Problem::add_smooth_gradient, keeping the slopes of scalar components on the way.
double ComponentSum::smooth_gradient(ConstVectorRef x, VectorRef gradient) {
  double value = 0.0;
  for (const Group& g : groups_) {
    if (g.term == nullptr) continue;
    double* slopes = slopes_.data() + g.begin;
    if (g.losses == nullptr) {
      value += g.weight * g.term->add_gradient(x, g.weight, gradient);
      continue;
    }
    value += g.weight * g.losses->add_gradient_and_slopes(x, g.weight, gradient, slopes);
    slopes_.segment(g.begin, g.count) *= g.scale;
  }
  return value;
}

RowView ComponentSum::row(const Group& g, Index local) const {
  return {*g.matrix, g.kind == Kind::two_sided ? g.linear->side(local).row : local};
}

double ComponentSum::slope(const Group& g, Index local, double z) const {
  switch (g.kind) {
    case Kind::square:
      return g.scale * SquareLoss{}.derivative(z, g.targets[local]);
    case Kind::logistic:
      return g.scale * LogisticLoss{}.derivative(z, g.targets[local]);
    case Kind::huber:
      return g.scale * HuberLoss{g.k}.derivative(z, g.targets[local]);
    case Kind::one_sided:
      return ceiling(g.system_begin + local) *
             penalty::sigmoid((z - g.targets[local] + shift(g.system_begin + local)) / delta_);
    case Kind::two_sided: {
      const double sign = g.linear->side(local).sign;
      const double a = sign * z - g.linear->constant(local);
      return sign * ceiling(g.system_begin + local) * penalty::sigmoid((a + shift(g.system_begin + local)) / delta_);
    }
    default:
      return 0.0;
  }
}

double ComponentSum::slope(Index i, double z) {
  Group& g = group_of(i);
  ++g.evaluated;
  return slope(g, i - g.begin, z);
}

void ComponentSum::add_gradient(Index i, const Vector& x, double weight, Vector& out) {
  Group& g = group_of(i);
  const Index local = i - g.begin;
  ++g.evaluated;
  if (g.kind == Kind::term) {
    g.term->add_component_gradient(local, x, weight * g.weight, out);
    if (g.ridge > 0.0) out -= (weight * g.ridge) * x;
  } else if (g.kind == Kind::rows) {
    const double a = g.batch->component_value(local, x) + shift(g.system_begin + local);
    g.batch->add_component_gradient(local, x, weight * ceiling(g.system_begin + local) * penalty::sigmoid(a / delta_),
                                    out);
  } else {
    const RowView r = row(g, local);
    r.add(weight * slope(g, local, r.dot(x.data())), out.data());
  }
}

ComponentSum::Correction ComponentSum::correction(Index i, const Vector& x) {
  Group& g = group_of(i);
  const Index local = i - g.begin;
  if (g.kind < Kind::term) {
    ++g.evaluated;
    const RowView r = row(g, local);
    return {r, coefficient(g, i, r.dot(x.data()))};
  }
  buffer_.setZero();
  add_gradient(i, x, 1.0, buffer_);
  ++g.evaluated;  // and once more at the snapshot
  if (g.kind == Kind::term) {
    g.term->add_component_gradient(local, snapshot_, -g.weight, buffer_);
    if (g.ridge > 0.0) buffer_ += g.ridge * snapshot_;
  } else {
    g.batch->add_component_gradient(local, snapshot_, -multipliers_[g.system_begin + local], buffer_);
  }
  return {{buffer_.data(), nullptr, buffer_.size()}, 1.0 / sampler_.probability(i)};
}

// Coefficients are independent of each other, and so are entries of the sum, each of which adds up in the order drawn.
void ComponentSum::mean_correction(const std::vector<Index>& drawn, const Vector& x, Vector& out) {
  const Index count = static_cast<Index>(drawn.size()), n = x.size();
  const double share = 1.0 / static_cast<double>(count);
  const Index bytes = static_cast<Index>(touched_ * static_cast<double>(count)) * static_cast<Index>(sizeof(double));
  const auto at = [&](Index b) { return drawn[static_cast<std::size_t>(b)]; };
  if (coefficients_.size() < count) {
    const AllocationAllowedScope first_time;
    coefficients_.resize(count);
  }
  parallel::for_chunks(parallel::make_chunks(count, bytes, kMostChunks), [&](Index, Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Group& g = group_of(at(b));
      if (g.kind < Kind::term) {
        coefficients_[b] = share * coefficient(g, at(b), row(g, at(b) - g.begin).dot(x.data()));
      }
    }
  });
  out.setZero();
  for (Index b = 0; b < count; ++b) {
    Group& g = group_of(at(b));
    if (g.kind < Kind::term) {
      ++g.evaluated;
      const RowView r = row(g, at(b) - g.begin);
      if (r.columns != nullptr) r.add(coefficients_[b], out.data());
    } else {
      const Correction c = correction(at(b), x);
      c.row.add(share * c.coefficient, out.data());
    }
  }
  parallel::for_chunks(parallel::make_chunks(n, bytes, kMostChunks), [&](Index, Index begin, Index end) {
    for (Index b = 0; b < count; ++b) {
      const Group& g = group_of(at(b));
      if (g.kind >= Kind::term || g.matrix->is_sparse()) continue;
      const double* values = row(g, at(b) - g.begin).values;
      RowView(values + begin, nullptr, end - begin).add(coefficients_[b], out.data() + begin);
    }
  });
}

void ComponentSum::settle() {
  for (Group& g : groups_) {
    if (g.term != nullptr) {
      phi_.count_components(g.evaluated);
    } else {
      phi_.system().charge_components(g.evaluated, g.bytes * static_cast<double>(g.evaluated));
    }
    g.evaluated = 0;
  }
}

}  // namespace pliant
