"""What a solve returns."""

from __future__ import annotations

import html
import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import doubles
from ._constraints import Handle
from ._duals import Duals
from ._files import in_existing_folder
from ._frames import Labels, series
from ._hints import Suggesting
from ._needs import needs
from ._summary import summarize

if TYPE_CHECKING:
    from ._gradients import Gradients


@dataclass(eq=False)
class Source:
    """Where a result came from; held by the problem or solver for as long as it stays the same."""

    problem: Callable[[], _core.Problem]
    functions: list[Any]  #: in Python, which the library knows weakly
    current: bool = True  #: others may still hold it (the frames of a traceback) when it is not


def outdate(source: Source | None) -> None:
    """Says that the problem has changed."""
    if source is not None:
        source.current = False


class Progress(NamedTuple):
    """What a callback sees: one row of the trace.

    >>> import pliant as pl
    >>> p = pl.generate.dense_qp(n=4, m=20)
    >>> seen = []
    >>> r = p.solve(callback=lambda info: seen.append(info.objective))
    >>> len(seen) == len(r.trace["objective"])
    True
    """

    iteration: int
    stage: int
    time: float  #: seconds since the solve began
    passes: float
    component_evaluations: int
    delta: float
    xi: float
    objective: float
    lower_bound: float
    violation: float
    dual_residual: float
    active: int  #: -1: no certificate was made here
    near_active: int  #: constraints with a value above -40 delta; -1: not counted
    working: int  #: constraints the method works on
    screened: int  #: constraints proven inactive so far
    gap_estimate: float  #: of methods that follow a path of complementarity, else nan: primal minus dual objective
    mu: float  #: their average complementarity
    step_primal: float  #: their step lengths
    step_dual: float


