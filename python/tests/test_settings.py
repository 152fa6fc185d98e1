"""Settings as keyword arguments: names, bounds and messages of the command's table."""

import subprocess

import numpy as np
import pliant as pl
import pytest

WRONG = {
    "tol_feas": -0.5,
    "tol_gap": 0,
    "method": "simplex",
    "outer": "inner",
    "norm": 3,
    "time_limit": -1,
    "max_iterations": 2.5,
    "threads": 5000,
    "device": "gpu",
    "xi": "big",
    "screening": "perhaps",
    "memory_limit": "much",
    "batch_size": 0,
    "seed": "x",
}


@pytest.fixture
def p():
    return pl.generate.dense_qp(n=3, m=10)


@pytest.mark.parametrize("name", WRONG)
def test_messages_are_those_of_the_command(p, command, tmp_path, name):
    p.save(tmp_path / "p.h5")
    option = f"--{name.replace('_', '-')}"
    done = subprocess.run([command, "solve", tmp_path / "p.h5", f"{option}={WRONG[name]}"], capture_output=True, text=True)
    with pytest.raises(pl.InputError) as error:
        p.solve(**{name: WRONG[name]})
    assert done.returncode == 1
    assert str(error.value).removeprefix(name) in done.stderr and str(error.value).startswith(f"{name}: expected")


def test_every_setting_takes_its_own_default(p):
    from pliant._settings import TABLE

    for name, row in TABLE.items():
        if row["default"] != "none":
            value = {"true": True, "false": False}.get(row["default"], row["default"])
            assert p.solve(**{name: value}).status == "optimal"
        assert p.solve(**{name: None}).status == "optimal"


def test_values_of_many_types(p):
    r = p.solve(norm=np.inf, threads=np.int64(1), seed=np.int32(5), tol_gap=np.float32(1e-4), screening=False,
                max_iterations=100.0, memory_limit="1G", xi="auto", measure_stream=True)
    assert r.status == "optimal" and r.threads == 1 and r.seed == 5 and r.stream_time >= 0
    assert p.solve(norm=1).status == "optimal"


def test_unknown_names_suggest_near_ones(p):
    with pytest.raises(TypeError, match="'tolerance_gap' is not a setting; near: .*tol_gap"):
        p.solve(tolerance_gap=1e-3)
    with pytest.raises(TypeError, match="'zzz' is not a setting; there are: method, outer"):
        p.solve(zzz=1)
    with pytest.raises(TypeError, match="tol_gap: expected V, got list"):
        p.solve(tol_gap=[1])
    with pytest.raises(TypeError, match="callback: expected a function, got int"):
        p.solve(callback=3)
    with pytest.raises(TypeError, match="not a setting"):
        pl.Solver(p, tolgap=1)


def test_precision_of_numbers_survives():
    p = pl.generate.dense_qp(n=3, m=10)
    xi = 1.0 + 2**-50
    assert p.solve(method="apg", outer="static", xi=xi, delta=1e-3, max_iterations=3).xi == xi
