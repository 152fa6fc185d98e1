"""Estimators in the style of scikit-learn whose coefficients obey constraints (needs scikit-learn 1.6 or later).

Every estimator takes ``constraints=(G, h)``, meaning G w <= h for the coefficients w, and ``equalities=(E, e)``. A matrix
with one more column acts on the intercept with its last one. ``fairness=t`` bounds the covariance between sensitive
attributes, ``fit(X, y, sensitive=S)``, and the scores X w + b by t. Constraints that contradict each other raise a
ValueError. After ``fit``, ``result_`` holds the solve and ``certificate_`` what is proved of it.

>>> import numpy as np
>>> from pliant.estimators import ConstrainedRidge
>>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([2.0, -1.0, 1.0])
>>> model = ConstrainedRidge(alpha=1e-3, constraints=(-np.eye(2), np.zeros(2))).fit(X, y)  # w >= 0
>>> (model.coef_ >= -1e-8).all(), model.result_.status
(np.True_, 'optimal')
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._constraints import linear_le
from ._needs import needs
from ._problem import Problem
from ._terms import Objective, least_squares, logistic

try:
    from sklearn.base import RegressorMixin
    from sklearn.utils.validation import _check_sample_weight, validate_data

    from ._linear_models import BinaryClassifier, ConstrainedLinearModel, nonnegative_number, ones, scale_rows
    from ._soft_models import LeastAbsoluteDeviation, LinearSVR, QuantileRegressor, SoftMarginSVM
except ImportError as error:
    raise needs("pliant.estimators", "scikit-learn 1.6 or later", error) from error

__all__ = [
    "ConstrainedLogisticRegression",
    "ConstrainedRidge",
    "HardMarginSVM",
    "LeastAbsoluteDeviation",
    "LinearSVR",
    "QuantileRegressor",
    "SoftMarginSVM",
]


class ConstrainedRidge(RegressorMixin, ConstrainedLinearModel):
    """Least squares with constraints on the coefficients:

        minimise  1/2 sum_i v_i (y_i - x_i'w - b)^2 + alpha/2 |w|^2 + l1 |w|_1   subject to the constraints

    with sample weights v. ``alpha`` means what it means in scikit-learn's Ridge; ``l1`` is n_samples times the alpha of
    its Lasso.

    >>> import numpy as np
    >>> from pliant.estimators import ConstrainedRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 3))
    >>> y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.standard_normal(100)
    >>> falling = (np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]]), 0.0)  # w_0 >= w_1 >= w_2
    >>> model = ConstrainedRidge(constraints=falling).fit(X, y)
    >>> bool(np.ptp(model.coef_) < 1e-6), model.constraint_duals_.shape
    (True, (2,))
    """

    def __init__(self, alpha=1.0, *, l1=0.0, fit_intercept=True, constraints=None, equalities=None, fairness=None,
                 tol=1e-9, time_limit=None):
        self.alpha = alpha
        self.l1 = l1
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def fit(self, X, y, sample_weight=None, *, sensitive=None):
        """Solves the problem. ``sensitive`` (n_samples,) or (n_samples, k): attributes of the fairness conditions."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        variables = self._variables(X.shape[1])
        root = np.sqrt(weights)
        A = variables.columns(scale_rows(X, root), root)
        problem = Problem(variables.count).minimize(X.shape[0] * least_squares(A, root * y))
        variables.regularize(problem, nonnegative_number(self.alpha, "alpha"), nonnegative_number(self.l1, "l1"))
        handles = self._constrain(problem, variables, X, weights, sensitive)
        self.coef_, self.intercept_ = self._run(problem, variables, handles)
        return self

    def predict(self, X):
        """X w + b."""
        return self._scores(X)


