"""Capacities that suffice in all sampled scenarios, and what that promises for those not seen."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example
from scipy.stats import beta

example = Example(__doc__)
rng = example.rng
n, most = 8, example.size(100_000, 3_000)                             # plants; scenarios
cost = 1 + rng.random(n)
mix = rng.standard_normal((n, 3))
CONFIDENCE = 1e-6                                                     # the promise fails once in a million samples


def scenarios(count):
    """Plants deliver a random share of their capacity, the demand is random: share'x >= demand."""
    share = 1 / (1 + np.exp(-1.5 - 0.5 * rng.standard_normal((count, 3)) @ mix.T))
    return share, 10 + 2 * rng.standard_gamma(2.0, count)


def plan(share, demand):
    """min cost'x  s.t.  share_i'x >= demand_i for all i, 0 <= x <= 100"""
    p = pl.Problem(n)
    p.minimize(pl.linear(cost))
    p.regularize(pl.box(np.zeros(n), np.full(n, 100.0)))
    rows = p.subject_to(pl.linear_le(-share, -demand))
    return p.solve(tol_gap=1e-8, tol_feas=1e-8), rows


def promised(count):
    """Campi and Garatti: with n variables, more than this share of unseen scenarios fails with probability CONFIDENCE."""
    return beta.isf(CONFIDENCE, n, count - n + 1)


share, demand = scenarios(most)
r, rows = plan(share, demand)
example.judge(objective=lambda x: cost @ x,
              violation=lambda x: max((demand - share @ x).max(), -x.min(), x.max() - 100))
example.pliant(r)
example.check("no more rows bind than there are variables", int((r.duals[rows] > 1e-7).sum()), n)

fresh, asked = scenarios(example.size(1_000_000, 100_000))
sizes = [count for count in (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000) if count <= most]
failing = [np.mean(fresh @ plan(share[:count], demand[:count])[0].x < asked) for count in sizes]
for count, fails in zip(sizes, failing):
    example.check(f"{count} scenarios: failing share of unseen ones", fails, promised(count))

if example.peers:
    import cvxpy as cp

    x = cp.Variable(n)
    model = cp.Problem(cp.Minimize(cost @ x), [share @ x >= demand, x >= 0, x <= 100])
    example.cvxpy(model, lambda: x.value, "HIGHS", "CLARABEL")

with example.picture() as axes:
    if axes is not None:
        axes.loglog(sizes, failing, "o-", color=BLUE, label=f"share of {len(asked):,} unseen scenarios that fail")
        promises = [promised(count) for count in sizes]
        axes.loglog(sizes, promises, ":", color=ORANGE, label="promised, whatever the distribution")
        axes.grid(color=GREY, alpha=0.2)
        axes.set_xlabel("scenarios that the plan was made for")
        axes.legend(frameon=False, fontsize=8)
example.end()
