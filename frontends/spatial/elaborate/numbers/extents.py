"""Sizes that a source leaves open: what the user gives, what bounds them, and what times assume where nothing does.

While an app is read an open size is a symbol in every expression, so that what is computed from it follows it. When
all of the app is read, a symbol is what a later `bound` says. For any other a value is assumed: it scales times, and
what depends on it constrains nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Expr, Name, free_names
from tunepass.frontends.spatial.elaborate.values import HostValue

OPEN = "?"  # every symbol begins with it, and no name of a program does
MEAN = "the middle of its range"  # of what follows the counters around: no guess, but no bound either
HOST_ASSUMED = 1024  # what the host gives: the length of an array, an argument
DATA_ASSUMED = 64  # what data in the hardware decides: the length of a row, the steps of a state machine


@dataclass(frozen=True, slots=True)
class Extent:
    """A size with no value in the source. `assumed` may depend on parameters: the words of a memory, say.

    `why` says what is assumed where that is not the usual number; `host` is the value whose bound may still come.
    """

    symbol: str
    name: str
    span: Span | None
    assumed: Expr
    why: str = ""
    host: HostValue | None = None


def is_open(*expressions: Expr | None) -> bool:
    """Does any of them depend on a size that is assumed?"""
    return any(name.startswith(OPEN) for e in expressions if e is not None for name in free_names(e))


class Extents:
    """The open sizes of an app. `given` are the user's, by name; `used` those of them that the app has."""

    def __init__(self, given: Mapping[str, int] | None = None):
        self.given = dict(given or {})
        self.used: set[str] = set()
        self.names: set[str] = set()  # every name that the user could give
        self.by_symbol: dict[str, Extent] = {}
        self._of_host: dict[int, Extent] = {}

    def of_host(self, host: HostValue, span: Span | None) -> Expr:
        """What a value of the host is: given, bound, or its symbol."""
        known, chain = self._known(host)
        if known is not None:
            return known
        last = chain[-1]
        extent = self._of_host.get(id(last))
        if extent is None:
            assumed, why = (algebra.lift(HOST_ASSUMED), "") if last.assumed is None else (last.assumed, last.source)
            extent = self._new(_title(chain), span, assumed, why, last)
            self._of_host[id(last)] = extent
        return Name(extent.symbol, INTEGER, span)

    def of_data(self, name: str, span: Span, assumed: Expr | None = None, why: str = "") -> Expr:
        """A number that data decides while the hardware runs; `name` is made unique."""
        count = sum(extent.name == name or extent.name.startswith(f"{name}_") for extent in self.by_symbol.values())
        unique = name if not count else f"{name}_{count + 1}"
        self.names.add(unique)
        if unique in self.given:
            self.used.add(unique)
            return algebra.lift(self.given[unique])
        extent = self._new(unique, span, algebra.lift(DATA_ASSUMED) if assumed is None else assumed, why, None)
        return Name(extent.symbol, INTEGER, span)

    def bounds(self) -> dict[str, Expr]:
        """The symbols that a `bound` or an argument has said since: what they are."""
        known = {}
        for symbol, extent in self.by_symbol.items():
            value = self._known(extent.host)[0] if extent.host is not None else None
            if value is not None:
                known[symbol] = value
        return known

    def _known(self, host: HostValue) -> tuple[Expr | None, list[HostValue]]:
        """What the user or the source says of the value, and what it was set from, the furthest last."""
        seen: list[HostValue] = []
        while True:
            seen.append(host)
            self.names.update(host.names)
            for name in host.names:
                if name in self.given:
                    self.used.add(name)
                    return algebra.lift(self.given[name]), seen
            if host.bound is not None or host.alias is None or host.alias in seen:
                return host.bound, seen
            host = host.alias

    def _new(self, name: str, span: Span | None, assumed: Expr, why: str, host: HostValue | None) -> Extent:
        extent = Extent(f"{OPEN}{len(self.by_symbol)}", name, span, assumed, why, host)
        self.by_symbol[extent.symbol] = extent
        return extent


def _title(chain: list[HostValue]) -> str:
    """What people are told it is: the name nearest to where it comes from, of those that are one."""
    names = [name for host in reversed(chain) for name in host.names]
    return next((name for name in names if name.isidentifier()), names[0])
