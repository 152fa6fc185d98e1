"""CVXPY's own standard solver tests against PLIANT, and what they leave out: statuses, caches, statistics."""

import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest

cp = pytest.importorskip("cvxpy", minversion="1.9")
helpers = pytest.importorskip("cvxpy.tests.solver_test_helpers")

from pliant._hermitian import SAME, is_mirrored, mirror, mirrored  # noqa: E402
from pliant.cvxpy import PLIANT  # noqa: E402
from scipy import sparse  # noqa: E402

SUITES = ("LPs", "QPs", "SOCPs", "SDPs", "ECPs", "PCPs", "MixedCPs", "InfeasibleProblems")


def standard_tests():
    for suite in SUITES:
        tests = getattr(helpers, f"StandardTest{suite}")
        for name, _ in inspect.getmembers(tests, callable):
            # Tests of bounds handed over apart are for solvers that take CVXPY's word for them.
            if name.startswith("test_") and not name.startswith("test_mi_") and not name.endswith("_bound_attr"):
                yield pytest.param(tests, name, id=f"{suite}-{name[5:]}")


@pytest.mark.filterwarnings("default")  # of CVXPY about its own tests
@pytest.mark.parametrize(("suite", "name"), list(standard_tests()))
def test_standard(suite, name, monkeypatch):
    if name == "test_lp_7":  # asks SDPA, whose interface it imports, for extended precision before it goes on
        backend = SimpleNamespace(get_backend_info=lambda: {"gmp": True})
        module = SimpleNamespace(sdpacall=SimpleNamespace(sdpacall=backend))
        monkeypatch.setitem(sys.modules, "sdpap", module)
    getattr(suite, name)(solver=PLIANT())


def losses(rows=200, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    y = X @ rng.standard_normal(columns) + rng.standard_normal(rows)
    w, b = cp.Variable(columns), cp.Variable()
    signs = np.sign(y)
    error = y - X @ w - b
    return {
        "hinge": cp.sum(cp.pos(1 - cp.multiply(signs, X @ w + b))),
        "quantile": cp.sum(cp.maximum(0.9 * error, -0.1 * error)),
        "absolute": cp.norm1(error),
        "largest": cp.sum_largest(cp.abs(error), 20) + cp.sum_squares(w),
    }


# CVXPY propagates bounds of its auxiliary variables wrongly: these came out as 2000 for 215 and as infeasible.
@pytest.mark.parametrize("name", ["hinge", "quantile", "absolute", "largest"])
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_positive_parts(name, seed):
    loss = losses(seed=seed)[name]
    problem = cp.Problem(cp.Minimize(loss))
    reference = problem.solve(solver=cp.CLARABEL)
    value = problem.solve(solver=PLIANT())
    assert value == pytest.approx(reference, rel=1e-6)
    assert float(loss.value) == pytest.approx(value, rel=1e-7)  # at the w and b that came back


def test_bounds_have_multipliers_whether_declared_or_written():
    rng = np.random.default_rng(3)
    c = rng.standard_normal(5)
    for declared in (True, False):
        x = cp.Variable(5, bounds=[-1, 2]) if declared else cp.Variable(5)
        own = [] if declared else [x >= -1, x <= 2, 3 * x <= 6]
        total = cp.sum(x) == 1
        problem = cp.Problem(cp.Minimize(c @ x + cp.sum_squares(x) / 10), [total, *own])
        problem.solve(solver=PLIANT())
        assert problem.solver_stats.extra_stats["lower_bound_kind"] == "proved"
        if declared:
            continue
        below, above, thrice = (k.dual_value for k in own)
        assert min(below.min(), above.min(), thrice.min()) >= 0
        gradient = c + x.value / 5 + total.dual_value - below + above + 3 * thrice
        np.testing.assert_allclose(gradient, 0, atol=1e-6)
        np.testing.assert_allclose(below * (x.value + 1), 0, atol=1e-6)
        np.testing.assert_allclose((above + 3 * thrice) * (2 - x.value), 0, atol=1e-6)


def test_bounds_that_cross_are_infeasible():
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum(x)), [x >= 1, x[0] <= 0])
    problem.solve(solver=PLIANT())
    assert problem.status == "infeasible"


def lasso(rows=30, columns=8, seed=0):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((rows, columns)), rng.standard_normal(rows)
    weight, level, x = cp.Parameter(nonneg=True, value=1.0), cp.Parameter(value=1.0), cp.Variable(columns)
    return cp.Problem(cp.Minimize(cp.sum_squares(A @ x - b) + weight * cp.norm1(x)), [x <= level]), weight, level, x


