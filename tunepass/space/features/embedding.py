"""Rows in which per-parameter distances are plain: what the Gaussian process compares (BaCO, §4.1).

    kind                     columns of a row                       squared distance of two values
    Real, Integer, Ordinal   scaled to [0, 1], maybe as logarithm  squared difference
    Categorical              code, nominal                          1 if different (Hamming)
    Permutation, spearman    position of each item                  sum of squared moves
                 kendall     one sign per pair of items             number of discordant pairs
                 hamming     item at each position, nominal         number of changed positions
                 naive       rank, nominal                          1 if different
                 positions   position of each item                  an item's squared move, each with its lengthscale
    Derived                  one feature, in [0, 1]                 squared difference

With `positions` every item is a parameter of its own: how early one loop stands may matter and the others not.

Inactive is as far from every value of a parameter, and equal to itself. The numbers of a parameter with a condition are
therefore angles on a unit circle around its inactive place: one radian from the least to the largest.
Spearman and Kendall are divided by their largest value, so that one lengthscale prior suits every parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.activity import Activity
from tunepass.space.columns import Columns
from tunepass.space.features.derived import Derived
from tunepass.space.features.flags import Flags
from tunepass.space.features.scaling import Scaling
from tunepass.space.parameter import NumericParameter, Parameter, Permutation
from tunepass.space.parameters.order_features import FeatureLayout, PermutationDistance, Role

Floats = NDArray[np.float64]


class Embedding:
    """`rows(columns)` (n, f); feature c has the lengthscale `group[c]` and is compared by equality if `nominal[c]`.

    `roles` says of each lengthscale what it is of.
    Without `log` every number is on its plain scale.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        *,
        permutation: PermutationDistance = "spearman",
        log: bool = True,
        derived: Sequence[Derived] = (),
        activity: Activity | None = None,
    ):
        self.parameters, self.permutation, self.log = tuple(parameters), permutation, log
        self.derived = tuple(derived)
        self._activity = activity or Activity(())
        layouts = [_layout(p, permutation) for p in self.parameters]
        widths = [layout.width for layout in layouts]
        shared = [1 if layout.separate else layout.width for layout in layouts]
        sizes = [size for size, width in zip(shared, widths) for _ in range(width // size)] + [1] * len(self.derived)
        self.group: NDArray[np.int64] = np.repeat(np.arange(len(sizes)), sizes)
        layout_roles: list[Role] = ["linear" if layout.role == "log" and not log else layout.role for layout in layouts]
        counts = [width // size for size, width in zip(shared, widths)]
        roles = [role for role, count in zip(layout_roles, counts) for _ in range(count)]
        self.roles: tuple[Role, ...] = tuple(roles + ["derived" for _ in self.derived])
        nominal = np.repeat([layout.nominal for layout in layouts], widths)
        self.nominal: NDArray[np.bool_] = np.append(nominal, np.zeros(len(self.derived), np.bool_))
        self._scaling = Scaling(self.parameters, self.derived, log=log)
        stops = np.cumsum(widths)
        blocks = [(p, int(stop) - width, int(stop)) for p, width, stop in zip(self.parameters, widths, stops)]
        self._flags = Flags(self.parameters)
        known = {*self._scaling.numeric, *self._flags.numbers}
        self._conditional = [block for block in blocks if block[0].when is not None]
        self._others = [block for i, block in enumerate(blocks) if i not in known]
        self._flagged = stops[self._flags.numbers] - 1
        self._scaled = np.append(stops[self._scaling.numeric] - 1, np.arange(stops[-1], len(self.nominal)))

    def rows(self, columns: Columns) -> Floats:
        """The rows (n, f) of the configurations in `columns`."""
        scaled = self._scaling.rows(columns)
        if len(self._scaled) == len(self.nominal) and not self._conditional:
            return np.ascontiguousarray(scaled.T)
        rows = np.empty((scaled.shape[1], len(self.nominal)))
        rows[:, self._scaled] = scaled.T
        if len(self._flagged):
            rows[:, self._flagged] = self._flags.indices(columns)
        for p, start, stop in self._others:
            rows[:, start:stop] = p.embed(columns[p.name], self.permutation)
        masks = self._activity.masks(columns)
        for p, start, stop in self._conditional:
            self._place(p, rows[:, start:stop], masks[p.name])
        return rows

    def _place(self, p: Parameter, rows: Floats, active: NDArray[np.bool_]) -> None:
        """Writes the features (n, width) of a parameter with a condition, of which the last one is its value's if it is
        a number."""
        layout = p.layout(self.permutation)
        if isinstance(p, NumericParameter):
            angle = rows[:, -1].copy()
            rows[:, 0], rows[:, 1] = np.cos(angle), np.sin(angle)
            rows[~active] = 0.0
        elif layout.nominal:
            rows[~active] = -1.0
        else:  # the centre of all orders
            rows[~active] = p.embed(p.column([p.default, _reversed(p)]), self.permutation).mean(axis=0)


def _layout(p: Parameter, distance: PermutationDistance) -> FeatureLayout:
    layout = p.layout(distance)
    return replace(layout, width=2) if p.when is not None and isinstance(p, NumericParameter) else layout


def _reversed(p: Parameter) -> tuple[int | str, ...]:
    assert isinstance(p, Permutation)
    return p.default[::-1]
