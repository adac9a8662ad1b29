"""Parameters that constraints tie together, as one factor of the space; a space is a product of groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Column, Columns, Indices, Mask
from tunepass.space.feasible.diagram.diagram import Diagram, Weighted
from tunepass.space.feasible.diagram.path_counts import LIMIT
from tunepass.space.parameter import Parameter
from tunepass.space.prior import Floats

LONG = 4096  # values of a free parameter; of a longer one only some are neighbours


class ParameterGroup(ABC):
    """Feasible assignments of some parameters: counted, ranked, drawn. All batches are columns."""

    parameters: tuple[Parameter, ...]
    size: int
    counted: bool = True  # else its rows are only sampled

    @abstractmethod
    def unrank(self, ranks: Indices) -> Columns: ...

    @abstractmethod
    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        """Mask (n,) of feasible rows, and their ranks."""

    def contains(self, columns: Columns) -> Mask:
        """Mask (n,) of feasible rows."""
        return self.walk(columns)[0]

    @abstractmethod
    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        """Independent rows, by the parameters' priors restricted to what is feasible."""

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        """Independent rows, uniform."""
        return self.unrank(draw_ranks(self.size, n, rng))

    def steps(self, parameter: Parameter, columns: Columns) -> tuple[Column, Indices]:
        """Values of `parameter` one step from that of the one row in `columns`, and that row's number for each; some
        may be infeasible."""
        return parameter.steps(columns[parameter.name], LONG)


def draw_ranks(size: int, n: int, rng: np.random.Generator) -> Indices:
    """Independent ranks (n,), uniform below `size`; Python integers where 64 bits do not hold them."""
    if size <= LIMIT:
        return rng.integers(size, size=n)
    bits = size.bit_length() + 64  # the bias of the remainder is below 2**-64
    raw = [int.from_bytes(rng.bytes(bits // 8 + 1), "little") % size for _ in range(n)]
    return np.array(raw, dtype=object)


@dataclass(frozen=True, slots=True)
class FreeGroup(ParameterGroup):
    """One finite parameter no constraint mentions: never listed, however long."""

    parameter: Parameter
    size: int

    @property
    def parameters(self) -> tuple[Parameter, ...]:  # type: ignore[override]
        return (self.parameter,)

    def unrank(self, ranks: Indices) -> Columns:
        return {self.parameter.name: self.parameter.at(ranks)}

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        index = self.parameter.find(columns[self.parameter.name])
        return index >= 0, index

    def contains(self, columns: Columns) -> Mask:
        return self.parameter.inside(columns[self.parameter.name])

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        p = self.parameter
        return self.draw(n, rng) if p.prior is None else {p.name: p.draw_by_prior(n, rng)}


class DiagramGroup(ParameterGroup):
    """Constrained parameters; `names` and `positions` say what each layer of the diagram binds."""

    def __init__(self, parameters: Sequence[Parameter], layers: Sequence[tuple[str, int]], diagram: Diagram):
        self.parameters = tuple(parameters)
        self.layers, self.diagram, self.size = tuple(layers), diagram, diagram.size
        self._by_name = {p.name: p for p in self.parameters}
        self._weighted: Weighted | None = None
        self._uniform: Weighted | None = None

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        """Independent rows, uniform; layer by layer where ranks beyond 64 bits would be slow Python integers."""
        if self.size <= LIMIT:
            return super().draw(n, rng)
        if self._uniform is None:
            self._uniform = self.diagram.weigh([np.ones(layer.width) for layer in self.diagram.layers])
        return self.columns(self._uniform.draw(n, rng))

    def unrank(self, ranks: Indices) -> Columns:
        return self.columns(self.diagram.unrank(ranks))

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        return self.diagram.walk(self.rows(columns))

    def contains(self, columns: Columns) -> Mask:
        return self.diagram.contains(self.rows(columns))

    def columns(self, rows: Indices) -> Columns:
        """Columns of rows (n, layers) of value indices."""
        out: dict[str, Column] = {}
        for p in self.parameters:
            layers = [i for i, (name, _) in enumerate(self.layers) if name == p.name]
            out[p.name] = p.from_codes(rows[:, layers])
        return out

    def rows(self, columns: Columns) -> Indices:
        """Rows (n, layers) of value indices of the configurations in `columns`: the inverse of `columns`."""
        codes = {p.name: p.codes(columns[p.name]) for p in self.parameters}
        return np.stack([codes[name][:, max(position, 0)] for name, position in self.layers], axis=1)

    def steps(self, parameter: Parameter, columns: Columns) -> tuple[Column, Indices]:
        """Only those that the diagram allows, where the row is feasible and the parameter one of its layers."""
        if not (parameter.is_scalar and self.contains(columns)[0]):
            return super().steps(parameter, columns)
        row = self.rows(columns)[0]
        layer = next(i for i, (name, _) in enumerate(self.layers) if name == parameter.name)
        index = self.diagram.choices(row, layer)
        others = parameter.at(index[index != row[layer]])
        return others, np.zeros(len(others), dtype=np.int64)

    def masses(self) -> list[Floats]:
        """The prior weight of every value of every layer."""
        out = []
        for name, position in self.layers:
            mass = self._by_name[name].masses()
            out.append(mass[position] if position >= 0 else mass)
        return out

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        if all(p.prior is None for p in self.parameters):
            return self.draw(n, rng)
        if self._weighted is None:
            self._weighted = self.diagram.weigh(self.masses())
        if not self._weighted.possible:
            return self.draw(n, rng)
        return self.columns(self._weighted.draw(n, rng))


class InfiniteGroup(ParameterGroup):
    """One parameter of infinitely many values that no constraint mentions. It has no size or ranks."""

    size = 1

    def __init__(self, parameter: Parameter):
        self.parameter, self.parameters = parameter, (parameter,)

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a real parameter is not ranked")

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        inside = self.contains(columns)
        return inside, np.zeros(len(inside), dtype=np.int64)

    def contains(self, columns: Columns) -> Mask:
        return self.parameter.inside(columns[self.parameter.name])

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        return {self.parameter.name: self.parameter.draw(n, rng)}

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        return {self.parameter.name: self.parameter.draw_by_prior(n, rng)}
