"""Other solvers on the same program: each in its best form, each solve in a process of its own.

Seconds are setup and solve inside the solver, with the data already in the types it takes.
"""

import dataclasses
import multiprocessing
import os
import resource
import shutil
import time

import support
from sets_parts import conic_peers
from sets_parts.judge import SHORT
from sets_parts.program import HINT, Answer, np, sparse

# Name of a peer: the package that provides it.
PACKAGES = {"highs": "highspy", "clarabel": "clarabel", "piqp": "piqp", "osqp": "osqp", "scs": "scs"}


@dataclasses.dataclass
class Outcome:
    """`answer` is None where there is none; `status` is pliant's word for the peer's status."""
    status: str
    words: str
    seconds: float = float("nan")
    iterations: int = 0
    answer: Answer = None
    peak_bytes: int = 0
    cpu_seconds: float = float("nan")  # of the process, all threads


def translated(words, names):
    """The first of `names` (substring: status) that occurs in the peer's own words."""
    return next((status for part, status in names.items() if part in words.lower()), "failed")


def solve_highs(p, tolerance, limits):
    """Rows with two sides, bounds apart: simplex with presolve for LP, the active-set method for QP."""
    highspy = support.require("highspy", HINT)
    rows = sparse.vstack([p.E, p.G], format="csc")
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = p.q.size, rows.shape[0]
    lp.col_cost_, lp.col_lower_, lp.col_upper_, lp.offset_ = p.q, p.lo, p.hi, p.constant
    lp.row_lower_, lp.row_upper_ = np.concatenate([p.e, p.lower]), np.concatenate([p.e, p.upper])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    model = highspy.HighsModel()
    model.lp_ = lp
    if p.P.nnz:
        lower = sparse.tril(p.P, format="csc")
        model.hessian_.dim_ = p.q.size
        model.hessian_.format_ = highspy.HessianFormat.kTriangular
        model.hessian_.start_, model.hessian_.index_, model.hessian_.value_ = lower.indptr, lower.indices, lower.data
    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", limits.threads), ("time_limit", float(limits.seconds)),
                        ("primal_feasibility_tolerance", tolerance), ("dual_feasibility_tolerance", tolerance)):
        solver.setOptionValue(name, value)
    begin = time.perf_counter()
    solver.passModel(model)
    solver.run()
    seconds = time.perf_counter() - begin
    words = solver.modelStatusToString(solver.getModelStatus())
    status = translated(words, {"infeasible or unbounded": "failed", "optimal": "optimal",
                                "infeasible": "primal_infeasible", "unbounded": "dual_infeasible"})
    info, solution = solver.getInfo(), solver.getSolution()
    steps = (max(0, info.simplex_iteration_count) + max(0, info.qp_iteration_count)
             + max(0, info.ipm_iteration_count))
    duals = -np.array(solution.row_dual)  # HiGHS: gradient = A' row_dual + reduced costs
    if duals.size != rows.shape[0] or len(solution.col_value) != p.q.size:
        return Outcome("failed" if status == "optimal" else status, words, seconds, steps)
    return Outcome(status, words, seconds, steps,
                   Answer(np.array(solution.col_value), duals[p.e.size:], duals[:p.e.size]))


def stacked(p):
    """E, finite upper rows, finite lower rows, finite bounds as one matrix A with Ax + s = b: also which rows are which."""
    upper, lower = np.flatnonzero(np.isfinite(p.upper)), np.flatnonzero(np.isfinite(p.lower))
    hi, lo = np.flatnonzero(np.isfinite(p.hi)), np.flatnonzero(np.isfinite(p.lo))
    identity = sparse.identity(p.q.size, format="csr")
    A = sparse.vstack([p.E, p.G[upper], -p.G[lower], identity[hi], -identity[lo]], format="csc")
    return A, np.concatenate([p.e, p.upper[upper], -p.lower[lower], p.hi[hi], -p.lo[lo]]), upper, lower


def solve_clarabel(p, tolerance, limits):
    """Zero, nonnegative and other cones; a row with two sides becomes two."""
    clarabel = support.require("clarabel", HINT)
    A, b, cones, place, upper, lower = conic_peers.clarabel_form(p, stacked)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit = False, float(limits.seconds)
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    if hasattr(settings, "max_threads"):
        settings.max_threads = limits.threads
    P = sparse.triu(p.P, format="csc")
    begin = time.perf_counter()
    found = clarabel.DefaultSolver(P, p.q, A, b, cones, settings).solve()
    seconds = time.perf_counter() - begin
    words = str(found.status)
    status = translated(words, {"almost": "failed", "solved": "optimal",
                                "primalinfeasible": "primal_infeasible", "dualinfeasible": "dual_infeasible"})
    return Outcome(status, words, seconds, int(found.iterations),
                   conic_peers.answer(p, found.x, np.array(found.z), place, upper, lower))


def solve_scs(p, tolerance, limits):
    return conic_peers.solve_scs(p, tolerance, limits, Outcome, translated, stacked)


def solve_csdp(p, tolerance, limits):
    return conic_peers.solve_csdp(p, tolerance, limits, Outcome)


def solve_sdpa(p, tolerance, limits):
    return conic_peers.solve_sdpa(p, tolerance, limits, Outcome)


