"""Functions of the user: smooth ones that stand for others, and what is found wrong with them before a solve."""

import numpy as np
import pliant as pl
import pytest


def smoothed_maxima(A, b, nu, shift=0.0):
    """value, jacobian and exact of max_k (A_ik x - b_ik) smoothed by nu ln sum exp(./nu), moved by shift."""

    def pieces(x, rows):
        return A @ x - b if rows is None else A[rows] @ x - b[rows]

    def weights(x, rows):
        z = pieces(x, rows)
        return np.exp((z - z.max(axis=1, keepdims=True)) / nu)

    def value(x, rows):
        return pieces(x, rows).max(axis=1) + nu * np.log(weights(x, rows).sum(axis=1)) + shift

    def jacobian(x, rows):
        w = weights(x, rows)
        return np.einsum("ik,ikn->in", w / w.sum(axis=1, keepdims=True), A if rows is None else A[rows])

    return value, jacobian, lambda x, rows: pieces(x, rows).max(axis=1)


@pytest.mark.parametrize("side", ["above", "below", "both"])
@pytest.mark.parametrize("measured", [True, False])
def test_smoothed_maxima_speak_of_the_maxima(rng, side, measured):
    m, k, n, nu = 25, 3, 4, 0.05
    A, b = rng.standard_normal((m, k, n)), 0.5 + rng.random((m, k))
    width = nu * np.log(k)
    shift, error = {"above": (0, width), "below": (-width, width), "both": (-width / 2, width / 2)}[side]
    objective = pl.quadratic(np.eye(n), rng.standard_normal(n) * 3)
    exact_problem = pl.Problem(n).minimize(objective)
    exact_problem.subject_to(pl.linear_le(A.reshape(m * k, n), b.ravel()))
    optimum = exact_problem.solve(tol_feas=1e-9, tol_gap=1e-9).objective

    value, jacobian, exact = smoothed_maxima(A, b, nu, shift)
    p = pl.Problem(n).minimize(objective)
    p.subject_to(pl.callback_le(m, value, jacobian, error=error, side=side, exact=exact if measured else None))
    r = p.solve()
    meant = r.approximation
    true_violation = max(0.0, exact(r.x, None).max())
    assert r.status == "optimal" and meant["rows"] == m and meant["error"] == error and meant["error_holds"]
    assert meant["violation_measured"] is measured and meant["lower_bound_kind"] == "proved_if_convex"
    assert meant["lower_bound"] <= optimum + 1e-7
    assert meant["gap_abs"] == pytest.approx(r.objective - meant["lower_bound"])
    if measured:
        assert meant["violation"]["linf"] == pytest.approx(true_violation, abs=1e-12)
    else:
        assert true_violation <= meant["violation"]["linf"] <= r.violation["linf"] + error + 1e-12
    if side == "above":
        assert r.lower_bound >= optimum - 1e-5  # the set of the given functions is the smaller one
    if side == "below":
        assert meant["lower_bound"] == pytest.approx(r.lower_bound, abs=1e-12)


def test_approximations_name_what_is_wrong():
    good = (1, lambda x, rows: [x @ x - 1], lambda x, rows: [2 * x])
    with pytest.raises(TypeError, match="error: missing"):
        pl.callback_le(*good, side="above")
    with pytest.raises(TypeError, match="exact: expected a function, got int"):
        pl.callback_le(*good, error=0.1, exact=3)
    p = pl.Problem(2)
    with pytest.raises(pl.InputError, match="side: expected both, above or below, got 'left'"):
        p.subject_to(pl.callback_le(*good, error=0.1, side="left"))
    p.subject_to(pl.callback_le(*good, error=-0.1))
    with pytest.raises(pl.InputError, match=r"callback_le: error of constraint 0 .* is -0.1, expected a number >= 0"):
        p.validate()
    q = pl.Problem(2).minimize(pl.linear([1.0, 0.0]))
    q.subject_to(pl.callback_le(*good, error=0.1, exact=lambda x, rows: [x @ x - 2]))
    with pytest.raises(pl.InputError, match="farther away than the error 0.1 on side 'both' allows"):
        q.solve()
    r = q.solve(check_functions=False)
    assert not r.approximation["error_holds"] and r.approximation["lower_bound_kind"] == "estimate"


def test_results_without_approximations_have_none():
    assert pl.generate.dense_qp(n=4, m=20).solve().approximation is None


def test_functions_that_are_not_convex_are_named():
    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
    p.subject_to(pl.callback_le(2, lambda x, rows: np.array([x @ x - 1, 1 - x @ x])[slice(None) if rows is None else rows],
                                lambda x, rows: np.array([2 * x, -2 * x])[slice(None) if rows is None else rows]),
                 name="shell")
    with pytest.raises(pl.InputError, match=r"callback_le 'shell': constraint 1 \(counting from 0\) is not convex"):
        p.validate()
    with pytest.raises(pl.InputError, match="is not convex"):
        p.solve()


def test_wrong_jacobians_are_named():
    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
    p.subject_to(pl.callback_le(1, lambda x, rows: [x @ x - 1], lambda x, rows: [x]))
    with pytest.raises(pl.InputError, match="its gradient is not that of its values"):
        p.solve()


def test_functions_are_looked_at_once_with_few_calls():
    calls = []

    def value(x, rows):
        calls.append(0 if rows is None else len(rows))
        return np.full(1000 if rows is None else len(rows), x @ x - 1)

    def jacobian(x, rows):
        calls.append(0 if rows is None else len(rows))
        return np.tile(2 * x, (1000 if rows is None else len(rows), 1))

    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
    p.subject_to(pl.callback_le(1000, value, jacobian))
    p.validate()
    assert 10 < len(calls) <= 100 and set(calls) == {64}
    calls.clear()
    p.validate()
    assert not calls


def test_functions_may_have_a_domain():
    """Functions that raise outside of it are not asked to be defined there."""
    import math

    p = pl.Problem(1).minimize(pl.linear([1.0]))
    p.start = [1.0]
    p.subject_to(pl.callback_le(1, lambda x, rows: [-math.log(x[0])], lambda x, rows: [[-1 / x[0]]]))
    p.validate()
