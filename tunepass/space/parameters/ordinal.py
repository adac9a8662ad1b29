"""Listed numbers whose order and distances mean something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices
from tunepass.space.configuration import Value
from tunepass.space.parameters import checks
from tunepass.space.parameters.base import pick_default
from tunepass.space.parameters.condition import Condition, ConditionLike, condition
from tunepass.space.parameters.lookup import Lookup
from tunepass.space.parameters.numeric import NumericParameter
from tunepass.space.plain_values import is_one_of
from tunepass.space.prior import Beta, BetaLike, Floats, beta_prior, value_masses


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Ordinal(NumericParameter):
    """A parameter of listed numbers whose order and distances mean something.

    Args:
        name: an identifier that is no word of the expression language.
        values: distinct numbers, in any order; all are floats if one is.
        log: whether distances are those of logarithms; all values must be positive then.
        default: the value of the default configuration; None: the first value.
        prior: where the best value is expected: `uniform`, `gaussian`, `decay`, `exponential`, or a Beta's (a, b).
        when: the condition on other parameters under which it is active; else it has no value. None: always.
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is not one of the values.

    Example:
        >>> tp.Ordinal("tile", [4, 8, 16], log=True, default=8).size
        3
    """

    name: str
    domain: tuple[checks.Number, ...]
    log: bool
    default: checks.Number
    prior: Beta | None
    when: Condition | None = field(repr=False)
    span: Span | None = field(compare=False, repr=False)
    lookup: Lookup = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        values: Sequence[checks.Number],
        *,
        log: bool = False,
        default: checks.Number | None = None,
        prior: BetaLike | None = None,
        when: ConditionLike = None,
        span: Span | None = None,
    ):
        checks.check_name(name, span)
        checks.freeze(self, when=condition(name, when, span))
        domain: tuple[checks.Number, ...] = checks.distinct(name, values, span)
        if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in domain):
            raise SpaceError(
                f"{name}: ordinal values are numbers, got {checks.listing(domain)}", span, "use categorical"
            )
        domain = checks.one_number_type(domain)
        table: Column = np.array(domain, dtype=np.int64 if isinstance(domain[0], int) else np.float64)
        checks.freeze(self, lookup=Lookup(table))
        log = checks.flag(name, "log", log, span)
        checks.check_range(name, *self.lookup.ends, log, span)
        checks.freeze(self, name=name, domain=domain, log=log, span=span)
        checks.freeze(self, default=pick_default(self, domain, default), prior=beta_prior(name, prior))

    def __str__(self) -> str:
        return f"ordinal({checks.listing(self.domain)})"

    @property
    def type(self) -> nodes.Type:
        return nodes.IntegerType() if isinstance(self.domain[0], int) else nodes.RealType()

    @property
    def size(self) -> int:
        return len(self.domain)

    def ends(self) -> tuple[float, float]:
        return self.lookup.ends

    def admits(self, value: object) -> bool:
        return not isinstance(value, (bool, np.bool_)) and is_one_of(value, self.domain)

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, dtype=np.int64 if isinstance(self.domain[0], int) else np.float64)

    def values(self, column: Column) -> list[Value]:
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return self.lookup.table[index]

    def find(self, column: Column) -> Indices:
        return self.lookup.find(column)

    def masses(self) -> Floats:
        return value_masses(self.prior, self.unit(self.lookup.table))

    def from_unit(self, u: Floats) -> Column:
        scaled = self.unit(self.lookup.table)
        order = np.argsort(scaled)
        scaled = scaled[order]
        right = np.clip(np.searchsorted(scaled, u), 1, len(scaled) - 1)
        return self.at(order[np.where(u - scaled[right - 1] < scaled[right] - u, right - 1, right)])

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"values": list(self.domain)}
