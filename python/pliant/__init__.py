"""Convex optimisation with enormous numbers of constraints, with certificates.

>>> import numpy as np, pliant as pl
>>> rng = np.random.default_rng(0)
>>> p = pl.Problem(10)
>>> p.minimize(pl.quadratic(np.eye(10), -np.ones(10)))
Problem(10 variables; constraints: none; objective: quadratic; prox: none)
>>> c = p.subject_to(pl.linear_le(rng.standard_normal((20_000, 10)), np.ones(20_000)))
>>> r = p.solve()
>>> r.status, r.lower_bound_rigorous
('optimal', True)
"""

from . import generate, theory
from ._constraints import (
    Constraint,
    Handle,
    conic,
    equal,
    linear_le,
    linear_range,
    lmi_le,
    log_sum_exp_le,
    quadratic_le,
    rank_one_le,
    soc_le,
)
from ._core import InputError, __version__
from ._cvar import cvar_le
from ._duals import Duals
from ._functions import callback_le
from ._gradients import Gradients
from ._hints import unknown_name
from ._load import load
from ._objective import Objective
from ._penalized import PenalizedMinimum, minimize_penalized
from ._problem import Problem
from ._regularizers import Regularizer, ball, box, elastic_net, group_l2, l1, l2_squared, nonnegative, simplex
from ._result import Progress, Result
from ._settings import settings
from ._shards import Blocks, Shards
from ._soft_rows import absolute, cvar, epsilon_insensitive, hinge, positive_part, quantile
from ._solver import Solver
from ._terms import huber, least_squares, linear, log_det, logistic, multinomial, quadratic
from ._together import solve_together

__all__ = [
    "Blocks",
    "Constraint",
    "Duals",
    "Gradients",
    "Handle",
    "InputError",
    "Objective",
    "PenalizedMinimum",
    "Problem",
    "Progress",
    "Regularizer",
    "Result",
    "Shards",
    "Solver",
    "__version__",
    "absolute",
    "ball",
    "box",
    "callback_le",
    "conic",
    "cvar",
    "cvar_le",
    "elastic_net",
    "epsilon_insensitive",
    "equal",
    "generate",
    "group_l2",
    "hinge",
    "huber",
    "l1",
    "l2_squared",
    "least_squares",
    "linear",
    "linear_le",
    "linear_range",
    "lmi_le",
    "load",
    "log_det",
    "log_sum_exp_le",
    "logistic",
    "minimize_penalized",
    "multinomial",
    "nonnegative",
    "positive_part",
    "quadratic",
    "quadratic_le",
    "quantile",
    "rank_one_le",
    "settings",
    "simplex",
    "soc_le",
    "solve_together",
    "theory",
]


def __getattr__(name: str) -> object:
    raise AttributeError(unknown_name(name, __all__))
