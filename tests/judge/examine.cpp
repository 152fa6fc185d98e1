#include "judge/examine.hpp"

#include "pliant/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::judge {
namespace {

// Nothing may run on: soundness does not depend on where a solve stops.
constexpr Index kMostIterations = 300;
constexpr double kMostSeconds = 2.0;
// Certificates and proofs per problem with multipliers and rays that no solver would give.
constexpr int kHostileChecks = 4;
constexpr int kHostileRays = 2;

// The interior point method alone takes them.
bool has_exponential_cones(const RawCase& raw) {
  return std::any_of(raw.cones.begin(), raw.cones.end(), [](const RawCone& cone) {
    return cone.kind == ConeKind::exponential || cone.kind == ConeKind::power;
  });
}

Settings draw_settings(Random& random, const RawCase& raw) {
  Settings settings;
  settings.threads = 1;
  settings.max_iterations = kMostIterations;
  settings.time_limit = kMostSeconds;
  if (random.uniform() < 0.15) settings.tol_feas = settings.tol_gap = 1e-9;
  const double kind = random.uniform();
  if (!raw.cones.empty()) {
    if (has_exponential_cones(raw)) return settings;
    if (kind < 0.1) settings.nonsmooth = Nonsmooth::spectral;
    if (kind > 0.9) settings.nonsmooth = Nonsmooth::logsumexp;
    if (kind > 0.45 && kind < 0.55) settings.nonsmooth = Nonsmooth::interior;
    return settings;
  }
  if (!raw.terms.empty() && raw.terms.front().kind == TermKind::log_det) return settings;  // one method takes it
  if (kind < 0.05 && raw.groups.empty()) settings.linear_algebra = LinearAlgebra::dense;
  if (kind > 0.95 && is_polyhedral(raw) && raw.terms.empty() && raw.groups.empty())
    settings.linear_algebra = LinearAlgebra::sparse;
  if (kind > 0.45 && kind < 0.48) settings.method = Method::apg;
  const bool smooth = !raw.has_box() && raw.ball == 0.0 && raw.simplex == 0.0 && raw.l1 == 0.0 && raw.groups.empty();
  if (smooth && kind > 0.48 && kind < 0.5) settings.method = Method::lbfgs;
  if (kind > 0.5 && kind < 0.52) settings.outer = Outer::multiplier;
  if (kind > 0.52 && kind < 0.54) settings.outer = Outer::nested;
  return settings;
}

std::string describe(const Settings& s) {
  std::string out = fmt::format("tol {:g}", s.tol_gap);
  if (s.linear_algebra != LinearAlgebra::automatic)
    out += fmt::format(", linear_algebra {}", to_string(s.linear_algebra));
  if (s.method != Method::automatic) out += fmt::format(", method {}", to_string(s.method));
  if (s.outer != Outer::automatic) out += fmt::format(", outer {}", to_string(s.outer));
  if (s.nonsmooth != Nonsmooth::automatic) out += fmt::format(", nonsmooth {}", to_string(s.nonsmooth));
  return out;
}

// Numbers that arithmetic does not like, beside ordinary ones.
double hostile_number(Random& random) {
  switch (random.integer(0, 7)) {
    case 0:
      return 1e17;
    case 1:
      return std::pow(10.0, random.uniform(10.0, 20.0));
    case 2:
      return std::numeric_limits<double>::denorm_min() * random.uniform(1.0, 1e5);
    case 3:
      return -std::pow(10.0, random.uniform(-20.0, -10.0));
    case 4:
      return 0.0;
    case 5:
      return random.uniform() < 0.1 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    case 6:
      return std::pow(10.0, random.uniform(-300.0, 300.0));
    default:
      return random.log_uniform(1e-3, 1e3);
  }
}

template <class Change>
void change_all(Multipliers& multipliers, const Change& change) {
  for (Vector& lambda : multipliers.lambda) {
    for (double& t : lambda) t = change(t);
  }
  for (double& t : multipliers.nu) t = change(t);
  for (Vector& z : multipliers.cones) {
    for (double& t : z) t = change(t);
  }
}

Multipliers hostile_multipliers(Random& random, const Multipliers& found) {
  Multipliers out = found;
  const double kind = random.uniform();
  const double common = std::pow(10.0, random.uniform(8.0, 20.0));
  if (kind < 0.25) {
    change_all(out, [&](double) { return random.uniform() < 0.3 ? 0.0 : common; });  // opposed rows cancel
  } else if (kind < 0.5) {
    change_all(out, [&](double t) { return t + common; });
  } else if (kind < 0.65) {
    change_all(out, [&](double t) { return t * (1.0 + 1e-15 * random.normal()); });
  } else if (kind < 0.8) {
    change_all(out, [&](double t) { return t * common; });
  } else {
    change_all(out, [&](double) { return hostile_number(random); });
  }
  return out;
}

// The sum of the absolute values that an objective with prices is made of: what its rounding is relative to.
double size_of_objective(const RawCase& raw, const Vector& x) {
  const Vector size = x.cwiseAbs();
  double out = raw.q.cwiseAbs().dot(size) + raw.l1 * size.sum();
  if (raw.P.size() > 0) out += size.dot(raw.P.cwiseAbs() * size);
  for (const RawSoftRows& rows : raw.soft_rows) {
    out += rows.weights.dot(rows.G.cwiseAbs() * size + rows.upper.cwiseAbs());
  }
  for (const RawSoftCones& cones : raw.soft_cones) {
    for (const auto& piece : cones.cones) out += piece.weight * (piece.G.cwiseAbs() * size + piece.h.cwiseAbs()).sum();
  }
  return out;
}

class Examiner {
 public:
  Examiner(const RawCase& raw, Random& random)
      : raw_(raw), random_(random), problem_(to_problem(raw)), judge_(raw), settings_(draw_settings(random, raw)) {}

