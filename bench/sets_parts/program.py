"""Linear, quadratic and conic programs out of the native container, and how good an answer to one is.

    minimise   1/2 x'Px + q'x + constant   subject to   lower <= Gx <= upper,  Ex = e,  lo <= x <= hi,  h - Cx in cones

The formulas are those of `pliant check` (docs/certificate.md), computed here from the container's numbers alone, so that
the answers of all solvers are judged alike and by other code than that which is under test.
"""

import dataclasses

import support
from sets_parts import cones

HINT = ": python3 -m pip install -r bench/requirements-peers.txt in a virtual environment"
np = support.require("numpy", HINT)
h5py = support.require("h5py", HINT)
sparse = support.require("scipy.sparse", HINT)


class NotAProgram(Exception):
    """The container holds something else than a linear, quadratic or conic program."""


@dataclasses.dataclass
class Answer:
    """What a solver returned; duals as in solution files: positive at upper sides, negative at lower ones."""
    x: "np.ndarray"
    duals: "np.ndarray"
    equality_duals: "np.ndarray"
    cone_duals: "np.ndarray" = None
    dual_error: float = None  # its own word for the dual residual, where it returns no multipliers


@dataclasses.dataclass
class Figures:
    """How good an answer is. The violation counts rows, equalities and bounds; NaN fails every comparison."""
    objective: float
    violation_rel: float
    dual_residual_rel: float


@dataclasses.dataclass
class Program:
    """One program; matrices are CSR, absent sides infinite."""
    P: "sparse.csr_matrix"
    q: "np.ndarray"
    constant: float
    G: "sparse.csr_matrix"
    lower: "np.ndarray"
    upper: "np.ndarray"
    E: "sparse.csr_matrix"
    e: "np.ndarray"
    lo: "np.ndarray"
    hi: "np.ndarray"
    C: "sparse.csr_matrix" = None
    h: "np.ndarray" = None
    cones: list = dataclasses.field(default_factory=list)  # (kind, rows, alpha) each
    file: str = ""  # it came from
    sign: float = 1.0  # -1: the file maximises, and the terms are those of minus its objective

    def figures(self, answer):
        """Each violation / (1 + |constant of its row|); dual residual / (1 + |grad f|_inf)."""
        x = np.asarray(answer.x, dtype=float)
        # A side that does not exist has no multiplier.
        duals = (np.where(np.isfinite(self.upper), np.maximum(answer.duals, 0.0), 0.0)
                 + np.where(np.isfinite(self.lower), np.minimum(answer.duals, 0.0), 0.0))
        rows, equalities = self.G @ x, self.E @ x - self.e
        violation = largest(relative(rows - self.upper, self.upper), relative(self.lower - rows, self.lower),
                            relative(np.abs(equalities), self.e), relative(x - self.hi, self.hi),
                            relative(self.lo - x, self.lo))
        smooth = self.P @ x + self.q
        gradient = smooth + self.G.T @ duals + self.E.T @ answer.equality_duals
        if answer.dual_error is not None:
            violation = worse(violation, cones.violation(self.cones, self.h - self.C @ x, self.h))
            gradient = np.full(x.size, answer.dual_error)
        elif self.cones:
            violation = worse(violation, cones.violation(self.cones, self.h - self.C @ x, self.h))
            gradient = gradient + self.C.T @ cones.dual_point(self.cones, answer.cone_duals)
        objective = 0.5 * float(x @ (self.P @ x)) + float(self.q @ x) + self.constant
        return Figures(self.sign * objective, violation,
                       self.dual_residual(x, gradient) / (1.0 + largest(np.abs(smooth))))

    def dual_residual(self, x, gradient):
        """What of the gradient no multiplier of a bound balances, or |x - clip(x - gradient)| where that is smaller."""
        unbalanced = np.where(gradient > 0.0, np.where(np.isfinite(self.lo), 0.0, gradient),
                              np.where(np.isfinite(self.hi), 0.0, gradient))
        natural = x - np.clip(x - gradient, self.lo, self.hi)
        hidden = 4.0 * np.finfo(float).eps * largest(np.abs(x))
        return float(np.minimum(largest(np.abs(unbalanced)), largest(np.abs(natural)) + hidden))

    def density(self):
        """Share of stored numbers in the matrices."""
        stored = self.P.nnz + self.G.nnz + self.E.nnz
        return stored / max(1, self.q.size * (self.q.size + self.lower.size + self.e.size))


def largest(*vectors):
    """The largest entry of all, at least 0; NaN if there is one."""
    values = [v for v in vectors if v.size > 0]
    return float(np.max([0.0, *[np.max(v) for v in values]])) if values else 0.0


