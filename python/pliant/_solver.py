"""A problem that is solved again and again with small changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from . import _constraints, _core
from ._arrays import doubles
from ._constraints import Handle
from ._objective import Objective, convex_terms
from ._parts import part_sizes
from ._problem import Problem
from ._result import Progress, Result, Source, as_solution, outdate
from ._settings import make_settings
from ._soft_rows import SoftTerm, positive_part
from ._watch import Watch

#: What the constant terms of a family are called, and the function that makes more rows of it.
_FAMILIES = {
    "linear": ("h", "linear_le"),
    "quadratic": ("r", "quadratic_le"),
    "quadratic_lowrank": ("r", "quadratic_le"),
    "quadratic_diagonal": ("r", "quadratic_le"),
    "log_sum_exp": (None, "log_sum_exp_le"),
    "rank_one": (None, "rank_one_le"),
}


class Solver:
    """Solves a problem again after small changes, without redoing what is still valid. The problem itself stays as it is.

    Settings given here hold for every solve; those given to ``solve`` for that one.

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-2.0, -2.0]))
    >>> c = p.subject_to(pl.linear_le([[1.0, 1.0]], [2.0]))
    >>> s = pl.Solver(p, tol_gap=1e-8)
    >>> s.solve().x.round(5)
    array([1., 1.])
    >>> s.update(c, h=[3.0])
    >>> s.append(c, G=[[1.0, 0.0]], h=[0.5])
    >>> r = s.solve()
    >>> r.x.round(5), r.duals[c.index].shape
    (array([0.5, 2. ]), (2,))
    """

    def __init__(self, problem: Problem, **settings: Any) -> None:
        if not isinstance(problem, Problem):
            raise TypeError(f"Solver: expected a Problem, got {type(problem).__name__}")
        if problem._levels:
            raise _core.InputError("Solver: does not take terms cvar without alpha, nor cvar_le")
        make_settings(settings)
        self._settings = settings
        self._core = _core.Solver(problem._core)
        self._handles = list(problem.handles)
        self._sizes = part_sizes(problem._core)
        self._batches = len(problem._core.batches)
        self._equalities = problem._core.equalities
        #: Batches whose rows are not one side each.
        self._unequal = {b for b, batch in enumerate(problem._core.batches) if batch.size != batch.dual_size}
        self._n = problem.n
        self._functions = list(problem._functions)
        self._labels = replace(problem._labels, rows=dict(problem._labels.rows))
        self._source: Source | None = None
        self._sign = -1.0 if problem.sense == "maximize" else 1.0
        self._words = problem._in_words()
        self._parts = {b: [b] for b in range(self._batches)}

    def solve(
        self,
        *,
        warm_start: Result | np.ndarray | None = None,
        callback: Callable[[Progress], Any] | None = None,
        progress: bool = False,
        **settings: Any,
    ) -> Result:
        """Solves the problem as it stands, from the previous solution unless ``warm_start`` names another.

        >>> import pliant as pl
        >>> s = pl.Solver(pl.generate.dense_qp(n=4, m=1000))
        >>> first, second = s.solve(), s.solve()
        >>> second.passes < first.passes
        True
        """
        given = self._settings | settings
        start = as_solution(warm_start, self._sizes, self._equalities, self._n)
        source = self._source = self._source or Source(self._core.problem, self._functions)
        with Watch(self._words, bool(given.get("verbose", False)), callback, progress) as watch:
            raw = self._core.solve(make_settings(given), watch.row, watch.write, start)
            return watch.end(Result(raw, self._handles, self._labels, source, self._parts))

    def update(self, handle: Handle, **constants: Any) -> None:
        """New constant terms: h of linear_le, r of quadratic_le; appended rows follow the first ones.

        >>> import pliant as pl
        >>> p = pl.Problem(1).minimize(pl.linear([-1.0]))
        >>> c = p.subject_to(pl.linear_le([[1.0]], [1.0]))
        >>> s = pl.Solver(p)
        >>> s.update(c, h=2.0)
        >>> s.solve().x.round(5)
        array([2.])
        """
        part = self._expect_batch(handle, "update")
        name = _FAMILIES.get(handle.family, (None, None))[0]
        if name is None:
            raise TypeError(f"update: constraints of family {handle.family} have no constants to change")
        if set(constants) != {name}:
            raise TypeError(f"update: expected {name} for family {handle.family}, got {', '.join(constants) or 'nothing'}")
        if part in self._unequal:
            raise _core.InputError("update: rows with infinite or two sides have no h to change; make a new problem")
        size = sum(self._sizes[p] for p in self._parts[part])
        self._core.update(part, doubles(constants[name], name, size))
        self._source = outdate(self._source)

    def update_objective(self, index: int, objective: Objective) -> None:
        """Another term in place of the one with this index (counted over all terms, without soft rows), same weight.

        >>> import pliant as pl
        >>> s = pl.Solver(pl.Problem(1).minimize(pl.linear([1.0])).regularize(pl.box(0.0, 1.0)))
        >>> s.update_objective(0, pl.linear([-1.0]))
        >>> s.solve().x
        array([1.])
        """
        if not isinstance(objective, Objective) or len(objective.terms) != 1 or objective.terms[0][1] != 1.0:
            raise TypeError("update_objective: expected one term such as pl.linear(c), without a weight")
        if isinstance(objective.terms[0][0], SoftTerm):
            raise TypeError("update_objective: expected a smooth term such as pl.linear(c), got soft rows")
        self._core.update_term(index, convex_terms(objective, self._sign)[0][0].core)
        self._source = outdate(self._source)

    def append(self, handle: Handle, **data: Any) -> None:
        """More constraints of the same family, with the arguments of its function: ``append(c, G=rows, h=rhs)``.

        Soft rows also take ``weights``, 1 each unless given.

        >>> import pliant as pl
        >>> p = pl.Problem(1).minimize(pl.linear([-1.0])).regularize(pl.box(0.0, 9.0))
        >>> c = p.subject_to(pl.linear_le([[1.0]], [5.0]))
        >>> s = pl.Solver(p)
        >>> s.append(c, G=[[2.0]], h=[4.0])
        >>> s.solve().x.round(5)
        array([2.])
        """
        part = self._expect_batch(handle, "append")
        function = _FAMILIES.get(handle.family, (None, None))[1]
        if function is None:
            raise TypeError(f"append: constraints of family {handle.family} cannot grow")
        if function == "linear_le" and "lo" in data:
            function = "linear_range"
        weights = data.pop("weights", None)
        if weights is not None and not handle.soft:
            raise TypeError("append: weights: these constraints are hard")
        rows = getattr(_constraints, function)(**data)
        batch = rows.build(self._n)
        if handle.soft:
            added = self._core.append_soft(part, positive_part(rows, weights=weights).terms[0][0].build(self._n))
        else:
            added = self._core.append(part, batch)
        self._source = outdate(self._source)
        self._parts[part].append(added)
        self._sizes.insert(added, batch.dual_size)

    @property
    def problem(self) -> Problem:
        """The problem as it stands; appended rows are constraints of their own, after the others."""
        problem = Problem._from_core(self._core.problem())
        problem._functions = list(self._functions)
        return problem

    def _expect_batch(self, handle: Handle, action: str) -> int:
        if not isinstance(handle, Handle):
            raise TypeError(f"{action}: expected a handle returned by subject_to, got {type(handle).__name__}")
        if handle.kind != "batch":
            raise TypeError(f"{action}: {handle.family} constraints cannot be changed; make a new problem")
        if self._handles[handle.index : handle.index + 1] != [handle]:
            raise ValueError(f"{action}: the handle belongs to another problem")
        return handle.part
