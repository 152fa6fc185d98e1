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

import numpy as np

from . import _core
from ._arrays import doubles, number
from ._core.theory import *  # noqa: F403

_OF_THE_CORE = [name for name in dir(_core.theory) if not name.startswith("_")]
__all__ = [*_OF_THE_CORE, "bounds", "chi_bound", "chi_exact", "chi_varying"]  # noqa: PLE0604


def bounds(**parameters: float) -> list[dict[str, Any]]:
    """Every bound that follows from what is given, as ``pliant bounds``: name, value, formula, statement, standing.

    >>> from pliant import theory
    >>> [b["name"] for b in theory.bounds(xi=2, delta=1e-6, m=1000)][0]
    'softplus excess'
    """
    return _core.theory.evaluate_bounds({name: number(value, name) for name, value in parameters.items()})


def _hessian(Q: Any, n: int) -> np.ndarray:
    """Q as a matrix of order n; one number stands for that many times the identity."""
    return number(Q, "Q") * np.eye(n) if np.ndim(Q) == 0 else doubles(Q, "Q", n, n)


def chi_exact(A: Any, Q: Any, norm: str = "two") -> float:
    """The constant of Theorem 1 repaired, sup over diagonal W >= 0 of |M W (I + M W)^-1| with M = A Q^-1 A'.

    It goes through all sets of independent rows of A, at most 2^18 of them. Q is the constant Hessian of the objective (a
    number mu: mu I); `norm` is "two" or "infinity".

    >>> from pliant import theory
    >>> round(theory.chi_exact([[-1.0], [-1000.0]], 1.0), 4), theory.chi_exact([[-1.0], [-1000.0]], 1.0, norm="infinity")
    (1000.0005, 1000.0)
    """
    if norm not in ("two", "infinity"):
        raise _core.InputError(f"norm: expected 'two' or 'infinity', got {norm!r}")
    rows = doubles(A, "A", "m", "n")
    return _core.theory._chi_exact(rows, _hessian(Q, rows.shape[1]), norm == "infinity")


def chi_bound(A: Any, Q: Any) -> float:
    """An upper bound of `chi_exact` (2-norm) at the cost of one decomposition; infinite where none is known.

    >>> from pliant import theory
    >>> round(theory.chi_bound([[1.0, 0.0], [1.0, 1.0]], 1.0), 6)
    2.618034
    """
    rows = doubles(A, "A", "m", "n")
    return _core.theory._chi_bound(rows, _hessian(Q, rows.shape[1]))


def chi_varying(A: Any, mu: float, L: float) -> float:
    """An upper bound of `chi_exact` over all Hessians between mu and L: sqrt(L/mu) |A| max |A_J^+|.

    >>> from pliant import theory
    >>> theory.chi_varying([[1.0, 0.0], [0.0, 1.0]], mu=1.0, L=4.0)
    2.0
    """
    return _core.theory._chi_varying(doubles(A, "A", "m", "n"), number(mu, "mu"), number(L, "L"))
