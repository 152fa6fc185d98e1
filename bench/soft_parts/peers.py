"""Other solvers on the instances of bench/soft: the same minimum, from the same file, within a limit of time.

    min q'x + 1/2 x'Px + sum_i w_i max(0, g_i'x - u_i)   s.t.  Ex = e,  lo <= x <= hi
"""

import multiprocessing
import time

import support

HINT = ": python3 -m pip install -r bench/requirements-peers.txt"
SAME_VALUE = 1e-8  # relative: what LIBLINEAR has to reach

# family, parameters, peer: how many times faster it must be
MUSTS = [
    ("quantile", {"n": 20, "m": 1e5, "tau": 0.5}, {"sklearn": 100, "statsmodels": None, "clarabel": None}),
    ("quantile", {"n": 500, "m": 1e4, "tau": 0.5}, {"highs": None, "clarabel": None}),
    ("hinge", {"n": 50, "m": 1e6, "C": 1, "intercept": 1}, {"liblinear": 20}),
    ("hinge", {"n": 50, "m": 1e6, "C": 1000, "intercept": 1}, {"liblinear": 20}),
    ("cvar", {"n": 50, "m": 1e5, "beta": 0.95}, {"clarabel": 50, "highs": None}),
    ("cvar", {"n": 392, "m": 2e4, "beta": 0.95}, {"clarabel": 30, "highs": 30}),
]


def csr(group):
    """A sparse matrix of a container."""
    np, sparse = (support.require(name, HINT) for name in ("numpy", "scipy.sparse"))
    stored = tuple(np.asarray(group[k]) for k in ("data", "indices", "indptr"))
    return sparse.csr_matrix(stored, shape=tuple(group.attrs["shape"]))


class Instance:
    """The numbers of a container with one batch of soft rows."""

    def __init__(self, file):
        np, h5py, sparse = (support.require(name, HINT) for name in ("numpy", "h5py", "scipy.sparse"))
        with h5py.File(file) as f:
            rows = f["constraints/0"]
            self.G = np.asarray(rows["G"]) if isinstance(rows["G"], h5py.Dataset) else csr(rows["G"])
            self.upper, self.weights = (np.asarray(rows[name]) for name in ("upper", "weights"))
            n = self.G.shape[1]
            term = f["objective/0"]
            self.q = np.asarray(term["c"] if "c" in term else term["q"])
            self.constant = float(term.attrs.get("constant", 0.0))
            self.P = sparse.csc_matrix((n, n))
            if "P" in term:
                self.P = csr(term["P"]).tocsc()
            self.E, self.e = np.zeros((0, n)), np.zeros(0)
            if "equalities" in f:
                self.E, self.e = (np.asarray(f["equalities"][k]) for k in "Ee")
            self.lo, self.hi = ((np.asarray(f["prox"][k]) for k in ("lo", "hi")) if "prox" in f
                                else (np.full(n, -np.inf), np.full(n, np.inf)))

    def value(self, x):
        np = support.require("numpy")
        rows = self.weights @ np.maximum(0.0, self.G @ x - self.upper)
        return float(self.q @ x + 0.5 * x @ (self.P @ x) + rows + self.constant)


def sklearn(file, _):
    data, linear_model = Instance(file), support.require("sklearn.linear_model", HINT)
    tau = -data.q[0] / data.weights.sum() / data.G[0, 0]  # the first column is constant
    model = linear_model.QuantileRegressor(quantile=tau, alpha=0.0, fit_intercept=False, solver="highs")
    begin = time.monotonic()
    model.fit(data.G, data.upper)
    yield time.monotonic() - begin, data.value(model.coef_)


def statsmodels(file, _):
    data, regression = Instance(file), support.require("statsmodels.regression.quantile_regression", HINT)
    tau = -data.q[0] / data.weights.sum() / data.G[0, 0]
    begin = time.monotonic()
    fit = regression.QuantReg(data.upper, data.G).fit(q=tau, max_iter=100000, p_tol=1e-12)
    yield time.monotonic() - begin, data.value(support.require("numpy").asarray(fit.params))


def liblinear(file, best):
    """Its tolerance falls until its value is within SAME_VALUE of the minimum; each try counts alone."""
    np, svm = support.require("numpy"), support.require("sklearn.svm", HINT)
    data = Instance(file)
    y = np.where(np.arange(len(data.upper)) % 2 == 0, 1.0, -1.0)  # rows are -y_i a_i: any signs give the same problem
    X = support.require("scipy.sparse").diags(-y) @ data.G
    for digits in range(1, 13):
        model = svm.LinearSVC(C=data.weights[0], loss="hinge", dual=True, fit_intercept=False, tol=10.0**-digits,
                              max_iter=10**9)
        begin = time.monotonic()
        model.fit(X, y)
        value = data.value(model.coef_[0])
        yield time.monotonic() - begin, value
        if value - best <= SAME_VALUE * (1 + abs(best)):
            return


