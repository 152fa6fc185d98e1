"""One problem for every engine, of about a second at size 1: for scripts that disturb solves and look what happens."""

TIGHT = ("--tol-feas", "1e-9", "--tol-gap", "1e-9")
#: Name of what solves it, family, parameters, options of the solve.
ENGINES = [
    ("working sets", "dense_lp", {"n": 100, "m": 50000}, ()),
    ("sparse factorisations", "sparse_qp", {"n": 1500, "m": 3000}, ("--linear-algebra", "sparse")),
    ("conjugate gradients", "sparse_qp", {"n": 600, "m": 1200}, ("--linear-algebra", "iterative")),
    ("homogeneous", "robust_lp", {"n": 100, "m": 1000}, ("--nonsmooth", "interior")),
    ("semidefinite", "small_lmi", {"n": 100, "m": 60, "k": 12}, ("--nonsmooth", "interior")),
    ("cones as rows", "small_lmi", {"n": 30, "m": 4000}, ()),
    ("bands of soft rows", "quantile", {"n": 50, "m": 20000}, ()),
    ("quadratic rows", "qcqp", {"n": 40, "m": 4000}, ()),
    ("log-sum-exp", "log_sum_exp", {"n": 50, "m": 5000}, ()),
    ("points", "ellipsoid", {"d": 15, "m": 10000}, ()),
    ("accelerated gradients", "ridge", {"n": 50, "m": 2000}, ("--method", "apg", *TIGHT)),
    ("dual coordinates", "ridge", {"n": 50, "m": 2000}, ("--method", "sdca")),
    ("proofs", "infeasible", {"n": 60, "m": 10000, "curved": 1}, ()),
]


def chosen(words):
    """Those whose name contains one of the words, separated by commas; all without a word."""
    parts = [part for part in words.split(",") if part]
    return [engine for engine in ENGINES if not parts or any(part in engine[0] for part in parts)]


def sized(parameters, factor):
    """The same problem with `factor` times as many rows and variables."""
    return {key: max(3, int(factor * value)) if key in ("n", "m") else value for key, value in parameters.items()}
