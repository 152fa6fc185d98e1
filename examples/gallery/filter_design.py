"""A low-pass filter with the least ripple, two rows for each of very many frequencies."""

import numpy as np
import pliant as pl
from common import BLUE, GREY, Example

example = Example(__doc__)
half, m = 20, example.size(50_000, 1_000)                             # 2 half + 1 taps, symmetric; frequencies
low, high = 0.20, 0.26                                                # pass band to low, stop band from high (sampling: 1)
frequency = np.concatenate([np.linspace(0, low, m // 2), np.linspace(high, 0.5, m - m // 2)])
wanted = (frequency <= low).astype(float)
cosines = np.cos(2 * np.pi * frequency[:, None] * np.arange(half + 1))
n = half + 2                                                          # amplitudes c_0.., and the ripple t

# min t  s.t.  -t <= sum_k c_k cos(2 pi k f) - wanted(f) <= t for all f
p = pl.Problem(n)
p.minimize(pl.linear(np.eye(n)[-1]))
ripple = np.full((m, 1), -1.0)
above = p.subject_to(pl.linear_le(np.hstack([cosines, ripple]), wanted), name="above")
below = p.subject_to(pl.linear_le(np.hstack([-cosines, ripple]), -wanted), name="below")
r = p.solve(tol_gap=1e-9, tol_feas=1e-9)

example.judge(objective=lambda x: x[-1], violation=lambda x: np.abs(cosines @ x[:-1] - wanted).max() - x[-1])
example.pliant(r)

# Alternation (Chebyshev): the error of the best filter reaches +-t at half + 2 frequencies at least, with signs in turn.
error = cosines @ r.x[:-1] - wanted
extremal = np.flatnonzero(np.abs(error) > r.x[-1] * (1 - 1e-5))
turns = 1 + int((np.diff(np.sign(error[extremal])) != 0).sum())
example.check("signs in turn, at least as many as amplitudes and one", half + 2 - turns, 0)
print(f"ripple {r.x[-1]:.6g} ({20 * np.log10(r.x[-1]):.2f} dB), reached {turns} times in turn")

if example.peers:
    import cvxpy as cp
    from scipy.signal import remez

    def exchange():
        """Parks and McClellan's exchange of frequencies, which knows this one kind of problem."""
        taps = remez(2 * half + 1, [0, low, high, 0.5], [1, 0], maxiter=100, grid_density=max(16, m // (2 * half)))
        c = np.concatenate([taps[half:half + 1], 2 * taps[half + 1:]])
        return np.append(c, np.abs(cosines @ c - wanted).max()), "exchange"

    example.peer("scipy.signal.remez", exchange)
    x = cp.Variable(n)
    model = cp.Problem(cp.Minimize(x[-1]), [cosines @ x[:-1] - wanted <= x[-1], wanted - cosines @ x[:-1] <= x[-1]])
    example.cvxpy(model, lambda: x.value, "HIGHS", "CLARABEL")

with example.picture() as axes:
    if axes is not None:
        fine = np.linspace(0, 0.5, 800)
        response = np.cos(2 * np.pi * fine[:, None] * np.arange(half + 1)) @ r.x[:-1]
        axes.plot(fine, 20 * np.log10(np.abs(response) + 1e-6), color=BLUE)
        axes.axhline(20 * np.log10(r.x[-1]), color=GREY, linestyle=":")
        axes.axvspan(low, high, color=GREY, alpha=0.2, linewidth=0)
        axes.set_ylim(-60, 5)
        axes.set_xlabel("frequency (sampling rate 1)")
        axes.set_ylabel("gain in dB")
example.end()
