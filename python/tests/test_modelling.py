"""What people write in their first hour: two objectives, differences, maxima, infinite sides, ragged batches."""

import gc
import logging
import re
import weakref

import numpy as np
import pliant as pl
import pytest
import scipy.sparse as sp

TIGHT = dict(tol_feas=1e-9, tol_gap=1e-9)


def semidefinite(rng, n):
    B = rng.standard_normal((n, n))
    return B @ B.T


def test_a_second_objective_is_an_error():
    p = pl.Problem(2).minimize(pl.linear([1.0, 0.0]))
    for second in (p.minimize, p.maximize):
        with pytest.raises(pl.InputError, match="has an objective already"):
            second(pl.linear([0.0, 1.0]))
    assert p.sense == "minimize" and p.objective([3.0, 5.0]) == 3.0
    assert p.add_to_objective(pl.linear([0.0, 1.0])).objective([3.0, 5.0]) == 8.0
    with pytest.raises(pl.InputError, match="has an objective already"):
        pl.Problem(1).minimize(pl.hinge([[1.0]], [1.0])).minimize(pl.linear([1.0]))
    with pytest.raises(pl.InputError, match="has an objective already"):
        pl.generate.dense_lp(n=2, m=5).minimize(pl.linear([1.0, 1.0]))


def test_maximum_is_minus_the_minimum(rng):
    n = int(rng.integers(1, 6))
    P, q, G = semidefinite(rng, n), rng.standard_normal(n), rng.standard_normal((3 * n, n))
    f = pl.quadratic(P, q) + pl.linear(rng.standard_normal(n), 0.7)
    least, most = pl.Problem(n).minimize(f), pl.Problem(n).maximize(-f)
    for p in (least, most):
        p.subject_to(pl.linear_le(G, np.ones(3 * n)))
        p.regularize(pl.box(-2.0, 2.0))
    a, b = least.solve(**TIGHT), most.solve(**TIGHT)
    assert a.status == b.status == "optimal" and most.sense == "maximize"
    assert b.objective == pytest.approx(-a.objective, rel=1e-7, abs=1e-7)
    assert b.lower_bound >= b.objective - 1e-12 * (1 + abs(b.objective))  # an upper bound of the maximum
    x = rng.standard_normal(n)
    assert most.objective(x) == pytest.approx(-least.objective(x), rel=1e-12)
    assert most.check(b, **TIGHT)["satisfied"]


def test_solvers_of_maxima_take_new_terms_as_they_are_said():
    p = pl.Problem(2).maximize(pl.linear([1.0, 2.0])).regularize(pl.box(0.0, 1.0))
    s = pl.Solver(p)
    assert s.solve().objective == pytest.approx(3.0, abs=1e-5)
    s.update_objective(0, pl.linear([1.0, -2.0]))
    r = s.solve()
    assert r.x == pytest.approx([1.0, 0.0], abs=1e-5) and r.objective == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_differences_that_stay_convex(rng, sparse):
    n = int(rng.integers(1, 6))
    P, R = semidefinite(rng, n), semidefinite(rng, n)
    P = P + R  # so that P - R is convex
    q, r, x = rng.standard_normal((3, n))
    make = sp.csc_array if sparse else np.asarray
    A, b = rng.standard_normal((4, n)), rng.standard_normal(4)
    squares, line = pl.least_squares(A, b), pl.linear(r, 2.0)
    f = pl.quadratic(make(P), q) + 3 * squares - pl.quadratic(make(R), r) - line - 2 * squares
    p = pl.Problem(n).minimize(f)
    value = 0.5 * x @ (P - R) @ x + (q - r) @ x + np.sum((A @ x - b) ** 2) / 8 - r @ x - 2.0
    assert p.objective(x) == pytest.approx(value, rel=1e-9, abs=1e-9)
    with np.errstate(all="ignore"):
        p.validate()
    loss = pl.logistic(A, np.where(b > 0, 1.0, -1.0))
    assert "logistic" not in repr(pl.Problem(n).minimize(loss + line - loss))
    cancelled = pl.Problem(n).minimize(pl.quadratic(make(P), q) - pl.quadratic(make(P), 0.0))
    assert cancelled.objective(x) == pytest.approx(q @ x, abs=1e-12) and "quadratic" not in repr(cancelled)


