"""Every term and every family of constraints: solutions are judged by NumPy from the raw numbers."""

import numpy as np
import pliant as pl
import pytest
import scipy.sparse as sp
from kkt import Check, psd

TOL = 1e-9
NEAR = 2e-5
EXACT = dict(tol_feas=TOL, tol_gap=TOL)


def solved(problem, **settings):
    r = problem.solve(**{**EXACT, **settings})
    assert r.status == "optimal", r
    return r


@pytest.mark.parametrize("form", ["dense", "csr", "csc", "coo", "int32", "int64", "array"])
def test_linear_rows_in_every_matrix_format(rng, form):
    n, m = 5, 60
    P, q = psd(rng, n), rng.standard_normal(n) * 3
    G = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.5)
    h = rng.random(m) + 0.1
    given = {"dense": lambda: G, "array": lambda: sp.csr_array(G), "csc": lambda: sp.csc_matrix(G),
             "coo": lambda: sp.coo_matrix(G)}.get(form, lambda: sp.csr_matrix(G))()
    if form in ("int32", "int64"):
        given.indices, given.indptr = given.indices.astype(form), given.indptr.astype(form)
    p = pl.Problem(n).minimize(pl.quadratic(P, q))
    p.subject_to(pl.linear_le(given, h))
    r = solved(p)
    check = Check(r.x, P @ r.x + q)
    check.inequalities(G @ r.x - h, G, r.duals[0], NEAR)
    check.stationary(NEAR)
    assert r.objective == pytest.approx(r.x @ P @ r.x / 2 + q @ r.x, rel=1e-12)
    assert r.lower_bound <= r.objective + 1e-8 * (1 + abs(r.objective))


def test_two_sided_rows_and_equalities(rng):
    n, m, k = 6, 40, 2
    P, q = psd(rng, n), rng.standard_normal(n) * 5
    G, E = rng.standard_normal((m, n)), rng.standard_normal((k, n))
    inside = rng.standard_normal(n)
    e = E @ inside
    lo, hi = G @ inside - rng.random(m), G @ inside + rng.random(m)
    lo[:5], hi[5:10] = -np.inf, np.inf
    p = pl.Problem(n).minimize(pl.quadratic(P, q))
    equality = p.subject_to(pl.equal(E, e))
    rows = p.subject_to(pl.linear_range(lo, G, hi))
    r = solved(p)
    y = r.duals[rows.index]
    check = Check(r.x, P @ r.x + q)
    check.equalities(E @ r.x - e, E, r.duals[equality.index], NEAR)
    finite = np.isfinite(hi)
    check.inequalities((G @ r.x - hi)[finite], G[finite], np.maximum(y, 0)[finite], NEAR)
    finite = np.isfinite(lo)
    check.inequalities((lo - G @ r.x)[finite], -G[finite], np.maximum(-y, 0)[finite], NEAR)
    check.stationary(NEAR)
    np.testing.assert_array_equal(r.duals[equality.index], r.equality_duals)


@pytest.mark.parametrize("form", ["P", "factor", "diagonal"])
def test_quadratic_constraints(rng, form):
    n, m, k = 4, 25, 2
    c, q = rng.standard_normal(n), rng.standard_normal((m, n)) * 0.2
    r0 = -rng.random(m) - 0.5
    if form == "P":
        data = np.array([psd(rng, n) for _ in range(m)])
        P = data
    elif form == "factor":
        data = rng.standard_normal((m, k, n))
        P = np.einsum("mki,mkj->mij", data, data)
    else:
        data = rng.random((m, n)) + 0.1
        P = np.einsum("mi,ij->mij", data, np.eye(n))
    p = pl.Problem(n).minimize(pl.linear(c)).regularize(pl.box(-10.0, 10.0))
    p.subject_to(pl.quadratic_le(q=q, r=r0, **{form: data}))
    r = solved(p)
    assert (np.abs(r.x) < 10).all()
    values = np.einsum("i,mij,j->m", r.x, P, r.x) / 2 + q @ r.x + r0
    check = Check(r.x, c)
    check.inequalities(values, P @ r.x + q, r.duals[0], NEAR)
    check.stationary(NEAR)


