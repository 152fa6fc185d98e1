"""The estimators against scikit-learn's own checks, its models, and optimality conditions from the raw data."""

import doctest
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", "1.6")

from pliant import estimators
from pliant.estimators import ConstrainedLogisticRegression, ConstrainedRidge, HardMarginSVM
from scipy import sparse
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.utils.estimator_checks import check_estimator

# Checks that draw labels at random, which nothing separates: a hard margin has to refuse them.
RANDOM_LABELS = {
    name: "its labels are random: no hyperplane separates them"
    for name in (
        "check_fit_score_takes_y",
        "check_n_features_in_after_fitting",
        "check_estimators_dtypes",
        "check_sample_weights_pandas_series",
        "check_sample_weights_not_an_array",
        "check_sample_weights_list",
        "check_dtype_object",
        "check_estimators_nan_inf",
        "check_estimator_sparse_tag",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_classifier_data_not_an_array",
        "check_classifiers_train",
        "check_supervised_y_2d",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_n_features_in",
    )
}


def causes(exception):
    while exception is not None:
        yield str(exception)
        exception = exception.__cause__ or exception.__context__


@pytest.mark.parametrize(
    "model, expected",
    [(ConstrainedRidge(), {}), (ConstrainedLogisticRegression(), {}), (HardMarginSVM(), RANDOM_LABELS)],
    ids=lambda value: type(value).__name__,
)
def test_scikit_learn_checks(model, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(model, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert len(checks) > 50
    assert [c["check_name"] for c in checks if c["status"] == "failed"] == []
    excused = [c for c in checks if c["status"] == "xfail"]
    assert {c["check_name"] for c in excused} == set(expected)
    for check in excused:  # for the reason that is given, and no other
        assert any("no hyperplane separates" in text for text in causes(check["exception"])), check["check_name"]


def regression_data(rng, samples=80, features=5):
    X = rng.standard_normal((samples, features)) + rng.standard_normal(features)
    y = X @ rng.standard_normal(features) + 2.0 + 0.5 * rng.standard_normal(samples)
    return X, y, rng.uniform(0.1, 2.0, samples).round(1)


def loss_gradient(model, X, y, weights):
    """The gradient in (w, b) of the smooth part of an estimator's objective."""
    w, b = model.coef_.ravel(), np.ravel(model.intercept_)[0]
    scores = X @ w + b
    if isinstance(model, ConstrainedRidge):
        slopes, l2 = weights * (scores - y), model.alpha
    else:
        signs = np.where(y == model.classes_[1], 1.0, -1.0)
        slopes, l2 = -model.C * weights * signs / (1.0 + np.exp(signs * scores)), 1.0
    return np.append(X.T @ slopes + l2 * w, slopes.sum())


MODELS = [ConstrainedRidge(alpha=0.7), ConstrainedLogisticRegression(C=0.6)]


def fit_data(model, rng):
    X, y, weights = regression_data(rng)
    return (X, y, weights) if isinstance(model, ConstrainedRidge) else (X, (y > np.median(y)).astype(int), weights)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("on_intercept", [False, True])
def test_optimality_conditions(model, form, on_intercept, rng):
    """grad + G'u + E'v = 0, G w <= h, E w = e, u >= 0, u'(Gw - h) = 0."""
    X, y, weights = fit_data(model, rng)
    n = X.shape[1]
    free = model.fit(X, y, sample_weight=weights)
    start = np.append(free.coef_.ravel(), np.ravel(free.intercept_))
    columns = n + 1 if on_intercept else n
    G, E = rng.standard_normal((30, columns)), rng.standard_normal((1, columns))
    inside = 0.5 * start[:columns]  # the free solution violates some rows
    h, e = G @ inside + rng.uniform(0.0, 0.2, 30), E @ inside
    model = type(model)(**model.get_params()).set_params(constraints=(form(G), h), equalities=(form(E), e))
    model.fit(form(X), y, sample_weight=weights)
    u, v = model.constraint_duals_, model.equality_duals_
    point = np.append(model.coef_.ravel(), np.ravel(model.intercept_))
    gradient = loss_gradient(model, X, y, weights)
    gradient[:columns] += G.T @ u + E.T @ v
    scale = 1.0 + np.abs(X).sum()
    assert np.abs(gradient).max() < 1e-6 * scale
    slack = h - G @ point[:columns]
    assert slack.min() > -1e-6 and np.abs(E @ point[:columns] - e).max() < 1e-6
    assert u.min() >= 0 and np.abs(u * slack).max() < 1e-5 and u.max() > 1e-3
    assert model.result_.status == "optimal"


def test_ridge_is_that_of_scikit_learn(rng):
    X, y, weights = regression_data(rng)
    for intercept in (True, False):
        ours = ConstrainedRidge(alpha=2.5, fit_intercept=intercept).fit(X, y, sample_weight=weights)
        theirs = Ridge(alpha=2.5, fit_intercept=intercept, tol=1e-12).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-7)
        lasso = ConstrainedRidge(alpha=2.0, l1=30.0, fit_intercept=intercept).fit(X, y)
        net = ElasticNet(32.0 / len(y), l1_ratio=30 / 32, fit_intercept=intercept, tol=1e-13, max_iter=10**6).fit(X, y)
        np.testing.assert_allclose(lasso.coef_, net.coef_, atol=1e-5)
        np.testing.assert_allclose(lasso.intercept_, net.intercept_, atol=1e-5)


def test_logistic_is_that_of_scikit_learn(rng):
    X, y, weights = fit_data(ConstrainedLogisticRegression(), rng)
    for intercept in (True, False):
        ours = ConstrainedLogisticRegression(C=0.3, fit_intercept=intercept).fit(X, y, sample_weight=weights)
        theirs = LogisticRegression(C=0.3, fit_intercept=intercept, tol=1e-12, max_iter=10**5)
        theirs.fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)
        assert (ours.predict(X) == theirs.predict(X)).all()


