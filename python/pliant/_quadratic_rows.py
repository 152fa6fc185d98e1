"""Quadratic constraints and norms that a modelling language turned into second-order cones, turned back.

``sum_squares(F x + f) <= a'x + b`` arrives as a variable t that appears in one row t + .. <= .. and in one cone
(1 + t, 1 - t, 2 (F x + f)), ``norm(F x + f) <= a'x + b`` as one in the cone (t, F x + f). With t taken out of the row,
thousands of such constraints have few variables again, and the path engine reads them a handful of times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import pliant as pl

#: Constraints for each variable that stays from which on it pays.
CONSTRAINTS_PER_VARIABLE = 20
MOST_VARIABLES = 2000
#: Numbers of the largest array of factors.
MOST_NUMBERS = 500_000_000


class Group(NamedTuple):
    """Cones of one kind and size. Their variable t has the coefficient alpha in a row, and -rho alpha in the cone."""

    quadratic: bool
    size: int
    first: np.ndarray  # rows of A where the cones begin
    column: np.ndarray  # t
    row: np.ndarray  # of the inequality
    rho: np.ndarray


class Reduced:
    """min 1/2 x'Px + c'x, E x = e, G x <= h and cones, b - A x in K, with the t's of its groups eliminated."""

    def __init__(
        self, A: Any, b: np.ndarray, bounded: np.ndarray, c: np.ndarray, P: Any, linear: tuple[int, int], sizes: list[int]
    ) -> None:
        self.A, self.b, self.linear = A, b, linear
        self.groups = _find(A, b, bounded, c, P, linear, sizes)
        gone = np.concatenate([np.empty(0, int), *(g.column for g in self.groups)])
        self.kept = np.setdiff1d(np.arange(c.size), gone)
        rows = np.concatenate([np.empty(0, int), *(g.row for g in self.groups)])
        self.rows = np.setdiff1d(np.arange(linear[0], sum(linear)), rows)
        taken = np.concatenate([np.empty(0, int), *(g.first for g in self.groups)])
        starts = sum(linear) + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int)
        self.plain = [(int(start), int(size)) for start, size in zip(starts, sizes) if size > 0]
        if taken.size:
            known = set(taken.tolist())
            self.plain = [pair for pair in self.plain if pair[0] not in known]

    @property
    def pays(self) -> bool:
        count = sum(g.first.size for g in self.groups)
        numbers = max((g.first.size * g.size * self.kept.size for g in self.groups), default=0)
        return (
            count >= CONSTRAINTS_PER_VARIABLE * self.kept.size
            and 0 < self.kept.size <= MOST_VARIABLES
            and numbers <= MOST_NUMBERS
        )

    def subject_to(self, problem: pl.Problem) -> None:
        """Adds all constraints, in the order in which `duals` expects their multipliers."""
        A, b = self.A[:, self.kept], self.b
        zero = self.linear[0]
        if zero > 0:
            problem.subject_to(pl.equal(A[:zero], b[:zero]))
        if self.rows.size:
            problem.subject_to(pl.linear_le(A[self.rows], b[self.rows]))
        if self.plain:
            rows = np.concatenate([np.arange(start, start + size) for start, size in self.plain])
            problem.subject_to(pl.conic(A[rows], b[rows], [("soc", size) for _, size in self.plain]))
        for g in self.groups:
            slope, side = A[g.row], b[g.row]  # t <= (side - slope'x)/alpha
            if g.quadratic:
                k, m = g.size - 2, g.first.size
                rest = (g.first[:, None] + 2 + np.arange(k)).ravel()
                factor, offset = A[rest].toarray().reshape(m, k, -1), b[rest].reshape(m, k)
                scale = self._scale(g)[:, None]
                total, difference = b[g.first] + b[g.first + 1], b[g.first] - b[g.first + 1]
                q = -2 * scale * np.einsum("mkn,mk->mn", factor, offset) + slope.toarray()
                r = scale[:, 0] * ((offset**2).sum(axis=1) - total * difference) - side
                problem.subject_to(pl.quadratic_le(None, q, r, factor=np.sqrt(2 * scale)[:, :, None] * factor))
            else:
                G, h = self._norm_rows(g, A)
                problem.subject_to(pl.conic(G, h, [("soc", g.size)] * g.first.size))

    def _scale(self, g: Group) -> np.ndarray:
        """What a quadratic constraint |rest|^2 <= (s0 - s1)(s0 + s1) is multiplied with: the row's units."""
        return 1.0 / (2.0 * (self.b[g.first] + self.b[g.first + 1]) * g.rho)

    def _norm_rows(self, g: Group, A: Any) -> tuple[Any, np.ndarray]:
        """Rows of A and b with those of t replaced by rho times the inequality's."""
        import scipy.sparse as sp

        m, d = g.first.size, g.size
        head = sp.diags(g.rho) @ A[g.row]
        tail = A[(g.first[:, None] + 1 + np.arange(d - 1)).ravel()]
        order = np.concatenate([[i, *range(m + i * (d - 1), m + (i + 1) * (d - 1))] for i in range(m)])
        rest = self.b[g.first[:, None] + 1 + np.arange(d - 1)].ravel()
        h = np.concatenate([self.b[g.first] + g.rho * self.b[g.row], rest])
        return sp.vstack([head, tail]).tocsr()[order], h[order]

    def expand(self, x: np.ndarray, duals: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """x with the t's, and multipliers of all rows of A."""
        full = np.zeros(self.A.shape[1])
        full[self.kept] = x
        for g in self.groups:  # other t's of a row were never eliminated
            alpha = np.asarray(self.A[g.row, g.column]).ravel()
            full[g.column] = (self.b[g.row] - self.A[g.row] @ full) / alpha
        s = self.b - self.A @ full
        y = np.zeros(self.b.size)
        rest = iter(duals)
        zero = self.linear[0]
        if zero > 0:
            y[:zero] = next(rest)
        if self.rows.size:
            y[self.rows] = next(rest)
        if self.plain:
            y[np.concatenate([np.arange(start, start + size) for start, size in self.plain])] = next(rest)
        for g in self.groups:
            rows = g.first[:, None] + np.arange(g.size)
            dual = next(rest)
            if g.quadratic:  # lambda (|rest|^2 - (s0 - s1)(s0 + s1)) falls along s by z
                z = 2 * (dual * self._scale(g))[:, None] * s[rows]
                z[:, 1:] *= -1
            else:
                z = dual.reshape(-1, g.size)
            y[rows] = z
            # The Lagrangian does not depend on t: alpha y = rho alpha (z0 - z1), or rho alpha z0.
            y[g.row] = g.rho * (z[:, 0] - z[:, 1] if g.quadratic else z[:, 0])
        return full, y


def _find(
    A: Any, b: np.ndarray, bounded: np.ndarray, c: np.ndarray, P: Any, linear: tuple[int, int], sizes: list[int]
) -> list[Group]:
    """Cones whose first row is a single variable t that appears elsewhere in one inequality alone (and the second row).

    t must be free and without cost, and the cone must grow with it.
    """
    zero, end = linear[0], sum(linear)
    size = np.asarray(sizes, int)
    first = end + np.concatenate([[0], np.cumsum(size)[:-1]]).astype(int) if size.size else size
    entries = np.diff(A.indptr)
    alone = size >= 2
    alone[alone] = entries[first[alone]] == 1
    first, size = first[alone], size[alone]
    if first.size == 0:
        return []
    columns = A.tocsc()
    columns.sort_indices()
    t, tau = A.indices[A.indptr[first]], A.data[A.indptr[first]]
    second = np.where(entries[first + 1] == 1, A.indptr[first + 1], A.indptr[first])  # its one entry, or no other
    pair = (second != A.indptr[first]) & (A.indices[second] == t) & (A.data[second] == -tau)
    row, alpha = columns.indices[columns.indptr[t]], columns.data[columns.indptr[t]]  # the topmost entry of the column
    fits = (tau < 0) & (alpha > 0) & (row >= zero) & (row < end) & (c[t] == 0) & ~bounded[t]
    fits &= np.diff(columns.indptr)[t] == np.where(pair, 3, 2)
    fits &= ~pair | ((size > 2) & (b[first] + b[first + 1] > 0))
    if P is not None:
        fits &= np.diff(P.tocsc().indptr)[t] == 0
    chosen = np.flatnonzero(fits)
    _, once = np.unique(row[chosen], return_index=True)  # a row gives one variable away,
    chosen = chosen[np.sort(once)]
    gone = np.zeros(A.shape[1], bool)
    gone[t[chosen]] = True
    chosen = chosen[np.asarray((A[row[chosen]] != 0) @ gone.astype(int)).ravel() == 1]  # and holds no other that goes
    groups = []
    for quadratic in (True, False):
        for d in np.unique(size[chosen]):
            mine = chosen[(size[chosen] == d) & (pair[chosen] == quadratic)]
            if mine.size:
                groups.append(Group(quadratic, int(d), first[mine], t[mine], row[mine], -tau[mine] / alpha[mine]))
    return groups