def test_log_sum_exp(rng):
    n, m, k = 3, 20, 4
    P, c = psd(rng, n), rng.standard_normal(n) * 3
    A, b = rng.standard_normal((m, k, n)), rng.standard_normal((m, k)) - 3
    p = pl.Problem(n).minimize(pl.quadratic(P, c))
    p.subject_to(pl.log_sum_exp_le(A, b))
    r = solved(p)
    z = A @ r.x + b
    top = z.max(axis=1, keepdims=True)
    e = np.exp(z - top)
    values = np.log(e.sum(axis=1)) + top[:, 0]
    jacobian = np.einsum("mk,mkn->mn", e / e.sum(axis=1, keepdims=True), A)
    check = Check(r.x, P @ r.x + c)
    check.inequalities(values, jacobian, r.duals[0], NEAR)
    check.stationary(NEAR)


def test_smallest_ellipsoid(rng):
    d, m = 2, 50
    points = rng.standard_normal((m, d))
    p = pl.Problem(6).minimize(pl.log_det(d + 1))
    p.subject_to(pl.rank_one_le(points, 1.0, lifted=True))
    r = solved(p)
    lower = np.zeros((3, 3))
    lower[[0, 1, 2, 1, 2, 2], [0, 0, 0, 1, 1, 2]] = r.x * [1, 0.5**0.5, 0.5**0.5, 1, 0.5**0.5, 1]
    X = lower + np.tril(lower, -1).T
    lifted = np.hstack([points, np.ones((m, 1))])
    values = np.einsum("mi,ij,mj->m", lifted, X, lifted) - 1
    assert values.max() <= NEAR
    assert r.objective == pytest.approx(-np.linalg.slogdet(X)[1], rel=1e-9)
    # X^-1 = sum lambda_i q_i q_i'
    np.testing.assert_allclose(np.einsum("m,mi,mj->ij", r.duals[0], lifted, lifted), np.linalg.inv(X), atol=1e-3)


def test_callback_constraints_agree_with_quadratic_ones(rng):
    n, m = 4, 30
    c, q, r0 = rng.standard_normal(n), rng.standard_normal((m, n)) * 0.2, -rng.random(m) - 0.5
    P = np.array([psd(rng, n) for _ in range(m)])
    asked = []

    def select(rows):
        asked.append(rows)
        return slice(None) if rows is None else rows

    def value(x, rows):
        s = select(rows)
        return np.einsum("i,mij,j->m", x, P[s], x) / 2 + q[s] @ x + r0[s]

    def jacobian(x, rows):
        s = select(rows)
        return sp.csr_matrix(P[s] @ x + q[s])

    def hessian(x, w, rows):
        return np.einsum("m,mij->ij", w, P[select(rows)])

    objective = pl.linear(c) + 0.1 * pl.quadratic(np.eye(n))
    p = pl.Problem(n).minimize(objective)
    p.subject_to(pl.callback_le(m, value, jacobian, hessian))
    r = solved(p)
    reference = pl.Problem(n).minimize(objective)
    reference.subject_to(pl.quadratic_le(P, q, r0))
    np.testing.assert_allclose(r.x, solved(reference).x, atol=1e-5)
    assert any(rows is not None and len(rows) < m for rows in asked) and any(rows is None for rows in asked)
    check = Check(r.x, c + 0.1 * r.x)
    check.inequalities(value(r.x, None), jacobian(r.x, None).toarray(), r.duals[0], NEAR)
    check.stationary(NEAR)


