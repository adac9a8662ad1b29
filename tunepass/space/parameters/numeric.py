"""Shared code of the numeric kinds, whose values have differences: Real, Integer and Ordinal."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from tunepass.space.columns import Column
from tunepass.space.configuration import Value
from tunepass.space.parameters import text
from tunepass.space.parameters.base import ParameterBase
from tunepass.space.parameters.checks import Number
from tunepass.space.parameters.order_features import FeatureLayout, PermutationDistance
from tunepass.space.prior import Beta, Floats

NOT_A_NUMBER = -1e6  # the unscaled feature of a value that is no number: off every log scale
LEAST_DISTANCE = 1e-12  # between two different values


class NumericParameter(ParameterBase):
    """A value is scaled to [0, 1] between the ends of the range, on the log scale if `log`."""

    __slots__ = ()
    log: bool
    default: Number
    prior: Beta | None

    @property
    def on_log_scale(self) -> bool:
        return self.log

    def unit(self, column: Column) -> Floats:
        """Scaled values (n,) of a column."""
        lo, hi = self.ends()
        x = np.asarray(column, dtype=np.float64)
        if lo == hi:
            return np.zeros_like(x)
        if self.log:
            return np.asarray((np.log(x) - math.log(lo)) / (math.log(hi) - math.log(lo)), dtype=np.float64)
        return np.asarray((x - lo) / (hi - lo), dtype=np.float64)

    @abstractmethod
    def from_unit(self, u: Floats) -> Column:
        """The values (n,) closest to scaled ones: the inverse of `unit`."""

    def changes(self, column: Column, target: Column) -> Floats:
        return super().changes(column, target) + np.abs(self.unit(column) - self.unit(target)) / 8

    def distance_from_default(self, value: Value) -> float:
        if value == self.default:
            return 0.0
        moved, default = (float(u) for u in self.unit(self.column([value, self.default])))
        return max(abs(moved - default), LEAST_DISTANCE)

    def layout(self, distance: PermutationDistance) -> FeatureLayout:
        return FeatureLayout("flag" if self.size == 2 else "log" if self.log else "linear")

    def feature_names(self) -> list[str]:
        return [self.name]

    def encode(self, column: Column) -> Floats:
        return self.unit(column)[:, None]

    def unscaled(self, column: Column) -> Floats:
        return np.asarray(column, dtype=np.float64)[:, None]

    def unscaled_values(self, values: Sequence[Value]) -> Floats:
        return np.array([[float(v) if isinstance(v, (int, float)) else NOT_A_NUMBER] for v in values], np.float64)

    def unscaled_ends(self) -> tuple[Floats, Floats]:
        lo, hi = self.ends()
        return np.array([lo]), np.array([hi])

    def embed(self, column: Column, distance: PermutationDistance) -> Floats:
        return self.encode(column)

    def parse(self, written: str) -> Value | None:
        value = text.number(written)
        return None if value is None or value not in self.domain else value

    def expected(self, written: str) -> str:
        return text.expected_number(self.domain, written)  # type: ignore[arg-type]
