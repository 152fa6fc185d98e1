"""Rows that lie on a CUDA device: an array with ``__dlpack__`` there (PyTorch, CuPy, JAX) stands where G stands, is not
copied, and must stay as it is while the problem lives."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import doubles

_CUDA = 2  #: kDLCUDA
#: The default stream waits for the one that makes the array, and the library for the default stream.
_DEFAULT_STREAM = 1


def on_card(value: Any) -> bool:
    """Whether an array lies on a CUDA device."""
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and device()[0] == _CUDA


class DeviceRows:
    """Batches of rows on devices, as the library holds them."""

    words = "rows on a device"

    def __init__(self, batches: list[_core.RowsOnCard]) -> None:
        self.batches = batches

    def __add__(self, other: DeviceRows) -> DeviceRows:
        return DeviceRows(self.batches + other.batches)


def linear_rows(G: Any, lo: Any, hi: Any) -> DeviceRows:
    """lo <= G x <= hi, lo perhaps None; sides on the device of G or here."""
    names = ("lo", "hi") if lo is not None else ("", "h")
    if lo is not None and on_card(lo) != on_card(hi):
        raise _core.InputError("linear_range: lo and hi: expected both on the device of G, or both in host memory")
    m = G.shape[0] if len(G.shape) == 2 else "m"
    lower = None if lo is None else _side(lo, names[0], m)
    return DeviceRows([_core.linear_on_card(_capsule(G), lower, _side(hi, names[1], m))])


def points(numbers: Any, b: Any, lifted: bool) -> DeviceRows:
    m = numbers.shape[0] if len(numbers.shape) == 2 else "m"
    return DeviceRows([_core.points_on_card(_capsule(numbers), _side(b, "b", m), lifted)])


def _capsule(array: Any) -> Any:
    return array.__dlpack__(stream=_DEFAULT_STREAM)


def _side(value: Any, name: str, m: int | str) -> Any:
    return _capsule(value) if on_card(value) else doubles(value, name, m)
