"""Names of variables and rows, and pandas: who hands in DataFrames gets Series back. pandas is never imported for others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core

#: Names listed for one that does not exist.
NAMES_SHOWN = 3


def columns_of(matrix: Any) -> Any:
    """The columns of a DataFrame, else None."""
    return matrix.columns if _is_pandas(matrix) and hasattr(matrix, "columns") else None


def index_of(*parts: tuple[str, Any]) -> Any:
    """The index that DataFrames and Series among these have in common, None if there is none; (name, part) each."""
    first, found = "", None
    for name, part in parts:
        if not _is_pandas(part):
            continue
        if found is None:
            first, found = name, part.index
        elif not part.index.equals(found):
            raise _core.InputError(f"{name}: its index differs from that of {first}")
    return found


def coefficients_of(name: str, vector: Any, columns: Any = None) -> Any:
    """The labels of variables that a Series of coefficients has, those of the matrix beside it else."""
    if not _is_pandas(vector) or hasattr(vector, "columns"):
        return columns
    if columns is not None and not vector.index.equals(columns):
        raise _core.InputError(f"{name}: its index differs from the columns of the matrix")
    return vector.index


def _is_pandas(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "pandas" and hasattr(value, "to_numpy")


def series(values: np.ndarray, index: Any) -> Any:
    """A Series, where there is an index that fits."""
    if index is None or values.ndim != 1 or len(index) != values.size:
        return values
    from pandas import Series  # it made the index

    return Series(values, index=index)


@dataclass
class Labels:
    """What variables and rows of a problem are called."""

    columns: Any = None  #: of the first DataFrame, a pandas.Index
    rows: dict[int, Any] = field(default_factory=dict)  #: by the index of the handle
    variables: list[str] = field(default_factory=list)  #: names; empty: none
    row_names: dict[int, list[str]] = field(default_factory=dict)  #: of files, by the index of the handle

    def expect_columns(self, columns: Any, what: str) -> None:
        """The variables are called as the columns of the first DataFrame; all others must agree."""
        if columns is None or self.columns is None or columns.equals(self.columns):
            return
        pairs = list(zip(columns, self.columns))
        j = next((j for j, (a, b) in enumerate(pairs) if a != b), len(pairs))
        mine, theirs = (repr(names[j]) if j < len(names) else "missing" for names in (columns, self.columns))
        raise _core.InputError(f"{what}: column {j} is {mine}, the variable there is {theirs}")

    def take_columns(self, columns: Any) -> None:
        """Those of the first DataFrame stay."""
        if columns is None or self.columns is not None:
            return
        self.columns = columns
        if not self.variables and all(isinstance(name, str) for name in columns):
            self.variables = list(columns)

    def position(self, name: str) -> int:
        """Of a variable."""
        places = [j for j, own in enumerate(self.variables) if own == name]
        if len(places) == 1:
            return places[0]
        if places:
            raise KeyError(f"{name!r} is the name of {len(places)} variables")
        raise KeyError(unknown(name, "variable", self.variables))


def unknown(name: Any, what: str, names: Iterable[str]) -> str:
    """The line for a name that does not exist."""
    places = "r.x[0]" if what == "variable" else "r.duals[0]"
    from difflib import get_close_matches

    names = list(names)
    near = get_close_matches(str(name), names, n=NAMES_SHOWN)
    if not names:
        return f"no {what} is called {name!r}; none has a name, but all have a place: {places}"
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    there = f"near: {', '.join(near)}" if near else f"there are {', '.join(names[:NAMES_SHOWN])}{more}"
    return f"no {what} is called {name!r}; {there}"
