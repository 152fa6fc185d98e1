"""A result as a text that fits on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._result import Result

#: Multipliers below this share of the largest one are rounding.
_PRESSING = 1e-6


def summarize(result: Result, most: int) -> str:
    """Status and certificate, the `most` largest variables, the `most` largest multipliers of each call."""
    lines = [
        ("status", result.status + (f": {result.message}" if result.message else "")),
        ("objective", f"{result.objective:.9g}"),
        ("bound", f"{result.lower_bound:.9g} ({_words(result.lower_bound_kind)}), relative gap {result.gap_rel:.1e}"),
        ("violation", f"{result.violation['linf']:.1e}, of equalities {result.equality_residual:.1e}"),
        ("effort", f"{result.engine}: {result.iterations} steps, {result.passes:.1f} passes, {result.time['total']:.3g} s"),
    ]
    text = [f"{name:<12}{value}" for name, value in lines]
    return "\n".join(text + _variables(result, most) + _constraints(result, most))


def _words(kind: str) -> str:
    return kind.replace("_", " ")


def _variables(result: Result, most: int) -> list[str]:
    x, names = np.asarray(result.x), result._labels.variables
    order = _largest(x, most)
    title = f"variables   {x.size}" + (f", the {order.size} largest" if order.size < x.size else "")
    return [title] + [f"  {names[j] if names else f'x[{j}]':<22}{x[j]:>16.9g}" for j in order]


def _constraints(result: Result, most: int) -> list[str]:
    lines = []
    for handle, duals in zip(result.duals._handles, result.duals):
        values = np.ravel(np.asarray(duals))
        pressing = np.flatnonzero(np.abs(values) > _PRESSING * np.abs(values).max(initial=0.0))
        name = handle.name or f"constraints {handle.index}"
        lines.append(f"{name}: {values.size} duals of {handle.family}, {pressing.size} not 0")
        for i in pressing[_largest(values[pressing], most)]:
            lines.append(f"  {_row(result, handle.index, int(i)):<22}{values[i]:>16.9g}")
    return lines


def _row(result: Result, handle: int, i: int) -> str:
    names, index = result._labels.row_names.get(handle), result._labels.rows.get(handle)
    if names is not None:
        return names[i]
    return f"[{i}]" if index is None or i >= len(index) else str(index[i])


def _largest(values: np.ndarray, most: int) -> np.ndarray:
    return np.argsort(-np.abs(values), kind="stable")[:most]
