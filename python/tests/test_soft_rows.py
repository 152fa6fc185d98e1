"""Soft rows: sums of positive parts in the objective, judged by raw numbers, exact arithmetic and HiGHS."""

import numpy as np
import pliant as pl
import pytest
from scipy import sparse
from soft_truth import Raw


def pinball(tau, r):
    return np.maximum(tau * r, (tau - 1) * r)


def test_values_are_the_formulas(rng):
    for make in (lambda M: M, sparse.csr_matrix):
        l, n = int(rng.integers(1, 8)), int(rng.integers(1, 5))
        A, b, y = rng.standard_normal((l, n)), rng.standard_normal(l), rng.choice([-1.0, 1.0], l)
        for w in (None, rng.uniform(0.0, 3.0, l), 2.5):
            ones = np.ones(l) if w is None else w * np.ones(l)
            x = rng.standard_normal(n)
            r = A @ x - b
            for term, value in (
                (pl.positive_part(make(A), b, w), ones @ np.maximum(0, r)),
                (pl.quantile(make(A), b, 0.3, w), ones @ pinball(0.3, -r) / l),
                (pl.absolute(make(A), b, w), ones @ abs(r) / l),
                (pl.epsilon_insensitive(make(A), b, 0.2, w), ones @ np.maximum(0, abs(r) - 0.2) / l),
                (pl.hinge(make(A), y, w), ones @ np.maximum(0, 1 - y * (A @ x)) / l),
            ):
                assert pl.Problem(n).minimize(term).objective(x) == pytest.approx(value, rel=1e-12, abs=1e-14)
                c = rng.standard_normal(n)
                both = 2 * (term + pl.linear(c)) + term / 4
                assert pl.Problem(n).minimize(both).objective(x) == pytest.approx(2 * c @ x + 2.25 * value, rel=1e-11)


def test_cvar_is_the_mean_of_the_worst(rng):
    for make in (lambda M: M, sparse.csr_matrix):
        m, n, level = 40, 4, int(rng.integers(0, 5))
        L = rng.standard_normal((m, n))
        w = rng.dirichlet(np.ones(n))
        wide = np.insert(L, level, 0.0, axis=1)
        p = pl.Problem(n + 1).minimize(pl.cvar(make(wide), 0.75, alpha=level))
        keep = np.delete(np.eye(n + 1), level, axis=0)
        p.subject_to(pl.equal(keep, w))
        worst = np.sort(L @ w)[-10:]
        r = p.solve(tol_gap=1e-9)
        assert r.status == "optimal"
        assert r.objective == pytest.approx(worst.mean(), rel=1e-7)
        assert np.delete(r.x, level) == pytest.approx(w, abs=1e-7)
        assert r.x[level] <= worst[0] + 1e-5


def test_bad_arguments_are_named():
    A, b = np.ones((3, 2)), np.ones(3)
    for call, words in (
        (lambda: pl.positive_part(A, np.ones(2)), r"h: expected shape \(3,\), got \(2,\)"),
        (lambda: pl.positive_part(A, b, [1.0, -2.0, 1.0]), "weights: entry 1 is -2, expected a finite number >= 0"),
        (lambda: pl.quantile(A, b, 0.5, [1.0, np.nan, 1.0]), "weights: entry 1 is nan"),
        (lambda: pl.quantile(A, b, 0.5, [1.0, 1.0]), r"weights: expected shape \(3,\), got \(2,\)"),
        (lambda: pl.quantile(A, b, 1.0), "tau: expected 0 < tau < 1, got 1"),
        (lambda: pl.quantile(A, np.array([1.0, np.inf, 1.0]), 0.5), "quantile: b: entry 1 is inf"),
        (lambda: pl.absolute(A, np.ones(4)), r"b: expected shape \(3,\), got \(4,\)"),
        (lambda: pl.hinge(A, [1.0, 0.0, -1.0]), "hinge: y: entry 1 is 0, expected -1 or 1"),
        (lambda: pl.epsilon_insensitive(A, b, -0.1), "eps: expected a finite number >= 0, got -0.1"),
        (lambda: pl.cvar(A, 1.5, alpha=1), "beta: expected 0 < beta < 1, got 1.5"),
        (lambda: pl.cvar(A, 0.9, alpha=2), "alpha: expected an index from 0 to 1, got 2"),
        (lambda: pl.cvar(A, 0.9, alpha=1), "L: column 1 belongs to alpha"),
        (lambda: pl.Problem(2).minimize(-1 * pl.absolute(A, b)), "weight must be finite and >= 0, got -1"),
        (lambda: pl.Problem(3).minimize(pl.absolute(A, b)), "3"),
        (lambda: pl.Problem(2).minimize(pl.absolute(A * np.nan, b)).solve(), "linear"),
    ):
        with pytest.raises(pl.InputError, match=words) as error:
            call()
        assert "\n" not in str(error.value)
    for call in (
        lambda: pl.positive_part(A),
        lambda: pl.positive_part(pl.linear_le(A, b), b),
        lambda: pl.positive_part(pl.equal(A, b)),
        lambda: pl.Problem(2).subject_to(pl.absolute(A, b)),
    ):
        with pytest.raises(TypeError):
            call()


