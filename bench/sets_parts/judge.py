"""When an instance counts as solved, the same for every solver."""

import dataclasses
import math

ACCURACY = 1e-6  # of violation and dual residual, relative
SHORT = 2.0      # seconds: longer solves are not repeated
STATUS = {"infeasible": "primal_infeasible", "unbounded": "dual_infeasible"}


@dataclasses.dataclass
class Run:
    """One solve and what came of it; figures that are not known are NaN."""
    set: str
    instance: str
    solver: str
    status: str
    solved: bool = False
    objective: float = math.nan
    objective_error: float = math.nan  # |objective - reference| / (1 + |reference|)
    violation_rel: float = math.nan    # of rows, equalities and bounds
    dual_residual_rel: float = math.nan
    steps: int = 0
    seconds: float = math.nan          # setup and solve
    words: str = ""


def judge_optimal(run, instance, time_limit):
    """Error, violation and dual residual small enough, in time; a NaN is not small enough."""
    run.objective_error = abs(run.objective - instance.reference) / (1.0 + abs(instance.reference))
    run.solved = (run.objective_error <= instance.allowed and run.violation_rel <= ACCURACY
                  and run.dual_residual_rel <= ACCURACY and run.seconds <= time_limit)


def proof_holds(instance, check):
    """From `pliant check`: the proof of infeasibility, or a ray from a feasible point."""
    if instance.status == "infeasible":
        return check["infeasibility_proof"]["holds"]
    proof = check.get("unboundedness_proof")
    return proof is not None and proof["holds"] and proof["violation"] is not None and proof["violation"] <= ACCURACY


def number(value):
    """JSON has null for what is not finite."""
    return math.nan if value is None else float(value)


def figures_of_check(run, check):
    """`violation_rel` of the command is that of the rows; equalities and bounds count likewise, each on its own scale."""
    parts = ("violation_rel", "equality_residual_rel", "domain_violation_rel")
    worst = max([check[part] for part in parts], key=number_or_huge)
    run.objective = number(check["objective"])
    run.violation_rel = number(worst)
    run.dual_residual_rel = number(check["dual_residual_rel"])


def number_or_huge(value):
    return math.inf if value is None else value
