"""The 14-bus network of `pliant.generate.opf` modelled a second time, from the numbers of the IEEE archive."""

import numpy as np
import pliant as pl
import pytest

# from, to, resistance, reactance, charging, ratio of the transformer (IEEE 14-bus test case, UW archive, per unit)
BRANCHES = [
    (1, 2, 0.01938, 0.05917, 0.0528, 1), (1, 5, 0.05403, 0.22304, 0.0492, 1), (2, 3, 0.04699, 0.19797, 0.0438, 1),
    (2, 4, 0.05811, 0.17632, 0.034, 1), (2, 5, 0.05695, 0.17388, 0.0346, 1), (3, 4, 0.06701, 0.17103, 0.0128, 1),
    (4, 5, 0.01335, 0.04211, 0, 1), (4, 7, 0, 0.20912, 0, 0.978), (4, 9, 0, 0.55618, 0, 0.969),
    (5, 6, 0, 0.25202, 0, 0.932), (6, 11, 0.09498, 0.1989, 0, 1), (6, 12, 0.12291, 0.25581, 0, 1),
    (6, 13, 0.06615, 0.13027, 0, 1), (7, 8, 0, 0.17615, 0, 1), (7, 9, 0, 0.11001, 0, 1), (9, 10, 0.03181, 0.0845, 0, 1),
    (9, 14, 0.12711, 0.27038, 0, 1), (10, 11, 0.08205, 0.19207, 0, 1), (12, 13, 0.22092, 0.19988, 0, 1),
    (13, 14, 0.17093, 0.34802, 0, 1)]
DEMAND = {2: 21.7 + 12.7j, 3: 94.2 + 19j, 4: 47.8 - 3.9j, 5: 7.6 + 1.6j, 6: 11.2 + 7.5j, 9: 29.5 + 16.6j, 10: 9 + 5.8j,
          11: 3.5 + 1.8j, 12: 6.1 + 1.6j, 13: 13.5 + 5.8j, 14: 14.9 + 5j}
SHUNT = {9: 0.19}
# bus: largest P; least and largest Q (MW); cost a P^2 + b P in dollars per hour (MATPOWER's case14)
GENERATORS = {1: (332.4, 0, 10, 0.0430292599, 20), 2: (140, -40, 50, 0.25, 20), 3: (100, 0, 40, 0.01, 40),
              6: (100, -6, 24, 0.01, 40), 8: (100, -6, 24, 0.01, 40)}
BUSES = 14


def admittance():
    """The bus admittance matrix: power at bus i is conj(sum_k Y_ik V_k) V_i."""
    Y = np.zeros((BUSES, BUSES), complex)
    for f, t, r, x, b, ratio in BRANCHES:
        y = 1 / complex(r, x)
        f, t = f - 1, t - 1
        Y[f, f] += (y + 0.5j * b) / ratio**2
        Y[t, t] += y + 0.5j * b
        Y[f, t] -= y / ratio
        Y[t, f] -= y / ratio
    for bus, susceptance in SHUNT.items():
        Y[bus - 1, bus - 1] += 1j * susceptance
    return Y


def test_the_value_is_that_of_a_second_model():
    """W stands for V V*: every 2 x 2 minor of a branch is positive semidefinite. In thousands of dollars per hour."""
    cp = pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    Y, u = admittance(), cp.Variable(BUSES)
    w = {}
    for f, t, *_ in BRANCHES:
        w[f - 1, t - 1] = cp.Variable(2)  # real and imaginary part of V_f conj(V_t)
    rules, costs = [u >= 0.94**2, u <= 1.06**2], []
    for (f, t), pair in w.items():
        rules.append(cp.SOC(u[f] + u[t], cp.hstack([2 * pair, u[f] - u[t]])))
    for i in range(BUSES):
        # sum_k conj(Y_ik) W_ik
        P, Q = Y[i, i].real * u[i], -Y[i, i].imag * u[i]
        for (f, t), pair in w.items():
            if i not in (f, t):
                continue
            other, sign = (t, 1) if i == f else (f, -1)
            g, b = Y[i, other].real, Y[i, other].imag
            re, im = pair[0], sign * pair[1]
            P, Q = P + g * re + b * im, Q - b * re + g * im
        demand = DEMAND.get(i + 1, 0) / 100
        made_p, made_q = P + demand.real, Q + demand.imag
        if i + 1 not in GENERATORS:
            rules += [made_p == 0, made_q == 0]
            continue
        most, low, high, a, b = GENERATORS[i + 1]
        rules += [made_p >= 0, made_p <= most / 100, made_q >= low / 100, made_q <= high / 100]
        costs.append(a * cp.square(100 * made_p) + b * 100 * made_p)
    model = cp.Problem(cp.Minimize(sum(costs) / 1000), rules)
    value = model.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    found = pl.generate.opf().solve(tol_gap=1e-8, tol_feas=1e-8)
    assert found.status == "optimal"
    assert abs(found.objective - value) <= 1e-6 * value, (found.objective, value)
