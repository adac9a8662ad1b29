"""A Gaussian process behind a result of `Optimizer`, with the shape in which scikit-optimize's plots read models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import StudyError
from tunepass.integrations.parameters import ForeignParameter
from tunepass.space.features.embedding import Embedding
from tunepass.space.plain_values import is_finite
from tunepass.space.space import Space
from tunepass.strategies.bo.loop import LoopSettings
from tunepass.strategies.bo.models import GpModel

Floats = NDArray[np.float64]


class Model:
    """A process that is fitted to the finite values of points.

    Args:
        space: of tunepass, in which the process compares points.
        dimensions: the space's parameters, with their values in a point.
        theirs: the same space as a skopt.space.Space, in whose transformation points are asked for.
        points: lists of values (n, d).
        values: of the points (n,).

    Raises:
        StudyError: no value is finite, or scikit-optimize is not installed.
    """

    def __init__(
        self,
        space: Space,
        dimensions: Sequence[ForeignParameter],
        theirs: Any,
        points: Sequence[Sequence[object]],
        values: Sequence[float],
    ):
        finite = [place for place, value in enumerate(values) if is_finite(value)]
        if not finite or not hasattr(theirs, "dimensions"):
            raise StudyError("a model needs a finite value, and scikit-optimize: pip install 'tunepass[skopt]'")
        self._dimensions, self._theirs = dimensions, theirs.dimensions
        self._process = GpModel(Embedding(space.parameters), LoopSettings().gp)
        rows = self._rows(list(zip(*(points[place] for place in finite))))
        self._process.fit(rows, np.array([values[place] for place in finite], dtype=float), rows[:0])

    def predict(self, X: Floats, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean (m,), and if asked for standard deviation (m,), at points (m, f) in skopt's transformation."""
        stops = np.cumsum([dimension.transformed_size for dimension in self._theirs])
        parts = np.split(np.asarray(X, dtype=float), stops[:-1], axis=1)
        posterior = self._process.posterior(
            self._rows(
                [d.inverse_transform(part if part.shape[1] > 1 else part[:, 0]) for d, part in zip(self._theirs, parts)]
            )
        )
        return (posterior.mean, posterior.deviation) if return_std else posterior.mean

    def _rows(self, values: Sequence[Sequence[object]]) -> Floats:
        """Rows of the process for the values of each dimension."""
        columns = {
            d.parameter.name: d.parameter.column([d.native(value) for value in each])
            for d, each in zip(self._dimensions, values)
        }
        return self._process.rows(columns)


class Models(Sequence[Model]):
    """`models[k]` knows the first `initial` + k points; each is fitted when it is asked for, the last one kept."""

    def __init__(self, initial: int, *about: Any):
        self._initial, self._about = initial, about
        self._count = max(0, len(about[-1]) - initial + 1)
        self._fitted: dict[int, Model] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Model: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Model]: ...
    def __getitem__(self, place: int | slice) -> Model | Sequence[Model]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        known = self._initial + range(self._count)[place]
        if known not in self._fitted:
            space, dimensions, theirs, points, values = self._about
            self._fitted = {known: Model(space, dimensions, theirs, points[:known], values[:known])}
        return self._fitted[known]
