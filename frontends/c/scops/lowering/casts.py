"""Casts in plain words: `size_t(i)`, `int{i}` and `static_cast<index_t>(i)` as casts to types of C, and those that
change no type of what they are of as nothing: `const_cast<double *>(a)`.

The emitted text keeps the user's casts.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.lowering.objects import Objects
from tunepass.frontends.c.scops.lowering.rewriting import mapped, mapped_statement
from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.c.scops.statements.variables import Variable
from tunepass.frontends.cfamily.syntax.tree import Binary, Call, Cast, Expression, Index, Items, Name, Number, Unary
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.types.declared import canonical_type
from tunepass.frontends.cfamily.unit import Unit

TYPE_OF = ("decltype(", "typeof(", "__typeof__(")


@dataclass(frozen=True)
class Casts:
    """`declared` are the names that a nest declares: `objects` knows others by them."""

    objects: Objects
    declared: AbstractSet[str] = frozenset()

    def plain(self, e: Expression) -> Expression:
        return mapped(e, self._step)

    def _step(self, e: Expression) -> Expression:
        match e:
            case Call(Name(token), arguments):
                return self._functional(token.text, arguments) or e
            case Cast(type_, False, operand):
                number = self._number(type_)
                return e if number in (None, type_) else Cast(number or type_, False, operand)
            case Cast(type_, True, operand, "*") if self._element(type_) in {self._pointee(operand)} - {None}:
                return operand
            case Cast(type_, True, operand, "&" | "&&") if self._element(type_) in {self._type(operand)} - {None}:
                return operand
        return e

    def _functional(self, name: str, arguments: tuple[Expression, ...]) -> Expression | None:
        """`T(x)`, `T{x}`, and `T()`, which is zero."""
        number = self._number(name)
        if number is None or self.objects.variables.get(name) is not None:
            return None
        match arguments:
            case () | (Items(()),):
                return Cast(number, False, Number(Token("number", "0", 0, 0, True)))
            case (Items((operand,)),) | (operand,) if not isinstance(operand, Items):
                return Cast(number, False, operand)
        return None

    def _number(self, type_: str) -> str | None:
        """The arithmetic type of C that a name means; None of another."""
        element = self._element(type_)
        return element if element in ELEMENT_BYTE else None

    def _element(self, type_: str) -> str | None:
        plain = type_.removeprefix("std::")
        prefix = next((word for word in TYPE_OF if plain.startswith(word)), None)
        if prefix is not None:
            name = plain.removeprefix(prefix)[:-1]
            of = self.objects.variables.get(name) if name not in self.declared else None
            return of.element if of is not None and not of.shape and not of.container else None
        alias = self.objects.variables.types.get(plain.rpartition("::")[2]) if "<" not in plain else None
        if alias is None:
            return canonical_type(plain)
        return None if alias.shape or alias.container else alias.element

    def _pointee(self, e: Expression) -> str | None:
        """The type of the elements that a pointer or an array of one dimension leads to."""
        match e:
            case Binary("+" | "-", left, _):
                return self._pointee(left)
            case Unary(op, operand) if op.text == "&":
                return self._type(operand)
        variable = self._variable(e)
        return variable.element if variable is not None and len(variable.shape) == 1 else None

    def _type(self, e: Expression) -> str | None:
        """The type of an lvalue that is one element."""
        if isinstance(e, Unary) and e.op.text == "*":
            return self._pointee(e.operand)
        variable = self._variable(e)
        return variable.element if variable is not None and not variable.shape else None

    def _variable(self, e: Expression) -> Variable | None:
        inner = e
        while isinstance(inner, Index):
            inner = inner.base
        if not isinstance(inner, Name) or inner.text in self.declared:
            return None
        variable = self.objects.variable(e)
        return None if variable is None or variable.volatile or variable.container else variable


def with_plain_casts(region: Region, unit: Unit) -> Region:
    casts = Casts(Objects(unit, region.variables), Effects.of(*region.statements).declared)
    return replace(region, statements=tuple(mapped_statement(s, casts.plain) for s in region.statements))
