"""A convex function through noisy data: all pairs of points are constraints."""

import numpy as np
import pliant as pl
import scipy.sparse as sp
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
d, l = 2, example.size(120, 40)
points = rng.uniform(-1, 1, (l, d))


def truth(y):
    return np.maximum(np.abs(y @ [1.0, 0.3]), (y ** 2).sum(axis=-1))


values = truth(points) + 0.1 * rng.standard_normal(l)

# min 1/(2l) sum (v_i - values_i)^2 + 1e-6/2 |g|^2  s.t.  v_j >= v_i + g_i'(y_j - y_i) for all pairs; x = (v, g_1, ..., g_l)
i, j = np.nonzero(~np.eye(l, dtype=bool))
m, n = len(i), l * (1 + d)
step = points[j] - points[i]
row = np.arange(m)
G = sp.csr_matrix((np.concatenate([np.ones(m), -np.ones(m), step[:, 0], step[:, 1]]),
                   (np.tile(row, 4), np.concatenate([i, j, l + d * i, l + d * i + 1]))), shape=(m, n))
ridge = 1e-6                                                          # makes the slopes unique
P = sp.diags(np.concatenate([np.full(l, 1 / l), np.full(l * d, ridge)])).tocsr()
q = np.concatenate([-values / l, np.zeros(l * d)])
p = pl.Problem(n)
p.minimize(pl.quadratic(P, q))
rows = p.subject_to(pl.linear_le(G, np.zeros(m)), name="pairs")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)

example.judge(objective=lambda x: 0.5 * x @ (P @ x) + q @ x, violation=lambda x: (G @ x).max())
example.pliant(r)

v, g = r.x[:l], r.x[l:].reshape(l, d)


def fitted(y):
    """The largest of the tangent planes: convex, whatever the numbers are."""
    return (v + np.einsum("...ld,ld->...l", y[..., None, :] - points, g)).max(axis=-1)


example.check("the planes give the fitted values", np.abs(fitted(points) - v).max(), 1e-6)
example.check("gradient of the Lagrangian", np.abs(P @ r.x + q + G.T @ r.duals[rows]).max(), 1e-6)
before, after = (np.mean((guess - truth(points)) ** 2) for guess in (values, v))
print(f"mean square error to the truth: data {before:.5f}, fit {after:.5f}")

if example.peers:
    import cvxpy as cp

    x = cp.Variable(n)
    model = cp.Problem(cp.Minimize(0.5 * cp.quad_form(x, P, assume_PSD=True) + q @ x), [G @ x <= 0])
    example.cvxpy(model, lambda: x.value, "CLARABEL", "OSQP")

with example.picture(columns=2, width=7.0, height=3.2) as axes:
    if axes is not None:
        line = np.linspace(-1, 1, 80)
        plane = np.stack(np.meshgrid(line, line), axis=-1)
        levels = np.linspace(0.1, 1.3, 7)
        for panel, function, title in ((axes[0], truth, "truth"), (axes[1], fitted, f"fit, {m:,} rows")):
            panel.contour(line, line, function(plane), levels, colors=BLUE if function is fitted else GREY, linewidths=1)
            panel.plot(*points.T, ".", color=ORANGE, markersize=2)
            panel.set_title(title, fontsize=9)
            panel.set_aspect("equal")
example.end()
