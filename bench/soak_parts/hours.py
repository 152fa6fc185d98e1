"""Adds what a state has to the soaks before: bench/soak_parts/soaked.json, and the table in docs/robustness.md."""

import json
import pathlib
import re
import sys

from support import ROOT

FILE, PAGE = pathlib.Path(__file__).with_name("soaked.json"), ROOT / "docs/robustness.md"
BEGIN, END = "<!-- soaked -->\n", "<!-- end of soaked -->"
KEPT = ("begun", "version", "seed", "seconds", "cpu_seconds", "problems", "statuses", "kinds", "disturbed", "judged",
        "grown_mib", "peak_mib", "descriptors")


def spelt(number):
    return f"{number:,}".replace(",", " ")


def row(name, runs):
    def total(key):
        return sum(run[key] for run in runs)

    def hours(key):  # of a processor: not measured by the first ones
        return "-" if None in [run[key] for run in runs] else f"{total(key) / 3600:.2f}"

    def counted(key, *names):
        return spelt(sum(run[key].get(name, 0) for run in runs for name in names))

    limits = ("time_limit", "pass_limit", "iteration_limit")
    cells = [
        name, hours("seconds"), hours("cpu_seconds"), spelt(total("problems")), counted("statuses", "optimal"),
        counted("statuses", "primal_infeasible", "dual_infeasible"), counted("statuses", *limits),
        counted("statuses", "numerical_error"), counted("statuses", "refused"), counted("disturbed", "kills", "resumed"),
        counted("disturbed", "limits"), counted("disturbed", "threads"), spelt(total("false")),
        f"{max(run['grown_mib'] for run in runs):.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def table(runs):
    lines = ["| begun | hours | of a processor | problems | optimal | proofs | limits | failures | refused | "
             "killed, resumed | cut short | other threads | false | memory grew |", f"|{' --- |' * 14}"]
    lines += [row(f"{run['begun'][:10]}, seed {run['seed']}", [run]) for run in runs]
    return "\n".join([*lines, row("all", runs)])


def count(state):
    """A state that was counted before replaces what was counted of it."""
    data = json.loads(state.read_text())
    runs = json.loads(FILE.read_text()) if FILE.exists() else []
    run = {name: data[name] for name in KEPT} | {"false": len(data["false"]), "unsolved": len(data["unsolved"])}
    runs = [old for old in runs if (old["begun"], old["seed"]) != (run["begun"], run["seed"])] + [run]
    text, places = re.subn(f"({BEGIN}).*?({END})", lambda match: f"{match[1]}{table(runs)}\n{match[2]}", PAGE.read_text(),
                           flags=re.DOTALL)
    if places != 1:
        sys.exit(f"{PAGE}: no place for the table")
    FILE.write_text(json.dumps(runs, indent=1) + "\n")
    PAGE.write_text(text)
    print(f"{sum(run['seconds'] for run in runs) / 3600:.2f} hours in {len(runs)} soaks")
    return 0
