"""Rows in shards: on the workers of a cluster, in futures, in files that nobody wants in one memory.

A shard answers requests, which are bytes. It lives where its rows are, and learns from what it is asked; if it is lost it
is made again from its source and told what the first one was told, after which it knows the same to the last bit.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import count, number
from ._shard_sources import Stream, shard_of, split_parts
from ._shards_mpi import Processes, is_communicator

_serials = itertools.count()


class Worker:
    """One shard with its source, wherever it runs."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._shard: _core.Shard | None = None
        self._told = 0  # so many of the requests that teach
        self._lock = threading.Lock()  # one that is asked again may still be busy

    def ask(self, told: list[bytes], request: bytes) -> bytes:
        """The answer of a shard that was told all this before; what this one has missed it is told now."""
        with self._lock:
            try:
                return self._answer(told, request)
            except BaseException:
                self._shard = None  # what it knows may be half of what it should
                raise

    def _answer(self, told: list[bytes], request: bytes) -> bytes:
        begins = _core.shard_begins(request)
        if self._shard is None or (self._told > len(told) and not begins):
            self._shard, self._told = shard_of(self._source), 0
        if not begins:
            for missed in told[self._told :]:
                self._shard.answer(missed)
        answer = self._shard.answer(request)
        self._told = len(told) + _core.shard_is_taught(request)
        return answer

    def answer(self, request: bytes) -> bytes:
        """The same of one that is never lost without everything else: it was told whatever there was to tell."""
        if self._shard is None:
            self._shard = shard_of(self._source)
        return self._shard.answer(request)


# ---- workers of several kinds ----

_here: dict[str, Worker] = {}  # shards of this process, by name


def _serve(name: str, source: Any, told: list[bytes], request: bytes) -> bytes:
    """Any process of a pool may be asked for any shard: one that does not have it makes it."""
    worker = _here.get(name)
    if worker is None:
        worker = _here[name] = Worker(source)
    return worker.ask(told, request)


class _Pool:
    """concurrent.futures; also None: threads of this process."""

    def __init__(self, executor: concurrent.futures.Executor, sources: list[Any]) -> None:
        self._executor = executor
        serial = next(_serials)
        self._names = [f"{os.getpid()}/{serial}/{k}" for k in range(len(sources))]
        self._sources = sources

    def ask(self, k: int, told: list[bytes], request: bytes) -> Any:
        return self._executor.submit(_serve, self._names[k], self._sources[k], told, request)

    @staticmethod
    def result(future: Any, timeout: float | None) -> bytes:
        return future.result(timeout=timeout)

    def make_again(self, k: int) -> None:
        """Whoever is asked next makes it."""

    def close(self) -> None:
        for name in self._names:
            _here.pop(name, None)


class _Dask:
    """Actors of dask.distributed."""

    def __init__(self, client: Any, sources: list[Any]) -> None:
        self._client, self._sources = client, sources
        self._actors = [self._make(source) for source in sources]

    def _make(self, source: Any) -> Any:
        return self._client.submit(Worker, source, actor=True, pure=False)

    def ask(self, k: int, told: list[bytes], request: bytes) -> Any:
        if not hasattr(self._actors[k], "ask"):
            self._actors[k] = self._actors[k].result()
        return self._actors[k].ask(told, request)

    @staticmethod
    def result(future: Any, timeout: float | None) -> bytes:
        return future.result(timeout=timeout)

    def make_again(self, k: int) -> None:
        self._actors[k] = self._make(self._sources[k])

    def close(self) -> None:
        self._actors = []


class _Ray:
    """Actors of Ray; `ray` is the module, initialised."""

    def __init__(self, ray: Any, sources: list[Any]) -> None:
        self._ray, self._sources = ray, sources
        self._actors = [self._make(source) for source in sources]

    def _make(self, source: Any) -> Any:
        return self._ray.remote(Worker).remote(source)

    def ask(self, k: int, told: list[bytes], request: bytes) -> Any:
        return self._actors[k].ask.remote(told, request)

    def result(self, future: Any, timeout: float | None) -> bytes:
        return self._ray.get(future, timeout=timeout)

    def make_again(self, k: int) -> None:
        self._ray.kill(self._actors[k])  # one that is only slow would keep its rows
        self._actors[k] = self._make(self._sources[k])

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)


def _team(workers: Any, sources: list[Any]) -> Any:
    if isinstance(workers, concurrent.futures.Executor):
        return _Pool(workers, sources)
    if type(workers).__module__.startswith("distributed"):
        return _Dask(workers, sources)
    if getattr(workers, "__name__", "") == "ray":
        return _Ray(workers, sources)
    raise TypeError(
        "Shards: expected None, an executor of concurrent.futures, a client of dask.distributed, the module ray or a "
        f"communicator of mpi4py, got {type(workers).__name__}"
    )


