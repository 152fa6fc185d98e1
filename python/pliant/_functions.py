"""Constraints given by functions in Python."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import count, doubles, is_sparse
from ._constraints import Constraint


class Functions:
    """The user's functions with what they return checked and made contiguous.

    The problem holds this object, and the library calls it through weak references: it keeps no Python object that could
    lead back to the problem (a closure over it, a method of the object that owns it), which no garbage collector would see.
    """

    __slots__ = ("value", "jacobian", "hessian", "exact", "__weakref__")

    def __init__(self, value: Any, jacobian: Any, hessian: Any, exact: Any) -> None:
        for name, function in (("value", value), ("jacobian", jacobian), ("hessian", hessian), ("exact", exact)):
            if not callable(function) and not (name in ("hessian", "exact") and function is None):
                raise TypeError(f"{name}: expected a function, got {type(function).__name__}")
        self.value, self.jacobian, self.hessian, self.exact = value, jacobian, hessian, exact

    def values(self, x: np.ndarray, rows: np.ndarray | None, k: int) -> np.ndarray:
        return doubles(self.value(x, rows), "callback_le: value", k)

    def jacobians(self, x: np.ndarray, rows: np.ndarray | None, k: int) -> np.ndarray:
        return _dense(self.jacobian(x, rows), "callback_le: jacobian", k, x.size)

    def hessians(self, x: np.ndarray, w: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        return _dense(self.hessian(x, w, rows), "callback_le: hessian", x.size, x.size)

    def exact_values(self, x: np.ndarray, rows: np.ndarray | None, k: int) -> np.ndarray:
        return doubles(self.exact(x, rows), "callback_le: exact", k)

    def weakly(self, method: str) -> Callable[..., np.ndarray]:
        """A function that finds this object as long as somebody holds it."""
        reference = weakref.ref(self)

        def call(*arguments: Any) -> np.ndarray:
            functions = reference()
            if functions is None:
                raise ReferenceError("callback_le: the problem that held these functions is gone")
            return getattr(functions, method)(*arguments)

        return call


def callback_le(
    m: int,
    value: Callable[..., Any],
    jacobian: Callable[..., Any],
    hessian: Callable[..., Any] | None = None,
    constants: tuple[Any, Any, Any] | None = None,
    *,
    error: Any = None,
    side: str = "both",
    exact: Callable[..., Any] | None = None,
) -> Constraint:
    """a_i(x) <= 0 for m convex functions in Python.

    ``value(x, rows)`` returns (k,), ``jacobian(x, rows)`` (k, n) dense or sparse, ``hessian(x, w, rows)`` the (n, n) sum
    of w_i times the Hessian of a_i. ``rows`` are the k wanted ones, None for all. ``constants`` = (L, C0, C1), numbers or
    (m,): a_i is L-smooth and |grad a_i|^2 <= C0 + C1 |a_i|; without them no a-priori bounds and no screening. The library
    calls from its own threads, one function at a time; an exception ends the solve and is raised by it.

    Functions that are not smooth are given as smooth ones near them: ``error``, a number or (m,), bounds the distance
    everywhere; ``side`` "above" says that the given ones are never below those meant, "below" never above. ``exact(x,
    rows)`` returns the values meant, where they can be had. ``r.approximation`` then speaks of the functions meant.

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
    >>> c = p.subject_to(pl.callback_le(1, lambda x, rows: [x @ x - 25], lambda x, rows: [2 * x],
    ...                                 lambda x, w, rows: 2 * w[0] * np.eye(2)))
    >>> p.solve().x.round(4)
    array([3., 4.])
    """
    m = count(m, "m")
    functions = Functions(value, jacobian, hessian, exact)
    if error is None and (exact is not None or side != "both"):
        raise TypeError("error: missing; exact and side speak of functions that the given ones approximate within it")
    if error is not None:
        error = doubles(error, "error", m)
    if constants is not None:
        if len(constants) != 3:
            raise TypeError("constants: expected three: smoothness, C0 and C1")
        constants = tuple(doubles(c, f"constants: {name}", m) for c, name in zip(constants, ("smoothness", "C0", "C1")))

    def build(n: int) -> _core.Batch:
        return _core.callback_le(
            m, n, functions.weakly("values"), functions.weakly("jacobians"),
            None if hessian is None else functions.weakly("hessians"), constants,
            error, side, None if exact is None else functions.weakly("exact_values"),
        )  # fmt: skip

    return Constraint("callback_le", "batch", build, functions=functions)


def _dense(out: Any, name: str, *shape: int) -> np.ndarray:
    return doubles(out.toarray() if is_sparse(out) else out, name, *shape)
