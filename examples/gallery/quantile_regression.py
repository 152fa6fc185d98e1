"""Quantiles that depend on a feature: what nine of ten measurements stay below."""

import numpy as np
import pliant as pl
from common import BLUE, GREEN, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
l, knots, levels = example.size(20_000, 1_000), 8, (0.1, 0.5, 0.9)
t = np.sort(rng.random(l))
b = np.sin(6 * t) + (0.2 + 0.6 * t) * rng.standard_t(4, l)            # the spread grows with t


def features(t):
    """Hats on even knots: piecewise linear functions."""
    return np.maximum(0, 1 - np.abs(t[:, None] * (knots - 1) - np.arange(knots)))


A = features(t)
fits = {}
for tau in levels:
    p = pl.Problem(knots)
    p.minimize(pl.quantile(A, b, tau))                                # (1/l) sum max(tau r, (tau - 1) r), r = b - A x
    r = p.solve(tol_gap=1e-9)
    example.judge(objective=lambda x, tau=tau: np.maximum(tau * (b - A @ x), (tau - 1) * (b - A @ x)).mean(),
                  violation=lambda x: 0.0)
    example.pliant(r)
    example.check("share of the data below the fit", abs((b < A @ r.x).mean() - tau), (knots + 1) / l)
    example.check("ranks balance in every feature", np.abs(A.T @ r.duals[0]).max(), 1e-6)
    fits[tau] = r.x
example.rows = example.rows[-1:]

if example.peers:
    import cvxpy as cp
    from sklearn.linear_model import QuantileRegressor

    def scikit_learn():
        model = QuantileRegressor(quantile=tau, alpha=0.0, fit_intercept=False, solver="highs").fit(A, b)
        return model.coef_, f"{model.n_iter_} iterations"

    example.peer("scikit-learn QuantileRegressor", scikit_learn)
    x, above, below = cp.Variable(knots), cp.Variable(l, nonneg=True), cp.Variable(l, nonneg=True)
    loss = cp.sum(tau * above + (1 - tau) * below) / l
    example.cvxpy(cp.Problem(cp.Minimize(loss), [b - A @ x == above - below]), lambda: x.value, "CLARABEL", "HIGHS")

with example.picture() as axes:
    if axes is not None:
        shown = slice(None, None, max(1, l // 500))
        axes.plot(t[shown], b[shown], ".", color=GREY, markersize=2)
        line = np.linspace(0, 1, 200)
        for tau, colour in zip(levels, (ORANGE, BLUE, GREEN)):
            axes.plot(line, features(line) @ fits[tau], color=colour, label=f"{tau:.0%}")
        axes.set_ylim(-4, 4)
        axes.legend(frameon=False, title=f"quantiles of {l:,} points")
example.end()
