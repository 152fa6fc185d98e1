"""Results, files, pickles, re-solves."""

import pickle

import numpy as np
import pliant as pl
import pytest


def everything(rng):
    """A problem with something of every kind that has data."""
    n = 5
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), rng.standard_normal(n)) + 0.5 * pl.linear(rng.standard_normal(n)))
    p.subject_to(pl.linear_le(rng.standard_normal((30, n)), np.ones(30)), name="rows")
    p.subject_to(pl.equal(rng.standard_normal((1, n)), [0.1]))
    p.subject_to(pl.quadratic_le(diagonal=np.ones((2, n)), q=np.zeros((2, n)), r=[-1.0, -2.0]), name="balls")
    p.name = "everything"
    p.start = rng.standard_normal(n)
    p.variable_names = list("abcde")
    return p


def test_problems_pickle(rng):
    p = everything(rng)
    q = pickle.loads(pickle.dumps(p))
    assert (q.n, q.m, q.name, q.variable_names, q.handles) == (p.n, p.m, p.name, p.variable_names, p.handles)
    np.testing.assert_array_equal(q.start, p.start)
    a, b = p.solve(), q.solve()
    assert a.x.tobytes() == b.x.tobytes()
    for u, v in zip(a.duals, b.duals, strict=True):
        assert u.tobytes() == v.tobytes()
    assert [d.size for d in a.duals] == [30, 1, 2]


def test_equalities_any_number_of_times(rng):
    n = 5
    E, e, q = rng.standard_normal((3, n)), rng.standard_normal(3), rng.standard_normal(n)
    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), q))
    first = p.subject_to(pl.equal(E[:1], e[:1]))
    rows = p.subject_to(pl.linear_le(rng.standard_normal((4, n)), np.full(4, 100.0)))
    rest = p.subject_to(pl.equal(E[1:], e[1:]), name="rest")
    for problem in (p, pickle.loads(pickle.dumps(p))):
        r = problem.solve(tol_gap=1e-9, tol_feas=1e-9)
        assert [d.size for d in r.duals] == [1, 4, 2] and r.equality_duals.size == 3
        np.testing.assert_allclose(E @ r.x, e, atol=1e-7)
        y = np.concatenate([r.duals[first.index], r.duals[rest.index]])
        np.testing.assert_allclose(r.x + q + E.T @ y, 0, atol=1e-6)
    with pytest.raises(pl.InputError, match="equalities 'odd': E: expected 5 variables, got 2"):
        p.subject_to(pl.equal(np.ones((1, 2)), [1.0]), name="odd")
    assert len(p.handles) == 3 and rows.part == 0


def test_figures_keep_what_json_cannot_write():
    p = pl.Problem(1).minimize(pl.linear([1.0]))  # unbounded
    p.subject_to(pl.linear_le([[1.0]], [1.0]))
    r = p.solve()
    assert r.status == "dual_infeasible" and r.lower_bound == -np.inf and isinstance(r.unboundedness_proof, dict)
    assert p.check(r)["lower_bound_kind"] == "estimate" and p.check(r)["proved_bound"] is None
    assert r.stream_time is None and r.infeasibility_proof is None


def test_help_names_every_format():
    for function in (pl.load, pl.Problem.save):
        for ending in (".h5", ".mps", ".qps", ".sif", ".dat-s", ".cbf", ".gz"):
            assert ending in function.__doc__, (function, ending)
        assert "{endings}" not in function.__doc__


def test_functions_do_not_pickle():
    p = pl.Problem(1)
    p.subject_to(pl.callback_le(1, lambda x, rows: x, lambda x, rows: [[1.0]]))
    with pytest.raises(pl.InputError, match="callback"):
        pickle.dumps(p)


def test_results_pickle(rng):
    r = everything(rng).solve()
    s = pickle.loads(pickle.dumps(r))
    assert s.to_dict() == r.to_dict() and repr(s) == repr(r)
    assert s.x.tobytes() == r.x.tobytes()
    for name, column in r.trace.items():
        np.testing.assert_array_equal(s.trace[name], column)
    assert everything(np.random.default_rng(1)).solve(warm_start=s).x.shape == (5,)


def test_files_of_every_format(rng, tmp_path):
    lp = pl.generate.dense_lp(n=4, m=30, seed=1)
    best = lp.solve(tol_gap=1e-9, tol_feas=1e-9).objective
    for ending in ("h5", "mps", "mps.gz", "qps"):
        file = tmp_path / f"p.{ending}"
        lp.save(str(file))
        assert pl.load(file).solve(tol_gap=1e-9, tol_feas=1e-9).objective == pytest.approx(best, rel=1e-8)
    with pytest.raises(FileNotFoundError, match="nothere.h5"):
        pl.load(tmp_path / "nothere.h5")
    with pytest.raises(IsADirectoryError):
        pl.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        lp.save(tmp_path / "no" / "such" / "folder.h5")


