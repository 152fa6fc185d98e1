"""The widest street between two classes: a hard-margin support vector machine."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, RED, Example

example = Example(__doc__)
rng = example.rng
d, m = 2, example.size(30_000, 1_000)
points = rng.standard_normal((m, d)) * [3.0, 2.0]
truth = rng.standard_normal(d)
truth /= np.linalg.norm(truth)
y = np.where(points @ truth + 0.3 > 0, 1.0, -1.0)
points += 0.4 * y[:, None] * truth                                  # a gap, so that the classes can be told apart

# min 1/2 |w|^2  s.t.  y_i (a_i'w + b) >= 1, the level b last
P = np.diag([1.0] * d + [0.0])
G = -y[:, None] * np.hstack([points, np.ones((m, 1))])
p = pl.Problem(d + 1)
p.minimize(pl.quadratic(P))
rows = p.subject_to(pl.linear_le(G, -np.ones(m)), name="margins")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)

example.judge(objective=lambda x: 0.5 * x[:d] @ x[:d], violation=lambda x: (G @ x).max() + 1)
example.pliant(r)

alpha = r.duals[rows]
example.check("w is the sum of its support vectors", np.abs(P @ r.x + G.T @ alpha).max(), 1e-6)
example.check("multipliers are not negative", -alpha.min(), 0.0)
example.check("only points on the margin carry", np.abs(alpha * (G @ r.x + 1)).max(), 1e-6)
print(f"half width of the street {1 / np.linalg.norm(r.x[:d]):.4f}, {(alpha > 1e-6).sum()} support vectors of {m:,} points")

if example.peers:
    import cvxpy as cp
    from sklearn.svm import SVC

    def scikit_learn():
        machine = SVC(kernel="linear", C=1e6, tol=1e-6, cache_size=500).fit(points, y)
        return np.append(machine.coef_[0], machine.intercept_), f"{int(machine.n_iter_[0])} iterations"

    x = cp.Variable(d + 1)
    example.cvxpy(cp.Problem(cp.Minimize(0.5 * cp.sum_squares(x[:d])), [G @ x <= -1]), lambda: x.value, "CLARABEL", "OSQP")
    example.peer("scikit-learn SVC, C = 1e6", scikit_learn)

with example.picture() as axes:
    if axes is not None:
        w, b = r.x[:d], r.x[d]
        shown = slice(None, None, max(1, m // 700))
        for sign, colour in ((1.0, BLUE), (-1.0, ORANGE)):
            chosen = points[shown][y[shown] == sign]
            axes.plot(*chosen.T, ".", color=colour, markersize=2)
        along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        for level, style in ((-1, ":"), (0, "-"), (1, ":")):
            middle = (level - b) * w / (w @ w)
            axes.plot(*np.column_stack([middle - 12 * along, middle + 12 * along]), style, color=GREY)
        axes.plot(*points[alpha > 1e-6].T, "o", color=RED, fillstyle="none", label="support vectors")
        axes.set_xlim(-8, 8)
        axes.set_ylim(-6, 6)
        axes.legend(frameon=False)
example.end()