def solve_piqp(p, tolerance, limits):
    """Two-sided rows and bounds as they are; the dense backend where a third of the entries is stored."""
    piqp = support.require("piqp", HINT)
    dense = p.density() > 1.0 / 3.0
    solver = piqp.DenseSolver() if dense else piqp.SparseSolver()
    settings = solver.settings
    settings.verbose, settings.check_duality_gap = False, True
    settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = tolerance
    take = (lambda M: np.asfortranarray(M.toarray())) if dense else (lambda M: M.tocsc())
    P, parts = take(p.P), {"x_l": p.lo, "x_u": p.hi}
    if p.e.size:
        parts |= {"A": take(p.E), "b": p.e}
    if p.lower.size:
        parts |= {"G": take(p.G), "h_l": p.lower, "h_u": p.upper}
    begin = time.perf_counter()
    solver.setup(P, p.q, **parts)
    words = solver.solve().name
    seconds = time.perf_counter() - begin
    status = translated(words, {"primal_infeasible": "primal_infeasible", "dual_infeasible": "dual_infeasible",
                                "unsolved": "failed", "solved": "optimal"})
    found = solver.result
    duals = np.array(found.z_u) - np.array(found.z_l) if p.lower.size else np.zeros(0)
    equality_duals = np.array(found.y) if p.e.size else np.zeros(0)
    words += " (dense)" * dense
    return Outcome(status, words, seconds, int(found.info.iter), Answer(np.array(found.x), duals, equality_duals))


def solve_osqp(p, tolerance, limits):
    """All rows and the bounds between two sides; polished, iterations limited by the time alone."""
    osqp = support.require("osqp", HINT)
    bounded = np.flatnonzero(np.isfinite(p.lo) | np.isfinite(p.hi))
    A = sparse.vstack([p.E, p.G, sparse.identity(p.q.size, format="csr")[bounded]], format="csc")
    low, high = np.concatenate([p.e, p.lower, p.lo[bounded]]), np.concatenate([p.e, p.upper, p.hi[bounded]])
    P = sparse.triu(p.P, format="csc")
    solver = osqp.OSQP()
    begin = time.perf_counter()
    solver.setup(P, p.q, A, low, high, eps_abs=tolerance, eps_rel=tolerance, max_iter=10**7, verbose=False,
                 time_limit=float(limits.seconds), polishing=True)
    found = solver.solve()
    seconds = time.perf_counter() - begin
    words = found.info.status
    status = translated(words, {"inaccurate": "failed", "unsolved": "failed", "solved": "optimal",
                                "primal infeasible": "primal_infeasible", "dual infeasible": "dual_infeasible"})
    y = np.array(found.y)
    split = p.e.size + p.lower.size
    return Outcome(status, words, seconds, int(found.info.iter), Answer(np.array(found.x), y[p.e.size:split], y[:p.e.size]))


SOLVERS = {"highs": solve_highs, "clarabel": solve_clarabel, "piqp": solve_piqp, "osqp": solve_osqp, "scs": solve_scs,
           "csdp": solve_csdp, "sdpa": solve_sdpa}
CONIC, COMMANDS = ("clarabel", "scs", "csdp", "sdpa"), ("csdp", "sdpa")


def takes(peer, p):
    """Whether a peer has a form for the program."""
    if peer in COMMANDS:
        return ".dat-s" in str(p.file)
    return not p.cones or peer in CONIC


@dataclasses.dataclass
class Limits:
    threads: int = 2
    seconds: float = 120.0
    memory_bytes: int = 16 * 2**30
    repeat: int = 1  # solves; the shortest counts, and one that is not short is not repeated


def use_threads(count):
    """For libraries that read the environment; before any of them is loaded."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(count)


def child(pipe, peer, p, tolerance, limits):
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        outcome = SOLVERS[peer](p, tolerance, limits)
        times = [outcome.seconds]
        while len(times) < limits.repeat and outcome.seconds < SHORT:
            times.append(SOLVERS[peer](p, tolerance, limits).seconds)
        outcome.seconds = min(times)
        used = resource.getrusage(resource.RUSAGE_SELF)
        outcome.peak_bytes, outcome.cpu_seconds = 1024 * used.ru_maxrss, used.ru_utime + used.ru_stime
    except MemoryError:
        outcome = Outcome("memory_limit", f"more than {limits.memory_bytes / 2**30:g} GB")
    except Exception as error:  # a peer's refusal is an outcome, whatever class it has
        outcome = Outcome("failed", f"{type(error).__name__}: {error}".splitlines()[0])
    pipe.send(outcome)
    pipe.close()


def solve(peer, p, tolerance, limits):
    """The outcome in a process of its own: running out of time or memory, or a crash, is an outcome, too."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=child, args=(theirs, peer, p, tolerance, limits), daemon=True)
    worker.start()
    theirs.close()
    outcome = Outcome("time_limit", f"no answer within {limits.seconds:g} s")
    # Grace for peers that look at the clock themselves; their answers are judged by the seconds they report.
    if ours.poll(1.25 * limits.seconds + 10.0):
        try:
            outcome = ours.recv()
        except EOFError:
            worker.join()
            outcome = Outcome("crashed", f"ended with exit code {worker.exitcode}"
                              + " (abort: the memory limit, for most)" * (worker.exitcode == -6))
    if worker.is_alive():
        worker.kill()
    worker.join()
    if outcome.seconds > limits.seconds:
        outcome.status, outcome.words = "time_limit", f"{outcome.words}, {outcome.seconds:.3g} s"
    return outcome


def load(names):
    """Packages of the peers, before the first fork: their import is not part of any time."""
    for name in names:
        if name in PACKAGES:
            support.require(PACKAGES[name], HINT)
        elif shutil.which(name) is None:
            support.fail(f"{name}: no such command (Debian packages coinor-csdp and sdpa)")

