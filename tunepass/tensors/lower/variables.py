"""Index variables and what directives made of them: extents, values from the loops' values, and bounds of loops.

A variable is a root (an index variable of the expression) or made by a derivation; the leaves are loops. A value, an
extent and a bound are C text, or a constant where they are known now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.tensors.lower.text import Quantity, atom, ceil_div, minus, plus, times
from tunepass.tensors.schedule.loops import BoundOf, Derivation, DivideBy, FuseOf, PosOf, SplitBy, children, parents

Values = Mapping[str, str]


@dataclass(slots=True)
class Variables:
    """`sizes` are the extents of the roots, and of position variables once they are known."""

    derivations: Sequence[Derivation]
    sizes: dict[str, Quantity]
    below: dict[str, Derivation] = field(init=False)  # what a variable became
    above: dict[str, Derivation] = field(init=False)  # what made it

    def __post_init__(self) -> None:
        self.below = {parent: d for d in self.derivations for parent in parents(d)}
        self.above = {child: d for d in self.derivations for child in children(d)}

    def leaves(self, variable: str) -> frozenset[str]:
        derivation = self.below.get(variable)
        if derivation is None:
            return frozenset((variable,))
        return frozenset[str]().union(*(self.leaves(child) for child in children(derivation)))

    def roots(self, variable: str) -> tuple[str, ...]:
        """The index variables `variable` comes from, in the order of fusing."""
        derivation = self.above.get(variable)
        if derivation is None:
            return (variable,)
        return tuple(dict.fromkeys(root for parent in parents(derivation) for root in self.roots(parent)))

    def extent(self, variable: str) -> Quantity:
        if variable in self.sizes:
            return self.sizes[variable]
        match self.above[variable]:
            case SplitBy(parent, outer, _, factor):
                return ceil_div(self.extent(parent), factor, self.wide(parent)) if variable == outer else factor
            case DivideBy(parent, outer, _, factor):
                return factor if variable == outer else ceil_div(self.extent(parent), factor, self.wide(parent))
            case FuseOf(outer, inner, _):
                extent = times(self.extent(outer), self.extent(inner))
                return extent if isinstance(extent, int) else f"(long){extent}"
            case BoundOf(extent=extent):
                return extent
            case PosOf(position=position):
                raise KeyError(f"the positions {position} have no extent yet")

    def wide(self, variable: str) -> bool:
        """Do values of the variable need a `long`, because it counts pairs of two variables?"""
        match self.above.get(variable):
            case FuseOf():
                return True
            case SplitBy(parent=parent) | DivideBy(parent=parent):
                return self.wide(parent)
            case BoundOf(variable=parent):
                return self.wide(parent)
            case _:
                return False

    def inner_extent(self, derivation: SplitBy | DivideBy) -> Quantity:
        """Inner steps in one outer step."""
        return self.extent(derivation.inner)

    def value(self, variable: str, known: Values) -> Quantity | None:
        """The variable as text of `known` ones, None where these do not make it."""
        if variable in known:
            return known[variable]
        match self.below.get(variable):
            case SplitBy() | DivideBy() as derivation:
                outer, inner = self.value(derivation.outer, known), self.value(derivation.inner, known)
                if outer is None or inner is None:
                    return None
                return plus(times(outer, self.inner_extent(derivation)), inner)
            case FuseOf(outer, inner, fused):
                if (value := self.value(fused, known)) is None:
                    return None
                cast = "(int)" * self.wide(fused)
                operator = "/" if variable == outer else "%"
                quotient = f"{atom(value)} {operator} {atom(self.extent(inner))}"
                return f"{cast}({quotient})" if cast else quotient
            case BoundOf(bounded=bounded):
                return self.value(bounded, known)
        return None

    def derived(self, variable: str, coordinates: Values) -> Quantity:
        """The variable as text of the coordinates of its roots."""
        match self.above.get(variable):
            case SplitBy(parent=parent) | DivideBy(parent=parent) as derivation:
                operator = "/" if variable == derivation.outer else "%"
                return f"{atom(self.derived(parent, coordinates))} {operator} {atom(self.inner_extent(derivation))}"
            case FuseOf(outer, inner, _):
                base = f"(long){atom(self.derived(outer, coordinates))}"
                return plus(times(base, self.extent(inner)), self.derived(inner, coordinates))
            case BoundOf(variable=parent):
                return self.derived(parent, coordinates)
            case _:
                return coordinates[variable]

    def limit(self, variable: str, below: Quantity, leaf: str, known: Values) -> Quantity | None:
        """The bound of `leaf`, all other loops of `variable` being known, that keeps `variable` less than `below`; None
        where no bound does."""
        if variable == leaf:
            return below
        match self.below.get(variable):
            case SplitBy() | DivideBy() as derivation:
                outer, inner = derivation.outer, derivation.inner
                step = self.inner_extent(derivation)
                if leaf in self.leaves(outer) and leaf not in self.leaves(inner):
                    value = self.value(inner, known)
                    if value is None:
                        return None
                    return self.limit(outer, ceil_div(minus(below, value), step, self.wide(variable)), leaf, known)
                value = self.value(outer, known)
                return None if value is None else self.limit(inner, minus(below, times(value, step)), leaf, known)
            case FuseOf(outer, inner, fused) if variable == outer:
                return self.limit(fused, times(f"(long){atom(below)}", self.extent(inner)), leaf, known)
            case BoundOf(bounded=bounded):
                return self.limit(bounded, below, leaf, known)
        return None

    def partial(self, derivation: SplitBy | DivideBy) -> bool:
        """May the last outer step be partial?"""
        extent = self.extent(derivation.parent)
        return not (isinstance(extent, int) and extent % derivation.factor == 0)
