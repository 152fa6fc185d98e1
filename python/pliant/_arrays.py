"""Arguments as the library takes them: contiguous float64 arrays and matrices.

What already is contiguous float64 is used in place, read-only arrays included; anything else that holds real numbers is
converted, which copies it. Messages name the argument.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _core

#: Sizes as they stand in messages: a number that must be met, or a letter for any.
Shape = tuple[int | str, ...]


def doubles(value: Any, name: str, *shape: int | str) -> np.ndarray:
    """A contiguous float64 array of the given shape; a single number fills a vector of known length."""
    array = _numbers(value, name)
    if array.ndim == 0 and len(shape) == 1 and isinstance(shape[0], int):
        array = np.full(shape, array, dtype=np.float64)
    if shape and not _fits(array.shape, shape):
        single = len(shape) > 1 and shape[0] == "m" and array.ndim == len(shape) - 1 > 1
        hint = f"; a single one is {name}[np.newaxis]" if single else ""
        raise _core.InputError(f"{name}: expected shape {_text(shape)}, got {_text(array.shape)}{hint}")
    return np.ascontiguousarray(array, dtype=np.float64)


def integers(value: Any, name: str, *shape: int | str) -> np.ndarray:
    """A contiguous int64 array of the given shape."""
    _refuse_sparse(value, name)
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, got dtype {array.dtype}")
    if not _fits(array.shape, shape):
        raise _core.InputError(f"{name}: expected shape {_text(shape)}, got {_text(array.shape)}")
    return np.ascontiguousarray(array, dtype=np.int64)


def number(value: Any, name: str) -> float:
    """One real number."""
    array = _numbers(value, name)
    if array.ndim != 0:
        raise TypeError(f"{name}: expected a number, got an array of shape {_text(array.shape)}")
    return float(array)


def count(value: Any, name: str) -> int:
    """One whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, got {type(value).__name__}") from None


def matrix(value: Any, name: str) -> _core.Matrix:
    """A matrix by rows. SciPy's CSR is used in place (indices of 32 bits are widened); other sparse formats become CSR."""
    if not is_sparse(value):
        array = doubles(value, name, "m", "n")
        return _core.dense(array)
    if len(value.shape) != 2:
        raise _core.InputError(f"{name}: expected shape (m, n), got {_text(value.shape)}")
    _expect_real(value.dtype, name)
    csr = value if value.format == "csr" else value.tocsr()
    if not csr.has_canonical_format:  # columns must ascend; the caller's matrix stays as it is
        csr = csr.copy()
        csr.sum_duplicates()
    stored = int(csr.indptr[-1])
    return _core.csr(
        *csr.shape,
        np.ascontiguousarray(csr.indptr, dtype=np.int64),
        np.ascontiguousarray(csr.indices[:stored], dtype=np.int64),
        np.ascontiguousarray(csr.data[:stored], dtype=np.float64),
    )


def rows_and_sides(call: str, G: Any, *sides: Any) -> tuple[Any, ...]:
    """The matrix of `call`, such as "linear_range(lo, G, hi)", and its sides, which have a number for each row; they come in
    the order of the call. What people often get wrong is answered with what to do."""
    names = call[call.index("(") + 1 : -1].split(", ")
    of = names[0] if len(sides) == 1 else names[1]
    others = [name for name in names if name != of]
    try:
        rows = matrix(G, of)
    except _core.InputError as error:
        matrices = any(is_sparse(side) or np.ndim(side) == 2 for side in sides)
        hint = f"; the order is {call}" if matrices else f"; one row is np.atleast_2d({of})" if np.ndim(G) == 1 else ""
        raise _core.InputError(f"{error}{hint}") from None
    return rows, *(_side(side, name, of, rows) for name, side in zip(others, sides))


def _side(value: Any, name: str, of: str, rows: _core.Matrix) -> np.ndarray:
    try:
        return doubles(value, name, rows.rows)
    except _core.InputError as error:
        shape, hint = np.shape(value), ""
        if len(shape) == 2 and sorted(shape) == sorted((1, rows.rows)):
            hint = f"; np.ravel({name}) is a vector"
        elif shape == (rows.cols,):
            hint = f"; {of} has {rows.rows} rows and {rows.cols} columns: is it transposed?"
        raise _core.InputError(f"{error}{hint}") from None


def is_sparse(value: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy, which need not be installed."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def _numbers(value: Any, name: str) -> np.ndarray:
    _refuse_sparse(value, name)
    if isinstance(value, np.ndarray) and np.any(getattr(value, "mask", False)):
        raise TypeError(f"{name}: expected an array without masked entries")
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise TypeError(f"{name}: expected an array of numbers, got {type(value).__name__} that is none") from None
    _expect_real(array.dtype, name)
    return array


def _refuse_sparse(value: Any, name: str) -> None:
    if is_sparse(value):
        raise TypeError(f"{name}: expected a dense array, got a sparse {type(value).__name__}")


def _expect_real(dtype: np.dtype, name: str) -> None:
    if dtype.kind not in "fiub":
        raise TypeError(f"{name}: expected real numbers, got dtype {dtype}")


def _fits(got: tuple[int, ...], expected: Shape) -> bool:
    return len(got) == len(expected) and all(isinstance(e, str) or g == e for g, e in zip(got, expected))


def _text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
