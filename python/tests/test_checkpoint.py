"""Checkpoints: what a killed solve leaves behind is whole, and a solve that goes on from it ends right."""

import os
import random
import signal
import subprocess
import time

import h5py
import numpy as np
import pliant as pl
import pytest

TIGHT = dict(tol_gap=1e-8, tol_feas=1e-8)


def command(*arguments):
    return [os.environ["PLIANT_COMMAND"], *map(str, arguments)]


def x_of(file):
    with h5py.File(file) as solution:
        return np.array(solution["x"])


@pytest.fixture(scope="module")
def instances(tmp_path_factory):
    """One for every engine that takes more than a moment: family, parameters, options."""
    folder = tmp_path_factory.mktemp("instances")
    cases = {
        "working sets": (["dense_lp", "n=60", "m=40000"], []),
        "first order": (["dense_qp", "n=30", "m=4000"], ["--method", "apg", "--tol-gap", "1e-5", "--tol-feas", "1e-5"]),
        "sparse": (["sparse_qp", "n=400", "m=4000"], ["--linear-algebra", "sparse"]),
        "bands": (["quantile", "n=20", "m=60000"], []),
        "cones": (["small_lmi", "n=10", "m=300"], []),
    }
    out = {}
    for name, (generate, options) in cases.items():
        file = folder / f"{name}.h5"
        subprocess.run(command("generate", generate[0], file, *generate[1:]), check=True, capture_output=True)
        out[name] = (file, options, pl.load(file))
    return out


@pytest.mark.parametrize("case", ["working sets", "first order", "sparse", "bands", "cones"])
def test_killed_anywhere_a_solve_goes_on(case, instances, tmp_path):
    file, options, problem = instances[case]
    kept, answer = tmp_path / "kept.h5", tmp_path / "x.h5"
    begin = time.monotonic()
    subprocess.run(command("solve", file, "--quiet", "--solution", answer, *options), check=True)
    whole = time.monotonic() - begin
    reference = problem.check(x_of(answer))["objective"]
    for attempt in range(4):
        kept.unlink(missing_ok=True)
        run = subprocess.Popen(command("solve", file, "--quiet", "--checkpoint", kept, "--checkpoint-every", "0", *options))
        time.sleep(random.Random(f"{case}{attempt}").uniform(0.0, 1.2 * whole))
        run.send_signal(signal.SIGKILL if attempt % 2 == 0 else signal.SIGTERM)
        run.wait()
        resume = ["--resume", kept] if kept.exists() else []  # killed before the first
        subprocess.run(command("solve", file, "--quiet", "--solution", answer, *resume, *options), check=True)
        verdict = problem.check(x_of(answer))
        assert verdict["violation_rel"] <= 1e-4, (case, attempt)
        assert verdict["objective"] == pytest.approx(reference, rel=2e-4, abs=2e-4)


def test_a_proved_bound_is_never_lost(tmp_path):
    kept = tmp_path / "kept.h5"
    p = pl.generate.dense_qp(n=20, m=5000, seed=3)
    first = p.solve(checkpoint=kept, checkpoint_every=0.0, **TIGHT)
    assert first.lower_bound_rigorous
    cut = p.solve(resume=kept, max_iterations=1, tol_gap=1e-15, tol_feas=1e-15)
    assert cut.proved_bound >= first.proved_bound - 1e-15 * abs(first.proved_bound)


def test_resuming_is_quick_and_right(tmp_path):
    kept = tmp_path / "kept.h5"
    p = pl.generate.dense_lp(n=30, m=20000, seed=5)
    first = p.solve(checkpoint=kept, **TIGHT)
    again = p.solve(resume=kept, **TIGHT)
    assert again.status == "optimal" and again.iterations <= first.iterations
    assert again.objective == pytest.approx(first.objective, abs=1e-7)


def test_of_another_problem_or_of_none(tmp_path):
    kept = tmp_path / "kept.h5"
    pl.generate.dense_lp(n=5, m=50, seed=1).solve(checkpoint=kept)
    with pytest.raises(pl.InputError, match="checkpoint of another problem"):
        pl.generate.dense_lp(n=5, m=50, seed=2).solve(resume=kept)
    p = pl.generate.dense_qp(n=4, m=10)
    p.solve().save(tmp_path / "x.h5")
    with pytest.raises(pl.InputError, match="is no checkpoint"):
        p.solve(resume=tmp_path / "x.h5")
    with pytest.raises(pl.InputError, match="missing"):
        p.solve(checkpoint=tmp_path / "missing" / "c.h5")


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="no such signal here")
def test_a_file_cut_short_under_us_is_named(tmp_path):
    file = tmp_path / "p.h5"
    subprocess.run(command("generate", "dense_qp", file, "n=100", "m=200000"), check=True, capture_output=True)
    run = subprocess.Popen(
        command("solve", file, "--tol-gap", "1e-14", "--tol-feas", "1e-14", "--method", "apg", "--time-limit", "60"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.0)
    os.truncate(file, 1 << 20)
    _, words = run.communicate(timeout=60)
    assert run.returncode == 1
    assert "p.h5: was cut short" in words
