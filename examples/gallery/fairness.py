"""Logistic regression whose scores may not differ between any two of many groups."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
l, n, m, eps = example.size(5_000, 500), 15, example.size(10_000, 500), 0.05
A = rng.standard_normal((l, n))
marks = A[:, :4] + 0.7 * rng.standard_normal((l, 4)) > 0           # four protected marks, which the features give away
y = np.where(A @ rng.standard_normal(n) + marks @ [1.0, -1.0, 0.5, 0.5] + rng.standard_normal(l) > 0, 1.0, -1.0)

# A group is a random mixture of the marks with a random part of the people; its mean score is close to that of the rest.
share = (rng.random((m, l)) < 0.3) & (marks @ rng.standard_normal((4, m)) > rng.standard_normal(m)).T
share = share[share.sum(axis=1) > l // 20]
inside = share @ A / share.sum(axis=1, keepdims=True)
outside = (A.sum(axis=0) - share @ A) / (l - share.sum(axis=1, keepdims=True))
difference = inside - outside
m = len(difference)

p = pl.Problem(n)
p.minimize(pl.logistic(A, y))                                       # (1/l) sum ln(1 + exp(-y a'x))
p.regularize(pl.l2_squared(1e-3))                                   # 1e-3/2 |x|^2
rows = p.subject_to(pl.linear_range(-eps, difference, eps), name="groups")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)

example.judge(objective=lambda x: np.logaddexp(0, -y * (A @ x)).mean() + 0.5e-3 * x @ x,
              violation=lambda x: np.abs(difference @ x).max() - eps)
example.pliant(r)

free = pl.Problem(n).minimize(pl.logistic(A, y)).regularize(pl.l2_squared(1e-3)).solve(tol_gap=1e-9)
example.check("fairness costs likelihood", free.lower_bound - r.objective, 1e-8)
# The gradient of the Lagrangian vanishes: loss, weight and the pressure of the groups balance.
gradient = -A.T @ (y / (1 + np.exp(y * (A @ r.x)))) / l + 1e-3 * r.x + difference.T @ r.duals[rows]
example.check("gradient of the Lagrangian", np.abs(gradient).max(), 1e-6)


def right(x):
    return np.mean(np.sign(A @ x) == y)


print(f"right: {right(free.x):.1%} without, {right(r.x):.1%} with {m} fairness rows, "
      f"{int((np.abs(r.duals[rows]) > 1e-9).sum())} of which bind")

if example.peers:
    import cvxpy as cp

    x = cp.Variable(n)
    loss = cp.sum(cp.logistic(cp.multiply(-y, A @ x))) / l + 0.5e-3 * cp.sum_squares(x)
    example.cvxpy(cp.Problem(cp.Minimize(loss), [cp.abs(difference @ x) <= eps]), lambda: x.value, "CLARABEL", "SCS")

with example.picture() as axes:
    if axes is not None:
        edges = np.linspace(-0.6, 0.6, 61)
        spread = np.abs(difference @ free.x).max()
        edges *= spread / 0.6
        axes.hist(difference @ free.x, edges, color=ORANGE, label=f"plain logistic regression, {right(free.x):.1%} right")
        axes.hist(difference @ r.x, edges, color=BLUE, alpha=0.8, label=f"with fairness rows, {right(r.x):.1%} right")
        for side in (-eps, eps):
            axes.axvline(side, color=GREY, linestyle=":")
        axes.set_xlabel("mean score of a group less that of the others")
        axes.set_ylabel(f"groups (of {m:,})")
        axes.set_yscale("log")
        axes.legend(frameon=False, fontsize=8)
example.end()