def test_l1_subgradients(rng):
    """|gradient| <= l1, with equality and the opposite sign where w is not 0."""
    X, y, weights = regression_data(rng, features=15)
    y = y > np.median(y)
    model = ConstrainedLogisticRegression(equalities=(np.eye(15), 0.0)).fit(X, y, sample_weight=weights)
    l1 = 0.8 * np.abs(loss_gradient(model, X, y, weights)[:-1]).max()  # at w = 0: a few coefficients will be worth it
    model = ConstrainedLogisticRegression(l1=l1).fit(X, y, sample_weight=weights)
    w = model.coef_.ravel()
    gradient = loss_gradient(model, X, y, weights)
    assert abs(gradient[-1]) < 1e-3  # the intercept is free
    gradient = gradient[:-1]
    assert np.abs(gradient).max() <= l1 + 1e-3
    used = np.abs(w) > 1e-4
    assert used.any() and not used.all()
    np.testing.assert_allclose(gradient[used], -l1 * np.sign(w[used]), atol=1e-3)


def test_fairness_bounds_the_covariance(rng):
    for model in MODELS:
        X, y, weights = fit_data(model, rng)
        S = np.column_stack([X[:, 0] + rng.standard_normal(len(y)), X[:, 1] > 0]).astype(float)
        mean = weights @ S / weights.sum()

        def covariance(fitted, X=X, weights=weights, S=S, mean=mean):
            scores = X @ fitted.coef_.ravel()
            return (weights[:, None] * (S - mean)).T @ scores / weights.sum()

        free = type(model)(**model.get_params()).fit(X, y, sample_weight=weights)
        bound = 0.5 * np.abs(covariance(free)).max()
        fair = type(model)(**model.get_params()).set_params(fairness=bound).fit(X, y, sample_weight=weights, sensitive=S)
        assert np.abs(covariance(fair)).max() <= bound + 1e-6
        assert np.abs(fair.fairness_duals_).max() > 1e-4  # it costs something
    with pytest.raises(ValueError, match="sensitive"):
        fair.fit(X, y)
    with pytest.raises(ValueError, match="sensitive: expected"):
        fair.fit(X, y, sensitive=S[:-1])


