"""The guarantee of Corollaries 1 and 2 and the penalised problem, judged from raw NumPy data."""

from __future__ import annotations

import numpy as np
import pliant as pl
import pytest


def box_qp(seed: int, n: int = 4, m: int = 12) -> tuple[pl.Problem, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, G, h = 2 * rng.standard_normal(n), rng.standard_normal((m, n)), rng.uniform(0.5, 2.0, m)
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), q))
    p.subject_to(pl.linear_le(G, h))
    return p, q, G, h


@pytest.mark.parametrize("seed", range(3))
def test_accuracy_is_reached_at_or_before_n(seed: int) -> None:
    p, q, G, h = box_qp(seed)
    epsilon = 0.02
    promise = p.guarantee(epsilon)
    r = p.solve(guarantee=epsilon)
    assert r.status == "optimal" and r.guarantee["reached"]
    assert r.guarantee["iterations"] == r.iterations <= promise["iterations_predicted"]
    assert np.maximum(0.0, G @ r.x - h).sum() <= epsilon
    value = 0.5 * r.x @ r.x + q @ r.x
    reference = p.solve(tol_feas=1e-10, tol_gap=1e-10).objective
    assert abs(value - reference) <= promise["objective_gap_predicted"] == 0.5 * epsilon * promise["xi"]
    # xi is at least twice every multiplier, and the origin, slack min h, is what bounds it.
    assert promise["xi"] >= 2 * p.solve().duals[0].max()
    assert promise["slater"]["slack"] == pytest.approx(h.min(), rel=1e-12)
    assert reference >= promise["slater"]["lower_bound"] >= -0.5 * q @ q * (1 + 1e-12)
    bound = -promise["slater"]["lower_bound"] / h.min()
    assert promise["slater"]["multiplier_bound"] == pytest.approx(bound, rel=1e-9)


def test_missing_constants_are_named() -> None:
    p = pl.generate.entrywise_convex(n=3, m=3)
    assert "|x0 - x*|" in p.guarantee(0.1)["missing"]  # F* >= 0 is proved, so xi is known
    assert "|x0 - x*|" in p.guarantee(0.1, xi=2.0)["missing"]
    endless = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
    endless.subject_to(pl.linear_le(np.eye(2), np.ones(2)))
    assert "no lower bound of F*" in endless.guarantee(0.1)["missing"]
    assert p.guarantee(0.1, xi=2.0, distance=1.0)["iterations_predicted"] > 0
    with pytest.raises(pl.InputError, match="no bound of it"):
        p.solve(guarantee=0.1)
    with pytest.raises(pl.InputError, match="guarantee"):
        p.solve(guarantee=-1.0)
    with pytest.raises(pl.InputError, match="guarantee"):
        p.guarantee(float("nan"))
    with pytest.raises(pl.InputError, match="start"):
        p.guarantee(0.1, start=np.zeros(2))


def test_results_without_a_guarantee_have_none() -> None:
    assert pl.generate.dense_qp(n=3, m=10).solve().guarantee is None


@pytest.mark.parametrize("delta", [1.0, 1e-2])
def test_minimize_penalized_is_stationary(delta: float) -> None:
    p, q, G, h = box_qp(7)
    xi = 3.0
    found = pl.minimize_penalized(p, xi, delta, tolerance=1e-10)
    weights = xi / (1 + np.exp(-(G @ found.x - h) / delta))
    assert np.linalg.norm(found.x + q + G.T @ weights) <= 1e-9
    assert found.residual <= 1e-10 and found.iterations > 0
    penalty = xi * delta * np.logaddexp(0.0, (G @ found.x - h) / delta).sum()
    assert found.value == pytest.approx(0.5 * found.x @ found.x + q @ found.x + penalty, rel=1e-12)
    # The command's way to the same point.
    r = p.solve(outer="static", method="apg", xi=xi, delta=delta)
    np.testing.assert_allclose(r.x, found.x, atol=1e-6)


def test_minimize_penalized_starts_where_told_and_refuses_nonsense() -> None:
    p, *_ = box_qp(8)
    found = pl.minimize_penalized(p, 3.0, 0.1)
    again = pl.minimize_penalized(p, 3.0, 0.1, start=found.x)
    assert again.iterations == 0
    np.testing.assert_array_equal(again.x, found.x)
    for bad in (dict(xi=-1.0, delta=0.1), dict(xi=1.0, delta=0.0), dict(xi=1.0, delta=0.1, tolerance=-1.0)):
        with pytest.raises(pl.InputError):
            pl.minimize_penalized(p, **bad)
    with pytest.raises(pl.InputError, match="start"):
        pl.minimize_penalized(p, 1.0, 0.1, start=np.zeros(2))
    with pytest.raises(TypeError):
        pl.minimize_penalized("p", 1.0, 0.1)  # type: ignore[arg-type]
    with pytest.raises(pl.InputError, match="conic"):
        pl.minimize_penalized(pl.generate.robust_lp(n=3, m=5), 1.0, 0.1)