def svc(file, best):
    """scikit-learn's own, by LIBSVM, whose intercept is free: it has the last column. Its tolerance falls likewise."""
    np, sparse, svm = (support.require(name, HINT) for name in ("numpy", "scipy.sparse", "sklearn.svm"))
    data = Instance(file)
    rows = sparse.csr_matrix(data.G)
    y = -rows[:, [-1]].toarray()[:, 0]
    X = sparse.csr_matrix(sparse.diags(-y) @ rows[:, :-1])
    for digits in range(1, 13):
        model = svm.SVC(C=data.weights[0], kernel="linear", tol=10.0**-digits)
        begin = time.monotonic()
        model.fit(X, y)
        seconds = time.monotonic() - begin
        coefficients = model.coef_.toarray()[0] if sparse.issparse(model.coef_) else model.coef_[0]
        value = data.value(np.append(coefficients, model.intercept_[0]))
        yield seconds, value
        if value - best <= SAME_VALUE * (1 + abs(best)):
            return


def clarabel(file, _):
    np, sparse, solver = (support.require(name, HINT) for name in ("numpy", "scipy.sparse", "clarabel"))
    data = Instance(file)
    m, n = data.G.shape
    low, high = np.isfinite(data.lo), np.isfinite(data.hi)
    eye, slack = sparse.identity(n, format="csc"), sparse.identity(m, format="csc")
    A = sparse.bmat([[data.E if len(data.e) else None, None if not len(data.e) else sparse.csc_matrix((len(data.e), m))],
                     [sparse.csc_matrix(data.G), -slack], [sparse.csc_matrix((m, n)), -slack],
                     [-eye[low], None], [eye[high], None]][0 if len(data.e) else 1:], format="csc")
    b = np.concatenate([data.e, data.upper, np.zeros(m), -data.lo[low], data.hi[high]])
    cones = [solver.ZeroConeT(len(data.e)), solver.NonnegativeConeT(len(b) - len(data.e))]
    P = sparse.block_diag([data.P, sparse.csc_matrix((m, m))], format="csc")
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-8
    begin = time.monotonic()
    solution = solver.DefaultSolver(P, np.concatenate([data.q, data.weights]), A, b, cones, settings).solve()
    yield time.monotonic() - begin, data.value(np.array(solution.x)[:n])


def highs(file, _):
    """Its interior-point method, which is the faster one here."""
    np, sparse, optimize = (support.require(name, HINT) for name in ("numpy", "scipy.sparse", "scipy.optimize"))
    data = Instance(file)
    m, n = data.G.shape
    A = sparse.hstack([sparse.csc_matrix(data.G), -sparse.identity(m)], format="csc")
    E = np.hstack([data.E, np.zeros((len(data.e), m))]) if len(data.e) else None
    bounds = np.column_stack([np.concatenate([data.lo, np.zeros(m)]), np.concatenate([data.hi, np.full(m, np.inf)])])
    begin = time.monotonic()
    done = optimize.linprog(np.concatenate([data.q, data.weights]), A, data.upper, E, data.e if len(data.e) else None,
                            bounds, method="highs-ipm")
    yield time.monotonic() - begin, data.value(done.x[:n])


PEERS = {f.__name__: f for f in (sklearn, statsmodels, liblinear, svc, clarabel, highs)}


def _run(peer, file, best, pipe):
    for outcome in PEERS[peer](file, best):
        pipe.send(outcome)
    pipe.close()


def run(peer, file, best, limit):
    """Seconds and value of the last answer within the limit, and whether the peer came to its end."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(peer, file, best, send))
    process.start()
    send.close()
    deadline, last, ended = time.monotonic() + limit, (None, None), False
    while receive.poll(max(0.0, deadline - time.monotonic())):
        try:
            last = receive.recv()
        except EOFError:
            ended = True
            break
    process.kill()
    process.join()
    return *last, ended


def compare(pliant, folder, options, solve):
    """A table of ratios; true if one of them is below what it must be."""
    rows, missed = [], False
    for family, parameters, musts in MUSTS:
        chosen = {peer: must for peer, must in musts.items() if peer in options.peers}
        if not chosen:
            continue
        if options.tiny:
            parameters = parameters | {"n": max(2, parameters["n"] // 10), "m": 2000}
        file = pliant.generate(folder, family, parameters | {"seed": options.seeds[0]})
        result = solve(pliant, file, options, folder / "solution.h5")
        ours = result["time"]["setup"] + result["time"]["solve"]
        for peer, must in chosen.items():
            seconds, value, ended = run(peer, file, result["objective"], options.limit)
            apart = None if value is None else (value - result["objective"]) / (1 + abs(result["objective"]))
            ratio = (seconds if ended else options.limit) / ours
            verdict = "" if must is None or options.tiny else "ok" if ratio >= must else "MISS"
            missed = missed or verdict == "MISS"
            rows.append([f"{family} " + " ".join(f"{k}={v:g}" for k, v in parameters.items()), f"{ours:.3g}", peer,
                         f"{seconds:.3g}" if ended else f"> {options.limit:g}", f"{ratio:.0f}", must or "-", verdict,
                         "no answer" if apart is None else f"{apart:.1e}"])
            print(f"done: {rows[-1][0]} by {peer}", flush=True)
        file.unlink()
    support.print_table(["instance", "pliant s", "peer", "peer s", "ratio", "must", "", "its value is off by"], rows)
    return missed