  Examination run() {
    const Result result = solve(problem_, settings_);
    note(result);
    judge_.repair(result.x);
    confront(claims_of(result), fmt::format("solve ({}): {}", describe(settings_), to_string(result.status)));
    judge_tolerances(result);
    if (result.x.allFinite()) check(result);
    return out_;
  }

 private:
  void note(const Result& result) {
    out_.status = to_string(result.status);
    const Claims claims = claims_of(result);
    const BoundKind kind = claims.bounds.front().kind;
    out_.bound = kind == BoundKind::proved ? "proved" : kind == BoundKind::proved_if_convex ? "if convex" : "estimate";
    if (claims.empty) (std::isfinite(claims.empty->radius) ? out_.within_radius : out_.unconditional) = true;
    if (claims.ray) (std::isfinite(claims.ray->radius) ? out_.long_ray : out_.endless_ray) = true;
  }

  void confront(const Claims& claims, const std::string& who) {
    for (const std::string& wrong : judge_.contradictions(claims)) out_.false_claims.push_back(who + ": " + wrong);
  }

  void confront_check(const Claims& claims, const std::string& who) {
    ++out_.checks;
    const bool bound = std::any_of(claims.bounds.begin(), claims.bounds.end(), [](const BoundClaim& one) {
      return one.kind == BoundKind::proved && one.value > -kInfinity;
    });
    if (bound || claims.empty || claims.ray) ++out_.proved_checks;
    confront(claims, who);
  }

  void judge_tolerances(const Result& result) {
    judge_prices(result);
    if (result.status != Status::optimal) return;
    for (const std::string& wrong : judge_.beyond_tolerance(result.x, settings_.tol_feas)) {
      out_.false_claims.push_back(fmt::format("solve ({}): optimal, but {}", describe(settings_), wrong));
    }
    const std::optional<Rational> value = judge_.exact_value();
    if (!value) return;
    const double off = std::abs(result.certificate.objective - value->get_d());
    constexpr double kFarOff = 1e-3;
    out_.far_from_truth = off > kFarOff * (1.0 + std::abs(value->get_d()));
  }

