"""Shards with the processes of a communicator of mpi4py: each has parts of its own, the first one solves.

Every round is four collectives over bytes. Whoever waits sleeps: processes often share cores, and MPI spins.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core

_MOST = np.iinfo(np.int32).max  # bytes of a collective, as MPI counts them
_TOO_LONG = "Shards: the messages of one round have more than 2 GB in all; take fewer rows at a time"
_SHORTEST, _LONGEST = 2e-5, 5e-4  # seconds between looks at a request


def is_communicator(workers: Any) -> bool:
    return type(workers).__module__.split(".")[0] == "mpi4py"


def _wait(request: Any) -> None:
    pause = _SHORTEST
    while not request.Test():
        time.sleep(pause)
        pause = min(_LONGEST, 2 * pause)


class Processes:
    """The shards of all processes; made and asked by all of them together."""

    def __init__(self, comm: Any, shards: list[Callable[[bytes], bytes]]) -> None:
        self._comm = comm.Dup()  # nobody else's messages come in between
        self._shards = shards
        self._counts = self._all(len(shards))  # of each process

    @property
    def first(self) -> bool:
        return self._comm.Get_rank() == 0

    def __len__(self) -> int:
        return sum(self._counts)

    def close(self) -> None:
        self._comm.Free()

    # ---- collectives ----

    def _scatter(self, texts: list[bytes] | None) -> bytes:
        """The first process gives one text for each, every process gets its own."""
        sizes = np.array([len(text) for text in texts], np.int64) if texts is not None else None
        if sizes is not None and int(sizes.sum()) > _MOST:
            raise _core.InputError(_TOO_LONG)
        own = np.zeros(1, np.int64)
        _wait(self._comm.Iscatter(sizes, own))
        out = bytearray(int(own[0]))
        whole = None if texts is None else [b"".join(texts), self._places(sizes), self._byte]
        _wait(self._comm.Iscatterv(whole, [out, self._byte]))
        return bytes(out)

    def _gather(self, text: bytes) -> list[bytes]:
        """Every process gives one text, the first one gets all of them."""
        sizes = np.zeros(self._comm.Get_size(), np.int64) if self.first else None
        _wait(self._comm.Igather(np.array([len(text)], np.int64), sizes))
        if sizes is None:
            _wait(self._comm.Igatherv([text, self._byte], None))
            return []
        if int(sizes.sum()) > _MOST:  # the others are under way already
            print(f"pliant: {_TOO_LONG}", file=sys.stderr, flush=True)
            self._comm.Abort(1)
        out = bytearray(int(sizes.sum()))
        _wait(self._comm.Igatherv([text, self._byte], [out, self._places(sizes), self._byte]))
        ends = np.cumsum(sizes)
        return [bytes(out[end - size : end]) for size, end in zip(sizes, ends, strict=True)]

    def _broadcast(self, text: bytes | None) -> bytes:
        return self._scatter([text] * self._comm.Get_size() if text is not None else None)

    def _all(self, value: Any) -> list[Any]:
        """What every process has."""
        texts = self._gather(pickle.dumps(value))
        return pickle.loads(self._broadcast(pickle.dumps([pickle.loads(text) for text in texts]) if self.first else None))

    @staticmethod
    def _places(sizes: np.ndarray) -> tuple[Any, Any]:
        return sizes, np.concatenate([[0], np.cumsum(sizes)[:-1]])

    @property
    def _byte(self) -> Any:
        from mpi4py import MPI

        return MPI.BYTE

    # ---- the first process ----

    def exchange(self, requests: list[bytes]) -> list[bytes]:
        """One round."""
        letters, begin = [], 0
        for count in self._counts:
            letters.append(pickle.dumps(("round", requests[begin : begin + count])))
            begin += count
        _, own = pickle.loads(self._scatter(letters))
        answers: list[bytes] = []
        for rank, text in enumerate(self._gather(self._reply(own))):
            failure, some = pickle.loads(text)
            if failure:
                raise _core.InputError(f"process {rank}: {failure}")
            answers += some
        return answers

    def end(self, word: str, content: Any) -> None:
        self._broadcast(pickle.dumps((word, content)))

    # ---- the others ----

    def serve(self) -> Any:
        """Answers until the first process has a result, and returns that."""
        while True:
            word, content = pickle.loads(self._scatter(None))
            if word == "result":
                return content
            if word == "failure":
                raise _core.InputError(content)
            self._gather(self._reply(content))

    def _reply(self, requests: list[bytes]) -> bytes:
        try:
            return pickle.dumps(("", [answer(r) for answer, r in zip(self._shards, requests, strict=True)]))
        except Exception as error:  # whatever it is, the first process is waiting
            return pickle.dumps((f"{error}" or repr(error), []))


def solve_together(processes: Processes | None, solve: Any) -> Any:
    """What `solve` returns at the first process, at all of them."""
    if processes is None:
        return solve()
    if not processes.first:
        return processes.serve()
    try:
        raw = solve()
    except Exception as error:
        named = isinstance(error, _core.InputError)
        processes.end("failure", str(error) if named else f"process 0: {error!r}")
        raise
    processes.end("result", raw)
    return raw
