#!/usr/bin/env python3
"""Memory that runs out at the k-th allocation of the command, libraries included: command_memory_test.py COMMAND
FAILING_CALLS.so [--every]

Either it works all the same, or one line says that memory is short and the exit code is that of an error: no crash, no hang,
no file half-written. A sample of the k by default.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

COMMAND, SHIM = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
EVERY = "--every" in sys.argv
SAMPLE = 12  # of each command
LONGEST = 120  # seconds
SOLVE = ["--threads", "2", "--quiet", "--solution", "x.h5"]
PROBLEMS = {
    "dense_qp": ["n=4", "m=40"], "sparse_qp": ["n=12", "m=20"], "robust_lp": ["n=3", "m=6"], "shor_boxqp": ["d=3"],
    "ridge": ["n=3", "m=10"], "quantile": ["n=3", "m=60"], "log_sum_exp": ["n=3", "m=20"], "ellipsoid": ["d=2", "m=30"],
}
OTHERS = {
    "convert to mps": ["convert", "dense_qp.h5", "out.mps"], "read mps": ["solve", "in.mps", *SOLVE],
    "generate": ["generate", "dense_qp", "out.h5", "n=4", "m=40"], "info": ["info", "dense_qp.h5"],
}


def run(folder, arguments, fault=""):
    environment = {**os.environ, "LD_PRELOAD": SHIM, "PLIANT_FAULT": fault, "PLIANT_FAULT_COUNT": f"{folder}/count"}
    return subprocess.run([COMMAND, *arguments], cwd=folder, env=environment, capture_output=True, timeout=LONGEST)


def wrong(folder, arguments, fault):
    """What is false about the end of a command, in words; empty if nothing is."""
    for output in ("x.h5", "out.mps", "out.h5"):
        pathlib.Path(folder, output).unlink(missing_ok=True)
    try:
        done = run(folder, arguments, fault)
    except subprocess.TimeoutExpired:
        return "hangs"
    said = done.stderr.decode(errors="replace")
    if any(name.startswith(".pliant-") for name in os.listdir(folder)):
        return "leaves a temporary file"
    if done.returncode in (0, 2, 4):
        return ""
    if done.returncode == 1 and said.count("\n") == 1 and "memory" in said.lower():
        return ""
    return f"exit {done.returncode}: {said!r}"


def main():
    rng, failures = random.Random(0), []
    with tempfile.TemporaryDirectory() as folder:
        for family, words in PROBLEMS.items():
            subprocess.run([COMMAND, "generate", family, f"{family}.h5", *words], cwd=folder, check=True)
        subprocess.run([COMMAND, "convert", "dense_qp.h5", "in.mps"], cwd=folder, check=True)
        commands = {family: ["solve", f"{family}.h5", *SOLVE] for family in PROBLEMS} | OTHERS
        for name, arguments in commands.items():
            done = run(folder, arguments)
            if done.returncode != 0:
                sys.exit(f"{name}: exit {done.returncode} without a fault: {done.stderr.decode()}")
            count = int(pathlib.Path(folder, "count").read_text().split()[1])
            if count == 0:
                sys.exit(f"{name}: no allocation was seen: is the command sanitized?")
            chosen = range(1, count + 1) if EVERY else sorted(rng.sample(range(1, count + 1), min(SAMPLE, count)))
            bad = [f"{name}: {kind} {k}: {what}" for k in chosen for kind in (("malloc", "lasting") if EVERY else
                   (rng.choice(("malloc", "lasting")),)) if (what := wrong(folder, arguments, f"{kind} {k} 0"))]
            failures += bad
            print(f"{name}: {len(chosen)} of {count} allocations, {len(bad)} wrong", flush=True)
    for line in failures:
        print(f"WRONG: {line}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
