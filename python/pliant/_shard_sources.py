"""Where the rows of shards come from: lists of parts, folders, arrays and frames of other libraries.

pandas, Dask, pyarrow and zarr are imported by those who hand over what belongs to them.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from . import _core
from ._arrays import doubles, matrix
from ._needs import needs

_ENDINGS = (".npz", ".npy", ".parquet")
_ZARR_ROWS = 1 << 16  # of a part, about, rounded to whole chunks
_PARQUET_ROWS = 1 << 15  # read at once,
_PARQUET_BUFFER = 1 << 20  # in pieces of so many bytes


def split_parts(parts: Any, workers: Any) -> list[Any]:
    """A source for each shard."""
    kind = type(parts).__module__.split(".")[0]
    if isinstance(parts, (str, os.PathLike)):
        return _files_of(os.fspath(parts))
    if kind == "zarr":
        step = max(1, _ZARR_ROWS // parts.chunks[0]) * parts.chunks[0]
        return [functools.partial(_slice, parts, begin, begin + step) for begin in range(0, parts.shape[0], step)]
    if kind in ("dask", "dask_expr"):
        return _dask_parts(parts, workers)
    return list(parts)


def _files_of(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        raise _core.InputError(f"Shards: {folder}: expected a folder of files, a list of parts, or an array of Dask or Zarr")
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(_ENDINGS)]
    if not files:
        raise _core.InputError(f"Shards: {folder}: no files with the endings {', '.join(_ENDINGS)}")
    return files


def _dask_parts(table: Any, workers: Any) -> list[Any]:
    """Blocks of rows of an array, partitions of a frame: futures where the workers are Dask's, else computed by whoever is
    asked."""
    if hasattr(table, "rechunk"):
        table = table.rechunk({1: -1})
        blocks = list(table.to_delayed().ravel())
    else:
        blocks = list(table.to_delayed())
    if type(workers).__module__.startswith("distributed"):
        return list(workers.compute(blocks))
    return [functools.partial(_computed, block) for block in blocks]


def _computed(block: Any) -> Any:
    return block.compute(scheduler="synchronous")


def _slice(array: Any, begin: int, end: int) -> np.ndarray:
    return np.asarray(array[begin:end])


class Stream:
    """Blocks that are made anew whenever they are read; the one part of Blocks."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def blocks(self) -> Any:
        """An iterator of pairs as the library takes them."""
        return map(rows_of, iter(self._make()))


def shard_of(source: Any) -> _core.Shard:
    return _core.Shard(source.blocks) if isinstance(source, Stream) else _core.Shard(*rows_of(source))


def rows_of(source: Any) -> tuple[Any, np.ndarray]:
    """G and h of a part."""
    if callable(source):
        source = source()
    if isinstance(source, (str, os.PathLike)):
        source = _rows_of_file(os.fspath(source))
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.shape[1] > 1:
        source = _last_column(source)
    elif hasattr(source, "columns") and hasattr(source, "to_numpy"):
        source = _column_h(source, "Shards")
    if not (isinstance(source, (tuple, list)) and len(source) == 2):
        raise _core.InputError(
            "Shards: expected a pair (G, h), an array with h in its last column, a frame with a column h, something that "
            f"returns one, or a file, got {type(source).__name__}"
        )
    G = matrix(source[0], "G")
    return G, doubles(source[1], "h", G.rows)


def _last_column(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.asarray(numbers, np.float64)
    return np.ascontiguousarray(numbers[:, :-1]), np.ascontiguousarray(numbers[:, -1])


def _column_h(frame: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    if "h" not in frame.columns:
        raise _core.InputError(f"{where}: expected a column h beside those of G")
    return np.ascontiguousarray(frame.drop(columns="h").to_numpy(np.float64)), frame["h"].to_numpy(np.float64)


def _rows_of_file(path: str) -> tuple[Any, Any]:
    if path.endswith(".npz"):
        with np.load(path) as arrays:
            return arrays["G"], arrays["h"]
    if path.endswith(".npy"):
        return _last_column(np.load(path, mmap_mode="r"))
    if path.endswith(".parquet"):
        return _rows_of_parquet(path)
    raise _core.InputError(f"{path}: expected .npz (arrays G and h), .npy (h in the last column) or .parquet (a column h)")


def _rows_of_parquet(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Batch by batch into the arrays themselves: a frame on the way would take several times their memory."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise needs(path, "pyarrow", error) from error
    with parquet.ParquetFile(path, buffer_size=_PARQUET_BUFFER) as file:
        names = file.schema_arrow.names
        if "h" not in names:
            raise _core.InputError(f"{path}: expected a column h beside those of G")
        index = (file.schema_arrow.pandas_metadata or {}).get("index_columns", [])  # no part of a frame's numbers
        columns = [name for name in names if name != "h" and name not in index]
        G, h = np.empty((file.metadata.num_rows, len(columns))), np.empty(file.metadata.num_rows)
        begin = 0
        for batch in file.iter_batches(_PARQUET_ROWS, columns=[*columns, "h"], use_threads=False):
            end = begin + batch.num_rows
            for j, name in enumerate(columns):
                G[begin:end, j] = batch.column(name).to_numpy(zero_copy_only=False)
            h[begin:end] = batch.column("h").to_numpy(zero_copy_only=False)
            begin = end
    return G, h
