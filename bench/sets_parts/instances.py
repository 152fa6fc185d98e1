"""The public instances of the data folder and what its index says about them."""

import csv
import dataclasses
import pathlib
import subprocess
import sys

import support

# Sets of the index: their instances that must be solved (None: all) and the most Newton steps one may take.
MUSTS = {"maros": (None, 60), "netlib": (None, None), "orlib": (None, None), "cblib": (14, None), "sdplib": (17, None)}


@dataclasses.dataclass
class Instance:
    set: str
    name: str
    file: pathlib.Path
    status: str        # optimal, infeasible or unbounded
    reference: float   # None where there is no optimum
    allowed: float     # |objective - reference| <= allowed (1 + |reference|)


def allowed_error(digits):
    """A reference of few digits cannot judge more than those."""
    return max(1e-6, 10.0 ** (1 - int(digits)))


def make(row, name, file):
    optimal = row["status"] == "optimal"
    return Instance(row["set"], name, file, row["status"], float(row["reference_objective"]) if optimal else None,
                    allowed_error(row["digits"]) if optimal else None)


def portfolios(data, folder, rows):
    """bench/portfolio writes one file per line of the index, in its order."""
    script = support.ROOT / "bench" / "portfolio"
    done = subprocess.run([sys.executable, str(script), str(folder), f"data={data}"], capture_output=True, text=True)
    if done.returncode != 0:
        support.fail(f"bench/portfolio: {done.stderr.strip()}")
    files = [pathlib.Path(line.split()[0]) for line in done.stdout.splitlines()]
    if len(files) != len(rows):
        support.fail(f"bench/portfolio wrote {len(files)} files, the index has {len(rows)}")
    return [make(row, file.name.split(".")[0], file) for row, file in zip(rows, files)]


def read(data, sets, folder):
    """The instances of the sets, in the order of the index."""
    with open(data / "index.csv", newline="", encoding="utf-8") as text:
        rows = [row for row in csv.DictReader(text) if row["set"] in sets]
    out = []
    for name in sets:
        chosen = [row for row in rows if row["set"] == name]
        if name == "orlib":
            out += portfolios(data, folder, chosen)
        else:
            out += [make(row, pathlib.Path(row["file"]).name.split(".")[0], data / row["file"]) for row in chosen]
    return out
