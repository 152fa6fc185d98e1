"""The truth about problems with soft rows, from the raw numbers of their files: values in exact arithmetic, LPs by HiGHS."""

from fractions import Fraction

import h5py
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

EXACT = np.vectorize(Fraction, otypes=[object])


def _text(node, name):
    value = node.attrs[name]
    return value.decode() if isinstance(value, bytes) else str(value)


def _matrix(node):
    if isinstance(node, h5py.Group):
        parts = (node["data"][:], node["indices"][:], node["indptr"][:])
        return sparse.csr_matrix(parts, shape=tuple(node.attrs["shape"])).toarray()
    return node[:]


class Rows:
    """sign_i g_i'x - c_i <= 0 with prices w_i; None: hard."""

    def __init__(self, group, n):
        G = _matrix(group["G"]).reshape(-1, n)
        upper = group["upper"][:]
        lower = group["lower"][:] if "lower" in group else np.full(len(upper), -np.inf)
        self.G, self.c, self.row, self.sign = [], [], [], []
        for i in range(len(upper)):
            for bound, sign in ((upper[i], 1.0), (-lower[i], -1.0)):
                if np.isfinite(bound):
                    self.G.append(sign * G[i])
                    self.c.append(bound)
                    self.row.append(i)
                    self.sign.append(sign)
        self.G, self.c = np.array(self.G).reshape(-1, n), np.array(self.c)
        self.row, self.sign = np.array(self.row, dtype=int), np.array(self.sign)
        self.weights = group["weights"][:] if "weights" in group else None

    def values(self, x):
        return [sum((g * t for g, t in zip(row, x)), -c) for row, c in zip(EXACT(self.G), EXACT(self.c))]


class Raw:
    """A saved problem with linear and quadratic terms, a separable or simplex prox term and linear rows."""

    def __init__(self, file):
        with h5py.File(file) as f:
            self.n = n = int(f.attrs["n"])
            self.c, self.P, self.constant = np.zeros(n), np.zeros((n, n)), 0.0
            self.linear, self.quadratic = [], []
            for k in range(len(f.get("objective", ()))):
                term = f["objective"][str(k)]
                weight = float(term.attrs.get("weight", 1.0))
                kind = _text(term, "kind")
                if kind == "linear":
                    self.linear.append((weight, term["c"][:], float(term.attrs.get("constant", 0.0))))
                elif kind == "quadratic":
                    self.quadratic.append((weight, _matrix(term["P"]), term["q"][:]))
                else:
                    raise AssertionError(kind)
            prox = f.get("prox")
            simplex = prox is not None and _text(prox, "kind") == "simplex"
            separable = prox is not None and not simplex
            assert not separable or _text(prox, "kind") == "separable"
            self.simplex = float(prox.attrs["radius"]) if simplex else None
            self.l1 = float(prox.attrs.get("l1", 0.0)) if separable else 0.0
            self.l2 = float(prox.attrs.get("l2", 0.0)) if separable else 0.0
            self.lo = prox["lo"][:] if separable and "lo" in prox else np.full(n, -np.inf)
            self.hi = prox["hi"][:] if separable and "hi" in prox else np.full(n, np.inf)
            if self.simplex is not None:
                self.lo = np.zeros(n)
            self.batches = [Rows(f["constraints"][str(b)], n) for b in range(len(f.get("constraints", ())))]
            self.E = _matrix(f["equalities"]["E"]) if "equalities" in f else np.zeros((0, n))
            self.e = f["equalities"]["e"][:] if "equalities" in f else np.zeros(0)

    def exact_objective(self, x):
        """F(x) of the floating-point numbers x, as a fraction."""
        x = [Fraction(float(t)) for t in x]
        total = Fraction(0)
        for weight, c, constant in self.linear:
            total += Fraction(weight) * (sum(Fraction(a) * t for a, t in zip(c, x)) + Fraction(constant))
        for weight, P, q in self.quadratic:
            form = sum(Fraction(P[i, j]) * x[i] * x[j] for i in range(self.n) for j in range(self.n)) / 2
            total += Fraction(weight) * (form + sum(Fraction(a) * t for a, t in zip(q, x)))
        total += Fraction(self.l1) * sum(abs(t) for t in x) + Fraction(self.l2) / 2 * sum(t * t for t in x)
        for rows in self.batches:
            if rows.weights is not None:
                total += sum(Fraction(w) * max(Fraction(0), a) for w, a in zip(rows.weights, rows.values(x)))
        return total

    def exactly_feasible(self, x):
        """Hard rows, equalities and bounds, without any tolerance."""
        point = [Fraction(float(t)) for t in x]
        if any(Fraction(float(t)) > Fraction(hi) for t, hi in zip(x, self.hi) if np.isfinite(hi)):
            return False
        if any(Fraction(float(t)) < Fraction(lo) for t, lo in zip(x, self.lo) if np.isfinite(lo)):
            return False
        if self.simplex is not None and sum(point) != Fraction(self.simplex):
            return False
        if any(sum(Fraction(a) * t for a, t in zip(row, point)) != Fraction(b) for row, b in zip(self.E, self.e)):
            return False
        return all(max(rows.values(point), default=0) <= 0 for rows in self.batches if rows.weights is None)

    def solve_lp(self):
        """HiGHS on the form with slacks; needs an objective without squares."""
        assert not self.quadratic and self.l2 == 0.0
        n, soft = self.n, [rows for rows in self.batches if rows.weights is not None]
        slacks = sum(len(rows.c) for rows in soft)
        total = n + slacks + n
        cost = np.concatenate([sum((w * c for w, c, _ in self.linear), np.zeros(n)),
                               *(rows.weights for rows in soft), np.full(n, self.l1)])
        blocks, rhs, at = [], [], n
        for rows in self.batches:
            block = np.zeros((len(rows.c), total))
            block[:, :n] = rows.G
            if rows.weights is not None:
                block[:, at : at + len(rows.c)] = -np.eye(len(rows.c))
                at += len(rows.c)
            blocks.append(block)
            rhs.append(rows.c)
        for sign in (1.0, -1.0):
            block = np.zeros((n, total))
            block[:, :n], block[:, n + slacks :] = sign * np.eye(n), -np.eye(n)
            blocks.append(block)
            rhs.append(np.zeros(n))
        E, e = [np.hstack([self.E, np.zeros((len(self.E), total - n))])], [self.e]
        if self.simplex is not None:
            E.append(np.concatenate([np.ones(n), np.zeros(total - n)])[None])
            e.append([self.simplex])
        E, e = np.vstack(E), np.concatenate(e)
        bounds = [*zip(self.lo, self.hi), *([(0, None)] * (total - n))]
        out = linprog(cost, np.vstack(blocks), np.concatenate(rhs), E if len(E) else None, e if len(E) else None, bounds,
                      options=dict(primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9))
        constant = sum(w * k for w, _, k in self.linear)
        return out.status, (out.x[:n] if out.x is not None else None), (out.fun + constant if out.fun is not None else None)
