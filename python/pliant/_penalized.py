"""The penalised problem itself: its minimiser x_delta."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import count, number
from ._problem import Problem
from ._result import as_solution


class PenalizedMinimum(NamedTuple):
    """What ``minimize_penalized`` returns.

    >>> import pliant as pl
    >>> pl.minimize_penalized(pl.generate.dense_qp(n=3, m=5), xi=5.0, delta=0.1).residual <= 1e-9
    True
    """

    x: np.ndarray  #: x_delta
    value: float  #: F_{xi,delta}(x)
    residual: float  #: norm of the smallest subgradient at x
    iterations: int


def minimize_penalized(
    problem: Problem,
    xi: float,
    delta: float,
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 100_000,
    start: Any = None,
) -> PenalizedMinimum:
    """Minimises F(x) + xi sum_i delta ln(1 + exp(a_i(x)/delta)) until its smallest subgradient is at most `tolerance`.

    Ends earlier after `max_iterations` accelerated gradient steps, or where rounding allows no progress: `residual` says
    how far it came. `start` is a point, or a result.

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(1).minimize(pl.quadratic([[1.0]], [1.0]))
    >>> c = p.subject_to(pl.linear_le([[-1.0]], [0.0]))
    >>> t = pl.minimize_penalized(p, xi=2.0, delta=0.1).x[0]
    >>> round(float(1 + t - 2.0 / (1 + np.exp(t / 0.1))), 8)  # F' = 1 + t, and the penalty's derivative
    0.0
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem: expected a Problem, got {type(problem).__name__}")
    core = problem._core
    begin = as_solution(start, [], core.equalities, problem.n, "start")
    found = _core.minimize_penalized(
        core,
        number(xi, "xi"),
        number(delta, "delta"),
        number(tolerance, "tolerance"),
        count(max_iterations, "max_iterations"),
        begin,
    )
    return PenalizedMinimum(*found)
