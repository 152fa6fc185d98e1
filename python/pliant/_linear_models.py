"""What the estimators share: variables, constraints, the solve and its outcome."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from ._constraints import Handle, equal, linear_le, linear_range
from ._problem import Problem
from ._regularizers import box, l1, l2_squared
from ._result import Result
from ._terms import linear, quadratic


@dataclass(frozen=True)
class Variables:
    """Where coefficients w and the intercept b stand among the variables of a problem.

    The intercept is not regularised, but an l1 term counts all variables alike: with both, w = p - q for p, q >= 0.
    """

    features: int
    intercept: bool
    split: bool

    @property
    def count(self) -> int:
        return self.features * (2 if self.split else 1) + self.intercept

    def columns(self, on_w: Any, on_b: np.ndarray | None = None) -> Any:
        """Rows that act on w, and on b by `on_b`, as rows that act on the variables."""
        parts = [on_w, -on_w] if self.split else [on_w]
        if self.intercept:
            parts.append((np.zeros(on_w.shape[0]) if on_b is None else on_b)[:, None])
        if len(parts) == 1:
            return on_w
        return sparse.hstack(parts, format="csr") if sparse.issparse(on_w) else np.hstack(parts)

    def read(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """(w, b) of a solution."""
        w = x[: self.features] - x[self.features : 2 * self.features] if self.split else x[: self.features].copy()
        return w, float(x[-1]) if self.intercept else 0.0

    def regularize(self, problem: Problem, l2: float, l1_weight: float) -> None:
        """Adds l2/2 |w|^2 + l1 |w|_1."""
        if not self.intercept:
            terms = [term(weight) for term, weight in ((l2_squared, l2), (l1, l1_weight)) if weight > 0]
            problem.regularize(*terms)
            return
        if l2 > 0:  # |p|^2 + |q|^2 = |w|^2, because p and q are never both positive at a solution
            square = np.full(self.count, l2)
            square[-1] = 0.0
            problem.add_to_objective(quadratic(np.diag(square)))
        if self.split:
            cost, low = np.full(self.count, l1_weight), np.zeros(self.count)
            cost[-1], low[-1] = 0.0, -np.inf
            problem.add_to_objective(linear(cost))
            problem.regularize(box(low, np.inf))


class ConstrainedLinearModel(BaseEstimator):
    """What the estimators share: constraints, the solve, and its outcome."""

    def _variables(self, features: int) -> Variables:
        l1_weight = nonnegative_number(getattr(self, "l1", 0.0), "l1")
        return Variables(features, self.fit_intercept, l1_weight > 0 and self.fit_intercept)

    def _rows(self, given: Any, name: str, variables: Variables) -> tuple[Any, np.ndarray]:
        """A pair (matrix, right-hand side) on (w) or (w, b), checked, as rows on the variables."""
        try:
            matrix, right = given
        except (TypeError, ValueError):
            raise ValueError(f"{name}: expected a pair (matrix, right-hand side), got {type(given).__name__}") from None
        matrix = check_array(matrix, accept_sparse="csr", dtype=np.float64, input_name=f"{name} (matrix)")
        right = np.broadcast_to(np.asarray(right, dtype=np.float64), (matrix.shape[0],)).copy()
        n, on_b = variables.features, None
        if matrix.shape[1] == n + 1 and variables.intercept:
            last = matrix[:, [n]]
            on_b = np.asarray(last.todense() if sparse.issparse(last) else last).ravel()
            matrix = matrix[:, :n]
        elif matrix.shape[1] != n:
            also = f" or {n + 1} (with the intercept)" if variables.intercept else ""
            raise ValueError(f"{name}: expected {n}{also} columns, got {matrix.shape[1]}")
        return variables.columns(matrix, on_b), right

    def _constrain(self, problem: Problem, variables: Variables, X: Any, weights: np.ndarray,
                   sensitive: Any) -> dict[str, Handle]:
        """Adds constraints, equalities and fairness conditions."""
        handles = {}
        if self.constraints is not None:
            rows = linear_le(*self._rows(self.constraints, "constraints", variables))
            handles["constraint"] = problem.subject_to(rows, name="constraints")
        if self.equalities is not None:
            rows = equal(*self._rows(self.equalities, "equalities", variables))
            handles["equality"] = problem.subject_to(rows)
        if self.fairness is None:
            return handles
        if sensitive is None:
            raise ValueError("fairness: fit needs the sensitive attributes: fit(X, y, sensitive=S)")
        bound = nonnegative_number(self.fairness, "fairness")
        S = check_array(sensitive, ensure_2d=False, dtype=np.float64, input_name="sensitive")
        S = S.reshape(S.shape[0], -1)
        if S.shape[0] != X.shape[0]:
            raise ValueError(f"sensitive: expected {X.shape[0]} rows, got {S.shape[0]}")
        # cov(s, Xw + b) = sum_i v_i (s_i - mean) x_i'w: the intercept drops out.
        share = weights / weights.sum()
        centred = share[:, None] * (S - share @ S)
        rows = variables.columns(np.asarray((X.T @ centred).T))
        handles["fairness"] = problem.subject_to(linear_range(-bound, rows, bound), name="fairness")
        return handles

    def _run(self, problem: Problem, variables: Variables, handles: dict[str, Handle]) -> tuple[np.ndarray, float]:
        """Solves; keeps the result and its duals. Returns (w, b)."""
        return self._take(problem.solve(**self._settings()), variables, handles)

    def _settings(self) -> dict[str, Any]:
        tol = nonnegative_number(self.tol, "tol")
        return dict(tol_gap=tol, tol_feas=tol, time_limit=self.time_limit)

    def _take(self, result: Result, variables: Variables, handles: dict[str, Handle]) -> tuple[np.ndarray, float]:
        """Keeps a result and its duals. Returns (w, b)."""
        if result.status == "primal_infeasible":
            raise ValueError(self._contradiction(result))
        if result.status == "interrupted":
            raise KeyboardInterrupt
        if result.status != "optimal":
            warnings.warn(
                f"{type(self).__name__}: {result.status} ({result.message}); relative gap {result.gap_rel:.1e}, "
                f"violation {result.violation_rel:.1e}",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.result_ = result
        self.n_iter_ = max(1, result.iterations)
        for name in ("constraint", "equality", "fairness"):
            handle = handles.get(name)
            setattr(self, f"{name}_duals_", None if handle is None else result.duals[handle.index])
        return variables.read(result.x)

    def _contradiction(self, result: Result) -> str:
        return f"constraints: no coefficients satisfy all of them ({result.message})"

    @property
    def certificate_(self) -> dict[str, Any]:
        """What is known of the solution: objective, bound and its kind, gap, violation, dual residual."""
        check_is_fitted(self, "result_")
        names = ("status", "objective", "lower_bound", "lower_bound_kind", "gap_abs", "gap_rel", "violation",
                 "dual_residual")
        return {name: getattr(self.result_, name) for name in names}

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ self.coef_.ravel() + np.ravel(self.intercept_)[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def nonnegative_number(value: Any, name: str) -> float:
    if not (np.isscalar(value) and np.isreal(value) and 0 <= value < np.inf):
        raise ValueError(f"{name}: expected a number >= 0, got {value!r}")
    return float(value)


def ones(X: Any) -> np.ndarray:
    return np.ones(X.shape[0])


def scale_rows(X: Any, factors: np.ndarray) -> Any:
    return sparse.csr_array(sparse.diags_array(factors) @ X) if sparse.issparse(X) else factors[:, None] * X


class BinaryClassifier(ClassifierMixin, ConstrainedLinearModel):
    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        """X, labels of -1 and 1, and weights; samples without weight are left out."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        self.classes_ = np.unique(y)
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        used = weights > 0
        if len(self.classes_) < 2 or np.ptp(signs[used]) == 0:
            raise ValueError("y: expected samples of two classes, got one class")
        return X, signs, weights

    def decision_function(self, X):
        """X w + b: positive for classes_[1]."""
        return self._scores(X)

    def predict(self, X):
        """The more likely class of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
