"""Who looks on while a problem is solved: callbacks, the command's table, logging, a bar of tqdm."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable
from typing import Any

from ._needs import needs
from ._result import Progress, Result

#: Solves say when they begin and how they end (INFO) and every row of progress (DEBUG), once somebody listens.
logger = logging.getLogger("pliant")
logger.addHandler(logging.NullHandler())


class Watch:
    """What the library calls during one solve; a context, because a bar must be closed whatever happens."""

    def __init__(self, what: str, verbose: bool, callback: Callable[[Progress], Any] | None, progress: bool) -> None:
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: expected a function, got {type(callback).__name__}")
        self._what = what
        self._seers = [] if callback is None else [callback]
        self._bar = _bar(what) if progress else None
        if logger.isEnabledFor(logging.DEBUG):
            self._seers.append(_log_row)
        self.write = _print if verbose else None

    @property
    def row(self) -> Callable[[tuple], bool] | None:
        """What the library calls with each row. It is made when asked for: kept here, it and this would hold each other."""
        return self._row if self._seers or self._bar is not None else None

    def __enter__(self) -> Watch:
        logger.info("solving %s", self._what)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._bar is not None:
            self._bar.close()

    def end(self, result: Result) -> Result:
        """Says how it ended."""
        logger.info("%r%s", result, f": {result.message}" if result.message else "")
        return result

    def _row(self, row: tuple) -> bool:
        info = Progress(*row)
        if self._bar is not None:
            self._advance(info)
        enough = [bool(see(info)) for see in self._seers]  # everybody sees the row, whoever wants to stop
        return any(enough)

    def _advance(self, info: Progress) -> None:
        self._bar.update(max(0, info.iteration - self._bar.n))
        bound = {"bound": f"{info.lower_bound:.6g}"} if math.isfinite(info.lower_bound) else {}  # none yet
        self._bar.set_postfix(objective=f"{info.objective:.6g}", **bound, violation=f"{info.violation:.1e}")


def _log_row(info: Progress) -> None:
    logger.debug(
        "iteration %d: objective %.9g, bound %.9g, violation %.2e, %.1f passes, %.3g s",
        info.iteration, info.objective, info.lower_bound, info.violation, info.passes, info.time,
    )  # fmt: skip


def _print(text: str) -> None:
    """sys.stdout, as it is then."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _bar(what: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise needs("progress", "tqdm", error) from error
    return tqdm(desc=what, unit=" steps")
