"""Several problems in one call."""

import numpy as np
import pliant as pl
import pytest


def data(seed, rows=20000, n=4):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, n))
    A[:, 0] = 1.0
    return A, A @ np.ones(n) + rng.standard_t(3, rows)


def quantiles(A, b, taus):
    return [pl.Problem(A.shape[1]).minimize(pl.quantile(A, b, tau)) for tau in taus]


@pytest.mark.parametrize("seed", range(3))
def test_the_answers_are_those_of_each_alone(seed):
    A, b = data(seed)
    problems = quantiles(A, b, [0.1, 0.5, 0.75])
    # The same rows with another weight and a regulariser, and a problem of its own.
    problems.append(pl.Problem(4).minimize(3.0 * pl.quantile(A, b, 0.5)).regularize(pl.l1(0.1)))
    problems.append(pl.generate.dense_qp(n=4, m=500, seed=3))
    together = pl.solve_together(problems, tol_gap=1e-8, tol_feas=1e-8)
    alone = [p.solve(tol_gap=1e-8, tol_feas=1e-8) for p in problems]
    for r, s in zip(together, alone, strict=True):
        assert r.status == s.status == "optimal"
        assert (r.x == s.x).all() and r.lower_bound == s.lower_bound and r.lower_bound_kind == s.lower_bound_kind
        assert r.passes <= s.passes * (1 + 1e-12)
    assert sum(r.passes for r in together) < 0.8 * sum(s.passes for s in alone)
    residuals = b - A @ together[0].x
    assert abs((residuals < 0).mean() - 0.1) < 0.01


def test_no_problems_and_wrong_ones():
    assert pl.solve_together([]) == []
    with pytest.raises(TypeError, match="problem 0: expected a Problem, got int"):
        pl.solve_together([1])
    with pytest.raises(TypeError, match="callback: not for several problems"):
        pl.solve_together([pl.Problem(1).minimize(pl.linear([0.0]))], callback=print)
    with pytest.raises(pl.InputError, match="problem 0: .*not convex"):
        pl.solve_together([pl.Problem(1).minimize(pl.quadratic([[-1.0]])), *quantiles(*data(0), [0.5])])
    own = pl.Problem(1).minimize(pl.linear([1.0]))
    own.subject_to(pl.callback_le(1, lambda x: [-x[0]], lambda x: [[-1.0]]))
    with pytest.raises(pl.InputError, match="problem 1: it has functions of its own"):
        pl.solve_together([*quantiles(*data(0), [0.5]), own])


def test_limits_hold_for_the_whole_call():
    problems = quantiles(*data(1), [0.2, 0.8])
    assert [r.status for r in pl.solve_together(problems, time_limit=1e-6)] == ["time_limit"] * 2
