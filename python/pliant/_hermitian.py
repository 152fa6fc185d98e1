"""Multipliers of Hermitian matrices, which modelling languages hand over as real ones of twice the order.

A matrix R + iS is semidefinite where [[R, -S], [S, R]] is. Of a multiplier of that only the part counts that has the same
form: any multiple of the rest may be added, solvers do, and CVXPY reads a multiplier of R + iS off the left half.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Relative to the largest entry: products of complex matrices leave rounding in parts that mirror each other.
SAME = 1e-12


def mirror(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each entry of a lower triangle, column by column, has its mirror image in [[S22, -S21], [-S12, S11]], and its
    sign there: matrices [[R, -S], [S, R]] are those that are their own.

    >>> places, signs = mirror(2)
    >>> places.tolist(), signs.tolist()
    ([2, 1, 0], [1.0, -1.0, 1.0])
    """
    half = order // 2
    place = np.zeros((order, order), int)
    column, row = np.triu_indices(order)
    place[row, column] = place[column, row] = np.arange(row.size)
    sign = np.where(np.arange(order) < half, 1.0, -1.0)
    return place[(row + half) % order, (column + half) % order], sign[row] * sign[column]


def is_mirrored(A: Any, b: np.ndarray, places: np.ndarray, signs: np.ndarray) -> bool:
    """Whether b - A x is its own mirror image for every x."""
    if np.abs(b - signs * b[places]).max(initial=0.0) > SAME * np.abs(b).max(initial=0.0):
        return False
    difference = abs(A - A[places].multiply(signs[:, None]).tocsr())
    return bool(difference.nnz == 0 or difference.max() <= SAME * abs(A).max())


def mirrored(y: np.ndarray, A: Any, b: np.ndarray, begin: int, orders: list[int]) -> np.ndarray:
    """Multipliers y of the rows b - A x, semidefinite matrices of these orders from `begin` on; those of matrices of that
    form are their mean with their mirror image, which does all that they do."""
    for order in orders:
        end = begin + order * (order + 1) // 2
        if order % 2 == 0 and end <= y.size:
            places, signs = mirror(order)
            if is_mirrored(A[begin:end], b[begin:end], places, signs):
                part = y[begin:end]
                y[begin:end] = 0.5 * (part + signs * part[places])
        begin = end
    return y
