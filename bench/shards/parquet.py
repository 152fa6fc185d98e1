"""A folder of Parquet larger than any worker's memory: the same bytes from Dask, Ray, concurrent.futures and one process.

bench/shards/parquet.py FOLDER [ROWS [N]] [--memory 1.2GB] [--with dask futures ray]: writes the folder where it is empty
(10^7 rows of 20 numbers: 1.7 GB), solves over it, and prints rounds, bytes and the largest worker.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import pathlib
import resource
import sys
import time

import numpy as np
import pliant as pl

FILES, WORKERS = 16, 4
CHUNK = 1024  # parts begin at multiples of it


def write(folder, rows, n):
    import pandas

    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        return
    borders = [min(rows, -(-rows // FILES // CHUNK) * CHUNK * k) for k in range(FILES + 1)]
    for k, (begin, end) in enumerate(itertools.pairwise(borders)):
        G = np.random.default_rng(k).standard_normal((end - begin, n))
        frame = pandas.DataFrame(G, columns=[f"g{j}" for j in range(n)]).assign(h=np.linalg.norm(G, axis=1))
        frame.to_parquet(folder / f"{k:03d}.parquet", compression=None)


def solve(workers, folder, n):
    p = pl.Problem(n).minimize(pl.linear(np.random.default_rng(99).standard_normal(n))).regularize(pl.box(-10.0, 10.0))
    shards = pl.Shards(workers, folder)
    c = p.subject_to(pl.linear_le(shards))
    begin = time.perf_counter()
    r = p.solve(tol_gap=1e-8)
    seconds = time.perf_counter() - begin
    duals = r.duals[c]
    answer = hashlib.sha256(r.x.tobytes() + duals.rows.tobytes() + duals.values.tobytes() + repr(r.lower_bound).encode())
    shards.close()
    return r, answer.hexdigest()[:16], seconds


def show(name, found, memory):
    r, answer, seconds = found
    print(
        f"{name:24s} {r.status} {r.m} rows, {r.rounds} rounds, {r.passes:.2f} passes, {r.bytes_sent / 1e6:.2f} MB out, "
        f"{r.bytes_received / 1e6:.2f} MB in, {seconds:.1f} s ({r.seconds_waited:.1f} waited), bytes {answer}; {memory}",
        flush=True,
    )
    return answer


def peak():
    """Of this process, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def over_dask(folder, n, limit):
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, memory_limit=limit, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        found = solve(client, folder, n)
        largest = max(client.run(peak).values())
        return show("Dask", found, f"largest of {WORKERS} workers {largest:.0f} MB, limit {limit} each")


def over_futures(folder, n, _):
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = solve(pool, folder, n)
        return show("concurrent.futures", found, f"a process {pool.submit(peak).result():.0f} MB")


def over_ray(folder, n, _):
    import ray

    ray.init(num_cpus=FILES, include_dashboard=False, log_to_driver=False, logging_level="critical")
    try:
        return show("Ray", solve(ray, folder, n), f"{FILES} actors")
    finally:
        ray.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("rows", nargs="?", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("n", nargs="?", type=int, default=20)
    parser.add_argument("--memory", default="1.2GB")
    parser.add_argument("--with", dest="kinds", nargs="+", default=["dask", "futures", "ray"])
    options = parser.parse_args()
    write(options.folder, options.rows, options.n)
    size = sum(file.stat().st_size for file in options.folder.iterdir())
    print(f"{options.folder}: {FILES} files, {size / 1e9:.2f} GB")
    kinds = {"dask": over_dask, "futures": over_futures, "ray": over_ray}
    answers = {kinds[kind](options.folder, options.n, options.memory) for kind in options.kinds}
    answers.add(show("one process, threads", solve(None, options.folder, options.n), f"{peak():.0f} MB"))
    print("identical bytes" if len(answers) == 1 else "DIFFERENT BYTES")
    return 0 if len(answers) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
