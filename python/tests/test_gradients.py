"""Derivatives of solutions beside finite differences of solutions."""

import numpy as np
import pliant as pl
import pytest
from pliant import _core

TIGHT = dict(tol_feas=1e-10, tol_gap=1e-10)
#: Multipliers or slacks are at least this large in problems that count as nondegenerate.
MARGIN = 1e-3
STEP = 1e-5


def build(P, q, G, h, E, e, lo, hi):
    p = pl.Problem(q.size).minimize(pl.quadratic(P, q)).regularize(pl.box(lo, hi))
    return p, p.subject_to(pl.linear_le(G, h), name="rows"), p.subject_to(pl.equal(E, e), name="level")


def exact(data, active):
    """The solution whose active rows and bounds these are, from the data alone, with the smallest of all that must be
    positive: multipliers of active ones, slacks of the others."""
    P, q, G, h, E, e, lo, hi = data
    n = q.size
    everything = np.vstack([G, -np.eye(n), np.eye(n)])
    sides = np.concatenate([h, -lo, hi])
    A, b = np.vstack([everything[active], E]), np.concatenate([sides[active], e])
    K = np.block([[P, A.T], [A, np.zeros((len(A), len(A)))]])
    z = np.linalg.solve(K, np.concatenate([-q, b]))
    y, slack = z[n : n + active.sum()], (sides - everything @ z[:n])[~active]
    return z[:n], min(y.min(initial=np.inf), slack.min(initial=np.inf))


def active_set(r, data):
    _, _, G, h, _, _, lo, hi = data
    slack = np.concatenate([h - G @ r.x, r.x - lo, hi - r.x])
    force = np.concatenate([r.duals["rows"], np.maximum(-r.bound_duals, 0), np.maximum(r.bound_duals, 0)])
    return force > slack


