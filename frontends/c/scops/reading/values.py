"""What names and arithmetic in a region stand for: indices, parameters, and affine values of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from tunepass.frontends.c.scops.numbers.affine import Polynomial, Whole, isl_name, isl_text, whole
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.numbers.c_types import UNSIGNED
from tunepass.frontends.c.scops.numbers.invariants import invariant_text
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import Expression, Name, Number
from tunepass.ir.scop import ScopLoop, ScopParameter

Read = TypeVar("Read")
Mode = Literal["symbolic", "numeric", "invariant"]
"""Macros that are numbers are parameters; they are numbers; arithmetic on parameters that is not affine is one."""
MODES: tuple[Mode, ...] = ("symbolic", "numeric", "invariant")


class RegionValues:
    """`parameters` are found on the way: whole numbers that the region reads and does not change."""

    def __init__(self, region: Region, taken: frozenset[str]):
        self.region, self.taken = region, taken
        self.variables = region.variables
        self.whole_effects = Effects.of(*region.statements)
        self.changed = self.whole_effects.written
        self.parameters: dict[str, ScopParameter] = {}
        self.active: list[ScopLoop] = []  # the loops around what is read
        self.quantities: dict[str, str] = {}  # their definitions as isl's texts
        self.hidden: frozenset[str] = frozenset()  # variables that the statement at hand declares
        self.counted: set[str] = set()  # macros that had to be read as numbers
        self.mode: Mode = "symbolic"

    def value_of(self, e: Name | Number) -> Whole | None:
        """An index or a parameter; of a number that a macro stands for, that macro as a parameter."""
        if isinstance(e, Number):
            return self._macro_value(e)
        loop = next((loop for loop in reversed(self.active) if loop.index == e.text), None)
        if loop is not None:
            return Whole(Affine.of(loop.name), loop.type in UNSIGNED)
        variable = self.variables.get(e.text)
        if e.text in self.changed or e.text in self.hidden:
            return None
        if variable is not None and (not variable.integral or variable.scope == "inner"):
            return None
        if e.text in self.region.addressed and self.whole_effects.unknown:
            return None
        if variable is not None and variable.scope == "global" and self.whole_effects.unknown and not variable.constant:
            return None
        type_ = variable.element if variable is not None else "int"
        parameter = self._parameter(e.text, type_, None)
        return Whole(Affine.of(parameter.name), type_ in UNSIGNED)

    def quantity(self, definition: Callable[[str], str]) -> str:
        """A name for a number that is known by a condition, as the quotient of a division is."""
        name = self._free(f"q{len(self.quantities)}")
        self.quantities[name] = definition(name)
        return name

    def _parameter(self, text: str, type_: str, value: int | None) -> ScopParameter:
        if text not in self.parameters:
            name = isl_name(text) if text.isidentifier() else self._free(f"p{len(self.parameters)}")
            self.parameters[text] = ScopParameter(name, self.region.spelled.get(text, text), type_, value)
        return self.parameters[text]

    def _free(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        return name

    def _macro_value(self, e: Number) -> Whole | None:
        """Of a number that is all that a macro stands for."""
        value, name = literal(e.token.text), e.token.macro
        if value is None or not self.region.is_alone(e.token):
            return None
        if self.mode == "numeric":
            self.counted.add(name)
            return None
        return Whole(Affine.of(self._parameter(name, "int", value).name))

    def invariant(self, e: Expression) -> Whole | None:
        text = invariant_text(e, self.parameter_text) if self.mode == "invariant" else None
        if text is None:
            return None
        unsigned = "sizeof" in text or any(p.type in UNSIGNED and p.text in text for p in self.parameters.values())
        parameter = self._parameter(text, "unsigned long" if unsigned else "long", None)
        return Whole(Affine.of(parameter.name), unsigned)

    def with_products(self, terms: Polynomial | None) -> Affine | None:
        """An affine value of a polynomial whose products are of parameters alone: each is a parameter of its own."""
        known = {p.name: p for p in self.parameters.values()}
        value = Affine((), 0)
        for names, factor in (terms or {}).items():
            name = names[0] if names else ""
            if len(names) > 1:
                if not all(each in known for each in names):
                    return None
                unsigned = any(known[each].type in UNSIGNED for each in names)
                kind = "unsigned long" if unsigned else "long"
                text = f"(({kind}){' * '.join(known[each].text for each in names)})"
                name = self._parameter(text, kind, None).name
            value = value.plus(Affine(((name, factor),), 0) if name else Affine((), factor))
        return value if terms is not None else None

    def parameter_text(self, e: Name | Number) -> str | None:
        """What code calls the parameter that `e` is; None where it is none."""
        value = self.value_of(e)
        names = [name for name, _ in value.affine.strides] if value is not None else []
        return next((p.text for p in self.parameters.values() if [p.name] == names), None)

    def affine(self, e: Expression, *modes: Mode) -> Whole | None:
        """Its value in the first of the `modes` in which it is affine."""
        return self._first(lambda: whole(e, self), modes or MODES)

    def _first(self, read: Callable[[], Read | None], modes: Sequence[Mode] = MODES) -> Read | None:
        for mode in modes:
            with self._in(mode):
                value = read()
            if value is not None:
                return value
        return None

    @contextlib.contextmanager
    def _in(self, mode: Mode) -> Iterator[None]:
        before, self.mode = self.mode, mode
        try:
            yield
        finally:
            self.mode = before

    def extent(self, e: Expression) -> str:
        """C text of an array's extent, macros as numbers; `` where it is not affine."""
        known, self.parameters = self.parameters, {}
        value = self.affine(e, "numeric")
        self.parameters = known
        return "" if value is None else isl_text(value.affine)