class Shards:
    """Rows G x <= h in parts, on workers: stands where G and h stand, ``p.subject_to(pl.linear_le(shards))``.

    ``workers`` is a client of dask.distributed, the module ray, an executor of concurrent.futures, a communicator of mpi4py
    (every process then gives parts of its own, and all of them call solve), or None: threads of this process. ``parts`` is a
    list of parts, a folder of files, an array or a data frame of Dask, or a Zarr array. A part is a pair (G, h), one array
    with h in its last column, a data frame with a column h, a callable that returns one of these where it is called, a file
    (.npz, .npy, .parquet), or a future or reference of these that the workers know. Shards that are lost are made again, up
    to ``retries`` times each; one that has not answered after ``timeout`` seconds counts as lost (None: never).

    >>> import numpy as np, pliant as pl
    >>> rng = np.random.default_rng(0)
    >>> def part(k):
    ...     G = np.random.default_rng(k).standard_normal((2000, 3))
    ...     return G, np.ones(2000)
    >>> p = pl.Problem(3).minimize(pl.linear([1.0, 2.0, 3.0])).regularize(pl.box(-1.0, 1.0))
    >>> c = p.subject_to(pl.linear_le(pl.Shards(None, [lambda k=k: part(k) for k in range(4)])))
    >>> r = p.solve()
    >>> r.status, r.duals[c].size, r.rounds < 60
    ('optimal', 8000, True)
    """

    words = "rows in shards"

    def __init__(
        self, workers: Any, parts: Any, *, retries: int = 3, timeout: float | None = None
    ) -> None:
        self._parts = split_parts(parts, workers)
        together = is_communicator(workers)
        self._processes = Processes(workers, [Worker(part).answer for part in self._parts]) if together else None
        if len(self) == 0:
            raise _core.InputError("Shards: expected at least one part")
        self._retries = count(retries, "retries")
        self._timeout = None if timeout is None else number(timeout, "timeout")
        self._own = concurrent.futures.ThreadPoolExecutor() if workers is None else None
        self._team = self._processes if together else _team(self._own or workers, self._parts)
        self._told: list[list[bytes]] = [[] for _ in self._parts]  # requests that teach, of each part
        self.rounds = 0  #: so far, of all solves
        self.losses = 0  #: shards that were made again so far
        self.latest_x: np.ndarray | None = None  #: the latest point of a solve that ended with an error

    def __len__(self) -> int:
        return len(self._parts) if self._processes is None else len(self._processes)

    def _keep(self, x: np.ndarray) -> None:
        self.latest_x = x

    def _exchange(self, requests: list[bytes]) -> list[bytes]:
        """One round."""
        self.rounds += 1
        if self._processes is not None:
            return self._processes.exchange(requests)
        if _core.shard_begins(requests[0]):
            self._told = [[] for _ in self._parts]
        waiting = [self._try(lambda k=k, r=r: self._team.ask(k, self._told[k], r)) for k, r in enumerate(requests)]
        answers = [self._answer(k, request, waiting[k]) for k, request in enumerate(requests)]
        if _core.shard_is_taught(requests[0]):
            for told, request in zip(self._told, requests, strict=True):
                told.append(request)
        return answers

    @staticmethod
    def _try(action: Callable[[], Any]) -> Any:
        try:
            return action()
        except (_core.InputError, TypeError, ImportError):  # which no other worker would mend
            raise
        except Exception as error:  # of the workers' system: whatever it says, the shard is not to be had
            return error

    def _answer(self, k: int, request: bytes, waiting: Any) -> bytes:
        for _ in range(self._retries + 1):
            error = waiting if isinstance(waiting, Exception) else None
            if error is None:
                answer = self._try(lambda waiting=waiting: self._team.result(waiting, self._timeout))
                if not isinstance(answer, Exception):
                    return answer
                error = answer
            self.losses += 1
            again = self._try(lambda: self._team.make_again(k))
            waiting = again if isinstance(again, Exception) else self._try(lambda: self._team.ask(k, self._told[k], request))
        raise RuntimeError(f"Shards: part {k} was lost {self._retries + 1} times: {error!r}") from error

    def close(self) -> None:
        """Lets the shards go, and the threads they had.

        >>> import pliant as pl
        >>> shards = pl.Shards(None, [([[1.0]], [1.0])])
        >>> len(shards)
        1
        >>> shards.close()
        """
        self._team.close()
        self._told = [[] for _ in self._parts]
        if self._own is not None:
            self._own.shutdown()


class Blocks(Shards):
    """Rows G x <= h that are made in blocks, and never all in memory: ``p.subject_to(pl.linear_le(pl.Blocks(make)))``.

    ``make`` returns an iterator of parts as Shards takes them (pairs, arrays with h in the last column, files), the same
    ones every time. It is called at the start, for two samples, and once for every check of all rows.

    >>> import numpy as np, pliant as pl
    >>> def make():
    ...     for k in range(5):
    ...         G = np.random.default_rng(k).standard_normal((1000, 3))
    ...         yield G, np.ones(1000)
    >>> p = pl.Problem(3).minimize(pl.linear([1.0, 2.0, 3.0])).regularize(pl.box(-1.0, 1.0))
    >>> c = p.subject_to(pl.linear_le(pl.Blocks(make)))
    >>> r = p.solve()
    >>> r.status, r.duals[c].size
    ('optimal', 5000)
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        if not callable(make):
            raise TypeError(f"Blocks: expected a function that returns an iterator, got {type(make).__name__}")
        super().__init__(None, [Stream(make)], retries=0)


@dataclass(frozen=True)
class ShardDuals:
    """Multipliers of rows in shards, numbered part after part, or on a device: those that are not 0, and how many rows
    there are."""

    rows: np.ndarray
    values: np.ndarray
    size: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.toarray()

    def toarray(self) -> np.ndarray:
        out = np.zeros(self.size)
        out[self.rows] = self.values
        return out