def test_rows_of_other_families_have_prices_or_one_clear_line(rng):
    rows = pl.quadratic_le(diagonal=np.ones((2, 2)), q=np.zeros((2, 2)), r=[-1.0, -2.0])
    p = pl.Problem(2).minimize(pl.positive_part(rows, weights=[2.0, 3.0]))
    x = rng.standard_normal(2) * 2
    a = 0.5 * x @ x - np.array([1.0, 2.0])
    assert p.objective(x) == pytest.approx(np.array([2.0, 3.0]) @ np.maximum(0, a))
    try:
        r = p.add_to_objective(pl.linear([1.0, 1.0])).solve()
    except pl.InputError as refusal:
        assert "\n" not in str(refusal) and "quadratic" in str(refusal)
    else:
        assert r.status == "optimal"
    two_sided = pl.positive_part(pl.linear_range([-1.0], [[1.0, 0.0]], [2.0]), weights=[3.0, 5.0])
    p = pl.Problem(2).minimize(two_sided)
    assert (p.objective([4.0, 0.0]), p.objective([0.0, 0.0]), p.objective([-3.0, 0.0])) == (6.0, 0.0, 10.0)


def test_duals_stand_in_the_order_of_the_calls():
    p = pl.Problem(1)
    c = p.subject_to(pl.linear_le([[1.0]], [5.0]))
    p.minimize(pl.linear([-1.0]) + pl.positive_part([[1.0], [1.0]], [0.0, 2.0], [0.4, 5.0]))
    e = p.subject_to(pl.equal([[0.0]], [0.0]))
    p.add_to_objective(2 * pl.hinge([[1.0]], [1.0]))
    assert [(h.index, h.soft, h.name) for h in p.handles] == [
        (c.index, False, ""), (1, True, "positive_part"), (e.index, False, ""), (3, True, "hinge")]
    assert "objective: linear + positive_part + hinge" in repr(p)
    r = p.solve(tol_gap=1e-9)
    assert [len(d) for d in r.duals] == [1, 2, 1, 1]
    assert r.x == pytest.approx([2.0], abs=1e-6)
    assert r.duals[1] == pytest.approx([0.4, 0.6], abs=1e-6)
    assert r.duals[3] == pytest.approx([0.0], abs=1e-6)
    assert p.check(r, tol_gap=1e-8)["satisfied"]
    soft = r.soft_rows
    assert (soft["at_zero"], soft["at_kink"], soft["at_price"]) == (1, 1, 1)
    assert soft["cost"] == pytest.approx(0.8, abs=1e-6)


def test_saved_and_pickled(tmp_path, rng):
    import pickle

    A, b = rng.standard_normal((9, 3)), rng.standard_normal(9)
    p = pl.Problem(3).minimize(pl.quantile(A, b, 0.4)).regularize(pl.box(-1.0, 1.0))
    p.save(tmp_path / "p.h5")
    for other in (pl.load(tmp_path / "p.h5"), pickle.loads(pickle.dumps(p))):
        assert [h.soft for h in other.handles] == [True]
        assert other.objective([0.1, 0.2, 0.3]) == p.objective([0.1, 0.2, 0.3])
    with pytest.warns(UserWarning, match="written with slacks"):
        p.save(tmp_path / "p.mps")
    assert pl.load(tmp_path / "p.mps").solve().objective == pytest.approx(p.solve().objective, abs=1e-5)
    r = p.solve()
    r.save(tmp_path / "x.h5")
    assert p.check(r)["satisfied"]