def test_cones_in_order_and_scaling(rng):
    """One program over all cones, optimal by construction: s and z complementary, c = G'z."""
    n = 4
    p_order = 3
    lower = np.tril_indices(p_order)
    by_columns = np.lexsort((lower[0], lower[1]))
    rows, cols = lower[0][by_columns], lower[1][by_columns]
    scale = np.where(rows == cols, 1.0, 2**0.5)

    Q = np.linalg.qr(rng.standard_normal((p_order, p_order)))[0]
    S, Z = Q @ np.diag([1.0, 2.0, 0.0]) @ Q.T, Q @ np.diag([0.0, 0.0, 1.5]) @ Q.T
    u = rng.standard_normal(3)
    u /= np.linalg.norm(u)
    # exp: s = (x, y, z) with z = y e^{x/y}, dual z = -gradient of the constraint; pow: alpha = 0.3
    x, y = rng.standard_normal() * 0.3, 1.0 + rng.random()
    e = np.exp(x / y)
    a, b, alpha = 1.0 + rng.random(), 1.0 + rng.random(), 0.3
    t = a**alpha * b ** (1 - alpha)
    s = np.concatenate([[0.0, 0.0], [1.0, 0.0], [1.0, *u], S[rows, cols] * scale, [x, y, y * e], [a, b, t]])
    z = np.concatenate([rng.standard_normal(2), [0.0, 2.0], [1.0, *-u], Z[rows, cols] * scale,
                        0.7 * np.array([-e, -e * (1 - x / y), 1.0]),
                        0.4 * np.array([alpha * t / a, (1 - alpha) * t / b, -1.0])])
    assert abs(s @ z) < 1e-12
    G = rng.standard_normal((s.size, n))
    best = rng.standard_normal(n)
    h = s + G @ best
    cones = [("zero", 2), ("nonneg", 2), ("soc", 4), ("psd", p_order), ("exp", 1), ("pow", [alpha])]
    keep = [c for c in cones if c[0] != "psd"]  # one engine takes semidefinite cones, another the others
    split = slice(8, 8 + rows.size)
    for chosen, index in ((keep, np.r_[0:8, split.stop : s.size]), ([("psd", p_order)], np.r_[split])):
        c = -G[index].T @ z[index]
        p = pl.Problem(n).minimize(pl.linear(c))
        p.subject_to(pl.conic(sp.csr_matrix(G[index]), h[index], chosen))
        r = solved(p, tol_feas=1e-8, tol_gap=1e-8)
        assert r.objective == pytest.approx(c @ best, abs=1e-6 * (1 + abs(c @ best)))
        slack = h[index] - G[index] @ r.x
        if len(chosen) == 1:
            assert np.linalg.eigvalsh(_smat(slack, rows, cols, p_order)).min() >= -1e-6
        else:
            np.testing.assert_allclose(slack[:2], 0, atol=1e-6)
        np.testing.assert_allclose(c + G[index].T @ r.duals[0], 0, atol=1e-5)
        assert abs(slack @ r.duals[0]) <= 1e-5


def test_second_order_batches(rng):
    n, m, k = 4, 30, 3
    q = rng.standard_normal(n) * 3
    A, b = rng.standard_normal((m, k, n)), rng.standard_normal((m, k)) * 0.1
    c, d = rng.standard_normal((m, n)) * 0.1, rng.random(m) + 1
    p = pl.Problem(n).minimize(pl.linear(q))
    handle = p.subject_to(pl.soc_le(A, b, c, d))
    r = solved(p, tol_feas=1e-8, tol_gap=1e-8)
    slack = c @ r.x + d - np.linalg.norm(A @ r.x + b, axis=1)
    assert slack.min() >= -NEAR
    y = r.duals[handle.index]
    assert y.shape == (m, k + 1)
    assert (np.linalg.norm(y[:, 1:], axis=1) <= y[:, 0] + NEAR).all()
    # L = q'x - sum y_i0 (c_i'x + d_i) - sum y_i1.(A_i x + b_i)
    residual = q - y[:, 0] @ c - np.einsum("mk,mkn->n", y[:, 1:], A)
    assert np.abs(residual).max() <= 1e-4 * (1 + np.abs(q).max())
    assert abs(y[:, 0] @ (c @ r.x + d) + np.sum(y[:, 1:] * (A @ r.x + b))) <= 1e-4 * (1 + abs(r.objective))


