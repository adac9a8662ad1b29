"""The index variables as a schedule goes on: what is a loop, what a directive has replaced, what is still free."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tunepass.diagnostics import SourceError, spelling_hint
from tunepass.frontends.taco.written import Word

# TACO's lexer takes `complex` for the beginning of a number, and drops the `u` after digits.
_MISREAD = re.compile(r"[Cc]omplex|.*_\d+u")


class TacoScope:
    def __init__(self, variables: Iterable[str], tensors: Iterable[str]):
        self.loops = list(variables)
        self.replaced: dict[str, str] = {}  # by what
        self.tensors = list(tensors)

    def loop(self, word: Word) -> str:
        """The variable of a loop that is there now."""
        name = word.text
        if name in self.loops:
            return name
        if name in self.replaced:
            raise SourceError(f"`{name}` is no loop any more: {self.replaced[name]}", word.span)
        hint = spelling_hint(name, [*self.loops, *self.replaced], f"the loops here are {', '.join(self.loops)}")
        raise SourceError(f"no index variable `{name}`", word.span, hint)

    def replace(self, words: Iterable[Word], new: Iterable[Word], how: str) -> None:
        """Loops that there are become others, whose names are new, at the place of the first."""
        added = [self.fresh(word) for word in new]
        if len(set(added)) != len(added):
            raise SourceError(f"`{added[0]}` would be two loops", list(new)[-1].span, "give each a name of its own")
        old = [self.loop(word) for word in words]
        if len(set(old)) != len(old):
            raise SourceError(f"`{old[0]}` is given twice", list(words)[-1].span)
        place = self.loops.index(old[0])
        self.loops[place:place] = added
        for name in old:
            self.loops.remove(name)
            self.replaced[name] = how

    def add(self, words: Iterable[Word]) -> None:
        """Variables of a workspace, which may be there already."""
        for word in words:
            if word.text not in self.loops:
                self.loops.append(self.fresh(word))

    def fresh(self, word: Word) -> str:
        name = word.text
        if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            raise SourceError(f"expected a name for a new variable, found `{name}`", word.span)
        if _MISREAD.fullmatch(name):
            raise SourceError(f"TACO reads `{name}` as a number", word.span, "choose another name")
        if name in self.loops or name in self.replaced:
            raise SourceError(f"`{name}` is a variable already", word.span, "choose a name that is new")
        return name

    def tensor(self, word: Word) -> str:
        name = word.text.partition("(")[0].strip()
        if name not in self.tensors:
            hint = spelling_hint(name, self.tensors, f"the tensors are {', '.join(self.tensors)}")
            raise SourceError(f"no tensor `{name}` in the expression", word.span, hint)
        return name
