"""Problems: built in Python, read from files, solved."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import count, doubles, number
from ._constraints import Constraint, Handle
from ._cvar import CvarTerm, Levels
from ._files import in_existing_folder
from ._frames import Labels
from ._hints import Suggesting
from ._objective import Objective, convex_terms, expect_terms
from ._parts import handles_of, labels_of
from ._regularizers import Regularizer
from ._result import Progress, Result, Source, as_solution, outdate
from ._settings import make_settings
from ._sharded import Held, SoftShards, joined, refuse_held, solve_held
from ._soft_rows import SoftTerm
from ._watch import Watch


class Problem(Suggesting):
    """minimise a sum of terms + a simple term, subject to constraints, over n variables.

    Arrays that already are contiguous float64 are used in place: do not change them while the problem lives.

    >>> import numpy as np, pliant as pl
    >>> rng = np.random.default_rng(0)
    >>> p = pl.Problem(3)
    >>> p.minimize(pl.linear([1.0, 2.0, 3.0])).regularize(pl.box(-1.0, 1.0))
    Problem(3 variables; constraints: none; objective: linear; prox: box)
    >>> c = p.subject_to(pl.linear_le(rng.standard_normal((1000, 3)), np.ones(1000)))
    >>> r = p.solve()
    >>> r.status, r.lower_bound_rigorous
    ('optimal', True)
    """

    __slots__ = ("_core", "_handles", "_functions", "_labels", "_levels", "_held", "_source", "__weakref__")

    def __init__(self, n: int) -> None:
        self._core = _core.Problem(count(n, "n"))
        self._handles: list[Handle] = []
        #: Functions in Python live here, where the garbage collector sees them; the library knows them weakly.
        self._functions: list[Any] = []
        self._labels = Labels()
        self._levels = Levels()
        self._held: Held | None = None
        self._source: Source | None = None

    @classmethod
    def _from_core(cls, core: _core.Problem, handles: list[Handle] | None = None) -> Problem:
        self = cls.__new__(cls)
        self._core = core
        self._handles = handles_of(core) if handles is None else handles
        self._functions = []
        self._labels = labels_of(core, self._handles)
        self._levels = Levels()
        self._held: Held | None = None
        self._source = None
        return self

    def minimize(self, objective: Objective) -> Problem:
        """Sets the objective, once. Returns the problem. Soft rows (pl.hinge, ...) get a place in ``r.duals`` and a handle.

        A second call is an error, because it could mean "instead" or "as well": ``p.minimize(f + g)`` and
        ``p.add_to_objective(g)`` say the latter.

        >>> import pliant as pl
        >>> pl.Problem(1).minimize(pl.linear([1.0]) + 2 * pl.quadratic([[1.0]]))
        Problem(1 variables; constraints: none; objective: linear + quadratic; prox: none)
        """
        return self._set_objective(objective, "minimize")

    def maximize(self, objective: Objective) -> Problem:
        """Sets a concave objective to maximise, once. Figures (objective, bound, trace) are those of the maximisation.

        >>> import pliant as pl
        >>> p = pl.Problem(2).maximize(pl.linear([3.0, 4.0]) - pl.quadratic([[1.0, 0.0], [0.0, 1.0]]))
        >>> r = p.solve()
        >>> p.sense, r.x.round(5), round(r.objective, 5)
        ('maximize', array([3., 4.]), 12.5)
        """
        return self._set_objective(objective, "maximize")

    def add_to_objective(self, objective: Objective) -> Problem:
        """Adds terms to the objective there is, of a problem from a file, for instance. Returns the problem.

        >>> import pliant as pl
        >>> p = pl.generate.dense_lp(n=3, m=20)
        >>> p.add_to_objective(0.1 * pl.quadratic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])).sense
        'minimize'
        """
        expect_terms(objective, "add_to_objective")
        for term, weight in convex_terms(objective, -1.0 if self._core.maximize else 1.0):
            if isinstance(term, SoftTerm):
                self._add_soft(term, weight)
            elif isinstance(term, CvarTerm):
                self._add_level(term.losses, term.beta, weight, None, term.kind)
            else:
                self._labels.expect_columns(term.columns, term.kind)
                self._core.minimize(term.core, weight)
                self._take_columns(term.columns)
            self._source = outdate(self._source)
        return self

    def _take_columns(self, columns: Any) -> None:
        if columns is not None:
            self._labels.take_columns(columns)
            self._core.variable_names = self._labels.variables

    def _set_objective(self, objective: Objective, sense: str) -> Problem:
        expect_terms(objective, sense)
        if self._core.terms or any(handle.soft for handle in self._handles):
            raise _core.InputError(
                f"{sense}: the problem has an objective already; p.add_to_objective(f) adds to it, and {sense}(f + g) "
                "says all at once"
            )
        before = self._core.maximize
        self._core.maximize = sense == "maximize"
        try:
            return self.add_to_objective(objective)
        except BaseException:
            self._core.maximize = before
            raise

    def _add_soft(self, term: SoftTerm, weight: float) -> Any:
        if isinstance(rows := term.build(self.n), SoftShards):
            return self._add_held(rows.times(weight), "shards", term.kind, soft=True)
        part, place = self._core.minimize_soft(rows, weight, term.kind), len(self._handles)
        self._functions.append(term)
        self._handles.append(Handle(place, "batch", part, self._core.batches[part].family, term.kind, soft=True))

    def _add_held(self, rows: Held, kind: str, name: str, soft: bool = False) -> Handle:
        self._held = joined(self._held, rows)
        self._handles.append(Handle(len(self._handles), kind, 0, "linear", name, soft=soft))
        return self._handles[-1]

    def _add_level(self, losses: Any, beta: float, weight: float, limit: float | None, name: str) -> Handle:
        self._source = outdate(self._source)
        return self._levels.add(self._handles, losses, beta, weight, limit, name, self.n)

    def regularize(self, *terms: Regularizer) -> Problem:
        """Adds simple terms; separable ones and a simplex combine, others are refused. Returns the problem.

        >>> import pliant as pl
        >>> pl.Problem(2).regularize(pl.l1(0.1), pl.nonnegative())
        Problem(2 variables; constraints: none; objective: 0; prox: separable)
        """
        for term in terms:
            if not isinstance(term, Regularizer):
                raise TypeError(f"regularize: expected a term such as pl.l1(w), got {type(term).__name__}")
            self._core.regularize(term.build(self.n))
            self._source = outdate(self._source)
        return self

    def subject_to(self, constraint: Constraint, name: str = "") -> Handle:
        """Adds constraints. The handle's index is their place in ``r.duals``.

        >>> import pliant as pl
        >>> p = pl.Problem(1)
        >>> p.subject_to(pl.linear_le([[1.0]], [1.0])).index, p.subject_to(pl.equal([[1.0]], [0.5])).index
        (0, 1)
        """
        Constraint._expect(constraint)
        self._labels.expect_columns(constraint.columns, name or constraint.function)
        if constraint.kind in ("shards", "device"):
            return self._add_held(constraint.build(self.n), constraint.kind, name)
        if constraint.kind == "cvar":
            losses, beta, limit = constraint.build(self.n)
            return self._add_level(losses, beta, 1.0, limit, name or constraint.function)
        part, family = 0, constraint.kind
        built = constraint.build(self.n)
        shape = constraint.dual_shape
        if constraint.kind == "equality":
            part = self._core.equal(*built, name)
            shape = (self._core.equalities - part,)
        elif constraint.kind == "conic":
            part = self._core.subject_to_cones(built, name)
            family = constraint.function
        else:
            part = self._core.subject_to(built, name)
            family = built.family
        if constraint.functions is not None:
            self._functions.append(constraint.functions)
        self._source = outdate(self._source)
        handle = Handle(len(self._handles), constraint.kind, part, family, name, shape)
        self._handles.append(handle)
        self._take_columns(constraint.columns)
        if constraint.index is not None:
            self._labels.rows[handle.index] = constraint.index
        return handle

    def solve(
        self,
        *,
        method: str = "auto",
        tol_feas: float = 1e-6,
        tol_gap: float = 1e-6,
        time_limit: float | None = None,
        threads: int | None = None,
        verbose: bool = False,
        callback: Callable[[Progress], Any] | None = None,
        progress: bool = False,
        warm_start: Result | np.ndarray | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        resume: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> Result:
        """Solves the problem; bad input raises InputError, everything else is a status.

        Further ``settings`` are those of the command (``pl.settings()`` lists them). ``callback(info)`` sees every row
        of progress and may return True to stop; what it raises is raised here. Ctrl-C stops with the best iterate and
        the status "interrupted", a second one raises KeyboardInterrupt. ``verbose`` prints the command's table,
        ``progress`` shows a bar of tqdm; the logger "pliant" hears of both ends (INFO) and of every row (DEBUG). The best
        point is kept in the file ``checkpoint`` every so many seconds, ``resume`` goes on from one of this problem.

        >>> import pliant as pl
        >>> p = pl.generate.dense_qp(n=4, m=100, seed=2)
        >>> p.solve(tol_gap=1e-8, seed=1).status, p.solve(callback=lambda info: True).status
        ('optimal', 'user_stopped')
        """
        given = dict(method=method, tol_feas=tol_feas, tol_gap=tol_gap, time_limit=time_limit, threads=threads)
        core_settings = make_settings(given | dict(verbose=verbose) | settings)
        whole = self._levels.whole(self._core)
        start = self._levels.solution(warm_start, whole, self.n, "warm_start")
        source = self._source = self._source or Source(lambda core=self._core: core, self._functions)
        with Watch(self._in_words(), verbose, callback, progress) as watch:
            files = (os.fspath(checkpoint or ""), number(checkpoint_every, "checkpoint_every"), os.fspath(resume or ""))
            if self._held is not None:
                there = self._held, self._handles, source
                return watch.end(solve_held(whole, there, core_settings, watch, start, files))
            raw = _core.solve(whole, core_settings, watch.row, watch.write, start, *files)
            return watch.end(self._levels.result(raw, self._core, self._handles, self._labels, source))

    def guarantee(self, epsilon: float, *, start: Any = None, **settings: Any) -> dict[str, Any]:
        """What Corollaries 1 and 2 promise before anything is solved: xi, delta and the number N of steps.

        After `iterations_predicted` plain accelerated gradient steps from `start` the violations add up to at most
        `epsilon`, and the objective is within `objective_gap_predicted` of the optimum. ``solve(guarantee=epsilon)``
        takes them. Where a constant is not available, `missing` says which and why. ``settings`` may be xi (at least
        twice the largest multiplier) and distance (from the start to the solution), which are taken at their word.

        >>> import pliant as pl
        >>> p = pl.generate.dense_qp(n=4, m=10, seed=1)
        >>> promise = p.guarantee(0.05)
        >>> r = p.solve(guarantee=0.05)
        >>> r.guarantee["reached"], r.iterations <= promise["iterations_predicted"], r.violation["l1"] <= 0.05
        (True, True, True)
        """
        begin = as_solution(start, [], self._core.equalities, self.n, "start")
        return _core.forecast_guarantee(self._core, number(epsilon, "epsilon"), make_settings(settings), begin)

    def check(self, solution: Result | np.ndarray, **settings: Any) -> dict[str, Any]:
        """What ``pliant check`` says of a result, or of x alone: everything is recomputed from the data.

        ``settings`` may be tol_feas, tol_gap and norm. Unknown numbers are None.

        >>> import pliant as pl
        >>> p = pl.generate.dense_qp(n=4, m=100)
        >>> verdict = p.check(p.solve())
        >>> verdict["satisfied"], verdict["lower_bound_rigorous"], p.check([9.0] * 4)["satisfied"]
        (True, True, False)
        """
        refuse_held(self._held, "check")
        whole = self._levels.whole(self._core)
        return _core.check(whole, self._levels.solution(solution, whole, self.n, "solution"), make_settings(settings))

    def validate(self) -> Problem:
        """Checks everything (finite numbers, shapes, convexity), as solve does; raises InputError.

        >>> import pliant as pl
        >>> p = pl.Problem(1).minimize(pl.quadratic([[-1.0]]))
        >>> p.validate()
        Traceback (most recent call last):
            ...
        pliant.InputError: quadratic: P is not convex (diagonal entry 0 is -1)
        """
        self._levels.whole(self._core).validate()
        return self

    def objective(self, x: Any) -> float:
        """The value of the objective at x.

        >>> import pliant as pl
        >>> pl.Problem(2).minimize(pl.linear([1.0, 2.0])).objective([3.0, 4.0])
        11.0
        """
        return self._levels.whole(self._core).objective(self._levels.complete(doubles(x, "x", self.n)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the problem in the format of the ending: {endings}. Other formats than .h5 get slacks for soft rows.

        >>> import os, tempfile, pliant as pl
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "problem.h5")
        ...     pl.generate.dense_qp(n=4, m=20).save(file)
        ...     pl.load(file).m
        20
        """
        refuse_held(self._held, "save")
        for note in _core.write_problem(self._levels.whole(self._core), in_existing_folder(path)):
            warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=2)

    @property
    def n(self) -> int:
        """Number of variables."""
        return self._core.n

    @property
    def m(self) -> int:
        """Number of inequality constraints; a cone is one."""
        return self._levels.whole(self._core).m

    @property
    def handles(self) -> tuple[Handle, ...]:
        """One per call of subject_to, and of minimize with soft rows, in order; of a file: its batches, its conic
        constraints, its equalities."""
        return tuple(self._handles)

    @property
    def data_bytes(self) -> int:
        """Bytes of constraint data."""
        return self._levels.whole(self._core).data_bytes

    @property
    def sense(self) -> str:
        """"minimize" or "maximize"; figures are then those of the maximisation."""
        return "maximize" if self._core.maximize else "minimize"

    @property
    def name(self) -> str:
        return self._core.name

    @name.setter
    def name(self, name: str) -> None:
        self._core.name = name

    @property
    def variable_names(self) -> list[str]:
        """Names of the variables for reports and files; empty: none."""
        return self._core.variable_names

    @variable_names.setter
    def variable_names(self, names: Sequence[str]) -> None:
        self._labels.variables = list(names)
        self._core.variable_names = self._labels.variables

    @property
    def start(self) -> np.ndarray | None:
        """A point to start from."""
        return self._core.start

    @start.setter
    def start(self, x: Any) -> None:
        self._core.start = None if x is None else doubles(x, "start", self.n)

    @property
    def slater_point(self) -> np.ndarray | None:
        """A strictly feasible point, where one is known."""
        return self._core.slater_point

    @slater_point.setter
    def slater_point(self, x: Any) -> None:
        self._core.slater_point = None if x is None else doubles(x, "slater_point", self.n)

    @property
    def known_optimum(self) -> tuple[float, np.ndarray | None] | None:
        """Objective and x that the author of a file or instance vouches for."""
        return self._core.known_optimum

    def _in_words(self) -> str:
        return f"{self.name or 'problem'} ({self.n} variables, {self._core.describe_constraints()})"

    def __repr__(self) -> str:
        terms = [term.kind for term, _ in self._core.terms] + [h.name or "soft rows" for h in self._handles if h.soft]
        objective = " + ".join(terms) or "0"
        return (
            f"Problem({self.n} variables; constraints: {self._core.describe_constraints()}; objective: {objective}; "
            f"prox: {self._core.prox})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        from ._load import unpickle

        if self._levels:
            raise TypeError("a problem with terms cvar has variables of its own: save it to a file instead of pickling it")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "problem.h5")
            self.save(file)
            with open(file, "rb") as stream:
                return unpickle, (stream.read(), self._handles, self._labels)
