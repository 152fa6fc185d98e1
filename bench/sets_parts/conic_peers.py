"""Other solvers on conic programs: Clarabel and SCS in process, CSDP and SDPA (SDPA files alone) as commands.

Seconds of commands are those of the whole process, which reads the file as well.
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import support
from sets_parts import cones as K
from sets_parts.program import HINT, Answer, np, sparse

KINDS = ("zero", "nonneg", "soc", "psd", "exp", "pow")  # the order SCS asks for


def ordered(p, stacked):
    """A, b and cones of Ax + s = b with kinds in order, and where every row of the program's cones went."""
    A, b, upper, lower = stacked(p)
    linear = [("zero", p.e.size, 0.5), ("nonneg", b.size - p.e.size, 0.5)]
    all_cones = [cone for cone in linear + p.cones if cone[1] > 0]
    rows = [np.arange(part.start, part.stop) for _, _, part in K.each(all_cones)]
    order = sorted(range(len(all_cones)), key=lambda k: KINDS.index(all_cones[k][0]))
    place = np.concatenate([rows[k] for k in order]) if order else np.zeros(0, int)
    A, b = sparse.vstack([A, p.C], format="csr")[place], np.concatenate([b, p.h])[place]
    return A, b, [all_cones[k] for k in order], place, upper, lower


def answer(p, x, y, place, upper, lower):
    z = np.empty(place.size)
    z[place] = y
    split = np.cumsum([p.e.size, upper.size, lower.size])
    duals = np.zeros(p.lower.size)
    duals[upper] += z[split[0]:split[1]]
    duals[lower] -= z[split[1]:split[2]]
    return Answer(np.array(x), duals, z[:p.e.size], z[z.size - p.h.size:])


def clarabel_form(p, stacked):
    clarabel = support.require("clarabel", HINT)
    A, b, cones, place, upper, lower = ordered(p, stacked)
    make = {"zero": clarabel.ZeroConeT, "nonneg": clarabel.NonnegativeConeT, "soc": clarabel.SecondOrderConeT}
    out, turn = [], np.arange(b.size)
    for kind, alpha, rows in K.each(cones):
        size = rows.stop - rows.start
        if kind == "psd":
            out.append(clarabel.PSDTriangleConeT(K.order(size)))
            turn[rows] = rows.start + K.upper_triangle(K.order(size))
        elif kind == "exp":
            out.append(clarabel.ExponentialConeT())
        else:
            out.append(clarabel.PowerConeT(alpha) if kind == "pow" else make[kind](size))
    return A[turn].tocsc(), b[turn], out, place[turn], upper, lower


def solve_scs(p, tolerance, limits, outcome, translated, stacked):
    scs = support.require("scs", HINT)
    A, b, cones, place, upper, lower = ordered(p, stacked)
    sizes = {kind: [rows for k, rows, _ in cones if k == kind] for kind in KINDS}
    cone = {"z": sum(sizes["zero"]), "l": sum(sizes["nonneg"]), "q": sizes["soc"],
            "s": [K.order(rows) for rows in sizes["psd"]], "ep": len(sizes["exp"]),
            "p": [alpha for kind, _, alpha in cones if kind == "pow"]}
    data = {"A": A.tocsc(), "b": b, "c": p.q}
    if p.P.nnz:
        data["P"] = sparse.triu(p.P, format="csc")
    begin = time.perf_counter()
    found = scs.SCS(data, cone, verbose=False, eps_abs=tolerance, eps_rel=tolerance, max_iters=10**7,
                    time_limit_secs=float(limits.seconds)).solve()
    seconds = time.perf_counter() - begin
    words = found["info"]["status"]
    status = translated(words, {"inaccurate": "failed", "unsolved": "failed", "solved": "optimal",
                                "infeasible": "primal_infeasible", "unbounded": "dual_infeasible"})
    found_answer = answer(p, found["x"], found["y"], place, upper, lower)
    return outcome(status, words, seconds, int(found["info"]["iter"]), found_answer)


def plain_file(file, folder):
    """The file without compression: the commands read no other."""
    target = pathlib.Path(folder) / "problem.dat-s"
    with (gzip.open if str(file).endswith(".gz") else open)(file, "rb") as source, open(target, "wb") as out:
        shutil.copyfileobj(source, out)
    return target


