"""Estimators with soft rows against scikit-learn's own checks and models, by the objectives computed from the raw data."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", "1.6")

from pliant.estimators import LeastAbsoluteDeviation, LinearSVR, QuantileRegressor, SoftMarginSVM
from scipy import sparse
from sklearn import linear_model, svm
from sklearn.utils.estimator_checks import check_estimator

MODELS = [QuantileRegressor(), QuantileRegressor(alpha=0.1, quantile=0.3), LeastAbsoluteDeviation(),
          LeastAbsoluteDeviation(alpha=0.1), LinearSVR(), SoftMarginSVM()]
# Whole numbers as targets leave a face of equally good quantiles, and weights choose another point of it.
NOT_UNIQUE = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}


@pytest.mark.parametrize("model", MODELS, ids=lambda value: f"{type(value).__name__}{getattr(value, 'alpha', '')}")
def test_scikit_learn_checks(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(model, on_fail=None, on_skip=None)
    assert len(checks) > 50
    failed = {c["check_name"] for c in checks if c["status"] == "failed"}
    assert failed <= (NOT_UNIQUE if getattr(model, "alpha", 1.0) == 0.0 else set())


def data(rng, samples=120, features=4):
    X = rng.standard_normal((samples, features))
    y = X @ rng.standard_normal(features) + 2.0 + (1 + np.abs(X[:, 0])) * rng.standard_t(3, samples)
    return X, y, rng.uniform(0.1, 2.0, samples).round(1)


def value(model, X, y, v, w, b):
    """The objective of a model's docstring."""
    r = y - X @ np.ravel(w) - np.ravel(b)[0]
    if isinstance(model, QuantileRegressor):
        return v @ np.maximum(model.quantile * r, (model.quantile - 1) * r) + model.alpha * v.sum() * np.abs(w).sum()
    if isinstance(model, LeastAbsoluteDeviation):
        return v @ np.abs(r) + model.alpha / 2 * np.sum(w**2) + model.l1 * np.abs(w).sum()
    if isinstance(model, LinearSVR):
        return model.C * v @ np.maximum(0, np.abs(r) - model.epsilon) + np.sum(w**2) / 2
    return model.C * v @ np.maximum(0, 1 - y * (y - r)) + np.sum(w**2) / 2


def judge(model, theirs, X, y, v):
    assert model.certificate_["status"] == "optimal", model.result_.message
    ours = value(model, X, y, v, model.coef_, model.intercept_)
    assert ours == pytest.approx(model.result_.objective, rel=1e-9)
    assert ours <= value(model, X, y, v, theirs.coef_, theirs.intercept_) * (1 + 1e-7) + 1e-9
    assert model.certificate_["lower_bound"] >= ours - 2e-8 * (1 + abs(ours))
    proved = model.result_.proved_bound
    assert proved is None or proved <= ours


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("intercept", [True, False])
def test_no_worse_than_scikit_learn(form, intercept, rng):
    X, y, v = data(rng)
    for tau, alpha in ((0.5, 0.0), (0.9, 0.05)):
        ours = QuantileRegressor(quantile=tau, alpha=alpha, fit_intercept=intercept).fit(form(X), y, sample_weight=v)
        theirs = linear_model.QuantileRegressor(quantile=tau, alpha=alpha, fit_intercept=intercept)
        theirs.fit(X, y, sample_weight=v)
        judge(ours, theirs, X, y, v)
        assert value(ours, X, y, v, theirs.coef_, theirs.intercept_) == pytest.approx(ours.result_.objective, rel=1e-5)
    ours = LeastAbsoluteDeviation(fit_intercept=intercept).fit(form(X), y, sample_weight=v)
    judge(ours, linear_model.QuantileRegressor(alpha=0.0, fit_intercept=intercept).fit(X, y, sample_weight=v), X, y, v)
    if intercept:
        ours = LinearSVR(C=0.7, epsilon=0.3).fit(form(X), y, sample_weight=v)
        judge(ours, svm.SVR(kernel="linear", C=0.7, epsilon=0.3, tol=1e-6).fit(X, y, sample_weight=v), X, y, v)
        signs = np.where(y > 2.0, 1.0, -1.0)
        ours = SoftMarginSVM(C=0.7).fit(form(X), signs, sample_weight=v)
        theirs = svm.SVC(kernel="linear", C=0.7, tol=1e-6).fit(X, signs, sample_weight=v)
        judge(ours, theirs, X, signs, v)
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
        np.testing.assert_allclose(ours.dual_coef_ @ X[ours.support_], ours.coef_, atol=1e-4)
        assert (np.abs(ours.dual_coef_) <= 0.7 * v[ours.support_] * (1 + 1e-12)).all()


