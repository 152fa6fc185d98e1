#include "theory/calculator.hpp"

#include "theory/checks.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace pliant::theory {

namespace {

constexpr std::array kParameters = {
    BoundParameter{"xi", "penalty parameter"},
    BoundParameter{"delta", "smoothing parameter"},
    BoundParameter{"m", "number of constraints"},
    BoundParameter{"l", "number of objective components"},
    BoundParameter{"mu", "strong convexity of the objective"},
    BoundParameter{"Lf", "smoothness of the objective"},
    BoundParameter{"La", "smoothness of every constraint"},
    BoundParameter{"C0", "|grad a_i|^2 <= C0 + C1 |a_i|"},
    BoundParameter{"C1", "|grad a_i|^2 <= C0 + C1 |a_i|"},
    BoundParameter{"xi_bar", "infinity norm of the multipliers, or an upper bound of it"},
    BoundParameter{"slater_gap", "F(x_hat) - LB at a Slater point x_hat"},
    BoundParameter{"slater_s", "its slack: a_i(x_hat) <= -slater_s for all i"},
    BoundParameter{"eps", "wanted accuracy"},
    BoundParameter{"distance", "|x0 - x*|"},
    BoundParameter{"initial_gap", "F_{xi,delta}(x0) - min F_{xi,delta} at delta = eps/(4 m ln 2)"},
    BoundParameter{"active", "number of constraints with a_i(x*) = 0"},
    BoundParameter{"inactive_slack", "smallest |a_i(x*)| of the others"},
    BoundParameter{"violation", "V_1(x), the sum of max(0, a_i(x)), at a point x"},
    BoundParameter{"penalized_gap", "F_{xi,delta}(x) - F* at a point x"},
    BoundParameter{"master_term", "xi sum |a_i| sigma(-|a_i|/delta) at a point x"},
    BoundParameter{"residual", "|r|, r in the subdifferential of the Lagrangian at a point x"},
    BoundParameter{"ub_gap", "F(feasible point) - L(x, lambda)"},
    BoundParameter{"U", "constant of Theorem 1 (otherwise from C0, C1, m, a_norm)"},
    BoundParameter{"a_norm", "|A(x*)|_inf (default 0)"},
    BoundParameter{"A_norm", "|A|_2 of linear constraints A x <= b"},
    BoundParameter{"row_norm", "largest |a_i|_2 of their rows"},
    BoundParameter{"chi", "sup over W >= 0 of |M W (I + M W)^-1|_2, M = A Q^-1 A', Q the constant Hessian of F"},
    BoundParameter{"chi_inf", "the same in the infinity norm"},
    BoundParameter{"active_sigma", "smallest singular value of the rows active at x*"},
    BoundParameter{"error", "error of smooth approximations of non-smooth constraints"},
    BoundParameter{"inner_gap", "inner accuracy in units of xi, with `error`"},
};

class Calculator {
 public:
  explicit Calculator(const std::map<std::string, double>& given) : given_(given) {
    for (const auto& [name, value] : given_) {
      if (std::none_of(kParameters.begin(), kParameters.end(), [&](const auto& p) { return p.name == name; })) {
        reject_unknown(name);
      }
      require_nonnegative(name, value);  // no parameter may be negative
    }
    for (const char* name : {"m", "l", "active"}) {
      if (has({name}) && !(at(name) >= 0.0 && at(name) <= 1e15 && at(name) == std::floor(at(name)))) {
        reject(name, "a whole number >= 0", at(name));
      }
    }
  }

  std::vector<BoundEntry> evaluate() {
    threshold();
    at_minimizer();
    refined();
    other_norms();
    at_any_point();
    parameter_choice();
    smoothness();
    counts();
    theorem1();
    theorem1_repaired_forms();
    nonsmooth();
    screening();
    return std::move(entries_);
  }

 private:
  [[noreturn]] static void reject_unknown(const std::string& name) {
    std::string known;
    for (const BoundParameter& p : kParameters) known += fmt::format("{}{}", known.empty() ? "" : ", ", p.name);
    throw InputError(fmt::format("{}: unknown parameter; known are {}", name, known));
  }

