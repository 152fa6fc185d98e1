"""What goes wrong in the first hour, and what is said then: packages that are missing, arguments in the wrong order or
shape, names of other packages, endings that stand for nothing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pliant as pl
import pytest
from pliant._needs import EXTRAS

ROOT = Path(__file__).parents[2]

# What needs a package, the package as imported, and the line that must come of it.
LEARN = "pliant.estimators: needs scikit-learn 1.6 or later: pip install 'pliant[learn]'"
NEEDS = {
    "r.plot()": ("matplotlib", "r.plot: needs matplotlib: pip install 'pliant[plot]'"),
    "r.to_frame()": ("pandas", "r.to_frame: needs pandas: pip install 'pliant[frames]'"),
    "p.solve(progress=True)": ("tqdm", "progress: needs tqdm: pip install 'pliant[progress]'"),
    "import pliant.cvxpy": ("cvxpy", "pliant.cvxpy: needs CVXPY 1.9 or later: pip install 'pliant[cvxpy]'"),
    "import pliant.cvxpy ": ("scipy", "pliant.cvxpy: needs CVXPY 1.9 or later: pip install 'pliant[cvxpy]'"),
    "import pliant.estimators": ("sklearn", LEARN),
    "import pliant.estimators ": ("scipy", LEARN),
    "import pliant.qpsolvers": ("qpsolvers", "pliant.qpsolvers: needs qpsolvers: pip install 'pliant[qpsolvers]'"),
    "import pliant.torch": ("torch", "pliant.torch: needs PyTorch: pip install 'pliant[torch]'"),
    "shards('x.parquet')": ("pyarrow", "x.parquet: needs pyarrow: pip install 'pliant[parquet]'"),
}


def test_packages_that_are_missing_are_named_with_the_line_that_installs_them():
    """As in a fresh process, one for all: a package is missing that sys.modules says is none."""
    code = """
import sys
import pliant as pl

def shards(file):
    q = pl.Problem(2).minimize(pl.linear([1.0, 1.0])).regularize(pl.nonnegative())
    q.subject_to(pl.linear_le(pl.Shards(None, [file])))
    q.solve()

p = pl.Problem(2).minimize(pl.linear([1.0, 1.0])).regularize(pl.nonnegative())
r = p.solve()
for words, module in CASES:
    before = dict(sys.modules)
    for name in list(sys.modules):
        if name.split(".")[0] == module:
            del sys.modules[name]
    sys.modules[module] = None
    try:
        exec(words.strip())
        print("nothing was raised")
    except Exception as error:
        print(type(error).__name__, error)
    for name in set(sys.modules) - set(before):
        del sys.modules[name]
    sys.modules.update(before)
