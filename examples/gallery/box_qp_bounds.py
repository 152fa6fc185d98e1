"""Bounds for a quadratic over a box that is not convex: relaxations by minors of growing order."""

import itertools

import numpy as np
import pliant as pl
from common import BLUE, GREY, RED, Example

example = Example(__doc__)
rng = example.rng
d, orders = example.size(9, 6), (2, 3, 4)
Q = rng.integers(-50, 51, (d, d)).astype(float)
Q = (Q + Q.T) / 2
c = rng.integers(-50, 51, d).astype(float)

# Variables: x, then the lower triangle of X by columns, which stands for xx'; in the box 0 <= x, X <= 1.
pairs = [(i, j) for j in range(d) for i in range(j, d)]
place = {pair: d + k for k, pair in enumerate(pairs)}
n = d + len(pairs)
cost = np.concatenate([c, [Q[i, j] * (0.5 if i == j else 1.0) for i, j in pairs]])


def entry(i, j):
    """Where entry (i, j) of [1, x'; x, X] stands: -1 is the constant 1."""
    i, j = max(i, j), min(i, j)
    return -1 if i == 0 else i - 1 if j == 0 else place[i - 1, j - 1]


def mccormick():
    """X_ij <= x_i, X_ij <= x_j, X_ij >= x_i + x_j - 1 as rows G y <= h."""
    G, h = [], []
    for (i, j), k in place.items():
        for signs, side in ((((k, 1), (i, -1)), 0), (((k, 1), (j, -1)), 0), (((k, -1), (i, 1), (j, 1)), 1)):
            line = np.zeros(n)
            for at, sign in signs:
                line[at] += sign
            G.append(line)
            h.append(side)
    return np.array(G), np.array(h, float)


G, h = mccormick()


def minors(order):
    """-M_S <= 0 for all principal minors S of that order of M = [1, x'; x, X]."""
    sets = list(itertools.combinations(range(d + 1), order))
    F0, F = np.zeros((len(sets), order, order)), np.zeros((len(sets), n, order, order))
    for s, rows in enumerate(sets):
        for (a, i), (b, j) in itertools.product(enumerate(rows), repeat=2):
            at = entry(i, j)
            if at < 0:
                F0[s, a, b] = -1
            else:
                F[s, at, a, b] = -1
    return F0, F


def relaxed(order):
    p = pl.Problem(n)
    p.minimize(pl.linear(cost))
    p.regularize(pl.box(np.zeros(n), np.ones(n)))
    p.subject_to(pl.linear_le(G, h), name="products")
    F0, F = minors(order)
    p.subject_to(pl.lmi_le(F0, F), name="minors")
    return p.solve(tol_gap=5e-8, tol_feas=1e-8), F0, F


def climbed(x):
    """A local minimum from x, one coordinate after the other, each at its exact best."""
    for _ in range(200):
        before = x.copy()
        for j in range(d):
            slope = Q[j] @ x - Q[j, j] * x[j] + c[j]
            ends = [0.0, 1.0] + ([min(max(-slope / Q[j, j], 0.0), 1.0)] if Q[j, j] > 0 else [])
            x[j] = min(ends, key=lambda t: 0.5 * Q[j, j] * t * t + slope * t)
        if np.array_equal(before, x):
            break
    return 0.5 * x @ Q @ x + c @ x


best = min(climbed(rng.random(d)) for _ in range(300))                # an upper bound of the optimum
solved = [relaxed(order) for order in orders]
for (r, F0, F), order in zip(solved, orders):
    def violation(y, F0=F0, F=F):
        return max((G @ y - h).max(), np.linalg.eigvalsh(F0 + np.einsum("mnij,n->mij", F, y)).max(), -y.min(), y.max() - 1)

    print(f"minors of order {order}: {len(F0)}")
    example.judge(objective=lambda y: cost @ y, violation=violation)
    example.pliant(r)
    example.check("the bound lies below a known value", r.lower_bound - best, 1e-6)
bounds = [r.lower_bound for r, _, _ in solved]
example.check("bounds rise with the order", -min(np.diff(bounds)), 1e-5 * abs(best))
example.rows = example.rows[-1:]

if example.peers:
    import cvxpy as cp

    y = cp.Variable(n)
    F0, F = solved[-1][1:]
    size = orders[-1]
    matrices = [cp.reshape(F[s].reshape(n, -1).T @ y, (size, size), order="C") + F0[s] << 0 for s in range(len(F0))]
    model = cp.Problem(cp.Minimize(cost @ y), [*matrices, G @ y <= h, y >= 0, y <= 1])
    example.cvxpy(model, lambda: y.value, "CLARABEL", "SCS")

with example.picture() as axes:
    if axes is not None:
        axes.plot(orders, bounds, "o-", color=BLUE, label="proved lower bound")
        axes.axhline(best, color=RED, label="best value known")
        for order, bound, (_, F0, _) in zip(orders, bounds, solved):
            axes.annotate(f"{len(F0)} minors", (order, bound), textcoords="offset points", xytext=(4, -12), color=GREY)
        axes.set_xticks(orders)
        axes.set_xlabel("order of the minors")
        axes.margins(0.15)
        axes.legend(frameon=False)
example.end()
