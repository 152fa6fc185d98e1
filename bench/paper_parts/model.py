"""A convex problem as NumPy data: evaluated in any precision for references, written as a container for pliant.

    minimise  sum of weight * term(x) + l2/2 |x|^2   s.t.  a_i(x) <= 0

Functions follow the precision of x: residuals of a reference are computed in long double.
"""

import dataclasses

import h5py
import numpy as np


def softmax(Z):
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def sigmoid(t):
    return np.where(t >= 0, 1 / (1 + np.exp(-np.abs(t))), np.exp(-np.abs(t)) / (1 + np.exp(-np.abs(t))))


@dataclasses.dataclass
class GeneralizedLinear:
    """weight/l sum loss(a_i'x, t_i); kind is that of the container."""
    kind: str
    A: np.ndarray
    targets: np.ndarray
    weight: float = 1.0
    k: float = 1.0  # of huber

    def slopes(self, z):
        t = self.targets
        if self.kind == "least_squares":
            return z - t, np.ones_like(z)
        if self.kind == "huber":
            return np.clip(z - t, -self.k, self.k), (np.abs(z - t) <= self.k).astype(z.dtype)
        s = sigmoid(-t * z)
        return -t * s, s * (1 - s)

    def gradient(self, x):
        return self.A.astype(x.dtype).T @ self.slopes(self.A.astype(x.dtype) @ x)[0] * self.weight / len(self.A)

    def hessian(self, x):
        return (self.A.T * self.slopes(self.A @ x)[1]) @ self.A * self.weight / len(self.A)

    def write(self, group):
        group.attrs["kind"], group.attrs["weight"] = self.kind, self.weight
        group["A"], group["y" if self.kind == "logistic" else "b"] = self.A, self.targets
        if self.kind == "huber":
            group.attrs["k"] = self.k


@dataclasses.dataclass
class Multinomial:
    """weight/l sum [ln sum_c exp(a_i'w_c) - a_i'w_label], x = (w_0, ..., w_{classes-1})."""
    A: np.ndarray
    labels: np.ndarray
    classes: int
    weight: float = 1.0

    def gradient(self, x):
        A = self.A.astype(x.dtype)
        P = softmax(A @ x.reshape(self.classes, -1).T)
        P[np.arange(len(A)), self.labels] -= 1
        return (P.T @ A).ravel() * x.dtype.type(self.weight) / len(A)

    def hessian(self, x):
        P = softmax(self.A @ x.reshape(self.classes, -1).T)
        d = self.A.shape[1]
        H = np.zeros((self.classes * d,) * 2)
        for c in range(self.classes):
            for e in range(self.classes):
                w = P[:, c] * ((c == e) - P[:, e])
                H[c * d:(c + 1) * d, e * d:(e + 1) * d] = (self.A.T * w) @ self.A
        return H * self.weight / len(self.A)

    def write(self, group):
        group.attrs["kind"], group.attrs["weight"], group.attrs["classes"] = "multinomial", self.weight, self.classes
        group["A"], group["labels"] = self.A, self.labels


@dataclasses.dataclass
class Linear:
    """G x <= h"""
    G: np.ndarray
    h: np.ndarray

    def values(self, x):
        return self.G.astype(x.dtype) @ x - self.h

    def jacobian(self, x, rows):
        return self.G[rows].astype(x.dtype)

    def hessian(self, x, rows, weights):
        return 0.0

    def write(self, group):
        group.attrs["family"] = "linear"
        # Mostly zero rows (several classes) are stored sparse.
        if np.count_nonzero(self.G) > 0.6 * self.G.size:
            group["G"] = self.G
        else:
            csr = group.create_group("G")
            csr.attrs["shape"] = self.G.shape
            rows, columns = np.nonzero(self.G)
            csr["indptr"] = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(self.G)))])
            csr["indices"], csr["data"] = columns, self.G[rows, columns]
        group["upper"] = self.h


@dataclasses.dataclass
class Quadratic:
    """1/2 |F_i x|^2 + q_i'x + r_i <= 0"""
    F: np.ndarray
    q: np.ndarray
    r: np.ndarray

    def values(self, x):
        Fx = np.einsum("ikn,n->ik", self.F, x)
        return (Fx * Fx).sum(axis=1) / 2 + self.q @ x + self.r

    def jacobian(self, x, rows):
        F = self.F[rows].astype(x.dtype)
        return np.einsum("ikn,ik->in", F, np.einsum("ikn,n->ik", F, x)) + self.q[rows]

    def hessian(self, x, rows, weights):
        return np.einsum("ikn,ikp,i->np", self.F[rows], self.F[rows], weights)

    def write(self, group):
        group.attrs["family"] = "quadratic"
        group["factors"], group["q"], group["r"] = self.F, self.q, self.r


