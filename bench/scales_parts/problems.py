"""Random convex problems with planted optima, whose variables, rows and objective are then measured in other units.

A problem is planted by its optimality conditions: a point, rows that hold there with equality and multipliers for them,
and the gradient of the objective that balances both. The value stays right however degenerate the rest turns out; only
rounding in the data moves it. Units: x = D y with D = diag(10^u), rows times 10^v, objective times 10^w.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sparse

KINDS = ("dense_lp", "dense_qp", "sparse_lp", "sparse_qp", "qcqp", "soc", "lmi")
# Asked for by name: far vertices along a slit, Hessians with condition 1e12, free, fixed and one-sided variables.
OTHERS = ("slit", "condition", "bounds")


@dataclass
class Problem:
    """minimise 1/2 x'Px + q'x subject to G x <= h, lo <= x <= hi, E x = e, curved rows and cones; `value` is the least."""
    kind: str
    name: str
    q: np.ndarray
    value: float
    P: object = None
    G: object = None
    h: np.ndarray = None
    lo: np.ndarray = None
    hi: np.ndarray = None
    E: object = None
    e: np.ndarray = None
    quadratic: tuple = None  # P (m, n, n), q (m, n), r (m)
    conic: tuple = None      # G, h, [(kind, rows, count)]
    units: dict = field(default_factory=dict)

    @property
    def n(self):
        return len(self.q)


def _matrix(rng, m, n, is_sparse):
    if not is_sparse:
        return rng.standard_normal((m, n)) / np.sqrt(n)
    per_row = int(rng.integers(2, 7))
    columns = rng.integers(0, n, size=(m, per_row))
    columns[:, 0] = np.arange(m) % n  # no column is left out
    values = rng.standard_normal((m, per_row))
    out = sparse.csr_matrix((values.ravel(), (np.repeat(np.arange(m), per_row), columns.ravel())), shape=(m, n))
    out.sum_duplicates()
    return out


def _hessian(rng, n, is_sparse, rank):
    B = _matrix(rng, rank, n, is_sparse)
    P = B.T @ B
    return sparse.csr_matrix(P) if is_sparse else P


def _linear(rng, kind):
    """LPs and QPs: rows, perhaps a box, perhaps equalities, P of any rank."""
    is_sparse, is_lp = kind.startswith("sparse"), kind.endswith("lp")
    n = int(rng.integers(20, 200)) if is_sparse else int(rng.integers(3, 31))
    m = int(n * 10 ** rng.uniform(0.3, 1.2 if is_sparse else 2.0))
    x = rng.standard_normal(n)
    G = _matrix(rng, m, n, is_sparse)
    active = rng.choice(m, size=min(m, n if is_lp else int(rng.integers(0, n + 1))), replace=False)
    multipliers, slack = np.zeros(m), rng.exponential(1.0, m) + 0.01
    multipliers[active], slack[active] = rng.exponential(1.0, len(active)) + 0.01, 0.0
    h = G @ x + slack
    P = None if is_lp else _hessian(rng, n, is_sparse, int(rng.integers(1, n + 1)))
    gradient = np.zeros(n) if P is None else P @ x
    q = -(gradient + G.T @ multipliers)
    lo = hi = E = e = None
    if rng.random() < 0.5:  # some variables at a bound, some between, some free
        lo, hi = np.full(n, -np.inf), np.full(n, np.inf)
        which = rng.integers(0, 4, n)
        lo[which == 1], hi[which == 2] = x[which == 1] - rng.exponential(1.0, n)[which == 1], x[which == 2]
        q[which == 2] -= rng.exponential(1.0, n)[which == 2]
        lo[which == 3], hi[which == 3] = x[which == 3] - 1.0, x[which == 3] + 1.0
    if n >= 6 and rng.random() < 0.3:
        E = _matrix(rng, int(rng.integers(1, n // 3 + 1)), n, is_sparse)
        e = E @ x
        q -= E.T @ rng.standard_normal(E.shape[0])
    value = float(q @ x + (0.0 if P is None else 0.5 * x @ (P @ x)))
    return Problem(kind, "", q, value, P=P, G=G, h=h, lo=lo, hi=hi, E=E, e=e)


def _qcqp(rng):
    n, m = int(rng.integers(3, 16)), int(rng.integers(10, 200))
    x = rng.standard_normal(n)
    B = rng.standard_normal((m, n, n)) / n
    Ps, qs = np.einsum("ikj,ikl->ijl", B, B), rng.standard_normal((m, n)) / np.sqrt(n)
    Ps = 0.5 * (Ps + Ps.transpose(0, 2, 1))
    active = rng.choice(m, size=int(rng.integers(1, n + 1)), replace=False)
    multipliers, slack = np.zeros(m), rng.exponential(1.0, m) + 0.01
    multipliers[active], slack[active] = rng.exponential(1.0, len(active)) + 0.01, 0.0
    Px = np.einsum("ijk,k->ij", Ps, x)
    r = -(0.5 * Px @ x + qs @ x) - slack
    P = _hessian(rng, n, False, n)
    q = -(P @ x + (Px + qs).T @ multipliers)
    return Problem("qcqp", "", q, float(0.5 * x @ P @ x + q @ x), P=P, quadratic=(Ps, qs, r))


def _dual_pairs(rng, kind):
    """A point of a cone and one of its dual, complementary: both on the boundary, or one of them 0."""
    if kind == "soc":
        direction = rng.standard_normal(2)
        direction /= np.linalg.norm(direction)
        edge, opposite = np.concatenate([[1.0], direction]), np.concatenate([[1.0], -direction])
        interior = np.concatenate([[np.linalg.norm(direction) + rng.exponential() + 0.01], direction])
    else:
        Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        upper = np.triu_indices(3)
        scale = np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))

        def svec(eigenvalues):
            return ((Q * eigenvalues) @ Q.T)[upper] * scale

        edge, opposite = svec(np.array([1.0, 1.0, 0.0])), svec(np.array([0.0, 0.0, 1.0]))
        interior = svec(rng.exponential(1.0, 3) + 0.01)
    return edge * (rng.exponential() + 0.1), opposite * (rng.exponential() + 0.1), interior


def _conic(rng, kind):
    n, count = int(rng.integers(3, 21)), int(rng.integers(10, 120))
    rows = 3 if kind == "soc" else 6
    x = rng.standard_normal(n)
    G = rng.standard_normal((rows * count, n)) / np.sqrt(n)
    s, z = np.zeros(rows * count), np.zeros(rows * count)
    tight = set(rng.choice(count, size=min(count, int(rng.integers(1, n + 1))), replace=False))
    for k in range(count):
        edge, opposite, interior = _dual_pairs(rng, kind)
        part = slice(rows * k, rows * (k + 1))
        s[part], z[part] = (edge, opposite) if k in tight else (interior, 0.0)
    q = -(G.T @ z)
    lo, hi = x - 5.0 - rng.exponential(1.0, n), x + 5.0 + rng.exponential(1.0, n)
    cone = "soc" if kind == "soc" else "psd"
    return Problem(kind, "", q, float(q @ x), lo=lo, hi=hi, conic=(G, G @ x + s, [(cone, rows, count)]))


def _slit(rng):
    """A vertex far away between two nearly parallel walls: at a distance of the inverse of their angle."""
    n = int(rng.integers(2, 8))
    angle = 10.0 ** rng.uniform(-9.0, -3.0)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    d = Q[:, 0]
    rows, h = [], []
    for k in range(1, n):
        for sign in (1.0, -1.0):
            rows.append(sign * Q[:, k] + angle * d)
            h.append(1.0)
    more = rng.standard_normal((int(rng.integers(0, 20)), n))
    more -= np.outer(np.maximum(more @ d, 0.0) + 0.1, d)  # never in the way
    G, h = np.vstack([rows, more]), np.concatenate([h, np.ones(len(more))])
    # The walls +-Q_k x + angle d'x <= 1 meet where d'x = 1/angle and Q_k x = 0.
    return Problem("slit", "", -d, -1.0 / angle, G=G, h=h)


def _condition(rng):
    problem = _linear(rng, "dense_qp")
    n = problem.n
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    P = (Q * 10.0 ** np.linspace(-6.0, 6.0, n)) @ Q.T
    P = 0.5 * (P + P.T)
    x = rng.standard_normal(n) * 10.0 ** rng.uniform(-1, 1)
    m = len(problem.h)
    multipliers, slack = np.zeros(m), rng.exponential(1.0, m) + 0.01
    active = rng.choice(m, size=min(m, int(rng.integers(0, n + 1))), replace=False)
    multipliers[active], slack[active] = rng.exponential(1.0, len(active)) + 0.01, 0.0
    q = -(P @ x + problem.G.T @ multipliers)
    return Problem("condition", "", q, float(0.5 * x @ P @ x + q @ x), P=P, G=problem.G, h=problem.G @ x + slack)


def _bounds(rng):
    """Every kind of variable at once: free, fixed, one-sided, boxed, wide open."""
    problem = _linear(rng, "dense_lp" if rng.random() < 0.5 else "dense_qp")
    n = problem.n
    x = rng.standard_normal(n)
    gradient = np.zeros(n) if problem.P is None else problem.P @ x
    m = len(problem.h)
    multipliers, slack = np.zeros(m), rng.exponential(1.0, m) + 0.01
    active = rng.choice(m, size=min(m, n), replace=False)
    multipliers[active], slack[active] = rng.exponential(1.0, len(active)) + 0.01, 0.0
    q = -(gradient + problem.G.T @ multipliers)
    lo, hi = np.full(n, -np.inf), np.full(n, np.inf)
    for j, which in enumerate(rng.integers(0, 7, n)):
        push = rng.exponential() + 0.01
        if which == 1:    # fixed
            lo[j] = hi[j] = x[j]
            q[j] += rng.standard_normal()
        elif which == 2:  # at its lower bound
            lo[j], q[j] = x[j], q[j] + push
        elif which == 3:  # at its upper bound
            hi[j], q[j] = x[j], q[j] - push
        elif which == 4:  # inside
            lo[j], hi[j] = x[j] - push, x[j] + push
        elif which == 5:  # wide open
            lo[j], hi[j] = -(10.0 ** rng.uniform(3, 12)), 10.0 ** rng.uniform(3, 12)
    value = float(q @ x + (0.0 if problem.P is None else 0.5 * x @ (problem.P @ x)))
    return Problem("bounds", "", q, value, P=problem.P, G=problem.G, h=problem.G @ x + slack, lo=lo, hi=hi)


def _in_units(rng, problem, columns, rows, objective):
    """The same problem with x = D y, rows and objective multiplied."""
    n = problem.n
    d = 10.0 ** rng.uniform(-columns, columns, n)
    w = 10.0 ** rng.uniform(-objective, objective)
    D = sparse.diags(d)

    def scale(M):
        return sparse.csr_matrix(M @ D) if sparse.issparse(M) else M * d

    if problem.P is not None:
        P = scale(problem.P)
        P = w * (sparse.csr_matrix(D @ P) if sparse.issparse(P) else P * d[:, None])
        problem.P = 0.5 * (P + P.T)
    problem.q, problem.value = w * problem.q * d, w * problem.value
    for bound in ("lo", "hi"):
        if getattr(problem, bound) is not None:
            setattr(problem, bound, getattr(problem, bound) / d)
    for matrix, side in (("G", "h"), ("E", "e")):
        if getattr(problem, matrix) is None:
            continue
        M = scale(getattr(problem, matrix))
        v = 10.0 ** rng.uniform(-rows, rows, M.shape[0])
        setattr(problem, matrix, sparse.csr_matrix(sparse.diags(v) @ M) if sparse.issparse(M) else M * v[:, None])
        setattr(problem, side, getattr(problem, side) * v)
    if problem.quadratic is not None:
        Ps, qs, r = problem.quadratic
        v = 10.0 ** rng.uniform(-rows, rows, len(r))
        problem.quadratic = (Ps * np.multiply.outer(v, np.outer(d, d)), qs * d * v[:, None], r * v)
    if problem.conic is not None:
        G, h, cones = problem.conic
        v = np.repeat(10.0 ** rng.uniform(-rows, rows, cones[0][2]), cones[0][1])  # one factor per cone
        problem.conic = (G * d * v[:, None], h * v, cones)


def make(index, seed, widest, kinds=KINDS):
    """Problem `index` of a run: the kinds take turns, the spreads of units are drawn between 0 and `widest` decades."""
    rng = np.random.default_rng([seed, index])
    kind = kinds[index % len(kinds)]
    if kind in OTHERS:
        problem = {"slit": _slit, "condition": _condition, "bounds": _bounds}[kind](rng)
    elif kind == "qcqp":
        problem = _qcqp(rng)
    elif kind in ("soc", "lmi"):
        problem = _conic(rng, kind)
    else:
        problem = _linear(rng, kind)
    spreads = rng.uniform(0.0, widest, 3)
    _in_units(rng, problem, *spreads)
    problem.units = dict(zip(("columns", "rows", "objective"), spreads))
    problem.name = f"{kind} {index}"
    return problem
