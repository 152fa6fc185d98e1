"""Sums of losses whose data are in shards: the same bytes wherever they are cut, and the answer of one memory."""

import functools

import numpy as np
import pliant as pl
import pytest
from test_shards import PARTS, TIGHT, Flaky, M, N, rows, sources


def losses_of(kind, shards):
    return pl.huber(shards, None, 0.7) if kind == "huber" else getattr(pl, kind)(shards)


def targets(kind, seed, k):
    G, h = rows(seed, k)
    return G, np.where(h > np.median(h), 1.0, -1.0) if kind == "logistic" else h


@pytest.mark.parametrize("kind", ["least_squares", "logistic", "huber"])
def test_sums_of_losses(kind):
    parts = [functools.partial(targets, kind, 5, k) for k in range(PARTS)]
    whole = [np.concatenate([a[: M - 100], b]) for a, b in zip(targets(kind, 5, 0), targets(kind, 5, 1))]
    uneven = [targets(kind, 5, 0)[0][: M - 100], targets(kind, 5, 0)[1][: M - 100]]
    A, t = map(np.concatenate, zip(*(part() for part in parts)))
    answers = []
    cuts = (None, 1024, 3072, 5120)  # where the first shard of two ends
    for cut in cuts:
        pieces = parts if cut is None else [(A[:cut], t[:cut]), (A[cut:], t[cut:])]
        shards = pl.Shards(None, pieces)
        p = pl.Problem(N).minimize(2.0 * losses_of(kind, shards)).regularize(pl.l2_squared(0.1))
        r = p.solve(**TIGHT)
        assert r.status == "optimal" and shards.rounds > 1
        answers.append((r.x.tobytes(), r.objective, r.lower_bound, r.iterations))
        shards.close()
    assert all(answer == answers[0] for answer in answers)
    one = pl.huber(A, t, 0.7) if kind == "huber" else getattr(pl, kind)(A, t)
    held = pl.Problem(N).minimize(2.0 * one).regularize(pl.l2_squared(0.1)).solve(**TIGHT)
    assert np.frombuffer(answers[0][0]) == pytest.approx(held.x, abs=1e-4)
    assert answers[0][1] == pytest.approx(held.objective, rel=1e-7)
    # Rows that do not end at multiples of 1024, beside inequalities, with a term that is not smooth.
    shards = pl.Shards(None, [tuple(uneven), targets(kind, 5, 1)])
    p = pl.Problem(N).minimize(losses_of(kind, shards)).regularize(pl.l1(0.01), pl.box(-5.0, 5.0))
    p.subject_to(pl.linear_le(np.ones((1, N)), [-0.1]))
    q = pl.Problem(N).minimize(pl.huber(*whole, 0.7) if kind == "huber" else getattr(pl, kind)(*whole))
    q.regularize(pl.l1(0.01), pl.box(-5.0, 5.0)).subject_to(pl.linear_le(np.ones((1, N)), [-0.1]))
    assert p.solve(tol_gap=1e-6).objective == pytest.approx(q.solve(tol_gap=1e-6).objective, abs=1e-5)


def test_losses_survive_losses():
    with Flaky(0.1) as pool:
        shards = pl.Shards(pool, [functools.partial(targets, "logistic", 1, k) for k in range(PARTS)], retries=20)
        r = pl.Problem(N).minimize(pl.logistic(shards)).regularize(pl.l2_squared(0.1)).solve()
        assert r.status == "optimal" and shards.losses > 0
    quiet = pl.Shards(None, [functools.partial(targets, "logistic", 1, k) for k in range(PARTS)])
    same = pl.Problem(N).minimize(pl.logistic(quiet)).regularize(pl.l2_squared(0.1)).solve()
    assert same.x.tobytes() == r.x.tobytes()
    with Flaky(1.0) as pool, pytest.raises(RuntimeError, match="part 0 was lost"):
        pl.logistic(pl.Shards(pool, sources()))


def test_losses_refused():
    with pytest.raises(pl.InputError, match="expected -1 or 1"):
        pl.logistic(pl.Shards(None, sources()))
    with pytest.raises(pl.InputError, match="targets must be finite"):
        pl.least_squares(pl.Shards(None, [(np.ones((2, N)), [1.0, np.inf])]))
    with pytest.raises(pl.InputError, match="shard 1: its rows have 2 columns"):
        pl.least_squares(pl.Shards(None, [(np.ones((2, N)), np.ones(2)), (np.ones((2, 2)), np.ones(2))]))
    with pytest.raises(TypeError, match="targets of their own"):
        pl.least_squares(pl.Shards(None, sources()), [1.0])
    with pytest.raises(pl.InputError, match="held in memory"):
        pl.least_squares(pl.Blocks(lambda: iter([rows(0, 0)])))
    p = pl.Problem(N).minimize(pl.least_squares(pl.Shards(None, sources()))).regularize(pl.box(-1.0, 1.0))
    p.subject_to(pl.linear_le(*rows(0, 0)))
    with pytest.raises(pl.InputError, match="gradients alone"):
        p.solve(method="path")
