"""Solves over rows that are held elsewhere, in shards or on a device, and their results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import _core
from ._constraints import Handle
from ._device import DeviceRows
from ._frames import Labels
from ._result import Result, Source
from ._shards import ShardDuals, Shards
from ._shards_mpi import solve_together


@dataclass(frozen=True)
class SoftShards:
    """Rows (G, h) in shards with a price: a sum of losses in the objective."""

    shards: Shards
    loss: str
    parameter: float = 0.0
    weight: float = 1.0

    words = "soft rows in shards"

    def times(self, weight: float) -> SoftShards:
        return replace(self, weight=self.weight * weight)


Held = Shards | SoftShards | DeviceRows


def joined(there: Held | None, new: Held) -> Held:
    """The new ones beside those that are there, if they go together."""
    if there is None:
        return new
    if isinstance(there, DeviceRows) and isinstance(new, DeviceRows):
        return there + new
    if isinstance(there, DeviceRows) or isinstance(new, DeviceRows):
        raise _core.InputError("subject_to: rows in shards and rows on a device do not go together")
    raise _core.InputError("subject_to: the problem has rows in shards already; one Shards takes any number of parts")


def refuse_held(there: Held | None, action: str) -> None:
    if there is not None:
        raise _core.InputError(f"{action}: {there.words} stay where they are; the result has their certificate")


def solve_held(
    core: _core.Problem,
    there: tuple[Held, list[Handle], Source],
    settings: Any,
    watch: Any,
    start: Any,
    files: tuple[Any, ...],
) -> Result:
    """The result of a problem whose inequalities are all held elsewhere."""
    if files[0] or files[2]:
        raise _core.InputError(f"solve: no checkpoints of {there[0].words}")
    solve = _solve_on_card if isinstance(there[0], DeviceRows) else _solve_shards
    return solve(core, there, settings, watch, start)


def _result(raw: Any, handles: list[Handle], source: Source, held: list[Any]) -> Result:
    """With duals of the rows held elsewhere in their places among the others."""
    places = [handle.index for handle in handles if handle.kind in ("shards", "device")]
    result = Result(raw, [handle for handle in handles if handle.kind not in ("shards", "device")], Labels(), source)
    result._held = True
    duals = list(result.duals)
    for place, values in zip(places, held, strict=True):
        duals.insert(place, values)
    result.duals = type(result.duals)(duals, handles, Labels())
    return result


def _solve_on_card(core: _core.Problem, there: Any, settings: Any, watch: Any, start: Any) -> Result:
    rows, handles, source = there
    raw = _core.solve_on_card(core, rows.batches, settings, watch.row, watch.write, start)
    held = [ShardDuals(*part) for part in raw["device_duals"]]
    result = _result(raw, handles, source, held)
    result.m = sum(part.size for part in held)
    result.reads, result.read_seconds = raw["reads"], raw["read_seconds"]
    return result


def _solve_shards(core: _core.Problem, there: Any, settings: Any, watch: Any, start: Any) -> Result:
    held, handles, source = there
    soft = held if isinstance(held, SoftShards) else None
    shards = held if soft is None else soft.shards
    price = ("", 0.0, 1.0) if soft is None else (soft.loss, soft.parameter, soft.weight)
    shards.latest_x = None
    raw = solve_together(
        shards._processes,
        lambda: _core.solve_shards(
            core, len(shards), shards._exchange, settings, watch.row, watch.write, start, shards._keep, *price
        ),
    )
    duals = raw["slopes"] if soft else ShardDuals(raw["shard_rows"], raw["shard_duals"], raw["all_rows"])
    result = _result(raw, handles, source, [duals])
    for name in ("rounds", "bytes_sent", "bytes_received", "seconds_waited"):
        setattr(result, name, raw[name])
    result.m, result.holders = raw["all_rows"], len(shards)
    return result
