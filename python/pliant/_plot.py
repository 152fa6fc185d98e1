"""Pictures of a solve (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._needs import needs

if TYPE_CHECKING:
    from ._result import Result

# Colours of Okabe and Ito, which colour-blind people tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
#: Labels of numbers with as many digits as times have lie side by side.
MOST_TICKS = 5


def plot(result: Result, axes: Any = None) -> Any:
    """Three panels against time: objective with its bound, gap and violation, and what the method steers by: delta and
    xi of a penalty, or the complementarity and step lengths of a path. A proof has neither bound nor gap."""
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise needs("r.plot", "matplotlib", error) from error

        _, axes = pyplot.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
    values, errors, steering = axes
    trace = result.trace
    unit, time = _in_units(np.asarray(trace["time"]))
    solvable = result.infeasibility_proof is None and result.unboundedness_proof is None
    on_path = bool(np.isfinite(trace["mu"]).any())
    _draw(values, time, _finite(trace["objective"]), BLUE, "objective")
    if solvable:
        _draw(values, time, _finite(trace["lower_bound"]), ORANGE, "bound")
    values.set_title("objective and bound" if solvable else "objective")
    _draw_errors(errors, time, trace, solvable, on_path)
    errors.set_title("errors")
    _draw_steering(steering, time, trace, on_path)
    steering.set_title("path" if on_path else "penalty")
    for axis, nothing in ((values, "no values"), (errors, "no errors above 0"), (steering, "no penalty in this engine")):
        axis.set_xlabel(unit)
        if axis.lines:
            axis.locator_params(axis="x", nbins=MOST_TICKS)
            axis.legend()
        else:
            text = nothing if time.size else "nothing was recorded"
            axis.text(0.5, 0.5, text, ha="center", va="center", transform=axis.transAxes)
    for axis in (errors, steering):
        if axis.lines:
            axis.set_yscale("log")
    return values.figure


def _in_units(seconds: np.ndarray) -> tuple[str, np.ndarray]:
    """Numbers that a label has room for."""
    longest = seconds.max(initial=0.0)
    if 0.0 < longest < 1e-3:
        return "microseconds", 1e6 * seconds
    return ("milliseconds", 1e3 * seconds) if 0.0 < longest < 1.0 else ("seconds", seconds)


def _draw_errors(axis: Any, time: np.ndarray, trace: Any, solvable: bool, on_path: bool) -> None:
    if solvable:
        gap = np.abs(trace["objective"] - trace["lower_bound"]) / (1 + np.abs(trace["objective"]))
        _draw(axis, time, _positive(gap), BLUE, "relative gap")
    _draw(axis, time, _positive(trace["violation"]), ORANGE, "violation")
    _draw(axis, time, _positive(trace["dual_residual"]), GREEN, "dual residual")
    if on_path and solvable:
        estimate = np.abs(trace["gap_estimate"]) / (1 + np.abs(trace["objective"]))
        _draw(axis, time, _positive(estimate), PURPLE, "gap, not proved")


def _draw_steering(axis: Any, time: np.ndarray, trace: Any, on_path: bool) -> None:
    if not on_path:
        _draw(axis, time, _positive(trace["delta"]), BLUE, "delta")
        _draw(axis, time, _positive(trace["xi"]), ORANGE, "xi")
        return
    _draw(axis, time, _positive(trace["mu"]), BLUE, "mu")
    primal, dual = trace["step_primal"], trace["step_dual"]
    if np.array_equal(primal, dual, equal_nan=True):
        _draw(axis, time, _positive(primal), ORANGE, "steps, primal and dual")
    else:
        _draw(axis, time, _positive(primal), ORANGE, "primal step")
        _draw(axis, time, _positive(dual), GREEN, "dual step")


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