def test_parameters_are_solved_again_from_the_cache():
    problem, weight, level, x = lasso()
    solver = PLIANT()
    for w, h in ((1.0, 1.0), (2.0, 1.0), (2.0, 0.05), (0.5, -0.1)):
        weight.value, level.value = w, h
        value = problem.solve(solver=solver)
        again = problem.solve(solver=solver)
        fresh, weight_2, level_2, x_2 = lasso()
        weight_2.value, level_2.value = w, h
        assert value == pytest.approx(fresh.solve(solver=PLIANT(), warm_start=False), rel=1e-6)
        assert again == pytest.approx(value, rel=1e-7)
        np.testing.assert_allclose(x.value, x_2.value, atol=1e-4)


def test_a_warm_start_takes_no_step():
    problem, *_ = lasso()
    solver = PLIANT()
    problem.solve(solver=solver)
    first = problem.solver_stats.num_iters
    problem.solve(solver=solver)
    assert problem.solver_stats.num_iters < first
    problem.solve(solver=solver, warm_start=False)
    assert problem.solver_stats.num_iters == first


def test_limits_come_with_an_iterate():
    problem, *_, x = lasso()
    with pytest.warns(UserWarning, match="inaccurate"):
        problem.solve(solver=PLIANT(), time_limit=1e-9)
    assert problem.status == cp.USER_LIMIT
    assert np.isfinite(x.value).all()
    assert problem.solver_stats.extra_stats["status"] == "time_limit"


def test_the_certificate_is_in_the_statistics():
    problem, *_ = lasso()
    value = problem.solve(solver=PLIANT())
    stats = problem.solver_stats
    assert stats.solver_name == "PLIANT"
    assert stats.extra_stats["gap_rel"] <= 1e-8
    assert stats.extra_stats["lower_bound"] <= stats.extra_stats["objective"] + 1e-7 * (1 + abs(value))
    assert stats.solve_time > 0


def test_unbounded_problems_and_wrong_settings():
    x = cp.Variable(3)
    problem = cp.Problem(cp.Minimize(x[0]), [cp.norm(x[1:]) <= 1, cp.exp(x[1]) <= 2])
    problem.solve(solver=PLIANT())
    assert problem.status == cp.UNBOUNDED
    assert problem.solver_stats.extra_stats["unboundedness_proof"] is not None
    with pytest.raises((TypeError, ValueError), match="no_such_setting"):
        problem.solve(solver=PLIANT(), no_such_setting=1)


