"""pliant as one of qpsolvers' solvers; qpsolvers judges the answers."""

import sys
import types
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of qpsolvers, where it finds no solver but this one
    qpsolvers = pytest.importorskip("qpsolvers")
    import pliant.qpsolvers


def random_problem(rng, sparse):
    n = int(rng.integers(2, 12))
    B, x = rng.standard_normal((n, n)), rng.standard_normal(n)
    P, q = B @ B.T + 0.1 * np.eye(n), rng.standard_normal(n)
    G, A = rng.standard_normal((3 * n, n)), rng.standard_normal((1, n))
    h, b = G @ x + rng.uniform(0.0, 1.0, 3 * n), A @ x
    h[0] = np.inf
    lb, ub = x - rng.uniform(0.1, 2.0, n), x + rng.uniform(0.1, 2.0, n)
    lb[0], ub[1] = -np.inf, np.inf
    make = sp.csc_matrix if sparse else np.asarray
    parts = [make(P), q, make(G), h, make(A), b, lb, ub]
    if rng.random() < 0.3:
        parts[2] = parts[3] = None
    if rng.random() < 0.3:
        parts[4] = parts[5] = None
    if rng.random() < 0.3:
        parts[6] = parts[7] = None
    return qpsolvers.Problem(*parts)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_solutions_are_optimal_by_their_own_measure(seed, sparse):
    problem = random_problem(np.random.default_rng([seed, sparse]), sparse)
    solution = qpsolvers.solve_problem(problem, solver="pliant")
    finite = problem.h is None or np.isfinite(problem.h)
    if problem.h is not None:  # qpsolvers multiplies infinite sides with multipliers of 0
        assert not solution.z[~finite].any()
        problem.G, problem.h, solution.z = problem.G[finite], problem.h[finite], solution.z[finite]
    if problem.lb is not None:
        unbounded = np.array([problem.lb[0] - problem.ub[0], problem.lb[1] - problem.ub[1]])
        assert np.isinf(unbounded).all()
        problem.lb[0], problem.ub[1] = solution.x[0] - 1.0, solution.x[1] + 1.0  # as good as none
    assert solution.found and solution.is_optimal(1e-6), (solution.primal_residual(), solution.dual_residual())
    assert solution.extras["status"] == "optimal" and solution.extras["gap_rel"] <= 1e-8


def test_the_lists_and_the_ways_to_call():
    assert "pliant" in qpsolvers.available_solvers
    assert "pliant" in qpsolvers.dense_solvers and "pliant" in qpsolvers.sparse_solvers
    P, q = np.eye(2), np.array([-3.0, -1.0])
    x = qpsolvers.solve_qp(P, q, lb=np.zeros(2), ub=np.ones(2), solver="pliant", tol_gap=1e-9)
    assert x == pytest.approx([1.0, 1.0], abs=1e-4)
    assert qpsolvers.solve_ls(P, np.array([3.0, 1.0]), solver="pliant") == pytest.approx([3.0, 1.0], abs=1e-5)
    with pytest.warns(UserWarning, match="primal_infeasible"):
        none = qpsolvers.solve_qp(P, q, np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.0, -1.0]), solver="pliant")
    assert none is None
    with pytest.raises(qpsolvers.ProblemError, match="not convex"):
        qpsolvers.solve_qp(-P, q, lb=np.zeros(2), ub=np.ones(2), solver="pliant")
    again = pliant.qpsolvers.pliant_solve_qp(P, q, initvals=np.array([3.0, 1.0]))
    assert again == pytest.approx([3.0, 1.0], abs=1e-5)


def scaled_problem(rng, size):
    """Objective and sides of this size, so that relative tolerances leave more than absolute ones."""
    n = 6
    B, x = rng.standard_normal((n, n)), size * rng.standard_normal(n)
    P, G = B @ B.T + np.eye(n), rng.standard_normal((12, n))
    return qpsolvers.Problem(P, -P @ x + size * rng.standard_normal(n), G, G @ x + size * rng.uniform(0.0, 1.0, 12))


def test_absolute_tolerances(rng):
    closer = 0
    for _ in range(10):
        problem = scaled_problem(rng, 30.0)
        plain = qpsolvers.solve_problem(problem, solver="pliant", tol_gap=1e-6)
        solution = qpsolvers.solve_problem(problem, solver="pliant", tol_gap=1e-6, eps_abs=1e-6)
        assert solution.found and solution.is_optimal(1.000001e-6), solution.duality_gap()
        closer += not plain.is_optimal(1.000001e-6)
    assert closer > 0  # or nothing was tried
    with pytest.warns(UserWarning, match="residuals and gap are at most .*, not 1e-14"):
        hopeless = qpsolvers.solve_problem(scaled_problem(rng, 30.0), solver="pliant", eps_abs=1e-14)
    assert not hopeless.found and hopeless.extras["status"] == "optimal"


def test_settings_of_qpbenchmark(monkeypatch):
    class SolverSettings:
        IMPLEMENTED_SOLVERS = {"other"}

        def __init__(self):
            self.kept = {}

        def set_param(self, solver, name, value):
            self.kept[solver, name] = value

        def set_eps_abs(self, value):
            self.set_param("other", "eps", value)

        def set_time_limit(self, value):
            """Of some."""

    monkeypatch.setitem(sys.modules, "qpbenchmark", types.ModuleType("qpbenchmark"))
    monkeypatch.setitem(sys.modules, "qpbenchmark.solver_settings", None)
    with pytest.raises(ImportError, match="pip install qpbenchmark"):
        pliant.qpsolvers.join_qpbenchmark()
    module = types.ModuleType("qpbenchmark.solver_settings")
    module.SolverSettings = SolverSettings
    monkeypatch.setitem(sys.modules, "qpbenchmark.solver_settings", module)
    pliant.qpsolvers.join_qpbenchmark()
    pliant.qpsolvers.join_qpbenchmark()  # once is enough
    settings = SolverSettings()
    settings.set_eps_abs(1e-5)
    settings.set_time_limit(7.0)
    assert settings.kept == {("other", "eps"): 1e-5, ("pliant", "eps_abs"): 1e-5, ("pliant", "time_limit"): 7.0}
    problem = qpsolvers.Problem(np.eye(2), np.array([-3.0, -1.0]), np.ones((1, 2)), np.array([2.0]))
    given = {name: value for (solver, name), value in settings.kept.items() if solver == "pliant"}
    assert qpsolvers.solve_problem(problem, solver="pliant", **given).found