@pytest.mark.parametrize("single", [True, False])
def test_matrix_inequalities(rng, single):
    n, m, k = 3, 1 if single else 12, 3
    q = rng.standard_normal(n)
    F = rng.standard_normal((m, n, k, k))
    F = F + F.swapaxes(-1, -2)
    # Slack at 0, and a bounded set: the last variable's matrices keep both signs of every direction in check.
    F0 = np.array([-np.eye(k) * (1 + rng.random()) for _ in range(m)])
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), q * 5))
    handle = p.subject_to(pl.lmi_le(F0[0], F[0]) if single else pl.lmi_le(F0, F))
    r = solved(p, tol_feas=1e-8, tol_gap=1e-8)
    M = F0 + np.einsum("n,mnij->mij", r.x, F)
    assert np.linalg.eigvalsh(M).max() <= NEAR
    Y = r.duals[handle.index]
    assert Y.shape == (m, k, k) and np.array_equal(Y, Y.swapaxes(1, 2))
    assert np.linalg.eigvalsh(Y).min() >= -NEAR
    residual = r.x + 5 * q + np.einsum("mij,mnij->n", Y, F)
    assert np.abs(residual).max() <= 1e-4 * (1 + np.abs(q).max())
    assert abs(np.sum(Y * M)) <= 1e-4


def _smat(v, rows, cols, order):
    M = np.zeros((order, order))
    M[rows, cols] = v * np.where(rows == cols, 1.0, 0.5**0.5)
    return M + np.tril(M, -1).T


def _numeric_gradient(f, x, step=1e-6):
    return np.array([(f(x + step * d) - f(x - step * d)) / (2 * step) for d in np.eye(x.size)])


def test_terms_have_their_formulas(rng):
    n, l, classes = 3, 7, 3
    A, b = rng.standard_normal((l, n)), rng.standard_normal(l)
    y, labels = rng.choice([-1.0, 1.0], l), rng.integers(0, classes, l)
    P, q = psd(rng, n), rng.standard_normal(n)
    x = rng.standard_normal(n)
    w = rng.standard_normal((classes, n))
    t = A @ x - b
    z = A @ w.T
    expected = {
        "linear": (pl.linear(q, 2.0), x, q @ x + 2.0),
        "quadratic": (pl.quadratic(sp.csr_matrix(P), q), x, x @ P @ x / 2 + q @ x),
        "least_squares": (pl.least_squares(A, b), x, t @ t / (2 * l)),
        "logistic": (pl.logistic(A, y), x, np.log1p(np.exp(-y * (A @ x))).mean()),
        "multinomial": (pl.multinomial(A, labels, classes), w.ravel(),
                        (np.log(np.exp(z).sum(axis=1)) - z[np.arange(l), labels]).mean()),
        "huber": (pl.huber(A, b, 0.5), x, np.where(abs(t) <= 0.5, t * t / 2, 0.5 * abs(t) - 0.125).mean()),
    }
    for name, (term, point, value) in expected.items():
        got = pl.Problem(point.size).minimize(term).objective(point)
        assert got == pytest.approx(value, rel=1e-12), name
        scaled = pl.Problem(point.size).minimize(3 * term + term / 2).objective(point)
        assert scaled == pytest.approx(3.5 * value, rel=1e-12), name
    total = sum([expected["linear"][0], expected["quadratic"][0]])
    assert pl.Problem(n).minimize(total).objective(x) == pytest.approx(expected["linear"][2] + expected["quadratic"][2])


@pytest.mark.parametrize("loss", ["logistic", "huber", "least_squares"])
def test_sums_with_constraints(rng, loss):
    n, l, m = 4, 50, 30
    A, b = rng.standard_normal((l, n)), rng.standard_normal(l)
    target = np.sign(b) if loss == "logistic" else b
    term = pl.huber(A, b, 0.3) if loss == "huber" else getattr(pl, loss)(A, target)
    G, h = rng.standard_normal((m, n)), rng.random(m) * 0.2 + 0.01
    p = pl.Problem(n).minimize(term).regularize(pl.l2_squared(0.1))
    p.subject_to(pl.linear_le(G, h))
    r = solved(p)
    check = Check(r.x, _numeric_gradient(p.objective, r.x))
    check.inequalities(G @ r.x - h, G, r.duals[0], NEAR)
    check.stationary(NEAR)


