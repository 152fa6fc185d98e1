"""Constraints. Each call makes many at once; hand it to Problem.subject_to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import count, doubles, rows_and_sides
from ._device import linear_rows, on_card, points as device_points
from ._frames import columns_of, index_of
from ._shards import Shards


@dataclass(frozen=True)
class Handle:
    """Constraints inside their problem, as returned by subject_to, or soft rows, made by minimize.

    ``r.duals[handle]`` are their duals.

    >>> import pliant as pl
    >>> pl.Problem(2).subject_to(pl.linear_le([[1.0, 0.0]], [1.0]), name="roof")
    Handle(index=0, kind='batch', part=0, family='linear', name='roof', dual_shape=None, soft=False)
    """

    index: int  #: position among the calls of subject_to, and of minimize with soft rows
    kind: str  #: "batch", "conic" or "equality"
    part: int  #: position among the constraints of this kind; of equalities: their first row
    family: str
    name: str = ""
    dual_shape: tuple[int, ...] | None = None  #: (m, k + 1) of soc_le, (m, k, k) of lmi_le, (rows,) of equal
    soft: bool = False  #: whether the rows have a price instead of being forbidden


@dataclass(frozen=True)
class Constraint:
    """Constraints before they belong to a problem.

    >>> import pliant as pl
    >>> pl.linear_le([[1.0, 0.0]], [1.0])
    Constraint(linear_le)
    """

    function: str  #: that made them
    kind: str
    build: Callable[[int], Any]  #: the parts as the library takes them, for n variables
    dual_shape: tuple[int, ...] | None = None
    functions: Any = None  #: what the problem must hold because the library does so weakly
    columns: Any = None  #: labels of the variables, where a DataFrame came in
    index: Any = None  #: labels of the rows

    def __repr__(self) -> str:
        return f"Constraint({self.function})"

    @staticmethod
    def _expect(value: Any) -> None:
        """Anything else is a TypeError."""
        if isinstance(value, Constraint):
            return
        several = isinstance(value, (list, tuple)) and any(isinstance(part, Constraint) for part in value)
        hint = "; each has a call of its own" if several else ""
        raise TypeError(f"subject_to: expected constraints such as pl.linear_le(G, h), got {type(value).__name__}{hint}")


def _batch(function: str, core: _core.Batch, columns: Any = None, index: Any = None) -> Constraint:
    return Constraint(function, "batch", lambda n: core, columns=columns, index=index)


def linear_le(G: Any, h: Any = None) -> Constraint:
    """G x <= h: all rows in one call, NumPy or SciPy sparse. h_i = inf: there is no row i, and its dual is 0.

    ``linear_le(pl.Shards(...))``: rows on the workers of a cluster. A G on a CUDA device, an array of PyTorch, CuPy or JAX
    in float64 or float32, stays there and is not copied.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic([[1.0, 0.0], [0.0, 1.0]], [-2.0, -2.0]))
    >>> c = p.subject_to(pl.linear_le([[1.0, 1.0], [1.0, 0.0]], [2.0, 5.0]))
    >>> r = p.solve()
    >>> r.x.round(5), r.duals[c.index].round(5)
    (array([1., 1.]), array([1., 0.]))
    """
    if isinstance(G, Shards):
        if h is not None:
            raise TypeError("linear_le: h: shards have right-hand sides of their own")
        return Constraint("linear_le", "shards", lambda n: G)
    if h is None:
        raise TypeError("linear_le: h is missing: G x <= h is linear_le(G, h)")
    if on_card(G):
        return Constraint("linear_le", "device", lambda n: linear_rows(G, None, h))
    columns, index = columns_of(G), index_of(("G", G), ("h", h))
    G, h = rows_and_sides("linear_le(G, h)", G, h)
    return _batch("linear_le", _core.linear_le(G, h), columns, index)


def linear_range(lo: Any, G: Any, hi: Any) -> Constraint:
    """lo <= G x <= hi, rows stored once; infinite sides are no constraints. Duals are positive at hi, negative at lo.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.quadratic([[1.0]], [3.0]))
    >>> c = p.subject_to(pl.linear_range([-1.0], [[1.0]], [1.0]))
    >>> r = p.solve()
    >>> r.x.round(5), r.duals[0].round(5)
    (array([-1.]), array([-2.]))
    """
    if on_card(G):
        return Constraint("linear_range", "device", lambda n: linear_rows(G, lo, hi))
    columns, index = columns_of(G), index_of(("G", G), ("lo", lo), ("hi", hi))
    G, lo, hi = rows_and_sides("linear_range(lo, G, hi)", G, lo, hi)
    return _batch("linear_range", _core.linear_range(lo, G, hi), columns, index)


def quadratic_le(P: Any = None, q: Any = None, r: Any = None, *, factor: Any = None, diagonal: Any = None) -> Constraint:
    """1/2 x'P_i x + q_i'x + r_i <= 0 for P (m, n, n), q (m, n), r (m,); P positive semidefinite.

    Instead of P: ``factor`` B (m, k, n) with P_i = B_i'B_i, or ``diagonal`` (m, n).

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
    >>> c = p.subject_to(pl.quadratic_le(diagonal=[[2.0, 2.0]], q=np.zeros((1, 2)), r=[-25.0]))  # |x|^2 <= 25
    >>> p.solve().x.round(4)
    array([3., 4.])
    """
    given = {name: part for name, part in (("P", P), ("factor", factor), ("diagonal", diagonal)) if part is not None}
    if len(given) != 1:
        raise TypeError(f"quadratic_le: expected one of P, factor and diagonal, got {', '.join(given) or 'none'}")
    for name, part in (("q", q), ("r", r)):
        if part is None:
            raise TypeError(f"quadratic_le: {name} is missing")
    name, data = next(iter(given.items()))
    data = doubles(data, name, *{"P": ("m", "n", "n"), "factor": ("m", "k", "n"), "diagonal": ("m", "n")}[name])
    m, n = data.shape[0], data.shape[-1]
    if name == "P" and data.shape[1] != n:
        raise _core.InputError(f"P: expected shape (m, n, n), got {data.shape}")
    q, r = doubles(q, "q", m, n), doubles(r, "r", m)
    if name == "P":
        core = _core.quadratic_le(m, n, data, q, r)
    elif name == "factor":
        core = _core.quadratic_lowrank_le(m, n, data.shape[1], data, q, r)
    else:
        core = _core.quadratic_diagonal_le(m, n, data, q, r)
    return _batch("quadratic_le", core)


def log_sum_exp_le(A: Any, b: Any) -> Constraint:
    """ln sum_k exp(A_ik x + b_ik) <= 0 for A (m, k, n), b (m, k); with as many terms each as they like for lists of
    A_i (k_i, n) and b_i (k_i,).

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-1.0])).regularize(pl.box(-5.0, 5.0))
    >>> c = p.subject_to(pl.log_sum_exp_le([[[1.0], [1.0]], [[1.0]]], [[0.0, 0.0], [0.0]]))  # 2 exp(x) <= 1, exp(x) <= 1
    >>> float(p.solve().x[0].round(4))
    -0.6931
    """
    if isinstance(A, (list, tuple)) and len({len(part) for part in A}) > 1:
        A, b = _even_terms(A, b)
    A = doubles(A, "A", "m", "k", "n")
    m, k, n = A.shape
    return _batch("log_sum_exp_le", _core.log_sum_exp_le(m, n, k, A, doubles(b, "b", m, k)))


def _even_terms(A: Sequence[Any], b: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Constraints with the same number of terms: exp(t) of a shorter one is c times exp(t - ln c)."""
    if len(b) != len(A):
        raise _core.InputError(f"b: expected {len(A)} entries, one for each A_i, got {len(b)}")
    n = np.shape(A[0])[-1] if np.ndim(A[0]) == 2 else "n"
    parts = [doubles(part, f"A[{i}]", "k", n) for i, part in enumerate(A)]
    constants = [doubles(part, f"b[{i}]", parts[i].shape[0]) for i, part in enumerate(b)]
    most = max(part.shape[0] for part in parts)
    out, constant = np.empty((len(A), most, parts[0].shape[1])), np.empty((len(A), most))
    for i, part in enumerate(parts):
        terms = part.shape[0]
        if terms == 0:
            raise _core.InputError(f"A[{i}]: expected at least one term")
        copies = np.arange(most) % terms  # who stands where, as evenly as can be
        out[i] = part[copies]
        constant[i] = constants[i][copies] - np.log(np.bincount(copies, minlength=terms))[copies]
    return out, constant