def test_constraints_and_regularisers(rng):
    X, y, v = data(rng)
    falling = np.eye(3, 4, 1) - np.eye(3, 4)
    model = LeastAbsoluteDeviation(alpha=0.5, l1=1.0, constraints=(falling, 0.0), equalities=(np.ones((1, 4)), 1.0))
    model.fit(X, y, sample_weight=v)
    assert (np.diff(model.coef_) <= 1e-6).all() and model.coef_.sum() == pytest.approx(1.0, abs=1e-6)
    assert model.constraint_duals_.min() >= 0 and model.equality_duals_.shape == (1,)
    for other in rng.standard_normal((20, 4)):
        other = np.sort(other)[::-1]
        other += (1 - other.sum()) / 4
        b = np.median(y - X @ other)
        assert value(model, X, y, v, other, b) >= model.certificate_["lower_bound"]
    group = (X[:, 0] > 0).astype(float)
    fair = SoftMarginSVM(fairness=0.01).fit(X, y > 2.0, sensitive=group)
    assert abs(np.cov(group, fair.decision_function(X), bias=True)[0, 1]) <= 0.01 + 1e-6


def test_what_cannot_be_is_said(rng):
    X, y, _ = data(rng)
    contradiction = (np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]), np.array([-1.0, -1.0]))
    for model in (QuantileRegressor(), LeastAbsoluteDeviation(), LinearSVR()):
        with pytest.raises(ValueError, match="no coefficients satisfy all of them"):
            model.set_params(constraints=contradiction).fit(X, y)
    for model, words in (
        (QuantileRegressor(quantile=1.0), "tau: expected 0 < tau < 1"),
        (QuantileRegressor(alpha=-1.0), "alpha: expected a number >= 0"),
        (LinearSVR(epsilon=-1.0), "eps: expected a finite number >= 0"),
        (SoftMarginSVM(C=-1.0), "C: expected a number >= 0"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(X, y > 2.0 if isinstance(model, SoftMarginSVM) else y)
    with pytest.raises(ValueError, match="[Ss]ample.weight"):
        LinearSVR().fit(X, y, sample_weight=np.zeros(len(y)))


def test_several_quantiles_are_one_model_each(rng):
    X = rng.standard_normal((300, 2))
    y = X @ [1.0, -2.0] + rng.standard_t(3, 300)
    taus = [0.2, 0.5, 0.9]
    many = QuantileRegressor(quantile=taus).fit(X, y)
    assert many.coef_.shape == (3, 2) and many.predict(X).shape == (300, 3)
    for k, tau in enumerate(taus):
        one = QuantileRegressor(quantile=tau).fit(X, y)
        assert many.coef_[k] == pytest.approx(one.coef_, abs=1e-9)
        assert many.predict(X)[:, k] == pytest.approx(one.predict(X), abs=1e-9)
        assert many.certificate_[k]["gap_rel"] <= 1e-8
    with pytest.raises(ValueError, match="quantile: expected a number or a list of them"):
        QuantileRegressor(quantile=[[0.5]]).fit(X, y)