def test_maximisation_reports_its_own_figures(tmp_path):
    (tmp_path / "p.mps").write_text(
        "NAME P\nOBJSENSE\n MAX\nROWS\n N c\n L r\nCOLUMNS\n x c 3 r 1\nRHS\n RHS r 4\nENDATA\n")
    p = pl.load(tmp_path / "p.mps")
    rows = []
    r = p.solve(callback=lambda info: rows.append(info.objective))
    assert p.sense == "maximize" and r.objective == pytest.approx(12.0, rel=1e-5)
    assert r.lower_bound >= 12.0 - 1e-4 and rows[-1] == r.trace["objective"][-1]
    assert p.objective([1.0]) == 3.0


def test_trace_is_a_table(rng):
    r = everything(rng).solve()
    lengths = {name: len(column) for name, column in r.trace.items()}
    assert len(set(lengths.values())) == 1 and min(lengths.values()) > 0
    assert set(pl.Progress._fields) == set(lengths)
    assert r.trace["iteration"].dtype == np.int64 and r.trace["objective"].dtype == np.float64
    assert (np.diff(r.trace["time"]) >= 0).all() and r.trace["passes"][-1] <= r.passes


def test_warm_start_is_free(rng):
    p = pl.generate.dense_qp(n=10, m=5000, seed=2)
    cold = p.solve()
    warm = p.solve(warm_start=cold)
    assert warm.status == "optimal" and warm.iterations <= cold.iterations
    again = p.solve(warm_start=cold.x)
    assert again.status == "optimal" and again.objective == pytest.approx(cold.objective, rel=1e-5)
    with pytest.raises(pl.InputError, match=r"warm_start: expected shape \(10,\)"):
        p.solve(warm_start=np.ones(3))
    with pytest.raises(pl.InputError, match="warm start: x contains NaN"):
        p.solve(warm_start=np.full(10, np.nan))


def test_updated_is_rebuilt(rng):
    n, m = 6, 2000
    G, h = rng.standard_normal((m, n)), rng.random(m) + 0.5
    more, bound = rng.standard_normal((50, n)), rng.random(50) * 0.1 + 0.01
    q, q2 = rng.standard_normal(n) * 2, rng.standard_normal(n) * 2
    exact = dict(tol_gap=1e-10, tol_feas=1e-10)

    def fresh(*batches, q=q):
        p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), q))
        return p, [p.subject_to(pl.linear_le(*b)) for b in batches]

    p, (c,) = fresh((G, h))
    s = pl.Solver(p, **exact)
    first = s.solve()
    s.update(c, h=h * 0.8)
    updated = s.solve()
    assert updated.passes < first.passes
    np.testing.assert_allclose(updated.x, fresh((G, h * 0.8))[0].solve(**exact).x, atol=1e-6)
    s.append(c, G=more, h=bound)
    grown = s.solve()
    reference = fresh((G, h * 0.8), (more, bound))[0].solve(**exact)
    np.testing.assert_allclose(grown.x, reference.x, atol=1e-6)
    assert grown.duals[0].shape == (m + 50,)
    y = grown.duals[0]
    np.testing.assert_allclose(grown.x + q + np.vstack([G, more]).T @ y, 0, atol=1e-5)
    s.update(c, h=np.concatenate([h, bound * 2]))
    s.update_objective(0, pl.quadratic(np.eye(n), q2))
    last = s.solve(warm_start=first)
    np.testing.assert_allclose(last.x, fresh((G, h), (more, bound * 2), q=q2)[0].solve(**exact).x, atol=1e-6)
    assert s.problem.m == m + 50 and p.m == m


def test_what_a_solver_cannot_change(rng):
    p = everything(rng)
    rows, equality, balls = p.handles
    s = pl.Solver(p)
    with pytest.raises(TypeError, match="update: expected h for family linear, got r"):
        s.update(rows, r=[1.0])
    with pytest.raises(pl.InputError, match=r"h: expected shape \(30,\)"):
        s.update(rows, h=[1.0, 2.0])
    with pytest.raises(TypeError, match="equality constraints cannot be changed"):
        s.update(equality, e=[1.0])
    with pytest.raises(TypeError, match="expected a handle"):
        s.append(0, G=[[1.0]])
    with pytest.raises(pl.InputError, match="5 variables"):
        s.append(rows, G=np.ones((1, 3)), h=[1.0])
    other = pl.Problem(5)
    with pytest.raises(ValueError, match="belongs to another problem"):
        s.update(other.subject_to(pl.linear_le(np.ones((1, 5)), [1.0])), h=[1.0])
    s.update(balls, r=[-3.0, -4.0])
    assert s.solve().status == "optimal"


