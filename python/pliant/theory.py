"""The bounds of the softplus penalty method, and the choice of its parameters.

F_{xi,delta}(x) = F(x) + xi sum_i p_delta(a_i(x)) has the minimiser x_delta; x* solves the constrained problem with
multipliers lambda*, xi_bar >= |lambda*|_inf, V_1(x) = sum_i max(0, a_i(x)), F is mu-strongly convex. Functions named
``..._as_printed`` repeat formulas of the paper that are false or incomplete (docs/theory.md).

>>> from pliant import theory
>>> round(theory.violation_bound(theory.master_bound(xi=2, delta=1e-6, m=1000), xi=2, xi_bar=1), 9)
0.000556929
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import number
from ._core.theory import *  # noqa: F403

__all__ = [*(name for name in dir(_core.theory) if not name.startswith("_")), "bounds"]  # noqa: PLE0604


def bounds(**parameters: float) -> list[dict[str, Any]]:
    """Every bound that follows from what is given, as ``pliant bounds``: name, value, formula, statement, standing.

    >>> from pliant import theory
    >>> [b["name"] for b in theory.bounds(xi=2, delta=1e-6, m=1000)][0]
    'softplus excess'
    """
    return _core.theory.evaluate_bounds({name: number(value, name) for name, value in parameters.items()})