""".replace("CASES", repr([(words, module) for words, (module, _) in NEEDS.items()]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(NEEDS)
    for line, (words, (module, expected)) in zip(lines, NEEDS.items()):
        assert line.startswith(f"ImportError {expected} ("), (words, line)
        assert module in line, (words, line)


def test_every_extra_that_is_named_exists():
    with open(ROOT / "pyproject.toml", "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    packages = {"PyTorch": "torch"}
    for package, extra in EXTRAS.items():
        name = packages.get(package, package.split()[0].lower())
        assert any(line.startswith(name) for line in extras[extra]), (package, extra)


A, b = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]]), np.array([1.0, 2.0])  # 2 rows, 3 variables

WRONG = {
    "one argument": (lambda: pl.equal(A), "equal: e is missing: E x = e is equal(E, e)"),
    "one argument, rows": (lambda: pl.linear_le(A), "linear_le: h is missing: G x <= h is linear_le(G, h)"),
    "order": (lambda: pl.equal(b, A), "E: expected shape (m, n), got (2,); the order is equal(E, e)"),
    "order of a range": (lambda: pl.linear_range(b, b, A),
                         "G: expected shape (m, n), got (2,); the order is linear_range(lo, G, hi)"),
    "order of a range, matrix first": (lambda: pl.linear_range(A, b, b), "the order is linear_range(lo, G, hi)"),
    "one row": (lambda: pl.equal([1.0, 1.0, 1.0], 1.0),
                "E: expected shape (m, n), got (3,); one row is np.atleast_2d(E)"),
    "a column": (lambda: pl.equal(A, b[:, None]), "e: expected shape (2,), got (2, 1); np.ravel(e) is a vector"),
    "transposed": (lambda: pl.equal(A.T, b),
                   "e: expected shape (3,), got (2,); E has 3 rows and 2 columns: is it transposed?"),
    "transposed rows": (lambda: pl.linear_le(A.T, b), "G has 3 rows and 2 columns: is it transposed?"),
    "transposed, a number": (lambda: pl.Problem(3).subject_to(pl.equal(A.T, 1.0)),
                             "equalities: E: expected 3 variables, got 2; it has as many rows as there are variables: "
                             "is it transposed?"),
    "transposed, in a problem": (lambda: pl.Problem(3).subject_to(pl.linear_le(A.T, 1.0)), "is it transposed?"),
    "transposed cones": (lambda: pl.Problem(3).subject_to(pl.conic(A.T, 1.0, [("soc", 3)])), "is it transposed?"),
    "another problem": (lambda: pl.Problem(5).subject_to(pl.equal(A, b)), "expected 5 variables, got 3"),
    "a single cone": (lambda: pl.soc_le(np.eye(3), np.zeros(3), np.zeros(3), 1.0),
                      "A: expected shape (m, k, n), got (3, 3); a single one is A[np.newaxis]"),
    "a single form": (lambda: pl.quadratic_le(np.eye(3), np.zeros(3), -1.0), "a single one is P[np.newaxis]"),
    "a diagonal": (lambda: pl.quadratic(np.ones(3)),
                   "P: expected shape (n, n), got a vector; a diagonal matrix is np.diag(P)"),
    "a simple term": (lambda: pl.linear(np.ones(3)) + pl.l1(0.1), "simple terms are added by p.regularize(pl.l1(..))"),
    "a simple term alone": (lambda: pl.Problem(3).minimize(pl.box(0.0, 1.0)), "p.regularize(pl.box(..))"),
    "a constant": (lambda: pl.linear(np.ones(3)) + 5, "a constant belongs to pl.linear(c, constant)"),
    "a constant first": (lambda: 2.0 + pl.linear(np.ones(3)), "a constant belongs to pl.linear(c, constant)"),
    "several terms": (lambda: pl.Problem(3).minimize([pl.linear(np.ones(3))]), "got list: terms add with +"),
    "a start that is a flag": (lambda: pl.Problem(3).solve(warm_start=True), "warm_start: expected a Result or x, got True"),
    "a place": (lambda: pl.Problem(3).solve().value(0), "variable 0 is r.x[0]"),
    "eps": (lambda: pl.Problem(3).solve(eps=1e-3), "'eps' is not a setting; tolerances are tol_feas and tol_gap"),
    "x0": (lambda: pl.Problem(3).solve(x0=np.zeros(3)), "a start is warm_start=x"),
    "a list": (lambda: pl.Problem(3).subject_to([pl.equal(A, b)]), "got list; each has a call of its own"),
}


@pytest.mark.parametrize("case", WRONG)
def test_constraints_that_are_handed_in_wrongly(case):
    make, expected = WRONG[case]
    with pytest.raises((pl.InputError, TypeError), match=re.escape(expected)) as error:
        make()
    if "transposed" not in case:
        assert "transposed" not in str(error.value)


def test_names_that_a_problem_or_a_result_does_not_have():
    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0])).regularize(pl.nonnegative())
    r = p.solve()
    for of, name, hint in (
        (p, "equal", "p.subject_to(pl.equal(..))"), (p, "equality", "p.subject_to(pl.equal(A, b))"),
        (p, "box", "p.regularize(pl.box(..))"), (p, "quadratic", "p.minimize(pl.quadratic(..))"),
        (p, "linear_ge", "linear_range(lo, G, inf)"), (p, "cvar_le", "p.subject_to(pl.cvar_le(..))"),
        (p, "add_constraint", "p.subject_to(pl.linear_le(G, h))"), (p, "optimize", "p.solve()"),
        (p, "x", "r = p.solve(), then r.x"),
        (p, "minimse", "near: minimize"), (p, "variable_name", "near: variable_names"),
        (r, "fun", "r.objective"), (r, "y", "r.duals"), (r, "success", "r.status == 'optimal'"),
        (r, "objectve", "near: objective"), (r, "zzzz", "'Result' object has no attribute 'zzzz'"),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=re.escape(hint)):
            getattr(of, name)
    assert not hasattr(p, "__array__") and not hasattr(r, "_nothing")
    with pytest.raises(AttributeError):
        p.anything = 1  # a problem has no room for what nobody reads


def test_families_that_are_mistyped():
    for name, hint in (("dense_pq", "near: dense_qp"), ("Hinge", "near: hinge"), ("zzzzz", "there are: entrywise_convex")):
        with pytest.raises(AttributeError, match=f"no family '{name}'; {hint}"):
            getattr(pl.generate, name)
    assert not hasattr(pl.generate, "__wrapped__")


def test_convex_forms_are_not_maximised():
    for P in (np.eye(2), np.diag([-1.0, 2.0])):
        with pytest.raises(pl.InputError, match=r"maximize: quadratic: P is not concave \(diagonal entry . is [12]\)"):
            pl.Problem(2).maximize(pl.quadratic(P))
    p = pl.Problem(2).maximize(pl.quadratic(np.eye(2)) - pl.quadratic(2 * np.eye(2), [-1.0, 0.0]))
    assert np.abs(p.solve().x - [1.0, 0.0]).max() < 1e-5


def test_endings_that_stand_for_nothing(tmp_path):
    p = pl.generate.dense_qp(n=4, m=20)
    r = p.solve()
    with pytest.raises(pl.InputError, match=r"x.xlsx: the ending stands for no form of solutions \(expected .h5, .csv"):
        r.save(tmp_path / "x.xlsx")
    with pytest.raises(pl.InputError, match=r"p.xlsx: .xlsx is the ending of no format \(expected .h5, .mps"):
        p.save(tmp_path / "p.xlsx")
    assert not list(tmp_path.iterdir())
    r.save(tmp_path / "x.hdf5")
    p.save(tmp_path / "p.hdf5")
    assert pl.load(tmp_path / "p.hdf5").m == 20
