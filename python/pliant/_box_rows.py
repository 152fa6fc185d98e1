"""Rows with one entry, a x_j <= b: bounds of variables, which the solver takes as a box.

A box bounds the domain, so that lower bounds can be proved, and costs no row. Bounds that cross stay rows: that they
contradict each other is for the solver to say.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Box:
    """lower <= x <= upper from the inequalities begin..end of A x <= b (CSR), but for the columns of `others`."""

    def __init__(self, A: Any, b: np.ndarray, begin: int, end: int, others: np.ndarray) -> None:
        n = A.shape[1]
        rows = begin + np.flatnonzero(np.diff(A.indptr[begin : end + 1]) == 1)
        column, entry = A.indices[A.indptr[rows]], A.data[A.indptr[rows]]
        usable = (entry != 0) & np.isfinite(entry) & np.isfinite(b[rows]) & ~np.isin(column, others)
        rows, column, entry = rows[usable], column[usable], entry[usable]
        with np.errstate(over="ignore", under="ignore"):
            value = b[rows] / entry
            # A bound that division rounds is not the bound that was asked for: it is left to the rows.
            usable = np.isfinite(value) & (value * entry == b[rows])
        self.rows, self.column, self.entry, value = rows[usable], column[usable], entry[usable], value[usable]
        self.lower, self.upper = np.full(n, -np.inf), np.full(n, np.inf)
        above = self.entry > 0
        np.minimum.at(self.upper, self.column[above], value[above])
        np.maximum.at(self.lower, self.column[~above], value[~above])
        if (self.lower > self.upper).any():
            self.rows, self.column, self.entry, value = rows[:0], column[:0], entry[:0], value[:0]
            self.lower[:], self.upper[:] = -np.inf, np.inf
        self.value = value
        rest = np.ones(b.size, bool)
        rest[self.rows] = False
        self.others = np.flatnonzero(rest)

    @property
    def bounded(self) -> np.ndarray:
        return np.isfinite(self.lower) | np.isfinite(self.upper)

    def all_multipliers(self, y: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Multipliers of all rows from those of the others and the force with which x presses against the bounds."""
        out = np.zeros(self.others.size + self.rows.size)
        out[self.others] = y
        above = self.entry > 0
        tight = self.value == np.where(above, self.upper[self.column], self.lower[self.column])
        pressing = np.maximum(np.where(above, force[self.column], -force[self.column]), 0.0) / np.abs(self.entry)
        # Of several rows with the same bound the first one carries it.
        _, first = np.unique(np.stack([self.column, above, ~tight]), axis=1, return_index=True)
        chosen = np.zeros(self.rows.size, bool)
        chosen[first] = True
        out[self.rows[chosen & tight]] = pressing[chosen & tight]
        return out
