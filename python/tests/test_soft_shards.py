"""Losses with kinks whose data are in shards: the same bytes from every kind of worker, and the answer of one memory."""

import concurrent.futures
import functools

import numpy as np
import pliant as pl
import pytest
from test_shards import PARTS, TIGHT, Flaky, N, rows, sources

LOSSES = {
    "quantile": lambda *data: pl.quantile(*(data if len(data) > 1 else (*data, None)), 0.2),
    "absolute": pl.absolute,
    "epsilon_insensitive": lambda *data: pl.epsilon_insensitive(*(data if len(data) > 1 else (*data, None)), 0.3),
    "hinge": pl.hinge,
    "positive_part": lambda *data: 1e-4 * pl.positive_part(*data),
}


def data(kind, seed, k):
    """Part k; a function of this module, so that other processes can make it."""
    G, h = rows(seed, k)
    return G, np.where(h > 2.4 + G[:, 0], 1.0, -1.0) if kind == "hinge" else h + G @ np.arange(N)


def parts(kind, seed=0):
    return [functools.partial(data, kind, seed, k) for k in range(PARTS)]


def problem(kind, workers, pieces, **options):
    shards = pl.Shards(workers, pieces, **options)
    return pl.Problem(N).minimize(2.0 * LOSSES[kind](shards)).regularize(pl.l2_squared(0.01)), shards


def answer(r):
    return r.x.tobytes(), r.duals[0].tobytes(), r.objective, r.lower_bound


@pytest.mark.parametrize("kind", LOSSES)
def test_soft_rows_of_one_memory_and_of_many(kind):
    A, t = map(np.concatenate, zip(*(part() for part in parts(kind))))
    held = pl.Problem(N).minimize(2.0 * LOSSES[kind](A, t)).regularize(pl.l2_squared(0.01)).solve(**TIGHT)
    p, _ = problem(kind, None, parts(kind))
    r = p.solve(**TIGHT)
    assert r.status == "optimal" and r.engine == "path / bands of soft rows in shards" and r.m == len(t)
    assert r.lower_bound_kind == "proved"
    assert r.objective == pytest.approx(held.objective, rel=1e-7)
    assert r.x == pytest.approx(held.x, abs=1e-3)
    assert r.rounds <= 12
    # The duals are those of the problem in one memory: x minimises its Lagrangian.
    assert r.duals[0].shape == held.duals[0].shape
    assert A.T @ r.duals[0] + 0.01 * r.x == pytest.approx(np.zeros(N), abs=1e-5)
    for cut in (1024, 5120):
        q, _ = problem(kind, None, [(A[:cut], t[:cut]), (A[cut:], t[cut:])])
        assert answer(q.solve(**TIGHT)) == answer(r)


def test_processes_and_losses():
    quiet, _ = problem("quantile", None, parts("quantile"))
    expected = answer(quiet.solve(**TIGHT))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        p, _ = problem("quantile", pool, parts("quantile"))
        assert answer(p.solve(**TIGHT)) == expected
    with Flaky(0.1) as pool:
        p, shards = problem("quantile", pool, parts("quantile"), retries=20)
        assert answer(p.solve(**TIGHT)) == expected
        assert answer(p.solve(**TIGHT)) == expected  # they may be asked again
        assert shards.losses > 0


def test_time_that_ends_while_a_shard_answers():
    """In this thread, whose limits the loops of a shard would look at: they end a solve, not a call from Python."""
    p, _ = problem("quantile", None, parts("quantile"))
    seconds = p.solve(**TIGHT, threads=1).time["solve"]
    for k in range(60):
        r = p.solve(**TIGHT, threads=1, time_limit=max(1e-4, 1.2 * seconds * k / 60))
        assert r.status in ("optimal", "time_limit")


def test_soft_rows_refused():
    shards = pl.Shards(None, sources())
    with pytest.raises(TypeError, match="targets of their own"):
        pl.absolute(shards, [1.0])
    with pytest.raises(pl.InputError, match="-1 or 1"):
        pl.Problem(N).minimize(pl.hinge(shards)).solve()
    with pytest.raises(pl.InputError, match="tau"):
        pl.Problem(N).minimize(pl.quantile(shards, None, 1.5)).solve()
    with pytest.raises(pl.InputError, match="rows in shards already"):
        p = pl.Problem(N).minimize(pl.absolute(shards))
        p.subject_to(pl.linear_le(shards))
    with pytest.raises(pl.InputError, match="not made in blocks"):
        pl.Problem(N).minimize(pl.absolute(pl.Blocks(lambda: iter([rows(0, 0)])))).solve()
    with pytest.raises(pl.InputError, match="hard rows"):
        p = pl.Problem(N).minimize(pl.absolute(shards))
        p.subject_to(pl.linear_le(np.ones((20 * N + 1, N)), np.ones(20 * N + 1)))
        p.solve()


def test_hard_rows_and_equalities_beside_them():
    A, t = map(np.concatenate, zip(*(part() for part in parts("absolute"))))
    G, h = np.vstack([np.ones(N), -np.eye(N)[0]]), np.array([0.5, -0.2])
    E, e = np.eye(N)[-1:], [0.1]

    def beside(loss):
        p = pl.Problem(N).minimize(loss)
        first = p.subject_to(pl.linear_le(G, h))
        p.subject_to(pl.equal(E, e))
        return p.solve(**TIGHT), first

    held, _ = beside(pl.absolute(A, t))
    answers = []
    for pieces in (parts("absolute"), [(A, t)]):
        r, first = beside(pl.absolute(pl.Shards(None, pieces)))
        assert r.status == "optimal" and r.objective == pytest.approx(held.objective, rel=1e-7)
        assert (G @ r.x - h).max() <= 1e-7 and r.x[-1] == pytest.approx(0.1, abs=1e-7)
        soft, hard, equal = r.duals
        assert (hard >= 0).all() and hard.tobytes() == r.duals[first].tobytes()
        assert A.T @ soft + G.T @ hard + E.T @ equal == pytest.approx(np.zeros(N), abs=1e-5)
        answers.append((r.x.tobytes(), soft.tobytes(), hard.tobytes(), equal.tobytes(), r.objective, r.lower_bound))
    assert answers[0] == answers[1]
    with pytest.raises(pl.InputError, match="inequalities of its own"):
        p = pl.Problem(N).minimize(pl.linear(np.ones(N))).regularize(pl.box(-9.0, 9.0))
        p.subject_to(pl.linear_le(pl.Shards(None, sources())))
        p.subject_to(pl.linear_le(G, h))
        p.solve()
