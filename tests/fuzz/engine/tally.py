#!/usr/bin/env python3
"""Adds a run of the fuzzers to those before: tally.py SUMMARY.json TALLY.json PAGE.md

SUMMARY.json is what run.sh left. TALLY.json has every run that was counted, by when it began, and sums by reader; the page
gets them as a table between the lines `<!-- fuzzed -->` and `<!-- end of fuzzed -->`.
"""

import json
import pathlib
import re
import sys

SUMS, WORST = ("seconds", "executions", "bad_endings"), ("slowest_unit_s", "peak_rss_mb")


def add(tally, summary):
    run = {name: summary[name] for name in ("begun", "seed", "seconds", "jobs", "executions")}
    if any(other["begun"] == run["begun"] and other["seed"] == run["seed"] for other in tally["runs"]):
        sys.exit(f"tally.py: the run that began at {run['begun']} has been counted")
    tally["runs"].append(run)
    for row in summary["targets"]:
        sums = tally["readers"].setdefault(row["target"], {}).setdefault(row["set"], dict.fromkeys((*SUMS, *WORST), 0))
        for name in SUMS:
            sums[name] += row[name]
        for name in WORST:
            sums[name] = max(sums[name], row[name])


def spelt(number):
    """12345678 as 12 345 678."""
    return f"{number:,}".replace(",", " ")


def row(reader, parts):
    """One line: `parts` are pairs of a set (fast, checked) and its sums."""
    total = {name: sum(sums[name] for _, sums in parts) for name in SUMS}
    slowest, memory = (max(sums[name] for _, sums in parts) for name in WORST)
    checked = sum(sums["executions"] for kind, sums in parts if kind == "checked")
    return (f"| {reader} | {total['seconds'] / 3600:.2f} | {spelt(total['executions'])} | {spelt(checked)} | "
            f"{total['bad_endings']} | < {slowest + 1} s | {memory} MB |")


def table(tally):
    lines = ["| reader | hours | executions | with sanitizers | bad ends | slowest input | most memory |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [row(reader, list(sets.items())) for reader, sets in tally["readers"].items()]
    return "\n".join([*lines, row("all", [part for sets in tally["readers"].values() for part in sets.items()])])


def main():
    summary, file, page = (pathlib.Path(p) for p in sys.argv[1:4])
    tally = json.loads(file.read_text()) if file.exists() else {"runs": [], "readers": {}}
    add(tally, json.loads(summary.read_text()))
    text, count = re.subn(r"(<!-- fuzzed -->\n).*?(<!-- end of fuzzed -->)",
                          lambda match: f"{match[1]}{table(tally)}\n{match[2]}", page.read_text(), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"tally.py: {page} has no place for the table")
    file.write_text(json.dumps(tally, indent=1) + "\n")
    page.write_text(text)
    print(f"{spelt(sum(run['executions'] for run in tally['runs']))} executions in {len(tally['runs'])} runs")


if __name__ == "__main__":
    main()
