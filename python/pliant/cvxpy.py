"""CVXPY's modelling on top of pliant: after ``import pliant.cvxpy`` it is one of CVXPY's solvers, ``solver="PLIANT"``.

Takes LP, QP, SOCP, SDP, exponential and power cones, in every mixture, with a linear or convex quadratic objective.
Needs CVXPY 1.9 or later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant._needs import needs

try:
    import cvxpy.settings as s
    from cvxpy.constraints import SOC, ExpCone, PowCone3D, SvecPSD
    from cvxpy.error import SolverError
    from cvxpy.reductions.solution import Solution, failure_solution
    from cvxpy.reductions.solvers import defines, utilities
    from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver
    from cvxpy.utilities.psd_utils import TriangleKind
    from scipy import sparse
except ImportError as error:
    raise needs("pliant.cvxpy", "CVXPY 1.9 or later", error) from error

import pliant as pl
from pliant._box_rows import Box
from pliant._hermitian import mirrored
from pliant._quadratic_rows import Reduced
from pliant._settings import make_settings

__all__ = ["PLIANT"]

CITATION = """
@misc{pliant,
  title = {pliant: convex optimisation with very many constraints, with certificates},
  author = {{The pliant developers}}
}

@misc{softplus,
  title = {On the Softplus Penalty for Constrained Convex Optimization},
  author = {Li, Meng and Grigas, Paul and Atamt\\"urk, Alper}
}
"""

#: Asked for unless the call says otherwise, so that duals are good to four digits and more.
TOLERANCE = 1e-8
#: What counts as solved where TOLERANCE was not asked for by name and rounding stands before it: the library's own.
ACCEPTED = 1e-6
#: What an iterate must satisfy to be handed out as inaccurate.
INACCURATE = 1e-4

_LIMITS = ("time_limit", "pass_limit", "iteration_limit", "user_stopped", "interrupted")
_STATISTICS = (
    "status", "message", "method", "choice", "objective", "lower_bound", "lower_bound_kind", "lower_bound_rigorous",
    "gap_abs", "gap_rel",
    "violation", "violation_rel", "equality_residual", "dual_residual", "dual_residual_rel", "infeasibility",
    "infeasibility_proof",
    "unboundedness_proof", "iterations", "passes", "time",
)  # fmt: skip


class PLIANT(ConicSolver):
    """``prob.solve(solver="PLIANT", **settings)``, or ``solver=PLIANT()``; settings are those of ``pl.Problem.solve``.

    >>> import cvxpy as cp, pliant.cvxpy
    >>> x = cp.Variable(2)
    >>> prob = cp.Problem(cp.Minimize(-3 * x[0] - 4 * x[1]), [cp.norm(x) <= 5])
    >>> value = prob.solve(solver="PLIANT")
    >>> prob.status, x.value.round(4).tolist(), prob.solver_stats.extra_stats["lower_bound_rigorous"] in (True, False)
    ('optimal', [3.0, 4.0], True)
    """

    MIP_CAPABLE = False
    #: CVXPY would hand over bounds of its own auxiliary variables too, which it propagates wrongly (a maximum of two
    #: expressions comes with the upper bound 0). Bounds arrive as rows instead, and rows of one entry become a box here.
    BOUNDED_VARIABLES = False
    SUPPORTED_CONSTRAINTS = [*ConicSolver.SUPPORTED_CONSTRAINTS, SOC, ExpCone, PowCone3D, SvecPSD]
    EXP_CONE_ORDER = [0, 1, 2]
    PSD_TRIANGLE_KIND = TriangleKind.LOWER
    PSD_SQRT2_SCALING = True

    def name(self) -> str:
        return "PLIANT"

    def import_solver(self) -> None:
        """There is nothing left to import."""

    def supports_quad_obj(self) -> bool:
        return True

    def cite(self, data: Any) -> str:
        return CITATION

    def apply(self, problem: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, inverse = super().apply(problem)
        data["n_eq"], data["n_ineq"] = data[self.DIMS].zero, data[self.DIMS].nonneg  # as CVXPY's QP solvers say it
        return data, inverse

    def solve_via_data(
        self,
        data: dict[str, Any],
        warm_start: bool,
        verbose: bool,
        solver_opts: dict[str, Any],
        solver_cache: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        settings = {key: value for key, value in solver_opts.items() if key != "use_quad_obj"}
        asked = "tol_feas" in settings or "tol_gap" in settings
        settings = {"tol_feas": TOLERANCE, "tol_gap": TOLERANCE, "verbose": verbose} | settings
        make_settings(settings)  # a wrong one is the caller's mistake; what is refused after it, the problem's
        last = solver_cache.get(self.name()) if solver_cache is not None and warm_start else None
        try:
            program = _Program(data, self.DIMS)
            result = program.solve(settings, last)
        except pl.InputError as refusal:
            program = _nearly_convex(data, self.DIMS, refusal)
            result = program.solve(settings, None)
        if solver_cache is not None:
            solver_cache[self.name()] = program
        x, y = program.answer()
        value = result.objective if program.shift == 0.0 else result.objective - 0.5 * program.shift * float(x @ x)
        status = _status(result, settings, asked)
        return {"result": result, "x": x, "y": y, "value": value, "status": status, "shift": program.shift}

    def invert(self, solution: dict[str, Any], inverse_data: dict[str, Any]) -> Solution:
        result, status = solution["result"], solution["status"]
        attributes = {
            s.SOLVE_TIME: result.time["solve"],
            s.SETUP_TIME: result.time["setup"],
            s.NUM_ITERS: result.iterations,
            s.EXTRA_STATS: {key: getattr(result, key) for key in _STATISTICS},
        }
        if solution["shift"] > 0.0:  # the bound is that of the shifted problem
            attributes[s.EXTRA_STATS] |= {"convexity_shift": solution["shift"], "lower_bound_kind": "estimate",
                                          "lower_bound_rigorous": False}  # fmt: skip
        if status == s.SOLVER_ERROR:
            return failure_solution(status, attributes)
        y = solution["y"]
        zero = inverse_data[self.DIMS].zero
        duals = {}
        for part, constraints in ((y[:zero], self.EQ_CONSTR), (y[zero:], self.NEQ_CONSTR)):
            duals |= utilities.get_dual_values(part, utilities.extract_dual_value, inverse_data[constraints])
        if status not in s.SOLUTION_PRESENT:
            return failure_solution(status, attributes, duals)
        value = solution["value"] + inverse_data[s.OFFSET]
        return Solution(status, value, {inverse_data[self.VAR_ID]: solution["x"]}, duals, attributes)


class _Program:
    """min 1/2 x'Px + c'x, b - Ax in K, lower <= x <= upper, and its last result.

    The bounds are rows of CVXPY's A with one entry; A and b here are the rest.
    """

    def __init__(self, data: dict[str, Any], dims_key: str, shift: float = 0.0) -> None:
        dims = data[dims_key]
        self.shift = shift  #: of the diagonal of P
        A, b, self.c = data[s.A].tocsr(), np.asarray(data[s.B], float), np.asarray(data[s.C], float)
        self.P = data[s.P].tocsr() if s.P in data and data[s.P].nnz > 0 else None
        if shift > 0.0:
            self.P = (self.P + shift * sparse.eye_array(self.c.size)).tocsr()
        self.box = Box(A, b, dims.zero, dims.zero + dims.nonneg, _heads(A, dims.zero + dims.nonneg, dims.soc))
        self.A, self.b = A[self.box.others], b[self.box.others]
        self.linear = (dims.zero, dims.nonneg - self.box.rows.size)
        self.orders = [k for k in dims.psd if k > 0]
        self.cones = [("soc", k) for k in dims.soc] + [("psd", k) for k in self.orders]
        self.cones += [("exp", dims.exp)] if dims.exp else []
        self.cones += [("pow", list(dims.p3d))] if len(dims.p3d) else []
        self.reduced = self.reduce()
        self.result: pl.Result | None = None
        self.solver: pl.Solver | None = None
        self.rows: pl.Handle | None = None  # of the inequalities

    def reduce(self) -> Reduced | None:
        """Many quadratic constraints and norms in few variables, where the cones hide some."""
        sizes = [size for name, size in self.cones if name == "soc"]
        if not sizes or len(sizes) < len(self.cones):
            return None
        reduced = Reduced(self.A, self.b, self.box.bounded, self.c, self.P, self.linear, sizes)
        return reduced if reduced.pays else None

    def objective(self) -> pl.Objective:
        kept = slice(None) if self.reduced is None else self.reduced.kept
        if self.P is None:
            return pl.linear(self.c[kept])
        return pl.quadratic(self.P[kept][:, kept], self.c[kept])

    def build(self) -> pl.Problem:
        kept = slice(None) if self.reduced is None else self.reduced.kept
        problem = pl.Problem(self.c[kept].size).minimize(self.objective())
        if self.box.bounded[kept].any():
            problem.regularize(pl.box(self.box.lower[kept], self.box.upper[kept]))
        if self.reduced is not None:
            self.reduced.subject_to(problem)
            return problem
        zero, end = self.linear[0], sum(self.linear)
        if zero > 0:
            problem.subject_to(pl.equal(self.A[:zero], self.b[:zero]))
        if end > zero:
            self.rows = problem.subject_to(pl.linear_le(self.A[zero:end], self.b[zero:end]))
        if self.cones:
            problem.subject_to(pl.conic(self.A[end:], self.b[end:], self.cones))
        return problem

    def solve(self, settings: dict[str, Any], last: _Program | None) -> pl.Result:
        if last is not None and last.solver is not None and self.differs_in_constants_alone(last):
            self.solver, self.rows = last.solver, last.rows
            if self.rows is not None:
                self.solver.update(self.rows, h=self.b[self.linear[0] : sum(self.linear)])
            self.solver.update_objective(0, self.objective())
            self.result = self.solver.solve(**settings)
            return self.result
        start = last.result if last is not None and self.has_shape_of(last) else None
        self.solver = pl.Solver(self.build())
        if start is None:
            self.result = self.solver.solve(**settings)
        else:
            self.result = self.solver.solve(warm_start=start, **settings)
        return self.result

    def answer(self) -> tuple[np.ndarray, np.ndarray]:
        """x and multipliers of all rows, as CVXPY counts them."""
        duals = [np.ravel(dual) for dual in self.result.duals]
        if self.reduced is not None:
            x, y = self.reduced.expand(self.result.x, duals)
        else:
            x, y = self.result.x, np.concatenate([np.empty(0), *duals])
            if self.orders:
                first = sum(self.linear) + sum(size for name, size in self.cones if name == "soc")
                y = mirrored(y, self.A, self.b, first, self.orders)
        # What the other rows leave of the gradient of the Lagrangian, the bounds must balance; in a proof of
        # infeasibility the objective has no part.
        left = self.A.T @ y
        if self.result.status != "primal_infeasible":
            left += self.c if self.P is None else self.P @ x + self.c
        return x, self.box.all_multipliers(y, -left)

    def has_shape_of(self, other: _Program) -> bool:
        return (
            (self.reduced is None) == (other.reduced is None)
            and self.A.shape == other.A.shape and self.linear == other.linear and self.cones == other.cones
            and other.result is not None and other.result.status == "optimal"
        )  # fmt: skip

    def differs_in_constants_alone(self, other: _Program) -> bool:
        """Whether c, P and the sides of the inequalities make all the difference."""
        zero, end = self.linear[0], sum(self.linear)
        return (
            self.has_shape_of(other)
            and self.reduced is None
            and np.array_equal(self.b[:zero], other.b[:zero])
            and np.array_equal(self.b[end:], other.b[end:])
            and np.array_equal(self.box.lower, other.box.lower)
            and np.array_equal(self.box.upper, other.box.upper)
            and _same_matrix(self.A, other.A)
        )


def _nearly_convex(data: dict[str, Any], dims_key: str, refusal: pl.InputError) -> _Program:
    """The program for a form that CVXPY takes for convex because its smallest eigenvalue is above -EIGVAL_TOL: the
    diagonal is raised by that. A form that was merely assumed to be convex and is not gets CVXPY's own error."""
    shift = 2.0 * s.EIGVAL_TOL  # P is twice the form
    wrong = SolverError(f"Solver 'PLIANT' refused the problem: {refusal}")
    if s.P not in data or "convex" not in str(refusal):
        raise wrong from refusal
    program = _Program(data, dims_key, shift)
    try:
        program.build().validate()
    except pl.InputError:
        raise wrong from refusal
    return program


def _heads(A: Any, begin: int, sizes: list[int]) -> np.ndarray:
    """Variables that are the first row of a second-order cone: their bound is a norm's, which `Reduced` looks for."""
    first = begin + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int) if len(sizes) else np.empty(0, int)
    first = first[np.asarray(sizes, int) > 0]
    return A.indices[A.indptr[first[np.diff(A.indptr)[first] == 1]]]


