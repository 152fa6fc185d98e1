"""Settings of a solve as keyword arguments: the names, bounds and messages of the command's options."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core

#: The table of settings: name, values, default, description.
TABLE: dict[str, dict[str, str]] = {row["name"]: row for row in _core.settings_table()}


def make_settings(given: dict[str, Any]) -> _core.Settings:
    """Settings from keyword arguments; None leaves a setting at its default."""
    settings = _core.Settings()
    for name, value in given.items():
        if name not in TABLE:
            raise TypeError(_unknown(name))
        if value is not None:
            settings.set(name, _text(name, value))
    return settings


def settings() -> dict[str, str]:
    """Every setting of a solve with its values, default and meaning.

    >>> import pliant as pl
    >>> pl.settings()["tol_gap"]
    'V, default 1e-06: gap tolerance, relative to 1 + |objective|'
    """
    return {
        name: f"{row['values'] or 'True|False'}, default {row['default']}: {row['description']}"
        for name, row in TABLE.items()
    }


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        words = ("true", "false") if TABLE[name]["values"] == "" else ("on", "off")
        return words[0] if value else words[1]
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if math.isinf(value) and name == "norm":
            return "inf"
        # Whole numbers without a point, so that 10.0 is as good as 10.
        return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
    raise TypeError(f"{name}: expected {TABLE[name]['values'] or 'True or False'}, got {type(value).__name__}")


#: What other solvers call it.
_ELSEWHERE = {
    **dict.fromkeys(("eps", "tol", "tolerance", "eps_abs", "eps_rel"), "tolerances are tol_feas and tol_gap"),
    **dict.fromkeys(("x0", "start", "initvals", "warm_starting"), "a start is warm_start=x, or an earlier result"),
    "solver": "the way to solve is method (pl.settings()['method'] lists them)",
    "timeout": "it is time_limit, in seconds",
}


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    if name in _ELSEWHERE:
        return f"{name!r} is not a setting; {_ELSEWHERE[name]}"
    near = get_close_matches(name, TABLE, n=3, cutoff=0.5)
    return f"{name!r} is not a setting; " + (f"near: {', '.join(near)}" if near else f"there are: {', '.join(TABLE)}")
