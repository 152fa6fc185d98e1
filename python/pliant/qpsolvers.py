"""pliant among the solvers of qpsolvers: after ``import pliant.qpsolvers``, ``solve_qp(..., solver="pliant")``.

Dense and sparse programs: minimise 1/2 x'Px + q'x subject to G x <= h, A x = b, lb <= x <= ub.
"""

from __future__ import annotations

import time
import warnings
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

__all__ = ["pliant_solve_problem", "pliant_solve_qp"]

#: Asked for unless the call says otherwise: duals to four digits and more, as others give them.
TOLERANCE = 1e-8


def pliant_solve_problem(
    problem: Problem, initvals: np.ndarray | None = None, verbose: bool = False, **settings: Any
) -> Solution:
    """The solution of a quadratic program of qpsolvers; settings are those of ``pl.Problem.solve``.

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
    except pl.InputError as refusal:
        raise ProblemError(str(refusal)) from refusal
    solution = Solution(problem)
    solution.found = result.status == "optimal"
    if not solution.found:
        warnings.warn(f"pliant ended with status {result.status}: {result.message}", stacklevel=2)
    solution.extras = {name: getattr(result, name) for name in _EXTRAS}
    solution.obj, solution.x = result.objective, result.x
    solution.z = np.empty(0) if rows is None else result.duals[rows]
    solution.y = np.empty(0) if equalities is None else result.duals[equalities]
    solution.z_box = np.empty(0) if lb is None and ub is None else result.bound_duals
    solution.build_time, solution.solve_time = built - begin, time.perf_counter() - built
    return solution


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
    **settings: Any,
) -> np.ndarray | None:
    """x, or None if there is no solution.

    >>> import numpy as np
    >>> from pliant.qpsolvers import pliant_solve_qp
    >>> pliant_solve_qp(np.eye(2), np.array([-3.0, -1.0]), lb=np.zeros(2), ub=np.ones(2)).round(6)
    array([1., 1.])
    """
    solution = pliant_solve_problem(Problem(P, q, G, h, A, b, lb, ub), initvals, verbose, **settings)
    return solution.x if solution.found else None


_EXTRAS = (
    "status", "message", "method", "choice", "lower_bound", "lower_bound_kind", "lower_bound_rigorous", "gap_rel",
    "violation_rel", "iterations", "passes",
)  # fmt: skip


def _register() -> None:
    """Adds the solver to qpsolvers' lists."""
    solvers.solve_function["pliant"] = pliant_solve_problem
    for names in (solvers.available_solvers, solvers.dense_solvers, solvers.sparse_solvers):
        if "pliant" not in names:
            names.append("pliant")


_register()
