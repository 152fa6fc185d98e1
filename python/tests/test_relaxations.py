"""Relaxations with many small cones beside another solver, which reads the same file."""

import sys

import pliant as pl
import pytest
from conftest import ROOT

INSTANCES = [("perspective", {"n": 11, "m": 400}), ("soc_rlt", {"d": 4, "m": 300}), ("shor_boxqp", {"d": 7, "k": 3}),
             ("shor_boxqp", {"d": 5, "k": 6}), ("opf", {})]


@pytest.mark.parametrize("family, parameters", INSTANCES, ids=str)
def test_values_agree_with_clarabel(family, parameters, tmp_path, monkeypatch):
    for module in ("clarabel", "scipy", "h5py"):
        pytest.importorskip(module)
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    from sets_parts import peers, program

    for seed in (1, 2):
        file = tmp_path / f"{family}{seed}.h5"
        pl.generate.to_file(family, file, seed=seed, **parameters)
        found = peers.solve("clarabel", program.read_program(file), 1e-9, peers.Limits())
        assert found.status == "optimal", found.words
        value = program.read_program(file).figures(found.answer).objective
        result = pl.load(file).solve(tol_gap=1e-7, tol_feas=1e-7)
        assert result.status == "optimal" and result.lower_bound_rigorous
        assert abs(result.objective - value) <= 1e-6 * (1 + abs(value))
        assert result.lower_bound <= value + 1e-6 * (1 + abs(value))
