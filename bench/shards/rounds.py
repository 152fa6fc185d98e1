"""What rounds cost: solves over shards whose every round waits for a latency and for its bytes at a bandwidth.

bench/shards/rounds.py [ROWS]: prints seconds against the model rounds x latency + bytes / bandwidth, fitted to nothing.
"""

import sys
import time

import numpy as np
import pliant as pl

N, PARTS = 20, 8
BANDWIDTH = 100e6  # bytes per second
LATENCIES = (0.0, 1e-4, 1e-3, 1e-2)
REPEATS = 3


def part(k, rows):
    G = np.random.default_rng(k).standard_normal((rows, N))
    return G, np.linalg.norm(G, axis=1)


def solve(shards, latency, bandwidth):
    """Seconds and the result, the shards already there."""
    p = pl.Problem(N).minimize(pl.linear(np.random.default_rng(1).standard_normal(N))).regularize(pl.box(-10.0, 10.0))
    plain = pl.Shards._exchange

    def slowly(requests):
        begin = time.perf_counter()
        answers = plain(shards, requests)
        spent = time.perf_counter() - begin
        moved = sum(map(len, requests)) + sum(map(len, answers))
        time.sleep(latency + (moved / bandwidth if bandwidth else 0.0))
        slowly.spent += spent
        return answers

    slowly.spent = 0.0
    shards._exchange = slowly
    p.subject_to(pl.linear_le(shards))
    begin = time.perf_counter()
    r = p.solve(tol_gap=1e-8)
    return time.perf_counter() - begin, r


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 400_000
    shards = pl.Shards(None, [part(k, rows // PARTS) for k in range(PARTS)])
    solve(shards, 0.0, 0.0)
    base = min(solve(shards, 0.0, 0.0)[0] for _ in range(REPEATS))
    print(f"{rows} rows, n = {N}, {PARTS} shards; {base:.3f} s without delays")
    print("latency      rounds     bytes   seconds     model     ratio")
    for latency in LATENCIES:
        seconds, r = min((solve(shards, latency, BANDWIDTH) for _ in range(REPEATS)), key=lambda pair: pair[0])
        moved = r.bytes_sent + r.bytes_received
        model = base + r.rounds * latency + moved / BANDWIDTH
        print(f"{latency:7.4f} s {r.rounds:9d} {moved:9.0f} {seconds:9.3f} {model:9.3f} {seconds / model:9.2f}")


if __name__ == "__main__":
    main()
