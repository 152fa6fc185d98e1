"""Weights of an antenna array with low side lobes: a QCQP with one quadratic constraint for each direction."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, ORANGE, Example

example = Example(__doc__)
elements, m = 24, example.size(5_000, 300)                           # antennas; directions in the side lobes
place = 0.5 * (np.arange(elements) + 0.1 * np.cos(3 * np.arange(elements)))  # in wavelengths, not quite even
look, width, decibel = np.radians(20.0), np.radians(8.0), -30.0
limit = 10 ** (decibel / 10)


def steering(angle):
    """Re and Im of exp(2 pi i place sin(angle)) as two rows in (Re w, Im w): shape (angles, 2, 2 elements)."""
    phase = 2 * np.pi * np.sin(np.atleast_1d(angle))[:, None] * place
    c, s = np.cos(phase), np.sin(phase)
    return np.stack([np.hstack([c, -s]), np.hstack([s, c])], axis=1)


angles = np.linspace(-np.pi / 2, np.pi / 2, m)
angles = angles[np.abs(angles - look) > width]
B = steering(angles)
m, n = len(angles), 2 * elements

# min 1/2 |w|^2 (noise)  s.t.  gain 1 in the direction of look, |a(angle)'w|^2 <= limit in all others
p = pl.Problem(n)
p.minimize(pl.quadratic(np.eye(n)))
p.subject_to(pl.equal(steering(look)[0], [1.0, 0.0]), name="look")
rows = p.subject_to(pl.quadratic_le(None, np.zeros((m, n)), np.full(m, -limit / 2), factor=B), name="side lobes")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)


def violation(w):
    return max(0.5 * (((B @ w) ** 2).sum(axis=1) - limit).max(), np.abs(steering(look)[0] @ w - [1, 0]).max())


example.judge(objective=lambda w: 0.5 * w @ w, violation=violation)
example.pliant(r)

power = r.duals[rows]
gradient = r.x + np.einsum("m,mkn,mk->n", power, B, B @ r.x)
nu = np.linalg.lstsq(steering(look)[0].T, -gradient, rcond=None)[0]
example.check("gradient of the Lagrangian", np.abs(gradient + steering(look)[0].T @ nu).max(), 1e-6)
print(f"{int((power > 1e-8).sum())} of {m:,} directions bind")

if example.peers:
    import cvxpy as cp

    w = cp.Variable(n)
    stacked = cp.reshape(B.reshape(2 * m, n) @ w, (m, 2), order="C")
    model = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w)),
                       [steering(look)[0] @ w == np.array([1.0, 0.0]), cp.norm(stacked, axis=1) <= np.sqrt(limit)])
    example.cvxpy(model, lambda: w.value, "CLARABEL", "SCS")

with example.picture() as axes:
    if axes is not None:
        fine = np.linspace(-np.pi / 2, np.pi / 2, 700)
        plain = steering(look)[0].T @ [1.0, 0.0] / elements           # all elements in phase, as without constraints

        def pattern(w):
            return 10 * np.log10(((steering(fine) @ w) ** 2).sum(axis=1) + 1e-6)

        axes.plot(np.degrees(fine), pattern(plain), color=ORANGE, linewidth=0.8, label="in phase")
        axes.plot(np.degrees(fine), pattern(r.x), color=BLUE, label=f"optimal, {m:,} constraints")
        axes.axhline(decibel, color=GREY, linestyle=":")
        axes.set_ylim(-50, 3)
        axes.set_xlabel("direction in degrees")
        axes.set_ylabel("gain in dB")
        axes.legend(frameon=False, fontsize=8)
example.end()
