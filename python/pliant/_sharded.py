"""A solve over shards and its result."""

from __future__ import annotations

from typing import Any

from . import _core
from ._constraints import Handle
from ._frames import Labels
from ._result import Result, Source
from ._shards import ShardDuals, Shards


def only_one(there: Shards | None, new: Shards) -> Shards:
    """The new ones, if there are no others."""
    if there is not None:
        raise _core.InputError("subject_to: the problem has rows in shards already; one Shards takes any number of parts")
    return new


def refuse_shards(there: Shards | None, action: str) -> None:
    if there is not None:
        raise _core.InputError(f"{action}: rows in shards stay where they are; the result has their certificate")


def solve_shards(
    core: _core.Problem,
    there: tuple[Shards, list[Handle], Source],
    settings: Any,
    watch: Any,
    start: Any,
    files: tuple[Any, ...],
) -> Result:
    """The result of a problem whose inequalities are those of the shards."""
    shards, handles, source = there
    if files[0] or files[2]:
        raise _core.InputError("solve: no checkpoints of rows in shards")
    raw = _core.solve_shards(core, len(shards), shards._exchange, settings, watch.row, watch.write, start)
    result = Result(raw, [handle for handle in handles if handle.kind != "shards"], Labels(), source)
    result._in_shards = True
    place = next(handle.index for handle in handles if handle.kind == "shards")
    duals = list(result.duals)
    duals.insert(place, ShardDuals(raw["shard_rows"], raw["shard_duals"], raw["all_rows"]))
    result.duals = type(result.duals)(duals, handles, Labels())
    for name in ("rounds", "bytes_sent", "bytes_received", "seconds_waited"):
        setattr(result, name, raw[name])
    result.m, result.holders = raw["all_rows"], len(shards)
    return result