def rank_one_le(points: Any, b: Any, *, lifted: bool = False) -> Constraint:
    """q_i'X q_i <= b_i for symmetric X, x = svec(X), points q (m, p). lifted: q_i = (p_i, 1).

    The smallest ellipsoid around points: minimise log_det(d + 1) under lifted rows with b = 1.

    >>> import pliant as pl
    >>> p = pl.Problem(3).minimize(pl.log_det(2))
    >>> c = p.subject_to(pl.rank_one_le([[1.0, 0.0], [0.0, 2.0]], 1.0))
    >>> p.solve().x.round(4)  # X = diag(1, 1/4)
    array([1.  , 0.  , 0.25])
    """
    if on_card(points):
        return Constraint("rank_one_le", "device", lambda n: device_points(points, b, bool(lifted)))
    points = doubles(points, "points", "m", "p")
    m, p = points.shape
    return _batch("rank_one_le", _core.rank_one_le(m, p, points, doubles(b, "b", m), bool(lifted)))


def equal(E: Any, e: Any = None) -> Constraint:
    """E x = e, any number of times; from the second call on all rows are copied into one matrix.

    >>> import pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic([[1.0, 0.0], [0.0, 1.0]], 0.0))
    >>> c = p.subject_to(pl.equal([[1.0, 1.0]], [2.0]))
    >>> r = p.solve()
    >>> r.x.round(5), r.duals[0].round(5)
    (array([1., 1.]), array([-1.]))
    """
    if e is None:
        raise TypeError("equal: e is missing: E x = e is equal(E, e)")
    columns, index = columns_of(E), index_of(("E", E), ("e", e))
    E, e = rows_and_sides("equal(E, e)", E, e)
    return Constraint("equal", "equality", lambda n: (E, e), columns=columns, index=index)


