#!/usr/bin/env python3
"""Disks that are full, writes that come short, signals while writing: outputs_test.py COMMAND FAILING_CALLS.so

Every output of the command, at every call that changes a file (failing_calls.c): one line that names the file, the exit
code of an error, the old file as it was and nothing beside it. Writes that take half, or are interrupted, lose nothing.
"""

import errno
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMMAND, SHIM = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
OLD = b"what was there before"
SOLVE = ["solve", "p.h5", "--quiet", "--timeless", "--threads", "1"]
#: Name of the file, and the command that writes it.
OUTPUTS = {
    "x.h5": [*SOLVE, "--solution", "x.h5"],
    "x.csv": [*SOLVE, "--solution", "x.csv"],
    "x.csv.gz": [*SOLVE, "--solution", "x.csv.gz"],
    "x.json": [*SOLVE, "--solution", "x.json"],
    "x.sol": [*SOLVE, "--solution", "x.sol"],
    "figures.json": [*SOLVE, "--json", "figures.json", "--json-x"],
    "trace.csv": [*SOLVE, "--trace", "trace.csv"],
    "page.html": [*SOLVE, "--report", "page.html"],
    "checked.json": ["check", "p.h5", "known.h5", "--json", "checked.json"],
    "made.h5": ["generate", "dense_qp", "made.h5", "n=5", "m=40"],
    "to.mps": ["convert", "p.h5", "to.mps"],
    "to.mps.gz": ["convert", "p.h5", "to.mps.gz"],
    "to.lp": ["convert", "p.h5", "to.lp"],
    "to.h5": ["convert", "p.h5", "to.h5"],
    "stub.sol": ["stub", "-AMPL"],
}
#: zlib does not begin again where a write is interrupted; the command's handlers interrupt none, and disks do not either.
BY_ZLIB = {"x.csv", "x.csv.gz", "x.json", "x.sol", "to.mps", "to.mps.gz", "to.lp", "stub.sol"}
NUMBERS = re.compile(rb"[0-9.e+-]+")  # times among them
STUB = "g3 1 1 0\n 2 1 1 0 0\n 0 0\n 0 0\n 0 0 0\n 0 0 0 1\n 0 0 0 0 0\n 2 2\n 0 0\n 0 0 0 0 0\nC0\nn0\nO0 0\nn0\n" \
       "r\n2 1\nb\n3\n3\nk1\n1\nJ0 2\n0 1\n1 1\nG0 2\n0 1\n1 1\n"


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_command(["generate", "dense_qp", "p.h5", "n=5", "m=40", "seed=1"], expect=0)
        self.run_command([*SOLVE, "--solution", "known.h5"], expect=0)
        (self.folder / "stub.nl").write_text(STUB)

    def run_command(self, arguments, fault=None, expect=None, **more):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        if fault:
            # The sanitizers want to be first; what they found is said at the end, all the same.
            options = os.environ.get("ASAN_OPTIONS", "")
            environment |= {"LD_PRELOAD": str(SHIM), "PLIANT_FAULT": fault,
                            "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0"}
        done = subprocess.run([COMMAND, *arguments], cwd=self.folder, env=environment, capture_output=True, timeout=120,
                              **more)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def listing(self):
        return sorted(p.name for p in self.folder.iterdir())

    def expect_refusal(self, done, name, words):
        self.assertEqual(done.returncode, 1, done.stderr)
        line = done.stderr.decode()
        self.assertTrue(line.startswith("pliant: ") and line.count("\n") == 1, line)
        self.assertIn(name, line)
        self.assertIn(words, line)
        self.assertEqual((self.folder / name).read_bytes(), OLD)

    def expect_all_refused(self, name, arguments, number):
        """Fails at the first call that changes a file, at the second, ... until there is none left."""
        target = self.folder / name
        for k in range(1, 100):
            target.write_bytes(OLD)
            before = self.listing()
            done = self.run_command(arguments, f"write {k} {number}")
            self.assertEqual(self.listing(), before)
            if done.returncode == 0:
                self.assertGreater(k, 1, "nothing was written")
                self.assertNotEqual(target.read_bytes(), OLD)
                return
            self.expect_refusal(done, name, os.strerror(number))
        self.fail("more calls than there should be")

    def test_no_space_left(self):
        for name, arguments in OUTPUTS.items():
            with self.subTest(name):
                self.expect_all_refused(name, arguments, errno.ENOSPC)

    def test_a_broken_disk(self):
        for name in ("x.h5", "x.csv", "figures.json", "made.h5"):
            with self.subTest(name):
                self.expect_all_refused(name, OUTPUTS[name], errno.EIO)

    def test_short_and_interrupted_writes_lose_nothing(self):
        for name, arguments in OUTPUTS.items():
            target = self.folder / name
            target.unlink(missing_ok=True)
            self.run_command(arguments, expect=0)
            whole = target.read_bytes()
            for fault in ("short 1 0", f"eintr 1 {errno.EINTR}"):
                if fault.startswith("eintr") and name in BY_ZLIB:
                    continue
                with self.subTest(name, fault=fault):
                    target.unlink()
                    self.run_command(arguments, fault, expect=0)
                    self.assertEqual(NUMBERS.sub(b"", target.read_bytes()), NUMBERS.sub(b"", whole))

    def test_signals_while_writing(self):
        for name in ("x.h5", "x.csv", "made.h5", "to.mps", "to.h5"):
            for number in (signal.SIGINT, signal.SIGTERM):
                for k in (1, 3, 5):
                    with self.subTest(name, signal=number, k=k):
                        target = self.folder / name
                        target.write_bytes(OLD)
                        before = self.listing()
                        done = self.run_command(OUTPUTS[name], f"signal {k} {number}")
                        self.assertIn(done.returncode, (0, 130, -number), done.stderr)
                        self.assertEqual(self.listing(), before)
                        whole = target.read_bytes()
                        target.unlink()
                        self.run_command(OUTPUTS[name], expect=0)
                        self.assertIn(whole, (OLD, target.read_bytes()))

    def next_checkpoint(self, solve, last):
        """What tells the next checkpoint of a running solve from the last one; None where the solve ended before."""
        while solve.poll() is None:
            try:
                now = (self.folder / "c.h5").stat()
            except FileNotFoundError:
                now = None
            if now and (now.st_ino, now.st_mtime_ns) != last:
                return now.st_ino, now.st_mtime_ns
            time.sleep(0.002)
        return None

    def test_signals_that_are_ignored_stay_so(self):
        self.run_command(["generate", "dense_lp", "lp.h5", "n=30", "m=3000"], expect=0)
        endless = [COMMAND, "solve", "lp.h5", "--quiet", "--method", "apg", "--tol-gap", "1e-300", "--tol-feas", "1e-300",
                   "--checkpoint", "c.h5", "--checkpoint-every", "0"]
        for number in (signal.SIGINT, signal.SIGTERM):
            for way in (signal.SIG_IGN, signal.SIG_DFL):
                with self.subTest(signal=number, way=way):
                    (self.folder / "c.h5").unlink(missing_ok=True)
                    before = signal.signal(number, way)  # which processes inherit
                    with subprocess.Popen(endless, cwd=self.folder) as solve:
                        signal.signal(number, before)
                        try:
                            last = self.next_checkpoint(solve, None)
                            solve.send_signal(number)
                            if way == signal.SIG_DFL:
                                self.assertNotEqual(solve.wait(timeout=120), 0)
                                continue
                            for _ in range(3):  # it goes on
                                last = self.next_checkpoint(solve, last)
                                self.assertIsNotNone(last)
                        finally:
                            solve.kill()

    def test_a_limit_of_the_size_of_files(self):
        self.run_command(["generate", "dense_qp", "large.h5", "n=20", "m=2000"], expect=0)
        limit = (16384, 16384)
        for name, arguments in {"copy.mps": ["convert", "large.h5", "copy.mps"],
                                "copy.h5": ["convert", "large.h5", "copy.h5"],
                                "made.h5": ["generate", "dense_qp", "made.h5", "n=20", "m=2000"]}.items():
            with self.subTest(name):
                (self.folder / name).write_bytes(OLD)
                before = self.listing()
                done = self.run_command(arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
                self.expect_refusal(done, name, os.strerror(errno.EFBIG))
                self.assertEqual(self.listing(), before)

    def test_a_full_device(self):
        for option in ("--json", "--trace", "--report"):
            done = self.run_command([*SOLVE, option, "/dev/full"], expect=1)
            self.assertEqual(done.stderr.decode(), f"pliant: /dev/full: writing failed ({os.strerror(errno.ENOSPC)})\n")

    def test_standard_output_is_full(self):
        for arguments in (["info", "p.h5"], ["solve", "p.h5"], [*SOLVE, "--json", "-"], ["check", "p.h5", "known.h5"],
                          ["generate", "--list"], ["bounds", "xi=2", "delta=1e-6", "m=1000"], ["help"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([COMMAND, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      timeout=120)
                self.assertEqual(done.returncode, 1)
                reason = os.strerror(errno.ENOSPC)
                self.assertEqual(done.stderr.decode(), f"pliant: standard output: writing failed ({reason})\n")

    def test_a_checkpoint_that_cannot_be_written_ends_nothing(self):
        for k in range(1, 9):
            (self.folder / "c.ckpt").write_bytes(OLD)
            before = self.listing()
            done = self.run_command([*SOLVE, "--checkpoint", "c.ckpt"], f"write {k} {errno.ENOSPC}")
            self.assertEqual(self.listing(), before)
            if done.returncode == 1:  # the first one: an unwritable place is reported before the work
                self.expect_refusal(done, "c.ckpt", os.strerror(errno.ENOSPC))
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            if done.stderr:
                self.assertIn(b"warning: checkpoint: c.ckpt: ", done.stderr)

    def test_the_folder_for_temporary_files(self):
        for place, words in (("nowhere", os.strerror(errno.ENOENT)), ("p.h5", os.strerror(errno.ENOTDIR))):
            with self.subTest(place), open(self.folder / "p.h5", "rb") as problem:
                done = subprocess.run([COMMAND, "solve", "-", "--quiet"], cwd=self.folder, stdin=problem,
                                      capture_output=True, timeout=120,
                                      env={**os.environ, "TMPDIR": str(self.folder / place)})
                self.assertEqual(done.returncode, 1)
                line = done.stderr.decode()
                self.assertTrue(line.startswith("pliant: standard input: cannot be kept in "), line)
                self.assertEqual(line.count("\n"), 1)
                self.assertIn(words, line)
        with open(self.folder / "p.h5", "rb") as problem:
            done = self.run_command(["solve", "-", "--quiet"], f"write 1 {errno.ENOSPC}", stdin=problem)
        self.assertEqual(done.returncode, 1)
        self.assertIn(os.strerror(errno.ENOSPC), done.stderr.decode())
        self.assertIn("TMPDIR", done.stderr.decode())


class FullDisk(unittest.TestCase):
    """A file system of 64 kB, where this process may mount one."""

    def test_a_small_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            script = (f"mount -t tmpfs -o size=64k none {folder} 2>/dev/null || exit 77; cd {folder}; echo old > made.h5; "
                      f"{COMMAND} generate dense_qp made.h5 n=20 m=2000; echo $?; cat made.h5; ls -A; "
                      f"{COMMAND} generate dense_qp p.h5 n=5 m=20; mount -o remount,ro {folder}; "
                      f"{COMMAND} solve p.h5 --quiet --solution x.h5; echo $?; ls -A")
            done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=120)
            if done.returncode == 77 or "unshare" in done.stderr:
                self.skipTest("no file system can be mounted here")
            self.assertEqual(done.stdout, "1\nold\nmade.h5\n1\nmade.h5\np.h5\n", done.stderr)
            full, read_only = done.stderr.splitlines()
            self.assertTrue(full.startswith("pliant: made.h5: "), full)
            self.assertEqual(read_only, f"pliant: x.h5: cannot be written ({os.strerror(errno.EROFS)})")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