def separable(rng, threshold, samples=60, features=4):
    X = rng.standard_normal((samples, features))
    w = rng.standard_normal(features)
    scores = X @ w / np.linalg.norm(w) - threshold
    keep = np.abs(scores) > 0.1
    return X[keep], np.where(scores[keep] > 0, "yes", "no")


@pytest.mark.parametrize("intercept", [True, False])
def test_hard_margin(intercept, rng):
    """w = sum a_i s_i x_i, sum a_i s_i = 0, all margins at least 1, those of support vectors exactly."""
    X, y = separable(rng, 0.3 if intercept else 0.0)
    model = HardMarginSVM(fit_intercept=intercept).fit(X, y)
    signs = np.where(y == "yes", 1.0, -1.0)
    margins = signs * model.decision_function(X)
    size = np.linalg.norm(model.coef_)
    assert margins.min() > 1 - 1e-6
    assert np.abs(margins[model.support_] - 1).max() < 1e-5
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-4 * size)
    if intercept:
        assert abs(model.dual_coef_.sum()) < 1e-4 * np.abs(model.dual_coef_).sum()
    assert (model.predict(X) == y).all()
    assert model.margin_ == pytest.approx(1 / size)
    # Twice the support vectors, or other samples left out: the same hyperplane.
    others = np.setdiff1d(np.arange(len(y)), model.support_)
    weights = np.ones(len(y))
    weights[others[: len(others) // 2]] = 0.0
    again = HardMarginSVM(fit_intercept=intercept).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-5 * size)


def test_what_cannot_be_is_said(rng):
    X, y, _ = regression_data(rng)
    classes = np.arange(len(y)) % 2
    contradiction = (np.array([[1.0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0]]), np.array([-1.0, -1.0]))
    for model, target in ((ConstrainedRidge(), y), (ConstrainedLogisticRegression(), classes)):
        with pytest.raises(ValueError, match="no coefficients satisfy all of them"):
            model.set_params(constraints=contradiction).fit(X, target)
        with pytest.raises(ValueError, match="constraints: expected 5 or 6"):
            model.set_params(constraints=(np.ones((1, 4)), 0.0)).fit(X, target)
        with pytest.raises(ValueError, match="constraints: expected a pair"):
            model.set_params(constraints=3).fit(X, target)
        with pytest.raises(ValueError, match="l1: expected a number >= 0"):
            model.set_params(constraints=None, l1=-1.0).fit(X, target)
    with pytest.raises(ValueError, match="no hyperplane separates the classes"):
        HardMarginSVM().fit(X, rng.integers(0, 2, len(y)))
    with pytest.raises(ValueError, match="one class"):
        ConstrainedLogisticRegression().fit(X, classes, sample_weight=classes.astype(float))
    with pytest.raises(ValueError, match="Only binary"):
        HardMarginSVM().fit(X, np.arange(len(y)) % 3)


def test_limits_warn_and_results_travel(rng, tmp_path):
    X, y, _ = regression_data(rng, samples=2000, features=30)
    model = ConstrainedLogisticRegression(time_limit=0.0)
    with pytest.warns(UserWarning, match="time_limit"):
        model.fit(X, y > 0)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.coef_, model.coef_)
    copy.result_.report(tmp_path / "page.html")
    assert "Stopped by the time limit" in (tmp_path / "page.html").read_text()


def test_examples():
    names = [estimators] + [getattr(estimators, name) for name in estimators.__all__]
    for value in names:
        test = doctest.DocTestParser().get_doctest(value.__doc__, {}, value.__name__, None, None)
        assert test.examples
        output = []
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=output.append)
        assert runner.failures == 0, "".join(output)


def test_importing_pliant_does_not_import_scikit_learn():
    code = "import sys, pliant; print([m for m in ('sklearn', 'scipy', 'pliant.estimators') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
