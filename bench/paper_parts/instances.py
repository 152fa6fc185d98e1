"""The instances of the experiments. N(0,1) numbers come from NumPy's default generator with the given seed."""

import numpy as np

from . import model


def unit(M):
    return M / np.linalg.norm(M, axis=1, keepdims=True)


def ridge(seed):
    """(1/2l)|Phi x - y|^2 + 0.05 |x|^2, l = m = 100, n = 200."""
    random = np.random.default_rng(seed)
    l = m = 100
    n = 200
    term = model.GeneralizedLinear("least_squares", random.standard_normal((l, n)), random.standard_normal(l))
    rows = model.Linear(unit(random.standard_normal((m, n))), random.standard_normal(m))
    return model.Model(f"ridge, seed {seed}", n, [term], 0.1, rows, 5.0)


def binary_logistic(seed):
    """sum of losses + 0.025 |w|^2, l = m = 100, n = 500; the sum is not divided by l."""
    random = np.random.default_rng(seed)
    count, n = 100, 500
    w0 = random.standard_normal(n)
    w0 /= np.linalg.norm(w0)
    X, noise, Z = (unit(random.standard_normal((count, n))) for _ in range(3))
    y = np.where(X @ w0 > 0, 1.0, -1.0)
    term = model.GeneralizedLinear("logistic", X + 0.1 * noise, y, weight=count)
    signs = np.sign(Z @ w0)
    rows = model.Linear(-signs[:, None] * Z, -np.ones(count))
    return model.Model(f"binary logistic, seed {seed}", n, [term], 0.05, rows, 1.0)


def four_classes(seed):
    """The same with four classes: n = 4 * 500, 300 rows (w_label - w_other)'z >= 1."""
    random = np.random.default_rng(seed)
    count, d, classes = 100, 500, 4
    W0 = unit(random.standard_normal((classes, d)))
    X, noise, Z = (unit(random.standard_normal((count, d))) for _ in range(3))
    term = model.Multinomial(X + 0.1 * noise, np.argmax(X @ W0.T, axis=1), classes, weight=count)
    G = []
    for z, label in zip(Z, np.argmax(Z @ W0.T, axis=1)):
        for other in range(classes):
            if other != label:
                row = np.zeros((classes, d))
                row[label], row[other] = -z, z
                G.append(row.ravel())
    rows = model.Linear(np.array(G), -np.ones(len(G)))
    return model.Model(f"4-class logistic, seed {seed}", classes * d, [term], 0.05, rows, 1.0)


def large_sum(seed, mu, l=20000, m=2000, n=50):
    """Logistic loss of many samples, labels drawn with probability sigma(8 x'w0); rows of norm 1, h > 0."""
    random = np.random.default_rng(seed)
    w0 = random.standard_normal(n)
    w0 /= np.linalg.norm(w0)
    X = unit(random.standard_normal((l, n)))
    y = np.where(random.random(l) < model.sigmoid(8 * X @ w0), 1.0, -1.0)
    rows = model.Linear(unit(random.standard_normal((m, n))), 0.5 * np.abs(random.standard_normal(m)) + 0.1)
    return model.Model(f"large sum, mu {mu:g}", n, [model.GeneralizedLinear("logistic", X, y)], mu, rows)


def unit_rows(seed, m, n=50, mu=0.01, aligned=False):
    """Least squares with unit rows on both sides, l = m: everything fixed but m. Aligned rows share one direction v, up
    to a tenth of their squared length, so that the constant of the sum is nearly the sum of the constants."""
    random = np.random.default_rng(seed)
    v = np.sqrt(n) * unit(random.standard_normal((1, n)))[0] if aligned else np.zeros(n)
    x0 = random.standard_normal(n) + v
    x0 *= 4 / np.linalg.norm(x0)
    A = unit(random.standard_normal((m, n)) + 3 * v)
    term = model.GeneralizedLinear("least_squares", A, A @ x0 + 0.1 * random.standard_normal(m))
    rows = model.Linear(unit(random.standard_normal((m, n)) + 3 * v), 0.1 + 0.3 * np.abs(random.standard_normal(m)))
    return model.Model(f"{'aligned' if aligned else 'unit'} rows, m {m}", n, [term], mu, rows)


SETS = ("ellipsoids", "balls", "second-order cones")


def sets(kind, seed, n=20, l=300, m=200, mu=0.05):
    """Ridge over an intersection of curved sets with cheap projections; x = 0 is strictly inside all of them."""
    random = np.random.default_rng(seed)
    A, x0 = random.standard_normal((l, n)), 2 * unit(random.standard_normal((1, n)))[0]
    term = model.GeneralizedLinear("least_squares", A, A @ x0 + 0.1 * random.standard_normal(l))
    directions = unit(random.standard_normal((m, n)))
    if kind == "ellipsoids":  # unbounded ones: quadratics of rank 2
        rows = model.Quadratic(0.7 * random.standard_normal((m, 2, n)) / np.sqrt(n),
                               random.standard_normal((m, n)) / np.sqrt(n), -0.3 - 0.1 * random.random(m))
    elif kind == "balls":  # 1/2 |x - c|^2 <= 1/2 r^2, 0.35 to 0.45 away from the nearest boundary
        radius = 1 + 2 * random.random(m)
        centres = (radius - 0.35 - 0.1 * random.random(m))[:, None] * directions
        rows = model.Quadratic(np.broadcast_to(np.eye(n), (m, n, n)).copy(), -centres,
                               ((centres ** 2).sum(axis=1) - radius ** 2) / 2)
    else:  # circular: three orthogonal rows, the first one half as long
        frames = np.linalg.qr(random.standard_normal((m, n, 3)))[0].transpose(0, 2, 1)
        rows = model.SecondOrder(frames[:, 1:], 0.2 * random.standard_normal((m, 2)), 0.5 * frames[:, 0],
                                 0.8 + 0.1 * random.random(m))
    return model.Model(f"ridge, {kind}", n, [term], mu, rows)


OBJECTIVES = ("ridge", "logistic", "huber")
FAMILIES = ("linear", "quadratic", "log_sum_exp")


def combination(objective, family, seed, n=20, l=300, m=200, mu=0.05):
    """One cell of the 3 x 3 table: x = 0 is strictly feasible and the unconstrained minimiser is not feasible."""
    random = np.random.default_rng(seed)
    A, x0 = random.standard_normal((l, n)), 2 * unit(random.standard_normal((1, n)))[0]
    noise = random.standard_normal(l)
    if objective == "ridge":
        term = model.GeneralizedLinear("least_squares", A, A @ x0 + 0.1 * noise)
    elif objective == "huber":
        heavy = np.where(random.random(l) < 0.1, 10.0, 0.1)
        term = model.GeneralizedLinear("huber", A, A @ x0 + heavy * noise, k=0.5)
    else:
        term = model.GeneralizedLinear("logistic", A, np.where(A @ x0 + 0.5 * noise > 0, 1.0, -1.0))
    if family == "linear":
        rows = model.Linear(unit(random.standard_normal((m, n))), 0.3 + 0.1 * random.random(m))
    elif family == "quadratic":
        rows = model.Quadratic(0.7 * random.standard_normal((m, 2, n)) / np.sqrt(n),
                               random.standard_normal((m, n)) / np.sqrt(n), -0.3 - 0.1 * random.random(m))
    else:
        rows = model.LogSumExp(2 * random.standard_normal((m, 4, n)) / np.sqrt(n),
                               -np.log(4) - 0.5 - 0.1 * random.random((m, 4)))
    return model.Model(f"{objective}, {family}", n, [term], mu, rows)
