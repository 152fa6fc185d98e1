"""Python and the command on the same files: the same bytes, the same figures."""

import json
import pathlib
import signal
import subprocess
import sys
import sysconfig
import time

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


def installed_commands():
    """The two ways to call what pip installs; as in a shell whose folder knows nothing of the repository."""
    return [pathlib.Path(sysconfig.get_path("scripts")) / "pliant"], [sys.executable, "-m", "pliant"]


@pytest.mark.parametrize("words", installed_commands(), ids=["pliant", "python -m pliant"])
def test_pip_installs_the_command(words, tmp_path):
    def say(*arguments):
        return subprocess.run([*words, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert say("--version").stdout == f"pliant {pl.__version__}\n"
    p = pl.generate.dense_qp(n=5, m=50, seed=1)
    p.save(tmp_path / "p.h5")
    done = say("solve", "p.h5", "--solution", "x.h5", "--quiet")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "x.h5") as f:
        assert f["x"][:].tobytes() == p.solve().x.tobytes()
    failed = say("solve", "nowhere.h5")  # exit codes and messages are those of the command
    assert failed.returncode == 1 and "nowhere.h5" in failed.stderr


def test_the_module_becomes_the_command(tmp_path):
    """No interpreter stands between a signal and the command, which ends with its best iterate."""
    pl.generate.dense_lp(n=40, m=4000, seed=3).save(tmp_path / "p.h5")
    slow = ["--method=apg", "--outer=static", "--xi=50", "--delta=1e-12", "--tol-gap=1e-15", "--tol-feas=1e-15"]
    words = [sys.executable, "-m", "pliant", "solve", "p.h5", "--verbose", *slow]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:  # until it works
            if line.split()[:1] == ["iter"] or "delta" in line:
                break
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
    assert "interrupted" in rest and running.returncode not in (0, 1, -signal.SIGINT)
