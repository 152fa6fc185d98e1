"""Logs of small solves, compared with those stored beside this file: golden_test.py PLIANT [--refresh].

Words must be the same, numbers close: other processors round differently and take a step more or less. Of the lines of
progress only the shape and, roughly, the count matter. After a wanted change of the log: --refresh, and read the diff.
"""

import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
# name: what is generated, how it is solved. Each engine once, small enough for the sanitized build.
CASES = {
    "path": ("dense_qp n=8 m=300 seed=1", "--verbose"),
    "sparse": ("sparse_qp n=30 m=40 seed=1", "--verbose"),
    "cones": ("small_lmi n=4 m=60 seed=1", "--verbose"),
    "first_order": ("ridge n=6 m=30 l=50 seed=1", "--method lbfgs --outer nested"),
    "infeasible": ("infeasible n=5 m=30 seed=1", ""),
}
NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf)(?![\w-])")
COUNTS = {"active", "screened", "effort"}  # labels of lines whose numbers count something
DIGITS = {"objective": 1e-5, "lower bound": 1e-5}  # relative; ten times the tolerances of the solve
USUAL_DIGITS = 0.05
NOISE = 1e-4  # gaps, violations and residuals below this are alike


def run(pliant, words, folder):
    done = subprocess.run([pliant, *words], cwd=folder, capture_output=True, text=True)
    if done.stderr or done.returncode not in (0, 3):
        raise AssertionError(f"pliant {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def log(pliant, case):
    """What solve and check print."""
    generated, options = CASES[case]
    family, *parameters = generated.split()
    with tempfile.TemporaryDirectory() as folder:
        run(pliant, ["generate", family, "problem.h5", *parameters], folder)
        solve = ["solve", "problem.h5", "--timeless", "--threads", "1", "--solution", "x.h5", *options.split()]
        text = run(pliant, solve, folder)
        check = ["check", "problem.h5", "x.h5"]
        text += f"\n$ pliant {' '.join(check)}\n" + run(pliant, check, folder)
    text = re.sub(r"^pliant \d\S*$", "pliant VERSION", text, flags=re.MULTILINE)
    return f"$ pliant generate {family} problem.h5 {' '.join(parameters)}\n$ pliant {' '.join(solve)}\n{text}"


def is_progress(line):
    return bool(re.match(r"\s+\d+\s+-?\d", line))


def label(line):
    return re.split(r"\s{2,}", line, maxsplit=1)[0]


def close(name, a, b, solved):
    """Whether two numbers of a line with that label say the same."""
    if name.startswith("$") or name == "problem":
        return a == b
    x, y = float(a), float(b)
    if math.isinf(x) or math.isinf(y) or x == y:
        return x == y
    if not solved:  # where a solve without a solution stops is chance
        return True
    if name in COUNTS:
        return abs(x - y) <= max(3.0, 0.25 * abs(x))
    return abs(x - y) <= DIGITS.get(name, USUAL_DIGITS) * max(abs(x), abs(y)) + (0.0 if name in DIGITS else NOISE)


def differences(expected, got):
    """Lines that say how two logs differ."""
    tables = [[line for line in text.splitlines() if is_progress(line)] for text in (expected, got)]
    if abs(len(tables[0]) - len(tables[1])) > max(3, len(tables[0]) // 4):
        yield f"lines of progress: expected {len(tables[0])}, got {len(tables[1])}"
    columns = {len(line.split()) for table in tables for line in table}
    if len(columns) > 1:
        yield f"columns of progress: {sorted(columns)}"
    texts = [[line for line in text.splitlines() if not is_progress(line)] for text in (expected, got)]
    solved = "status       optimal" in expected
    for a, b in zip(*texts, strict=False):
        words = [" ".join(NUMBER.sub("#", line).split()) for line in (a, b)]
        numbers = [NUMBER.findall(line) for line in (a, b)]
        if words[0] != words[1] or not all(close(label(a), x, y, solved) for x, y in zip(*numbers, strict=True)):
            yield f"expected: {a}\n     got: {b}"
    if len(texts[0]) != len(texts[1]):
        yield f"lines: expected {len(texts[0])}, got {len(texts[1])}"


class Golden(unittest.TestCase):
    def test_logs(self):
        for case in CASES:
            with self.subTest(case):
                stored = (HERE / f"{case}.log").read_text(encoding="utf-8")
                if found := list(differences(stored, log(PLIANT, case))):
                    self.fail("\n" + "\n".join(found))

    def test_every_stored_log_is_a_case(self):
        self.assertEqual({file.stem for file in HERE.glob("*.log")}, set(CASES))


class Comparison(unittest.TestCase):
    """The comparison sees what it should and no more."""

    TEXT = ("problem      5 variables\n\n   iter stage  delta\n     1     0   1.0e+00\n     2     0   1.0e-01\n\n"
            "status       optimal\nobjective    1.234567e+00\nviolation    1.0e-09 max\neffort       20 iterations\n")

    def expect(self, alike, *change):
        self.assertEqual(not list(differences(self.TEXT, self.TEXT.replace(*change))), alike, change)

    def test_alike(self):
        self.expect(True, "1.234567e+00", "1.234568e+00")
        self.expect(True, "1.0e-09", "0.0e+00")
        self.expect(True, "20 iterations", "22 iterations")
        self.expect(True, "     2     0   1.0e-01\n", "")
        self.expect(True, "1.0e-01", "3.0e-02")

    def test_not_alike(self):
        self.expect(False, "1.234567e+00", "1.234667e+00")
        self.expect(False, "1.234567e+00", "nan")
        self.expect(False, "1.234567e+00", "inf")
        self.expect(False, "1.0e-09", "1.0e-03")
        self.expect(False, "20 iterations", "40 iterations")
        self.expect(False, "iterations", "steps")
        self.expect(False, "5 variables", "6 variables")
        self.expect(False, "status       optimal\n", "")
        self.expect(False, "iter stage", "iter  step")
        self.expect(False, "     2     0   1.0e-01\n", "     2     0   1.0e-01   7\n")
        self.expect(False, "     2     0   1.0e-01\n", "     2     0   1.0e-01\n" * 9)


if __name__ == "__main__":
    PLIANT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if sys.argv[1:] == ["--refresh"]:
        for each in CASES:
            (HERE / f"{each}.log").write_text(log(PLIANT, each), encoding="utf-8")
    else:
        unittest.main()
