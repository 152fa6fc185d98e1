"""Sums of positive parts in the objective: soft rows.

Each is a batch of rows with prices. Its duals lie between 0 and the prices and stand in ``r.duals`` like those of
constraints, in the order of the calls of minimize and subject_to (``p.handles`` has one handle for each).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import count, doubles, is_sparse, matrix, number
from ._constraints import Constraint
from ._cvar import cvar_term
from ._objective import Objective
from ._sharded import SoftShards
from ._shards import Shards
from ._terms import linear


@dataclass(frozen=True)
class SoftTerm:
    """Soft rows before they belong to a problem; stands among the terms of an Objective."""

    kind: str
    build: Callable[[int], _core.SoftRows | SoftShards]  #: for n variables


def positive_part(G: Any, h: Any = None, weights: Any = None) -> Objective:
    """sum_i w_i max(0, G_i x - h_i); weights are 1 unless given.

    Instead of G and h also constraints: ``positive_part(pl.quadratic_le(...), weights=w)`` is the price of violating
    them. Two-sided rows then have two weights each, that of the upper side first; infinite sides have none. Second-order
    or semidefinite cones of one size have one weight for each cone, times the sum of its positive eigenvalues, and a dual
    for each eigenvalue, the largest first: ``positive_part(pl.soc_le(A, b, c, d), w)`` with c = 0 and d = 0 is
    sum_i w_i |A_i x + b_i|. Or
    ``positive_part(pl.Shards(...))``: rows on the workers of a cluster.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-1.0]) + pl.positive_part([[1.0], [1.0]], [0.0, 2.0], [0.4, 5.0]))
    >>> r = p.solve()
    >>> r.x.round(5), r.duals[0].round(5)  # up to the kink of the second row; the first is at its price
    (array([2.]), array([0.4, 0.6]))
    """
    if isinstance(G, Constraint):
        if h is not None:
            raise TypeError("positive_part: h: constraints have constant terms of their own")
        return _of_constraint(G, weights)
    if isinstance(G, Shards):
        return _in_shards(G, "positive_part", h, weights)
    if h is None:
        raise TypeError("positive_part: h is missing")
    G = matrix(G, "G")
    return _soft("positive_part", _core.positive_part_linear(G, doubles(h, "h", G.rows), _weights(weights, G.rows)))


def quantile(A: Any, b: Any, tau: float, weights: Any = None) -> Objective:
    """(1/l) sum_i w_i rho_tau(b_i - A_i x), rho_tau(r) = max(tau r, (tau - 1) r): quantile regression.

    tau, between 0 and 1, is the share of points below the fit; l the number of rows of A. Rows on the workers of a cluster:
    ``quantile(pl.Shards(...), None, tau)``; h of the shards is then b, here and in the losses below.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.quantile([[1.0]] * 5, [1.0, 2.0, 3.0, 4.0, 50.0], 0.5))
    >>> p.solve().x.round(5)
    array([3.])
    """
    if isinstance(A, Shards):
        return _in_shards(A, "quantile", b, weights, number(tau, "tau"))
    A = matrix(A, "A")
    return _soft("quantile", _core.quantile(A, doubles(b, "b", A.rows), number(tau, "tau"), _weights(weights, A.rows)))


def absolute(A: Any, b: Any = None, weights: Any = None) -> Objective:
    """(1/l) sum_i w_i |A_i x - b_i|: least absolute deviations.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.absolute([[1.0]] * 3, [1.0, 2.0, 30.0]))
    >>> r = p.solve()
    >>> r.x.round(5), round(r.objective, 5)
    (array([2.]), 9.66667)
    """
    if isinstance(A, Shards):
        return _in_shards(A, "absolute", b, weights)
    A = matrix(A, "A")
    return _soft("absolute", _core.absolute(A, doubles(b, "b", A.rows), _weights(weights, A.rows)))


def epsilon_insensitive(A: Any, b: Any, eps: float, weights: Any = None) -> Objective:
    """(1/l) sum_i w_i max(0, |A_i x - b_i| - eps): the loss of support vector regression.

    >>> import pliant as pl
    >>> term = pl.epsilon_insensitive([[1.0], [1.0]], [0.0, 1.0], 0.5)
    >>> p = pl.Problem(1).minimize(term)
    >>> p.objective([2.0]), round(p.solve().objective, 6)
    (1.0, 0.0)
    """
    if isinstance(A, Shards):
        return _in_shards(A, "epsilon_insensitive", b, weights, number(eps, "eps"))
    A = matrix(A, "A")
    b, eps = doubles(b, "b", A.rows), number(eps, "eps")
    return _soft("epsilon_insensitive", _core.epsilon_insensitive(A, b, eps, _weights(weights, A.rows)))


def hinge(A: Any, y: Any = None, weights: Any = None) -> Objective:
    """(1/l) sum_i w_i max(0, 1 - y_i A_i x) with labels y_i of -1 and +1: the loss of support vector machines.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(4 * pl.hinge([[2.0], [-1.0]], [1.0, -1.0])).regularize(pl.l2_squared(1.0))
    >>> p.solve().x.round(5)
    array([1.])
    """
    if isinstance(A, Shards):
        return _in_shards(A, "hinge", y, weights)
    A = matrix(A, "A")
    return _soft("hinge", _core.hinge(A, doubles(y, "y", A.rows), _weights(weights, A.rows)))


def cvar(L: Any, beta: float, *, alpha: int | None = None) -> Objective:
    """CVaR_beta of the losses L x: the mean of the worst share 1 - beta of them.

    It is the least of alpha + 1/((1 - beta) m) sum_i max(0, L_i x - alpha) over the level alpha, which ends at a
    beta-quantile of the losses. Where the level is wanted, ``alpha`` is the index of the variable that stands for it, and
    its column of L is 0. L is copied.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.cvar([[float(k)] for k in range(1, 11)], 0.8)).regularize(pl.box(1.0, 2.0))
    >>> r = p.solve()
    >>> r.x.round(5), round(r.objective, 5)  # the mean of 9 and 10
    (array([1.]), 9.5)
    >>> losses = [[float(k), 0.0] for k in range(1, 11)]  # of x_0 = 1; x_1 is alpha
    >>> p = pl.Problem(2).minimize(pl.cvar(losses, 0.8, alpha=1))
    >>> c = p.subject_to(pl.equal([[1.0, 0.0]], [1.0]))
    >>> round(p.solve().objective, 5)  # the mean of 9 and 10
    9.5
    """
    share = number(beta, "beta")
    if not 0.0 < share < 1.0:
        raise _core.InputError(f"beta: expected 0 < beta < 1, got {share:g}")
    if alpha is None:
        return cvar_term(L, share)
    level = count(alpha, "alpha")
    rows, n = (L if is_sparse(L) else doubles(L, "L", "m", "n")).shape
    if not 0 <= level < n:
        raise _core.InputError(f"alpha: expected an index from 0 to {n - 1}, got {level}")
    if rows == 0:
        raise _core.InputError("L: expected at least one row")
    direction = np.zeros(n)
    direction[level] = 1.0
    G = matrix(_with_level(L, level), "L")
    weights = np.full(rows, 1.0 / ((1.0 - share) * rows))
    return linear(direction) + _soft("cvar", _core.positive_part_linear(G, np.zeros(rows), weights))


def _with_level(L: Any, level: int) -> Any:
    """A copy of L with -1 in the column of the level, which must be 0."""
    if is_sparse(L):
        L = L.tocsc().astype(np.float64)
        if np.any(L.data[L.indptr[level] : L.indptr[level + 1]] != 0.0):
            raise _core.InputError(f"L: column {level} belongs to alpha, expected zeros there")
        from scipy import sparse

        column = sparse.csc_matrix(-np.ones((L.shape[0], 1)))
        return sparse.hstack([L[:, :level], column, L[:, level + 1 :]]).tocsr()
    L = doubles(L, "L", "m", "n").copy()
    if np.any(L[:, level] != 0.0):
        raise _core.InputError(f"L: column {level} belongs to alpha, expected zeros there")
    L[:, level] = -1.0
    return L


def _soft(kind: str, core: _core.SoftRows) -> Objective:
    return Objective([(SoftTerm(kind, lambda n: core), 1.0)])


def _in_shards(shards: Shards, loss: str, targets: Any, weights: Any, parameter: float = 0.0) -> Objective:
    """(G, h) of the shards are data and targets."""
    if targets is not None or weights is not None:
        raise TypeError(f"{loss}: shards have targets of their own, where rows have h, and no weights")
    return Objective([(SoftTerm(loss, lambda n: SoftShards(shards, loss, parameter)), 1.0)])


def _of_constraint(rows: Constraint, weights: Any) -> Objective:
    if rows.kind not in ("batch", "conic"):
        raise TypeError(f"positive_part: expected rows such as pl.quadratic_le(P, q, r) or cones, got {rows.function}")

    def build(n: int) -> _core.SoftRows:
        batch = rows.build(n)
        if rows.kind == "conic":
            return _core.positive_part_cones(batch, _weights(weights, len(batch.cones)))
        return _core.positive_part(batch, _weights(weights, batch.size))

    return Objective([(SoftTerm("positive_part", build), 1.0)])


def _weights(weights: Any, rows: int) -> np.ndarray:
    """Prices, one for all or one each; empty: 1 each."""
    if weights is None:
        return np.empty(0)
    array = doubles(weights, "weights", rows)
    bad = ~(np.isfinite(array) & (array >= 0.0))
    if bad.any():
        i = int(np.argmax(bad))
        raise _core.InputError(f"weights: entry {i} is {array[i]:g}, expected a finite number >= 0")
    return array
