"""Interrupts, limits, callbacks, threads: an honest status or a clear exception, never a crash."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pliant as pl
import pytest


def send_soon(what, delay=0.4):
    timer = threading.Timer(delay, os.kill, (os.getpid(), what))
    timer.start()
    return timer


def assert_iterate(r, n):
    assert r.x.shape == (n,) and np.isfinite(r.x).all() and np.isfinite(r.objective)


def test_ctrl_c_returns_the_best_iterate(endless):
    problem, settings = endless
    begin = time.monotonic()
    timer = send_soon(signal.SIGINT)
    r = problem.solve(time_limit=60, **settings)
    timer.join()
    assert r.status == "interrupted" and time.monotonic() - begin < 30
    assert_iterate(r, problem.n)


def test_ctrl_c_in_a_callback_is_the_same(endless):
    problem, settings = endless

    def callback(info):
        if not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)

    sent = []
    r = problem.solve(time_limit=60, callback=callback, max_iterations=100000, **settings)
    assert sent and r.status == "interrupted"
    assert_iterate(r, problem.n)


def test_another_signal_handler_may_raise(endless):
    problem, settings = endless

    class Alarm(Exception):
        pass

    def handler(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        timer = send_soon(signal.SIGUSR1)
        with pytest.raises(Alarm):
            problem.solve(time_limit=60, **settings)
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_second_ctrl_c_raises():
    """While a constraint function sleeps, the first one cannot end the solve."""
    script = """
import os, signal, threading, time, numpy as np, pliant as pl
def value(x, rows):
    time.sleep(1.5)
    return [x @ x - 1]
p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
p.subject_to(pl.callback_le(1, value, lambda x, rows: [2 * x], lambda x, w, rows: 2 * w[0] * np.eye(2)))
for delay in (0.3, 0.7):
    threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    print(p.solve().status)
except KeyboardInterrupt:
    print("raised")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "raised\n", done.stderr


@pytest.mark.parametrize(
    "limit, status",
    [(dict(time_limit=0.2), "time_limit"), (dict(max_passes=30), "pass_limit"), (dict(max_iterations=7), "iteration_limit")],
)
def test_limits(endless, limit, status):
    problem, settings = endless
    r = problem.solve(**limit, **settings)
    assert r.status == status
    assert_iterate(r, problem.n)


def test_callback_stops_and_sees_progress(endless):
    problem, settings = endless
    seen = []
    r = problem.solve(callback=lambda info: seen.append(info) or len(seen) == 3, time_limit=60, **settings)
    assert r.status == "user_stopped" and len(seen) == 3
    assert_iterate(r, problem.n)
    for row, info in enumerate(seen):
        for name in info._fields:
            np.testing.assert_equal(r.trace[name][row], getattr(info, name))  # some are not a number


def test_exception_in_a_callback_is_raised(endless):
    problem, settings = endless
    calls = []

    def callback(info):
        calls.append(info)
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        problem.solve(callback=callback, time_limit=60, **settings)
    assert len(calls) == 1
    with pytest.raises(ValueError, match="ambiguous"):
        problem.solve(callback=lambda info: np.ones(2), time_limit=60, **settings)


def test_callbacks_run_on_the_calling_thread():
    seen = set()
    pl.generate.dense_qp(n=4, m=50).solve(callback=lambda info: seen.add(threading.get_ident()))
    assert seen == {threading.get_ident()}


def ball(value=lambda x, rows: [x @ x - 1], jacobian=lambda x, rows: [2 * x],
         hessian=lambda x, w, rows: 2 * w[0] * np.eye(2)):
    p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
    p.subject_to(pl.callback_le(1, value, jacobian, hessian))
    return p


def failing(*args):
    raise ZeroDivisionError("inside")


@pytest.mark.parametrize("which", ["value", "jacobian", "hessian"])
def test_exception_in_a_constraint_function_is_raised(which):
    with pytest.raises(ZeroDivisionError, match="inside"):
        ball(**{which: failing}).solve()


def test_exception_in_many_threads_is_raised(rng):
    m, n = 20000, 20
    G = rng.standard_normal((m, n))

    def value(x, rows):
        if rows is not None and 777 in rows:
            raise ZeroDivisionError("row 777")
        return G[slice(None) if rows is None else rows] @ x - 1

    p = pl.Problem(n).minimize(pl.quadratic(np.eye(n), np.ones(n)))
    p.subject_to(pl.callback_le(m, value, lambda x, rows: G[slice(None) if rows is None else rows]))
    with pytest.raises(ZeroDivisionError, match="row 777"):
        p.solve(threads=4)


