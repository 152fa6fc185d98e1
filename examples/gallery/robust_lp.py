"""A production plan that holds for every recipe in an ellipsoid."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
n, m, k = 20, example.size(10_000, 1_000), 3  # products, limits, directions in which a recipe varies
profit = 1 + rng.random(n)
use = rng.random((m, n)) * (rng.random((m, n)) < 0.5)            # what a product takes of each resource
vary = 0.1 * rng.standard_normal((m, k, n)) * use[:, None, :]    # use_i + B_i'u, any |u| <= 1
stock = 5 + rng.random(m)
most = np.full(n, 10.0)

# max profit'x  s.t.  use_i'x + |B_i x| <= stock_i for all i, 0 <= x <= 10
p = pl.Problem(n)
p.minimize(pl.linear(-profit))
p.regularize(pl.box(np.zeros(n), most))
p.subject_to(pl.soc_le(vary, np.zeros((m, k)), -use, stock), name="robust")
r = p.solve(tol_gap=1e-8, tol_feas=1e-8)


def violation(x):
    return max((use @ x + np.linalg.norm(vary @ x, axis=1) - stock).max(), -x.min(), (x - most).max())


example.judge(objective=lambda x: -profit @ x, violation=violation)
example.pliant(r)

# The plan that knows the middle recipe alone: it earns more, and fails as soon as recipes vary.
q = pl.Problem(n)
q.minimize(pl.linear(-profit))
q.regularize(pl.box(np.zeros(n), most))
q.subject_to(pl.linear_le(use, stock))
nominal = q.solve(tol_gap=1e-8, tol_feas=1e-8)
example.check("robustness costs profit, it does not bring any", nominal.lower_bound - r.objective, 1e-6)


def overdrawn(x, trials=200):
    """The largest use beyond stock in recipes drawn at random from the ellipsoids."""
    worst = np.empty(trials)
    for trial in range(trials):
        u = rng.standard_normal((m, k))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        worst[trial] = (use @ x + np.einsum("mk,mk->m", vary @ x, u) - stock).max()
    return worst


robust_worst, nominal_worst = overdrawn(r.x), overdrawn(nominal.x)
example.check("the robust plan holds in every draw", robust_worst.max(), 1e-6)
print(f"the nominal plan overdraws some stock in {(nominal_worst > 0).mean():.0%} of the draws")

if example.peers:
    import cvxpy as cp

    x, t = cp.Variable(n), cp.Variable(m)
    stacked = cp.reshape(vary.reshape(m * k, n) @ x, (m, k), order="C")
    model = cp.Problem(cp.Minimize(-profit @ x), [cp.norm(stacked, axis=1) <= stock - use @ x, x >= 0, x <= most])
    example.cvxpy(model, lambda: x.value, "CLARABEL", "SCS")

with example.picture() as axes:
    if axes is not None:
        edges = np.linspace(min(robust_worst.min(), nominal_worst.min()), nominal_worst.max(), 40)
        axes.hist(robust_worst, edges, color=BLUE, label=f"robust plan, profit {-r.objective:.2f}")
        axes.hist(nominal_worst, edges, color=ORANGE, label=f"nominal plan, profit {-nominal.objective:.2f}")
        axes.axvline(0, color=GREY, linestyle=":")
        axes.set_xlabel("largest use beyond stock, 200 draws of all recipes")
        axes.set_ylabel("draws")
        axes.legend(frameon=False)
example.end()