  bool has(std::initializer_list<const char*> names) const {
    return std::all_of(names.begin(), names.end(), [&](const char* n) { return given_.contains(n); });
  }
  double at(const char* name) const { return given_.at(name); }
  double at_or(const char* name, double otherwise) const { return has({name}) ? at(name) : otherwise; }
  Index count(const char* name) const { return static_cast<Index>(at(name)); }
  Penalty penalty() const { return {at("xi"), at("delta"), count("m")}; }
  ConstraintConstants constraint() const { return {at_or("La", 0.0), at("C0"), at_or("C1", 0.0)}; }
  ProblemConstants problem() const {
    return {.m = count("m"),
            .l = has({"l"}) ? count("l") : 1,
            .Lf = at("Lf"),
            .mu = at_or("mu", 0.0),
            .constraint = constraint()};
  }

  void add(const char* name, const char* formula, double value, const char* statement,
           Standing standing = Standing::guaranteed, const char* condition = "", std::optional<bool> holds = true) {
    entries_.push_back({name, formula, value, statement, standing, condition, holds});
  }

  /// xi_bar as given, or the Slater bound of it; kInfinity if neither is known.
  double threshold_or_infinity() const {
    if (has({"xi_bar"})) return at("xi_bar");
    if (has({"slater_gap", "slater_s"})) return multiplier_bound_from_slater(at("slater_gap"), at("slater_s"));
    return kInfinity;
  }

  void threshold() {
    xi_bar_ = threshold_or_infinity();
    known_ = std::isfinite(xi_bar_);
    above_ = known_ && has({"xi"}) && at("xi") >= xi_bar_;
    if (has({"slater_gap", "slater_s"})) {
      add("multipliers", "|lambda*|_1 <= slater_gap/slater_s",
          multiplier_bound_from_slater(at("slater_gap"), at("slater_s")), "Slater bound");
    }
    if (known_)
      add("xi with exact penalty", "xi_bar", xi_bar_, "Lemma 1", Standing::guaranteed, "strictly above if mu = 0");
  }

