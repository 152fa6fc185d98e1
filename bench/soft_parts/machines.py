"""Soft-margin support vector machines on public data (LIBSVM's text format) beside LIBLINEAR and scikit-learn's SVC.

    min 1/2 |w|^2 + 1/2 intercept b^2 + C sum_i max(0, 1 - y_i (a_i'w + b))

LIBLINEAR shrinks the intercept b like the weights (intercept = 1), SVC does not (0): each is compared on the problem it
solves.
"""

import support

from . import peers

SETS = ("a9a.txt.gz", "mushrooms.txt.gz")
PRICE = 1.0  # C, the default of both
FEW = 300    # samples with --tiny

# intercept, peer
RIVALS = ((1.0, "liblinear"), (0.0, "svc"))


def write(h5py, sparse, np, file, X, y, intercept):
    """The problem as a container: rows -y_i (a_i, 1), so that max(0, row x + 1) is the loss."""
    G = sparse.csr_matrix(sparse.diags(-y) @ sparse.hstack([X, np.ones((X.shape[0], 1))]))
    G.sum_duplicates()
    m, n = G.shape
    curvature = np.ones(n)
    curvature[-1] = intercept
    P = sparse.diags(curvature).tocsr()
    with h5py.File(file, "w") as f:
        f.attrs["format"], f.attrs["version"], f.attrs["n"] = "pliant-problem", 2, n
        term, rows = f.create_group("objective/0"), f.create_group("constraints/0")
        term.attrs["kind"], rows.attrs["family"] = "quadratic", "linear"
        term["q"], rows["upper"], rows["weights"] = np.zeros(n), -np.ones(m), np.full(m, PRICE)
        for parent, name, M in ((term, "P", P), (rows, "G", G)):
            group = parent.create_group(name)
            group.attrs["shape"] = M.shape
            group["indptr"], group["indices"], group["data"] = M.indptr, M.indices, M.data


def compare(pliant, folder, options, solve):
    """Prints a table; sets that are not there are named and left out."""
    rivals = [(intercept, peer) for intercept, peer in RIVALS if peer in options.peers]
    if not rivals:
        return
    np, h5py, sparse, datasets = (support.require(name, peers.HINT)
                                  for name in ("numpy", "h5py", "scipy.sparse", "sklearn.datasets"))
    rows = []
    for name in SETS:
        if not (options.data / name).exists():
            print(f"{name}: left out, it is not in {options.data} (--data)")
            continue
        X, labels = datasets.load_svmlight_file(str(options.data / name))
        if options.tiny:
            X, labels = X[:FEW], labels[:FEW]
        y = np.where(labels == labels.max(), 1.0, -1.0)
        for intercept, peer in rivals:
            file = folder / f"{name}_{intercept:g}.h5"
            write(h5py, sparse, np, file, X, y, intercept)
            result = solve(pliant, file, options, folder / "solution.h5")
            check = pliant.check(file, folder / "solution.h5", options.tolerance, options.tolerance)
            ours = result["time"]["setup"] + result["time"]["solve"]
            seconds, value, ended = peers.run(peer, file, result["objective"], options.limit)
            apart = None if value is None else (value - result["objective"]) / (1 + abs(result["objective"]))
            certified = result["status"] == "optimal" and check["satisfied"]
            rows.append([name.split(".")[0], f"{X.shape[0]} x {X.shape[1]}", "shrunk" if intercept else "free",
                         "ok" if certified else result["status"], f"{result['passes']:.2f}", f"{ours:.3g}", peer,
                         f"{seconds:.3g}" if ended else f"> {options.limit:g}",
                         f"{(seconds if ended else options.limit) / ours:.2g}",
                         "no answer" if apart is None else f"{apart:.1e}"])
            file.unlink()
            print(f"done: {name} by {peer}", flush=True)
    if rows:
        support.print_table(["data", "samples x features", "intercept", "certified", "passes", "pliant s", "peer", "peer s",
                             "ratio", "its value is off by"], rows)