def relative(excess, constant):
    """By how much of 1 + |constant| each side is missed; sides that do not exist are not missed."""
    there = np.isfinite(constant)
    return excess[there] / (1.0 + np.abs(constant[there]))


def worse(a, b):
    """The larger figure; unlike max(), NaN from either side stays."""
    return float(np.maximum(a, b))


def read_matrix(node):
    if isinstance(node, h5py.Group):
        parts = (node["data"][:], node["indices"][:], node["indptr"][:])
        return sparse.csr_matrix(parts, shape=tuple(map(int, node.attrs["shape"])))
    return sparse.csr_matrix(node[:])


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_objective(f, n):
    """P, q and the constant of the sum of linear and quadratic terms."""
    P, q, constant = sparse.csr_matrix((n, n)), np.zeros(n), 0.0
    for term in f.get("objective", {}).values():
        kind, weight = text(term.attrs["kind"]), float(term.attrs.get("weight", 1.0))
        if kind == "linear":
            q, constant = q + weight * term["c"][:].ravel(), constant + weight * float(term.attrs.get("constant", 0.0))
        elif kind == "quadratic":
            P, q = P + weight * read_matrix(term["P"]), q + weight * term["q"][:].ravel()
        else:
            raise NotAProgram(f"a term {kind}")
    return P.tocsr(), q, constant


def read_rows(f, n):
    """All linear batches on top of each other."""
    matrices, lower, upper = [], [], []
    batches = f.get("constraints", {})
    for batch in (batches[str(i)] for i in range(len(batches))):
        if text(batch.attrs["family"]) != "linear":
            raise NotAProgram(f"constraints {text(batch.attrs['family'])}")
        matrices.append(read_matrix(batch["G"]))
        upper.append(batch["upper"][:].ravel())
        lower.append(batch["lower"][:].ravel() if "lower" in batch else np.full(upper[-1].size, -np.inf))
    if not matrices:
        return sparse.csr_matrix((0, n)), np.zeros(0), np.zeros(0)
    return sparse.vstack(matrices, format="csr"), np.concatenate(lower), np.concatenate(upper)


def read_cones(f, n):
    """All conic constraints on top of each other."""
    groups = f.get("conic", {})
    groups = [groups[str(i)] for i in range(len(groups))]
    if not groups:
        return sparse.csr_matrix((0, n)), np.zeros(0), []
    matrices, sides = [read_matrix(g["G"]) for g in groups], [g["h"][:].ravel() for g in groups]
    return sparse.vstack(matrices, format="csr"), np.concatenate(sides), [c for g in groups for c in cones.read(g["cones"])]


def read_bounds(f, n):
    lo, hi = np.full(n, -np.inf), np.full(n, np.inf)
    if "prox" in f:
        prox = f["prox"]
        if text(prox.attrs["kind"]) != "separable" or prox.attrs.get("l1", 0.0) or prox.attrs.get("l2", 0.0):
            raise NotAProgram(f"a prox term {text(prox.attrs['kind'])} that is more than bounds")
        lo, hi = (prox[name][:].ravel() if name in prox else side for name, side in (("lo", lo), ("hi", hi)))
    return lo, hi


def read_program(file):
    """The program of a container; NotAProgram says what else it holds."""
    with h5py.File(file) as f:
        n = int(f.attrs["n"])
        E, e = sparse.csr_matrix((0, n)), np.zeros(0)
        if "equalities" in f:
            E, e = read_matrix(f["equalities/E"]), f["equalities/e"][:].ravel()
        sign = -1.0 if text(f.attrs.get("sense", "minimize")) == "maximize" else 1.0
        return Program(*read_objective(f, n), *read_rows(f, n), E, e, *read_bounds(f, n), *read_cones(f, n), sign=sign)


def read_answer(program, file):
    """A solution file as `pliant solve --solution` writes it; parts that are not there are zero."""
    with h5py.File(file) as f:
        duals = f.get("duals", {})
        parts = [duals[str(i)][:].ravel() for i in range(len(duals))]
        joined = np.concatenate([np.zeros(0), *parts])
        if joined.size == 0:
            joined = np.zeros(program.lower.size + program.h.size)
        equality_duals = f["equality_duals"][:].ravel() if "equality_duals" in f else np.zeros(program.e.size)
        rows = program.lower.size
        return Answer(f["x"][:].ravel(), joined[:rows], equality_duals, joined[rows:])


def write_answer(program, answer, file):
    """A solution file for `pliant check`; all rows are taken to be one batch."""
    with h5py.File(file, "w") as f:
        f["x"] = answer.x
        if program.lower.size:
            f.create_group("duals")["0"] = answer.duals
        if program.e.size:
            f["equality_duals"] = answer.equality_duals
