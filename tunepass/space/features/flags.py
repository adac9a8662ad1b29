"""The Boolean ones of many parameters, read together: of a hundred flags, a call each costs more than all its work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr import nodes
from tunepass.space.columns import Columns, Mask
from tunepass.space.parameter import Categorical, Parameter


class Flags:
    """`numbers`: which of the parameters have both Booleans as values, in their order."""

    def __init__(self, parameters: Sequence[Parameter]):
        flags = [
            (i, p)
            for i, p in enumerate(parameters)
            if isinstance(p, Categorical) and p.size == 2 and p.type == nodes.BoolType()
        ]
        self.numbers = [i for i, _ in flags]
        self._names = [p.name for _, p in flags]
        self._first = np.array([bool(p.domain[0]) for _, p in flags], np.bool_)

    def indices(self, columns: Columns) -> Mask:
        """The index (n, flags) of each one's value in its domain."""
        values = np.array([columns[name] for name in self._names], np.bool_).T
        return np.asarray(values != self._first)
