"""Conditional value at risk in the objective and as a limit, judged from the sorted losses and by linear programs."""

import numpy as np
import pliant as pl
import pytest
from scipy.optimize import linprog

TIGHT = dict(tol_gap=1e-8, tol_feas=1e-8)


def cvar_of(losses, beta):
    """From the sorted losses: the last one of the tail counts by what is left of it."""
    losses = np.sort(losses)[::-1]
    tail = (1.0 - beta) * losses.size
    whole = int(tail)
    rest = losses[whole] * (tail - whole) if whole < losses.size else 0.0
    return (losses[:whole].sum() + rest) / tail


def market(rng, n, m):
    mean = rng.uniform(0.0, 0.2, n)
    return mean, -mean + rng.uniform(0.05, 0.4, n) * rng.standard_normal((m, n))


def limited_by_slacks(mean, L, beta, kappa):
    """max mean'x over the simplex with CVaR_beta(L x) <= kappa, by HiGHS: variables x, level, excesses."""
    m, n = L.shape
    rows = np.c_[L, -np.ones(m), -np.eye(m)]
    budget = np.r_[np.zeros(n), 1.0, np.full(m, 1.0 / ((1.0 - beta) * m))]
    return linprog(
        np.r_[-mean, np.zeros(m + 1)],
        A_ub=np.vstack([rows, budget]),
        b_ub=np.r_[np.zeros(m), kappa],
        A_eq=[np.r_[np.ones(n), np.zeros(m + 1)]],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)] + [(0, None)] * m,
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_objective_is_the_mean_of_the_worst_share(seed):
    rng = np.random.default_rng(seed)
    n, m, beta = int(rng.integers(1, 8)), int(rng.integers(5, 300)), rng.uniform(0.1, 0.97)
    mean, L = market(rng, n, m)
    weight = rng.uniform(0.2, 3.0)
    p = pl.Problem(n).minimize(weight * pl.cvar(L, beta) - pl.linear(mean)).regularize(pl.simplex(1.0))
    x = rng.dirichlet(np.ones(n))
    assert p.objective(x) == pytest.approx(weight * cvar_of(L @ x, beta) - mean @ x, abs=1e-12)
    r = p.solve(**TIGHT)
    assert r.status == "optimal" and r.x.shape == (n,)
    best = weight * cvar_of(L @ r.x, beta) - mean @ r.x
    assert r.objective == pytest.approx(best, abs=1e-7)
    for _ in range(20):  # no point found by chance is better
        y = rng.dirichlet(np.full(n, 0.3))
        assert weight * cvar_of(L @ y, beta) - mean @ y >= best - 1e-7
    probabilities = r.duals[0]
    assert probabilities.shape == (m,)
    assert probabilities.min() >= -1e-12 and probabilities.max() <= weight / ((1.0 - beta) * m) * (1 + 1e-12)
    assert probabilities.sum() == pytest.approx(weight, abs=1e-6)
    assert p.check(r, **TIGHT)["satisfied"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("m", [40, 1500])  # slacks, and a budget of soft rows
def test_a_limit_is_kept_and_no_more(seed, m):
    rng = np.random.default_rng(100 * seed + m)
    n, beta = int(rng.integers(2, 8)), rng.choice([0.5, 0.9, 0.95])
    mean, L = market(rng, n, m)
    even = cvar_of(L @ np.full(n, 1.0 / n), beta)
    kappa = even + rng.uniform(0.01, 2.0) * abs(even)
    p = pl.Problem(n).minimize(pl.linear(-mean)).regularize(pl.simplex(1.0))
    c = p.subject_to(pl.cvar_le(L, beta, kappa), name="risk")
    r = p.solve(**TIGHT)
    truth = limited_by_slacks(mean, L, beta, kappa)
    assert r.status == "optimal" and truth.status == 0
    assert r.objective == pytest.approx(truth.fun, abs=1e-7)
    assert cvar_of(L @ r.x, beta) <= kappa + 1e-7 * (1.0 + abs(kappa))
    assert r.duals[c].shape == (m + 1,) and r.duals["risk"][-1] >= 0.0
    assert p.check(r, **TIGHT)["satisfied"]
    if m == 1500:
        assert r.engine == "path / bands of soft rows"


def test_a_limit_nobody_can_keep():
    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0])).regularize(pl.simplex(1.0))
    p.subject_to(pl.cvar_le(np.ones((30, 2)), 0.9, 0.5))
    assert p.solve().status == "primal_infeasible"