def conic(G: Any, h: Any, cones: Sequence[tuple[str, Any]]) -> Constraint:
    """h - G x in K, K the product of ``cones`` over consecutive rows, in CVXPY's order and scaling (that of SCS).

    | cone | rows | s = h - G x |
    |---|---|---|
    | ("zero", k) | k | s = 0 |
    | ("nonneg", k) | k | s >= 0 |
    | ("soc", k) | k | s_0 >= norm of the rest |
    | ("psd", p) | p(p+1)/2 | lower triangle by columns, off-diagonal entries times sqrt(2) |
    | ("exp", k) | 3k | (x, y, z): y exp(x/y) <= z |
    | ("pow", [a, ...]) | 3 each | (x, y, z): x^a y^(1-a) >= abs(z) |

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
    >>> c = p.subject_to(pl.conic(np.vstack([np.zeros(2), -np.eye(2)]), [5.0, 0.0, 0.0], [("soc", 3)]))  # |x| <= 5
    >>> p.solve().x.round(4)
    array([3., 4.])
    """
    G, h = rows_and_sides("conic(G, h, cones)", G, h)
    core = _core.conic(G, h, [part for cone in cones for part in _cone(cone)])
    return Constraint("conic", "conic", lambda n: core)


def soc_le(A: Any, b: Any, c: Any, d: Any) -> Constraint:
    """|A_i x + b_i| <= c_i'x + d_i for A (m, k, n), b (m, k), c (m, n), d (m,). Duals are (m, k + 1): (t, z), |z| <= t.

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
    >>> c = p.subject_to(pl.soc_le([np.eye(2)], np.zeros((1, 2)), np.zeros((1, 2)), [5.0]))  # |x| <= 5
    >>> r = p.solve()
    >>> r.x.round(4), r.duals[0].round(4)
    (array([3., 4.]), array([[ 5., -3., -4.]]))
    """
    A = doubles(A, "A", "m", "k", "n")
    m, k, n = A.shape
    core = _core.soc_le(m, n, k, A, doubles(b, "b", m, k), doubles(c, "c", m, n), doubles(d, "d", m))
    return Constraint("soc_le", "conic", lambda n: core, (m, k + 1))


def lmi_le(F0: Any, F: Any) -> Constraint:
    """F0_i + sum_j x_j F_ij negative semidefinite for F0 (m, k, k), F (m, n, k, k), or (k, k) and (n, k, k) for one.

    All matrices are symmetric. Duals are positive semidefinite matrices (m, k, k).

    >>> import numpy as np, pliant as pl
    >>> M = np.array([[2.0, 1.0], [1.0, 2.0]])  # its largest eigenvalue: min t with M - t I negative semidefinite
    >>> p = pl.Problem(1).minimize(pl.linear([1.0]))
    >>> c = p.subject_to(pl.lmi_le(M, [-np.eye(2)]))
    >>> r = p.solve()
    >>> r.x.round(4), r.duals[0].round(3)
    (array([3.]), array([[[0.5, 0.5],
            [0.5, 0.5]]]))
    """
    F = doubles(F, "F")
    if F.ndim == 3:
        F, F0 = F[np.newaxis], doubles(F0, "F0", "k", "k")[np.newaxis]
    F = doubles(F, "F", "m", "n", "k", "k")
    m, n, k, _ = F.shape
    core = _core.lmi_le(m, n, k, doubles(F0, "F0", m, k, k), doubles(F, "F", m, n, k, k))
    return Constraint("lmi_le", "conic", lambda n: core, (m, k, k))


def _cone(cone: tuple[str, Any]) -> list[tuple[_core.ConeKind, int, float]]:
    try:
        name, size = cone
    except (TypeError, ValueError):
        raise TypeError(f"cones: expected pairs such as ('soc', 3), got {cone!r}") from None
    kinds = _core.ConeKind
    if name == "pow":
        alphas = doubles(size, "cones: pow", "k")
        return [(kinds.power, 3, float(alpha)) for alpha in alphas]
    simple = {"zero": kinds.zero, "nonneg": kinds.nonnegative, "soc": kinds.second_order}
    if name not in simple and name not in ("psd", "exp"):
        raise _core.InputError(f"cones: expected zero, nonneg, soc, psd, exp or pow, got {name!r}")
    size = count(size, f"cones: {name}")
    if size < 0:
        raise _core.InputError(f"cones: {name}: expected a size >= 0, got {size}")
    if size == 0:
        return []
    if name == "psd":
        return [(kinds.semidefinite, size * (size + 1) // 2, 0.5)]
    if name == "exp":
        return [(kinds.exponential, 3, 0.5)] * size
    return [(simple[name], size, 0.5)]
