"""What is known about a kernel before anything is measured: an analytic model, or results of an earlier study.

Its values need not be in the objective's unit; only where they are small and large counts. It speaks about every
parameter that it shares with the searched space by name.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.diagnostics import ExpressionError, Source, StudyError, nearest
from tunepass.expr import nodes
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse
from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats
from tunepass.surrogates.forest import ForestSettings, Trees, grow

FIT_ROWS = 5000  # rows of a source that its forest learns
LOOKED = 10  # times as many of its best rows as are wanted are looked at
FEW = 8  # rows that are too few for a forest


class PriorMean(ABC):
    """`PriorMean.from_observations(configurations, values)` or `PriorMean.from_expression("n / tile + 3 * tile")`."""

    @abstractmethod
    def values(self, space: Space, columns: Columns) -> Floats:
        """The prior mean of the objective's value (n,), in some unit; NaN where it has none."""

    def known(self, space: Space, most: int, *, largest: bool) -> list[Configuration]:
        """At most `most` configurations of `space` that it was made from, of small (large) values first."""
        return []

    @staticmethod
    def from_observations(configurations: Sequence[Mapping[str, Value]], values: Sequence[float]) -> PriorMean:
        """An earlier study, on another device, size or compiler: `values` (n,) of `configurations`, all finite.

        A configuration that agrees with one of them on all shared parameters has its value (the mean of several);
        others have the prediction of a random forest, of a handful of rows that of its nearest.
        """
        return Observed(configurations, values)

    @staticmethod
    def from_expression(text: str) -> PriorMean:
        """A number for every configuration, in the language of constraints; any parameter may occur."""
        return Formula(text)


class Formula(PriorMean):
    def __init__(self, text: str):
        self.source = Source("<prior mean>", text)
        self._read: tuple[Space, nodes.Expr] | None = None

    def values(self, space: Space, columns: Columns) -> Floats:
        if self._read is None or self._read[0] is not space:
            self._read = (space, self._parsed(space))
        found = evaluate(self._read[1], columns, length(columns))
        values = np.array(np.broadcast_to(found.values, length(columns)), dtype=np.float64)
        values[~np.broadcast_to(found.defined, length(columns)) | ~np.isfinite(values)] = np.nan
        return values

    def _parsed(self, space: Space) -> nodes.Expr:
        expression = parse(self.source.text, {p.name: p.type for p in space.parameters}, source=self.source)
        if not isinstance(expression.type, (nodes.Integer, nodes.Real)):
            raise ExpressionError(f"a prior mean is a number, this is {expression.type}", expression.span)
        return expression


class Observed(PriorMean):
    def __init__(self, configurations: Sequence[Mapping[str, Value]], values: Sequence[float]):
        if len(configurations) != len(values) or not len(values):
            raise StudyError(f"a prior mean has one value a configuration, got {len(values)} for {len(configurations)}")
        self.configurations = [dict(c) for c in configurations]
        self.observed = np.array([float(v) for v in values])
        if not np.isfinite(self.observed).all():
            raise StudyError("the values of a prior mean are finite numbers", hint="leave failed configurations out")
        self._seen: tuple[Space, _Table] | None = None

    def values(self, space: Space, columns: Columns) -> Floats:
        if self._seen is None or self._seen[0] is not space:
            self._seen = (space, _Table(self.shared(space), self.configurations, self.observed))
        return self._seen[1].values(columns)

    def known(self, space: Space, most: int, *, largest: bool) -> list[Configuration]:
        if len(self.shared(space)) < len(space.parameters):
            return []
        order = np.argsort(-self.observed if largest else self.observed, kind="stable")[: LOOKED * most]
        names = [p.name for p in space.parameters]
        cut = ({name: self.configurations[i][name] for name in names} for i in order)
        inside = (Configuration(c) for c in cut if space.contains(c))
        return list(itertools.islice(dict.fromkeys(inside), most))

    def shared(self, space: Space) -> list[Parameter]:
        """The parameters of `space` that every configuration here has; StudyError when there are none."""
        known = set.intersection(*(set(c) for c in self.configurations))
        shared = [p for p in space.parameters if p.name in known]
        if not shared:
            names = sorted(known)
            close = next((n for p in space.parameters if (n := nearest(p.name, names))), None)
            raise StudyError(
                f"the prior mean and the space share no parameter: {', '.join(names) or 'none'} against "
                f"{', '.join(p.name for p in space.parameters)}",
                hint=f"is {close!r} the same under another name?" if close else None,
            )
        return shared


class _Table:
    """Observed values by the features of the shared parameters, and a forest of them for other configurations."""

    def __init__(self, shared: Sequence[Parameter], configurations: Sequence[Mapping[str, Value]], observed: Floats):
        self.shared = shared
        self.positive = bool((observed > 0).all())
        rows = np.column_stack([p.unscaled_values([c[p.name] for c in configurations]) for p in shared])
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        scaled = np.log(observed) if self.positive else observed
        means = np.bincount(inverse.ravel(), weights=scaled) / np.bincount(inverse.ravel())
        self.rows, self.means = distinct, means
        self.by_row = {row.tobytes(): float(mean) for row, mean in zip(distinct, means)}
        self._forest: Trees | None = None

    def values(self, columns: Columns) -> Floats:
        rows = np.column_stack([p.unscaled(columns[p.name]) for p in self.shared])
        found = np.array([self.by_row.get(row.tobytes(), np.nan) for row in rows])
        missing = np.isnan(found)
        if missing.any():
            few = len(self.rows) < FEW
            found[missing] = self._near(rows[missing]) if few else self._trees().predict(rows[missing]).mean
        return np.asarray(np.exp(found) if self.positive else found)

    def _near(self, rows: Floats) -> Floats:
        """Means weighted by the inverse square of the distance (Shepard 1968): a lock knows one or two rows."""
        low, high = (self._logged(np.concatenate(ends)) for ends in zip(*(p.unscaled_ends() for p in self.shared)))
        span = np.where(high > low, high - low, 1.0)
        apart = (self._logged(rows)[:, None] - self._logged(self.rows)) / span  # (m, n, f)
        weight = 1 / np.maximum((apart * apart).sum(axis=2), 1e-12)
        return np.asarray(weight @ self.means / weight.sum(axis=1))

    def _logged(self, rows: Floats) -> Floats:
        """Rows with the logarithm of parameters on a log scale."""
        logged = np.repeat([p.on_log_scale for p in self.shared], [len(p.feature_names()) for p in self.shared])
        return np.where(logged, np.log(np.maximum(rows, 1e-300)), rows)

    def _trees(self) -> Trees:
        if self._forest is None:
            keep = np.random.default_rng(0).permutation(len(self.rows))[:FIT_ROWS]
            self._forest = grow(self.rows[keep], self.means[keep], ForestSettings(min_leaf=2))
        return self._forest
