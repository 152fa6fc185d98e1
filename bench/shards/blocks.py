"""Rows from an iterator, never all in memory: bench/shards/blocks.py [ROWS [N]].

Prints walks through the blocks, rounds and the peak of memory.
"""

import pathlib
import re
import sys
import threading
import time

import numpy as np
import pliant as pl

BLOCK = 1 << 16


def anonymous_bytes():
    return 1024 * int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])


def main():
    m = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 20

    walks = []

    def make():
        walks.append(1)
        for begin in range(0, m, BLOCK):
            rng = np.random.Generator(np.random.SFC64(begin))
            G = rng.random((min(BLOCK, m - begin), n))
            G -= 0.5
            yield G, np.sqrt(np.einsum("ij,ij->i", G, G))

    peak, over = 0, False

    def watch():
        nonlocal peak
        while not over:
            peak = max(peak, anonymous_bytes())
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        c = np.random.default_rng(0).standard_normal(n)
        p = pl.Problem(n).minimize(pl.linear(c) + 0.5 * pl.quadratic(np.eye(n))).regularize(pl.box(-10.0, 10.0))
        p.subject_to(pl.linear_le(pl.Blocks(make)))
        r = p.solve()
    finally:
        over = True
        thread.join()
    print(f"m = {r.m}, n = {n}: {r.status}, gap {r.objective - r.lower_bound:.1e}")
    print(f"{len(walks)} walks, {r.rounds} rounds, {r.passes:.2f} passes")
    print(f"peak of anonymous memory: {peak / 1e6:.0f} MB; the rows have {m * (n + 1) * 8 / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
