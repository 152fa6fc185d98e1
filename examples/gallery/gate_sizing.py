"""Sizes of the gates of a circuit, the least area for a delay: a geometric program with one posynomial for each path."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
rng = example.rng
layers, width = example.size(6, 4), 5                                # 5 * 2^5 = 160 paths
n = layers * width                                                   # gates; sizes t = exp(x), 1 <= t <= 30
area = rng.uniform(1, 3, n)
fanout = {g: (g // width + 1) * width + rng.choice(width, 2, replace=False) for g in range(n - width)}

# Delay of gate g: (own + sum over the gates h that it drives of load t_h) / t_g.
own, load = rng.uniform(0.5, 1.0, n), rng.uniform(0.3, 1.0, (n, 2))


def monomials(g):
    """(factor, exponents) of the delay of a gate."""
    out = [(own[g], -np.eye(n)[g])]
    out += [(load[g, j], np.eye(n)[driven] - np.eye(n)[g]) for j, driven in enumerate(fanout.get(g, []))]
    return out


walks = [[g] for g in range(width)]                                  # every path from the first layer to the last
for _ in range(layers - 1):
    walks = [[*walk, int(driven)] for walk in walks for driven in fanout[walk[-1]]]
terms = [[term for g in walk for term in monomials(g)] for walk in walks]
A, b = np.array([[e for _, e in t] for t in terms]), np.log([[c for c, _ in t] for t in terms])


def least_area(delay):
    """min s  s.t.  ln sum area_g exp(x_g) <= s,  ln sum of the monomials of a path <= ln delay,  0 <= x <= ln 30"""
    p = pl.Problem(n + 1)
    p.minimize(pl.linear(np.eye(n + 1)[n]))
    p.regularize(pl.box(np.zeros(n + 1), np.append(np.full(n, np.log(30.0)), 20.0)))
    p.subject_to(pl.log_sum_exp_le(np.hstack([np.eye(n), -np.ones((n, 1))])[None], np.log(area)[None]), name="area")
    p.subject_to(pl.log_sum_exp_le(np.pad(A, ((0, 0), (0, 0), (0, 1))), b - np.log(delay)), name="paths")
    return p.solve(tol_gap=1e-9, tol_feas=1e-9)


smallest = np.exp(b).sum(axis=1).max()                               # the delay of gates of size 1
r = least_area(0.6 * smallest)


def log_delay(x):
    return np.log(np.exp(A @ x[:n] + b).sum(axis=1))


example.judge(objective=lambda x: np.log(area @ np.exp(x[:n])),
              violation=lambda x: max((log_delay(x) - np.log(0.6 * smallest)).max(), -x[:n].min(), x[:n].max() - np.log(30)))
example.pliant(r)

if example.peers:
    import cvxpy as cp

    x = cp.Variable(n)
    model = cp.Problem(cp.Minimize(cp.log_sum_exp(x + np.log(area))), [
        cp.log_sum_exp(cp.reshape(A.reshape(-1, n) @ x, b.shape, order="C") + b, axis=1) <= np.log(0.6 * smallest),
        x >= 0, x <= np.log(30)])
    example.cvxpy(model, lambda: np.append(x.value, 0.0), "CLARABEL", "SCS")

shares = np.linspace(0.5, 1.0, 4 if example.small else 9)
curve = [least_area(share * smallest) for share in shares]
areas = np.exp([c.objective for c in curve])
example.check("less delay needs more area", np.diff(areas).max(), 1e-6)
example.check("without a hurry all gates are as small as they get", abs(areas[-1] - area.sum()) / area.sum(), 1e-6)

with example.picture(columns=2, width=7.0) as axes:
    if axes is not None:
        axes[0].plot(shares, areas, "o-", color=BLUE, markersize=3)
        axes[0].set_xlabel("delay, relative to smallest gates")
        axes[0].set_ylabel("area")
        sizes = np.exp(r.x[:n])
        for g, driven in fanout.items():
            for h in driven:
                axes[1].plot([g // width, h // width], [g % width, h % width], color=GREY, linewidth=0.5, zorder=0)
        layer, height = np.arange(n) // width, np.arange(n) % width
        axes[1].scatter(layer, height, 25 * sizes, color=ORANGE, edgecolor="black", linewidth=0.5)
        axes[1].set_title("sizes at 0.6 of the delay", fontsize=9)
        axes[1].axis("off")
        axes[1].margins(0.15)
example.end()