  // Multipliers of soft rows within their prices, and an objective that is that of the point. Of a solve that failed some
  // may be no numbers, which say nothing.
  void judge_prices(const Result& result) {
    if (!raw_.has_prices()) return;
    for (std::size_t b = 0; b < result.multipliers.lambda.size(); ++b) {
      const Doubles& caps = problem_.caps(static_cast<Index>(b));
      for (Index i = 0; i < caps.size(); ++i) {
        const double lambda = result.multipliers.lambda[b][i];
        if ((lambda >= 0.0 && lambda <= caps[i]) || (std::isnan(lambda) && result.status != Status::optimal)) continue;
        out_.false_claims.push_back(fmt::format("multiplier {} of a soft row with the price {}", lambda, caps[i]));
      }
    }
    if (result.status != Status::optimal) return;
    const std::optional<Rational> value = exact_objective(raw_, exact(result.x));
    if (!value) return;
    constexpr double kRounding = 1e-13;
    const double off = std::abs(Rational(*value - exact(result.certificate.objective)).get_d());
    if (off <= kRounding * (1.0 + size_of_objective(raw_, result.x))) return;
    out_.false_claims.push_back(fmt::format("the objective is called {:.17g}, but it is {:.17g}",
                                            result.certificate.objective, value->get_d()));
  }

  void check(const Result& result) {
    confront_check(claims_of(certify(problem_, result.x, result.multipliers)), "check of the solution");
    confront_check(claims_of(prove_infeasible(problem_, result.x, result.multipliers)), "its multipliers as a proof");
    for (int k = 0; k < kHostileChecks; ++k)
      check_multipliers(hostile_multipliers(random_, result.multipliers), point(result.x));
    check_exact_multipliers(result);
    std::vector<Vector> rays = raw_.rays;
    if (result.ray.size() > 0) rays.push_back(result.ray);
    for (int k = 0; k < kHostileRays; ++k)
      rays.emplace_back(random_.uniform() < 0.5 ? Vector(-raw_.q) : random_.vector(raw_.n));
    for (const Vector& ray : rays) {
      confront_check(claims_of(prove_unbounded(problem_, result.x, ray), ray), "a hostile ray" + text(ray, {}));
    }
  }

  void check_multipliers(const Multipliers& multipliers, const Vector& x) {
    try {
      confront_check(claims_of(certify(problem_, x, multipliers)), "check of" + text(x, multipliers));
      confront_check(claims_of(prove_infeasible(problem_, x, multipliers)), "proof by" + text(x, multipliers));
    } catch (const InputError&) {
      return;  // refused, for instance for NaN
    }
  }

  // Multipliers without an error of their own: what is wrong then is the arithmetic of the claim.
  void check_exact_multipliers(const Result& result) {
    const std::optional<Multipliers> exact = judge_.exact_multipliers();
    if (exact) {
      check_multipliers(*exact, judge_.known_point().value_or(result.x));
      check_multipliers(*exact, point(result.x));
      check_multipliers(hostile_multipliers(random_, *exact), point(result.x));
    }
    for (const RationalVector& of_rows : raw_.row_multipliers) {
      check_multipliers(to_multipliers(raw_, of_rows), point(result.x));
      check_multipliers(to_multipliers(raw_, of_rows), Vector::Zero(raw_.n));
    }
    if (const std::optional<Vector> x = judge_.known_point()) check_multipliers(result.multipliers, *x);
  }

  Vector point(const Vector& x) {
    const double kind = random_.uniform();
    if (kind < 0.6) return x;
    if (kind < 0.8) return Vector::Zero(raw_.n);
    return std::pow(10.0, random_.uniform(-3.0, 10.0)) * random_.vector(raw_.n);
  }

  static std::string text(const Vector& x, const Multipliers& multipliers) {
    std::string out = " x = (";
    for (const double t : x) out += fmt::format(" {}", t);
    out += " )";
    for (const Vector& lambda : multipliers.lambda) {
      out += " (";
      for (const double t : lambda) out += fmt::format(" {}", t);
      out += " )";
    }
    if (multipliers.nu.size() > 0) {
      out += " nu (";
      for (const double t : multipliers.nu) out += fmt::format(" {}", t);
      out += " )";
    }
    for (const Vector& z : multipliers.cones) {
      out += " z (";
      for (const double t : z) out += fmt::format(" {}", t);
      out += " )";
    }
    return out;
  }

  const RawCase& raw_;
  Random& random_;
  Problem problem_;
  Judge judge_;
  Settings settings_;
  Examination out_;
};

}  // namespace

Examination examine(const RawCase& raw, Random& random) {
  try {
    return Examiner(raw, random).run();
  } catch (const InputError& error) {
    Examination refused;
    refused.status = "refused";
    refused.refusal = error.what();
    return refused;
  }
}

}  // namespace pliant::judge
