"""What the benchmark scripts share: running the command, cached instances, grades and tables."""

import importlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fail(line):
    """One line on stderr, status 1."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {line}", file=sys.stderr)
    sys.exit(1)


def require(module, hint=""):
    """Imports a package that is not in the standard library, or says in one line that it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        fail(f"needs the Python package {module}{hint} ({error})")


class Pliant:
    """The command under test."""

    def __init__(self, path=None):
        self.path = str(path or os.environ.get("PLIANT") or ROOT / "build/release/pliant")
        if not os.access(self.path, os.X_OK):
            fail(f"no command at {self.path}: run scripts/build release pliant_cli, or set PLIANT")
        self.version = self.call("--version")[1].strip()
        # The first word of every line that is not indented is a family; the indented line below has its parameters.
        self.families = set(re.findall(r"^(\w+)", self.call("generate", "--list")[1], re.MULTILINE))

    def call(self, *arguments, accept=(0,)):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in accept:
            fail(f"{' '.join(['pliant', *map(str, arguments)])}: exit {done.returncode}: {done.stderr.strip()}")
        return done.returncode, done.stdout

    def attempt(self, *arguments, timeout=None):
        """The finished process, whatever its exit status: for runs whose refusal is an outcome."""
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)

    def generate(self, folder, family, parameters):
        """The instance's file; made only once per folder, because version, family and parameters define its bytes."""
        words = [f"{key}={value:.0f}" if float(value).is_integer() else f"{key}={value}"
                 for key, value in sorted(parameters.items())]
        name = "_".join([family, *words, re.sub(r"[^\w.]+", "-", self.version)])
        file = pathlib.Path(folder) / f"{name}.h5"
        if not file.exists():
            self.call("generate", family, file, *words)
        return file

    def solve(self, file, *options):
        """The JSON result; limits and failures come back as their status."""
        text = self.call("solve", file, "--quiet", "--json", "-", *options, accept=(0, 2, 3, 4))[1]
        return json.loads(text)

    def check(self, file, solution, tol_feas, tol_gap):
        """Figures recomputed from the file and the solution alone; `satisfied` refers to the tolerances."""
        text = self.call("check", file, solution, "--json", "-", "--tol-feas", tol_feas, "--tol-gap", tol_gap,
                         accept=(0, 3))[1]
        return json.loads(text)


def grade(value, must, aim=None):
    """Verdict of one cell: 'aim', 'ok' or 'MISS'; an unknown number or NaN is a miss, no must at all is ''."""
    if must is None:
        return ""
    if value is None or not value <= must or math.isinf(value):
        return "MISS"
    return "aim" if aim is not None and value <= aim else "ok"


def print_table(header, rows):
    """Columns as wide as they need to be, numbers as given."""
    cells = [list(map(str, header)), *[list(map(str, row)) for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip(), flush=True)


def load_line():
    """Timings mean nothing on a busy machine; so every report begins with how busy it was."""
    one, five, _ = os.getloadavg()
    return f"load average {one:.2f} {five:.2f} on {os.cpu_count()} cores; times count only on an idle machine"
