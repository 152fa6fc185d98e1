"""Python and the command on the same files: the same bytes, the same figures."""

import json
import subprocess

import h5py
import numpy as np
import pliant as pl
import pytest

INSTANCES = {
    "dense_qp": (dict(n=20, m=2000, seed=1), {}),
    "dense_lp": (dict(n=10, m=3000, seed=2), {"threads": 2}),
    "sparse_qp": (dict(n=200, m=400, seed=3), {}),
    "qcqp": (dict(n=6, m=50, seed=4), {}),
    "logistic": (dict(n=8, m=100, seed=5), {"method": "lbfgs", "tol_gap": 1e-5, "tol_feas": 1e-5}),
    "svm": (dict(n=10, m=300, seed=6), {"method": "katyusha", "seed": 9, "max_passes": 200}),
}


def run(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 2, 3, 4), done.stderr
    return done.stdout


@pytest.mark.parametrize("family", INSTANCES)
def test_same_bytes(command, tmp_path, family):
    parameters, settings = INSTANCES[family]
    file, solution, figures = tmp_path / "problem.h5", tmp_path / "x.h5", tmp_path / "r.json"
    run(command, "generate", family, file, *(f"{k}={v}" for k, v in parameters.items()))
    options = [f"--{k.replace('_', '-')}={v}" for k, v in settings.items()]
    run(command, "solve", file, "--solution", solution, "--json", figures, "--quiet", *options)
    loaded = pl.load(file).solve(**settings)
    made = pl.generate.instance(family, **parameters).solve(**settings)
    with h5py.File(solution) as f:
        for r in (loaded, made):
            assert r.x.tobytes() == f["x"][:].tobytes()
            for i, duals in enumerate(r.duals[: len(f["duals"])]):
                assert duals.tobytes() == f["duals"][str(i)][:].tobytes()
    expected = json.loads(figures.read_text())
    missing = set(expected) - set(vars(loaded))
    assert not missing
    changing = {"time", "phases", "peak_memory_bytes", "peak_resident_bytes", "stream_time", "mapped_bytes"}
    for name in set(expected) - changing:
        got = getattr(loaded, name)
        if expected[name] is None:
            assert got is None or not np.isfinite(got)
        else:
            assert got == expected[name], name


def test_saved_solutions_are_verified_by_the_command(command, tmp_path):
    p = pl.generate.dense_lp(n=8, m=500, seed=7)
    p.save(tmp_path / "p.h5")
    r = p.solve()
    r.save(tmp_path / "x.h5")
    run(command, "check", tmp_path / "p.h5", tmp_path / "x.h5", "--json", tmp_path / "check.json")
    check = json.loads((tmp_path / "check.json").read_text())
    assert check["satisfied"] and check["objective"] == pytest.approx(r.objective, rel=1e-12)
    assert check["lower_bound"] == pytest.approx(r.lower_bound, rel=1e-9)


def test_verbose_prints_the_table_of_the_command(command, tmp_path, capsys):
    p = pl.generate.dense_qp(n=6, m=200, seed=8)
    p.save(tmp_path / "p.h5")
    expected = run(command, "solve", tmp_path / "p.h5", "--verbose", "--timeless")
    p.name = str(tmp_path / "p.h5")
    p.solve(verbose=True, timeless=True)
    assert capsys.readouterr().out == expected
    p.solve()
    assert capsys.readouterr().out == ""
