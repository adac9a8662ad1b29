"""Listed values without an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices
from tunepass.space.configuration import Value
from tunepass.space.parameters import text
from tunepass.space.parameters.base import ParameterBase, pick_default
from tunepass.space.parameters.checks import Number, check_name, distinct, freeze, listing, one_number_type
from tunepass.space.parameters.condition import Condition, ConditionLike, condition
from tunepass.space.parameters.lookup import Lookup
from tunepass.space.parameters.order_features import FeatureLayout, PermutationDistance
from tunepass.space.plain_values import is_one_of
from tunepass.space.prior import Floats, probabilities


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Categorical(ParameterBase):
    """A parameter of listed values without an order.

    Args:
        name: an identifier that is no word of the expression language.
        values: distinct, and all strings, all numbers or all Booleans; None may be among them. Constraints compare
            values beside None as texts: `depth == 'None' or depth == '3'`.
        default: the value of the default configuration; None: the first value.
        prior: for each value the probability that it is best; None: all the same.
        when: the condition on other parameters under which it is active; else it has no value. None: always.
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is not one of the values.

    Example:
        >>> tp.Categorical("schedule", ["static", "dynamic"], prior=[0.3, 0.7]).default
        'static'
    """

    name: str
    domain: tuple[Value, ...]
    default: Value
    prior: tuple[float, ...] | None
    when: Condition | None = field(repr=False)
    span: Span | None = field(compare=False, repr=False)
    lookup: Lookup = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        values: Sequence[bool | None] | Sequence[Number | None] | Sequence[str | None],
        *,
        default: Value | None = None,
        prior: Sequence[float] | str | None = None,
        when: ConditionLike = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        freeze(self, when=condition(name, when, span))
        domain: tuple[Value, ...] = distinct(name, values, span)
        kinds = {_kind(v) for v in domain} - {"None"}
        if None in domain and "None" in domain:
            raise SpaceError(f"{name}: the string 'None' is not a value beside None", span)
        if len(kinds) > 1:
            raise SpaceError(
                f"{name}: values are all strings, all numbers or all Booleans, got {listing(domain)}", span
            )
        if kinds == {"number"} and None not in domain:
            domain = one_number_type(domain)  # type: ignore[arg-type]
        freeze(self, name=name, domain=domain, span=span, lookup=Lookup(_table(domain)))
        freeze(self, default=pick_default(self, domain, default), prior=probabilities(name, prior, len(domain)))

    def __str__(self) -> str:
        return f"categorical({listing(self.domain)})"

    @property
    def type(self) -> nodes.Type:
        first = self.domain[0]
        if _is_coded(self.domain):
            return nodes.CategoryType(tuple(str(v) for v in self.domain))
        if isinstance(first, bool):
            return nodes.BoolType()
        return nodes.IntegerType() if isinstance(first, int) else nodes.RealType()

    @property
    def size(self) -> int:
        return len(self.domain)

    def admits(self, value: object) -> bool:
        if not is_one_of(value, self.domain):
            return False
        return isinstance(value, bool) == isinstance(self.domain[self.domain.index(value)], bool)

    def column(self, values: Sequence[Value]) -> Column:
        index = {value: i for i, value in enumerate(self.domain)}
        return self.at(np.array([index[v] for v in values], dtype=np.int64))

    def values(self, column: Column) -> list[Value]:
        if _is_coded(self.domain):
            return [self.domain[i] for i in column.tolist()]
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return self.lookup.table[index]

    def find(self, column: Column) -> Indices:
        return self.lookup.find(column)

    def ends(self) -> tuple[float, float]:
        return self.lookup.ends

    def masses(self) -> Floats:
        n = len(self.domain)
        return np.full(n, 1.0 / n) if self.prior is None else np.array(self.prior)

    def distance_from_default(self, value: Value) -> float:
        return float(value != self.default)

    def feature_names(self) -> list[str]:
        return [f"{self.name} == {value!r}" for value in self.domain]

    def encode(self, column: Column) -> Floats:
        """One hot."""
        return np.equal(self.find(column)[:, None], np.arange(self.size)).astype(np.float64)

    def unscaled_values(self, values: Sequence[Value]) -> Floats:
        return np.array([[value == known for known in self.domain] for value in values], np.float64)

    def unscaled_ends(self) -> tuple[Floats, Floats]:
        one_hot = self.unscaled_values(self.domain)
        return one_hot.min(axis=0), one_hot.max(axis=0)

    def layout(self, distance: PermutationDistance) -> FeatureLayout:
        return FeatureLayout("flag" if self.size == 2 else "category", nominal=True)

    def embed(self, column: Column, distance: PermutationDistance) -> Floats:
        return self.find(column).astype(np.float64)[:, None]

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"values": list(self.domain)}

    def parse(self, written: str) -> Value | None:
        if any(isinstance(value, bool) for value in self.domain):
            return text.BOOLEANS.get(written)
        return next((value for value in self.domain if str(value) == written), None)


def _is_coded(domain: tuple[Value, ...]) -> bool:
    """Are values numbered in a column, as texts are, and not in it themselves?"""
    return isinstance(domain[0], str) or None in domain


def _kind(value: Value | None) -> str:
    if value is None:
        return "None"
    return "string" if isinstance(value, str) else "Boolean" if isinstance(value, bool) else "number"


def _table(domain: tuple[Value, ...]) -> Column:
    first = domain[0]
    if _is_coded(domain):
        return np.arange(len(domain), dtype=np.int64)
    kind = np.bool_ if isinstance(first, bool) else np.int64 if isinstance(first, int) else np.float64
    return np.array(domain, dtype=kind)
