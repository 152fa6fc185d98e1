"""Portfolios whose worst days are as mild as possible: return against CVaR."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
assets, m, beta = 12, example.size(20_000, 2_000), 0.95
factors = 0.02 * rng.standard_normal((m, 3)) / np.sqrt(rng.chisquare(5, (m, 1)) / 5)     # heavy tails
premium = 0.0002 + 0.0008 * rng.random(assets)
returns = premium + factors @ rng.standard_normal((3, assets)) + 0.01 * rng.standard_normal((m, assets))
losses, mean = -returns, returns.mean(axis=0)


def cvar(x):
    """The mean of the worst share 1 - beta of the losses."""
    ordered = np.sort(losses @ x)[::-1]
    worst = (1 - beta) * m
    whole = int(worst)
    return (ordered[:whole].sum() + (worst - whole) * ordered[whole]) / worst


def portfolio(wanted):
    """min CVaR(x)  s.t.  mean'x >= wanted, x in the simplex"""
    p = pl.Problem(assets)
    p.minimize(pl.cvar(losses, beta))
    p.regularize(pl.simplex(1.0))
    p.subject_to(pl.linear_le(-mean[None], [-wanted]), name="return")
    return p.solve(tol_gap=1e-9, tol_feas=1e-9)


middle = 0.5 * (mean.mean() + mean.max())
r = portfolio(middle)
example.judge(objective=cvar, violation=lambda x: max(middle - mean @ x, -x.min(), abs(x.sum() - 1)))
example.pliant(r)

wishes = mean.mean() + np.linspace(0, 0.99, 5 if example.small else 12) * (mean.max() - mean.mean())
frontier = [portfolio(wanted) for wanted in wishes]
risks = np.array([cvar(point.x) for point in frontier])
example.check("all of the frontier is solved", sum(point.status != "optimal" for point in frontier), 0)
example.check("more return, more risk", -np.diff(risks).min(), 1e-7)
example.check("milder than the asset of the largest return", r.objective - cvar(np.eye(assets)[mean.argmax()]), 1e-9)

if example.peers:
    import cvxpy as cp

    x, level = cp.Variable(assets), cp.Variable()
    risk = level + cp.sum(cp.pos(losses @ x - level)) / ((1 - beta) * m)
    model = cp.Problem(cp.Minimize(risk), [mean @ x >= middle, cp.sum(x) == 1, x >= 0])
    example.cvxpy(model, lambda: x.value, "CLARABEL", "HIGHS")

with example.picture() as axes:
    if axes is not None:
        axes.plot(risks, 1e4 * wishes, "o-", color=BLUE, markersize=3, label="least CVaR")
        axes.plot([cvar(e) for e in np.eye(assets)], 1e4 * mean, "x", color=GREY, label="single assets")
        axes.plot(cvar(np.full(assets, 1 / assets)), 1e4 * mean.mean(), "s", color=ORANGE, label="equal shares")
        axes.set_xlabel(f"mean loss on the worst {1 - beta:.0%} of {m:,} days")
        axes.set_ylabel("mean return, 1/10000")
        axes.legend(frameon=False)
example.end()