def test_differences_that_do_not():
    A, y = np.ones((2, 1)), np.ones(2)
    for f, words in (
        (-pl.logistic(A, y), "minimize: -1 logistic is not convex"),
        (pl.linear([1.0]) - 2 * pl.hinge(A, y), "minimize: -2 hinge is not convex"),
        (pl.quadratic([[1.0]]) - pl.quadratic([[2.0]]), "quadratic: P is not convex"),
    ):
        with pytest.raises(pl.InputError, match=re.escape(words)):
            pl.Problem(1).minimize(f).solve()
    p = pl.Problem(1)
    with pytest.raises(pl.InputError, match="maximize: 1 logistic is not concave"):
        p.maximize(pl.logistic(A, y))
    assert p.sense == "minimize" and p.minimize(pl.linear([1.0])).objective([2.0]) == 2.0  # nothing is left of it
    with pytest.raises(TypeError):
        pl.linear([1.0]) - 1.0


def test_any_number_of_equalities(rng):
    n = 6
    E, e, P = rng.standard_normal((4, n)), rng.standard_normal(4), np.eye(n)
    p = pl.Problem(n).minimize(pl.quadratic(P))
    handles = [p.subject_to(pl.equal(E[i : i + 1], e[i : i + 1]), name=f"row{i}") for i in range(4)]
    r = p.solve(**TIGHT)
    y = np.concatenate([r.duals[c.index] for c in handles])
    x = E.T @ np.linalg.solve(E @ E.T, e)
    assert r.x == pytest.approx(x, abs=1e-7) and y == pytest.approx(-np.linalg.solve(E @ E.T, e), abs=1e-5)


@pytest.mark.parametrize("first", ["simplex", "box"])
def test_simplex_with_box(rng, first):
    n = int(rng.integers(2, 9))
    lo, total = rng.uniform(-0.2, 0.1, n), float(rng.uniform(0.5, 2.0))
    hi = np.maximum(lo, 0) + rng.uniform(0.3, 1.0, n) + total / n
    w = rng.standard_normal(n)
    terms = [pl.simplex(total), pl.box(lo, hi)]
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), -w))
    p.regularize(*(terms if first == "simplex" else terms[::-1]))
    rows = p.subject_to(pl.equal(np.eye(n)[:1] - np.eye(n)[1:2], [0.0]))
    r = p.solve(**TIGHT)
    free = pl.Problem(n).minimize(pl.quadratic(np.eye(n), -w)).regularize(pl.box(np.maximum(lo, 0), hi))
    free.subject_to(pl.equal(np.vstack([np.eye(n)[0] - np.eye(n)[1], np.ones(n)]), [0.0, total]))
    s = free.solve(**TIGHT)
    assert r.status == s.status
    if r.status == "optimal":
        assert r.x.sum() == pytest.approx(total, abs=1e-7) and r.x == pytest.approx(s.x, abs=1e-6)
        assert r.duals[rows.index] == pytest.approx(s.duals[0][:1], abs=1e-5)


def test_infinite_sides_are_no_rows(rng):
    n, m = 4, 60
    G, h = rng.standard_normal((m, n)), rng.uniform(0.1, 1.0, m)
    none = rng.random(m) < 0.4
    none[0] = True
    some = np.where(none, np.inf, h)
    p, q = (pl.Problem(n).minimize(pl.quadratic(np.eye(n), -3 * np.ones(n))) for _ in range(2))
    c = p.subject_to(pl.linear_le(G, some))
    q.subject_to(pl.linear_le(G[~none], h[~none]))
    r, s = p.solve(**TIGHT), q.solve(**TIGHT)
    assert r.x == pytest.approx(s.x, abs=1e-6) and r.objective == pytest.approx(s.objective, rel=1e-7)
    assert r.duals[c.index].shape == (m,) and not r.duals[c.index][none].any()
    with pytest.raises(pl.InputError, match="update: rows with infinite or two sides"):
        pl.Solver(p).update(c, h=h)
    with pytest.raises(pl.InputError, match="-inf"):
        bad = pl.Problem(n).minimize(pl.linear(np.ones(n)))
        bad.subject_to(pl.linear_le(G, np.where(none, -np.inf, h)))
        bad.solve()


