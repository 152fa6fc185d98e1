#!/usr/bin/env python3
"""Memory that runs out at the k-th allocation of a solve from Python: python_memory_test.py FAILING_CALLS.so [--every]

Allocations of the library and of its extension fail, not those of Python. Either MemoryError (or an InputError that says
so), or a result that holds; afterwards the solve gives the bytes it gave before. A sample of the k by default. Run by a
Python that has the package.
"""

import ctypes
import os
import random
import signal
import sys

CASES = [
    ("dense_qp", {"n": 4, "m": 40}), ("sparse_qp", {"n": 12, "m": 20}), ("robust_lp", {"n": 3, "m": 6}),
    ("shor_boxqp", {"d": 3}), ("ridge", {"n": 3, "m": 10}), ("quantile", {"n": 3, "m": 60}),
    ("log_sum_exp", {"n": 3, "m": 20}), ("ellipsoid", {"d": 2, "m": 30}), ("infeasible", {"n": 3, "m": 20}),
]
SAMPLE = 25  # of each solve
LONGEST = 120  # seconds: a solve that hangs is ended by SIGALRM, and the process with it


def bytes_of(result):
    return result.status, result.x.tobytes(), *(part.tobytes() for part in result.duals)


def claims_hold(problem, result):
    """What a result claims, recomputed."""
    if result.status == "primal_infeasible":
        return problem.check(result)["infeasibility_proof"]["holds"]
    return result.status != "optimal" or problem.check(result)["satisfied"]


def try_it(shim, family, parameters, kind, k):
    """What is wrong about a solve whose k-th allocation fails, in words; empty if nothing is."""
    import pliant as pl

    result = problem = None
    signal.alarm(LONGEST)
    shim.pliant_fault(kind, k)
    try:
        problem = getattr(pl.generate, family)(**parameters)
        result = problem.solve(threads=2)
    except MemoryError:
        pass
    except pl.InputError as error:
        if "memory" not in str(error):
            return f"InputError: {error}"
    finally:
        shim.pliant_fault(b"", 0)
        signal.alarm(0)
    return "" if result is None or claims_hold(problem, result) else "a result that does not hold"


def main():
    import pliant as pl

    shim, every, rng = ctypes.CDLL(sys.argv[1]), "--every" in sys.argv, random.Random(0)
    shim.pliant_fault.argtypes, shim.pliant_fault.restype = [ctypes.c_char_p, ctypes.c_long], ctypes.c_long
    failures = []
    for family, parameters in CASES:
        def solve(family=family, parameters=parameters):
            return bytes_of(getattr(pl.generate, family)(**parameters).solve(threads=2))

        alone = solve()
        shim.pliant_fault(b"", 0)
        solve()
        count = shim.pliant_fault(b"", 0)
        if count == 0:
            sys.exit(f"{family}: no allocation was seen")
        chosen = range(1, count + 1) if every else sorted(rng.sample(range(1, count + 1), min(SAMPLE, count)))
        tried = bad = 0
        for k in chosen:
            for kind in (b"malloc", b"lasting") if every else (rng.choice((b"malloc", b"lasting")),):
                print(f"{family}: {kind.decode()} {k}", end="\r", file=sys.stderr)
                tried += 1
                if what := try_it(shim, family, parameters, kind, k):
                    bad += 1
                    failures.append(f"{family}: {kind.decode()} {k}: {what}")
        if solve() != alone:
            failures.append(f"{family}: other bytes afterwards")
        print(f"{family}: {len(chosen)} of {count} allocations, {tried} solves, {bad} wrong", flush=True)
    for line in failures:
        print(f"WRONG: {line}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if "PLIANT_FAULT_LOADED" not in os.environ:
        os.environ |= {"LD_PRELOAD": sys.argv[1], "PLIANT_FAULT_LOADED": "1"}
        os.execv(sys.executable, [sys.executable, *sys.argv])
    main()
