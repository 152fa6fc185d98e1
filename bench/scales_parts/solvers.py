"""The solvers that problems in mixed units are given to. Each returns (status, objective, seconds)."""

import json
import resource
import time

import numpy as np
import scipy.sparse as sparse

import support

SOLVED = "solved"


def clock(options):
    return time.process_time if options.cpu else time.perf_counter


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_matrix(group, name, M):
    if not sparse.issparse(M):
        group[name] = M
        return
    M = M.tocsr()
    M.sum_duplicates()
    out = group.create_group(name)
    out.attrs["shape"] = M.shape
    out["indptr"], out["indices"], out["data"] = M.indptr, M.indices, M.data


def write_container(problem, path):
    """The native container, docs/container.md."""
    h5py = support.require("h5py")
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"], f.attrs["n"] = "pliant-problem", 1, problem.n
        term = f.create_group("objective/0")
        if problem.P is None:
            term.attrs["kind"], term["c"] = "linear", problem.q
        else:
            term.attrs["kind"], term["q"] = "quadratic", problem.q
            write_matrix(term, "P", problem.P)
        if problem.lo is not None:
            prox = f.create_group("prox")
            prox.attrs["kind"], prox["lo"], prox["hi"] = "separable", problem.lo, problem.hi
        if problem.G is not None:
            batch = f.create_group("constraints/0")
            batch.attrs["family"], batch["upper"] = "linear", problem.h
            write_matrix(batch, "G", problem.G)
        if problem.quadratic is not None:
            batch = f.create_group("constraints/0")
            batch.attrs["family"] = "quadratic"
            batch["P"], batch["q"], batch["r"] = problem.quadratic
        if problem.E is not None:
            equalities = f.create_group("equalities")
            write_matrix(equalities, "E", problem.E)
            equalities["e"] = problem.e
        if problem.conic is not None:
            G, h, cones = problem.conic
            part = f.create_group("conic/0")
            write_matrix(part, "G", G)
            part["h"] = h
            runs = part.create_group("cones")
            runs["kinds"] = [kind for kind, _, _ in cones]
            runs["rows"], runs["count"] = [rows for _, rows, _ in cones], [count for _, _, count in cones]


def solve_pliant(pliant, problem, path, options):
    """Status and objective of the command; a run that outlives its own limit by far is `endless`."""
    write_container(problem, path)
    words = ["--tol-feas", options.tolerance, "--tol-gap", options.tolerance, "--time-limit", options.limit]
    if options.threads:
        words += ["--threads", options.threads]
    begin, cpu = time.perf_counter(), children_seconds()
    try:
        done = pliant.attempt("solve", path, "--quiet", "--json", "-", *words, timeout=4 * options.limit + 10)
    except support.subprocess.TimeoutExpired:
        return "endless", np.nan, time.perf_counter() - begin
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 2, 3, 4):
        return f"refused: {done.stderr.strip()[:120]}", np.nan, seconds
    result = json.loads(done.stdout)
    seconds = children_seconds() - cpu if options.cpu else result["time"]["setup"] + result["time"]["solve"]
    return SOLVED if result["status"] == "optimal" else result["status"], result["objective"], seconds


