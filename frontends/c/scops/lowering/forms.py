"""What the passes over a region's statements share: the source around them, and the edits that they gather."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.c.scops.statements.edits import Edit, edits_within
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.cfamily.syntax.tree import Statement
from tunepass.frontends.cfamily.text.marks import closing
from tunepass.frontends.cfamily.text.tokens import Token, names_in


@dataclass
class Forms:
    """`before` are the statements right before the region, in its own block. `set_along` are variables that loops set
    beside their index, by where the loops begin."""

    region: Region
    before: Sequence[Statement] = ()
    depth: int = 0  # of the block that is read, below the region's own
    edits: list[Edit] = field(default_factory=list)
    set_along: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def edit(self, start: int, end: int, text: str, scope: tuple[int, int] | None = None) -> None:
        self.edits.append(Edit(start, end, text, scope))

    def source(self, start: int, end: int) -> str:
        """The text of [start, end) with the edits up to now."""
        return replace(self.region, edits=(*self.region.edits, *self.edits)).text(start, end)

    @property
    def code(self) -> list[Token]:
        """The function's body."""
        return [*self.region.before, *self.region.inside, *self.region.after]

    def places(self, name: str, start: int, end: int) -> list[Token] | None:
        """The tokens in [start, end) that name a variable; None where a macro hides one."""
        inside = self.region.inside
        found: list[Token] = []
        if any(name in names_in(edit.text) for edit in edits_within(self.region.edits, start, end)):
            return None
        for before, token in zip([None, *inside], inside):
            if token.text != name or token.kind != "name" or not start <= token.start < end:
                continue
            if before is not None and before.at(".", "->", "::"):
                continue
            if token.made:
                return None
            found.append(token)
        return found

    def is_target(self, label: str) -> bool:
        """Does a `goto` of the function name the label?"""
        code = self.code
        jumps = [after for word, after in itertools.pairwise(code) if word.at("goto")]
        return any(after.text in (label, "*") for after in jumps) or any(word.at("asm", "__asm__") for word in code)

    def bracket(self, first: Token) -> tuple[Token, Token]:
        """The brackets after the word that `first` is."""
        tokens = self.region.unit.tokens
        at = self.region.unit.index(first)
        while not tokens[at].at("("):
            at += 1
        return tokens[at], tokens[closing(tokens, at)]

    def is_pointed_to(self, name: str) -> bool:
        """May something else than its name change a variable?"""
        variable = self.region.variables.get(name)
        if variable is not None and (variable.scope == "global" or variable.pointers):
            return True
        code = self.code
        values = ("name", "number")
        return any(
            sign.at("&") and token.text == name and not (before and (before.kind in values or before.at(")", "]")))
            for before, sign, token in zip([None, *code], code, code[1:])
        )


def mentions(s: Statement, name: str) -> bool:
    """Does it read, write or declare a variable of that name?"""
    effects = Effects.of(s)
    return name in effects.declared or any(effect.root.text == name for effect in effects.found)
