"""Seeded instances of every family used in documentation, tests and benchmarks.

Every family is a function of this module: ``pliant.generate.dense_qp(n=50, m=1000, seed=1)``.

>>> import pliant as pl
>>> pl.generate.dense_qp(n=5, m=100, seed=1)
Problem(5 variables; constraints: 100 linear; objective: quadratic; prox: none)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import _core
from ._arrays import number
from ._problem import Problem

__all__ = ["families", "instance", "to_file"]

_FAMILIES = {family.name: family for family in _core.generated_families()}


def families() -> dict[str, str]:
    """The families with what they are.

    >>> import pliant as pl
    >>> "dense_lp" in pl.generate.families()
    True
    """
    return {name: family.description for name, family in _FAMILIES.items()}


def instance(family: str, **parameters: Any) -> Problem:
    """An instance of a family; parameters and their defaults are those of ``pliant generate --list``.

    >>> import pliant as pl
    >>> pl.generate.instance("logistic", n=3, m=10, seed=7).n
    3
    """
    numbers, files = _split(family, parameters)
    return Problem._from_core(_core.generate(family, numbers, files))


def to_file(family: str, path: str | os.PathLike[str], **parameters: Any) -> None:
    """Writes an instance to a file without holding it in memory.

    >>> import os, tempfile, pliant as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pl.generate.to_file("dense_lp", os.path.join(folder, "lp.h5"), n=3, m=10)
    ...     pl.load(os.path.join(folder, "lp.h5")).m
    10
    """
    numbers, files = _split(family, parameters)
    _core.generate_file(family, numbers, files, os.fspath(path))


def _split(name: str, parameters: dict[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    numbers, files = {}, {}
    family = _FAMILIES.get(name)
    for key, value in parameters.items():
        if family is not None and key in family.files:
            files[key] = os.fspath(value)
        elif family is not None and key in family.words and isinstance(value, str):
            if value not in family.words[key]:
                raise _core.InputError(f"{key}: expected one of {', '.join(family.words[key])}, got {value!r}")
            numbers[key] = float(family.words[key].index(value))
        else:
            numbers[key] = number(value, key)
    return numbers, files


def __getattr__(name: str) -> Callable[..., Problem]:
    if name not in _FAMILIES:
        from difflib import get_close_matches

        near = [] if name.startswith("__") else get_close_matches(name.lower(), _FAMILIES)
        what = f"near: {', '.join(near)}" if near else f"there are: {', '.join(_FAMILIES)}"
        raise AttributeError(f"pliant.generate has no family {name!r}; {what}")
    family = _FAMILIES[name]

    def make(**parameters: Any) -> Problem:
        return instance(name, **parameters)

    make.__name__ = make.__qualname__ = name
    defaults = ", ".join(f"{key}={value:g}" for key, value in family.defaults.items())
    make.__doc__ = f"{family.description}. Parameters: {defaults}."
    return make


def __dir__() -> list[str]:
    return sorted([*globals(), *_FAMILIES])
