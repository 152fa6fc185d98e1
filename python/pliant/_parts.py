"""The parts of a problem as the library counts them: batches, conic constraints, equalities."""

from __future__ import annotations

from . import _core
from ._constraints import Handle
from ._frames import Labels


def handles_of(core: _core.Problem) -> list[Handle]:
    """One handle per batch, per conic constraint, and one for all equalities: what a file has."""
    soft = core.soft
    parts = [("batch", b, batch.family, batch.name, None, soft[b]) for b, batch in enumerate(core.batches)]
    parts += [("conic", c, "conic", name) for c, (name, _) in enumerate(core.conic)]
    if core.equalities:
        parts.append(("equality", 0, "equality", "", (core.equalities,)))
    return [Handle(index, *part) for index, part in enumerate(parts)]


def labels_of(core: _core.Problem, handles: list[Handle]) -> Labels:
    """Names of variables and rows."""
    batches, equalities = core.row_names
    names = {}
    for handle in handles:
        if handle.kind == "batch" and handle.part < len(batches):
            names[handle.index] = batches[handle.part]
        elif handle.kind == "equality":
            names[handle.index] = equalities[handle.part :][: handle.dual_shape[0]]
    return Labels(variables=core.variable_names, row_names={index: rows for index, rows in names.items() if rows})


def part_sizes(core: _core.Problem) -> list[int]:
    """Sizes of the duals: batches first, then conic constraints."""
    return [batch.dual_size for batch in core.batches] + [conic.rows for _, conic in core.conic]
