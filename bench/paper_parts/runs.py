"""Followed runs (bench_follow): many at a time, nothing remembered between calls."""

import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import support


@dataclasses.dataclass
class Run:
    """One run of one configuration on one instance; `result` and `points` come from bench_follow."""
    instance: str
    label: str
    seed: int
    options: list
    problem: pathlib.Path = None
    reference: pathlib.Path = None
    result: dict = None
    points: list = None
    refused: str = None  # why the method does not take the problem

    def error_at(self, budget):
        """The error of the last point within the budget: what one holds in hand when it is spent."""
        within = [p["error"] for p in self.points or [] if p["evaluations"] <= budget]
        return within[-1] if within else None

    def evaluations_to(self, error):
        for p in self.points or []:
            if p["error"] <= error:
                return p["evaluations"]
        return None


class Farm:
    def __init__(self, folder, jobs):
        self.command = os.environ.get("BENCH_FOLLOW") or str(support.ROOT / "build/release/bin/bench_follow")
        if not os.access(self.command, os.X_OK):
            support.fail(f"no command at {self.command}: run scripts/build release bench_follow, or set BENCH_FOLLOW")
        self.folder, self.jobs = folder, jobs

    def map(self, function, items):
        """function(item) of all items, in their order, several at a time."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))

    def perform(self, run):
        out = self.folder / f"points-{id(run)}.csv"
        words = [self.command, run.problem, "--reference", run.reference, "--csv", out, "--seed", run.seed, *run.options]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if done.returncode == 1 and done.stderr.startswith("bench_follow:"):
            run.refused = done.stderr.strip().removeprefix("bench_follow: ")
        elif done.returncode != 0:
            support.fail(f"{run.instance}, {run.label}: exit {done.returncode}: {done.stderr.strip()}")
        else:
            run.result = json.loads(done.stdout)
            with open(out, newline="", encoding="utf-8") as text:
                run.points = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(text)]
        out.unlink(missing_ok=True)
        return run

    def perform_all(self, runs, what):
        """All runs, in their order; a line on standard error per run, so that a long wait is not a silent one."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self.perform, run) for run in runs]
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                run = future.result()
                state = f"refused: {run.refused}" if run.refused else f"error {run.result['error']:.1e}"
                print(f"  {what} {count}/{len(runs)}: {run.instance}, {run.label}: {state}", file=sys.stderr, flush=True)
        return runs


def write_csv(path, rows):
    """Rows are dictionaries with the same keys."""
    with open(path, "w", newline="", encoding="utf-8") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_points(path, runs):
    write_csv(path, [{"instance": r.instance, "label": r.label, "seed": r.seed, **p} for r in runs for p in r.points or []]
              or [{"instance": "", "label": "", "seed": ""}])


def write_summary(path, runs):
    rows = []
    for r in runs:
        result = r.result or {}
        rows.append({"instance": r.instance, "label": r.label, "seed": r.seed, "refused": r.refused or "",
                     **{k: result.get(k, "") for k in ("status", "evaluations", "error", "best_error")},
                     "hits": " ".join("-" if h is None else f"{h:.0f}" for h in result.get("hits", []))})
    write_csv(path, rows)
