"""Parameters that constraints tie together, as one factor of the space; a space is a product of groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.expr import nodes
from tunepass.space.columns import Columns, Mask
from tunepass.space.constraint import Constraint
from tunepass.space.feasible import order
from tunepass.space.feasible.compile import Builder, Domain, TooLarge
from tunepass.space.feasible.diagram import LIMIT, Diagram, Indices, Weighted
from tunepass.space.feasible.evaluate import Evaluator, Known
from tunepass.space.feasible.terms import Term, Terms, conjuncts
from tunepass.space.parameter import Column, Parameter
from tunepass.space.prior import Floats

LONG = 4096  # values of a free parameter; of a longer one only some are neighbours


class Group(ABC):
    """Feasible assignments of some parameters: counted, ranked, drawn. All batches are columns."""

    parameters: tuple[Parameter, ...]
    size: int

    @abstractmethod
    def unrank(self, ranks: Indices) -> Columns: ...

    @abstractmethod
    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        """Which rows are feasible, and their ranks."""

    def contains(self, columns: Columns) -> Mask:
        """Which rows are feasible."""
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
class FreeGroup(Group):
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

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        p = self.parameter
        return self.draw(n, rng) if p.prior is None else {p.name: p.draw_by_prior(n, rng)}


class DiagramGroup(Group):
    """Constrained parameters; `names` and `positions` say what each layer of the diagram binds."""

    def __init__(self, parameters: Sequence[Parameter], layers: Sequence[tuple[str, int]], diagram: Diagram):
        self.parameters = tuple(parameters)
        self.layers, self.diagram, self.size = tuple(layers), diagram, diagram.size
        self._by_name = {p.name: p for p in self.parameters}
        self._weighted: Weighted | None = None

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


class RealGroup(Group):
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


def components(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> list[tuple[set[str], list[int]]]:
    """Names tied by constraints, and the numbers of those constraints; unconstrained names are groups of one."""
    group: dict[str, tuple[set[str], list[int]]] = {p.name: ({p.name}, []) for p in parameters}
    for i, c in enumerate(constraints):
        merged: tuple[set[str], list[int]] = (set(), [i])
        for name in (node.name for node in c.names):
            if group[name][0] is not merged[0] and not merged[0] >= group[name][0]:
                merged[0].update(group[name][0])
                merged[1].extend(group[name][1])
        for name in merged[0]:
            group[name] = merged
    unique = {id(g[0]): g for g in group.values()}
    return [(names, sorted(set(numbers))) for names, numbers in unique.values()]


def build_group(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], node_limit: int) -> DiagramGroup:
    """The diagram of finite `parameters` under `expressions` over them. Raises TooLarge."""
    compiled = Compiled(parameters, expressions)
    if len(compiled.listed) < len(parameters):
        raise TooLarge
    return grouped(compiled, node_limit)


def grouped(compiled: Compiled, node_limit: int) -> DiagramGroup:
    """The diagram of the listed parameters; constraints over others only prune it. Raises TooLarge."""
    builder = Builder(compiled.terms, compiled.joint, compiled.order(), compiled.domains, node_limit)
    layers = [(v.parameter, v.position) for v in (compiled.variables[i] for i in builder.order)]
    return DiagramGroup(compiled.listed, layers, builder.build())


class Compiled:
    """Terms of a group's constraints; those about one parameter alone have already thinned its domain.

    `listed` are the parameters whose values can be listed; the others, reals and long integers, have no domain here.
    """

    def __init__(self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]):
        self.parameters = tuple(parameters)
        self.variables = [v for p in parameters for v in p.variables()]
        self.terms = Terms(self.variables)
        constraints = dict.fromkeys(self.terms.build(part) for e in expressions for part in conjuncts(e))
        self.listed = [p for p in parameters if p.axis() is None]
        finite = {p.name: Domain.of(p.variable_values()) for p in self.listed}
        self.domains = {i: finite[v.parameter] for i, v in enumerate(self.variables) if v.parameter in finite}
        self.joint: list[Term] = []
        for t in constraints:
            number = t.mask.bit_length() - 1
            if not t.mask and self.domains:
                self._thin(min(self.domains), t)
            elif t.mask == 1 << number and number in self.domains and self.variables[number].position < 0:
                self._thin(number, t)
            else:
                self.joint.append(t)

    def _thin(self, number: int, t: Term) -> None:
        domain = self.domains[number]
        known: Known = {self.terms.variable(number): (domain.column, None)}
        everywhere = np.ones(len(domain.index), dtype=bool)
        met = Evaluator(self.terms, known, 0, 1 << number).satisfied(t, everywhere) & everywhere
        self.domains[number] = domain.take(met)

    def order(self) -> list[int]:
        units = []
        for i, v in enumerate(self.variables):
            if i in self.domains and v.position <= 0:
                units.append(tuple(self.terms.positions[v.parameter]) if v.position == 0 else (i,))
        sizes = {i: len(self.domains[i].index) if i in self.domains else 2 for i in range(len(self.variables))}
        return order.choose(self.terms, self.joint, units, sizes)