class ConstrainedLogisticRegression(BinaryClassifier):
    """Binary logistic regression with constraints on the coefficients:

        minimise  C sum_i v_i ln(1 + exp(-s_i (x_i'w + b))) + 1/2 |w|^2 + l1 |w|_1   subject to the constraints

    with signs s_i of the classes and sample weights v. ``C`` means what it means in scikit-learn's LogisticRegression.

    >>> import numpy as np
    >>> from pliant.estimators import ConstrainedLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 4))
    >>> group = (X[:, 0] > 0).astype(float)
    >>> y = X @ [2.0, 1.0, 0.0, 0.0] + 0.3 * rng.standard_normal(300) > 0
    >>> fair = ConstrainedLogisticRegression(fairness=0.01).fit(X, y, sensitive=group)
    >>> bool(abs(np.cov(group, fair.decision_function(X), bias=True)[0, 1]) <= 0.01 + 1e-6)
    True
    """

    def __init__(self, C=1.0, *, l1=0.0, fit_intercept=True, constraints=None, equalities=None, fairness=None,
                 tol=1e-9, time_limit=None):
        self.C = C
        self.l1 = l1
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def fit(self, X, y, sample_weight=None, *, sensitive=None):
        """Solves the problem. ``sensitive`` (n_samples,) or (n_samples, k): attributes of the fairness conditions."""
        X, signs, weights = self._read(X, y, sample_weight)
        variables = self._variables(X.shape[1])
        C = nonnegative_number(self.C, "C")
        problem = Problem(variables.count).minimize(_weighted_losses(variables.columns(X, ones(X)), signs, C * weights))
        variables.regularize(problem, 1.0, nonnegative_number(self.l1, "l1"))
        handles = self._constrain(problem, variables, X, weights, sensitive)
        w, b = self._run(problem, variables, handles)
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Their logarithms."""
        scores = self.decision_function(X)
        return np.column_stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)])


def _weighted_losses(A: Any, signs: np.ndarray, weights: np.ndarray) -> Objective:
    """sum_i weights_i ln(1 + exp(-signs_i a_i'x)): a term for each value that weights have."""
    parts = []
    for value in np.unique(weights[weights > 0]):
        rows = np.flatnonzero(weights == value)
        parts.append(value * rows.size * logistic(A if rows.size == A.shape[0] else A[rows], signs[rows]))
    return sum(parts)


class HardMarginSVM(BinaryClassifier):
    """The separating hyperplane with the largest margin:

        minimise  1/2 |w|^2   subject to  s_i (x_i'w + b) >= 1 for all samples, and the constraints

    A ValueError says that no hyperplane separates the classes. Weights of samples do not matter unless they are 0, which
    leaves a sample out.

    >>> import numpy as np
    >>> from pliant.estimators import HardMarginSVM
    >>> X, y = np.array([[0.0, 0.0], [-1.0, 0.0], [2.0, 2.0], [4.0, 3.0]]), [0, 0, 1, 1]
    >>> model = HardMarginSVM().fit(X, y)
    >>> model.coef_.round(5), model.intercept_.round(5), round(model.margin_, 5), model.support_.tolist()
    (array([[0.5, 0.5]]), array([-1.]), 1.41421, [0, 2])
    """

    def __init__(self, *, fit_intercept=True, constraints=None, equalities=None, fairness=None, tol=1e-9,
                 time_limit=None):
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def fit(self, X, y, sample_weight=None, *, sensitive=None):
        """Solves the problem. ``sensitive`` (n_samples,) or (n_samples, k): attributes of the fairness conditions."""
        X, signs, weights = self._read(X, y, sample_weight)
        variables = self._variables(X.shape[1])
        problem = Problem(variables.count)
        variables.regularize(problem, 1.0, 0.0)
        used = np.flatnonzero(weights > 0)
        rows = variables.columns(scale_rows(X[used], -signs[used]), -signs[used])
        margins = problem.subject_to(linear_le(rows, -1.0), name="margins")
        handles = self._constrain(problem, variables, X, weights, sensitive)
        w, b = self._run(problem, variables, handles)
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        multipliers = np.zeros(X.shape[0])
        multipliers[used] = self.result_.duals[margins.index]
        # Multipliers within the accuracy of the solve are those of samples beyond the margin.
        self.support_ = np.flatnonzero(multipliers > 1e-6 * multipliers.max(initial=0.0))
        self.dual_coef_ = (signs * multipliers)[None, self.support_]
        self.margin_ = float(1.0 / np.linalg.norm(w)) if w.any() else np.inf
        return self

    def _contradiction(self, result):
        alone = self.constraints is None and self.equalities is None and self.fairness is None
        what = "no hyperplane separates the classes" + ("" if alone else " within the constraints")
        return f"{what} ({result.message})"