def nondegenerate(rng, strictly_convex):
    """A random program, its solution, and what is active there; None where it is too close to a kink."""
    n = int(rng.integers(1, 9))
    B = rng.standard_normal((n, n if strictly_convex else max(1, n // 2)))
    P = B @ B.T + (0.3 * np.eye(n) if strictly_convex else 0.0)
    x, m = rng.standard_normal(n), 4 * n
    G, E = rng.standard_normal((m, n)), rng.standard_normal((1 if n > 1 else 0, n))
    data = (P, 3 * rng.standard_normal(n), G, G @ x + rng.uniform(0.05, 1.0, m), E, E @ x,
            x - rng.uniform(0.3, 1.5, n), x + rng.uniform(0.3, 1.5, n))  # fmt: skip
    p, *handles = build(*data)
    r = p.solve(**TIGHT)
    if r.status != "optimal":
        return None
    active = active_set(r, data)
    try:
        x, margin = exact(data, active)
    except np.linalg.LinAlgError:
        return None
    K_size = active.sum() + len(E)
    if margin < MARGIN or K_size > n or np.abs(x - r.x).max() > 1e-5:
        return None
    return data, active, p, r, handles


@pytest.mark.parametrize("strictly_convex", [True, False])
def test_gradients_of_two_hundred_programs(rng, strictly_convex):
    found = 0
    for _ in range(600):
        case = nondegenerate(rng, strictly_convex)
        if case is None:
            continue
        data, active, p, r, (rows, level) = case
        w = rng.standard_normal(p.n)
        g = r.vjp(w)
        index, dG = g.rows(rows)
        dE = g.rows(level)[1]
        directions = [rng.standard_normal(part.shape) for part in data]
        directions[0] = directions[0] + directions[0].T
        given = [(g.P, directions[0]), (g.q, directions[1]), (dG, directions[2][index]), (g.h[rows], directions[3]),
                 (dE, directions[4]), (g.h[level], directions[5]), (g.lo, directions[6]),
                 (g.hi, directions[7])]  # fmt: skip
        mine = np.array([np.sum(a * b) for a, b in given])
        theirs = np.empty(8)
        for k, d in enumerate(directions):
            ends = []
            for t in (STEP, -STEP):
                moved = list(data)
                moved[k] = data[k] + t * d
                x, margin = exact(moved, active)
                ends.append(w @ x)
                if margin <= 0:
                    break
            if margin <= 0:  # a badly conditioned one: the active set changes within the step
                break
            theirs[k] = (ends[0] - ends[1]) / (2 * STEP)
        else:
            scale = max(np.abs(theirs).max(), np.linalg.norm(w))
            assert mine == pytest.approx(theirs, abs=1e-5 * scale)
            found += 1
        if found == 100:
            return
    pytest.fail(f"only {found} nondegenerate programs")


def loss_gradient(p, w, **settings):
    r = p.solve(**(TIGHT | settings))
    assert r.status == "optimal", r.message
    return r, r.vjp(w)


def test_simple_terms_in_closed_form(rng):
    n, w = 6, rng.standard_normal(6)
    # Away from every kink: entries of q are 0.2 or more off the thresholds below.
    q = np.array([3.0, -2.0, 0.4, -0.3, 1.6, -1.5]) + rng.uniform(-0.1, 0.1, 6)
    square = pl.quadratic(np.eye(n), q)
    _, g = loss_gradient(pl.Problem(n).minimize(square).regularize(pl.l1(1.0)), w)
    assert g.q == pytest.approx(np.where(np.abs(q) > 1.0, -w, 0.0), abs=1e-6)
    _, g = loss_gradient(pl.Problem(n).minimize(square).regularize(pl.elastic_net(1.0, 3.0)), w)
    assert g.q == pytest.approx(np.where(np.abs(q) > 1.0, -w / 4, 0.0), abs=1e-6)
    r, g = loss_gradient(pl.Problem(n).minimize(square).regularize(pl.simplex(1.0)), w)
    on = r.x > 1e-3
    assert g.q == pytest.approx(np.where(on, -(w - w[on].mean()), 0.0), abs=1e-5)
    _, g = loss_gradient(pl.Problem(n).minimize(pl.linear(q)).regularize(pl.ball(2.0)), w)
    size = np.linalg.norm(q)
    assert g.q == pytest.approx(-2.0 / size * (w - q * (q @ w) / size**2), abs=1e-4)
    _, g = loss_gradient(pl.Problem(n).minimize(square).regularize(pl.group_l2([0, 0, 1, 1, 2, 2], 1.0)), w)
    expected = np.zeros(n)
    for pair in ([0, 1], [4, 5]):  # x = -q (1 - 1/|q|); the group between is 0
        size = np.linalg.norm(q[pair])
        d = q[pair] / size
        expected[pair] = -(w[pair] * (1 - 1 / size) + d * (d @ w[pair]) / size)
    assert g.q == pytest.approx(expected, abs=1e-4)


def test_curved_two_sided_and_soft_rows(rng):
    c, w = np.array([3.0, 4.0]) + rng.uniform(-0.5, 0.5, 2), rng.standard_normal(2)
    p = pl.Problem(2).minimize(pl.linear(-c))
    k = p.subject_to(pl.quadratic_le(diagonal=[[1.0, 1.0], [1.0, 1.0]], q=np.zeros((2, 2)), r=[-2.0, -90.0]))
    _, g = loss_gradient(p, w)  # x = sqrt(2 (2 + h)) c/|c|
    direction = c / np.linalg.norm(c)
    assert g.h[k] == pytest.approx([direction @ w / 2.0, 0.0], abs=1e-6)
    assert g.q == pytest.approx(2.0 / np.linalg.norm(c) * -(w - direction * (direction @ w)), abs=1e-5)
    with pytest.raises(pl.InputError, match="rows: expected linear rows"):
        g.rows(k)
    p = pl.Problem(2).maximize(pl.linear([1.0, 1.0]) - pl.quadratic(np.eye(2)))  # x = q; upper side of 0, lower of 1
    k = p.subject_to(pl.linear_range([-9.0, 3.0], np.eye(2), [0.5, 9.0]))
    r, g = loss_gradient(p, w)
    assert r.x == pytest.approx([0.5, 3.0], abs=1e-6) and g.h[k] == pytest.approx(w, abs=1e-6)
    index, rows = g.rows(k)  # x_0 = h_0/G_00, x_1 = h_1/G_11
    assert index.tolist() == [0, 1] and np.diag(rows) == pytest.approx(-w * r.x, abs=1e-5)
    free = pl.Problem(2).maximize(pl.linear([1.0, 1.0]) - pl.quadratic(np.eye(2)))
    assert loss_gradient(free, w)[1].q == pytest.approx(w, abs=1e-6)
    # Rows with a price: at the kink x follows h, beyond it the price alone counts.
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-1.0, -3.0]) + pl.positive_part(np.eye(2), [0.5, 1.0], [5.0, 1.0]))
    r, g = loss_gradient(p, w)
    assert r.x == pytest.approx([0.5, 2.0], abs=1e-5)
    assert g.h[p.handles[0]] == pytest.approx([w[0], 0.0], abs=1e-6) and g.q == pytest.approx([0.0, -w[1]], abs=1e-6)