def test_solver_keeps_soft_rows_soft(rng):
    A, b = rng.standard_normal((9, 2)), rng.standard_normal(9)
    p = pl.Problem(2).minimize(pl.positive_part(A, b) + pl.linear([0.1, -0.2])).regularize(pl.box(-3.0, 3.0))
    hard = p.subject_to(pl.linear_le([[1.0, 0.0]], [2.5]))
    s = pl.Solver(p, tol_gap=1e-8)
    soft = p.handles[0]
    first = s.solve()
    more, h, w = rng.standard_normal((4, 2)), rng.standard_normal(4), rng.uniform(0.0, 2.0, 4)
    s.append(soft, G=more, h=h, weights=w)
    s.append(soft, G=-more, h=h)
    s.update(soft, h=np.concatenate([b + 0.1, h, h]))
    r = s.solve()
    q = pl.Problem(2).minimize(pl.linear([0.1, -0.2])).regularize(pl.box(-3.0, 3.0))
    q.add_to_objective(pl.positive_part(A, b + 0.1) + pl.positive_part(more, h, w) + pl.positive_part(-more, h))
    q.subject_to(pl.linear_le([[1.0, 0.0]], [2.5]))
    assert r.objective == pytest.approx(q.solve(tol_gap=1e-8).objective, abs=1e-6)
    assert r.duals[0].shape == (17,) and (r.duals[0][9:13] <= w).all()
    assert first.status == r.status == "optimal"
    with pytest.raises(TypeError, match="weights"):
        s.append(hard, G=more, h=h, weights=w)
    with pytest.raises(TypeError, match="soft"):
        s.update_objective(0, pl.absolute(A, b))


# ---- random problems against HiGHS and exact arithmetic


def weights_of(rng, rows):
    kind = rng.integers(4)
    if kind == 0:
        return None
    if kind == 1:
        return 10.0 ** rng.uniform(-6, 6, rows)
    w = rng.uniform(0.1, 2.0, rows)
    if kind == 2:
        w[rng.random(rows) < 0.3] = 0.0
    return w


def soft_term(rng, n):
    rows = int(rng.integers(1, 12))
    # Whole numbers make ties at kinks, copies make multipliers that are not unique.
    whole = rng.random() < 0.5
    A = rng.integers(-2, 3, (rows, n)).astype(float) if whole else rng.standard_normal((rows, n))
    b = rng.integers(-2, 3, rows).astype(float) if whole else rng.standard_normal(rows)
    if rng.random() < 0.3:
        A, b = np.repeat(A, 3, axis=0), np.repeat(b, 3)
    M = sparse.csr_matrix(A) if rng.random() < 0.4 else A
    w = weights_of(rng, len(b))
    kind = rng.integers(5)
    if kind == 0:
        return pl.positive_part(M, b, w)
    if kind == 1:
        return pl.quantile(M, b, float(rng.uniform(0.05, 0.95)), w)
    if kind == 2:
        return pl.absolute(M, b, w)
    if kind == 3:
        return pl.epsilon_insensitive(M, b, float(rng.choice([0.0, 0.1, 1.0])), w)
    return pl.hinge(M, np.where(b > 0, 1.0, -1.0), w)


def random_problem(rng, squares):
    """A solvable problem: every term is bounded below on the box, and the planted point satisfies the hard rows."""
    n = int(rng.integers(1, 6))
    p = pl.Problem(n)
    simplex = rng.random() < 0.2
    x0 = rng.dirichlet(np.ones(n)) if simplex else rng.integers(-1, 2, n).astype(float)
    p.minimize(pl.linear(rng.standard_normal(n), float(rng.standard_normal())))
    for _ in range(int(rng.integers(1, 4))):
        p.add_to_objective(float(rng.choice([1.0, 0.25, 30.0])) * soft_term(rng, n))
    if simplex:
        p.regularize(pl.simplex(1.0))
    else:
        p.regularize(pl.box(-2.0, 2.0))
        if rng.random() < 0.3:
            p.regularize(pl.l1(float(rng.uniform(0.01, 1.0))))
        if squares and rng.random() < 0.5:
            p.regularize(pl.l2_squared(float(rng.uniform(0.1, 2.0))))
    if squares:
        B = rng.standard_normal((int(rng.integers(1, n + 1)), n))
        p.add_to_objective(pl.quadratic(B.T @ B, rng.standard_normal(n)))
    if rng.random() < 0.5:
        G = rng.integers(-2, 3, (int(rng.integers(1, 6)), n)).astype(float)
        p.subject_to(pl.linear_le(G, G @ x0 + rng.integers(0, 2, len(G))))
    if rng.random() < 0.3 and n > 1 and not simplex:
        E = rng.integers(-2, 3, (1, n)).astype(float)
        p.subject_to(pl.equal(E, E @ x0))
    return p, x0


