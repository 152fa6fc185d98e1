"""The largest ball in a polytope with very many sides."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng


def polytope(d, m):
    """Half-spaces a_i'y <= b_i with unit normals around a shifted egg."""
    a = rng.standard_normal((m, d))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    axes = 1 + np.arange(d) / d
    return a, np.linalg.norm(a * axes, axis=1) * (1 + 0.2 * rng.random(m)) + a @ rng.standard_normal(d)


def centre(a, b):
    """max radius  s.t.  a_i'y + |a_i| radius <= b_i, x = (y, radius)"""
    d = a.shape[1]
    p = pl.Problem(d + 1)
    p.minimize(pl.linear(-np.eye(d + 1)[d]))
    rows = p.subject_to(pl.linear_le(np.hstack([a, np.linalg.norm(a, axis=1, keepdims=True)]), b))
    return p.solve(tol_gap=1e-9, tol_feas=1e-9), rows


d, m = 10, example.size(100_000, 2_000)
a, b = polytope(d, m)
r, rows = centre(a, b)
example.judge(objective=lambda x: -x[d], violation=lambda x: (a @ x[:d] + x[d] - b).max())
example.pliant(r)

# By the multipliers w: sum w_i a_i = 0 and sum w_i = 1, so that w'b is a radius that no ball exceeds.
w = np.maximum(r.duals[rows], 0)
example.check("the normals of the sides that hold it balance", np.abs(a.T @ w).max(), 1e-6)
example.check("and prove that no ball is larger", abs(w @ b - r.x[d]), 1e-6)
print(f"radius {r.x[d]:.6f}, held by {int((w > 1e-8).sum())} of {m:,} sides")

if example.peers:
    import cvxpy as cp

    x = cp.Variable(d + 1)
    model = cp.Problem(cp.Minimize(-x[d]), [np.hstack([a, np.ones((m, 1))]) @ x <= b])
    example.cvxpy(model, lambda: x.value, "HIGHS", "CLARABEL")

with example.picture(width=4.6, height=4.0) as axes:
    if axes is not None:
        a2, b2 = polytope(2, 40)
        flat, _ = centre(a2, b2)
        y, radius = flat.x[:2], flat.x[2]
        reach = np.linspace(-6, 6, 2)
        for normal, side in zip(a2, b2):
            along = np.array([-normal[1], normal[0]])
            axes.plot(*(side * normal[:, None] + along[:, None] * reach), color=GREY, linewidth=0.6)
        angles = np.linspace(0, 2 * np.pi, 200)
        axes.fill(y[0] + radius * np.cos(angles), y[1] + radius * np.sin(angles), color=BLUE, alpha=0.4)
        touching = (b2 - a2 @ y - radius) < 1e-6
        axes.plot(*(y + radius * a2[touching]).T, "o", color=ORANGE, markersize=4)
        axes.plot(*y, "+", color="black")
        axes.set_xlim(y[0] - 2.4, y[0] + 2.4)
        axes.set_ylim(y[1] - 2.4, y[1] + 2.4)
        axes.set_aspect("equal")
        axes.set_title("the same in the plane, with 40 sides", fontsize=9)
example.end()