def test_simple_terms(rng):
    """Projections and shrinkage: min |x - v|^2/2 + psi(x) has closed forms."""
    n = 6
    v = rng.standard_normal(n) * 2
    near = pl.quadratic(np.eye(n), -v)

    def best(*terms):
        return solved(pl.Problem(n).minimize(near).regularize(*terms)).x

    shrunk = np.sign(v) * np.maximum(abs(v) - 0.3, 0)
    np.testing.assert_allclose(best(pl.l1(0.3)), shrunk, atol=NEAR)
    np.testing.assert_allclose(best(pl.l2_squared(0.5)), v / 1.5, atol=NEAR)
    np.testing.assert_allclose(best(pl.elastic_net(0.3, 0.5)), shrunk / 1.5, atol=NEAR)
    np.testing.assert_allclose(best(pl.box(-0.5, np.full(n, 0.7))), np.clip(v, -0.5, 0.7), atol=NEAR)
    np.testing.assert_allclose(best(pl.l1(0.3), pl.nonnegative()), np.maximum(v - 0.3, 0), atol=NEAR)
    np.testing.assert_allclose(best(pl.ball(0.5)), v * min(1, 0.5 / np.linalg.norm(v)), atol=NEAR)
    groups = np.arange(n) // 2
    norms = np.sqrt(np.bincount(groups, v * v))[groups]
    np.testing.assert_allclose(best(pl.group_l2(groups, 0.4)), v * np.maximum(1 - 0.4 / norms, 0), atol=NEAR)
    x = best(pl.simplex(2.0))
    assert x.min() >= -NEAR and x.sum() == pytest.approx(2.0, abs=NEAR)
    shift = (v - x)[x > 1e-4]
    np.testing.assert_allclose(shift, shift[0], atol=1e-4)  # x = max(v - shift, 0)
    assert ((v - shift[0])[x <= 1e-4] <= 1e-3).all()
    with pytest.raises(pl.InputError, match="simplex"):
        pl.Problem(n).regularize(pl.simplex(1.0), pl.ball(1.0))


def test_infeasible_and_unbounded(rng):
    p = pl.Problem(2).minimize(pl.linear([1.0, 0.0]))
    p.subject_to(pl.linear_le([[1.0, 0.0], [-1.0, 0.0]], [0.0, -1.0]))
    r = p.solve()
    assert r.status == "primal_infeasible" and r.infeasibility_proof["holds"]
    y = r.duals[0]
    assert (y >= 0).all() and np.allclose(np.array([[1.0, 0.0], [-1.0, 0.0]]).T @ y, 0) and y @ [0.0, -1.0] < 0
    p = pl.Problem(2).minimize(pl.linear([1.0, 0.0]))
    p.subject_to(pl.linear_le([[1.0, 0.0]], [1.0]))
    r = p.solve()
    assert r.status == "dual_infeasible" and r.unboundedness_proof["holds"] and r.ray[0] < 0


def test_a_feasible_point_without_an_objective_is_an_answer():
    """x + y <= 1e-4, x >= t z, y z >= 1: feasible up to t = 2.5e-9, and so badly scaled that multipliers grow beyond use."""
    for t in (2e-9, 4.7e-10, 1e-10):
        p = pl.Problem(3).minimize(pl.linear(np.zeros(3))).regularize(pl.box([0, 0, -np.inf], np.inf))
        p.subject_to(pl.linear_le([[1, 1, 0], [-1, 0, t]], [1e-4, 0.0]))
        p.subject_to(pl.conic([[0, -1, -1], [0, -1, 1], [0, 0, 0]], [0, 0, 2.0], [("soc", 3)]))
        r = p.solve(tol_feas=1e-8, tol_gap=1e-8)
        x, y, z = r.x
        violation = max(x + y - 1e-4, t * z - x, np.hypot(y - z, 2.0) - (y + z), -x, -y)
        if violation <= 1e-9:  # a feasible point is never called a failure
            assert r.status == "optimal", (t, r.message)
        if r.status == "optimal":
            assert violation <= 4e-8 and r.objective == 0.0 and r.lower_bound <= 0.0 and abs(r.gap_rel) <= 1e-8
        assert r.status != "primal_infeasible"
