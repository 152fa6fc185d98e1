"""Pictures of a solve (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._needs import needs

if TYPE_CHECKING:
    from ._result import Result

# Colours of Okabe and Ito, which colour-blind people tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"


def plot(result: Result, axes: Any = None) -> Any:
    """Three panels against time: objective with its bound, gap and violation, and what the method steers by: delta and
    xi of a penalty, or the complementarity and step lengths of a path."""
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise needs("r.plot", "matplotlib", error) from error

        _, axes = pyplot.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
    values, errors, penalty = axes
    trace = result.trace
    time = trace["time"]
    _draw(values, time, _finite(trace["objective"]), BLUE, "objective")
    _draw(values, time, _finite(trace["lower_bound"]), ORANGE, "bound")
    values.set_title("objective and bound")
    gap = np.abs(trace["objective"] - trace["lower_bound"]) / (1 + np.abs(trace["objective"]))
    _draw(errors, time, _positive(gap), BLUE, "relative gap")
    _draw(errors, time, _positive(trace["violation"]), ORANGE, "violation")
    _draw(errors, time, _positive(trace["dual_residual"]), GREEN, "dual residual")
    errors.set_title("errors")
    on_path = np.isfinite(trace["mu"]).any()
    if on_path:
        estimate = np.abs(trace["gap_estimate"]) / (1 + np.abs(trace["objective"]))
        _draw(errors, time, _positive(estimate), PURPLE, "gap, not proved")
        _draw(penalty, time, _positive(trace["mu"]), BLUE, "mu")
        _draw(penalty, time, _positive(trace["step_primal"]), ORANGE, "primal step")
        _draw(penalty, time, _positive(trace["step_dual"]), GREEN, "dual step")
    else:
        _draw(penalty, time, _positive(trace["delta"]), BLUE, "delta")
        _draw(penalty, time, _positive(trace["xi"]), ORANGE, "xi")
    penalty.set_title("path" if on_path else "penalty")
    for axis, nothing in ((values, "no values"), (errors, "no errors above 0"), (penalty, "no penalty in this engine")):
        axis.set_xlabel("seconds")
        if axis.lines:
            axis.legend()
        else:
            axis.text(0.5, 0.5, nothing, ha="center", va="center", transform=axis.transAxes)
    for axis in (errors, penalty):
        if axis.lines:
            axis.set_yscale("log")
    return values.figure


def _draw(axis: Any, time: np.ndarray, numbers: np.ndarray, colour: str, label: str) -> None:
    """A line with a dot wherever it would be no line: a number without neighbours. Nothing where there are no numbers."""
    there = np.isfinite(numbers)
    if not there.any():
        return
    beside = np.concatenate([[False], there, [False]])
    alone = np.flatnonzero(there & ~beside[:-2] & ~beside[2:])
    axis.plot(time, numbers, color=colour, label=label, marker="o", markersize=4, markevery=alone.tolist())


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _positive(values: np.ndarray) -> np.ndarray:
    return np.where((values > 0) & np.isfinite(values), values, np.nan)