def run_command(words, folder, limits):
    environment = os.environ | {"OMP_NUM_THREADS": str(limits.threads)}
    begin = time.perf_counter()
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=1.2 * limits.seconds)
    return done, time.perf_counter() - begin


def solve_csdp(p, tolerance, limits, outcome):
    """CSDP's y is x, its X the multiplier; primal and dual have changed places."""
    with tempfile.TemporaryDirectory(prefix="pliant-csdp-") as folder:
        plain_file(p.file, folder)
        (pathlib.Path(folder) / "param.csdp").write_text(
            f"axtol={tolerance}\natytol={tolerance}\nobjtol={tolerance}\npinftol=1.0e8\ndinftol=1.0e8\nmaxiter=200\n"
            "minstepfrac=0.90\nmaxstepfrac=0.97\nminstepp=1.0e-8\nminstepd=1.0e-8\nusexzgap=1\ntweakgap=0\naffine=0\n"
            "printlevel=1\nperturbobj=1\nfastmode=0\n")
        done, seconds = run_command(["csdp", "problem.dat-s", "solution"], folder, limits)
        status = {0: "optimal", 3: "optimal", 1: "dual_infeasible", 2: "primal_infeasible"}.get(done.returncode, "failed")
        verdicts = ("Success", "Partial", "Declaring", "Stuck", "Lack", "Maximum")
        words = next((line for line in done.stdout.splitlines() if line.startswith(verdicts)), "no message")
        steps = len(re.findall(r"^Iter:", done.stdout, re.MULTILINE))
        file = pathlib.Path(folder) / "solution"
        if status != "optimal" or not file.exists():
            return outcome(status, words, seconds, steps)
        lines = file.read_text().splitlines()
        blocks = [np.zeros((rows,)) if kind == "nonneg" else np.zeros((K.order(rows),) * 2) for kind, rows, _ in p.cones]
        for line in lines[1:]:
            which, block, i, j, value = line.split()
            if which != "2":
                continue
            target, i, j = blocks[int(block) - 1], int(i) - 1, int(j) - 1
            if target.ndim == 1:
                target[i] = float(value)
            else:
                target[i, j] = target[j, i] = float(value)
        z = np.concatenate([block if block.ndim == 1 else K.vector(block) for block in blocks])
        x = np.array([float(word) for word in lines[0].split()])
        return outcome(status, words, seconds, steps, Answer(x, np.zeros(0), np.zeros(0), z))


def solve_sdpa(p, tolerance, limits, outcome):
    """SDPA's xVec is x. It prints multipliers with four digits, so its own figure of the dual residual counts."""
    with tempfile.TemporaryDirectory(prefix="pliant-sdpa-") as folder:
        plain_file(p.file, folder)
        (pathlib.Path(folder) / "param.sdpa").write_text(
            f"200\n{tolerance}\n1.0e4\n2.0\n-1.0e5\n1.0e5\n0.1\n0.2\n0.9\n{tolerance}\n%+.16e\n%+.16e\n%+.16e\n%+.16e\n")
        done, seconds = run_command(["sdpa", "-ds", "problem.dat-s", "-o", "out", "-p", "param.sdpa",
                                     "-numThreads", str(limits.threads)], folder, limits)
        file = pathlib.Path(folder) / "out"
        text = file.read_text() if file.exists() else done.stdout + done.stderr
        phase = re.search(r"phase\.value\s*=\s*(\S+)", text)
        words = phase.group(1) if phase else (text.strip().splitlines() or ["no output"])[-1]
        status = {"pdOPT": "optimal", "pdFEAS": "optimal", "dUNBD": "primal_infeasible", "pINF_dFEAS": "primal_infeasible",
                  "pUNBD": "dual_infeasible", "pFEAS_dINF": "dual_infeasible"}.get(words, "failed")
        count = re.search(r"Iteration\s*=\s*(\d+)", text)
        steps = int(count.group(1)) if count else 0
        numbers = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"
        x_part = re.search(r"xVec\s*=\s*\{([^}]*)\}", text)
        error = re.search(r"d\.feas\.error\s*=\s*(" + numbers + ")", text)
        if status != "optimal" or not x_part or not error:
            return outcome(status, words, seconds, steps)
        x = np.array([float(word) for word in re.findall(numbers, x_part.group(1))])
        return outcome(status, words, seconds, steps, Answer(x, np.zeros(0), np.zeros(0), dual_error=float(error.group(1))))