def expect_duals_within_prices(raw, r, soft):
    for b, (rows, duals) in enumerate(zip(raw.batches, r._by_part)):
        if rows.weights is None:
            assert (duals >= 0.0).all(), b
            continue
        assert soft[b]
        for i in range(len(rows.c)):
            side = rows.sign[i] * duals[rows.row[i]]
            alone = (rows.row == rows.row[i]).sum() == 1
            assert side <= rows.weights[i] and (side >= 0.0 or not alone), (b, i, side, rows.weights[i])


def spread(raw):
    """How far apart prices lie."""
    prices = np.concatenate([[1.0], *(rows.weights for rows in raw.batches if rows.weights is not None)])
    return prices.max() / prices[prices > 0.0].min()


def judge(p, r, raw, points):
    """Nothing that is said to be proved is false, and what is optimal is optimal, all in exact arithmetic."""
    value = raw.exact_objective(r.x)
    assert abs(float(value) - r.objective) <= 1e-9 * (1 + abs(r.objective))
    expect_duals_within_prices(raw, r, p._core.soft)
    verdict = p.check(r)
    if r.status == "optimal":
        assert r.gap_rel <= 1e-6 and verdict["satisfied"]
    else:  # prices of 1e-6 beside 1e6 may cost the last digits, but then the status says so
        assert r.status == "numerical_error" and spread(raw) > 1e6, (r.status, r.message, spread(raw))
    feasible = [x for x in points if raw.exactly_feasible(x)]
    for said in (r.proved_bound, verdict["proved_bound"], r.lower_bound if r.lower_bound_rigorous else None):
        if said is None or said == -np.inf:
            continue
        for x in feasible:
            assert raw.exact_objective(x) >= said, (said, x)


@pytest.mark.parametrize("case", range(40))
def test_random_linear_problems_against_highs(case, rng, tmp_path):
    p, x0 = random_problem(rng, squares=False)
    p.save(tmp_path / "p.h5")
    raw = Raw(tmp_path / "p.h5")
    status, x, value = raw.solve_lp()
    assert status == 0
    r = p.solve()
    judge(p, r, raw, [x0, x, r.x, np.clip(x.round(12), raw.lo, raw.hi), np.clip(r.x.round(9), raw.lo, raw.hi)])
    if r.status == "optimal":
        largest = max(float(rows.weights.max(initial=1.0)) for rows in raw.batches if rows.weights is not None)
        assert abs(r.objective - value) <= 1e-6 * (1 + abs(value)) * 1.01 + 1e-8 * largest


@pytest.mark.parametrize("case", range(40))
def test_random_quadratic_problems_by_exact_duality(case, rng, tmp_path):
    p, x0 = random_problem(rng, squares=True)
    p.save(tmp_path / "p.h5")
    raw = Raw(tmp_path / "p.h5")
    r = p.solve()
    near = [np.clip(r.x + s * rng.standard_normal(p.n), raw.lo, raw.hi) for s in (1e-9, 1e-6, 1e-3)]
    judge(p, r, raw, [x0, r.x, np.clip(r.x.round(9), raw.lo, raw.hi), *near])


def test_infeasible_hard_part_is_proved(rng):
    for _ in range(5):
        n = int(rng.integers(1, 5))
        g = rng.standard_normal(n)
        p = pl.Problem(n).minimize(soft_term(rng, n) + pl.linear(rng.standard_normal(n)))
        p.subject_to(pl.linear_le([g, -g], [-1.0, -1.0]))
        r = p.solve()
        assert r.status == "primal_infeasible", (r.status, r.message)
        verdict = p.check(r)
        assert verdict["infeasibility_proof"]["holds"] and not verdict["satisfied"]


def test_soft_rows_are_never_infeasible(rng):
    g = rng.standard_normal(3)
    p = pl.Problem(3).minimize(pl.positive_part([g, -g], [-1.0, -1.0], [2.0, 3.0]))
    r = p.solve(tol_gap=1e-9)
    assert r.status == "optimal" and r.objective == pytest.approx(4.0, abs=1e-7)
    # Multipliers that would prove rows of their own kind infeasible prove nothing of soft ones.
    r._by_part[0][:] = 1.0
    assert not p.check(r)["infeasibility_proof"]["holds"]


