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


class Soft(unittest.TestCase):
    def test_tiny_instances_are_certified(self):
        done = run("soft", "--tiny", "--repeat", "1", "--seeds", "3,4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for family in ("quantile", "hinge", "cvar"):
            self.assertGreaterEqual(done.stdout.count(f"\n{family} "), 2, done.stdout)
        self.assertNotIn("MISS", done.stdout)

    def test_memory_is_seen_from_outside(self):
        done = run("soft", "--tiny", "--growth", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("\nm="), 3, done.stdout)


class Relaxations(unittest.TestCase):
    def test_tiny_instances_are_certified(self):
        done = run("relaxations", "--tiny", "--repeat", "1", "--peers", "", "--seeds", "3,4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for family in ("perspective", "soc_rlt", "shor_boxqp", "opf"):
            self.assertGreaterEqual(done.stdout.count(f"\n{family} "), 2, done.stdout)
        self.assertNotIn("MISS", done.stdout)

    def test_an_uncertified_answer_is_a_miss(self):
        with tempfile.TemporaryDirectory() as folder:
            command = pathlib.Path(folder) / "stopped"
            command.write_text(f'#!/bin/sh\n[ "$1" = solve ] && set -- "$@" --max-iterations 1\nexec "{PLIANT}" "$@"\n')
            command.chmod(0o755)
            done = run("relaxations", "--tiny", "--repeat", "1", "--peers", "", "--only", "perspective",
                       command=str(command))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("MISS", done.stdout)

    def test_bad_use_is_one_line(self):
        for words in (["--only", "nothing"], ["--seeds", "x"], ["--peers", "gurobi"]):
            done = run("relaxations", "--tiny", *(words if "--peers" in words else ["--peers", "", *words]))
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("Traceback", done.stderr)


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


SETS_FILES = {  # min -x - 2y + 1, x + y <= 4, x - y between -2 and 2, y <= 3: x = 1, y = 3, value -6
    "good.mps": "NAME\nROWS\n N f\n L sum\n G diff\nCOLUMNS\n x f -1 sum 1\n x diff 1\n y f -2 sum 1\n y diff -1\n"
                "RHS\n r sum 4 f -1\n r diff -2\nRANGES\n r diff 4\nBOUNDS\n UP b y 3\nENDATA\n",
    "nothing.mps": "NAME\nROWS\n N f\n G sum\nCOLUMNS\n x f 1 sum 1\nRHS\n r sum 3\nBOUNDS\n UP b x 2\nENDATA\n",
    "endless.mps": "NAME\nROWS\n N f\n L diff\nCOLUMNS\n x f -1 diff 1\n y diff -1\nRHS\n r diff 1\nENDATA\n",
    "other.cbf": "VER\n1\n",
}
SETS_INDEX = ("set,file,format,m,n,nnz,cones,reference_objective,status,source,digits\n"
              "netlib,good.mps,mps,,,,,{reference},optimal,\"by hand, twice\",{digits}\n"
              "netlib,nothing.mps,mps,,,,,,infeasible,,\nnetlib,endless.mps,mps,,,,,,{endless},,\n"
              "cblib,other.cbf,cbf,,,,,1.0,optimal,,8\n")


class Sets(unittest.TestCase):
    def sets(self, *words, reference="-6", digits="9", endless="unbounded", command=PLIANT):
        """Exit status, table and lines of the CSV by instance and solver."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, text in SETS_FILES.items():
                (folder / file).write_text(text, encoding="ascii")
            (folder / "index.csv").write_text(
                SETS_INDEX.format(reference=reference, digits=digits, endless=endless), encoding="utf-8")
            done = run("sets", "--data", name, "--sets", "netlib", "--csv", str(folder / "out.csv"), *words, command=command)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            with open(folder / "out.csv", newline="", encoding="utf-8") as text:
                runs = {(row["instance"], row["solver"]): row for row in csv.DictReader(text)}
        return done.returncode, done.stdout, runs

    def test_optimal_infeasible_and_unbounded(self):
        code, table, runs = self.sets("--repeat", "2")
        self.assertEqual(code, 0, table)
        self.assertIn("3 of 3", table)
        self.assertEqual({key[0]: row["status"] for key, row in runs.items()},
                         {"good": "optimal", "nothing": "primal_infeasible", "endless": "dual_infeasible"})
        self.assertAlmostEqual(float(runs["good", "pliant"]["objective"]), -6, delta=1e-6)

    def test_a_wrong_value_or_status_is_a_miss(self):
        for words, wrong in (({"reference": "-6.0001"}, "good"), ({"endless": "infeasible"}, "endless")):
            code, table, runs = self.sets(**words)
            self.assertEqual(code, 1, table)
            self.assertIn("MISS", table)
            self.assertEqual([key[0] for key, row in runs.items() if row["solved"] != "True"], [wrong])

    def test_few_digits_of_a_reference_allow_more(self):
        self.assertEqual(self.sets(reference="-6.0001", digits="5")[0], 0)

    def test_an_unproved_status_is_a_miss(self):
        """A command whose solutions carry no multipliers and no ray: the status alone does not count."""
        with tempfile.TemporaryDirectory() as folder:
            command = pathlib.Path(folder) / "forgetful"
            command.write_text(f'#!/bin/sh\n[ "$1" != check ] && exec "{PLIANT}" "$@"\n'
                               f'"{PLIANT}" "$@" | sed \'s/"holds": true/"holds": false/\'\n')
            command.chmod(0o755)
            code, table, runs = self.sets(command=str(command))
        self.assertEqual(code, 1, table)
        self.assertEqual({key[0] for key, row in runs.items() if row["solved"] == "True"}, {"good"})

    def test_formats_that_are_refused_are_listed(self):
        code, table, runs = self.sets("--sets", "netlib,cblib")
        self.assertEqual((code, runs["other", "pliant"]["status"]), (1, "refused"), table)

    def test_without_data_it_says_so(self):
        done = run("sets", "--data", "/nonexistent")
        self.assertEqual(done.returncode, 0)
        self.assertIn("skipped", done.stdout)


@unittest.skipUnless(all(importlib.util.find_spec(name) for name in ("numpy", "scipy", "h5py")), "needs numpy, scipy, h5py")
class Program(unittest.TestCase):
    def test_figures_agree_with_check_at_any_point(self):
        """Right answers and wrong ones: the formulas in Python and those of the command say the same."""
        import numpy as np

        from sets_parts import instances, judge, program as programs
        pliant, rng, draws, compared = support.Pliant(PLIANT), np.random.default_rng(), 6, 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for seed in rng.integers(1, 2**31, draws):
                source, problem, solution = folder / "p.qps", folder / "p.h5", folder / "s.h5"
                source.write_text(random_qps(np.random.default_rng(seed)), encoding="ascii")
                pliant.call("convert", source, problem)
                program = programs.read_program(problem)
                pliant.solve(problem, "--solution", solution)
                answer = programs.read_answer(program, solution)
                for size in (0.0, 1e-6, 1.0):
                    answer.x = answer.x + size * rng.standard_normal(answer.x.size)
                    answer.duals = answer.duals + size * rng.standard_normal(answer.duals.size)
                    programs.write_answer(program, answer, solution)
                    figures, run_ = program.figures(answer), judge.Run("", "", "", "")
                    check = pliant.check(source, solution, 1e-6, 1e-6)
                    judge.figures_of_check(run_, check)
                    # A column that happens to be small has a unit of its own, in which check measures its gradient.
                    keys = ["objective", "violation_rel"] + ["dual_residual_rel"] * ("units" not in check)
                    compared += "units" not in check
                    for key in keys:
                        ours, theirs = getattr(figures, key), getattr(run_, key)
                        self.assertTrue(abs(ours - theirs) <= 1e-11 * (1 + abs(theirs)), (seed, size, key, ours, theirs))
                answer.x[rng.integers(answer.x.size)] = math.nan
                run_, instance = judge.Run("", "", "", "", seconds=0.0), instances.Instance("", "", "", "optimal", 0.0, 1e9)
                figures = program.figures(answer)
                self.assertTrue(math.isnan(figures.violation_rel) and math.isnan(figures.dual_residual_rel))
                self.assertTrue(math.isnan(programs.worse(0.0, math.nan)) and math.isnan(programs.worse(math.nan, 0.0)))
                run_.objective, run_.violation_rel, run_.dual_residual_rel = 0.0, figures.violation_rel, 0.0
                judge.judge_optimal(run_, instance, 1.0)
                self.assertFalse(run_.solved)
        self.assertGreaterEqual(compared, draws)  # of 3 draws; one draw in some hundreds has units

    def test_figures_of_cones_agree_with_check(self):
        import h5py
        import numpy as np

        from sets_parts import cones, judge, program as programs
        pliant, rng = support.Pliant(PLIANT), np.random.default_rng()
        kinds = [("nonneg", 2, 1), ("soc", 4, 2), ("psd", 6, 2), ("exp", 3, 2), ("pow", 3, 1), ("zero", 1, 1)]
        rows, n = sum(size * count for _, size, count in kinds), 5
        for seed in rng.integers(1, 2**31, 4):
            draw = np.random.default_rng(seed)
            with tempfile.TemporaryDirectory() as name:
                problem, solution = pathlib.Path(name) / "p.h5", pathlib.Path(name) / "s.h5"
                with h5py.File(problem, "w") as f:
                    f.attrs["format"], f.attrs["version"], f.attrs["n"] = "pliant-problem", np.int64(1), np.int64(n)
                    term = f.create_group("objective/0")
                    term.attrs["kind"], term["c"] = "linear", draw.standard_normal(n)
                    conic = f.create_group("conic/0")
                    conic["G"], conic["h"] = draw.standard_normal((rows, n)), draw.standard_normal(rows)
                    group = conic.create_group("cones")
                    group["kinds"] = np.array([kind for kind, _, _ in kinds], dtype=h5py.string_dtype())
                    group["rows"] = np.array([size for _, size, _ in kinds])
                    group["count"] = np.array([count for _, _, count in kinds])
                    group["alpha"] = np.full(len(kinds), draw.uniform(0.1, 0.9))
                program = programs.read_program(problem)
                x, z = draw.standard_normal(n), draw.standard_normal(rows)
                with h5py.File(solution, "w") as f:
                    f["x"] = x
                    f.create_group("duals")["0"] = z
                figures, run_ = program.figures(programs.read_answer(program, solution)), judge.Run("", "", "", "")
                judge.figures_of_check(run_, pliant.check(problem, solution, 1e-6, 1e-6))
                for key in ("objective", "violation_rel", "dual_residual_rel"):
                    ours, theirs = getattr(figures, key), getattr(run_, key)
                    self.assertTrue(abs(ours - theirs) <= 1e-9 * (1 + abs(theirs)), (seed, key, ours, theirs))
                # The upper triangle, column by column, of a matrix whose lower one is svec's.
                S = cones.matrix(draw.standard_normal(10))
                scale = np.where(np.eye(4, dtype=bool), 1.0, math.sqrt(2.0))
                upper = [S[i, j] * scale[i, j] for j in range(4) for i in range(j + 1)]
                self.assertTrue(np.allclose(cones.vector(S)[cones.upper_triangle(4)], upper))


def random_qps(rng):
    """Rows of every kind around a point with bounds of every kind; strictly convex."""
    n = int(rng.integers(3, 9))
    kinds, x = ["E", "L", "G", "R"], rng.standard_normal(n)
    rows = [(f"r{i}", kinds[i % 4], rng.standard_normal(n)) for i in range(int(rng.integers(2, 9)))]
    text = ["NAME", "ROWS", " N f", *[f" {'L' if kind == 'R' else kind} {row}" for row, kind, _ in rows], "COLUMNS"]
    for j in range(n):
        text += [f" x{j} f {rng.standard_normal()!s}", *[f" x{j} {row} {a[j]!s}" for row, _, a in rows]]
    side = {"E": 0.0, "L": 0.5, "G": -0.5, "R": 0.5}
    text += ["RHS", *[f" b {row} {float(a @ x) + side[kind]!s}" for row, kind, a in rows], "RANGES"]
    text += [f" b {row} 1.5" for row, kind, _ in rows if kind == "R"] + ["BOUNDS"]
    for j in range(n):
        text += [[f" FR b x{j}"], [f" MI b x{j}", f" UP b x{j} {x[j] + 0.1!s}"], [f" LO b x{j} {x[j] - 0.1!s}"],
                 [f" LO b x{j} {x[j] - 0.1!s}", f" UP b x{j} {x[j] + 1!s}"]][j % 4]
    text += ["QUADOBJ", *[f" x{j} x{j} {1 + rng.random()!s}" for j in range(n)], " x0 x1 0.5", "ENDATA", ""]
    return "\n".join(text)


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
