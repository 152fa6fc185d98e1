"""Rows in shards: the same bytes from every kind of worker, losses included, and the answer of one memory."""

import concurrent.futures
import functools
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pliant as pl
import pytest

TIGHT = dict(tol_gap=1e-8, tol_feas=1e-8)
N, M, PARTS = 6, 2048, 4


def rows(seed, k):
    """Part k; a function of this module, so that other processes can make it."""
    rng = np.random.default_rng([seed, k])
    G = rng.standard_normal((M, N))
    return G, rng.uniform(0.5, 1.5, M) * np.linalg.norm(G, axis=1)


def problem(parts, workers, seed=0, **options):
    c = np.random.default_rng(seed).standard_normal(N)
    p = pl.Problem(N).minimize(pl.linear(c) + 0.3 * pl.quadratic(np.eye(N))).regularize(pl.box(-10.0, 10.0))
    shards = pl.Shards(workers, parts, **options)
    return p, p.subject_to(pl.linear_le(shards)), shards


def sources(seed=0):
    return [functools.partial(rows, seed, k) for k in range(PARTS)]


@pytest.fixture(scope="module")
def reference():
    p, c, _ = problem(sources(), None)
    return p.solve(**TIGHT), c


def same_bytes(a, b):
    assert a.x.tobytes() == b.x.tobytes()
    assert a.duals[0].rows.tobytes() == b.duals[0].rows.tobytes()
    assert a.duals[0].values.tobytes() == b.duals[0].values.tobytes()
    assert (a.lower_bound, a.objective, a.rounds) == (b.lower_bound, b.objective, b.rounds)


def same_answer(a, b):
    """Where rows are cut in other places, but at multiples of 1024."""
    assert a.x.tobytes() == b.x.tobytes() and a.lower_bound == b.lower_bound
    assert a.duals[0].toarray().tobytes() == b.duals[0].toarray().tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_is_that_of_one_memory(seed):
    p, c, shards = problem(sources(seed), None, seed)
    r = p.solve(**TIGHT)
    G, h = map(np.concatenate, zip(*(rows(seed, k) for k in range(PARTS))))
    whole = pl.Problem(N).minimize(pl.linear(np.random.default_rng(seed).standard_normal(N)) + 0.3 * pl.quadratic(np.eye(N)))
    whole.regularize(pl.box(-10.0, 10.0))
    whole.subject_to(pl.linear_le(G, h))
    one = whole.solve(**TIGHT)
    assert r.status == one.status == "optimal"
    assert r.objective == pytest.approx(one.objective, abs=1e-7)
    assert (G @ r.x - h).max() <= 1e-7
    full = r.duals[c].toarray()
    assert full.shape == (PARTS * M,) and full.min() >= 0.0
    assert full == pytest.approx(one.duals[0], abs=1e-4)
    assert r.m == PARTS * M and r.holders == PARTS and 0 < r.rounds < 100
    same_bytes(p.solve(**TIGHT), r)  # once more, from the same shards
    shards.close()


def test_threads_and_processes_give_the_same_bytes(reference):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        p, _, _ = problem(sources(), pool)
        same_bytes(p.solve(**TIGHT), reference[0])
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        p, _, _ = problem(sources(), pool)
        same_bytes(p.solve(**TIGHT), reference[0])


def test_pairs_and_files(reference, tmp_path):
    pairs = [rows(0, k) for k in range(PARTS)]
    G, h = pairs[1]
    np.savez(tmp_path / "1.npz", G=G, h=h)
    G, h = pairs[2]
    np.save(tmp_path / "2.npy", np.c_[G, h])
    p, _, _ = problem([pairs[0], tmp_path / "1.npz", str(tmp_path / "2.npy"), lambda: pairs[3]], None)
    same_bytes(p.solve(**TIGHT), reference[0])


def test_folders_and_arrays_of_others(reference, tmp_path):
    tables = [np.c_[rows(0, k)] for k in range(PARTS)]
    for k, table in enumerate(tables):
        np.save(tmp_path / f"{k}.npy", table)
    p, _, _ = problem(tmp_path, None)
    same_bytes(p.solve(**TIGHT), reference[0])
    p, _, _ = problem(tables, None)
    same_bytes(p.solve(**TIGHT), reference[0])
    with pytest.raises(pl.InputError, match="no files with the endings"):
        (tmp_path / "empty").mkdir()
        problem(tmp_path / "empty", None)
    with pytest.raises(pl.InputError, match="expected a folder"):
        problem(tmp_path / "nowhere", None)