def test_other_objectives_and_own_functions(rng):
    A, b, w = rng.standard_normal((9, 3)), rng.standard_normal(9), rng.standard_normal(3)
    y, q = np.where(b > 0, 1.0, -1.0), rng.standard_normal(3)

    def problem(q):
        p = pl.Problem(3).minimize(pl.logistic(A, y) + pl.linear(q)).regularize(pl.l2_squared(0.5))
        p.subject_to(pl.callback_le(1, lambda x, rows: [np.exp(x).sum() - 2.0], lambda x, rows: [np.exp(x)],
                                    lambda x, s, rows: s[0] * np.diag(np.exp(x))))  # fmt: skip
        return p

    p = problem(q)
    r, g = loss_gradient(p, w)
    slack = 2.0 - np.exp(r.x).sum()
    if max(r.duals[0][0], slack) < 0.05:
        return  # a kink is near
    d, t = rng.standard_normal(3), 1e-3
    ends = [w @ problem(q + s * t * d).solve(**TIGHT).x for s in (1, -1)]
    assert g.q @ d == pytest.approx((ends[0] - ends[1]) / (2 * t), abs=2e-3 * np.linalg.norm(w))


def test_what_has_no_derivative_says_so(rng):
    p = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
    p.subject_to(pl.soc_le([np.eye(2)], np.zeros((1, 2)), np.zeros((1, 2)), [5.0]))
    with pytest.raises(pl.InputError, match="vjp: cones"):
        p.solve().vjp([1.0, 0.0])
    p = pl.Problem(1).minimize(pl.linear([-1.0])).regularize(pl.box(0.0, 1.0))
    r = p.solve()
    with pytest.raises(pl.InputError, match=r"dx: expected shape \(1,\)"):
        r.vjp([1.0, 2.0])
    with pytest.raises(TypeError):
        p.subject_to("nothing that changes it")
    seen = []

    def callback(info):
        with pytest.raises(RuntimeError) as refused:
            p.regularize(pl.l1(1.0))
        seen.append(refused)  # with a traceback that holds the frames of the solve

    watched = p.solve(callback=callback)
    assert seen and watched.vjp([1.0]).hi == r.vjp([1.0]).hi == pytest.approx([1.0])
    p.subject_to(pl.linear_le([[1.0]], [0.5]))
    with pytest.raises(ReferenceError, match="changed"):
        r.vjp([1.0])
    s = pl.Solver(p)
    first = s.solve()
    assert first.vjp([1.0]).h[0] == pytest.approx([1.0])
    s.update(p.handles[0], h=0.25)
    with pytest.raises(ReferenceError):
        first.vjp([1.0])
    s.append(p.handles[0], G=[[2.0]], h=[0.3])
    assert s.solve(**TIGHT).vjp([1.0]).h[0] == pytest.approx([0.0, 0.5])
    bad = pl.Problem(1).minimize(pl.linear([1.0]))
    with pytest.raises(pl.InputError, match="vjp: the status is dual_infeasible"):
        bad.solve().vjp([1.0])
    # The same row twice: who carries the multiplier is open, what x does is not.
    twice = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-2.0, 0.0]))
    twice.subject_to(pl.linear_le([[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0]))
    g = twice.solve(**TIGHT).vjp([1.0, 1.0])
    assert g.q == pytest.approx([0.0, -1.0], abs=1e-6) and g.h[0].sum() == pytest.approx(1.0)


def test_regular_systems_are_told_from_singular_ones(rng):
    for _ in range(200):
        n = int(rng.integers(1, 30))
        vectors, _ = np.linalg.qr(rng.standard_normal((n, n)))
        values = rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-8, 0, n)
        K, b = (vectors * values) @ vectors.T, rng.standard_normal(n)
        K = 0.5 * (K + K.T)
        z = _core.solve_regular(K, b, 1e-12)
        assert np.abs(K @ z - b).max() <= 1e-9 * np.abs(z).max()
        values[rng.integers(n)] = 0.0
        K = (vectors * values) @ vectors.T
        assert n == 1 or _core.solve_regular(0.5 * (K + K.T), b, 1e-12) is None
    with pytest.raises(pl.InputError, match="K: expected as many rows"):
        _core.solve_regular(np.eye(3), np.ones(2), 1e-12)