def standard_form(problem):
    """P, q, A, b with b - A x in zero, nonnegative, then the other cones: what conic solvers take."""
    n, parts, sides, zero, nonneg = problem.n, [], [], 0, 0
    if problem.E is not None:
        parts.append(sparse.csc_matrix(problem.E))
        sides.append(problem.e)
        zero = problem.E.shape[0]
    if problem.G is not None:
        parts.append(sparse.csc_matrix(problem.G))
        sides.append(problem.h)
        nonneg += problem.G.shape[0]
    if problem.lo is not None:
        for sign, bound in ((1.0, problem.hi), (-1.0, problem.lo)):
            finite = np.flatnonzero(np.isfinite(bound))
            parts.append(sign * sparse.identity(n, format="csr")[finite])
            sides.append(sign * bound[finite])
            nonneg += len(finite)
    cones = []
    if problem.quadratic is not None:  # 1/2|Bx|^2 + q'x + r <= 0 as |(sqrt2 Bx, 1 + q'x + r)| <= 1 - q'x - r
        for P, q, r in zip(*problem.quadratic):
            values, vectors = np.linalg.eigh(P)
            B = (vectors * np.sqrt(np.maximum(values, 0.0))).T
            parts.append(sparse.csc_matrix(np.vstack([q, -np.sqrt(2.0) * B, -q])))
            sides.append(np.concatenate([[1.0 - r], np.zeros(len(B)), [1.0 + r]]))
            cones.append(("soc", len(B) + 2, 1))
    if problem.conic is not None:
        parts.append(sparse.csc_matrix(problem.conic[0]))
        sides.append(problem.conic[1])
        cones += problem.conic[2]
    P = sparse.csc_matrix((n, n)) if problem.P is None else sparse.triu(sparse.csc_matrix(problem.P), format="csc")
    return P, problem.q, sparse.vstack(parts, format="csc"), np.concatenate(sides), zero, nonneg, cones


def solve_clarabel(problem, options):
    clarabel = support.require("clarabel")
    P, q, A, b, zero, nonneg, others = standard_form(problem)
    cones = [clarabel.ZeroConeT(zero)] * (zero > 0) + [clarabel.NonnegativeConeT(nonneg)] * (nonneg > 0)
    for kind, rows, count in others:
        if kind == "soc":
            cones += [clarabel.SecondOrderConeT(rows)] * count
        else:
            cones += [clarabel.PSDTriangleConeT(int((np.sqrt(8 * rows + 1) - 1) / 2))] * count
            order = [0, 1, 3, 2, 4, 5]  # rows of the upper triangle against its columns
            for first in range(A.shape[0] - rows * count, A.shape[0], rows):
                index = np.arange(A.shape[0])
                index[first:first + rows] = first + np.array(order)
                A, b = A[index], b[index]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit = False, options.limit
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = options.tolerance
    now = clock(options)
    begin = now()
    answer = clarabel.DefaultSolver(P, q, sparse.csc_matrix(A), b, cones, settings).solve()
    seconds = now() - begin
    return SOLVED if str(answer.status) == "Solved" else str(answer.status), answer.obj_val, seconds


def solve_highs(problem, options):
    """LPs and convex QPs; None for what it does not take."""
    if problem.quadratic is not None or problem.conic is not None:
        return None
    highspy = support.require("highspy")
    highs, model = highspy.Highs(), highspy.HighsLp()
    highs.silent()
    highs.setOptionValue("time_limit", float(options.limit))
    parts = [(problem.G, np.full(len(problem.h), -np.inf), problem.h)]
    if problem.E is not None:
        parts.append((problem.E, problem.e, problem.e))
    A = sparse.vstack([sparse.csr_matrix(M) for M, _, _ in parts], format="csc")
    n = problem.n
    model.num_col_, model.num_row_ = n, A.shape[0]
    model.col_cost_ = problem.q
    model.col_lower_ = np.full(n, -np.inf) if problem.lo is None else problem.lo
    model.col_upper_ = np.full(n, np.inf) if problem.hi is None else problem.hi
    model.row_lower_ = np.concatenate([lower for _, lower, _ in parts])
    model.row_upper_ = np.concatenate([upper for _, _, upper in parts])
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = A.indptr, A.indices, A.data
    now = clock(options)
    begin = now()
    highs.passModel(model)
    if problem.P is not None:
        lower = sparse.tril(sparse.csc_matrix(problem.P), format="csc")
        hessian = highspy.HighsHessian()
        hessian.dim_, hessian.format_ = n, highspy.HessianFormat.kTriangular
        hessian.start_, hessian.index_, hessian.value_ = lower.indptr, lower.indices, lower.data
        highs.passHessian(hessian)
    highs.run()
    seconds = now() - begin
    status = highs.getModelStatus()
    solved = status == highspy.HighsModelStatus.kOptimal
    return SOLVED if solved else str(status), highs.getInfo().objective_function_value, seconds
