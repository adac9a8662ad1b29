"""What every kind of parameter answers: the only things that differ by kind.

A column holds many values of one parameter: int64 for whole numbers, float64 for others, bool for Booleans, int64 codes
for strings, and (n, k) int64 item codes by position for a Permutation. A finite parameter's values also have an index
in `domain`. A parameter is one variable of a decision diagram, a Permutation one for each position; the values of a
variable have codes: their index, or the item's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices, Mask
from tunepass.space.configuration import Value
from tunepass.space.parameters import text
from tunepass.space.parameters.axis import BoxAxis
from tunepass.space.parameters.condition import Condition
from tunepass.space.parameters.order_features import FeatureLayout, PermutationDistance
from tunepass.space.parameters.steps import index_steps
from tunepass.space.parameters.variable import Variable
from tunepass.space.prior import Floats


class ParameterBase(ABC):
    """What every kind answers; `Parameter` is the union of the five.

    Where nothing else is said, a finite parameter whose value is one number of its column.
    """

    __slots__ = ()
    name: str
    when: Condition | None
    span: Span | None

    def __repr__(self) -> str:
        parameter: object = self
        values = {f.name: getattr(self, f.name) for f in fields(parameter) if f.repr} if is_dataclass(parameter) else {}
        values |= self._optional_values
        values |= {} if self.when is None else {"when": str(self.when)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values.items())})"

    @property
    def _optional_values(self) -> Mapping[str, object]:
        """Arguments that `repr` shows where they are given."""
        return {}

    # --- values

    @property
    def kind(self) -> str:
        """The kind's name, as in a description: `integer`."""
        return type(self).__name__.lower()

    @property
    @abstractmethod
    def type(self) -> nodes.Type:
        """The type of the parameter's name in expressions."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """How many values there are; None for a Real."""

    @property
    @abstractmethod
    def domain(self) -> Sequence[Value]:
        """The values in order; a Real has none to list and raises."""

    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the largest number in a column."""

    @abstractmethod
    def admits(self, value: object) -> bool:
        """Is `value` one of the parameter's values?"""

    def check(self, value: object) -> None:
        """Raises SpaceError for a value that is not one of the parameter's."""
        if not self.admits(value):
            raise SpaceError(f"{self.name}: {value!r} is not one of its values ({self})", self.span)

    def canonical(self, value: object) -> Value | None:
        """The parameter's own value that equals `value` (16 for 16.0); None without one."""
        return self.domain[self.domain.index(value)] if self.admits(value) else None

    @property
    def on_log_scale(self) -> bool:
        """Are distances those of logarithms?"""
        return False

    # --- columns

    @property
    def is_scalar(self) -> bool:
        """Is a value one number of its column? An order has several."""
        return True

    @abstractmethod
    def column(self, values: Sequence[Value]) -> Column:
        """A column of `values`, all of them admitted."""

    @abstractmethod
    def values(self, column: Column) -> list[Value]:
        """The inverse of `column`."""

    @abstractmethod
    def at(self, index: Indices) -> Column:
        """The column of the values at `index` (n,) of the domain."""

    @abstractmethod
    def find(self, column: Column) -> Indices:
        """Indices (n,) in the domain of a column's values, -1 for one that is not in it."""

    def inside(self, column: Column) -> Mask:
        """Which values (n,) of a column are the parameter's."""
        return self.find(column) >= 0

    # --- variables of a decision diagram

    def axis(self) -> BoxAxis | None:
        """Its ranges, where its values are too many to list; else None."""
        return None

    def range_axis(self) -> BoxAxis:
        """Its ranges, however many its values are; of a parameter of numbers."""
        axis = self.axis()
        assert axis is not None, f"{self.name} has no ranges"
        return axis

    def variables(self) -> tuple[Variable, ...]:
        """The variables that a diagram binds for it."""
        return (Variable(self.name, -1, self.type, *self.ends(), self.size or 0),)

    def variable_values(self) -> Column:
        """The values of each of its variables, in the order of their codes."""
        return self.at(np.arange(self.size or 0))

    def codes(self, column: Column) -> Indices:
        """The codes (n, variables) of a column's values."""
        return self.find(column)[:, None]

    def from_codes(self, codes: Indices) -> Column:
        """The inverse of `codes`."""
        return self.at(codes[:, 0])

    # --- steps

    def steps(self, column: Column, longest: int) -> tuple[Column, Indices]:
        """Values one step away from each of a column's, and which row of it each belongs to.

        Every other value; of a domain of more than `longest` values, some at either side.
        """
        index, owner = index_steps(self.find(column), self.size or 0, longest)
        return self.at(index), owner

    def jittered(self, column: Column, scale: Floats, rng: np.random.Generator) -> Column:
        """The column, each value moved by a normal step of deviation `scale` (n,), in shares of the scaled range, where
        values are a continuum; else as it is."""
        return column

    def changes(self, column: Column, target: Column) -> Floats:
        """How much each value (n,) differs from that of `target` (1,): 1, and below 1 more for how far."""
        return np.not_equal(column, target).astype(np.float64)

    @abstractmethod
    def distance_from_default(self, value: Value) -> float:
        """How far a value is from the default, in [0, 1]; above 0 for any other."""

    # --- priors

    @abstractmethod
    def masses(self) -> Floats:
        """The prior probability of every value of the domain (a permutation: of every item at every position)."""

    def draw(self, n: int, rng: np.random.Generator) -> Column:
        """Independent values (n,), uniform."""
        return self.at(rng.integers(self.size or 0, size=n))

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Column:
        """Independent values (n,) by the prior."""
        masses = self.masses()
        return self.at(rng.choice(len(masses), size=n, p=masses))

    def log_prior(self, column: Column, least: float = 0.0) -> Floats:
        """Log of the prior probability (for a Real: density) of each value (n,), which counts as `least` or more."""
        masses = np.maximum(self.masses(), least)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(masses[self.find(column)]), dtype=np.float64)

    # --- features of models

    @abstractmethod
    def feature_names(self) -> list[str]:
        """A name for each of its features."""

    @abstractmethod
    def encode(self, column: Column) -> Floats:
        """Features (n, features) in [0, 1] of a column's values."""

    def unscaled(self, column: Column) -> Floats:
        """Features (n, features) on the values' own scale."""
        return self.encode(column)

    @abstractmethod
    def unscaled_values(self, values: Sequence[Value]) -> Floats:
        """The features `unscaled` of values (n,) that the parameter may not admit."""

    @abstractmethod
    def unscaled_ends(self) -> tuple[Floats, Floats]:
        """The least and the largest value (features,) of each unscaled feature."""

    def layout(self, distance: PermutationDistance) -> FeatureLayout:
        """How it is embedded, where orders are compared by `distance`."""
        return FeatureLayout()

    @abstractmethod
    def embed(self, column: Column, distance: PermutationDistance) -> Floats:
        """Features (n, width of the layout) whose distances are those of a column's values."""

    # --- text

    @abstractmethod
    def definition(self) -> Mapping[str, Value | list[Value]]:
        """What makes its values, as JSON; search hints (prior, log scale) are not part of it."""

    def summary(self) -> str:
        """The values as people read them: listed when few, else by their ends."""
        return text.summary(self.domain)

    @abstractmethod
    def parse(self, written: str) -> Value | None:
        """The value that is written so (`--set TILE=96`); None if it is none of the parameter's."""

    def expected(self, written: str) -> str:
        """What the parameter takes, for somebody who wrote something else."""
        return text.expected(self.domain)

    def assignments(self, value: Value) -> tuple[tuple[str, Value], ...]:
        """A value as one number or word a name: the parameter's; for an order NAME_ITEM, the position of each item."""
        return ((self.name, value),)


def pick_default(parameter: ParameterBase, domain: tuple[Value, ...], default: Value | None) -> Value:
    """The first value unless a default is given; the domain's own equal value (16 for 16.0)."""
    if default is None:
        return domain[0]
    plain: Value = default.item() if isinstance(default, np.generic) else default
    parameter.check(plain)
    return domain[domain.index(plain)]
