"""Sums of positive parts as CVXPY writes them: with a column for each, recognised and solved as soft rows."""

import numpy as np
import pytest

cp = pytest.importorskip("cvxpy")
import pliant.cvxpy  # noqa: E402

TAU = 0.3


def models(rng, m, n):
    """Name, problem and one of its constraints, whose dual is compared (or none)."""
    X = np.c_[np.ones(m), rng.standard_normal((m, n - 1))]
    y = X @ rng.standard_normal(n) + rng.standard_t(3, m)
    labels = np.where(X @ rng.standard_normal(n) + rng.standard_normal(m) > 0, 1.0, -1.0)
    mean = rng.uniform(0.0, 0.1, n)
    L = -(mean + 0.1 * rng.standard_normal((m, n)))
    x, alpha = cp.Variable(n), cp.Variable()
    r = y - X @ x
    wall = x[0] <= 0.1
    portfolio = [cp.sum(x) == 1, x >= 0]
    margins = cp.pos(1 - cp.multiply(labels, X @ x))
    risk = alpha + cp.sum(cp.pos(L @ x - alpha)) / (0.05 * m)
    yield "pos", cp.Problem(cp.Minimize(cp.sum(cp.pos(r)) / m + 0.5 * X.mean(0) @ x), [wall]), wall
    yield "abs", cp.Problem(cp.Minimize(cp.sum(cp.abs(r)) / m), [wall]), wall
    yield "norm1", cp.Problem(cp.Minimize(cp.norm1(r) / m)), None
    yield "norm1 and squares", cp.Problem(cp.Minimize(cp.norm1(r) / m + 0.1 * cp.sum_squares(x))), None
    yield "quantile by maximum", cp.Problem(cp.Minimize(cp.sum(cp.maximum(TAU * r, (TAU - 1) * r)) / m)), None
    yield "quantile by abs", cp.Problem(cp.Minimize(cp.sum(0.5 * cp.abs(r) + (TAU - 0.5) * r) / m)), None
    yield "quantile by parts", cp.Problem(cp.Minimize(cp.sum(TAU * cp.pos(r) + (1 - TAU) * cp.neg(r)) / m)), None
    yield "hinge", cp.Problem(cp.Minimize(cp.sum(margins) / m + 0.01 * cp.sum_squares(x))), None
    yield "hinge in a box", cp.Problem(cp.Minimize(cp.sum(margins) / m), [x <= 2, x >= -2]), None
    yield "sum_largest", cp.Problem(cp.Minimize(cp.sum_largest(L @ x, m // 20) / (m // 20)), portfolio), portfolio[0]
    yield "cvar", cp.Problem(cp.Minimize(risk - mean @ x), portfolio), portfolio[0]
    limit = risk <= 0.05
    yield "cvar as a limit", cp.Problem(cp.Minimize(-mean @ x), [*portfolio, limit]), limit


@pytest.mark.parametrize("place", range(12))
def test_values_and_duals_are_those_of_clarabel(place, rng):
    name, problem, constraint = list(models(rng, 1200, 4))[place]
    problem.solve(solver="CLARABEL", tol_gap_rel=1e-10, tol_gap_abs=1e-10, tol_feas=1e-10)
    value = problem.value
    dual = None if constraint is None else np.array(constraint.dual_value)
    problem.solve(solver=pliant.cvxpy.PLIANT(), tol_gap=1e-9, tol_feas=1e-9)
    assert problem.status == "optimal", name
    assert problem.value == pytest.approx(value, abs=1e-7), name
    if dual is not None:
        assert np.array(constraint.dual_value) == pytest.approx(dual, abs=1e-4), name
