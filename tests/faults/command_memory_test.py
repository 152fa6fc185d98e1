#!/usr/bin/env python3
"""Memory that runs out at the k-th allocation of the command, libraries included: command_memory_test.py COMMAND
FAILING_CALLS.so [--every] [--only=TEXT]

Either it works all the same, or one line says that memory is short and the exit code is that of an error: no crash, no hang,
no file half-written. A sample of the k by default, each in a process begun anew; for every k, those are forked after their
libraries were loaded.
"""

import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

COMMAND, SHIM = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
EVERY = "--every" in sys.argv
ONLY = "".join(word.removeprefix("--only=") for word in sys.argv if word.startswith("--only="))
SAMPLE = 12  # of each command
LONGEST = 120  # seconds
SOLVE = ["--threads", "2", "--quiet", "--solution", "x.h5"]
PROBLEMS = {
    "dense_qp": ["n=4", "m=40"], "sparse_qp": ["n=12", "m=20"], "robust_lp": ["n=3", "m=6"], "shor_boxqp": ["d=3"],
    "ridge": ["n=3", "m=10"], "quantile": ["n=3", "m=60"], "log_sum_exp": ["n=3", "m=20"], "ellipsoid": ["d=2", "m=30"],
}
OTHERS = {
    "convert to mps": ["convert", "../dense_qp.h5", "out.mps"], "read mps": ["solve", "../in.mps", *SOLVE],
    "figures and page": ["solve", "../dense_qp.h5", "--threads", "2", "--quiet", "--json", "out.json",
                         "--report", "out.html"],
    "generate": ["generate", "dense_qp", "out.h5", "n=4", "m=40"], "info": ["info", "../dense_qp.h5"],
}
OUTPUTS = ("x.h5", "out.mps", "out.h5", "out.json", "out.html")


def environment(folder, fault):
    return {**os.environ, "LD_PRELOAD": SHIM, "PLIANT_FAULT": fault, "PLIANT_FAULT_COUNT": f"{folder}/count"}


def run_anew(folder, arguments, fault=""):
    """Exit code, or minus the signal that ended it; what it said."""
    try:
        done = subprocess.run([COMMAND, *arguments], cwd=folder, env=environment(folder, fault), capture_output=True,
                              timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return -signal.SIGALRM, ""
    return done.returncode, done.stderr.decode(errors="replace")


class Server:
    """The same from a process that has its libraries: failing_calls.c, "serve"."""

    def __init__(self, folder, arguments):
        self.said = pathlib.Path(folder, "said").open("a+b", buffering=0)  # noqa: SIM115 (closed at the end of the with)
        self.process = subprocess.Popen([COMMAND, *arguments], cwd=folder, env=environment(folder, f"serve {LONGEST} 0"),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.said.close()

    def __call__(self, folder, arguments, fault):
        self.said.truncate(0)
        print(fault, file=self.process.stdin, flush=True)
        code = os.waitstatus_to_exitcode(int(self.process.stdout.readline()))
        self.said.seek(0)
        return code, self.said.read().decode(errors="replace")


def wrong(run, folder, arguments, fault):
    """What is false about the end of a command, in words; empty if nothing is."""
    for output in OUTPUTS:
        pathlib.Path(folder, output).unlink(missing_ok=True)
    code, said = run(folder, arguments, fault)
    if stray := [name for name in os.listdir(folder) if name.startswith(".pliant-")]:
        for name in stray:
            pathlib.Path(folder, name).unlink()
        return f"leaves a temporary file, exit {code}: {said!r}"
    if code in (0, 2, 4):
        return ""
    if code == 1 and said.count("\n") == 1 and "memory" in said.lower():
        return ""
    return "hangs" if code == -signal.SIGALRM else f"exit {code}: {said!r}"


def try_command(name, arguments, folder):
    """What was wrong, in lines that were printed."""
    rng = random.Random(name)
    code, said = run_anew(folder, arguments)
    if code != 0:
        raise RuntimeError(f"{name}: exit {code} without a fault: {said}")
    count = int(pathlib.Path(folder, "count").read_text().split()[1])
    if count == 0:
        raise RuntimeError(f"{name}: no allocation was seen: is the command sanitized?")
    if EVERY:
        faults = [f"{kind} {k}" for k in range(1, count + 1) for kind in ("malloc", "lasting")]
        with Server(folder, arguments) as server:
            bad = [f"{name}: {fault}: {what}" for fault in faults if (what := wrong(server, folder, arguments, fault))]
    else:
        sample = sorted(rng.sample(range(1, count + 1), min(SAMPLE, count)))
        faults = [f"{rng.choice(('malloc', 'lasting'))} {k} 0" for k in sample]
        bad = [f"{name}: {fault}: {what}" for fault in faults if (what := wrong(run_anew, folder, arguments, fault))]
    print("\n".join([f"{name}: {count} allocations, {len(faults)} faults, {len(bad)} wrong", *bad]), flush=True)
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder:
        for family, words in PROBLEMS.items():
            subprocess.run([COMMAND, "generate", family, f"{family}.h5", *words], cwd=folder, check=True)
        subprocess.run([COMMAND, "convert", "dense_qp.h5", "in.mps"], cwd=folder, check=True)
        commands = {family: ["solve", f"../{family}.h5", *SOLVE] for family in PROBLEMS} | OTHERS
        commands = {name: words for name, words in commands.items() if ONLY in name}
        for name in commands:
            os.mkdir(f"{folder}/{name}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if EVERY else 1) as pool:
            folders = [f"{folder}/{name}" for name in commands]
            failures = list(pool.map(try_command, commands, commands.values(), folders))
    sys.exit(1 if any(failures) else 0)


if __name__ == "__main__":
    main()
