"""Several processes: mpi_test.py COMMAND OF ONE PROCESS, COMMAND OF SEVERAL (scripts/test-mpi).

The same bytes however many processes share the rows, the answer of one memory, one clear message for what goes wrong, and
neither a hang nor a wrong answer when a process is killed at whatever moment.
"""

import contextlib
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ONE, SEVERAL = sys.argv[1:3] if len(sys.argv) > 2 else (None, None)
KILLS = 20
INTERRUPTS = 8
SECONDS = 120  # nothing here takes as long
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMP_NUM_THREADS": "1",
}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=ENVIRONMENT, check=False)


def mpirun(processes, *arguments):
    return ["mpirun", "-n", str(processes), SEVERAL, *map(str, arguments)]


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def generate(self, family, **parameters):
        file = self.place / f"{family}.h5"
        words = [f"{name}={value}" for name, value in parameters.items()]
        self.assertEqual(run([ONE, "generate", family, str(file), *words]).returncode, 0)
        return file

    def solve(self, processes, file, *more):
        out = self.place / f"{processes}.json"
        solution = self.place / f"{processes}.h5"
        done = run(mpirun(processes, "solve", file, "--json", out, "--json-x", "--solution", solution, "--timeless", *more))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(out.read_text()), solution.read_bytes(), done.stdout

    def test_the_same_bytes_for_any_number_of_processes(self):
        families = {
            "dense_qp": dict(n=10, m=20000),
            "dense_lp": dict(n=8, m=9000),
            "sparse_qp": dict(n=20, m=9000),
            "qcqp_lowrank": dict(n=6, m=6000),
            "ellipsoid": dict(d=3, m=20000),
            "robust_lp": dict(n=10, m=6000),
            "quantile": dict(n=10, m=20000),
            "hinge": dict(n=10, m=9000),
            "cvar": dict(n=10, m=9000),
        }
        for family, parameters in families.items():
            with self.subTest(family):
                file = self.generate(family, **parameters, seed=1)
                one = self.place / "one.json"
                self.assertEqual(run([ONE, "solve", str(file), "--json", str(one)]).returncode, 0)
                whole = json.loads(one.read_text())
                first = None
                for processes in (1, 2, 3, 8):
                    figures, solution, log = self.solve(processes, file)
                    self.assertEqual(figures["status"], "optimal")
                    self.assertEqual(figures["m"], whole["m"])
                    self.assertEqual(figures["processes"], processes)
                    self.assertLessEqual(figures["rounds"], 12)  # 8 or fewer where rows are many
                    self.assertGreater(figures["bytes_received"], 0)
                    self.assertIn(f"rounds       {figures['rounds']} over {processes} processes", log)
                    scale = 1 + abs(whole["objective"])
                    self.assertLessEqual(abs(figures["objective"] - whole["objective"]), 3e-6 * scale)
                    answer = (figures["x"], figures["objective"], figures["lower_bound"], figures["passes"], solution)
                    first = first or answer
                    self.assertEqual(answer, first, f"{family} on {processes} processes")
                checked = run([ONE, "check", str(file), str(self.place / "8.h5")])
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_processes_that_are_bound_to_cores(self):
        """The first process takes the cores of its neighbours while they wait: the bytes stay, whatever it may run on."""
        file = self.generate("quantile", n=10, m=20000, seed=3)
        answers = []
        for binding in ("none", "core"):
            out = self.place / f"{binding}.json"
            command = ["mpirun", "-n", "2", "--bind-to", binding, "--oversubscribe", SEVERAL, "solve", str(file)]
            done = run([*command, "--json", str(out), "--json-x", "--timeless"])
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads(out.read_text())
            answers.append([figures[key] for key in ("status", "x", "objective", "lower_bound", "passes")])
        self.assertEqual(answers[0], answers[1])

    def test_sums_of_losses(self):
        """Full gradients, a round each; beside inequalities where such a method is asked for."""
        for family, method in (("ridge", "lbfgs"), ("ridge", "apg"), ("logistic", "lbfgs")):
            with self.subTest(f"{family} {method}"):
                file = self.generate(family, n=6, m=5000, seed=2)
                one = self.place / "one.json"
                self.assertEqual(run([ONE, "solve", str(file), "--json", str(one)]).returncode, 0)
                objective = json.loads(one.read_text())["objective"]
                first = None
                for processes in (1, 2, 3, 8):
                    figures, solution, _ = self.solve(processes, file, "--method", method)
                    self.assertEqual((figures["status"], figures["m"]), ("optimal", 5000))
                    self.assertEqual(figures["lower_bound_kind"], "proved")
                    self.assertIn(method, figures["engine"])
                    self.assertLessEqual(abs(figures["objective"] - objective), 3e-6 * (1 + abs(objective)))
                    answer = (figures["x"], figures["objective"], figures["lower_bound"], figures["rounds"], solution)
                    first = first or answer
                    self.assertEqual(answer, first, f"{processes} processes")
                checked = run([ONE, "check", str(file), str(self.place / "8.h5")])
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def python(self, script):
        """Runs a script whose first argument is the folder, with the package where there is one."""
        python = os.environ.get("PLIANT_PYTHON")
        if not python:
            self.skipTest("PLIANT_PYTHON names no Python with pliant")
        made = run([python, "-c", script, str(self.place)])
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_losses_alone_and_in_files(self):
        self.python(
            "import sys, numpy as np, pliant as pl\n"
            "place = sys.argv[1]\n"
            "rng = np.random.default_rng(0)\n"
            "A = rng.standard_normal((9000, 5))\n"
            "b = A @ np.arange(5) + rng.standard_normal(9000)\n"
            "for kind, loss in (('huber', lambda *d: pl.huber(*d, 0.5)), ('square', pl.least_squares)):\n"
            "    p = pl.Problem(5).minimize(loss(A, b)).regularize(pl.l2_squared(0.1), pl.l1(0.01))\n"
            "    p.save(f'{place}/{kind}.h5')\n"
            "    for k, cut in enumerate((slice(0, 2048), slice(2048, 7168), slice(7168, 9000))):\n"
            "        pl.Problem(5).minimize(loss(A[cut], b[cut])).save(f'{place}/{kind}-part-{k}.h5')\n"
            "pl.Problem(5).regularize(pl.l2_squared(0.1), pl.l1(0.01)).save(place + '/rest.h5')\n"
        )
        for kind in ("huber", "square"):
            file = self.place / f"{kind}.h5"
            answers = [self.solve(p, file) for p in (1, 2, 3, 8)]
            cut = [self.solve(p, self.place / "rest.h5", "--shards", self.place / f"{kind}-part-*.h5") for p in (1, 2, 3)]
            for figures, _, _ in answers + cut:
                self.assertEqual((figures["status"], figures["x"]), ("optimal", answers[0][0]["x"]))
                self.assertEqual(figures["lower_bound"], answers[0][0]["lower_bound"])
            checked = run([ONE, "check", str(file), str(self.place / "8.h5")])
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        (self.place / "huber-part-9.h5").write_bytes((self.place / "square-part-0.h5").read_bytes())
        done = run(mpirun(2, "solve", self.place / "rest.h5", "--shards", self.place / "huber-part-*.h5"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("losses of one kind", done.stderr)

    def test_hard_rows_beside_soft_ones(self):
        self.python(
            "import sys, numpy as np, pliant as pl\n"
            "place = sys.argv[1]\n"
            "rng = np.random.default_rng(1)\n"
            "A = rng.standard_normal((9000, 5))\n"
            "b = A @ np.arange(5) + rng.standard_normal(9000)\n"
            "for name, rows in (('beside', 3), ('many', 101)):\n"
            "    p = pl.Problem(5)\n"
            "    p.subject_to(pl.linear_le(np.ones((rows, 5)) + np.eye(rows, 5), np.full(rows, 4.0)))\n"
            "    p.minimize(pl.quantile(A, b, 0.3)).regularize(pl.box(-2.0, 3.0))\n"
            "    p.subject_to(pl.linear_le(-np.eye(5)[:1], [-0.1]))\n"
            "    p.subject_to(pl.equal(np.eye(5)[1:2], [0.5]))\n"
            "    p.save(f'{place}/{name}.h5')\n"
            "    if name == 'beside':\n"
            "        p.subject_to(pl.linear_le(np.vstack([np.ones(5), -np.ones(5)]), [1.0, -1.5]))\n"
            "        p.save(place + '/apart.h5')\n"
        )
        file = self.place / "beside.h5"
        one = self.place / "one.json"
        self.assertEqual(run([ONE, "solve", str(file), "--json", str(one)]).returncode, 0)
        whole = json.loads(one.read_text())
        first = None
        for processes in (1, 2, 3, 8):
            figures, solution, _ = self.solve(processes, file)
            self.assertEqual((figures["status"], figures["m"]), ("optimal", whole["m"]))
            self.assertLessEqual(abs(figures["objective"] - whole["objective"]), 3e-6 * (1 + abs(whole["objective"])))
            answer = (figures["x"], figures["objective"], figures["lower_bound"], solution)
            first = first or answer
            self.assertEqual(answer, first)
        checked = run([ONE, "check", str(file), str(self.place / "8.h5")])
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        # What soft rows cost proves nothing: multipliers of hard rows alone do.
        out, solution = self.place / "apart.json", self.place / "apart-solution.h5"
        done = run(mpirun(3, "solve", self.place / "apart.h5", "--json", out, "--solution", solution))
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        proof = json.loads(out.read_text())
        self.assertEqual((proof["status"], proof["infeasibility"]["kind"]), ("primal_infeasible", "proved"))
        checked = run([ONE, "check", str(self.place / "apart.h5"), str(solution)])
        self.assertEqual(checked.returncode, 3, checked.stdout + checked.stderr)
        self.assertIn("no point satisfies the constraints", checked.stdout)
        done = run(mpirun(2, "solve", self.place / "many.h5"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "102 hard rows, but bands keep all of them at hand and take 100 at most")

    def test_files_of_rows(self):
        script = (
            "import sys, numpy as np, pliant as pl\n"
            "place = sys.argv[1]\n"
            "rng = np.random.default_rng(0)\n"
            "p = pl.Problem(5).minimize(pl.linear(rng.standard_normal(5))).regularize(pl.box(-10.0, 10.0))\n"
            "p.save(place + '/beside.h5')\n"
            "for k in range(5):\n"
            "    G = rng.standard_normal((2048, 5))\n"
            "    q = pl.Problem(5)\n"
            "    q.subject_to(pl.linear_le(G, np.linalg.norm(G, axis=1)))\n"
            "    q.save(f'{place}/part-{k}.h5')\n"
        )
        self.python(script)
        pattern = self.place / "part-*.h5"
        answers = [self.solve(p, self.place / "beside.h5", "--shards", pattern)[0]["x"] for p in (1, 2, 3, 8)]
        self.assertTrue(all(x == answers[0] for x in answers))

    def test_bad_input_is_one_line(self):
        for words, said in (
            ((self.place / "nowhere.h5",), "process 0: "),
            ((self.generate("dense_qp", n=5, m=3000, seed=1), "--method", "apg"), "solved by method path"),
            ((self.place / "dense_qp.h5", "--shards", "nothing-*.h5"), "no such files|inequalities of its own"),
        ):
            done = run(mpirun(3, "solve", *words))
            self.assertEqual(done.returncode, 1)
            lines = [line for line in done.stderr.splitlines() if line.startswith("pliant: ")]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertRegex(lines[0], said)

    def test_interrupts_end_with_the_latest_point(self):
        file = self.generate("dense_qp", n=40, m=300000, seed=4)
        begin = time.monotonic()
        whole = self.solve(3, file)[0]
        seconds = time.monotonic() - begin
        chance = random.Random(2)
        stopped = 0
        for trial in range(INTERRUPTS):
            out, solution = self.place / "interrupted.json", self.place / "interrupted.h5"
            for old in self.place.glob("interrupted.*"):
                old.unlink()
            job = subprocess.Popen(
                mpirun(3, "solve", file, "--solution", solution, "--json", out, "--json-x", "--quiet"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=ENVIRONMENT,
            )
            time.sleep(chance.uniform(0.5 * seconds, seconds))
            first = ranks_of(job.pid).get(0)
            if first:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(first, signal.SIGINT)
            _, said = job.communicate(timeout=SECONDS)
            self.assertNotIn("silent", said, f"trial {trial}")
            if not out.exists():  # it had not begun
                self.assertFalse(solution.exists())
                continue
            figures = json.loads(out.read_text())
            self.assertIn(figures["status"], ("interrupted", "optimal"))
            self.assertFalse((self.place / "interrupted.h5.latest").exists())
            if figures["status"] == "optimal":
                self.assertEqual(figures["x"], whole["x"])
                continue
            stopped += 1
            room = 1e-6 * (1 + abs(whole["objective"]))
            self.assertLessEqual(figures["lower_bound"] or -math.inf, whole["objective"] + room)
            verdict = self.place / "verdict.json"
            run([ONE, "check", str(file), str(solution), "--json", str(verdict)])
            checked = json.loads(verdict.read_text())
            for figure in ("objective", "violation"):
                self.assert_near(figures[figure], checked[figure])
        print(f"{stopped} of {INTERRUPTS} runs were interrupted on the way", file=sys.stderr)

    def assert_near(self, one, other):
        if isinstance(one, dict):
            for name in ("l1", "linf"):
                self.assert_near(one[name], other[name])
        else:
            self.assertLessEqual(abs(one - other), 1e-6 * (1 + abs(other)))

    def test_a_killed_process_ends_the_run(self):
        file = self.generate("dense_qp", n=30, m=200000, seed=3)
        _, bytes_expected, _ = self.solve(3, file)
        begin = time.monotonic()
        self.solve(3, file)
        whole = time.monotonic() - begin
        chance = random.Random(1)
        killed = kept = 0
        latest = self.place / "killed.h5.latest"
        for trial in range(KILLS):
            out = self.place / "killed.h5"
            out.unlink(missing_ok=True)
            latest.unlink(missing_ok=True)
            victim = chance.randrange(3)
            job = subprocess.Popen(
                mpirun(3, "solve", file, "--solution", out, "--quiet"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=ENVIRONMENT,
            )
            time.sleep(chance.uniform(0.0, whole))
            ranks = ranks_of(job.pid)
            if victim in ranks:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(ranks[victim], signal.SIGKILL)
            moment = time.monotonic()
            _, said = job.communicate(timeout=SECONDS)
            self.assertLess(time.monotonic() - moment, 30, f"trial {trial} hung")
            if job.returncode == 0:  # it was over before, or not yet begun
                self.assertEqual(out.read_bytes(), bytes_expected)
            else:
                killed += 1
                kept += latest.exists()
                self.assertRegex(said, rf"rank {victim}\b|process")
                if out.exists():
                    self.assertEqual(out.read_bytes(), bytes_expected)
        self.assertGreater(killed, KILLS // 4)
        print(f"{killed} of {KILLS} runs were killed, {kept} left their latest point", file=sys.stderr)


def ranks_of(parent):
    """Processes below mpirun, by their rank."""
    out = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) != parent:
                continue
            words = (entry / "environ").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        for word in words:
            if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                out[int(word.split(b"=")[1])] = int(entry.name)
    return out


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
