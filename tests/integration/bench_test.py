"""The benchmark scripts run, judge and report; tiny instances, no times. Usage: bench_test.py PLIANT REPOSITORY"""

import csv
import importlib.util
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLIANT, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "bench"))
import support  # noqa: E402


def run(script, *words, command=PLIANT, follow=""):
    return subprocess.run([sys.executable, str(ROOT / "bench" / script), *words], capture_output=True, text=True,
                          env=os.environ | {"PLIANT": command, "BENCH_FOLLOW": follow})


class Grades(unittest.TestCase):
    def test_order(self):
        self.assertEqual([support.grade(v, 4, 2) for v in (2, 2.1, 4, 4.1)], ["aim", "ok", "ok", "MISS"])

    def test_unknown_numbers_miss(self):
        self.assertEqual([support.grade(v, 4, 2) for v in (None, math.nan, math.inf, -math.inf)], ["MISS"] * 4)


class Path(unittest.TestCase):
    def test_tiny_instances_are_certified(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "solves.csv"
            done = run("path", "--tiny", "--repeat", "2", "--only", "n=10 ", "--seeds", "3,4", "--csv", str(out))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(out, newline="", encoding="utf-8") as text:
                solves = list(csv.DictReader(text))
        families = {solve["instance"].split()[0] for solve in solves}
        self.assertLessEqual({"dense_qp", "dense_lp", "qcqp", "log_sum_exp"}, families)
        for solve in solves:
            self.assertEqual(solve["status"], "optimal", solve)
            self.assertTrue(float(solve["violation_rel"]) <= 1e-8 and abs(float(solve["gap_rel"])) <= 1e-8, solve)
            self.assertIn(f"{float(solve['passes']):.2f}", done.stdout)
        # Passes do not depend on the repetition.
        self.assertEqual(len({(solve["instance"], solve["passes"]) for solve in solves}), len(solves) // 2)

    def test_an_uncertified_answer_is_a_miss(self):
        """A command whose answers stop after one step: exit status 1, and the table says so."""
        with tempfile.TemporaryDirectory() as folder:
            command = pathlib.Path(folder) / "stopped"
            command.write_text(f'#!/bin/sh\n[ "$1" = solve ] && set -- "$@" --max-iterations 1\nexec "{PLIANT}" "$@"\n')
            command.chmod(0o755)
            done = run("path", "--tiny", "--repeat", "1", "--only", "dense_qp n=10 ", command=str(command))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("MISS", done.stdout)

    def test_bad_use_is_one_line(self):
        for words, command in ((["--only", "nothing"], PLIANT), ([], "/nonexistent/pliant")):
            done = run("path", "--tiny", *words, command=command)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


class Portfolio(unittest.TestCase):
    """Two assets, by hand: S = [4 1; 1 2] x'Sx is least at x = (1/4, 3/4), value 7/4; mean'x >= 1.5 asks for x_1 >= 1/2."""

    def test_prepared_files_have_the_known_optimum(self):
        with tempfile.TemporaryDirectory() as name:
            data, out = pathlib.Path(name) / "data", pathlib.Path(name) / "out"
            (data / "orlib").mkdir(parents=True)
            correlation = 1 / math.sqrt(8)
            (data / "orlib" / "port9.txt").write_text(
                f" 2\n 2. 2\n 1 {math.sqrt(2)!r}\n 1 1 1.0\n 1 2 {correlation!r}\n 2 2 1.0\n", encoding="ascii")
            (data / "index.csv").write_text(
                "set,file,format,m,n,nnz,cones,reference_objective,status,source,digits\n"
                "orlib,orlib/port9.txt,orlib-port,1,2,3,problem=MINVAR,1.75,optimal,,9\n"
                "orlib,orlib/port9.txt,orlib-port,2,2,3,problem=MINVAR_TARGET target=1.5,2.0,optimal,,9\n",
                encoding="utf-8")
            for ending in ("qps", "qps.gz", "h5"):
                done = run("portfolio", str(out), f"ending={ending}", f"data={data}")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for line in done.stdout.splitlines():
                    file, reference = line.split()
                    result = support.Pliant(PLIANT).solve(file, "--tol-gap", "1e-8", "--tol-feas", "1e-8")
                    self.assertEqual(result["status"], "optimal")
                    self.assertAlmostEqual(result["objective"], float(reference), delta=1e-6)
                self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_bad_words_are_refused_in_one_line(self):
        done = run("portfolio", "somewhere", "ending=mat")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


PAPER_PACKAGES = ("numpy", "scipy", "h5py", "matplotlib")
FOLLOW = pathlib.Path(PLIANT).parent / "bin" / "bench_follow"


@unittest.skipUnless(all(importlib.util.find_spec(name) for name in PAPER_PACKAGES) and FOLLOW.exists(),
                     f"needs bench_follow and {', '.join(PAPER_PACKAGES)}")
class Paper(unittest.TestCase):
    def test_quick_run_writes_tables_and_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            done = run("paper", "--quick", "--only", "combinations", "--out", str(out), follow=str(FOLLOW))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(out / "combinations.csv", newline="", encoding="utf-8") as text:
                rows = list(csv.DictReader(text))
            for name in ("combinations.svg", "combinations.png", "tables.md", "combinations_points.csv"):
                self.assertGreater((out / name).stat().st_size, 100, name)
        self.assertEqual(len({row["instance"] for row in rows}), 9)
        # An error against a reference that is wrong in any digit shown could not become this small.
        for row in rows:
            if row["method"] == "lbfgs":
                self.assertLessEqual(float(row["error"]), 1e-10, row)
        self.assertTrue(any(row["refused"] for row in rows if row["method"] == "sdca"), "sdca takes linear rows only")

    def test_bad_use_is_one_line(self):
        for words, follow in ((["--only", "nothing"], FOLLOW), (["--seeds", "0"], FOLLOW), (["nodata"], FOLLOW),
                              ([], "/nonexistent/bench_follow")):
            done = run("paper", "--quick", *words, follow=str(follow))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
