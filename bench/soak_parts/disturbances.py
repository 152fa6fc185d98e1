"""Solves that are killed, cut short or run on other threads; the exact judge."""

import json
import os
import re
import signal
import subprocess
import time

import pliant as pl

from soak_parts.judging import LIMITS, PROOFS, false_about, false_beside

SLOWEST = 30.0  # seconds given to one solve: a limit is an honest end
OVER, SHARE = 0.5, 0.01  # seconds beyond a limit of time, and of the limit
HONEST = ("optimal", "numerical_error", *LIMITS, *PROOFS)


def same_bytes_on_other_threads(case, result):
    """Results do not depend on the number of threads."""
    if {"time_limit"} & set(case.options) or result.status in LIMITS:
        return ""
    again = case.problem.solve(**case.options | {"threads": 1 if os.cpu_count() > 1 else 2})
    mine, other = ((r.status, r.x.tobytes(), r.objective, r.lower_bound, r.passes) for r in (result, again))
    return "" if mine == other else f"other bytes on other threads: {mine[0]} {mine[2:]} and {other[0]} {other[2:]}"


def cut_short(case, rng):
    """A limit of time, steps or passes in the middle: an honest answer, soon. Processor time counts, on one thread."""
    seconds = max(1e-3, case.seconds * rng.random())
    others = {"max_iterations": rng.randint(1, 20)}, {"max_passes": rng.uniform(0.1, 5)}
    limit = rng.choice(({"time_limit": seconds}, *others))
    begin = time.process_time()
    cut = case.problem.solve(**case.options | {"threads": 1} | limit)
    over = time.process_time() - begin - seconds
    if "time_limit" in limit and over > OVER + SHARE * seconds:
        return f"{limit}: {over:.2f} s of processor time beyond it"
    return f"{limit}: {wrong}" if (wrong := false_about(case, cut)) else ""


def resumed_here(case, rng, folder):
    """A checkpoint after a few steps, and a solve that goes on from it."""
    kept = folder / "steps.ckpt"
    kept.unlink(missing_ok=True)
    first = case.problem.solve(**case.options | {"max_iterations": rng.randint(1, 30)}, checkpoint=kept, checkpoint_every=0)
    if not kept.exists():
        return "" if first.status not in LIMITS else "no checkpoint after a limit"
    again = case.problem.solve(**case.options, resume=kept)
    wrong = false_about(case, again)
    if not wrong and first.lower_bound_rigorous and again.status == "optimal" and again.lower_bound < first.lower_bound:
        wrong = f"the bound fell from {first.lower_bound} to {again.lower_bound}"
    return f"resumed in this process: {wrong}" if wrong else ""


def kill_and_resume(case, result, rng, folder, command):
    """The same solve by the command, killed and resumed; what is false about it, or empty."""
    file, kept, answer = folder / "p.h5", folder / "kept.ckpt", folder / "answer.json"
    for old in (kept, answer):
        old.unlink(missing_ok=True)
    case.problem.save(file)
    words = [word for key, value in case.options.items() if key != "time_limit"
             for word in (f"--{key.replace('_', '-')}", str(value))]
    words += ["--quiet", "--time-limit", str(SLOWEST)]
    run = subprocess.Popen([command, "solve", file, "--checkpoint", kept, "--checkpoint-every", "0", *words],
                           stderr=subprocess.DEVNULL)
    time.sleep(rng.random() ** 2)
    run.send_signal(signal.SIGKILL)
    run.wait()
    resume = ["--resume", kept] if kept.exists() else []
    end = subprocess.run([command, "solve", file, "--json", answer, *resume, *words], capture_output=True, text=True)
    for stray in folder.glob(".pliant-*.tmp"):  # nobody can remove them after SIGKILL
        stray.unlink()
    if end.returncode == 1 or end.returncode < 0:
        return f"killed and resumed: exit {end.returncode}: {end.stderr.strip()}"
    ended = json.loads(answer.read_text())
    if ended["status"] not in HONEST:
        return f"killed and resumed: {ended['status']}"
    if {ended["status"], result.status} in ({"optimal", name} for name in PROOFS):
        return f"killed and resumed: {ended['status']} instead of {result.status}"
    if ended["status"] == result.status == "optimal" and not case.options:
        wrong = false_beside(ended["objective"], result, 1e-4)
        return f"killed and resumed: {wrong}" if wrong else ""
    return ""


def exact_judge(rng, judge):
    """Hundreds of small problems against exact arithmetic."""
    words = [str(judge), "ordinary=200", "hostile=100", f"seed={rng.randrange(10**6)}", "show=0"]
    done = subprocess.run(words, capture_output=True, text=True)
    found = re.search(r"problems with a false claim: (\d+)", done.stdout)
    if done.returncode == 0 and found and found[1] == "0":
        return ""
    return f"{' '.join(words)}: exit {done.returncode}, {found[1] if found else 'no'} false claims"


def disturb(number, case, result, rng, folder, command):
    """What one of the disturbances found, by the number of the problem; its name and what is false."""
    if number % 5 != 0:
        return "", ""
    kind = ("kills", "limits", "threads", "resumed")[number // 5 % 4]
    try:
        if kind == "threads":
            return kind, same_bytes_on_other_threads(case, result)
        if kind == "limits":
            return kind, cut_short(case, rng)
        if not case.file:
            return "", ""
        if kind == "kills":
            return kind, kill_and_resume(case, result, rng, folder, command)
        return kind, resumed_here(case, rng, folder)
    except pl.InputError as error:
        return kind, f"{kind}: {error}"
