"""What is false about an answer, from the data alone."""

import math

LIMITS = ("time_limit", "pass_limit", "iteration_limit", "interrupted", "user_stopped")
PROOFS = {"primal_infeasible": "infeasibility_proof", "dual_infeasible": "unboundedness_proof"}
#: Of values, relative: what tolerances of 1e-6 leave open, with room for degenerate problems.
NEAR = 1e-4
#: Of proved bounds above the least value, relative: HiGHS and planted optima are rounded, and feasible to 1e-7.
ROUNDED = 1e-6


def near(options):
    """Loose tolerances were asked for: the value may be as loose."""
    return max(NEAR, 10 * options.get("tol_gap", 0.0), 10 * options.get("tol_feas", 0.0))


def false_about(case, result):
    """What is false about a result, in words; empty if nothing is."""
    status, options = result.status, case.options
    tolerances = {key: options[key] for key in ("tol_feas", "tol_gap") if key in options}
    if status == "optimal" and "optimal" not in case.ends:
        return "optimal, but there is no solution"
    if status in PROOFS:
        if status not in case.ends:
            return f"{status}, but it is not"
        if case.file and not case.problem.check(result)[PROOFS[status]]["holds"]:
            return f"{status}, but check does not say so"
    if status == "optimal" and case.file:
        verdict = case.problem.check(result, **tolerances)
        if not verdict["satisfied"]:
            return f"optimal, but check says gap {verdict['gap_rel']}, violation {verdict['violation_rel']}"
    if case.known is not None and "optimal" in case.ends:
        return false_beside(case.known, result, near(options))
    return ""


def false_beside(value, result, share):
    """The same beside the least value of the problem."""
    away = 1.0 + abs(value)
    if result.status == "optimal" and abs(result.objective - value) > share * away:
        return f"optimal at {result.objective}, the least value is {value}"
    if result.lower_bound_rigorous and math.isfinite(result.lower_bound) and result.lower_bound > value + ROUNDED * away:
        return f"a proved bound {result.lower_bound} above the least value {value}"
    return ""


def false_between(case, one, other):
    """Two forms of a problem: what cannot be true of both."""
    if other.status != "optimal" or one.status not in ("optimal", *PROOFS):
        both = {one.status, other.status}
        return f"{one.status}, in another form {other.status}" if both == {"optimal", "primal_infeasible"} else ""
    if one.status != "optimal":
        return f"{one.status}, in another form optimal"
    return false_beside(other.objective, one, near(case.options))
