"""Estimators whose losses have kinks: every sample is a soft row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._constraints import Handle
from ._linear_models import BinaryClassifier, ConstrainedLinearModel, Variables, nonnegative_number, ones
from ._problem import Problem
from ._soft_rows import absolute, epsilon_insensitive, hinge, quantile
from ._terms import Objective
from ._together import solve_together


@dataclass(frozen=True)
class _Samples:
    """What a fit was given, and the rows of the problem: those of samples with a weight."""

    X: Any
    weights: np.ndarray
    A: Any
    y: np.ndarray
    row_weights: np.ndarray
    variables: Variables


class _SoftRegressor(RegressorMixin, ConstrainedLinearModel):
    """The sum over the samples of v_i loss(y_i - x_i'w - b), and a regulariser."""

    def _losses(self, A: Any, y: np.ndarray, weights: np.ndarray) -> Objective:
        """Their mean over the rows of A."""
        raise NotImplementedError

    def _regularizer(self, weights: np.ndarray) -> tuple[float, float]:
        """Weights of 1/2 |w|^2 and |w|_1."""
        raise NotImplementedError

    def fit(self, X, y, sample_weight=None, *, sensitive=None):
        """Solves the problem. ``sensitive`` (n_samples,) or (n_samples, k): attributes of the fairness conditions."""
        samples = self._read(X, y, sample_weight)
        problem, handles = self._problem(samples, sensitive)
        self.coef_, self.intercept_ = self._run(problem, samples.variables, handles)
        return self

    def _read(self, X, y, sample_weight) -> _Samples:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        used = np.flatnonzero(weights > 0)
        if used.size == 0:
            raise ValueError("sample_weight: expected a positive one, got none")
        variables = self._variables(X.shape[1])
        rows = X if used.size == X.shape[0] else X[used]
        return _Samples(X, weights, variables.columns(rows, ones(rows)), y[used], weights[used], variables)

    def _problem(self, samples: _Samples, sensitive: Any) -> tuple[Problem, dict[str, Handle]]:
        problem = Problem(samples.variables.count)
        problem.minimize(samples.y.size * self._losses(samples.A, samples.y, samples.row_weights))
        samples.variables.regularize(problem, *self._regularizer(samples.weights))
        return problem, self._constrain(problem, samples.variables, samples.X, samples.weights, sensitive)

    def predict(self, X):
        """X w + b."""
        return self._scores(X)


class QuantileRegressor(_SoftRegressor):
    """Quantile regression with constraints on the coefficients:

        minimise  sum_i v_i rho_tau(y_i - x_i'w - b) + alpha sum(v) |w|_1,   rho_tau(r) = max(tau r, (tau - 1) r)

    with sample weights v and tau = ``quantile``. ``alpha`` means what it means in scikit-learn's QuantileRegressor; here it
    is 0 unless given. Several quantiles make as many models, each with its certificate, and share their reads of the
    data (``pl.solve_together``): ``coef_`` then has a row and ``predict`` a column for each of them.

    >>> import numpy as np
    >>> from pliant.estimators import QuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0.0, 4.0, (500, 1))
    >>> y = X[:, 0] * (1 + 0.5 * rng.standard_normal(500))
    >>> high = QuantileRegressor(quantile=0.9).fit(X, y)
    >>> bool(abs((y < high.predict(X)).mean() - 0.9) < 0.01), high.certificate_["lower_bound_kind"]
    (True, 'proved')
    >>> QuantileRegressor(quantile=[0.1, 0.5, 0.9]).fit(X, y).predict(X).shape
    (500, 3)
    """

    def __init__(self, *, quantile=0.5, alpha=0.0, fit_intercept=True, constraints=None, equalities=None, fairness=None,
                 tol=1e-8, time_limit=None):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def fit(self, X, y, sample_weight=None, *, sensitive=None):
        """Solves the problem, or one for each quantile."""
        if np.ndim(self.quantile) == 0:
            return super().fit(X, y, sample_weight, sensitive=sensitive)
        taus = np.asarray(self.quantile, dtype=np.float64)
        if taus.ndim != 1 or taus.size == 0:
            raise ValueError(f"quantile: expected a number or a list of them, got an array of shape {taus.shape}")
        samples = self._read(X, y, sample_weight)
        models = [clone(self).set_params(quantile=float(tau)) for tau in taus]
        built = [model._problem(samples, sensitive) for model in models]
        results = solve_together([problem for problem, _ in built], **self._settings())
        for model, result, (_, handles) in zip(models, results, built, strict=True):
            model.n_features_in_ = self.n_features_in_
            if hasattr(self, "feature_names_in_"):
                model.feature_names_in_ = self.feature_names_in_
            model.coef_, model.intercept_ = model._take(result, samples.variables, handles)
        self.coef_ = np.stack([model.coef_ for model in models])
        self.intercept_ = np.array([model.intercept_ for model in models])
        self.models_ = models
        return self

    @property
    def certificate_(self):
        """What is proved of the fit; a list of them for several quantiles."""
        if np.ndim(self.quantile) == 0:
            return super().certificate_
        check_is_fitted(self)
        return [model.certificate_ for model in self.models_]

    def predict(self, X):
        """X w + b, a column for each of several quantiles."""
        if np.ndim(self.quantile) == 0:
            return super().predict(X)
        check_is_fitted(self)
        return np.stack([model.predict(X) for model in self.models_], axis=1)

    def _variables(self, features):
        return Variables(features, self.fit_intercept, self.fit_intercept and nonnegative_number(self.alpha, "alpha") > 0)

    def _losses(self, A, y, weights):
        return quantile(A, y, self.quantile, weights)

    def _regularizer(self, weights):
        return 0.0, nonnegative_number(self.alpha, "alpha") * weights.sum()


class LeastAbsoluteDeviation(_SoftRegressor):
    """Robust regression with constraints on the coefficients:

        minimise  sum_i v_i |y_i - x_i'w - b| + alpha/2 |w|^2 + l1 |w|_1   subject to the constraints

    >>> import numpy as np
    >>> from pliant.estimators import LeastAbsoluteDeviation
    >>> X = np.arange(20.0)[:, None]
    >>> y = 2 * X[:, 0] + 1
    >>> y[::5] += 100.0  # gross errors
    >>> model = LeastAbsoluteDeviation().fit(X, y)
    >>> model.coef_.round(4), round(model.intercept_, 4)
    (array([2.]), 1.0)
    """

    def __init__(self, alpha=0.0, *, l1=0.0, fit_intercept=True, constraints=None, equalities=None, fairness=None,
                 tol=1e-8, time_limit=None):
        self.alpha = alpha
        self.l1 = l1
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def _losses(self, A, y, weights):
        return absolute(A, y, weights)

    def _regularizer(self, weights):
        return nonnegative_number(self.alpha, "alpha"), nonnegative_number(self.l1, "l1")


class LinearSVR(_SoftRegressor):
    """Support vector regression with constraints on the coefficients:

        minimise  C sum_i v_i max(0, |y_i - x_i'w - b| - epsilon) + 1/2 |w|^2   subject to the constraints

    The intercept is not regularised: this is scikit-learn's SVR(kernel="linear").

    >>> import numpy as np
    >>> from pliant.estimators import LinearSVR
    >>> X = np.arange(20.0)[:, None]
    >>> model = LinearSVR(C=10.0, epsilon=0.5).fit(X, 2 * X[:, 0] + 1)
    >>> bool(np.abs(model.predict(X) - 2 * X[:, 0] - 1).max() <= 0.5 + 1e-5)
    True
    """

    def __init__(self, C=1.0, *, epsilon=0.0, fit_intercept=True, constraints=None, equalities=None, fairness=None,
                 tol=1e-8, time_limit=None):
        self.C = C
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.constraints = constraints
        self.equalities = equalities
        self.fairness = fairness
        self.tol = tol
        self.time_limit = time_limit

    def _losses(self, A, y, weights):
        return nonnegative_number(self.C, "C") * epsilon_insensitive(A, y, self.epsilon, weights)

    def _regularizer(self, weights):
        return 1.0, 0.0


class SoftMarginSVM(BinaryClassifier):
    """The soft-margin support vector machine with constraints on the coefficients:

        minimise  C sum_i v_i max(0, 1 - s_i (x_i'w + b)) + 1/2 |w|^2   subject to the constraints

    with signs s_i of the classes and sample weights v. The intercept is not regularised: this is scikit-learn's
    SVC(kernel="linear").

    >>> import numpy as np
    >>> from pliant.estimators import SoftMarginSVM
    >>> X, y = np.array([[0.0, 0.0], [-1.0, 0.0], [2.0, 2.0], [4.0, 3.0]]), [0, 0, 1, 1]
    >>> model = SoftMarginSVM(C=10.0).fit(X, y)
    >>> model.coef_.round(4), model.intercept_.round(4), model.support_.tolist()
    (array([[0.5, 0.5]]), array([-1.]), [0, 2])
    """

    def __init__(self, C=1.0, *, fit_intercept=True, constraints=None, equalities=None, fairness=None, tol=1e-8,
                 time_limit=None):
        self.C = C
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
        used = np.flatnonzero(weights > 0)
        A = variables.columns(X[used], ones(X[used]))
        problem = Problem(variables.count)
        problem.minimize(nonnegative_number(self.C, "C") * used.size * hinge(A, signs[used], weights[used]))
        margins = problem.handles[-1]
        variables.regularize(problem, 1.0, 0.0)
        handles = self._constrain(problem, variables, X, weights, sensitive)
        w, b = self._run(problem, variables, handles)
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        duals = np.zeros(X.shape[0])  # of the scores: negative where they are pushed up
        duals[used] = -self.result_.duals[margins.index]
        # Multipliers within the accuracy of the solve are those of samples beyond the margin.
        self.support_ = np.flatnonzero(np.abs(duals) > 1e-6 * np.abs(duals).max(initial=0.0))
        self.dual_coef_ = duals[None, self.support_]
        return self
