"""Problems drawn at random, one kind of problem a function; each says what may be claimed of it.

Wherever that is cheap the least value is known: planted, found by HiGHS, or by the same problem formulated in another way.
"""

import concurrent.futures
import functools
import math
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pliant as pl
from pliant import _shards as shard_workers
from scipy import sparse
from scipy.optimize import linprog

#: What may be claimed of families without solutions; rows that exclude each other may leave a ray as well.
NO_SOLUTION = {"infeasible": ("primal_infeasible", "dual_infeasible"), "unbounded": ("dual_infeasible",)}
#: What a family's parameters may be: the sizes of people in a hurry.
SIZES = {"m": (5, 3000), "n": (2, 40), "d": (2, 6), "l": (20, 500), "terms": (2, 6), "rank": (1, 4), "k": (2, 4)}
SWITCHES = {
    "correlation": (0, 0.9), "degenerate": (0, 1), "heavy": (0, 1), "curved": (0, 1), "qp": (0, 1), "boxed": (0, 1),
    "thin": (0, 1), "tau": (0.05, 0.5, 0.95), "beta": (0.5, 0.9, 0.99), "C": (1, 1000), "outliers": (0, 0.3),
}
#: What may be asked of the engines; what they cannot take they refuse.
METHODS = [
    {"method": "path", "linear_algebra": "dense"}, {"method": "path", "linear_algebra": "sparse"},
    {"method": "path", "linear_algebra": "iterative"}, {"method": "path", "path_form": "primal"},
    {"method": "path", "path_form": "primal-dual"}, {"nonsmooth": "interior"}, {"nonsmooth": "spectral"},
    *({"method": name} for name in ("apg", "lbfgs", "svrg", "katyusha", "rpdg", "sdca", "loopless-svrg", "catalyst-svrg")),
    {"method": "apg", "outer": "nested"}, {"method": "lbfgs", "outer": "multiplier"},
]
ROUGH_SECONDS = 4.0  # for methods that were not chosen for the problem


@dataclass
class Case:
    words: str  # what it is
    problem: pl.Problem
    options: dict = field(default_factory=dict)  # of solve
    ends: tuple = ("optimal",)  # what may be claimed of it; limits and honest failures are allowed anyway
    known: float | None = None  # the least value
    other: Callable[[], pl.Problem] | None = None  # the same problem in another form
    file: bool = True  # whether it can be written
    seconds: float = 0.0  # that a solve took
    close: Callable[[], None] = lambda: None


