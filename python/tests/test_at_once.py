"""Several solves at once, in threads and processes: the bytes of each are those it gives alone. bench/crowd takes many."""

import concurrent.futures
import multiprocessing
import os

import pliant as pl
import pytest

PROCESSES, SHARING = 3, 4
#: Family, parameters, settings of the solve: the engines in turn.
FAMILIES = [
    ("dense_qp", {"n": 8, "m": 200}, {}),
    ("sparse_qp", {"n": 30, "m": 60}, {"linear_algebra": "sparse"}),
    ("robust_lp", {"n": 6, "m": 30}, {"nonsmooth": "interior"}),
    ("quantile", {"n": 5, "m": 300}, {}),
    ("ridge", {"n": 5, "m": 50}, {"method": "apg", "tol_gap": 1e-3, "tol_feas": 1e-3}),
    ("log_sum_exp", {"n": 5, "m": 50}, {}),
    ("ellipsoid", {"d": 3, "m": 100}, {}),
    ("infeasible", {"n": 5, "m": 100}, {}),
]
THREADS = len(FAMILIES)


def bytes_of(result):
    return result.status, result.x.tobytes(), *(part.tobytes() for part in result.duals)


def solved(number):
    """The number-th problem of an endless list, and the bytes of its answer."""
    family, parameters, settings = FAMILIES[number % len(FAMILIES)]
    return bytes_of(getattr(pl.generate, family)(seed=number, **parameters).solve(**settings))


def test_in_threads():
    alone = [solved(k) for k in range(THREADS)]
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(solved, range(THREADS))) == alone


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_in_processes(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} here")
    alone = [solved(k) for k in range(PROCESSES)]
    with multiprocessing.get_context(start).Pool(PROCESSES) as pool:
        assert pool.map(solved, range(PROCESSES)) == alone


def fork_and_solve(number):
    """In a child of a process whose other threads are in the middle of solves."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, b"same" if solved(number) == EXPECTED[number] else b"other")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


EXPECTED = {}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_while_others_solve():
    EXPECTED.update({k: solved(k) for k in range(PROCESSES)})
    with concurrent.futures.ThreadPoolExecutor(2 * PROCESSES) as pool:
        solves = [pool.submit(solved, k) for k in range(PROCESSES)]
        forks = [pool.submit(fork_and_solve, k) for k in range(PROCESSES)]
        assert [f.result(timeout=120) for f in forks] == [b"same"] * PROCESSES
        assert [f.result(timeout=120) for f in solves] == [EXPECTED[k] for k in range(PROCESSES)]


@pytest.mark.parametrize("family, parameters, settings", FAMILIES[:5])
def test_of_one_problem(family, parameters, settings):
    problem = getattr(pl.generate, family)(seed=1, **parameters)
    alone = bytes_of(getattr(pl.generate, family)(seed=1, **parameters).solve(**settings))
    with concurrent.futures.ThreadPoolExecutor(SHARING) as pool:
        for result in pool.map(lambda _: problem.solve(**settings), range(SHARING)):
            assert bytes_of(result) == alone