def test_unbounded_objectives_are_proved(rng):
    for _ in range(5):
        n = int(rng.integers(2, 5))
        A = rng.integers(-2, 3, (6, n)).astype(float)
        # Prices add up to less than the pull along the last variable.
        c = np.zeros(n)
        c[-1] = -1.0 - abs(A[:, -1]).sum()
        p = pl.Problem(n).minimize(pl.linear(c) + pl.positive_part(A, np.ones(6)))
        r = p.solve()
        assert r.status == "dual_infeasible", (r.status, r.message)
        steps = [p.objective(r.x + t * r.ray / np.linalg.norm(r.ray)) for t in (0.0, 1e3, 1e6)]
        assert steps[2] < steps[1] < steps[0]
        assert r.objective == p.objective(r.x) and r.lower_bound == -np.inf
        verdict = p.check(r)
        assert verdict["unboundedness_proof"]["holds"], verdict


def test_prices_that_hold_a_pull_are_bounded(rng):
    n = 3
    A = np.vstack([np.eye(n), -np.eye(n)])
    c = rng.uniform(-0.99, 0.99, n)
    p = pl.Problem(n).minimize(pl.linear(c) + pl.positive_part(A, np.zeros(6)))
    r = p.solve()
    assert r.status == "optimal" and abs(r.objective) <= 2e-6
    assert pl.Problem(n).minimize(pl.linear(c * 1.2 + np.sign(c)) + pl.positive_part(A, np.zeros(6))).solve().status == \
        "dual_infeasible"


def test_wrong_multipliers_prove_nothing(rng):
    """Duals beyond the prices are cut before they may prove anything."""
    p = pl.Problem(2).minimize(pl.positive_part([[1.0, 0.0]], [-3.0], [0.5])).regularize(pl.box(-1.0, 1.0))
    r = p.solve(tol_gap=1e-9)
    best = 0.5 * 2.0
    assert r.objective == pytest.approx(best, abs=1e-7)
    for dual in (1.0, 1e6, np.nextafter(0.5, 1.0)):
        r._by_part[0][:] = dual
        verdict = p.check(r)
        assert verdict["lower_bound"] is None or verdict["lower_bound"] <= best + 1e-12


def test_prices_on_cones():
    rng = np.random.default_rng(4)
    places, w = rng.standard_normal((30, 2)), rng.uniform(0.5, 2.0, 30)
    norms = pl.soc_le(np.tile(np.eye(2), (30, 1, 1)), -places, np.zeros((30, 2)), np.zeros(30))
    p = pl.Problem(2).minimize(pl.positive_part(norms, weights=w)).regularize(pl.box(-9.0, 9.0))
    r = p.solve(tol_gap=1e-8)
    away = r.x - places
    distances = np.linalg.norm(away, axis=1)
    assert r.status == "optimal" and r.lower_bound_kind == "proved"
    assert r.objective == pytest.approx(w @ distances, rel=1e-12)
    assert np.linalg.norm((w / distances) @ away) < 1e-4  # the median of the places
    assert p.check(r)["satisfied"] and r.duals[0].shape == (60,)
    # the sum of the positive eigenvalues of diag(x) - I, at 0.5 each: x_j - 1 is worth more
    matrices = pl.lmi_le(-np.eye(2), np.array([np.diag([1.0, 0.0]), np.diag([0.0, 1.0])]))
    objective = pl.linear([-0.4, -0.6]) + pl.positive_part(matrices, weights=[0.5])
    r = pl.Problem(2).minimize(objective).regularize(pl.box(0.0, 3.0)).solve(tol_gap=1e-8)
    assert r.x == pytest.approx([1.0, 3.0], abs=1e-5) and r.objective == pytest.approx(-1.2, abs=1e-7)
    with pytest.raises(pl.InputError, match="cannot be written"):
        p.save("never.h5")
    with pytest.raises(pl.InputError, match="weights: expected shape"):
        pl.Problem(2).minimize(pl.positive_part(norms, weights=w[1:]))
    with pytest.raises(pl.InputError, match="expected soc or psd"):
        pl.Problem(1).minimize(pl.positive_part(pl.conic([[1.0]], [0.0], [("nonneg", 1)])))
    with pytest.raises(pl.InputError, match="one by one$"):  # without a setting that has no other rows here
        p.solve(method="svrg")
