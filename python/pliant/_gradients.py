"""Derivatives of a loss through a solution: one KKT system of the active rows, no pass over the data.

At a solution with active rows A (values 0, multipliers y > 0), equalities E and free variables

    [H  A' E'] [u]   [dx]                H = Hessian of the Lagrangian,
    [A  0  0 ] [v] = [0 ]                dx = gradient of the loss with respect to x,
    [E  0  0 ] [w]   [0 ]

gives the gradients of the loss: -u for q, -(u x' + x u')/2 for P, v and w for right-hand sides, -(y u' + v x') for rows.
Where multipliers and slacks both vanish the solution has a kink, and this is one of its one-sided derivatives.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import doubles
from ._constraints import Handle

#: Multipliers below this share of the largest one belong to rows that are not active; those rows are not read.
NEGLIGIBLE = 1e-9
#: Eigenvalues of the KKT matrix below this share of the largest one count as 0.
SINGULAR = 1e-12
#: Larger systems are worth NumPy's threads, which wait for each other longer than a small one takes.
ALONE = 1000
#: The matrix is dense.
LARGEST = 6000


@dataclass
class Rows:
    """Active rows of one batch: J dx = the change of their right-hand sides."""

    index: np.ndarray  #: of duals
    duals: np.ndarray  #: signed: negative where a lower side presses
    J: np.ndarray
    counts: np.ndarray  #: which of them have multipliers that are not rounding
    active: np.ndarray  #: which of those hold x; soft rows beyond their kink do not
    v: np.ndarray  #: 0 where not active


class Gradients:
    """Gradients of a loss with respect to the data of a problem, from ``r.vjp(dx)``.

    >>> import numpy as np, pliant as pl
    >>> p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-2.0, -2.0]))
    >>> c = p.subject_to(pl.linear_le([[1.0, 0.0]], [1.0]))
    >>> g = p.solve().vjp([1.0, 1.0])  # of the loss x_0 + x_1 = h_0 - q_1
    >>> g.q.round(5) + 0.0, g.h[c].round(5)
    (array([ 0., -1.]), array([1.]))
    """

    def __init__(self, kkt: _Kkt, result: Any, sign: float) -> None:
        self.q = -sign * kkt.u  #: of the linear part of the objective
        self.lo, self.hi = kkt.lo, kkt.hi  #: of the bounds of a box
        self._x, self._u, self._sign = kkt.x, kkt.u, sign
        self._handles = result.duals._handles
        self._batches, self._equalities = kkt.batches, kkt.equalities
        self._parts = result._parts
        #: Of the right-hand sides of each call of subject_to (a_i(x) <= h_i, E x = e), in the order of r.duals.
        self.h = HandleList((self._sides(handle) for handle in self._handles), self._handles)

    @property
    def P(self) -> np.ndarray:
        """Of the matrix of a quadratic objective, symmetric."""
        outer = np.outer(self._u, self._x)
        return -0.5 * self._sign * (outer + outer.T)

    def rows(self, handle: Handle) -> tuple[np.ndarray, np.ndarray]:
        """(indices, gradients): of the rows with multipliers, the others have gradient 0. Linear rows and equalities.

        >>> import numpy as np, pliant as pl
        >>> p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-2.0, -2.0]))
        >>> c = p.subject_to(pl.linear_le([[1.0, 0.0], [0.0, 1.0]], [1.0, 9.0]))
        >>> index, G = p.solve().vjp([1.0, 0.0]).rows(c)
        >>> index, G.round(5) + 0.0  # x_0 = h_0 / G_00
        (array([0]), array([[-1., -2.]]))
        """
        if handle.kind == "equality":
            begin, count = handle.part, handle.dual_shape[0]
            y, w = (part[begin : begin + count] for part in self._equalities)
            return np.arange(count), -np.outer(y, self._u) - np.outer(w, self._x)
        if handle.family != "linear":
            raise _core.InputError(f"rows: expected linear rows or equalities, got {handle.family}")
        begin, index, gradients = 0, [], []
        for b in self._parts.get(handle.part, [handle.part]):
            rows, size = self._batches[b]
            index.append(begin + rows.index[rows.counts])
            gradients.append((-np.outer(rows.duals, self._u) - np.outer(rows.v, self._x))[rows.counts])
            begin += size
        return np.concatenate(index), np.concatenate(gradients)

    def _sides(self, handle: Handle) -> np.ndarray:
        if handle.kind == "equality":
            return self._equalities[1][handle.part :][: handle.dual_shape[0]]
        out = []
        for b in self._parts.get(handle.part, [handle.part]):
            rows, size = self._batches[b]
            out.append(np.zeros(size))
            out[-1][rows.index] = rows.v
        return np.concatenate(out)


class HandleList(list):
    """A list that also takes handles."""

    def __init__(self, values: Any, handles: list[Handle]) -> None:
        super().__init__(values)
        self._handles = handles

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Handle):
            if self._handles[key.index : key.index + 1] != [key]:
                raise ValueError("vjp: the handle belongs to another problem")
            key = key.index
        return super().__getitem__(key)


class _Kkt:
    """The system at a solution, solved for one dx."""

    def __init__(self, core: _core.Problem, result: Any, dx: np.ndarray) -> None:
        self.x, self.dx = np.asarray(result.x), dx
        count = len(core.batches)
        if core.conic:
            raise _core.InputError("vjp: cones have no derivatives here; rows of other families and equalities have")
        if self.x.size + core.equalities > LARGEST:
            raise _core.InputError(f"vjp: at most {LARGEST} variables and equalities, got {self.x.size + core.equalities}")
        duals = result._by_part[:count]
        least = NEGLIGIBLE * max((np.abs(y).max(initial=0.0) for y in duals), default=0.0)
        index = [np.flatnonzero(np.abs(y) > least).astype(np.int64) for y in duals]
        found = _core.derivatives(core, self.x, index, [np.ascontiguousarray(y[i]) for y, i in zip(duals, index)])
        self.H, self.E, self.nu = found["hessian"], found["E"], np.asarray(result.equality_duals)
        self.batches, values = [], []
        for y, i, (value, J) in zip(duals, index, found["batches"]):
            sign = np.where(y[i] < 0, -1.0, 1.0)
            all_of_them = np.ones(i.size, bool)
            rows = Rows(i, y[i], sign[:, None] * J, all_of_them, all_of_them, np.zeros(i.size))
            self.batches.append((rows, y.size))
            values.append(value)
        #: A subgradient of the simple term balances the rest of the Lagrangian.
        self.subgradient = -found["gradient"] - self.E.T @ self.nu
        for rows, _ in self.batches:
            self.subgradient -= rows.J.T @ rows.duals
        term = _core.simple_term(core)
        self.measure(found["gradient"], values, term)
        self.choose_active(core, values)
        self.fixed, self.extra = np.zeros(self.x.size, bool), np.empty((0, self.x.size))
        self.at_lo, self.at_hi = (np.zeros(self.x.size, bool) for _ in range(2))
        self.add_simple_term(term)
        self.solve()

    def measure(self, gradient: np.ndarray, values: list[np.ndarray], term: dict[str, Any]) -> None:
        """How large forces and lengths are: of what they are sums of, because the sums may vanish."""
        curved = self.H @ self.x
        forces = [gradient, self.subgradient, curved, gradient - curved]
        lengths = [self.x, np.array([term["radius"]])]
        for (rows, _), value in zip(self.batches, values):
            norm = np.maximum(np.linalg.norm(rows.J, axis=1), np.finfo(float).tiny)
            forces.append(np.abs(rows.duals) * norm)
            lengths.append((np.where(rows.duals < 0, -value, value) - rows.J @ self.x) / norm)
        lengths += [bound[np.isfinite(bound)] for bound in (term.get("lo"), term.get("hi")) if bound is not None]
        self.force = max(np.abs(part).max(initial=0.0) for part in forces) or 1.0
        self.length = max(np.abs(part).max(initial=0.0) for part in lengths) or 1.0

    def presses(self, force: Any, distance: Any) -> Any:
        """Of two numbers, one of which is 0 at the solution: whether it is the distance."""
        return np.maximum(force, 0.0) / self.force > np.maximum(distance, 0.0) / self.length

    def choose_active(self, core: _core.Problem, values: list[np.ndarray]) -> None:
        for b, ((rows, size), value) in enumerate(zip(self.batches, values)):
            norm = np.maximum(np.linalg.norm(rows.J, axis=1), np.finfo(float).tiny)
            rows.counts = rows.active = self.presses(np.abs(rows.duals) * norm, -value / norm)
            prices = _core.prices(core, b)
            if prices is not None:  # at the kink, not beyond it
                if prices.size != size:
                    raise _core.InputError("vjp: soft rows with two sides have no derivatives here")
                rows.active = rows.counts & self.presses((prices[rows.index] - rows.duals) * norm, value / norm)

    def add_simple_term(self, term: dict[str, Any]) -> None:
        x, s = self.x, self.subgradient
        if "l1" in term:
            self.H[np.diag_indices(x.size)] += term["l2"]
            s = s - term["l2"] * x
            lo = np.full(x.size, -np.inf) if term["lo"] is None else term["lo"]
            hi = np.full(x.size, np.inf) if term["hi"] is None else term["hi"]
            at_zero = self.presses(term["l1"] - np.abs(s), np.abs(x)) if term["l1"] > 0 else np.zeros(x.size, bool)
            normal = s - term["l1"] * np.sign(x)
            self.at_lo = ~at_zero & self.presses(-normal, x - lo)
            self.at_hi = ~at_zero & self.presses(normal, hi - x)
            self.fixed = at_zero | self.at_lo | self.at_hi
        elif term["kind"] == "simplex":
            level = (s @ x) / x.sum()
            self.fixed = self.presses(level - s, x)
            self.extra = np.ones((1, x.size))
        elif term["kind"] == "ball":
            norm = np.linalg.norm(x)
            if self.presses(np.linalg.norm(s), term["radius"] - norm):
                self.H[np.diag_indices(x.size)] += (s @ x) / norm**2
                self.extra = x[None, :].copy()
        elif "groups" in term:
            self.add_groups(term["groups"], term["weights"])
        else:
            raise _core.InputError(f"vjp: the simple term {term['kind']} has no derivatives here")

    def add_groups(self, groups: np.ndarray, weights: np.ndarray) -> None:
        """w |x_g| has the Hessian w/|x_g| (I - d d'), d = x_g/|x_g|; groups at 0 stay there."""
        for g, weight in enumerate(weights):
            members = np.flatnonzero(groups == g)
            norm = np.linalg.norm(self.x[members])
            if self.presses(weight - np.linalg.norm(self.subgradient[members]), norm):
                self.fixed[members] = True
            elif norm > 0:
                d = self.x[members] / norm
                self.H[np.ix_(members, members)] += weight / norm * (np.eye(members.size) - np.outer(d, d))

    def solve(self) -> None:
        free = ~self.fixed
        rows = [rows.J[rows.active] for rows, _ in self.batches] + [self.E, self.extra]
        A = np.concatenate([part.reshape(-1, self.x.size) for part in rows])
        scale = np.maximum(np.linalg.norm(A[:, free], axis=1), np.finfo(float).tiny)
        scale /= np.abs(self.H).max() or 1.0  # rows as large as the Hessian
        A_free = A[:, free] / scale[:, None]
        n, m = int(free.sum()), A.shape[0]
        K = np.block([[self.H[np.ix_(free, free)], A_free.T], [A_free, np.zeros((m, m))]])
        z = solve_symmetric(K, np.concatenate([self.dx[free], np.zeros(m)]), n)
        self.u = np.zeros(self.x.size)
        self.u[free] = z[:n]
        v = z[n:] / scale
        left = np.where(self.fixed, self.dx - self.H @ self.u - A.T @ v, 0.0)
        self.lo, self.hi = np.where(self.at_lo, left, 0.0), np.where(self.at_hi, left, 0.0)
        begin = 0
        for rows, _ in self.batches:
            end = begin + int(rows.active.sum())
            rows.v[rows.active] = v[begin:end]
            begin = end
        self.equalities = (self.nu, v[begin : begin + self.E.shape[0]])


def solve_symmetric(K: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    """K z = b, the shortest z where K is singular: rows that depend on each other share their multipliers. Warns where
    the first n entries of z, the derivative itself, are not unique."""
    if K.shape[0] == 0:
        return b
    z = _solve_regular(K, b)
    if z is not None:
        return z
    values, vectors = np.linalg.eigh(K)  # ten times the work of a solution
    none = np.abs(values) <= SINGULAR * np.abs(values).max(initial=0.0)
    if none.any() and np.abs(vectors[:n, none]).max(initial=0.0) > np.sqrt(SINGULAR):
        warnings.warn("vjp: the solution is not unique or not differentiable here", RuntimeWarning, stacklevel=5)
    coefficients = vectors.T @ b
    return vectors @ np.where(none, 0.0, coefficients / np.where(none, 1.0, values))


def _solve_regular(K: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """K z = b where no eigenvalue counts as 0, else None."""
    if K.shape[0] <= ALONE:
        return _core.solve_regular(K, np.ascontiguousarray(b), SINGULAR)
    try:
        z = np.linalg.solve(K, b)
    except np.linalg.LinAlgError:
        return None
    return z if np.linalg.norm(K @ z - b) <= np.sqrt(SINGULAR) * np.linalg.norm(b) else None


def vjp(result: Any, core: _core.Problem, dx: Any) -> Gradients:
    """The gradients of a loss whose gradient with respect to x is dx."""
    if result.status != "optimal":
        raise _core.InputError(f"vjp: the status is {result.status}; derivatives are those of a solution")
    if result._full is not None:
        raise _core.InputError("vjp: terms cvar with levels of their own have no derivatives here; alpha=... has")
    kkt = _Kkt(core, result, doubles(np.asarray(dx), "dx", np.asarray(result.x).size))
    return Gradients(kkt, result, -1.0 if core.maximize else 1.0)