def test_frames_of_parquet(reference, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for k in range(PARTS):
        G, h = rows(0, k)
        pandas.DataFrame(G, columns=[f"g{j}" for j in range(N)]).assign(h=h).set_index(
            np.arange(M)[::-1]
        ).to_parquet(tmp_path / f"{k}.parquet")  # an index that is stored, and no column
    p, _, _ = problem(tmp_path, None)
    same_bytes(p.solve(**TIGHT), reference[0])
    frame = pandas.DataFrame(np.ones((3, N))).rename(columns=str)
    frame.to_parquet(tmp_path / "0.parquet")
    with pytest.raises(pl.InputError, match="0.parquet: expected a column h"):
        problem(tmp_path, None)[0].solve()


def test_zarr(reference, tmp_path):
    zarr = pytest.importorskip("zarr")
    table = np.concatenate([np.c_[rows(0, k)] for k in range(PARTS)])
    array = zarr.open_array(str(tmp_path / "rows.zarr"), mode="w", shape=table.shape, chunks=(1024, N + 1), dtype="f8")
    array[:] = table
    p, _, _ = problem(array, None)
    same_answer(p.solve(**TIGHT), reference[0])


def test_blocks_of_an_iterator(reference):
    walks = []

    def make():
        walks.append(1)
        return (rows(0, k) for k in range(PARTS))

    p = pl.Problem(N).minimize(pl.linear(np.random.default_rng(0).standard_normal(N)) + 0.3 * pl.quadratic(np.eye(N)))
    p.regularize(pl.box(-10.0, 10.0))
    p.subject_to(pl.linear_le(pl.Blocks(make)))
    r = p.solve(**TIGHT)
    same_answer(r, reference[0])
    assert len(walks) <= r.rounds + 1
    with pytest.raises(TypeError, match="Blocks: expected a function"):
        pl.Blocks([rows(0, 0)])
    bad = pl.Problem(N).minimize(pl.linear(np.ones(N))).regularize(pl.box(-1.0, 1.0))
    bad.subject_to(pl.linear_le(pl.Blocks(lambda: iter([rows(0, 0), (np.ones((2, N + 1)), np.ones(2))]))))
    with pytest.raises(pl.InputError, match="block 1: 7 columns, but block 0 has 6"):
        bad.solve()


def test_the_latest_point_is_left_after_an_error():
    class Dies(concurrent.futures.ThreadPoolExecutor):
        asked = 0

        def submit(self, function, *rest):
            self.asked += 1
            if self.asked > 4 * PARTS:
                raise ConnectionError("worker is gone")
            return super().submit(function, *rest)

    with Dies(1) as pool:
        p, _, shards = problem(sources(), pool, retries=0)
        with pytest.raises(RuntimeError, match="part 0 was lost 1 times"):
            p.solve(**TIGHT)
        assert shards.latest_x.shape == (N,) and np.isfinite(shards.latest_x).all()


class Flaky(concurrent.futures.ThreadPoolExecutor):
    """Loses shards: the process that had them is gone, as far as anybody can tell."""

    def __init__(self, often, threads=1):
        super().__init__(threads)
        self.rng, self.often = random.Random(1), often

    def submit(self, function, name, *rest):
        from pliant import _shards

        if self.rng.random() < self.often:
            _shards._here.pop(name, None)
            return super().submit(self.die)
        return super().submit(function, name, *rest)

    @staticmethod
    def die():
        raise ConnectionError("worker is gone")


def test_lost_shards_are_made_again(reference):
    with Flaky(0.15) as pool:
        p, _, shards = problem(sources(), pool, retries=20)
        r = p.solve(**TIGHT)
        same_bytes(r, reference[0])
        assert shards.losses > 0
        assert r.passes == pytest.approx(reference[0].passes)  # new ones know what the lost ones knew
    with Flaky(1.0) as pool:
        p, _, _ = problem(sources(), pool, retries=2)
        with pytest.raises(RuntimeError, match="part 0 was lost 3 times.*worker is gone"):
            p.solve(**TIGHT)


class DiesOnce(concurrent.futures.ThreadPoolExecutor):
    """Loses the shard that is asked in its nth submission, once."""

    def __init__(self, nth):
        super().__init__(1)
        self.left = nth

    def submit(self, function, name, *rest):
        from pliant import _shards

        self.left -= 1
        if self.left == 0:
            _shards._here.pop(name, None)
            return super().submit(Flaky.die)
        return super().submit(function, name, *rest)


def answers_of_a_solve(pool):
    """All answers of a solve with two full checks, the second of which reads few rows."""
    p, _, shards = problem(sources(), pool, seed=0, retries=1)
    exchange, seen = shards._exchange, []

    def watched(requests):
        seen.append(exchange(requests))
        return seen[-1]

    shards._exchange = watched
    p.solve(**TIGHT)
    return seen, shards.losses


def test_a_shard_that_was_made_again_knows_what_the_lost_one_knew():
    quiet, _ = answers_of_a_solve(None)
    for nth in range(1, len(quiet) * PARTS + 1, 3):
        with DiesOnce(nth) as pool:
            answers, losses = answers_of_a_solve(pool)
        assert losses == 1
        assert answers == quiet, f"after a loss at submission {nth}"  # bytes, with the number of rows that were read


class Sleepy(Flaky):
    """Says nothing instead."""

    @staticmethod
    def die():
        time.sleep(1.5)


def test_silence_is_a_loss_after_a_while(reference):
    with Sleepy(0.03, threads=64) as pool:
        p, _, shards = problem(sources(), pool, retries=20, timeout=0.5)
        same_bytes(p.solve(**TIGHT), reference[0])
        assert shards.losses > 0


@pytest.mark.skipif(sys.platform != "linux", reason="kills by number")
def test_a_killed_process_is_an_error_and_no_hang():
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        pid = pool.submit(os.getpid).result()
        p, _, _ = problem([*sources(), functools.partial(kill, pid)], pool)
        with pytest.raises(RuntimeError, match="part . was lost"):
            p.solve(**TIGHT)


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def test_dask(reference):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        p, _, _ = problem(sources(), client)
        same_bytes(p.solve(**TIGHT), reference[0])
        array = pytest.importorskip("dask.array")
        table = array.from_array(np.concatenate([np.c_[rows(0, k)] for k in range(PARTS)]), chunks=(M, 3))
        for workers in (client, None):
            p, _, _ = problem(table, workers)
            same_bytes(p.solve(**TIGHT), reference[0])


def test_ray(reference):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        p, _, _ = problem(sources(), ray)
        same_bytes(p.solve(**TIGHT), reference[0])
    finally:
        ray.shutdown()


MPI_SCRIPT = """
import hashlib, sys
from mpi4py import MPI
from test_shards import PARTS, TIGHT, problem, sources

comm = MPI.COMM_WORLD
own = [part for k, part in enumerate(sources()) if k * comm.size // PARTS == comm.rank]
p, c, shards = problem(own, comm)
r = p.solve(**TIGHT)
sums = r.x.tobytes() + r.duals[c].rows.tobytes() + r.duals[c].values.tobytes()
shards.close()
texts = comm.gather(f"{r.status} {r.holders} {r.m} {r.rounds} {r.lower_bound!r} {hashlib.sha256(sums).hexdigest()}")
if comm.rank == 1:
    own = ["nowhere.npz"]
failure = ""
try:
    problem(own, comm)[0].solve()
except Exception as error:
    failure = str(error)
failures = comm.gather(failure)
if comm.rank == 0:
    print(*texts, *failures, sep="\\n")
"""


def test_communicator_of_mpi4py(reference):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    r, c = reference
    sums = r.x.tobytes() + r.duals[c].rows.tobytes() + r.duals[c].values.tobytes()
    expected = f"optimal {PARTS} {r.m} {r.rounds} {r.lower_bound!r} {hashlib.sha256(sums).hexdigest()}"
    allowed = dict.fromkeys(
        ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"), "1"
    )
    here = os.path.dirname(os.path.abspath(__file__))
    words = ["mpirun", "-n", "3", sys.executable, "-c", MPI_SCRIPT]
    environment = os.environ | allowed
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=here, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == [expected] * 3
    assert len(lines) == 6 and all("process 1: " in line and "nowhere.npz" in line for line in lines[3:])


def test_refusals():
    p, _, _ = problem(sources(), None)
    with pytest.raises(pl.InputError, match="save: rows in shards stay"):
        p.save("nowhere.h5")
    with pytest.raises(pl.InputError, match="check: rows in shards stay"):
        p.check(np.zeros(N))
    with pytest.raises(pl.InputError, match="rows in shards already"):
        p.subject_to(pl.linear_le(pl.Shards(None, sources())))
    with pytest.raises(TypeError, match="h: shards have right-hand sides"):
        pl.linear_le(pl.Shards(None, sources()), [1.0])
    with pytest.raises(TypeError, match="Shards: expected None, an executor"):
        pl.Shards("cluster", sources())
    with pytest.raises(pl.InputError, match="at least one part"):
        pl.Shards(None, [])
    for part, words in (
        ((np.ones((3, N)), np.ones(2)), "h: expected"),
        ((np.full((3, N), np.nan), np.ones(3)), "NaN|finite"),
        ((np.ones((3, N + 1)), np.ones(3)), "7 columns, but the problem has 6"),
        ("rows.txt", "expected .npz"),
        (7, "expected a pair"),
    ):
        with pytest.raises(pl.InputError, match=words):
            problem([part], None)[0].solve()
    p, _, _ = problem(sources(), None)
    p.subject_to(pl.linear_le(np.ones((1, N)), [1.0]))
    with pytest.raises(pl.InputError, match="inequalities of its own"):
        p.solve()
    with pytest.raises(pl.InputError, match="vjp: rows in shards"):
        problem(sources(), None)[0].solve().vjp(np.ones(N))
