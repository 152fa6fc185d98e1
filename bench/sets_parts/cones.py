"""Cones in the container's numbers: distances, dual cones, and orders of rows that other solvers want.

Row order and scaling are the container's (docs/container.md). The formulas are those of `pliant check`
(docs/certificate.md): min {t : s + t e in K}, and multipliers moved into K*.
"""

import math

import support

np = support.require("numpy", "")


def order(rows):
    """p of p(p+1)/2."""
    return (math.isqrt(8 * rows + 1) - 1) // 2


def places(p):
    """(rows, columns) of the lower triangle, column by column."""
    columns, rows = np.triu_indices(p)
    return rows, columns


def matrix(s):
    p = order(s.size)
    rows, columns = places(p)
    S = np.zeros((p, p))
    S[rows, columns] = np.where(rows == columns, s, s / math.sqrt(2.0))
    return S + np.tril(S, -1).T


def vector(S):
    rows, columns = places(S.shape[0])
    return np.where(rows == columns, 1.0, math.sqrt(2.0)) * S[rows, columns]


def in_exponential(x, y, z):
    if y > 0.0:
        return z > 0.0 and x <= y * math.log(z / y)
    return y == 0.0 and x <= 0.0 <= z


def in_power(alpha, x, y, z):
    if x < 0.0 or y < 0.0:
        return False
    return z == 0.0 or (x > 0.0 and y > 0.0 and alpha * math.log(x) + (1.0 - alpha) * math.log(y) >= math.log(abs(z)))


def least_shift(inside, scale):
    """The smallest t with inside(t), by bisection; inside is false below it and true above."""
    out, into = -scale, scale
    while inside(out) and out > -1e300:
        into, out = out, 2.0 * out
    while not inside(into) and into < 1e300:
        out, into = into, 2.0 * into if into > 0.0 else scale
    for _ in range(200):
        middle = 0.5 * (out + into)
        if middle in (out, into):
            break
        out, into = (out, middle) if inside(middle) else (middle, into)
    return into


def distance(kind, alpha, s):
    if not np.isfinite(s).all():
        return math.inf
    scale = max(1e-300, float(np.max(np.abs(s))))
    if kind == "zero":
        return float(np.max(np.abs(s)))
    if kind == "nonneg":
        return float(np.max(-s))
    if kind == "soc":
        return float(np.linalg.norm(s[1:]) - s[0])
    if kind == "psd":
        return float(-np.linalg.eigvalsh(matrix(s))[0])
    if kind == "exp":
        return least_shift(lambda t: in_exponential(s[0] - t, s[1] + t, s[2] + t), scale)
    return least_shift(lambda t: in_power(alpha, s[0] + t, s[1] + t, s[2]), scale)


def into_dual(kind, alpha, z):
    """The point of K* that stands for z."""
    if kind == "nonneg":
        return np.maximum(z, 0.0)
    if kind == "soc":
        norm = np.linalg.norm(z[1:])
        if norm <= z[0]:
            return z
        half = max(0.0, 0.5 * (z[0] + norm))
        return np.concatenate([[half], half * z[1:] / norm])
    if kind == "psd":
        values, vectors = np.linalg.eigh(matrix(z))
        return z if values[0] >= 0.0 else vector((vectors * np.maximum(values, 0.0)) @ vectors.T)
    scale = max(1e-300, float(np.max(np.abs(z)))) if z.size else 1.0
    if kind == "exp":
        inside = lambda t: in_exponential(z[0] - z[1] - 2.0 * t, t - z[0], z[2] + t)  # noqa: E731
        return z if inside(0.0) else z + least_shift(inside, scale) * np.array([-1.0, 1.0, 1.0])
    if kind == "pow":
        inside = lambda t: in_power(alpha, z[0] / alpha + t, z[1] / (1.0 - alpha) + t, z[2])  # noqa: E731
        return z if inside(0.0) else z + least_shift(inside, scale) * np.array([alpha, 1.0 - alpha, 0.0])
    return z


def each(cones):
    """(kind, alpha, slice of its rows) of every cone."""
    first = 0
    for kind, rows, alpha in cones:
        yield kind, alpha, slice(first, first + rows)
        first += rows


def violation(cones, s, h):
    """How far s is outside, relative to 1 + |h|: each row of a nonnegative or zero cone on its own scale, others as one."""
    def relative(kind, alpha, rows):
        scale = 1.0 + np.abs(h[rows])
        if kind in ("nonneg", "zero"):
            each_row = zip(np.arange(s.size)[rows], scale)
            return max((distance(kind, alpha, s[i : i + 1]) / c for i, c in each_row), default=0.0)
        return distance(kind, alpha, s[rows]) / np.max(scale, initial=1.0)

    return max([0.0, *(relative(*cone) for cone in each(cones))])


def dual_point(cones, z):
    out = np.array(z, dtype=float)
    for kind, alpha, rows in each(cones):
        out[rows] = into_dual(kind, alpha, out[rows])
    return out


def upper_triangle(p):
    """Places of svec's rows in the upper triangle, column by column: what Clarabel takes."""
    rows, columns = places(p)
    rank = columns + rows * (rows + 1) // 2  # of (column, row) as an upper entry
    return np.argsort(rank)


def read(group):
    """The cones of a container's group, one (kind, rows, alpha) each."""
    kinds, rows, count = group["kinds"][:], group["rows"][:], group["count"][:]
    alpha = group["alpha"][:] if "alpha" in group else np.full(len(rows), 0.5)
    names = [kind.decode() if isinstance(kind, bytes) else str(kind) for kind in kinds]
    out = []
    for kind, size, times, a in zip(names, rows, count, alpha):
        if kind in ("zero", "nonneg"):
            out.append((kind, int(size) * int(times), 0.5))
        else:
            out += [(kind, int(size), float(a))] * int(times)
    return out