def _same_matrix(A: Any, B: Any) -> bool:
    return (
        A.nnz == B.nnz
        and np.array_equal(A.indptr, B.indptr)
        and np.array_equal(A.indices, B.indices)
        and np.array_equal(A.data, B.data)
    )


def _status(result: pl.Result, settings: dict[str, Any], asked: bool) -> str:
    """CVXPY's word. Limits have an iterate; what ended in rounding is what its certificate says."""
    proved = {"optimal": s.OPTIMAL, "primal_infeasible": s.INFEASIBLE, "dual_infeasible": s.UNBOUNDED}
    if result.status in proved:
        return proved[result.status]
    if result.status in _LIMITS:
        return s.USER_LIMIT if np.isfinite(result.x).all() else s.SOLVER_ERROR
    error = max(
        result.violation_rel, result.equality_residual_rel, result.domain_violation_rel, abs(result.gap_rel),
        result.dual_residual_rel if result.lower_bound_kind == "estimate" else 0.0,
    )  # fmt: skip
    if not asked and error <= ACCEPTED:
        return s.OPTIMAL
    return s.OPTIMAL_INACCURATE if error <= INACCURATE else s.SOLVER_ERROR


def _register() -> None:
    """Makes the name known wherever CVXPY looks names up; the default solvers stay what they are."""
    solver = PLIANT()
    defines.SOLVER_MAP_CONIC[solver.name()] = solver
    for names in (defines.CONIC_SOLVERS, defines.INSTALLED_SOLVERS, defines.INSTALLED_CONIC_SOLVERS):
        if solver.name() not in names:
            names.append(solver.name())


_register()
