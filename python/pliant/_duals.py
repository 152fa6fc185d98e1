"""Multipliers by position, handle or name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._constraints import Handle
from ._frames import Labels, series, unknown


class Duals(list):
    """One array per call of subject_to, and of minimize with soft rows, in order.

    ``r.duals[0]``, ``r.duals[handle]`` and ``r.duals["name"]`` are an array (a Series where a DataFrame came in);
    ``r.duals["row"]``, with the name of a row of a file, is a number.

    >>> import pliant as pl
    >>> p = pl.Problem(1).minimize(pl.linear([-1.0]))
    >>> c = p.subject_to(pl.linear_le([[1.0]], [1.0]), name="roof")
    >>> r = p.solve()
    >>> r.duals[0].round(5), r.duals[c].round(5), r.duals["roof"].round(5)
    (array([1.]), array([1.]), array([1.]))
    """

    def __init__(self, arrays: list[np.ndarray], handles: list[Handle], labels: Labels) -> None:
        super().__init__(series(array, labels.rows.get(i)) for i, array in enumerate(arrays))
        self._handles = list(handles)
        self._labels = labels

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Handle):
            if self._handles[key.index : key.index + 1] != [key]:
                raise ValueError("duals: the handle belongs to another problem")
            return super().__getitem__(key.index)
        if isinstance(key, str):
            return self._by_name(key)
        return super().__getitem__(key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Duals, (list(map(np.asarray, self)), self._handles, self._labels)

    def _by_name(self, name: str) -> Any:
        named = [handle.index for handle in self._handles if handle.name == name]
        if len(named) == 1:
            return super().__getitem__(named[0])
        if named:
            raise KeyError(f"{name!r} is the name of {len(named)} constraints; their handles tell them apart")
        for index, names in self._labels.row_names.items():
            if name in names:
                return float(np.asarray(super().__getitem__(index))[names.index(name)])
        rows = [row for names in self._labels.row_names.values() for row in names]
        raise KeyError(unknown(name, "constraint", [h.name for h in self._handles if h.name] + rows))
