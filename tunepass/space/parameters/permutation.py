"""Orders of a few items."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices, Mask
from tunepass.space.configuration import Value
from tunepass.space.parameters.base import ParameterBase
from tunepass.space.parameters.checks import check_name, distinct, freeze, listing
from tunepass.space.parameters.condition import Condition, ConditionLike, condition
from tunepass.space.parameters.order_features import FeatureLayout, PermutationDistance, order_features, order_layout
from tunepass.space.parameters.steps import reorderings
from tunepass.space.parameters.variable import Variable
from tunepass.space.plain_values import as_whole
from tunepass.space.prior import Floats, draw_order, log_order_probability, position_weights

PERMUTATION_LIMIT = 64  # items: neighbours and pairs of items grow with their square
WORD_ITEMS = 20  # items of a permutation whose indices are 64-bit integers: 20! fits 63 bits; of more they are Python's
DOMAIN_LIMIT = 1 << 22  # values that `domain` of a permutation may list


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Permutation(ParameterBase):
    """A parameter whose values are orders: tuples of all items.

    Args:
        name: an identifier that is no word of the expression language.
        items: how many (the items are 0, 1, ... then), or a list of distinct strings; at most 64.
        default: the order of the default configuration; None: the order of `items`.
        prior: a weight for each position and item; None: all the same.
        when: the condition on other parameters under which it is active; else it has no value. None: always.
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is not an order of the items.

    Example:
        >>> tp.Permutation("order", ["i", "j", "k"]).size
        6
    """

    name: str
    items: tuple[int | str, ...]
    default: tuple[int | str, ...]
    prior: tuple[tuple[float, ...], ...] | None
    when: Condition | None = field(repr=False)
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        items: int | Sequence[str],
        *,
        default: Sequence[int | str] | None = None,
        prior: Sequence[Sequence[float]] | None = None,
        when: ConditionLike = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        freeze(self, when=condition(name, when, span))
        items = _count_or_list(name, items, span)
        count = items if isinstance(items, int) else len(items)
        if not 1 <= count <= PERMUTATION_LIMIT:
            raise SpaceError(f"{name}: a permutation has 1 to {PERMUTATION_LIMIT} items, got {items!r}", span)
        listed: tuple[int | str, ...] = tuple(range(items)) if isinstance(items, int) else distinct(name, items, span)
        if not isinstance(items, int) and not all(isinstance(v, str) for v in listed):
            raise SpaceError(f"{name}: items are a count or a list of strings, got {listing(listed)}", span)
        freeze(self, name=name, items=listed, span=span, prior=position_weights(name, prior, len(listed)))
        freeze(self, default=listed if default is None else _order(name, default, span))
        self.check(self.default)

    def __str__(self) -> str:
        return f"permutation({listing(self.items)})"

    @property
    def type(self) -> nodes.Type:
        return nodes.OrderType(self.items)

    @property
    def size(self) -> int:
        return math.factorial(len(self.items))

    @property
    def domain(self) -> Sequence[Value]:
        if self.size > DOMAIN_LIMIT:
            raise SpaceError(f"{self.name}: {self.size} orders are too many to list", self.span)
        return list(itertools.permutations(self.items))

    def ends(self) -> tuple[float, float]:
        """Of the items, if they are numbers."""
        numbers = [item for item in self.items if isinstance(item, int)]
        return (float(min(numbers)), float(max(numbers))) if numbers else (0.0, 0.0)

    def admits(self, value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != len(self.items) or any(isinstance(v, bool) for v in value):
            return False
        return set(value) == set(self.items)

    def canonical(self, value: object) -> Value | None:
        return value if self.admits(value) else None  # type: ignore[return-value]

    @property
    def is_scalar(self) -> bool:
        return False

    def column(self, values: Sequence[Value]) -> Column:
        code = {item: i for i, item in enumerate(self.items)}
        rows = [[code[item] for item in value] for value in values if isinstance(value, tuple)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.items))

    def values(self, column: Column) -> list[Value]:
        if isinstance(self.items[0], int):
            return [tuple(row) for row in column.tolist()]
        return [tuple(self.items[i] for i in row) for row in column.tolist()]

    def at(self, index: Indices) -> Column:
        """Orders (n, k) by their index in lexicographic order: the factorial number system."""
        k = len(self.items)
        left = np.tile(np.arange(k), (len(index), 1))
        out = np.empty((len(index), k), dtype=np.int64)
        rest, row = np.asarray(index, dtype=self._index_type), np.arange(len(index))
        for p in range(k):
            following = math.factorial(k - 1 - p)  # orders of the items that are left
            digit, rest = (rest // following).astype(np.int64), rest % following
            out[:, p] = left[row, digit]
            keep = np.arange(k - p)[None, :] != digit[:, None]
            left = left[keep].reshape(len(index), k - p - 1)
        return out

    def find(self, column: Column) -> Indices:
        k = len(self.items)
        rows = np.asarray(column, dtype=np.int64)
        index: Indices = np.zeros(len(rows), dtype=self._index_type)
        for p in range(k):
            smaller_later = (rows[:, p + 1 :] < rows[:, p : p + 1]).sum(axis=1).astype(self._index_type)
            index += smaller_later * math.factorial(k - 1 - p)
        return np.where(self.inside(column), index, -1)

    def inside(self, column: Column) -> Mask:
        rows = np.asarray(column, dtype=np.int64)
        return np.asarray((np.sort(rows, axis=1) == np.arange(len(self.items))).all(axis=1))

    @property
    def _index_type(self) -> np.dtype[np.generic]:
        return np.dtype(np.int64) if len(self.items) <= WORD_ITEMS else np.dtype(object)

    def masses(self) -> Floats:
        """Weights (k, k) of every item at every position."""
        k = len(self.items)
        return np.full((k, k), 1.0 / k) if self.prior is None else np.array(self.prior)

    def variables(self) -> tuple[Variable, ...]:
        """One for each position."""
        first, k = self.items[0], len(self.items)
        kind = nodes.INTEGER if isinstance(first, int) else nodes.CategoryType(tuple(str(i) for i in self.items))
        return tuple(Variable(self.name, position, kind, *self.ends(), k) for position in range(k))

    def variable_values(self) -> Column:
        """The items."""
        return np.array(self.items) if isinstance(self.items[0], int) else np.arange(len(self.items))

    def codes(self, column: Column) -> Indices:
        return np.asarray(column, dtype=np.int64)

    def from_codes(self, codes: Indices) -> Column:
        return codes

    def steps(self, column: Column, longest: int) -> tuple[Column, Indices]:
        """Every swap of two items, and every move of one item elsewhere; of many items over 1, 2, 4, ... places."""
        orders = reorderings(len(self.items))
        return column[:, orders].reshape(-1, len(self.items)), np.repeat(np.arange(len(column)), len(orders))

    def changes(self, column: Column, target: Column) -> Floats:
        moved = np.not_equal(column, target)
        return np.asarray(moved.any(axis=1) + moved.mean(axis=1) / 8, dtype=np.float64)

    def distance_from_default(self, value: Value) -> float:
        """The share of pairs turned round (Kendall)."""
        assert isinstance(value, tuple)
        position = {item: i for i, item in enumerate(value)}
        pairs = list(itertools.combinations(self.default, 2))
        return sum(position[a] > position[b] for a, b in pairs) / max(1, len(pairs))

    def draw(self, n: int, rng: np.random.Generator) -> Column:
        k = len(self.items)
        if k <= WORD_ITEMS:
            return ParameterBase.draw(self, n, rng)  # `super()` fails in a class that `slots` has made anew
        return rng.permuted(np.tile(np.arange(k), (n, 1)), axis=1)

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Column:
        return draw_order(self.masses(), n, rng)

    def log_prior(self, column: Column, least: float = 0.0) -> Floats:
        log = log_order_probability(np.maximum(self.masses(), least), self.codes(column))
        return np.maximum(log, math.log(least)) if least > 0 else log

    def feature_names(self) -> list[str]:
        return [f"pos({self.name}, {item})" for item in self.items]

    def encode(self, column: Column) -> Floats:
        return self.unscaled(column) / max(1, len(self.items) - 1)

    def unscaled(self, column: Column) -> Floats:
        """The position of each item."""
        return np.argsort(self.codes(column), axis=1).astype(np.float64)

    def unscaled_values(self, values: Sequence[Value]) -> Floats:
        return np.array([[_position(value, item) for item in self.items] for value in values], np.float64)

    def unscaled_ends(self) -> tuple[Floats, Floats]:
        k = len(self.items)
        return np.zeros(k), np.full(k, k - 1.0)

    def layout(self, distance: PermutationDistance) -> FeatureLayout:
        return order_layout(len(self.items), distance)

    def embed(self, column: Column, distance: PermutationDistance) -> Floats:
        if distance == "naive":
            return self.find(column).astype(np.float64)[:, None]
        return order_features(self.codes(column), distance)

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"items": list(self.items)}

    def summary(self) -> str:
        return f"orders of {' '.join(map(str, self.items))}"

    def parse(self, written: str) -> Value | None:
        words = written.strip("()").split()
        order = tuple(item for word in words for item in self.items if str(item) == word)
        return order if sorted(words) == sorted(map(str, self.items)) else None

    def expected(self, written: str) -> str:
        return f"it takes the {self.summary()}"

    def assignments(self, value: Value) -> tuple[tuple[str, Value], ...]:
        assert isinstance(value, tuple)
        return tuple((f"{self.name}_{item}", value.index(item)) for item in self.items)


def _count_or_list(name: str, items: object, span: Span | None) -> int | list[str]:
    whole = as_whole(items)
    if whole is not None:
        return whole
    if isinstance(items, (str, set, frozenset)) or not isinstance(items, Iterable):
        raise SpaceError(f"{name}: items are a count or a list of strings, got {items!r}", span)
    return list(items)


def _order(name: str, default: object, span: Span | None) -> tuple[object, ...]:
    """The default as a tuple of Python's own values."""
    if not isinstance(default, Iterable):
        raise SpaceError(f"{name}: an order is a list of its items, got {default!r}", span)
    return tuple(item.item() if isinstance(item, np.generic) else item for item in default)


def _position(order: Value, item: object) -> int:
    """Where an item stands in an order; -1 if it is not in it."""
    return order.index(item) if isinstance(order, tuple) and item in order else -1
