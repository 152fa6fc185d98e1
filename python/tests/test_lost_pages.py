"""A mapped file that is cut short while it is solved: an error that names it, and not the end of the process."""

import os
import signal
import threading

import pliant as pl
import pytest


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="no such signal here")
def test_a_file_cut_short_is_an_error(tmp_path):
    file = tmp_path / "p.h5"
    pl.generate.dense_qp(n=100, m=100000, seed=1).save(file)
    problem = pl.load(file)
    timer = threading.Timer(0.5, os.truncate, (file, 1 << 20))
    timer.start()
    with pytest.raises(pl.InputError, match="p.h5: was cut short"):
        problem.solve(method="apg", tol_gap=1e-14, tol_feas=1e-14, time_limit=60)
    timer.join()
    with pytest.raises(pl.InputError, match="p.h5: was cut short"):
        problem.solve()
    del problem
    assert pl.generate.dense_qp(n=4, m=20).solve().status == "optimal"
