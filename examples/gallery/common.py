"""What the examples of the gallery share: options, judging an answer by NumPy alone, other solvers, pictures.

    python minimum_ellipsoid.py                     # solves, verifies, prints
    python minimum_ellipsoid.py --picture out.svg   # draws, too (matplotlib)
    python minimum_ellipsoid.py --peers             # also what people use today (CVXPY, Clarabel, SCS, HiGHS, scikit-learn)

The exit code is 1 where an answer is off.
"""

import argparse
import contextlib
import json
import pathlib
import sys
import time
import warnings

import numpy as np

TOLERANCE = 1e-7  # relative; what the examples ask pliant for is a tenth of it
# Colours that differ for everybody (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#999999"
# Clarabel's and HiGHS's own tolerances; for first-order methods tighter ones than their own, and a limit that does not
# depend on how busy the machine is.
PEER_SETTINGS = {
    "CLARABEL": {},
    "SCS": dict(eps_abs=1e-6, eps_rel=1e-6, max_iters=5_000),
    "OSQP": dict(eps_abs=1e-7, eps_rel=1e-7, max_iter=10_000, polishing=True),
    "HIGHS": {},
}
NAMES = {"CLARABEL": "Clarabel", "SCS": "SCS", "OSQP": "OSQP", "HIGHS": "HiGHS"}


class Example:
    def __init__(self, text):
        parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--small", action="store_true", help="a size for tests")
        parser.add_argument("--peers", action="store_true", help="solve with other programs, too")
        parser.add_argument("--seed", type=int, default=0, help="of the data")
        parser.add_argument("--picture", metavar="FILE", help="draw the answer (.svg, .png)")
        parser.add_argument("--json", metavar="FILE", help="write the figures")
        self.options = parser.parse_args()
        self.peers, self.small = self.options.peers, self.options.small
        self.rng = np.random.default_rng(self.options.seed)
        self.rows, self.off = [], []
        self.objective = self.violation = None

    def size(self, usual, small):
        return small if self.small else usual

    def judge(self, objective, violation):
        """How every x is judged, whoever found it: from the raw data."""
        self.objective, self.violation = objective, violation

    def check(self, what, value, at_most):
        """A condition the answer has to meet; NaN does not."""
        met = bool(value <= at_most)
        print(f"  {'ok ' if met else 'OFF'} {what}: {value:.3g} <= {at_most:.3g}")
        if not met:
            self.off.append(what)

    def pliant(self, r, x=None):
        """Verifies a result: its figures against those of NumPy, its gap against the bound it proves."""
        x = r.x if x is None else x
        value, violation = self.objective(x), self.violation(x)
        print(f"pliant: {r.status}, objective {value:.9g}, bound {r.lower_bound:.9g} ({r.lower_bound_kind}), violation "
              f"{max(violation, 0):.1e}, {r.passes:.1f} passes, {r.iterations} steps")
        self.check("status is optimal", 0.0 if r.status == "optimal" else np.nan, 0.0)
        self.check("objective as recomputed", abs(value - r.objective) / (1 + abs(value)), TOLERANCE)
        self.check("gap to the bound", abs(value - r.lower_bound) / (1 + abs(value)), TOLERANCE)
        self.check("violation as recomputed", violation, TOLERANCE)
        self.rows.append(dict(solver="pliant", value=float(value), violation=float(max(violation, 0.0)),
                              work=f"{r.passes:.1f} passes, {r.iterations} steps", seconds=r.time["setup"] + r.time["solve"],
                              bound=float(r.lower_bound), bound_kind=r.lower_bound_kind))

    def peer(self, name, solve):
        """Runs another program; `solve` returns (x, its work in words) or (x, work, seconds it says it took)."""
        begin = time.perf_counter()
        try:
            x, work, *seconds = solve()
        except Exception as error:  # of any library: the table says that it failed, and the next one has its turn
            print(f"{name}: failed ({error})")
            self.rows.append(dict(solver=name, value=None, violation=None, work="failed", seconds=None))
            return
        seconds = seconds[0] if seconds else time.perf_counter() - begin
        value, violation = float(self.objective(x)), float(max(self.violation(x), 0.0))
        print(f"{name}: objective {value:.9g}, violation {violation:.1e}, {work}")
        self.rows.append(dict(solver=name, value=value, violation=violation, work=work, seconds=seconds))

    def cvxpy(self, model, answer, *solvers, **options):
        """A model of CVXPY with some solvers of it; `answer` gives x once it is solved."""
        import cvxpy as cp

        def run(solver):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of accuracy: the table shows it
                for variable in model.variables():
                    variable.value = None
                fresh = cp.Problem(model.objective, model.constraints)  # nothing is left of the solver before
                fresh.solve(solver=solver, **PEER_SETTINGS[solver], **options)
            if fresh.status not in ("optimal", "optimal_inaccurate", "user_limit"):
                raise RuntimeError(fresh.status)
            stats = fresh.solver_stats
            return answer(), f"{stats.num_iters} iterations", stats.solve_time

        for solver in solvers:
            self.peer(NAMES[solver], lambda solver=solver: run(solver))

    @contextlib.contextmanager
    def picture(self, columns=1, width=6.0, height=3.6):
        """Axes to draw on where a picture is asked for, None otherwise: `if axes is not None:`."""
        if not self.options.picture:
            yield None
            return
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.rcParams.update({"svg.hashsalt": "pliant", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                             "axes.spines.right": False, "font.family": "sans-serif"})
        figure, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained")
        yield axes
        file = self.options.picture
        figure.savefig(file, metadata={"Date": None, "Creator": None} if file.endswith(".svg") else None)
        if file.endswith(".svg"):
            shorten(pathlib.Path(file))

    def end(self):
        if self.options.json:
            pathlib.Path(self.options.json).write_text(json.dumps(dict(rows=self.rows, off=self.off), indent=1))
        if self.off:
            sys.exit(f"off: {', '.join(self.off)}")


def shorten(file):
    """Three decimals of a point are more than any screen shows."""
    import re

    text = re.sub(r"(\d+\.\d{2})\d+", r"\1", file.read_text(encoding="utf-8"))
    file.write_text(re.sub(r"[ \t]+\n", "\n", text), encoding="utf-8")