@functools.cache
def families(command):
    """Names and parameters, from the command's own list."""
    text = subprocess.run([command, "generate", "--list"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^(\w+) .*\n +(.*)$", text, re.MULTILINE)
    return {name: [p.split("=")[0] for p in rest.split() if "FILE" not in p] for name, rest in found}


def numbers(rng):
    return np.random.default_rng(rng.randrange(2**63))


def size(rng, low, high):
    """Small ones as often as large ones."""
    return int(low * (high / low) ** rng.random())


def generated(rng, command):
    kinds = families(command)
    family = rng.choice(sorted(kinds))
    parameters = {"seed": rng.randrange(10**6)}
    for name in kinds[family]:
        if name in SIZES:
            parameters[name] = size(rng, *SIZES[name])
        elif name in SWITCHES and rng.random() < 0.5:
            parameters[name] = rng.choice(SWITCHES[name])
    problem = getattr(pl.generate, family)(**parameters)
    words = f"{family} {' '.join(f'{k}={v}' for k, v in parameters.items())}"
    known = problem.known_optimum
    return Case(words, problem, ends=NO_SOLUTION.get(family, ("optimal",)), known=known[0] if known is not None else None)


def by_method(rng, command):
    case = generated(rng, command)
    case.options = dict(rng.choice(METHODS))
    if case.options.get("method", "path") != "path":
        case.options |= {"time_limit": ROUGH_SECONDS} | rng.choice(({}, {"tol_feas": 1e-3, "tol_gap": 1e-3}))
    case.words += f" {case.options}"
    return case


# ---- soft rows


def _loss(np_rng, A, b):
    """A loss of A x - b, and the pairs (G, h, weights) of soft rows it stands for."""
    l, kind = len(b), np_rng.integers(5)
    w = 10.0 ** np_rng.uniform(-2, 2, l) if np_rng.random() < 0.5 else np.ones(l)
    M = sparse.csr_matrix(A) if np_rng.random() < 0.3 else A
    if kind == 0:
        return pl.positive_part(M, b, w), [(A, b, w)]
    if kind == 1:
        tau = float(np_rng.uniform(0.05, 0.95))
        return pl.quantile(M, b, tau, w), [(-A, -b, w * tau / l), (A, b, w * (1 - tau) / l)]
    if kind == 2:
        return pl.absolute(M, b, w), [(A, b, w / l), (-A, -b, w / l)]
    if kind == 3:
        eps = float(np_rng.choice([0.0, 0.1, 1.0]))
        return pl.epsilon_insensitive(M, b, eps, w), [(A, b + eps, w / l), (-A, eps - b, w / l)]
    y = np.where(b > 0, 1.0, -1.0)
    return pl.hinge(M, y, w), [(-y[:, None] * A, -np.ones(l), w / l)]


def _rows(np_rng, l, n):
    """Whole numbers make ties at kinks, copies make multipliers that are not unique."""
    if np_rng.random() < 0.3:
        return np_rng.integers(-2, 3, (l, n)).astype(float), np_rng.integers(-2, 3, l).astype(float)
    A, b = np_rng.standard_normal((l, n)), np_rng.standard_normal(l)
    return (np.repeat(A, 2, axis=0), np.repeat(b, 2)) if np_rng.random() < 0.2 else (A, b)


def _least_of_slacks(n, c, pairs, hard, box):
    """HiGHS on min c'x + sum w s, G x - s <= h, s >= 0."""
    slacks = sum(len(h) for _, h, _ in pairs)
    cost = np.concatenate([c, *(w for *_, w in pairs)])
    columns = -sparse.eye_array(slacks)
    upper = sparse.hstack([sparse.csr_array(np.vstack([G for G, *_ in pairs])), columns])
    rhs = np.concatenate([h for _, h, _ in pairs])
    if hard is not None:
        upper = sparse.vstack([upper, sparse.hstack([sparse.csr_array(hard[0]), sparse.csr_array((len(hard[1]), slacks))])])
        rhs = np.concatenate([rhs, hard[1]])
    out = linprog(cost, upper, rhs, bounds=[(-box, box)] * n + [(0, None)] * slacks)
    return float(out.fun) if out.status == 0 else None


def soft(rng, _):
    """Losses with kinks, perhaps beside hard rows, squares or rows that contradict each other."""
    np_rng, n = numbers(rng), size(rng, 1, 20)
    p, box, pairs = pl.Problem(n), 3.0, []
    c = np_rng.standard_normal(n)
    p.minimize(pl.linear(c))
    for _ in range(rng.randint(1, 3)):
        scale = rng.choice((1.0, 0.25, 30.0))
        term, rows = _loss(np_rng, *_rows(np_rng, size(rng, 1, 1500), n))
        p.add_to_objective(scale * term)
        pairs += [(G, h, scale * w) for G, h, w in rows]
    p.regularize(pl.box(-box, box))
    squares, hard, ends = rng.random() < 0.3, None, ("optimal",)
    if squares:
        p.add_to_objective(pl.quadratic(np.diag(np_rng.uniform(0.0, 2.0, n)), np.zeros(n)))
    if rng.random() < 0.5:
        G = np_rng.integers(-2, 3, (rng.randint(1, 6), n)).astype(float)
        h = G @ np_rng.uniform(-1, 1, n) + np_rng.integers(0, 2, len(G))
        if rng.random() < 0.2:
            G, h, ends = np.vstack([G, G[:1], -G[:1]]), np.concatenate([h, [-1.0, -1.0]]), ("primal_infeasible",)
        hard = (G, h)
        p.subject_to(pl.linear_le(G, h))
    known = None
    if not squares and ends == ("optimal",) and sum(len(h) for _, h, _ in pairs) <= 600:
        known = _least_of_slacks(n, c, pairs, hard, box)
    return Case(f"soft n={n} rows={sum(len(h) for _, h, _ in pairs)}", p, ends=ends, known=known)


def worst_losses(rng, _):
    """CVaR as a term beside a return, and as a limit."""
    np_rng, n, m = numbers(rng), size(rng, 2, 20), size(rng, 20, 2000)
    L, beta = np_rng.standard_normal((m, n)) * 10.0 ** np_rng.uniform(-2, 2), rng.choice((0.5, 0.9, 0.95))
    gain = np_rng.uniform(0.0, 1.0, n)
    p = pl.Problem(n).regularize(pl.simplex(1.0))
    if rng.random() < 0.5:
        return Case(f"cvar n={n} m={m}", p.minimize(pl.linear(-gain) + pl.cvar(L, beta)), file=False)
    even = np.sort(L @ np.full(n, 1.0 / n))[-max(1, math.floor((1 - beta) * m)) :].mean()  # what the middle loses, or more
    p.minimize(pl.linear(-gain)).subject_to(pl.cvar_le(L, beta, float(even + abs(even) * rng.uniform(0.01, 1.0))))
    return Case(f"cvar_le n={n} m={m}", p)


# ---- prices on cones


def _svec(matrices):
    """Lower triangles by columns, off-diagonal entries times sqrt(2)."""
    k = matrices.shape[-1]
    columns, rows = np.triu_indices(k)
    return matrices[..., rows, columns] * np.where(rows == columns, 1.0, math.sqrt(2.0))


def _with_slack_cones(n, start, cones, values, slopes, prices, trace):
    """start + sum of prices times trace Z, Z - A(x) and Z in the cone; A(x) = values + slopes x."""
    m, rows = values.shape
    width = n + m * rows
    p = pl.Problem(width).minimize(pl.linear(np.concatenate([start, np.outer(prices, trace).ravel()])))
    far = np.r_[np.full(n, 2.0), np.full(m * rows, np.inf)]
    p.regularize(pl.box(-far, far))
    Z = sparse.hstack([sparse.csr_array((m * rows, n)), sparse.eye_array(m * rows)])
    A = sparse.hstack([sparse.csr_array(slopes.reshape(m * rows, n)), sparse.csr_array((m * rows, m * rows))])
    p.subject_to(pl.conic(sparse.csr_matrix(A - Z), -values.ravel(), cones * m))
    p.subject_to(pl.conic(sparse.csr_matrix(-Z), np.zeros(m * rows), cones * m))
    return p


def cone_prices(rng, _):
    """w_i times the positive eigenvalues of second-order or semidefinite cones, beside the form with a cone of slacks."""
    np_rng, n, m = numbers(rng), size(rng, 1, 8), size(rng, 1, 60)
    c, w = np_rng.standard_normal(n), np_rng.uniform(0.1, 3.0, m)
    if rng.random() < 0.5:
        k = rng.randint(1, 3)
        A, b = np_rng.standard_normal((m, k, n)), np_rng.standard_normal((m, k))
        apart = rng.random() < 0.5
        slope, room = np_rng.standard_normal((m, n)) * apart, np_rng.standard_normal(m) * apart
        term = pl.positive_part(pl.soc_le(A, b, slope, room), weights=w)
        values, slopes = np.c_[-room, b], np.concatenate([-slope[:, None, :], A], axis=1)
        cones, trace = [("soc", k + 1)], np.r_[2.0, np.zeros(k)]
    else:
        k = rng.randint(2, 3)
        F = np_rng.standard_normal((m, n + 1, k, k))
        F = F + F.transpose(0, 1, 3, 2)
        term = pl.positive_part(pl.lmi_le(F[:, 0], F[:, 1:]), weights=w)
        values, slopes = _svec(F[:, 0]), _svec(F[:, 1:]).transpose(0, 2, 1)
        cones, trace = [("psd", k)], _svec(np.eye(k))
    p = pl.Problem(n).minimize(pl.linear(c) + term).regularize(pl.box(-2.0, 2.0))
    other = functools.partial(_with_slack_cones, n, c, cones, values, slopes, w, trace)
    return Case(f"prices on {cones[0]} n={n} m={m}", p, other=other, file=False)


# ---- rows elsewhere


class Forgetful(concurrent.futures.Executor):
    """An executor without threads of its own that now and then loses what a shard knew."""

    def __init__(self, rng):
        self.rng = rng

    def submit(self, function, name, *rest):
        future = concurrent.futures.Future()
        try:
            if self.rng.random() < 0.1:
                shard_workers._here.pop(name, None)
                raise ConnectionError("worker is gone")
            future.set_result(function(name, *rest))
        except Exception as error:
            future.set_exception(error)
        return future


def _shards(rng, A, h):
    """The rows, cut anywhere; held here or by somebody who forgets."""
    cuts = sorted(rng.randrange(1, len(h)) for _ in range(rng.randint(0, 3)))
    parts = [(G, t) for G, t in zip(np.split(A, cuts), np.split(h, cuts)) if len(t) > 0]
    workers = Forgetful(rng) if rng.random() < 0.4 else None
    return pl.Shards(workers, parts, retries=50)


def shards(rng, _):
    np_rng, n, m = numbers(rng), size(rng, 2, 10), size(rng, 50, 6000)
    G = np_rng.standard_normal((m, n))
    h, c = np.linalg.norm(G, axis=1) * np_rng.uniform(0.5, 1.5, m), np_rng.standard_normal(n)
    term = pl.linear(c) + rng.choice((0.0, 0.3)) * pl.quadratic(np.eye(n))

    def problem(rows):
        p = pl.Problem(n).minimize(term).regularize(pl.box(-10.0, 10.0))
        p.subject_to(rows)
        return p

    held = _shards(rng, G, h)
    return Case(f"rows in shards n={n} m={m}", problem(pl.linear_le(held)), other=lambda: problem(pl.linear_le(G, h)),
                file=False, close=held.close)


def loss_shards(rng, _):
    """Losses with kinks, perhaps beside hard rows, and smooth ones, of data in shards."""
    np_rng, n, m = numbers(rng), size(rng, 2, 10), size(rng, 50, 6000)
    A = np_rng.standard_normal((m, n))
    t = A @ np_rng.standard_normal(n) + np_rng.standard_normal(m)
    losses = {
        "quantile": lambda *data: pl.quantile(*(data if len(data) > 1 else (*data, None)), 0.3),
        "absolute": pl.absolute, "hinge": pl.hinge, "least_squares": pl.least_squares, "logistic": pl.logistic,
        "epsilon_insensitive": lambda *data: pl.epsilon_insensitive(*(data if len(data) > 1 else (*data, None)), 0.3),
        "huber": lambda *data: pl.huber(*(data if len(data) > 1 else (*data, None)), 0.7),
    }
    name = rng.choice(sorted(losses))
    if name in ("hinge", "logistic"):
        t = np.where(t > 0, 1.0, -1.0)
    smooth = name in ("least_squares", "logistic", "huber")
    hard = None if smooth or rng.random() < 0.6 else (np_rng.standard_normal((3, n)), np_rng.uniform(-0.1, 1.0, 3))

    def problem(*data):
        p = pl.Problem(n).minimize(2.0 * losses[name](*data)).regularize(pl.l2_squared(0.1))
        if hard is not None:
            p.subject_to(pl.linear_le(*hard))
        return p

    held = _shards(rng, A, t)
    return Case(f"{name} in shards n={n} m={m}", problem(held), other=lambda: problem(A, t), file=False, close=held.close,
                ends=("optimal",) if hard is None else ("optimal", "primal_infeasible"))


# ---- sparse programs and functions


def flows(rng, _):
    """Goods on a random graph: most capacities have slack and are left out of the factorisations."""
    np_rng, goods, nodes = numbers(rng), rng.randint(3, 12), rng.randint(6, 25)
    tails = np.r_[np.arange(nodes), np_rng.integers(0, nodes, 2 * nodes)]
    heads = np.r_[(np.arange(nodes) + 1) % nodes, np_rng.integers(0, nodes, 2 * nodes)]
    keep = tails != heads
    tails, heads = tails[keep], heads[keep]
    arcs = len(tails)
    balance = sparse.csr_array((np.r_[np.ones(arcs), -np.ones(arcs)], (np.r_[tails, heads], np.r_[:arcs, :arcs])),
                               shape=(nodes, arcs))
    E, e = sparse.block_diag([balance] * goods, format="csr"), np.zeros(goods * nodes)
    for k in range(goods):
        at, to = np_rng.choice(nodes, 2, replace=False)
        e[k * nodes + at] += 1.0
        e[k * nodes + to] -= 1.0
    G = sparse.hstack([sparse.eye_array(arcs)] * goods, format="csr")
    width = rng.choice((0.3, 1.0, 3.0))
    h = np.where(tails == (heads - 1) % nodes, float(goods), width * np_rng.uniform(0.2, 2.0, arcs))
    c = np.where(tails == (heads - 1) % nodes, 5.0, 1.0) * np_rng.uniform(0.5, 1.5, (goods, arcs))
    p = pl.Problem(goods * arcs).minimize(pl.linear(c.ravel())).regularize(pl.nonnegative())
    p.subject_to(pl.equal(sparse.csr_matrix(E), e))
    p.subject_to(pl.linear_le(sparse.csr_matrix(G), h))
    best = linprog(c.ravel(), G, h, E, e, bounds=(0, None))
    known = float(best.fun) if best.status == 0 else None
    return Case(f"flows goods={goods} nodes={nodes} arcs={arcs}", p, known=known)


def functions(rng, _):
    """Quadratic rows as functions of Python, and as rows."""
    np_rng, n, m = numbers(rng), size(rng, 1, 8), size(rng, 1, 40)
    D, q, r = np_rng.uniform(0.1, 2.0, (m, n)), np_rng.standard_normal((m, n)), -np_rng.uniform(0.1, 2.0, m)
    c = np_rng.standard_normal(n)

    def of(rows):
        return slice(None) if rows is None else rows

    def problem(rows):
        p = pl.Problem(n).minimize(pl.linear(c))
        p.subject_to(rows)
        return p

    rows = pl.callback_le(m, lambda x, rows: 0.5 * D[of(rows)] @ (x * x) + q[of(rows)] @ x + r[of(rows)],
                          lambda x, rows: D[of(rows)] * x + q[of(rows)], lambda x, w, rows: np.diag(w @ D[of(rows)]))
    return Case(f"functions n={n} m={m}", problem(rows), file=False,
                other=lambda: problem(pl.quadratic_le(diagonal=D, q=q, r=r)))


#: How often each kind is drawn.
KINDS = [(generated, 40), (by_method, 15), (soft, 12), (worst_losses, 4), (cone_prices, 8), (shards, 5), (loss_shards, 6),
         (flows, 5), (functions, 5)]


def draw(rng, command):
    """A case; InputError where sizes do not go together."""
    kinds, weights = zip(*KINDS)
    return rng.choices(kinds, weights)[0](rng, command)
