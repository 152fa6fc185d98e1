"""Tables of bench/sets: one line per solve, sums per set, geometric means, CSV and Markdown."""

import csv
import dataclasses
import math
import statistics

import support
from sets_parts import judge
from sets_parts.instances import MUSTS

STEPS_AIM, TIME_AIM = 16, 3.0  # median of Newton steps on maros; geometric mean of times over that of the best solver
HEADER = ["set", "instance", "solver", "status", "solved", "objective", "error", "violation", "dual residual", "steps",
          "seconds", ""]


def short(value, form="{:.1e}"):
    return "-" if math.isnan(value) else form.format(value)


def line(run):
    return [run.set, run.instance, run.solver, run.status, "yes" if run.solved else "NO", short(run.objective, "{:.9g}"),
            short(run.objective_error), short(run.violation_rel), short(run.dual_residual_rel), run.steps,
            short(run.seconds, "{:.3g}"), run.words if not run.solved else ""]


def write_csv(file, runs):
    with open(file, "w", newline="", encoding="utf-8") as text:
        out = csv.writer(text)
        out.writerow(field.name for field in dataclasses.fields(judge.Run))
        out.writerows(dataclasses.astuple(run) for run in runs)


def geometric_mean(values):
    """Plain; a time too short for the clock counts as one microsecond."""
    return math.exp(statistics.fmean(math.log(max(value, 1e-6)) for value in values))


def set_verdict(name, runs, whole):
    """Grade of pliant's runs on one set: how many are solved and, where it matters, the most steps."""
    least, most_steps = MUSTS[name]
    least = len(runs) if least is None or not whole else least
    solved, steps = sum(run.solved for run in runs), [run.steps for run in runs if run.solved]
    missed = solved < least or (most_steps is not None and any(run.steps > most_steps for run in runs))
    if missed:
        return "MISS"
    if name == "maros" and steps and statistics.median(steps) > STEPS_AIM:
        return "ok"
    return "aim" if solved == len(runs) else "ok"


def print_sets(runs, whole):
    """Solved counts and Newton steps per set and solver; returns how many musts are missed."""
    rows, misses = [], 0
    for name in dict.fromkeys(run.set for run in runs):
        for solver in dict.fromkeys(run.solver for run in runs):
            chosen = [run for run in runs if run.set == name and run.solver == solver]
            steps = [run.steps for run in chosen if run.solved]
            verdict = set_verdict(name, chosen, whole) if solver == "pliant" else ""
            misses += verdict == "MISS"
            rows.append([name, solver, f"{sum(run.solved for run in chosen)} of {len(chosen)}",
                         f"{statistics.median(steps):g}" if steps else "-", max(steps, default="-"), verdict])
    print()
    support.print_table(["set", "solver", "solved", "median steps", "most steps", ""], rows)
    return misses


def means(runs, name):
    """Geometric mean of the time of every solver over the instances that all of them solve; and how many those are."""
    solvers = list(dict.fromkeys(run.solver for run in runs))
    times = {}
    for run in runs:
        if run.set == name and run.solved:
            times.setdefault(run.instance, {})[run.solver] = run.seconds
    shared = [by for by in times.values() if len(by) == len(solvers)]
    return len(shared), {s: geometric_mean([by[s] for by in shared]) for s in solvers} if shared else {}


def print_means(runs):
    """The ratio to the best solver is what the aim is about; losses stay in the table."""
    rows = []
    for name in dict.fromkeys(run.set for run in runs):
        count, mean = means(runs, name)
        for solver, value in mean.items():
            ratio = value / min(mean.values())
            verdict = ("aim" if ratio <= TIME_AIM else "above the aim") if solver == "pliant" else ""
            rows.append([name, count, solver, f"{value:.3g}", f"{ratio:.2f}", verdict])
    print("\ngeometric means of seconds over the instances that every solver solved")
    support.print_table(["set", "instances", "solver", "seconds", "ratio to best", f"aim {TIME_AIM:g}"], rows)


def print_pairs(runs):
    """pliant beside each other solver alone: geometric mean of the ratio of times over what both solved."""
    rows = []
    for name in dict.fromkeys(run.set for run in runs):
        for peer in dict.fromkeys(run.solver for run in runs if run.solver != "pliant"):
            count, mean = means([run for run in runs if run.solver in ("pliant", peer)], name)
            rows.append([name, peer, count, f"{mean['pliant'] / mean[peer]:.2f}" if mean else "-"])
    print("\ntime of pliant over that of each other solver, geometric means over the instances both solved")
    support.print_table(["set", "solver", "instances", "ratio"], rows)


def markdown(runs):
    """One line per instance: seconds of every solver, steps in brackets; what was not solved says so."""
    solvers = list(dict.fromkeys(run.solver for run in runs))
    lines = ["| instance | " + " | ".join(solvers) + " |", "|---" * (len(solvers) + 1) + "|"]
    by = {(run.instance, run.solver): run for run in runs}
    for name in dict.fromkeys(run.instance for run in runs):
        cells = [by[name, solver] for solver in solvers]
        lines.append(f"| {name} | " + " | ".join(
            f"{cell.seconds:.2g} ({cell.steps})" if cell.solved else f"**{cell.status}**" for cell in cells) + " |")
    return "\n".join(lines)