@pytest.mark.parametrize(
    "which, returned, message",
    [
        ("value", lambda x, rows: x, r"callback_le: value: expected shape \(1,\), got \(2,\)"),
        ("value", lambda x, rows: [1j], "callback_le: value: expected real numbers"),
        ("value", lambda x, rows: None, "callback_le: value: expected real numbers"),
        ("jacobian", lambda x, rows: x, r"callback_le: jacobian: expected shape \(1, 2\), got \(2,\)"),
        ("hessian", lambda x, w, rows: x, r"callback_le: hessian: expected shape \(2, 2\), got \(2,\)"),
    ],
)
def test_wrong_returns_of_constraint_functions(which, returned, message):
    with pytest.raises((TypeError, pl.InputError), match=message):
        ball(**{which: returned}).solve()


def test_constraint_function_that_returns_nan_is_named():
    with pytest.raises(pl.InputError, match=r"callback_le: value of constraint 0 .* is nan"):
        ball(value=lambda x, rows: [np.nan]).solve()


@pytest.mark.parametrize("which", ["value", "jacobian", "hessian"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_constraint_functions_may_be_nonsense(which, bad):
    shape = {"value": (1,), "jacobian": (1, 2), "hessian": (2, 2)}[which]
    if which == "value" and np.isnan(bad):
        return
    r = ball(**{which: lambda *args: np.full(shape, bad)}).solve(time_limit=5, check_functions="off")
    assert r.x.shape == (2,) and not (r.status == "optimal" and which != "hessian")


def test_constraint_function_must_not_solve():
    inner = pl.generate.dense_qp(n=2, m=5)

    def value(x, rows):
        inner.solve()

    with pytest.raises(RuntimeError, match="must not use a solver itself"):
        ball(value=value).solve()


def test_a_progress_callback_may_solve():
    inner = pl.generate.dense_qp(n=3, m=20)
    statuses = []
    r = pl.generate.dense_qp(n=4, m=50).solve(callback=lambda info: statuses.append(inner.solve().status))
    assert r.status == "optimal" and set(statuses) == {"optimal"}


def test_solves_from_many_threads(rng):
    problems = [pl.generate.dense_qp(n=8, m=3000, seed=k) for k in range(4)]
    alone = [p.solve().x for p in problems]
    results = [None] * 4

    def work(k):
        results[k] = problems[k].solve(threads=1 + k % 2).x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for a, b in zip(alone, results):
        assert a.tobytes() == b.tobytes()


def test_a_problem_cannot_change_while_it_is_solved():
    p = pl.generate.dense_qp(n=4, m=50)
    refused = []

    def callback(info):
        with pytest.raises(RuntimeError, match="cannot change while it is being solved"):
            p.subject_to(pl.linear_le(np.ones((1, 4)), [1.0]))
        refused.append(info)

    assert p.solve(callback=callback).status == "optimal" and refused
    p.subject_to(pl.linear_le(np.ones((1, 4)), [1.0]))


def test_other_threads_run_during_a_solve(endless):
    problem, settings = endless
    ticks, end = [], threading.Event()

    def tick():
        while not end.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    problem.solve(time_limit=0.5, **settings)
    end.set()
    thread.join()
    assert len(ticks) > 5


def test_forked_children_solve(rng):
    """A team of OpenMP threads does not survive a fork; solves in the child must not wait for it."""
    p = pl.generate.dense_qp(n=20, m=20000, seed=4)
    x = p.solve(threads=2).x
    child = os.fork()
    if child == 0:
        os._exit(0 if p.solve(threads=2).x.tobytes() == x.tobytes() else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the forked child hangs")


def test_exit_with_living_problems():
    """Problems, functions and results that live until the interpreter ends."""
    script = """
import numpy as np, pliant as pl
p = pl.Problem(2).minimize(pl.linear([1.0, 1.0]))
p.subject_to(pl.callback_le(1, lambda x, rows: [x @ x - 1], lambda x, rows: [2 * x],
                            lambda x, w, rows: 2 * w[0] * np.eye(2)))
p.subject_to(pl.linear_le(np.ones((5, 2)), np.ones(5)))
s = pl.Solver(p)
r = s.solve()
print(r.status)
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "optimal\n"), done.stderr
    assert done.stderr == ""