def test_plot_without_a_display(rng, tmp_path):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure = everything(rng).solve().plot()
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000
    pyplot.close("all")


def test_reports_are_those_of_the_command(rng, tmp_path):
    r = everything(rng).solve()
    r.report(tmp_path / "a.html")
    pickle.loads(pickle.dumps(r)).report(tmp_path / "b.html")
    page = (tmp_path / "a.html").read_text()
    assert page == (tmp_path / "b.html").read_text()
    assert page.startswith("<!") and "everything" in page and "rows" in page
    r.report(tmp_path / "a.html", title="another <title>")
    pickle.loads(pickle.dumps(r)).report(tmp_path / "b.html", title="another <title>")
    assert (tmp_path / "a.html").read_text().count("another &lt;title&gt;") == 2
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()
    with pytest.raises(FileNotFoundError):
        r.report(tmp_path / "no" / "such" / "folder.html")


def test_points_are_checked(rng):
    p = everything(rng)
    with pytest.raises(pl.InputError, match=r"start: expected shape \(5,\), got \(2,\)"):
        p.start = [1.0, 2.0]
    p.slater_point = np.zeros(5)
    np.testing.assert_array_equal(p.slater_point, np.zeros(5))
    p.slater_point = None
    assert p.slater_point is None
    p.variable_names = ["only one"]
    with pytest.raises(pl.InputError, match="names: variables: expected 5 names or none, got 1"):
        p.solve()


def test_plots_show_single_points_and_no_absent_series():
    import matplotlib

    matplotlib.use("agg")
    from pliant._plot import plot

    def shown(proof=None, **columns):
        trace = {name: np.array(columns.get(name, np.zeros(len(columns["time"])))) for name in (
            "time", "objective", "lower_bound", "violation", "dual_residual", "delta", "xi")}  # fmt: skip
        for name in ("gap_estimate", "mu", "step_primal", "step_dual"):
            trace[name] = np.array(columns.get(name, np.full(len(columns["time"]), np.nan)))
        made = {"trace": trace, "infeasibility_proof": proof, "unboundedness_proof": None}
        return plot(type("Trace", (), made)()).axes

    inf = np.inf
    values, errors, penalty = shown(time=[0.0], objective=[1.0], lower_bound=[-inf], violation=[0.5])
    assert [line.get_label() for line in values.lines] == ["objective"] and values.lines[0].get_markevery() == [0]
    assert [line.get_label() for line in errors.lines] == ["violation"] and errors.get_yscale() == "log"
    assert not penalty.lines and penalty.get_legend() is None and "no penalty" in penalty.texts[0].get_text()
    values, *_ = shown(time=[0.0, 1.0, 2.0, 3.0], objective=[3.0, 2.0, 1.0, 1.0], lower_bound=[-inf, 0.0, -inf, 1.0])
    assert values.lines[0].get_markevery() == [] and values.lines[1].get_markevery() == [1, 3]
    steps = dict(step_primal=[np.nan, 0.9], step_dual=[np.nan, 0.8])
    _, errors, path = shown(time=[0.0, 1.0], objective=[1.0, 1.0], lower_bound=[-inf, 1.0], delta=[1.0, 1.0],
                            mu=[1.0, 0.1], gap_estimate=[1.0, 0.1], **steps)  # fmt: skip
    assert "gap, not proved" in [line.get_label() for line in errors.lines]
    assert [line.get_label() for line in path.lines] == ["mu", "primal step", "dual step"]
    same = dict(step_primal=[np.nan, 0.9], step_dual=[np.nan, 0.9])
    *_, path = shown(time=[0.0, 2e-4], objective=[1.0, 1.0], lower_bound=[-inf, 1.0], mu=[1.0, 0.1], **same)
    assert [line.get_label() for line in path.lines] == ["mu", "steps, primal and dual"]
    assert path.get_xlabel() == "microseconds" and path.lines[0].get_xdata().tolist() == [0.0, 200.0]
    values, errors, _ = shown({}, time=[0.0, 1.0], objective=[1.0, 2.0], lower_bound=[-inf, 9e9], violation=[1.0, 0.5])
    assert [line.get_label() for line in values.lines + errors.lines] == ["objective", "violation"]  # a proof has no bound
    *_, penalty = shown(time=[], objective=[], lower_bound=[])
    assert penalty.texts[0].get_text() == "nothing was recorded" and penalty.get_xlabel() == "seconds"
    for p in (pl.generate.dense_qp(n=4, m=50), pl.generate.sparse_qp(n=30, m=40), pl.generate.robust_lp(n=4, m=30)):
        figure = p.solve().plot()
        figure.canvas.draw()
        assert len(figure.axes) == 3
        matplotlib.pyplot.close(figure)
