"""Optimality recomputed from raw numbers.

A point is accepted if it is feasible, its multipliers have the right signs and vanish on slack rows, and the gradient of
the Lagrangian vanishes: for a convex problem that is all there is to prove.
"""

import numpy as np


class Check:
    """Collects the Lagrangian of minimise f(x) subject to a(x) <= 0 with multipliers, then judges it."""

    def __init__(self, x, gradient):
        self.x = np.asarray(x)
        self.residual = np.array(gradient, dtype=float)
        self.scale = 1.0 + np.abs(self.residual).max(initial=0.0)

    def inequalities(self, values, jacobian, multipliers, tol):
        assert values.shape == multipliers.shape
        assert (values <= tol).all(), f"violated by {values.max()}"
        assert (multipliers >= -tol).all(), f"multiplier {multipliers.min()}"
        assert (np.abs(multipliers * values) <= tol * (1 + np.abs(multipliers))).all()
        self.residual += jacobian.T @ multipliers

    def equalities(self, values, jacobian, multipliers, tol):
        assert (np.abs(values) <= tol).all(), f"off by {np.abs(values).max()}"
        self.residual += jacobian.T @ multipliers

    def stationary(self, tol):
        worst = np.abs(self.residual).max()
        assert worst <= tol * self.scale, f"gradient of the Lagrangian {worst}"


def psd(rng, n, least=0.1):
    B = rng.standard_normal((n, n))
    P = B @ B.T / n + least * np.eye(n)
    return (P + P.T) / 2