class Result(Suggesting):
    """The best iterate of a solve with its certificate. All figures refer to the original problem.

    Besides the attributes below it has every field of the command's ``--json``. Unknown bounds are infinite.

    >>> import pliant as pl
    >>> r = pl.generate.dense_qp(n=4, m=100, seed=1).solve()
    >>> r.status, r.lower_bound_rigorous, r.gap_rel <= 1e-6, r.violation["linf"] <= 1e-5
    ('optimal', True, True, True)
    >>> sorted(r.trace)[:4]
    ['active', 'component_evaluations', 'delta', 'dual_residual']
    """

    status: str  #: optimal, primal_infeasible, dual_infeasible, time_limit, pass_limit, iteration_limit, ...
    message: str  #: one line that explains the status where that helps
    x: np.ndarray  #: a pandas.Series where a DataFrame came in, and so are duals
    duals: Duals  #: one array per call of subject_to, and of minimize with soft rows, in order; also by handle or name
    equality_duals: np.ndarray
    bound_duals: np.ndarray  #: the subgradient of the simple term that balances the Lagrangian
    ray: np.ndarray | None  #: dual_infeasible: a direction of unboundedness
    trace: dict[str, np.ndarray]  #: columns of the progress; pandas.DataFrame(r.trace) is a table
    objective: float
    lower_bound: float  #: of the optimal value (an upper one if the problem is a maximisation)
    lower_bound_kind: str  #: proved, proved_if_convex or estimate
    lower_bound_rigorous: bool  #: whether it is proved
    proved_bound: float | None  #: the best bound that is proved, however far from the objective
    gap_abs: float
    gap_rel: float
    violation: dict[str, float]  #: l1, l2, linf
    violation_rel: float
    violation_worth: float  #: sum of multipliers times violations: what the objective may lie below the optimum by
    constant_scale: float
    domain_violation: float
    domain_violation_rel: float
    equality_residual: float
    equality_residual_rel: float
    dual_residual: float
    dual_residual_rel: float
    infeasibility: dict[str, Any] | None  #: primal_infeasible, dual_infeasible: kind (proved, within_radius) and radius
    infeasibility_proof: dict[str, Any] | None
    unboundedness_proof: dict[str, Any] | None
    approximation: dict[str, Any] | None  #: the problem meant, where functions are approximated (callback_le: error)
    n: int
    m: int
    active: int
    screened: int
    method: str
    outer: str
    engine: str  #: label of the engine that gave the answer
    attempts: list[dict[str, str]]  #: engine, reason and status of everything that was tried, in order
    guarantee: dict[str, Any] | None  #: with guarantee=epsilon: predicted (N: iterations_predicted) beside actual
    linear_algebra: str
    choice: str  #: why `auto` chose the method
    xi: float
    xi_proved: bool
    delta: float
    iterations: int
    passes: float
    component_evaluations: int
    stream_time: float | None
    time: dict[str, float]  #: seconds: read, setup, solve, total
    phases: dict[str, float]
    peak_memory_bytes: int
    peak_resident_bytes: int
    mapped_bytes: int
    data_bytes: int
    threads: int
    seed: int
    version: str

    def __init__(
        self,
        raw: dict[str, Any],
        handles: list[Handle],
        labels: Labels,
        source: Source,
        parts: dict[int, list[int]] | None = None,
        levels: int = 0,
    ) -> None:
        """For the package alone: `parts` are the batches behind each handle's, where rows were appended, `levels` the
        first batch of terms cvar."""
        self._source = weakref.ref(source)
        self._parts = {part: list(batches) for part, batches in (parts or {}).items()}
        self.message = ""
        self.infeasibility = self.infeasibility_proof = self.unboundedness_proof = None
        self.guarantee = self.approximation = None
        self.__dict__.update(raw["info"])
        self._labels = labels = replace(labels, rows=dict(labels.rows))
        self.x = series(raw["x"], labels.columns)
        self.equality_duals = raw["equality_duals"]
        self.bound_duals = series(raw["bound_duals"], labels.columns)
        self.ray = series(raw["ray"], labels.columns) if raw["ray"].size else None
        self.trace = raw["trace"]
        self._report: _core.Report = raw["report"]
        self._full: _core.Solution | None = None  # of the problem with the levels of its terms cvar
        self._by_part: list[np.ndarray] = raw["duals"] + raw["cone_duals"]
        duals = []
        for handle in handles:
            if handle.kind == "equality":
                duals.append(self.equality_duals[handle.part :][: handle.dual_shape[0]])
            elif handle.kind == "conic":
                duals.append(_cone_duals(raw["cone_duals"][handle.part], handle.dual_shape))
            elif handle.kind == "cvar":
                duals.append(raw["duals"][levels + handle.part])
            else:
                batches = [raw["duals"][b] for b in self._parts.get(handle.part, [handle.part])]
                duals.append(batches[0] if len(batches) == 1 else np.concatenate(batches))
        self.duals = Duals(duals, handles, labels)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_source"}

    def vjp(self, dx: Any) -> Gradients:
        """Gradients of a loss with respect to the data, where dx is its gradient with respect to x.

        One KKT system of the rows with multipliers is solved, and no other row is read: ``g.q``, ``g.P`` of the
        objective, ``g.h[c]``, ``g.rows(c)`` of constraints and equalities, ``g.lo``, ``g.hi`` of a box. The problem must
        be alive and as it was solved: a result does not hold its data. Solve to 1e-9 for five digits and more.

        >>> import pliant as pl
        >>> p = pl.Problem(1).minimize(pl.linear([-1.0]))
        >>> c = p.subject_to(pl.linear_le([[2.0]], [1.0]))
        >>> p.solve().vjp([1.0]).h[c]  # x = h / 2
        array([0.5])
        """
        if getattr(self, "_held", False):
            raise _core.InputError("vjp: rows in shards or on a device have no derivatives here")
        source = self._source() if hasattr(self, "_source") else None
        if source is None or not source.current:
            raise ReferenceError("vjp: the problem is gone or was changed since this result")
        from ._gradients import vjp

        return vjp(self, source.problem(), dx)

    def value(self, name: str | Sequence[str]) -> Any:
        """The value of the variable with this name; an array for several names.

        >>> import pliant as pl
        >>> p = pl.Problem(2).minimize(pl.linear([1.0, 2.0])).regularize(pl.box(3.0, 4.0))
        >>> p.variable_names = ["corn", "oats"]
        >>> r = p.solve()
        >>> r.value("oats"), r.value(["oats", "corn"])
        (3.0, array([3., 3.]))
        """
        x = np.asarray(self.x)
        if isinstance(name, (int, np.integer)):
            raise TypeError(f"value: expected a name, or several; variable {name} is r.x[{name}]")
        if isinstance(name, str):
            return float(x[self._labels.position(name)])
        return x[[self._labels.position(one) for one in name]]

    def summary(self, most: int = 10) -> str:
        """The answer as a text: status, certificate, the largest variables, the constraints that press most.

        >>> import pliant as pl
        >>> r = pl.generate.dense_qp(n=4, m=20).solve()
        >>> print(r.summary())  # doctest: +ELLIPSIS
        status      optimal
        objective   ...
        """
        return summarize(self, most)

    def to_frame(self) -> Any:
        """The variables as a pandas.DataFrame: value and dual of the bounds (or of another simple term), by name.

        >>> import pliant as pl
        >>> pl.generate.dense_qp(n=4, m=20).solve().to_frame().shape
        (4, 2)
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise needs("r.to_frame", "pandas", error) from error

        index = self._labels.columns if self._labels.columns is not None else self._labels.variables or None
        return DataFrame({"value": np.asarray(self.x), "bound_dual": np.asarray(self.bound_duals)}, index=index)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes x and the duals, by ending .h5, .csv, .json or .sol, for ``pliant check`` and ``--warm-start``.

        >>> import os, tempfile, pliant as pl
        >>> r = pl.generate.dense_qp(n=4, m=20).solve()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     r.save(os.path.join(folder, "x.h5"))
        ...     os.listdir(folder)
        ['x.h5']
        """
        _core.write_solution(self._solution(), in_existing_folder(path))

    def _solution(self) -> _core.Solution:
        if self._full is not None:
            return self._full
        ray = np.empty(0) if self.ray is None else np.asarray(self.ray)
        return _core.Solution(
            np.asarray(self.x), self._by_part, self.equality_duals, np.asarray(self.bound_duals), ray
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures without arrays, as in the command's ``--json``.

        >>> import pliant as pl
        >>> pl.generate.dense_qp(n=4, m=20).solve().to_dict()["status"]
        'optimal'
        """
        arrays = {"x", "duals", "equality_duals", "bound_duals", "ray", "trace"}
        return {name: value for name, value in self.__dict__.items() if name not in arrays and name[0] != "_"}

    def report(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Writes a self-contained HTML page: certificate in words, charts, slacks, largest multipliers, times.

        >>> import os, tempfile, pliant as pl
        >>> r = pl.generate.dense_qp(n=4, m=20).solve()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     r.report(os.path.join(folder, "page.html"), title="Plan")
        ...     os.listdir(folder)
        ['page.html']
        """
        self._report.write(in_existing_folder(path), title)

    def _repr_html_(self) -> str:
        """Notebooks show the page in a frame of its own."""
        page = html.escape(self._report.html(""), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0"></iframe>'

    def plot(self, axes: Any = None) -> Any:
        """Convergence of bound, violation and delta (needs matplotlib); returns the figure.

        >>> import matplotlib; matplotlib.use("agg")
        >>> import pliant as pl
        >>> len(pl.generate.dense_qp(n=4, m=20).solve().plot().axes)
        3
        """
        from ._plot import plot

        return plot(self, axes)

    def __repr__(self) -> str:
        bound = "estimated bound" if self.lower_bound_kind == "estimate" else "lower bound"
        return (
            f"<Result {self.status}: objective {self.objective:.9g}, {bound} {self.lower_bound:.9g}, "
            f"violation {self.violation['linf']:.1e}, {self.iterations} iterations, {self.passes:.1f} passes, "
            f"{self.time['total']:.3g} s, {self.method}>"
        )


def _cone_duals(flat: np.ndarray, shape: tuple[int, ...] | None) -> np.ndarray:
    """Duals of cones as vectors (m, k) or, from their scaled lower triangles, symmetric matrices (m, k, k)."""
    if shape is None or len(shape) == 2:
        return flat if shape is None else flat.reshape(shape)
    columns, rows = np.triu_indices(shape[1])  # the lower triangle column by column
    entries = flat.reshape(shape[0], -1) * np.where(rows == columns, 1.0, np.sqrt(0.5))
    out = np.empty(shape)
    out[:, rows, columns] = out[:, columns, rows] = entries
    return out


def as_solution(
    start: Any, sizes: list[int], equalities: int, n: int, name: str = "warm_start"
) -> _core.Solution | None:
    """A Result, or x alone, as a solution of a problem with duals of these sizes by part; missing ones are 0."""
    if start is None:
        return None
    empty = np.empty(0)
    if isinstance(start, bool):
        raise TypeError(f"{name}: expected a Result or x, got {start}")
    if not isinstance(start, Result):
        return _core.Solution(doubles(start, name, n), [], empty, empty, empty)
    duals = [np.zeros(size) for size in sizes]
    for fresh, old in zip(duals, start._by_part):
        if fresh.size == old.size:
            fresh[:] = old
    equality = start.equality_duals if start.equality_duals.size == equalities else empty
    ray = empty if start.ray is None else np.asarray(start.ray)
    return _core.Solution(np.asarray(start.x), duals, equality, empty, ray)
