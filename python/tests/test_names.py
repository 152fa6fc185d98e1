"""Answers by name: variables, rows, handles, and pandas in and out."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pliant as pl
import pytest

pd = pytest.importorskip("pandas")

MPS = """NAME          DIET
ROWS
 N  COST
 G  IRON
 L  SALT
 E  MASS
COLUMNS
    CORN      COST      2.0   IRON      1.0
    CORN      SALT      1.0   MASS      1.0
    OATS      COST      3.0   IRON      4.0
    OATS      MASS      1.0
RHS
    RHS       IRON      6.0   SALT      5.0
    RHS       MASS      3.0
ENDATA
"""


def diet(rng):
    foods, rules = ["corn", "oats", "rye"], [f"rule{i}" for i in range(30)]
    G = pd.DataFrame(rng.standard_normal((30, 3)), index=rules, columns=foods)
    h = pd.Series(rng.uniform(0.1, 1.0, 30), index=rules)
    P = pd.DataFrame(np.eye(3), index=foods, columns=foods)
    return P, pd.Series([-3.0, -2.0, -1.0], index=foods), G, h


def test_frames_in_series_out(rng):
    P, q, G, h = diet(rng)
    p = pl.Problem(3).minimize(pl.quadratic(P, q))
    c = p.subject_to(pl.linear_le(G, h), name="rules")
    e = p.subject_to(pl.equal(G.iloc[:1], [0.05]), name="level")
    r = p.solve(tol_gap=1e-9, tol_feas=1e-9)
    plain = pl.Problem(3).minimize(pl.quadratic(np.eye(3), q.to_numpy()))
    plain.subject_to(pl.linear_le(G.to_numpy(), h.to_numpy()))
    plain.subject_to(pl.equal(G.to_numpy()[:1], [0.05]))
    s = plain.solve(tol_gap=1e-9, tol_feas=1e-9)
    assert isinstance(r.x, pd.Series) and list(r.x.index) == list(G.columns) and isinstance(s.x, np.ndarray)
    assert r.x.to_numpy().tobytes() == s.x.tobytes()
    assert r.duals[c].index.equals(G.index) and list(r.duals["level"].index) == ["rule0"]
    assert r.duals[c].to_numpy().tobytes() == s.duals[0].tobytes()
    assert (G @ r.x <= h + 1e-7).all()  # pandas aligns by name
    gradient = r.x + q + G.T @ r.duals["rules"] + G.iloc[0] * r.duals[e].iloc[0]
    assert gradient.abs().max() < 1e-5
    assert r.value("oats") == r.x["oats"] and r.value(["rye", "corn"]).tolist() == [r.x["rye"], r.x["corn"]]
    assert p.variable_names == ["corn", "oats", "rye"] and r.bound_duals.index.equals(G.columns)
    frame = r.to_frame()
    assert list(frame.columns) == ["value", "bound_dual"] and frame.loc["rye", "value"] == r.x["rye"]
    again = p.solve(warm_start=r)  # labelled results are results
    assert again.status == "optimal" and p.check(r)["satisfied"]
    kept = pickle.loads(pickle.dumps(r))
    assert kept.x.equals(r.x) and kept.duals["rules"].equals(r.duals["rules"]) and kept.value("oats") == r.value("oats")
    assert pickle.loads(pickle.dumps(p)).solve().x.index.equals(G.columns)


def test_solvers_keep_labels(rng):
    P, q, G, h = diet(rng)
    p = pl.Problem(3).minimize(pl.quadratic(P, q))
    c = p.subject_to(pl.linear_le(G, h), name="rules")
    s = pl.Solver(p)
    assert s.solve().duals[c].index.equals(G.index)
    s.append(c, G=G.iloc[:2], h=h.iloc[:2])
    r = s.solve()
    assert isinstance(r.x, pd.Series) and len(r.duals[c]) == 32


def test_labels_that_disagree(rng):
    P, q, G, h = diet(rng)
    with pytest.raises(pl.InputError, match="h: its index differs from that of G"):
        pl.linear_le(G, h.iloc[::-1])
    with pytest.raises(pl.InputError, match="q: its index differs"):
        pl.quadratic(P, q.iloc[::-1])
    p = pl.Problem(3).minimize(pl.quadratic(P, q))
    with pytest.raises(pl.InputError, match="linear_le: column 0 is 'rye', the variable there is 'corn'"):
        p.subject_to(pl.linear_le(G[["rye", "oats", "corn"]], h))
    assert p.handles == () and p.m == 0
    odd = pl.Problem(2).minimize(pl.linear(pd.Series([1.0, 2.0]))).regularize(pl.box(0.0, 1.0)).solve()
    assert isinstance(odd.x, pd.Series) and odd._labels.variables == []  # numbers are labels, not names


def test_names_of_files(tmp_path):
    (tmp_path / "diet.mps").write_text(MPS)
    p = pl.load(tmp_path / "diet.mps")
    r = p.solve(tol_gap=1e-9, tol_feas=1e-9)
    corn, oats = r.value("CORN"), r.value("OATS")
    assert corn + oats == pytest.approx(3.0, abs=1e-7) and corn + 4 * oats >= 6.0 - 1e-7
    assert r.objective == pytest.approx(2 * corn + 3 * oats, rel=1e-9)
    # 2 = iron + mass + salt..., 3 = 4 iron + mass up to signs: the reduced costs vanish with the duals by name
    y = {name: r.duals[name] for name in ("IRON", "SALT", "MASS")}
    assert 2 + y["IRON"] + y["SALT"] + y["MASS"] == pytest.approx(0.0, abs=1e-5)
    assert 3 + 4 * y["IRON"] + y["MASS"] == pytest.approx(0.0, abs=1e-5)
    with pytest.raises(KeyError, match="no variable is called 'CORM'; near: CORN"):
        r.value("CORM")
    with pytest.raises(KeyError, match="no constraint is called 'IRN'; near: IRON"):
        r.duals["IRN"]
    text = r.summary()
    assert "CORN" in text and "IRON" in text and "optimal" in text


def test_handles_and_names(rng):
    p = pl.Problem(2).minimize(pl.quadratic(np.eye(2), [-2.0, -2.0]))
    a = p.subject_to(pl.linear_le([[1.0, 0.0]], [1.0]), name="twice")
    b = p.subject_to(pl.linear_le([[0.0, 1.0]], [0.5]), name="twice")
    r = p.solve()
    assert r.duals[a] is r.duals[0] and r.duals[b] is r.duals[b.index] and len(r.duals[:1]) == 1
    with pytest.raises(KeyError, match="name of 2 constraints"):
        r.duals["twice"]
    with pytest.raises(ValueError, match="another problem"):
        r.duals[pl.Problem(1).subject_to(pl.linear_le([[1.0]], [1.0]))]
    with pytest.raises(KeyError, match=r"none has a name, but all have a place: r.x\[0\]"):
        r.value("x")
    assert "twice: 1 duals of linear, 1 not 0" in r.summary() and "x[0]" in r.summary()
    assert r.summary(1).count("x[") == 1


def test_names_that_the_package_does_not_have():
    for name, hint in (("linear_ge", "linear_range"), ("linear_eq", "equal(A, b)"), ("Linear_le", "near: linear_le"),
                       ("quadradic", "near: quadratic"), ("maximise", "Problem(n)"), ("Variable", "pliant.cvxpy"),
                       ("zzzz", "no attribute 'zzzz'")):
        with pytest.raises(AttributeError, match=re.escape(hint)):
            getattr(pl, name)
    for module in ("estimators", "qpsolvers"):  # as in a fresh process, whatever was imported here
        code = f"import pliant as pl\ntry: pl.{module}\nexcept AttributeError as e: print(e)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip().endswith(f"import pliant.{module}")
    assert not hasattr(pl, "__wrapped__")
    for name in pl.__all__:  # what is hinted at exists
        assert getattr(pl, name) is not None
    lo, G = np.array([1.0]), np.array([[1.0]])
    for rows in (pl.linear_range(lo, G, [np.inf]), pl.linear_le(-G, -lo)):  # the hint for x >= 1
        p = pl.Problem(1).minimize(pl.quadratic([[1.0]], [0.0]))
        p.subject_to(rows)
        assert p.solve().x[0] == pytest.approx(1.0, abs=1e-5)
