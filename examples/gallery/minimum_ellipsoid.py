"""The ellipse of least area around a cloud of points."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
d, m = 2, example.size(30_000, 2_000)
points = example.rng.standard_t(8, (m, d)) @ np.array([[2.0, 0.6], [0.3, 1.0]]) + [1.0, -2.0]

# {y : (y, 1)'X(y, 1) <= 1}, variables svec(X): the lower triangle by columns, off the diagonal times sqrt(2).
order = d + 1
p = pl.Problem(order * (order + 1) // 2)
p.minimize(pl.log_det(order))                                       # -log det X
rows = p.subject_to(pl.rank_one_le(points, np.ones(m), lifted=True))
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)


def matrix(x):
    X = np.zeros((order, order))
    X.T[np.triu_indices(order)] = x
    return (X + X.T) / np.where(np.eye(order) > 0, 2, np.sqrt(2))


lifted = np.hstack([points, np.ones((m, 1))])
example.judge(objective=lambda x: -np.linalg.slogdet(matrix(x))[1],
              violation=lambda x: np.einsum("ij,jk,ik->i", lifted, matrix(x), lifted).max() - 1)
example.pliant(r)

# The multipliers are an optimal design: X is the inverse of the moments they weigh, and they add up to the order.
weights = r.duals[rows]
moments = np.einsum("i,ij,ik->jk", weights, lifted, lifted)
example.check("X times the moments is the identity", np.abs(matrix(r.x) @ moments - np.eye(order)).max(), 1e-5)
example.check("multipliers add up to d + 1", abs(weights.sum() - order), 1e-6)

if example.peers:
    import cvxpy as cp

    A, b = cp.Variable((d, d), symmetric=True), cp.Variable(d)

    def answer():  # of {y : |A y + b| <= 1}, as X of the same ellipse with the row of X at its best
        B, c = A.value, b.value
        M, centre = B.T @ B, -np.linalg.solve(B, c)
        X = np.block([[M, -(M @ centre)[:, None]], [-(M @ centre)[None, :], np.atleast_2d(centre @ M @ centre)]]) * d / order
        X[d, d] += 1 / order
        return np.where(np.eye(order) > 0, 1, np.sqrt(2))[np.triu_indices(order)] * X[np.triu_indices(order)]

    model = cp.Problem(cp.Minimize(-cp.log_det(A)), [cp.norm(points @ A + b[None, :], axis=1) <= 1])
    example.cvxpy(model, answer, "CLARABEL", "SCS")

with example.picture() as axes:
    if axes is not None:
        X = matrix(r.x)
        centre = -np.linalg.solve(X[:d, :d], X[:d, d])
        shape = np.linalg.inv(np.linalg.cholesky(X[:d, :d] / (1 - X[d, d] + centre @ X[:d, :d] @ centre)).T)
        angles = np.linspace(0, 2 * np.pi, 200)
        edge = centre + np.column_stack([np.cos(angles), np.sin(angles)]) @ shape.T
        shown = points[:: max(1, m // 500)]
        touched = points[weights > 1e-6]
        axes.plot(*shown.T, ".", color=GREY, markersize=2, label=f"{len(shown)} of {m:,} points")
        axes.plot(*edge.T, color=BLUE, label="ellipse")
        axes.plot(*touched.T, "o", color=ORANGE, label=f"{len(touched)} points with a multiplier")
        axes.set_aspect("equal")
        axes.legend(frameon=False, fontsize=8)
example.end()
