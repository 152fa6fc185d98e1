"""Conditional value at risk: the mean of the worst share of many losses, minimised or limited.

Each term needs a variable of its own, the level, and each limit one more per scenario. They belong to the problem that is
solved and saved, not to the one that is shown: x has the n variables of the user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import doubles, matrix, number
from ._constraints import Constraint, Handle
from ._frames import Labels
from ._objective import Objective
from ._parts import part_sizes
from ._result import Result, Source, as_solution


@dataclass(frozen=True, eq=False)
class CvarTerm:
    """A term before it belongs to a problem; stands among the terms of an Objective."""

    losses: Any
    beta: float
    kind: str = "cvar"


def cvar_term(L: Any, beta: float) -> Objective:
    """CVaR_beta(L x) with a level of its own."""
    return Objective([(CvarTerm(_losses(L), _share(beta)), 1.0)])


def cvar_le(L: Any, beta: float, kappa: float) -> Constraint:
    """CVaR_beta of the losses L x is at most kappa: so is the mean of the worst share 1 - beta of them.

    ``r.duals[handle]`` has the multiplier of the limit as its last number, those of the scenarios before it.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-1.0]))
    >>> c = p.subject_to(pl.cvar_le([[float(k)] for k in range(1, 11)], 0.8, 19.0))
    >>> r = p.solve()
    >>> r.x.round(5), round(float(r.duals[c][-1]), 5)  # the mean of 9 x and 10 x is 19
    (array([2.]), 0.10526)
    """
    L, share, limit = _losses(L), _share(beta), number(kappa, "kappa")
    return Constraint("cvar_le", "cvar", lambda n: (L, share, limit))


def _losses(L: Any) -> Any:
    return matrix(L, "L")


def _share(beta: float) -> float:
    share = number(beta, "beta")
    if not 0.0 < share < 1.0:
        raise _core.InputError(f"beta: expected 0 < beta < 1, got {share:g}")
    return share


class Levels:
    """The terms and limits of a problem."""

    def __init__(self) -> None:
        self.terms: list[_core.Cvar] = []

    def __bool__(self) -> bool:
        return bool(self.terms)

    def add(
        self, handles: list[Handle], losses: Any, beta: float, weight: float, limit: float | None, name: str, n: int
    ) -> Handle:
        """A new handle whose part is the number of the term here."""
        if losses.cols != n:
            raise _core.InputError(f"{name}: L: expected {n} columns, got {losses.cols}")
        self.terms.append(_core.Cvar(losses, beta, weight, limit, name))
        handles.append(Handle(len(handles), "cvar", len(self.terms) - 1, "linear", name, soft=limit is None))
        return handles[-1]

    def whole(self, core: _core.Problem) -> _core.Problem:
        """The problem with levels."""
        return _core.with_cvar(core, self.terms) if self.terms else core

    def complete(self, x: np.ndarray) -> np.ndarray:
        return _core.complete_cvar(self.terms, np.ascontiguousarray(x)) if self.terms else x

    def solution(self, given: Any, whole: _core.Problem, n: int, name: str) -> _core.Solution | None:
        """A result of this problem, or x alone, as a solution of the problem with levels."""
        if not self.terms:
            return as_solution(given, part_sizes(whole), whole.equalities, n, name)
        if given is None:
            return None
        full = given._full if isinstance(given, Result) else None
        if full is not None and full.n == whole.n:
            return full
        x = np.asarray(given.x) if isinstance(given, Result) else doubles(given, name, n)
        empty = np.empty(0)
        return _core.Solution(self.complete(x), [], empty, empty, empty)

    def result(
        self, raw: dict[str, Any], core: _core.Problem, handles: list[Handle], labels: Labels, source: Source
    ) -> Result:
        """What a solve of the problem with levels says of the problem `core`."""
        if not self.terms:
            return Result(raw, handles, labels, source)
        result = Result(self.visible(raw, core.n), handles, labels, source, levels=len(core.batches))
        empty = np.empty(0)
        result._full = _core.Solution(raw["x"], raw["duals"] + raw["cone_duals"], raw["equality_duals"], empty, raw["ray"])
        return result

    def visible(self, raw: dict[str, Any], n: int) -> dict[str, Any]:
        """What a solve of the problem with levels says of the n variables of the user."""
        out = dict(raw)
        for key in ("x", "bound_duals", "ray"):
            out[key] = raw[key][:n]
        out["info"] = dict(raw["info"], n=n)
        return out
