"""pliant among the solvers of qpsolvers: after ``import pliant.qpsolvers``, ``solve_qp(..., solver="pliant")``.

Dense and sparse programs: minimise 1/2 x'Px + q'x subject to G x <= h, A x = b, lb <= x <= ub.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pliant._needs import needs

try:
    from qpsolvers import solvers
    from qpsolvers.exceptions import ProblemError
    from qpsolvers.problem import Problem
    from qpsolvers.solution import Solution
except ImportError as error:
    raise needs("pliant.qpsolvers", "qpsolvers", error) from error

import pliant as pl

__all__ = ["join_qpbenchmark", "pliant_solve_problem", "pliant_solve_qp"]

#: Asked for unless the call says otherwise: duals to four digits and more, as others give them.
TOLERANCE = 1e-8
#: Relative tolerances below this are beyond what rounding leaves of sums in double precision; nothing is tried for them.
REACHABLE = 1e-15
#: Of an absolute tolerance, because gaps are measured in two ways: with and without what is left of the dual residual.
CLOSER = 0.5
#: What a further solve is asked for, of the tolerances before: residuals fall by ten.
SHRINK = 1e-2


def pliant_solve_problem(
    problem: Problem,
    initvals: np.ndarray | None = None,
    verbose: bool = False,
    eps_abs: float | None = None,
    **settings: Any,
) -> Solution:
    """The solution of a quadratic program of qpsolvers; settings are those of ``pl.Problem.solve``. With eps_abs it is found
    where qpsolvers' residuals and duality gap are at most that, whatever the size of objective and sides.

    ``solution.extras`` has status, message, lower bound with its kind, gap and violation. P must be convex and symmetric.

    >>> import numpy as np, pliant.qpsolvers, qpsolvers
    >>> problem = qpsolvers.Problem(np.eye(2), np.array([-3.0, -1.0]), np.ones((1, 2)), np.array([2.0]))
    >>> solution = qpsolvers.solve_problem(problem, solver="pliant")
    >>> solution.found, solution.x.round(6), solution.z.round(6)
    (True, array([2., 0.]), array([1.]))
    """
    begin = time.perf_counter()
    P, q, G, h, A, b, lb, ub = problem.unpack()
    try:
        model = pl.Problem(q.size).minimize(pl.quadratic(P, q))
        if lb is not None or ub is not None:
            model.regularize(pl.box(-np.inf if lb is None else lb, np.inf if ub is None else ub))
        rows = None if G is None else model.subject_to(pl.linear_le(G, h))
        equalities = None if A is None else model.subject_to(pl.equal(A, b))
        built = time.perf_counter()
        given = {"tol_feas": TOLERANCE, "tol_gap": TOLERANCE, "verbose": verbose, "warm_start": initvals} | settings
        result = model.solve(**given)
        status, measure = result.status, functools.partial(_error, problem, rows=rows, equalities=equalities)
        if eps_abs is not None and status == "optimal":
            result = _solve_closer(model, result, eps_abs, given, measure, built)
    except pl.InputError as refusal:
        raise ProblemError(str(refusal)) from refusal
    solution = Solution(problem)
    solution.found = status == "optimal" and (eps_abs is None or measure(result) <= eps_abs)
    if status != "optimal":
        warnings.warn(f"pliant ended with status {status}: {result.message}", stacklevel=2)
    elif not solution.found:
        warnings.warn(f"pliant: residuals and gap are at most {measure(result):.1e}, not {eps_abs:g}", stacklevel=2)
    solution.extras = {name: getattr(result, name) for name in _EXTRAS} | {"status": status}
    solution.obj, solution.x = result.objective, result.x
    solution.z = np.empty(0) if rows is None else result.duals[rows]
    solution.y = np.empty(0) if equalities is None else result.duals[equalities]
    solution.z_box = np.empty(0) if lb is None and ub is None else result.bound_duals
    solution.build_time, solution.solve_time = built - begin, time.perf_counter() - built
    return solution


def _error(problem: Problem, result: pl.Result, rows: Any, equalities: Any) -> float:
    """The largest of what qpsolvers measures: residuals, and |x'Px + q'x + h'z + b'y + lb'z_box^- + ub'z_box^+|. Sides
    without a multiplier, infinite ones among them, have no part."""
    P, q, _, h, _, b, lb, ub = problem.unpack()
    x, held = result.x, result.bound_duals
    gap = x @ (P @ x) + q @ x
    for side, handle in ((h, rows), (b, equalities)):
        if handle is not None:
            gap += _worth(side, result.duals[handle])
    for side, force in ((lb, np.minimum(held, 0.0)), (ub, np.maximum(held, 0.0))):
        if side is not None:
            gap += _worth(side, force)
    residuals = (result.violation["linf"], result.domain_violation, result.equality_residual, result.dual_residual)
    return max(*residuals, abs(gap))


def _worth(side: np.ndarray, force: np.ndarray) -> float:
    return float(np.where(force != 0.0, side, 0.0) @ force)


def _solve_closer(
    model: pl.Problem,
    result: pl.Result,
    eps_abs: float,
    given: dict[str, Any],
    measure: Callable[[pl.Result], float],
    begin: float,
) -> pl.Result:
    """Tolerances are relative to 1 + |objective| and 1 + the largest side, which are known after a first solve. Where the
    bound of the objective does not need it, the dual residual is as large as its root, and tolerances shrink further."""
    tol_gap, tol_feas = (CLOSER * eps_abs / (1.0 + size) for size in (abs(result.objective), result.constant_scale))
    while measure(result) > eps_abs and min(tol_gap, tol_feas) >= REACHABLE:
        closer = given | {
            "tol_gap": min(given["tol_gap"], tol_gap), "tol_feas": min(given["tol_feas"], tol_feas), "warm_start": result,
        }  # fmt: skip
        if given.get("time_limit") is not None:
            closer["time_limit"] = max(0.0, given["time_limit"] - (time.perf_counter() - begin))
        again = model.solve(**closer)
        if measure(again) < measure(result):  # whether or not the tolerances, which are tighter than what is wanted, are met
            result = again
        if again.status != "optimal":
            break
        tol_gap, tol_feas = SHRINK * tol_gap, SHRINK * tol_feas
    return result


def pliant_solve_qp(
    P: Any,
    q: np.ndarray,
    G: Any = None,
    h: np.ndarray | None = None,
    A: Any = None,
    b: np.ndarray | None = None,
    lb: np.ndarray | None = None,
    ub: np.ndarray | None = None,
    initvals: np.ndarray | None = None,
    verbose: bool = False,
    eps_abs: float | None = None,
    **settings: Any,
) -> np.ndarray | None:
    """x, or None if there is no solution.

    >>> import numpy as np
    >>> from pliant.qpsolvers import pliant_solve_qp
    >>> pliant_solve_qp(np.eye(2), np.array([-3.0, -1.0]), lb=np.zeros(2), ub=np.ones(2)).round(6)
    array([1., 1.])
    """
    solution = pliant_solve_problem(Problem(P, q, G, h, A, b, lb, ub), initvals, verbose, eps_abs, **settings)
    return solution.x if solution.found else None


_EXTRAS = (
    "status", "message", "method", "choice", "lower_bound", "lower_bound_kind", "lower_bound_rigorous", "gap_rel",
    "violation_rel", "iterations", "passes",
)  # fmt: skip


def join_qpbenchmark() -> None:
    """Adds the solver to those that qpbenchmark has settings for; it skips others. A test set is made after it."""
    try:
        from qpbenchmark.solver_settings import SolverSettings
    except ImportError as error:
        line = "join_qpbenchmark: needs qpbenchmark 2: pip install qpbenchmark"
        raise ImportError(f"{line} ({error})", name=error.name) from error
    if "pliant" in SolverSettings.IMPLEMENTED_SOLVERS:
        return
    SolverSettings.IMPLEMENTED_SOLVERS.add("pliant")
    for method, name in (("set_eps_abs", "eps_abs"), ("set_time_limit", "time_limit")):
        setattr(SolverSettings, method, _extended(getattr(SolverSettings, method), name))


def _extended(original: Callable[[Any, float], None], name: str) -> Callable[[Any, float], None]:
    """A method that sets something for every solver, and for this one by this name."""

    @functools.wraps(original)
    def extended(self: Any, value: float) -> None:
        original(self, value)
        self.set_param("pliant", name, value)

    return extended


def _register() -> None:
    """Adds the solver to qpsolvers' lists."""
    solvers.solve_function["pliant"] = pliant_solve_problem
    for names in (solvers.available_solvers, solvers.dense_solvers, solvers.sparse_solvers):
        if "pliant" not in names:
            names.append("pliant")


_register()
