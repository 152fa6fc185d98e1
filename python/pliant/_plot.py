"""Pictures of a solve (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._result import Result


def plot(result: Result, axes: Any = None) -> Any:
    """Three panels against time: objective with its bound, gap and violation, delta and xi."""
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
    values, errors, penalty = axes
    trace = result.trace
    time = trace["time"]
    # Colours of Okabe and Ito, which colour-blind people tell apart.
    values.plot(time, trace["objective"], color="#0072B2", label="objective")
    values.plot(time, _finite(trace["lower_bound"]), color="#D55E00", label="bound")
    values.set_title("objective and bound")
    gap = np.abs(trace["objective"] - trace["lower_bound"]) / (1 + np.abs(trace["objective"]))
    errors.plot(time, _positive(gap), color="#0072B2", label="relative gap")
    errors.plot(time, _positive(trace["violation"]), color="#D55E00", label="violation")
    errors.plot(time, _positive(trace["dual_residual"]), color="#009E73", label="dual residual")
    errors.set_yscale("log")
    errors.set_title("errors")
    penalty.plot(time, _positive(trace["delta"]), color="#0072B2", label="delta")
    penalty.plot(time, _positive(trace["xi"]), color="#D55E00", label="xi")
    penalty.set_yscale("log")
    penalty.set_title("penalty")
    for axis in axes:
        axis.set_xlabel("seconds")
        axis.legend()
    return values.figure


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _positive(values: np.ndarray) -> np.ndarray:
    return np.where((values > 0) & np.isfinite(values), values, np.nan)
