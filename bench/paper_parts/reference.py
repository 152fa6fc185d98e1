"""Reference solutions, polished on the active set.

pliant's path engine names the active rows; Newton's method on their KKT system

    grad F(x) + sum_S l_i grad a_i(x) = 0,   a_S(x) = 0

then computes residuals in long double and corrections in double. Rows with a negative multiplier leave S, violated ones
enter. The result is accepted only if the correction has become tiny, l_S > 0 and a_i < 0 elsewhere.
"""

import h5py
import numpy as np
import scipy.linalg

import support

LONG = np.longdouble


def newton(model, x, active, multipliers):
    """x and the multipliers of the active rows as long double, and the last relative correction of x."""
    x, multipliers = x.astype(LONG), multipliers.astype(LONG)
    correction = np.inf
    for _ in range(12):
        J = model.rows.jacobian(x, active)
        residual = np.concatenate([model.gradient(x) + J.T @ multipliers, model.rows.values(x)[active]])
        z = x.astype(float)
        H = model.hessian(z) + model.rows.hessian(z, active, multipliers.astype(float))
        Jd = J.astype(float)
        factor = scipy.linalg.cho_factor(H)
        Y = scipy.linalg.cho_solve(factor, Jd.T)
        r, p = residual[:model.n].astype(float), residual[model.n:].astype(float)
        step = np.linalg.solve(Jd @ Y, p - Jd @ scipy.linalg.cho_solve(factor, r)) if len(active) else np.zeros(0)
        dx = -scipy.linalg.cho_solve(factor, r + Jd.T @ step)
        x, multipliers = x + dx, multipliers + step
        correction = float(np.linalg.norm(dx) / np.linalg.norm(z))
        if correction < 1e-17:
            break
    return x, multipliers, correction


def polish(model, x, multipliers):
    active = np.flatnonzero(multipliers > 1e-7 * max(multipliers.max(), 1e-300))
    for _ in range(40):
        start = np.where(multipliers[active] > 0, multipliers[active], 0)
        y, l, correction = newton(model, x, active, start)
        a = model.rows.values(y)
        a[active] = -np.inf
        if len(active) and l.min() <= 0:
            active = np.delete(active, np.argmin(l))
        elif a.max() > 0:
            active = np.sort(np.append(active, np.argmax(a)))
        elif correction < 1e-15:
            return y, active, l, correction
        else:
            break
    support.fail(f"{model.name}: the reference could not be polished (last correction {correction:.1e})")


def solve(pliant, model, folder, stem):
    """Writes the problem and its reference; returns their files and a row about the reference."""
    problem, solution, exact = (folder / f"{stem}{ending}.h5" for ending in ("", "-path", "-reference"))
    model.write(problem)
    result = pliant.solve(problem, "--method", "path", "--tol-feas", 1e-10, "--tol-gap", 1e-10, "--threads", 1,
                          "--solution", solution)
    if result["status"] != "optimal":
        support.fail(f"{model.name}: the path engine ended with {result['status']}")
    with h5py.File(solution) as f:
        x, multipliers = f["x"][:], f["duals/0"][:]
    if hasattr(model.rows, "multipliers"):
        multipliers = model.rows.multipliers(multipliers)
    y, active, l, correction = polish(model, x, multipliers)
    write(exact, y)
    moved = float(np.linalg.norm(y - x) / np.linalg.norm(y))
    about = {"instance": model.name, "n": model.n, "l": model.components, "m": model.m, "active": len(active),
             "largest_multiplier": float(l.max()) if len(l) else 0.0, "path_error": moved, "last_correction": correction}
    return problem, exact, about


def write(path, x):
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"] = "pliant-solution", 1
        f["x"] = x.astype(float)
