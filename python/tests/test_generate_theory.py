"""Instances and bounds."""

import math

import numpy as np
import pliant as pl
import pytest
from pliant import generate, theory


def test_every_family_makes_a_valid_problem():
    for name in generate.families():
        make = getattr(generate, name)
        assert make.__doc__ and make.__name__ == name
        p = make(seed=3).validate()
        assert p.n > 0
    with pytest.raises(AttributeError, match="no family 'nothing'"):
        generate.nothing  # noqa: B018
    with pytest.raises(pl.InputError, match="nothing"):
        generate.instance("nothing")
    with pytest.raises(pl.InputError, match="colour"):
        generate.dense_qp(colour=3)


def test_seeds_and_files(tmp_path):
    a, b, c = (generate.dense_qp(n=5, m=50, seed=s).solve().x for s in (1, 1, 2))
    assert a.tobytes() == b.tobytes() != c.tobytes()
    generate.to_file("dense_qp", tmp_path / "p.h5", n=5, m=50, seed=1)
    assert pl.load(tmp_path / "p.h5").solve().x.tobytes() == a.tobytes()


def test_known_optimum(rng):
    p = generate.entrywise_strong(n=5, m=5)
    objective, x = p.known_optimum
    r = p.solve(tol_gap=1e-9)
    assert r.objective == pytest.approx(objective, abs=1e-7)
    if x is not None:
        np.testing.assert_allclose(r.x, x, atol=1e-4)


def test_bounds_hold_at_a_minimiser(rng):
    """Example 2 of the paper in closed form: bounds against the truth."""
    for xi, delta, m in [(2.0, 0.1, 3), (1.5, 1e-3, 10), (4.0, 0.5, 2)]:
        point = theory.example2(xi, delta, m)
        x = np.full(m, point.minimizer)
        residual = 1 + x - xi / (1 + np.exp(x / delta))
        assert np.abs(residual).max() <= 1e-9 * xi
        master = theory.master_bound(xi, delta, m)
        assert np.maximum(-x, 0).sum() <= theory.violation_bound(master, xi, 1.0) + 1e-12
        assert np.linalg.norm(x) <= theory.distance_bound(master, 1.0) + 1e-12
        assert theory.master_term(xi, delta, -x) <= master * (1 + 1e-12)
        assert master == pytest.approx(theory.W * m * xi * delta)


def test_softplus_against_numpy(rng):
    for t in rng.standard_normal(20) * 5:
        assert theory.softplus(t, 0.7) == pytest.approx(0.7 * np.logaddexp(0, t / 0.7), rel=1e-14)
    assert theory.softplus(1e300, 1e-300) == 1e300
    assert theory.W * math.exp(theory.W) == pytest.approx(math.exp(-1), rel=1e-15)


def test_theorem1_repaired_covers_a_path(rng):
    """Newton's method in NumPy on random quadratics with linear rows, xi = |lambda*|_inf."""
    for _ in range(20):
        m, n, delta = 4, 2, 1e-3
        A = rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-1, 1, (m, 1))
        G = rng.standard_normal((n, n))
        Q = G @ G.T + np.eye(n)
        q, b = -A.T @ np.ones(m), np.zeros(m)  # x* = 0, lambda* = 1
        x = np.zeros(n)
        for smoothing in np.geomspace(10.0, delta, 40):
            for _ in range(50):
                s = 1 / (1 + np.exp(-(A @ x - b) / smoothing))
                gradient = Q @ x + q + A.T @ s
                x = x - np.linalg.solve(Q + A.T @ np.diag(s * (1 - s) / smoothing) @ A, gradient)
        assert np.linalg.norm(gradient) <= 1e-9
        chi, chi_inf = theory.chi_exact(A, Q), theory.chi_exact(A, Q, norm="infinity")
        mu, norm, row_norm = np.linalg.eigvalsh(Q)[0], np.linalg.norm(A, 2), np.linalg.norm(A, axis=1).max()
        assert np.linalg.norm(A @ x) <= theory.theorem1_repaired(1.0, delta, m, mu, norm, row_norm, chi)
        assert np.linalg.norm(A @ x) <= theory.theorem1_repaired_sharp(1.0, delta, m, mu, norm, chi)
        assert np.abs(A @ x).max() <= theory.theorem1_repaired_infinity(1.0, delta, m, mu, norm, row_norm, chi_inf)
        assert 1.0 <= chi <= theory.chi_varying(A, mu, np.linalg.eigvalsh(Q)[-1]) * (1 + 1e-9)
    assert theory.chi_exact(np.eye(3), 2.0) == pytest.approx(1.0)
    with pytest.raises(pl.InputError, match="chi_bound"):
        theory.chi_exact(rng.standard_normal((60, 20)), 1.0)
    with pytest.raises(pl.InputError, match="norm: expected"):
        theory.chi_exact(np.eye(3), 2.0, norm="one")
    with pytest.raises(pl.InputError, match="Q: expected"):
        theory.chi_exact(np.eye(3), np.eye(2))


def test_calculator_agrees_with_the_functions():
    rows = {row["name"]: row for row in theory.bounds(xi=2, delta=1e-6, m=1000, xi_bar=1, mu=0.5)}
    master = theory.master_bound(2, 1e-6, 1000)
    assert any(row["value"] == pytest.approx(theory.violation_bound(master, 2, 1)) for row in rows.values())
    assert any(row["value"] == pytest.approx(theory.distance_bound(master, 0.5)) for row in rows.values())
    with pytest.raises(pl.InputError, match="unknown parameter"):
        theory.bounds(kappa=1)
    with pytest.raises(pl.InputError, match="delta"):
        theory.master_bound(xi=1, delta=-1, m=3)
    with pytest.raises(TypeError):
        theory.master_bound(1)