@dataclasses.dataclass
class SecondOrder:
    """|E_i x + b_i| <= c_i'x + d_i, as a_i = |E_i x + b_i| - c_i'x - d_i; smooth where E_i x + b_i is not 0."""
    E: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray

    def inner(self, x, rows=slice(None)):
        u = np.einsum("ikn,n->ik", self.E[rows].astype(x.dtype), x) + self.b[rows]
        return u, np.sqrt((u * u).sum(axis=1))

    def values(self, x):
        return self.inner(x)[1] - self.c @ x - self.d

    def jacobian(self, x, rows):
        u, length = self.inner(x, rows)
        return np.einsum("ikn,ik->in", self.E[rows].astype(x.dtype), u / length[:, None]) - self.c[rows]

    def hessian(self, x, rows, weights):
        u, length = self.inner(x, rows)
        E, w = self.E[rows], weights / length
        g = np.einsum("ikn,ik->in", E, u / length[:, None])
        return np.einsum("ikn,ikp,i->np", E, E, w) - (g.T * w) @ g

    def multipliers(self, duals):
        """Points (t, z) of the dual cones, t the multiplier of a_i."""
        return duals.reshape(len(self.d), -1)[:, 0]

    def write(self, group):
        m, k, n = self.E.shape
        group["G"] = -np.concatenate([self.c[:, None, :], self.E], axis=1).reshape(m * (k + 1), n)
        group["h"] = np.concatenate([self.d[:, None], self.b], axis=1).ravel()
        cones = group.create_group("cones")
        cones["kinds"] = np.array(["soc"], dtype=h5py.string_dtype())
        cones["rows"], cones["count"], cones["alpha"] = [k + 1], [m], [0.5]


@dataclasses.dataclass
class LogSumExp:
    """ln sum_k exp(A_ik'x + b_ik) <= 0"""
    A: np.ndarray
    b: np.ndarray

    def values(self, x):
        Z = np.einsum("ikn,n->ik", self.A, x) + self.b
        top = Z.max(axis=1)
        return top + np.log(np.exp(Z - top[:, None]).sum(axis=1))

    def weights(self, x, rows):
        return softmax(np.einsum("ikn,n->ik", self.A[rows].astype(x.dtype), x) + self.b[rows])

    def jacobian(self, x, rows):
        return np.einsum("ikn,ik->in", self.A[rows].astype(x.dtype), self.weights(x, rows))

    def hessian(self, x, rows, weights):
        A, S = self.A[rows], self.weights(x, rows)
        g = np.einsum("ikn,ik->in", A, S)
        return np.einsum("ikn,ikp,ik,i->np", A, A, S, weights, optimize=True) - (g.T * weights) @ g

    def write(self, group):
        group.attrs["family"] = "log_sum_exp"
        group["A"], group["b"] = self.A, self.b


@dataclasses.dataclass
class Model:
    name: str
    n: int
    terms: list
    l2: float
    rows: object  # one family of constraints
    xi: float = None  # published penalty parameter, where there is one

    @property
    def m(self):
        return len(self.rows.values(np.zeros(self.n)))

    @property
    def components(self):
        return sum(len(t.A) for t in self.terms)

    def gradient(self, x):
        return sum((t.gradient(x) for t in self.terms), self.l2 * x)

    def hessian(self, x):
        return sum((t.hessian(x) for t in self.terms), self.l2 * np.eye(self.n))

    def write(self, path):
        with h5py.File(path, "w") as f:
            f.attrs["format"], f.attrs["version"], f.attrs["n"] = "pliant-problem", 1, self.n
            f.attrs["name"] = self.name
            for i, term in enumerate(self.terms):
                term.write(f.create_group(f"objective/{i}"))
            prox = f.create_group("prox")
            prox.attrs["kind"], prox.attrs["l2"] = "separable", self.l2
            self.rows.write(f.create_group("conic/0" if isinstance(self.rows, SecondOrder) else "constraints/0"))