def test_ragged_log_sum_exp(rng):
    n = 3
    sizes = [int(k) for k in rng.integers(1, 6, 7)] + [1, 5]
    A = [rng.standard_normal((k, n)) for k in sizes]
    b = [rng.uniform(-3.0, -2.0, k) for k in sizes]
    p, q = (pl.Problem(n).minimize(pl.linear(np.ones(n))).regularize(pl.box(-3.0, 3.0)) for _ in range(2))
    c = p.subject_to(pl.log_sum_exp_le(A, b))
    for part, constant in zip(A, b):
        q.subject_to(pl.log_sum_exp_le(part[None], constant[None]))
    r, s = p.solve(**TIGHT), q.solve(**TIGHT)
    assert r.status == s.status == "optimal" and r.objective == pytest.approx(s.objective, rel=1e-7, abs=1e-7)
    values = [np.log(np.exp(part @ r.x + constant).sum()) for part, constant in zip(A, b)]
    assert max(values) <= 1e-7 and r.duals[c.index].shape == (len(sizes),)
    for wrong, words in (((A, b[:-1]), "b: expected 9 entries"), (([A[0], np.ones((9, 4))], b[:2]), r"A\[1\]: expected")):
        with pytest.raises(pl.InputError, match=words):
            pl.log_sum_exp_le(*wrong)


def test_logging_hears_both_ends_and_every_row(caplog):
    p = pl.generate.dense_qp(n=4, m=50, seed=1)
    p.name = "plan"
    with caplog.at_level(logging.DEBUG, logger="pliant"):
        r = p.solve()
    levels = [record.levelno for record in caplog.records]
    assert levels == [logging.INFO] + [logging.DEBUG] * len(r.trace["time"]) + [logging.INFO]
    assert "plan (4 variables" in caplog.messages[0] and "optimal" in caplog.messages[-1]
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="pliant"):
        pl.Solver(p).solve()
    assert not caplog.records


def test_a_bar_when_asked(capfd):
    pytest.importorskip("tqdm")
    p = pl.generate.dense_qp(n=4, m=50, seed=1)
    seen = []
    r = p.solve(progress=True, callback=seen.append)
    shown = capfd.readouterr().err
    assert "steps" in shown and "objective=" in shown and len(seen) == len(r.trace["time"])
    pl.Solver(p).solve(progress=True)
    assert "steps" in capfd.readouterr().err
    p.solve()
    assert capfd.readouterr().err == ""


class Model:
    """Somebody whose methods are the functions of their own problem."""

    def __init__(self):
        self.problem = pl.Problem(2).minimize(pl.linear([-3.0, -4.0]))
        rows = pl.callback_le(1, self.value, lambda x, rows: [2 * x], lambda x, w, rows: 2 * w[0] * np.eye(2))
        self.problem.subject_to(rows)
        self.solver = pl.Solver(self.problem)

    def value(self, x, rows):
        return [x @ x - 25]

    def see(self, info):
        self.last = info


def solve_and_forget(results):
    """A solve whose callback knows the problem and the place of its result."""
    p = pl.generate.dense_qp(n=3, m=10)
    results.append(p.solve(callback=lambda info: p.n < 0 and results))
    return weakref.ref(p)


def test_callbacks_keep_nothing_alive():
    model = Model()
    assert model.problem.solve(callback=model.see).x == pytest.approx([3.0, 4.0], abs=1e-3)
    assert model.solver.solve(callback=model.see).x == pytest.approx([3.0, 4.0], abs=1e-3)
    assert model.solver.problem.solve().x == pytest.approx([3.0, 4.0], abs=1e-3)
    gone = [weakref.ref(part) for part in (model, model.problem)]
    del model
    gc.collect()
    assert [part() for part in gone] == [None, None]
    # Without functions there is nothing to collect: counting references is enough.
    gc.disable()
    try:
        results = []
        assert solve_and_forget(results)() is None and results[0].status == "optimal"
    finally:
        gc.enable()
