"""Min-max scaling of the numeric parameters and derived features of many configurations at once.

What a parameter's `unit` gives, and a derived feature's `raw` scaled, to the bit. A search asks for a few hundred
rows at a time, where a call a feature costs more than the logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tunepass.space.columns import Columns, length
from tunepass.space.features.derived import Derived, odd_part
from tunepass.space.parameter import NumericParameter, Parameter
from tunepass.space.prior import Floats


class Scaling:
    """`rows(columns)` (numeric + derived, n): a row for each numeric one of `parameters`, in their order, then one for
    each derived feature.

    `numeric` says which of the parameters those are. Without `log` every number is on its plain scale.
    """

    def __init__(self, parameters: Sequence[Parameter], derived: Sequence[Derived] = (), *, log: bool = True):
        self.numeric = [i for i, p in enumerate(parameters) if isinstance(p, NumericParameter)]
        scaled = [p for p in parameters if isinstance(p, NumericParameter)]
        self._names = [p.name for p in scaled]
        self._logged = np.array([i for i, p in enumerate(scaled) if p.log and log and p.ends()[0] < p.ends()[1]], int)
        low, high = np.array([p.ends() for p in scaled]).reshape(-1, 2).T.copy()
        for i in self._logged.tolist():
            low[i], high[i] = math.log(low[i]), math.log(high[i])
        self._low, self._span = low[:, None], np.where(high > low, high - low, 1.0)[:, None]
        factors = dict.fromkeys((name, d.odd) for d in derived for name, _ in d.powers)
        self._factors, number = list(factors), {factor: i for i, factor in enumerate(factors)}
        self._terms = [[(number[name, d.odd], power) for name, power in d.powers] for d in derived]
        self._least = np.array([[d.lo] for d in derived]).reshape(-1, 1)
        self._range = np.array([[d.hi - d.lo] for d in derived]).reshape(-1, 1)

    def rows(self, columns: Columns) -> Floats:
        q, n = len(self._names), length(columns)
        rows = np.empty((q + len(self._terms), n))
        for row, name in zip(rows, self._names):
            row[:] = columns[name]
        if len(self._logged):
            rows[self._logged] = np.log(rows[self._logged])
        rows[:q] -= self._low
        rows[:q] /= self._span
        if self._terms:
            self._derive(columns, rows[q:])
        return rows

    def _derive(self, columns: Columns, rows: Floats) -> None:
        logs = np.empty((len(self._factors), rows.shape[1]))
        for row, (name, odd) in zip(logs, self._factors):
            row[:] = odd_part(columns[name]) if odd else columns[name]
        np.log(logs, out=logs)
        for row, ((first, power), *more) in zip(rows, self._terms):
            np.multiply(logs[first], power, out=row)
            for factor, exponent in more:
                row += exponent * logs[factor]
        rows -= self._least
        rows /= self._range
