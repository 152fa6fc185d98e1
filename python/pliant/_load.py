"""Problems from files and pickles."""

from __future__ import annotations

import os
import tempfile
import warnings

from . import _core
from ._constraints import Handle
from ._files import existing
from ._frames import Labels
from ._problem import Problem


def unpickle(container: bytes, handles: list[Handle], labels: Labels) -> Problem:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "problem.h5")
        with open(file, "wb") as stream:
            stream.write(container)
        problem = Problem._from_core(_core.read_problem(file, None)[0], handles)
        problem._labels = labels
        return problem


def load(path: str | os.PathLike[str], *, memory_limit: int | None = None) -> Problem:
    """Reads a problem: {endings}.

    Large arrays are mapped instead of read; pages beyond half of `memory_limit` bytes (the machine's memory) come when
    they are touched. What a file holds and the problem does not is warned of.

    >>> import os, tempfile, pliant as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "problem.mps")
    ...     pl.generate.dense_lp(n=3, m=5).save(file)
    ...     pl.load(file).n
    3
    """
    core, notes = _core.read_problem(existing(path), memory_limit)
    for note in notes:
        warnings.warn(f"{os.fspath(path)}: {note}", stacklevel=2)
    return Problem._from_core(core)


# The library has the one list of formats.
for _function, _endings in ((load, _core.readable_endings), (Problem.save, _core.writable_endings)):
    _function.__doc__ = _function.__doc__.replace("{endings}", _endings)
