"""Sums of positive parts as CVXPY writes them: with a column for each, recognised and solved as soft rows."""

import numpy as np
import pytest

cp = pytest.importorskip("cvxpy")
import pliant as pl  # noqa: E402
import pliant.cvxpy  # noqa: E402

TAU = 0.3


def models(rng, m, n):
    """Name, problem and one of its constraints, whose dual is compared (or none)."""
    X = np.c_[np.ones(m), rng.standard_normal((m, n - 1))]
    y = X @ rng.standard_normal(n) + rng.standard_t(3, m)
    labels = np.where(X @ rng.standard_normal(n) + rng.standard_normal(m) > 0, 1.0, -1.0)
    mean = rng.uniform(0.0, 0.1, n)
    L = -(mean + 0.1 * rng.standard_normal((m, n)))
    x, alpha = cp.Variable(n), cp.Variable()
    r = y - X @ x
    wall = x[0] <= 0.1
    portfolio = [cp.sum(x) == 1, x >= 0]
    margins = cp.pos(1 - cp.multiply(labels, X @ x))
    risk = alpha + cp.sum(cp.pos(L @ x - alpha)) / (0.05 * m)
    yield "pos", cp.Problem(cp.Minimize(cp.sum(cp.pos(r)) / m + 0.5 * X.mean(0) @ x), [wall]), wall
    yield "abs", cp.Problem(cp.Minimize(cp.sum(cp.abs(r)) / m), [wall]), wall
    yield "norm1", cp.Problem(cp.Minimize(cp.norm1(r) / m)), None
    yield "norm1 and squares", cp.Problem(cp.Minimize(cp.norm1(r) / m + 0.1 * cp.sum_squares(x))), None
    yield "quantile by maximum", cp.Problem(cp.Minimize(cp.sum(cp.maximum(TAU * r, (TAU - 1) * r)) / m)), None
    yield "quantile by abs", cp.Problem(cp.Minimize(cp.sum(0.5 * cp.abs(r) + (TAU - 0.5) * r) / m)), None
    yield "quantile by parts", cp.Problem(cp.Minimize(cp.sum(TAU * cp.pos(r) + (1 - TAU) * cp.neg(r)) / m)), None
    yield "hinge", cp.Problem(cp.Minimize(cp.sum(margins) / m + 0.01 * cp.sum_squares(x))), None
    yield "hinge in a box", cp.Problem(cp.Minimize(cp.sum(margins) / m), [x <= 2, x >= -2]), None
    yield "sum_largest", cp.Problem(cp.Minimize(cp.sum_largest(L @ x, m // 20) / (m // 20)), portfolio), portfolio[0]
    yield "cvar", cp.Problem(cp.Minimize(risk - mean @ x), portfolio), portfolio[0]
    limit = risk <= 0.05
    yield "cvar as a limit", cp.Problem(cp.Minimize(-mean @ x), [*portfolio, limit]), limit
    width, weights = rng.uniform(0.0, 1.0, m), rng.uniform(0.1, 2.0, m)
    beyond = cp.pos(cp.abs(r) - 0.5)
    yield "insensitive", cp.Problem(cp.Minimize(cp.sum(beyond) / m + 0.01 * cp.sum_squares(x)), [wall]), wall
    widths = cp.maximum(cp.abs(r) - width, 0)
    yield "insensitive, of all widths", cp.Problem(cp.Minimize(weights @ widths / m), [wall]), wall
    tube = cp.sum(beyond) / m <= 0.8
    yield "insensitive as a limit", cp.Problem(cp.Minimize(cp.sum_squares(x - 3)), [tube]), tube


@pytest.mark.parametrize("place", range(15))
def test_values_and_duals_are_those_of_clarabel(place, rng):
    name, problem, constraint = list(models(rng, 1200, 4))[place]
    problem.solve(solver="CLARABEL", tol_gap_rel=1e-10, tol_gap_abs=1e-10, tol_feas=1e-10)
    value = problem.value
    dual = None if constraint is None else np.array(constraint.dual_value)
    problem.solve(solver=pliant.cvxpy.PLIANT(), tol_gap=1e-9, tol_feas=1e-9)
    assert problem.status == "optimal", name
    assert "are prices of rows" in problem.solver_stats.extra_stats["choice"], name
    assert problem.value == pytest.approx(value, abs=1e-7), name
    if dual is not None:
        assert np.array(constraint.dual_value) == pytest.approx(dual, abs=1e-4), name


def epsilon_insensitive_as_lp(rng, m, n, spoil=""):
    """sum_i w_i max(0, |x'a_i - b_i| - eps_i) over a box as the text of an LP file; one line of it spoiled."""
    A, b = rng.standard_normal((m, n)), rng.standard_normal(m)
    eps, w = rng.uniform(0.1, 1.0, m), rng.uniform(0.1, 2.0, m) / m
    fit = [" ".join(f"{a:+.17g} x{j}" for j, a in enumerate(row)) for row in A]
    minus = [" ".join(f"{-a:+.17g} x{j}" for j, a in enumerate(row)) for row in A]
    lines = ["Minimize", "obj:"] + [f"+{w[i]:.17g} s{i}" for i in range(m)] + ["Subject To"]
    for i in range(m):
        lines += [f"u{i}: {fit[i]} - t{i} <= {b[i]:.17g}", f"l{i}: {minus[i]} - t{i} <= {-b[i]:.17g}"]
        lines += [f"w{i}: t{i} - s{i} <= {eps[i]:.17g}"]
    if spoil == "row":
        lines += ["more: " + " ".join(f"+t{i}" for i in range(m)) + f" <= {10.0 * m}"]
    lines += ["Bounds"] + [f"-2 <= x{j} <= 2" for j in range(n)] + [f"t{i} free" for i in range(m)]
    if spoil == "bound":
        lines += [f"s{i} <= 100" for i in range(m)]
    return "\n".join([*lines, "End", ""]), A, b, eps, w


@pytest.mark.parametrize("spoil", ["", "row", "bound"])
def test_a_file_of_an_insensitive_loss(tmp_path, rng, spoil):
    text, A, b, eps, w = epsilon_insensitive_as_lp(rng, 1100, 3, spoil)
    (tmp_path / "tube.lp").write_text(text)
    problem = pl.load(str(tmp_path / "tube.lp"))
    result = problem.solve(tol_gap=1e-8, tol_feas=1e-8)
    assert result.status == "optimal"
    assert ("are prices of rows" in result.choice) == (spoil == "")
    x = np.array([result.x[problem.variable_names.index(f"x{j}")] for j in range(3)])
    value = w @ np.maximum(0, np.abs(A @ x - b) - eps)
    assert result.objective == pytest.approx(value, abs=1e-7)
    soft = pl.Problem(3).minimize(pl.positive_part(pl.linear_range(b - eps, A, b + eps), weights=np.repeat(w, 2)))
    assert soft.regularize(pl.box(-2, 2)).solve(tol_gap=1e-8).objective == pytest.approx(value, abs=1e-7)
