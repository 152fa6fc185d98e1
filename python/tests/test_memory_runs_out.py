"""Memory that runs out in the middle of solves: a sample of the allocations, of which scripts/nightly takes every one."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIM = ROOT / "build/release/tests/faults/libfailing_calls.so"


@pytest.mark.skipif(not SHIM.exists(), reason="needs failing_calls (scripts/build release failing_calls)")
def test_at_a_sample_of_allocations():
    script = ROOT / "tests/faults/python_memory_test.py"
    done = subprocess.run([sys.executable, script, SHIM], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count(" 0 wrong") == 9
