"""Uses of locals replaced by what they stand for, in trees and, as edits, in texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tunepass.frontends.c.scops.statements.edits import Edit, brackets_after, follows_plus
from tunepass.frontends.c.scops.statements.lvalues import RowIndex
from tunepass.frontends.c.scops.statements.occurrences import pasted
from tunepass.frontends.c.scops.substitution.definitions import ReachingDefinition, split
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Index,
    Items,
    Member,
    Name,
    Number,
    Step,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Unit


@dataclass
class Replacement:
    """`hidden` are locals that a macro names: its text cannot be changed."""

    unit: Unit
    edits: list[Edit] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)

    @property
    def source(self) -> str:
        return self.unit.source.text

    def add(self, edit: Edit) -> None:
        """Unless the place is edited already: a part that is read twice is replaced once."""
        same = (other for other in self.edits if other.start == edit.start)
        if not any(other == edit or (other.end > other.start and edit.end > edit.start) for other in same):
            self.edits.append(edit)

    def pastes(self, use: tuple[int, int]) -> bool:
        """Does the use of a macro at [start, end) make new words of its arguments?"""
        return pasted(self.source[use[0] : use[1]], self.unit)


@dataclass(frozen=True, slots=True)
class Uses:
    """`known` are the definitions in force."""

    known: Mapping[str, ReachingDefinition]
    replacement: Replacement

    def expression(self, e: Expression) -> Expression:
        """`e` with what the locals in it stand for."""
        match e:
            case Name(token):
                return self._named(token)
            case Index(Name(token), subscript) if self._pointer(token):
                self._edit_element(token)
                return self._element(token, self.expression(subscript))
            case Index(base, subscript):
                return Index(self.expression(base), self.expression(subscript))
            case Unary(op, operand) if op.text == "*" and (element := self._followed(operand)) is not None:
                return element
            case Member(Name(token), name, True) if self._pointer(token):
                self._edit(token)
                return Member(self._element(token, None), name, False)
            case Member(base, _, _):
                return replace(e, base=self.expression(base))
            case Unary(_, operand) | Cast(_, _, operand):
                return replace(e, operand=self.expression(operand))
            case Step(_, target):
                return replace(e, target=self.expression(target))
            case Binary(op, left, right):
                return Binary(op, self.expression(left), self.expression(right))
            case Assign(op, target, value):
                return Assign(op, self.expression(target), self.expression(value))
            case Conditional(a, b, c):
                return Conditional(self.expression(a), self.expression(b), self.expression(c))
            case Items(parts):
                return Items(tuple(self.expression(part) for part in parts))
            case Call(_, arguments):
                return replace(e, arguments=tuple(self.expression(argument) for argument in arguments))
        return e

    def _pointer(self, token: Token) -> bool:
        definition = self.known.get(token.text)
        return definition is not None and definition.root is not None

    def _named(self, token: Token) -> Expression:
        definition = self.known.get(token.text)
        if definition is None:
            return Name(token)
        self._edit(token)
        if definition.root is None:
            assert definition.value is not None
            return definition.value
        return definition.root if definition.value is None else Binary("+", definition.root, definition.value)

    def _followed(self, operand: Expression) -> Expression | None:
        """`*o` and `*(o + i)` as an element."""
        pointer, added = split(operand)
        if not isinstance(pointer, Name) or not self._pointer(pointer.token):
            return None
        self._edit(pointer.token)
        return self._element(pointer.token, None if added is None else self.expression(added))

    def _element(self, token: Token, added: Expression | None) -> Expression:
        definition = self.known[token.text]
        assert definition.root is not None
        zero = Number(Token("number", "0", token.start, token.end, True))
        terms = [term for term in (definition.value, added) if term is not None] or [zero]
        subscript = terms[0] if len(terms) == 1 else Binary("+", terms[0], terms[1])
        return (RowIndex if isinstance(definition.root, Index) else Index)(definition.root, subscript)

    # --- texts ----------------------------------------------------------------------------------------------------

    def _edit(self, token: Token) -> None:
        definition = self.known[token.text]
        text = definition.root_text if definition.root_text and not definition.offset else definition.text
        self._add(token, Edit(token.start, token.end, text, None, definition.origin, definition.words))

    def _edit_element(self, token: Token) -> None:
        """`o[i]` as `root[offset + i]`."""
        d, source = self.known[token.text], self.replacement.source
        brackets = brackets_after(source, token.end)
        if brackets is None or not d.root_text or not d.offset or token.made:
            self._edit(token)
            return
        opening, closing = brackets
        brace = not follows_plus(source[opening.end : closing.start])
        head = f"{d.root_text}[{d.offset} + {'(' if brace else ''}"
        self._add(token, Edit(token.start, opening.end, head, None, d.origin, d.words))
        if brace:
            self.replacement.add(Edit(closing.start, closing.start, ")", None, d.origin))

    def _add(self, token: Token, edit: Edit) -> None:
        if token.made or self._is_pasted(token):
            self.replacement.hidden.add(token.text)
        else:
            self.replacement.add(edit)

    def _is_pasted(self, token: Token) -> bool:
        """Is it in the arguments of a macro that may make new words of them?"""
        return token.within is not None and self.replacement.pastes(token.within)