  /// master/(xi - xi_bar) and sqrt(master/mu) where the parameters allow; without xi >= xi_bar there is no bound.
  void violation_and_distance(double master, const char* violation_formula, const char* distance_formula,
                              const char* statement) {
    if (!known_) return;
    add("violation V_1(x_delta)", violation_formula, above_ ? violation_bound(master, at("xi"), xi_bar_) : kInfinity,
        statement, Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
    if (at_or("mu", 0.0) > 0.0) {
      add("distance |x_delta - x*|", distance_formula, above_ ? distance_bound(master, at("mu")) : kInfinity, statement,
          Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
    }
  }

  void at_minimizer() {
    if (has({"delta"})) add("softplus excess", "delta ln 2", softplus_excess_bound(at("delta")), "softplus");
    if (!has({"xi", "delta", "m"})) return;
    const Penalty p = penalty();
    add("objective gap F(x_delta) - F*", "W m xi delta", objective_gap_upper(p), "Proposition 1, sharper");
    add("objective gap F(x_delta) - F*", "m xi delta ln 2", objective_gap_upper_weak(p), "Proposition 1");
    add("master bound", "W m xi delta", master_bound(p), "master bound", Standing::guaranteed, "xi >= xi_bar",
        at_least(1.0));
    violation_and_distance(master_bound(p), "W m xi delta/(xi - xi_bar)", "sqrt(W m xi delta/mu)", "master bound");
    add("violation V_1(x)", "4 m delta ln 2", doubled_threshold_violation_bound(p.delta, p.m),
        "remark on Proposition 2", Standing::guaranteed, "xi >= 2 xi_bar, F_{xi,delta}(x) - min <= m xi delta ln 2",
        at_least(2.0));
  }

  void refined() {
    if (!has({"xi", "delta", "m", "active"})) return;
    const double master = master_bound_refined(penalty(), count("active"), at_or("inactive_slack", 0.0));
    constexpr const char* kFormula = "xi delta (W active + (m - active) e^{-1 - inactive_slack/delta})";
    add("objective gap F(x_delta) - F*", kFormula, master, "remark on active constraints");
    violation_and_distance(master, "refined master bound/(xi - xi_bar)", "sqrt(refined master bound/mu)",
                           "master bound, refined");
  }

  void other_norms() {
    if (!has({"xi", "delta", "m"}) || !known_) return;
    const NormBounds bounds =
        above_ ? violation_norms(penalty(), xi_bar_) : NormBounds{kInfinity, kInfinity, kInfinity};
    constexpr const char* kStatement = "master bound, other norms";
    add("violation |max(0, A(x_delta))|_2", "sqrt(delta u V_1), u as in the infinity norm", bounds.two, kStatement,
        Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
    add("violation |max(0, A(x_delta))|_inf", "delta u, u (sigma(u) - xi_bar/xi) = (m - 1) W", bounds.infinity,
        kStatement, Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
    if (!(at_or("mu", 0.0) > 0.0) || !has({"C0"})) return;
    const double distance = above_ ? distance_bound(master_bound(penalty()), at("mu")) : kInfinity;
    add("violation |max(0, A(x_delta))|_inf", "the root v = d sqrt(C0 + C1 v), d = sqrt(W m xi delta/mu)",
        violation_norms_from_distance(constraint(), count("m"), distance).infinity, "distance, other norms",
        Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
  }

  void at_any_point() {
    if (has({"violation"})) {
      if (known_) {
        add("objective gap F(x) - F*, below", "-xi_bar V_1", objective_gap_lower(xi_bar_, at("violation")),
            "Proposition 1, sharper");
      }
      if (has({"xi"})) {
        add("objective gap F(x) - F*, below", "-xi V_1", objective_gap_lower_weak(at("xi"), at("violation")),
            "Proposition 1", Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
      }
    }
    if (has({"penalized_gap", "xi"}) && known_) {
      add("violation V_1(x)", "penalized_gap/(xi - xi_bar)",
          above_ ? any_point_violation_bound(at("penalized_gap"), at("xi"), xi_bar_) : kInfinity,
          "Proposition 2, sharper", Standing::guaranteed, "xi > xi_bar", strictly_above());
    }
    if (has({"penalized_gap", "xi"}) && at("xi") > 0.0) {
      add("part of V_1(x) outside of E", "penalized_gap/xi", inactive_violation_bound(at("penalized_gap"), at("xi")),
          "Proposition 2, middle term", Standing::guaranteed, "xi >= xi_bar, E holds all i with lambda*_i > 0",
          at_least(1.0));
    }
  }

  void parameter_choice() {
    if (!has({"eps", "m"})) return;
    add("delta for V_1 <= eps", "eps/(4 m ln 2)", delta_for_accuracy(at("eps"), count("m")), "static parameters",
        Standing::guaranteed, "xi >= 2 xi_bar", at_least(2.0));
    if (!has({"xi"})) return;
    const std::optional<bool> doubled = at_least(2.0);
    // Stated for any xi; whether xi is large enough is the condition's business.
    const StaticParameters s = static_parameters(at("eps"), count("m"), at("xi"), 0.0);
    add("inner accuracy for V_1 <= eps", "xi eps/4", s.inner_accuracy, "static parameters", Standing::guaranteed,
        "xi >= 2 xi_bar", doubled);
    add("objective gap then", "xi eps/2", s.objective_gap, "static parameters", Standing::guaranteed, "xi >= 2 xi_bar",
        doubled);
  }

  void smoothness() {
    if (!has({"delta", "C0"}) || at("delta") == 0.0) return;
    add("smoothness of p_delta(a_i)", "La + 0.2239 C1 + C0/(4 delta)", component_smoothness(constraint(), at("delta")),
        "Proposition 3, sharper");
    add("smoothness of p_delta(a_i)", "La + C1/4 + C0/(4 delta)", component_smoothness_weak(constraint(), at("delta")),
        "Proposition 3");
  }

  void counts() {
    if (!has({"xi", "eps", "m", "Lf", "C0"})) return;
    const ProblemConstants p = problem();
    const double xi = at("xi");
    const double eps = at("eps");
    const std::optional<bool> doubled = at_least(2.0);
    if (has({"distance"})) {
      add("accelerated gradient steps", "|x0-x*| sqrt(8 Lf/(xi eps) + 8 m (La+C1/4)/eps + 8 m^2 C0 ln 2/eps^2)",
          std::ceil(accelerated_gradient_iterations(p, xi, eps, at("distance"))), "Corollary 1, corrected",
          Standing::guaranteed, "xi >= 2 xi_bar, delta = eps/(4 m ln 2)", doubled);
    }
    add("accelerated gradient steps", "(Lf + m (La + C1))/sqrt(eps) + m^2 xi C0/eps^1.5",
        corollary1_as_printed(p, xi, eps), "Corollary 1", Standing::as_printed, "inside O()");
    if (!(p.mu > 0.0)) return;
    if (has({"initial_gap"})) {
      add("accelerated gradient steps",
          "sqrt(L/mu) ln(8 initial_gap/(xi eps)), L = Lf + m xi (La+C1/4) + m^2 xi C0 ln 2/eps",
          std::ceil(strongly_convex_iterations(p, xi, eps, at("initial_gap"))), "Corollary 2.1, corrected",
          Standing::guaranteed, "xi >= 2 xi_bar, delta = eps/(4 m ln 2)", doubled);
    }
    add("accelerated gradient steps", "sqrt((Lf + m xi (La + C1))/mu) + m^0.75 sqrt(xi C0/(mu eps))",
        corollary2_gradient_as_printed(p, xi, eps), "Corollary 2.1", Standing::as_printed, "inside O~()");
    if (!has({"l"})) return;
    add("Catalyst-SVRG component steps", "l + m + sqrt((l + m) L/mu), L the mean constant",
        catalyst_order(p, xi, eps, Sampling::proportional), "Corollary 2.2, corrected", Standing::order,
        "xi >= 2 xi_bar, delta = eps/(4 m ln 2), sampling proportional to smoothness", doubled);
    add("Catalyst-SVRG component steps", "l + m + sqrt((l + m) L/mu), L the largest constant",
        catalyst_order(p, xi, eps, Sampling::uniform), "Corollary 2.2, corrected", Standing::order,
        "xi >= 2 xi_bar, delta = eps/(4 m ln 2), uniform sampling", doubled);
    add("Catalyst-SVRG component steps",
        "l + sqrt((l + m)(Lf + m xi (La + C1))/mu) + m^0.75 sqrt((l + m) xi C0/(mu eps))",
        corollary2_catalyst_as_printed(p, xi, eps), "Corollary 2.2", Standing::as_printed, "inside O~()");
  }

  void theorem1() {
    if (!has({"xi", "m", "mu"}) || !(at("mu") > 0.0) || !(has({"U"}) || has({"C0"}))) return;
    const double C1 = at_or("C1", 0.0);
    const double U = has({"U"}) ? at("U") : theorem1_constant(constraint(), count("m"), at_or("a_norm", 0.0));
    if (has({"delta"})) {
      const Printed bound = theorem1_as_printed(penalty(), at("mu"), U, C1);
      add("violation |A(x_delta) - A(x*)|_2", "sqrt(m) delta ln(U xi/(mu delta))", bound.value, "Theorem 1",
          Standing::as_printed, "delta <= e^-2 U xi/mu, 2 m C1 delta ln(U xi/(mu delta)) <= U", bound.conditions_hold);
    }
    if (has({"eps"})) {
      const Printed choice = delta_as_printed(at("eps"), {at("xi"), 0.0, count("m")}, at("mu"), U, C1);
      add("delta for violation eps", "eps/(4 sqrt(m) ln(2 sqrt(m) U xi/(mu eps)))", choice.value, "Corollary 2",
          Standing::as_printed, "eps <= e^-2 sqrt(m) U xi/mu, eps <= U/(sqrt(m) C1)", choice.conditions_hold);
    }
  }

  void theorem1_repaired_forms() {
    if (!has({"xi", "delta", "m", "mu", "A_norm"}) || !(at("mu") > 0.0)) return;
    const Penalty p = penalty();
    const bool curved = at_or("La", 0.0) > 0.0 || at_or("C1", 0.0) > 0.0;
    const std::optional<bool> holds = curved ? false : at_least(1.0);
    const auto bound = [&](const char* name, const char* formula, double value, const char* statement,
                           const char* condition) {
      add(name, formula, holds == false ? kInfinity : value, statement, Standing::guaranteed, condition, holds);
    };
    constexpr const char* kChange = "change |A x_delta - A x*|_2";
    constexpr const char* kCondition = "xi >= xi_bar, linear constraints, constant Hessian";
    bound(kChange, "A_norm sqrt(W m xi delta/mu)", change_bound(master_bound(p), at("mu"), at("A_norm")),
          "master bound, linear constraints", "xi >= xi_bar, linear constraints");
    if (has({"chi"})) {
      bound(kChange, "sqrt(1 + chi^2) sqrt(m) delta (1 + ln(A_norm^2 xi/(mu delta)))",
            theorem1_repaired_sharp(p, at("mu"), at("A_norm"), at("chi")), "Theorem 1, repaired, sharper", kCondition);
    }
    if (!has({"row_norm"})) return;
    if (has({"chi"})) {
      bound(kChange, "(1 + chi) sqrt(m) delta (1 + ln(sqrt(m) A_norm row_norm xi/(mu delta)))",
            theorem1_repaired(p, at("mu"), at("A_norm"), at("row_norm"), at("chi")), "Theorem 1, repaired", kCondition);
    }
    if (has({"chi_inf"})) {
      bound("change |A x_delta - A x*|_inf", "(1 + chi_inf) delta (1 + ln(sqrt(m) A_norm row_norm xi/(mu delta)))",
            theorem1_repaired_infinity(p, at("mu"), at("A_norm"), at("row_norm"), at("chi_inf")),
            "Theorem 1, repaired, infinity norm", kCondition);
    }
    if (has({"active", "active_sigma", "Lf"}) && (has({"inactive_slack"}) || count("active") == p.m)) {
      bound(kChange, "(1 + sqrt(1 + Lf/mu) A_norm/active_sigma) sqrt(active) delta (1 + ln(c/delta))",
            theorem1_repaired_active(p, at("mu"), at("Lf"), at("A_norm"), at("row_norm"),
                                     {count("active"), at("active_sigma"), at_or("inactive_slack", 0.0)}),
            "Theorem 1, repaired, active rows",
            "xi >= xi_bar, linear constraints, mu <= Hessian <= Lf, the active rows independent");
    }
  }

  void nonsmooth() {
    if (!has({"xi", "delta", "m", "error", "inner_gap"})) return;
    const std::optional<bool> doubled = at_least(2.0);
    const auto bounds = [&](bool above) {
      return nonsmooth_constraints(penalty(), at("error"), at("inner_gap"), above);
    };
    constexpr const char* kStatement = "remark on non-smooth constraints, corrected";
    add("violation V_1(x)", "4 m error + 2 m delta ln 2 + 2 inner_gap", bounds(false).violation, kStatement,
        Standing::guaranteed, "xi >= 2 xi_bar, |a_hat - a| <= error at x* and x", doubled);
    add("violation V_1(x)", "2 m error + 2 m delta ln 2 + 2 inner_gap", bounds(true).violation, kStatement,
        Standing::guaranteed, "xi >= 2 xi_bar, a <= a_hat <= a + error at x* and x", doubled);
    add("objective gap F(x) - F*", "m xi error + m xi delta ln 2 + xi inner_gap", bounds(false).objective_gap,
        kStatement, Standing::guaranteed, "|a_hat - a| <= error at x*");
    add("violation V_1(x)", "4 m error + 2 m delta ln 2 + 2 xi inner_gap",
        nonsmooth_constraints_as_printed(penalty(), at("error"), at("inner_gap")).violation,
        "remark on non-smooth constraints", Standing::as_printed);
  }

  void screening() {
    if (!has({"residual", "mu"}) || !(at("mu") > 0.0)) return;
    if (has({"ub_gap"})) {
      add("radius about x containing x*", "(|r| + sqrt(|r|^2 + 2 mu ub_gap))/mu",
          screening_radius(at("residual"), at("mu"), at("ub_gap")), "safe screening");
      add("radius about x - r/mu containing x*", "sqrt(|r|^2 + 2 mu ub_gap)/mu",
          screening_radius_centered(at("residual"), at("mu"), at("ub_gap")), "safe screening");
    }
    if (has({"master_term"})) {
      add("radius about x containing x*", "(|r| + sqrt(|r|^2 + 4 mu master_term))/(2 mu)",
          screening_radius_exact_penalty(at("residual"), at("mu"), at("master_term")), "safe screening, exact penalty",
          Standing::guaranteed, "xi >= xi_bar", at_least(1.0));
    }
  }

  const std::map<std::string, double>& given_;
  std::vector<BoundEntry> entries_;
  /// xi >= factor xi_bar, where both are known.
  std::optional<bool> at_least(double factor) const {
    if (!known_ || !has({"xi"})) return std::nullopt;
    return at("xi") >= factor * xi_bar_;
  }
  std::optional<bool> strictly_above() const {
    if (!known_ || !has({"xi"})) return std::nullopt;
    return at("xi") > xi_bar_;
  }

  double xi_bar_ = kInfinity;
  bool known_ = false;  ///< xi_bar is known
  bool above_ = false;  ///< xi >= xi_bar for sure
};

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::guaranteed:
      return "guaranteed";
    case Standing::order:
      return "order";
    case Standing::as_printed:
      return "as printed";
  }
  return "";
}

std::span<const BoundParameter> bound_parameters() { return kParameters; }

std::vector<BoundEntry> evaluate_bounds(const std::map<std::string, double>& parameters) {
  return Calculator(parameters).evaluate();
}

}  // namespace pliant::theory
