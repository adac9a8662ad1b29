"""The values of a domain as a column, and the way back from values to their indices."""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Column, Indices


class Lookup:
    """`table`: the values in the order of the domain; `ends`: the least and the largest of them."""

    __slots__ = ("_is_boolean", "_order", "_sorted", "ends", "table")

    def __init__(self, table: Column):
        rising = bool(np.less(table[:-1], table[1:]).all())
        self.table = table
        self._order: Indices | None = None if rising else np.argsort(table, kind="stable")
        self._sorted = table if self._order is None else table[self._order]
        self._is_boolean = rising and table.dtype == np.bool_ and len(table) == 2  # False, True
        self.ends = (float(self._sorted[0]), float(self._sorted[-1]))

    def find(self, column: Column) -> Indices:
        """Indices (n,) of values in the table, -1 for one that is not in it."""
        if self._is_boolean and column.dtype == np.bool_:
            return column.astype(np.int64)
        index = self._sorted.searchsorted(column)
        np.minimum(index, len(self.table) - 1, out=index)
        if self._order is not None:
            index = self._order[index]
        return np.where(self.table[index] == column, index, -1)