def test_levels_stay_out_of_sight(tmp_path):
    rng = np.random.default_rng(3)
    _, L = market(rng, 3, 50)
    p = pl.Problem(3).minimize(pl.cvar(L, 0.9)).regularize(pl.box(0.0, 1.0))
    c = p.subject_to(pl.equal(np.ones((1, 3)), [1.0]))
    p.subject_to(pl.cvar_le(-L, 0.5, 10.0))
    r = p.solve(**TIGHT)
    assert (p.n, r.x.size, r.bound_duals.size, r.n) == (3, 3, 3, 3)
    assert [d.size for d in r.duals] == [50, 1, 51] and r.duals[c].size == 1
    assert p.check(r.x)["objective"] == pytest.approx(r.objective, abs=1e-9)
    again = p.solve(warm_start=r, **TIGHT)
    assert again.objective == pytest.approx(r.objective, abs=1e-7)
    file, solution = tmp_path / "p.h5", tmp_path / "x.h5"
    p.save(file)
    r.save(solution)
    whole = pl.load(file)  # with its levels and the excesses of its limit
    assert whole.n == 3 + 2 + 50
    assert whole.solve(**TIGHT).objective == pytest.approx(r.objective, abs=1e-7)


def test_refusals():
    with pytest.raises(pl.InputError, match="beta: expected 0 < beta < 1, got 1"):
        pl.cvar(np.ones((3, 2)), 1.0)
    with pytest.raises(pl.InputError, match="beta: expected 0 < beta < 1, got 0"):
        pl.cvar_le(np.ones((3, 2)), 0.0, 1.0)
    with pytest.raises(pl.InputError, match="L: expected 4 columns, got 2"):
        pl.Problem(4).minimize(pl.cvar(np.ones((3, 2)), 0.5))
    with pytest.raises(pl.InputError, match="beside terms cvar are not supported"):
        p = pl.Problem(2).minimize(pl.cvar(np.ones((3, 2)), 0.5))
        p.subject_to(pl.quadratic_le(np.eye(2)[None], np.zeros((1, 2)), [-1.0]))
        p.solve()
    with pytest.raises(pl.InputError, match="1 cvar is not concave"):
        pl.Problem(2).maximize(pl.cvar(np.ones((3, 2)), 0.5))
    with pytest.raises(pl.InputError, match="Solver: does not take terms cvar"):
        pl.Solver(pl.Problem(2).minimize(pl.cvar(np.ones((3, 2)), 0.5)))


@pytest.mark.parametrize("money", [1.0, 1e6, 1e-6])
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_a_limit_in_any_units(money, unit):
    mean, L = market(np.random.default_rng(11), 5, 1500)
    even = cvar_of(L @ np.full(5, 0.2), 0.9)
    kappa = even + 0.3 * abs(even)
    p = pl.Problem(5).minimize(pl.linear(-money * mean)).regularize(pl.simplex(1.0))
    p.subject_to(pl.cvar_le(unit * L, 0.9, unit * kappa))
    r = p.solve(**TIGHT)
    best = money * limited_by_slacks(mean, L, 0.9, kappa).fun
    assert r.status == "optimal"
    assert r.objective == pytest.approx(best, abs=1e-7 * (1.0 + abs(best)))
    assert unit * cvar_of(L @ r.x, 0.9) <= unit * kappa + 1e-7 * (1.0 + unit * abs(kappa))


@pytest.mark.parametrize("money", [1.0, 1e4])  # the multiplier of the limit is below 1, and far above
@pytest.mark.parametrize("seed", range(3))
def test_a_limit_costs_about_what_the_objective_costs(seed, money):
    """Passes over the losses, and one attempt: the multiplier of the limit is found with x."""
    rng = np.random.default_rng(300 + seed)
    n, m, beta = 8, 4000, 0.9
    mean, L = market(rng, n, m)
    least = pl.Problem(n).minimize(pl.cvar(L, beta)).regularize(pl.simplex(1.0)).solve(**TIGHT)
    kappa = 0.5 * (least.objective + cvar_of(L[:, np.argmax(mean)], beta))
    limited = pl.Problem(n).minimize(-money * pl.linear(mean)).regularize(pl.simplex(1.0))
    limited.subject_to(pl.cvar_le(L, beta, kappa))
    r = limited.solve(**TIGHT)
    assert least.status == "optimal" and r.status == "optimal" and len(r.attempts) == 1
    assert cvar_of(L @ r.x, beta) <= kappa + 1e-7
    assert r.passes <= 4.0 * least.passes, (r.passes, least.passes)


@pytest.mark.parametrize("seed", range(4))
def test_a_limit_below_the_least_is_proved_to_be_one(seed):
    rng = np.random.default_rng(400 + seed)
    n, m, beta = 5, 3000, 0.95
    mean, L = market(rng, n, m)
    unit = 10.0 ** rng.integers(-4, 5)
    least = pl.Problem(n).minimize(pl.cvar(unit * L, beta)).regularize(pl.simplex(1.0)).solve(**TIGHT)
    p = pl.Problem(n).minimize(-pl.linear(mean)).regularize(pl.simplex(1.0))
    p.subject_to(pl.cvar_le(unit * L, beta, least.objective - 0.05 * abs(least.objective)))
    assert p.solve(**TIGHT).status == "primal_infeasible"