def random_mixture(seed):
    """Every cone CVXPY can send, bounded, so that there is an optimum: judged by its own duals, not by a solver."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    X, x, t = cp.Variable((n, n), PSD=bool(rng.integers(2))), cp.Variable(n), cp.Variable()
    C = rng.standard_normal((n, n))
    constraints = [cp.trace(X) <= n, cp.norm(x) <= 2, cp.sum(x) == 0.3, X << 3 * np.eye(n), X >> 0, X == X.T]
    objective = cp.trace((C + C.T) @ X) + rng.standard_normal(n) @ x + t
    constraints += [cp.logistic(x[0]) <= t, t <= 10] if rng.integers(2) else [cp.power(x[0] + 3, 1.5) <= t]
    constraints += [cp.PowCone3D(x[0] + 3, x[1] + 3, t, 0.3)] if rng.integers(2) else [x >= -1.5]
    if rng.integers(2):
        objective += cp.sum_squares(x - rng.standard_normal(n))
    return cp.Problem(cp.Minimize(objective), constraints)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("seed", range(12))
def test_mixtures_agree_with_another_solver(seed):
    pytest.importorskip("clarabel")
    problem = random_mixture(seed)
    value = problem.solve(solver=PLIANT())
    assert problem.status == cp.OPTIMAL
    duals = [np.concatenate([np.ravel(d) for d in np.atleast_1d(c.dual_value)])
             if isinstance(c.dual_value, list) else np.ravel(c.dual_value) for c in problem.constraints]
    assert all(np.isfinite(d).all() for d in duals)
    assert max(np.max(c.violation()) for c in problem.constraints) <= 1e-5
    assert problem.solve(solver=cp.CLARABEL) == pytest.approx(value, rel=1e-5, abs=1e-5)


def many_quadratics(seed, m=200, n=4):
    """Quadratic constraints, norms and quadratic forms with right-hand sides that depend on x, and rows of their own."""
    rng = np.random.default_rng(seed)
    x = cp.Variable(n, bounds=[-5, 5]) if seed % 2 else cp.Variable(n)
    constraints = [cp.sum(x) == 0.1] if seed % 3 == 0 else []
    for i in range(m):
        F, f, a = rng.standard_normal((2, n)), 0.3 * rng.standard_normal(2), 0.3 * rng.standard_normal(n)
        if i % 3 == 0:
            constraints.append(cp.sum_squares(F @ x + f) <= a @ x + 2)
        elif i % 3 == 1:
            constraints.append(cp.norm(F @ x + f) + a @ x <= 1.5)
        else:
            constraints.append(3 * cp.quad_form(x, F.T @ F + 0.1 * np.eye(n)) <= 4)
    constraints.append(x[0] <= 0.2)
    c = rng.standard_normal(n)
    objective = c @ x + (0.1 * cp.sum_squares(x) if seed % 2 else 0)
    return cp.Problem(cp.Minimize(objective), constraints), x


@pytest.mark.parametrize("seed", range(4))
def test_quadratic_constraints_in_disguise_are_recognised(seed, monkeypatch):
    problem, x = many_quadratics(seed)
    value = problem.solve(solver=PLIANT())
    assert "eigenvalues" in problem.solver_stats.extra_stats["choice"]  # the norms, as rows beside the quadratics
    found = x.value
    duals = [np.ravel(c.dual_value) for c in problem.constraints]
    assert max(np.max(c.violation()) for c in problem.constraints) <= 1e-6
    monkeypatch.setattr("pliant._quadratic_rows.CONSTRAINTS_PER_VARIABLE", np.inf)
    assert problem.solve(solver=PLIANT(), warm_start=False) == pytest.approx(value, rel=1e-6, abs=1e-6)
    assert problem.solver_stats.extra_stats["choice"].startswith("a conic program")
    np.testing.assert_allclose(found, x.value, atol=1e-4)
    for mine, cones in zip(duals, problem.constraints, strict=True):
        np.testing.assert_allclose(mine, np.ravel(cones.dual_value), atol=2e-3)


def test_sums_of_norms_stay_cones():
    """Variables that share a row cannot all be taken out of it."""
    x = cp.Variable(2)
    F = np.random.default_rng(0).standard_normal((60, 2, 2))
    problem = cp.Problem(cp.Minimize(-cp.sum(x)), [sum(cp.norm(Fi @ x) for Fi in F) <= 10])
    value = problem.solve(solver=PLIANT())
    assert problem.status == cp.OPTIMAL
    assert sum(np.linalg.norm(Fi @ x.value) for Fi in F) <= 10 + 1e-5
    assert problem.solve(solver=cp.CLARABEL) == pytest.approx(value, rel=1e-6)


def test_the_name_is_known_everywhere():
    assert "PLIANT" in cp.installed_solvers()
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [x <= 0.5])
    for name in ("PLIANT", "pliant"):
        assert problem.solve(solver=name) == pytest.approx(0.5, abs=1e-7)
        assert problem.solver_stats.solver_name == "PLIANT"
    assert problem.solve(solver_path=[("PLIANT", {"tol_gap": 1e-9}), "CLARABEL"]) == pytest.approx(0.5, abs=1e-7)
    problem.solve()
    assert problem.solver_stats.solver_name != "PLIANT"  # who does not ask gets CVXPY's default
    s = cp.Variable(nonneg=True)
    f = cp.perspective(cp.square(x[0]), s)  # atoms that hand the name on
    assert cp.Problem(cp.Minimize(f), [x[0] >= 2, s <= 1]).solve(solver="PLIANT") == pytest.approx(4.0, abs=1e-5)


def test_forms_that_are_not_convex_get_the_error_of_cvxpy(rng):
    x = cp.Variable(2)
    with pytest.raises(cp.SolverError, match="not convex"):
        cp.Problem(cp.Minimize(cp.quad_form(x, np.diag([-1.0, 1.0]), assume_PSD=True)), [x == 1]).solve(solver="PLIANT")
    # CVXPY takes eigenvalues above -1e-10 for rounding; so does the solver, and says so.
    form = cp.quad_form(x, np.diag([-0.9e-10, 10.0]), assume_PSD=True)
    problem = cp.Problem(cp.Minimize(form), [x == [1, 2]])
    assert problem.solve(solver="PLIANT") == pytest.approx(40.0, abs=1e-7)
    stats = problem.solver_stats.extra_stats
    assert stats["convexity_shift"] == 2e-10 and not stats["lower_bound_rigorous"]
    with pytest.raises(TypeError, match="'eps_abs' is not a setting"):  # a wrong setting is the caller's
        problem.solve(solver="PLIANT", eps_abs=1e-3)


def test_citations_and_duals_of_unbounded_problems(capsys):
    x = cp.Variable()
    problem = cp.Problem(cp.Maximize(x), [x >= 2])
    problem.solve(solver="PLIANT", bibtex=True, verbose=True)
    assert "@misc{pliant" in capsys.readouterr().out
    assert problem.status == cp.UNBOUNDED and problem.value == np.inf
    assert x.value is None and problem.constraints[0].dual_value is not None


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3, 1e-4])
def test_completions_that_barely_do_not_exist(gap):
    """t B - A and B semidefinite with some entries known: (t B - A)[1, 1] = 0.2 t - 0.8 < 0 for t = 4 - gap. Multipliers are
    those of one entry, on the boundary of both cones."""
    A, B = cp.Variable((3, 3), symmetric=True), cp.Variable((3, 3), PSD=True)
    known = [A[0, 0] == 1, A[0, 2] == 1.9, A[1, 1] == 0.8, B[0, 0] == 3, B[0, 2] == 1.4, B[1, 1] == 0.2]
    for t, status in ((4 - gap, "infeasible"), (4 + gap, "optimal")):
        problem = cp.Problem(cp.Minimize(0), [t * B - A >> 0, *known])
        problem.solve(solver="PLIANT")
        assert problem.status == status


@pytest.mark.parametrize("seed", range(4))
def test_squares_that_leave_a_direction_free(seed):
    """w |x|_1 + |A x - a|^2 + c'x over sum(x) = 1: d with A d = 0 and sum(d) = 0 is free of squares, and c'd < -w |d|_1."""
    rng = np.random.default_rng([seed, 17])
    A, x = rng.standard_normal((4, 6)), cp.Variable(6)
    d = np.linalg.svd(np.vstack([A, np.ones(6)]))[2][-1]  # unique up to its length
    c = -d / (d @ d) + 0.1 * rng.standard_normal(4) @ A
    for price, status in ((0.5, "unbounded"), (2.0, "optimal")):
        weight = price / np.abs(d).sum()  # beside c'd = -1
        problem = cp.Problem(cp.Minimize(weight * cp.norm1(x) + cp.sum_squares(A @ x - 1) + c @ x), [cp.sum(x) == 1])
        problem.solve(solver="PLIANT")
        assert problem.status == status


def hermitian(rng, n):
    M = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    return M + M.conj().T


@pytest.mark.parametrize("seed", range(6))
def test_duals_of_hermitian_matrices(seed):
    """The dual of X >> 0 is what the multipliers of the equalities say, and CVXPY reads it off one half of a real matrix."""
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    inside, cost = hermitian(rng, n), hermitian(rng, n)
    inside, cost = inside @ inside.conj().T, cost @ cost.conj().T
    rows = [hermitian(rng, n) for _ in range(1 + seed // 2)]
    X = cp.Variable((n, n), hermitian=True)
    equal = [cp.real(cp.trace(A @ X)) == np.trace(A @ inside).real for A in rows]
    cone = X >> 0
    model = cp.Problem(cp.Minimize(cp.real(cp.trace(cost @ X))), [cone, *equal])
    model.solve(solver="PLIANT")
    expected = cost + sum(float(c.dual_value) * A for c, A in zip(equal, rows))
    assert model.status == "optimal"
    assert np.abs(cone.dual_value - expected).max() < 1e-7 * np.abs(expected).max()


def test_multipliers_are_mirrored_where_the_data_are():
    rng = np.random.default_rng(3)
    order, size = 4, 10

    def lower(M):  # column by column
        column, row = np.triu_indices(order)
        return M[row, column] * np.where(row == column, 1.0, np.sqrt(2.0))

    def doubled(M):
        return np.block([[M.real, -M.imag], [M.imag, M.real]])

    data = [lower(doubled(hermitian(rng, 2))) for _ in range(4)]
    b, A = data[0], sparse.csr_array(np.array(data[1:]).T)
    given = rng.standard_normal(3 + size)
    y = mirrored(given.copy(), sparse.vstack([A[:3], A]).tocsr(), np.concatenate([b[:3], b]), 3, [order])
    assert A.T @ y[3:] == pytest.approx(A.T @ given[3:], rel=1e-13) and (y[:3] == given[:3]).all()
    places, signs = mirror(order)
    assert (y[3:] == signs * y[3:][places]).all() and not (y == given).all()
    # What is off by more than rounding is another matrix, whose multipliers have no such form.
    for off, same in ((0.5 * SAME, True), (2.0 * SAME, False)):
        for which in range(2):
            other, c = A.copy(), b.copy()
            if which == 0:
                c[0] += off * np.abs(b).max()
            else:
                other.data[0] += off * np.abs(A.data).max()
            assert is_mirrored(other, c, places, signs) == same
    assert (mirrored(given[:6].copy(), A[:6], b[:6], 0, [3]) == given[:6]).all()  # an odd order is nobody's double
