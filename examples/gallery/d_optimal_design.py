"""Which experiments to make: a D-optimal design for a polynomial in two variables."""

import itertools

import numpy as np
import pliant as pl
from common import BLUE, GREY, Example

example = Example(__doc__)
side, degree = example.size(121, 31), 3
grid = np.array(list(itertools.product(np.linspace(-1, 1, side), repeat=2)))
inside = grid[np.abs(grid).sum(axis=1) <= 1.5]                        # a square without its corners
powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
V = np.column_stack([inside[:, 0] ** i * inside[:, 1] ** j for i, j in powers])
m, d = V.shape                                                        # candidates, coefficients

# max log det sum_i w_i v_i v_i' over weights w of sum 1 is the dual of: min -log det X s.t. v_i'X v_i <= d
p = pl.Problem(d * (d + 1) // 2)
p.minimize(pl.log_det(d))
rows = p.subject_to(pl.rank_one_le(V, np.full(m, float(d))), name="candidates")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)


def matrix(x):
    X = np.zeros((d, d))
    X.T[np.triu_indices(d)] = x
    return (X + X.T) / np.where(np.eye(d) > 0, 2, np.sqrt(2))


example.judge(objective=lambda x: -np.linalg.slogdet(matrix(x))[1],
              violation=lambda x: (np.einsum("ij,jk,ik->i", V, matrix(x), V).max() - d) / d)
example.pliant(r)

# The weights are the multipliers. Kiefer and Wolfowitz: a design is optimal if and only if no candidate has a variance
# v'M(w)^-1 v above d, the number of coefficients; this asks nothing of the solver.
w = np.maximum(r.duals[rows], 0)
w /= w.sum()
variance = np.einsum("ij,ji->i", V, np.linalg.solve((V * w[:, None]).T @ V, V.T))
example.check("largest variance, relative to d", variance.max() / d - 1, 1e-6)
print(f"{int((w > 1e-4).sum())} of {m:,} candidates are worth an experiment")

if example.peers:
    import cvxpy as cp

    def multiplicative(steps):
        """The classical algorithm: w_i times its variance over d, until all variances are at most d (1 + 1e-6)."""
        w, made = np.full(m, 1 / m), 0
        while True:
            M = (V * w[:, None]).T @ V
            variance = np.einsum("ij,ji->i", V, np.linalg.solve(M, V.T))
            if variance.max() <= d * (1 + 1e-6) or made == steps:
                break
            w *= variance / d
            made += 1
        X = np.linalg.inv(M)
        return np.where(np.eye(d) > 0, 1, np.sqrt(2))[np.triu_indices(d)] * X[np.triu_indices(d)], f"{made} steps"

    example.peer("multiplicative algorithm", lambda: multiplicative(2_000))
    weights = cp.Variable(m, nonneg=True)
    products = np.einsum("ij,ik->jki", V, V).reshape(d * d, m)
    moments = cp.reshape(products @ weights, (d, d), order="C")
    model = cp.Problem(cp.Maximize(cp.log_det(moments)), [cp.sum(weights) == 1])

    def answer():
        X = np.linalg.inv((V * np.maximum(weights.value, 0)[:, None]).T @ V)
        return np.where(np.eye(d) > 0, 1, np.sqrt(2))[np.triu_indices(d)] * X[np.triu_indices(d)]

    example.cvxpy(model, answer, "CLARABEL", "SCS")

with example.picture(width=4.4, height=4.0) as axes:
    if axes is not None:
        shown = inside[:: max(1, m // 500)]
        axes.plot(*shown.T, ".", color=GREY, markersize=1)
        axes.scatter(*inside[w > 1e-4].T, 1500 * w[w > 1e-4], color=BLUE)
        axes.set_aspect("equal")
        axes.set_xticks([-1, 0, 1])
        axes.set_yticks([-1, 0, 1])
        axes.set_title(f"cubic in two variables: {int((w > 1e-4).sum())} of {m:,} candidates", fontsize=9)
example.end()
