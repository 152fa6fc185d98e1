"""Several problems in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _core
from ._problem import Problem
from ._result import Result, Source
from ._settings import make_settings
from ._sharded import refuse_held


def solve_together(problems: Iterable[Problem], **settings: Any) -> list[Result]:
    """Solves several problems at the same time; bad input raises InputError, everything else is a status of its result.

    Problems that are made of the same array (one matrix, several values of tau or of a weight) share every read of all of
    its rows: nine quantiles cost a third of the passes that they cost one by one. The answers are those of
    ``problem.solve``, to the last bit. Limits hold for the whole call, ``result.passes`` is a problem's share of what was
    read. ``settings`` are those of ``solve``, without callbacks, checkpoints and starting points. Ctrl-C ends all of them.

    >>> import numpy as np, pliant as pl
    >>> rng = np.random.default_rng(0)
    >>> A, b = rng.standard_normal((2000, 3)), rng.standard_normal(2000)
    >>> problems = [pl.Problem(3).minimize(pl.quantile(A, b, tau)) for tau in (0.1, 0.5, 0.9)]
    >>> together, alone = pl.solve_together(problems), [p.solve() for p in problems]
    >>> [bool((r.x == s.x).all()) for r, s in zip(together, alone)]
    [True, True, True]
    >>> sum(r.passes for r in together) < sum(r.passes for r in alone)
    True
    """
    problems = list(problems)
    for k, problem in enumerate(problems):
        if not isinstance(problem, Problem):
            raise TypeError(f"solve_together: problem {k}: expected a Problem, got {type(problem).__name__}")
        refuse_held(problem._held, "solve_together")
    unknown = {"callback", "progress", "verbose", "warm_start", "checkpoint", "checkpoint_every", "resume"} & set(settings)
    if unknown:
        raise TypeError(f"solve_together: {', '.join(sorted(unknown))}: not for several problems at a time")
    raws = _core.solve_together([p._levels.whole(p._core) for p in problems], make_settings(settings))
    return [_result(problem, raw) for problem, raw in zip(problems, raws, strict=True)]


def _result(problem: Problem, raw: dict[str, Any]) -> Result:
    source = problem._source = problem._source or Source(lambda core=problem._core: core, problem._functions)
    return problem._levels.result(raw, problem._core, problem._handles, problem._labels, source)
