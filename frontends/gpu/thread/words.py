"""A CUDA or OpenCL source as words, and its macros; arithmetic over parameters read from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import TunepassError
from tunepass.expr import typing
from tunepass.expr.nodes import BoolType, CategoryType, Expr, Type
from tunepass.expr.parser import parse

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\\\n", re.DOTALL)
WORD = re.compile(
    r"^[ \t]*\#[^\n]*|[A-Za-z_]\w*|(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*|"
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||::|[^\s]",
    re.MULTILINE,
)
DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)(\(?)(.*)", re.DOTALL)
SUFFIX = re.compile(r"(?<=[\da-fA-F.])[uUlL]+$|(?<=[\d.])[fF]$")
INSTEAD = {"/": "//", "&&": " and ", "||": " or ", "!": " not "}
MOST_WORDS = 40_000
MOST_EXPANDED = 400  # words of one piece of arithmetic


def words_of(text: str) -> list[str]:
    """Without comments; a directive of the preprocessor is one word."""
    return [word.strip() if word.lstrip().startswith("#") else word for word in WORD.findall(COMMENT.sub(" ", text))]


@dataclass(slots=True)
class Arithmetic:
    """Reads expressions over the parameters of these types; `known` are macros and constants by name, as words."""

    types: Mapping[str, Type]
    known: dict[str, list[str]] = field(default_factory=dict)

    def define(self, directive: str) -> None:
        """A `#define` without arguments, the first of its name; the defaults of parameters are none."""
        found = DEFINE.match(directive)
        if found and not found[2] and found[1] not in self.types:
            self.known.setdefault(found[1], words_of(found[3]))

    def read(self, words: Sequence[str]) -> Expr | None:
        """A number; None for what is none over the parameters alone."""
        expr = self._parse(words)
        return None if expr is None or isinstance(expr.type, (BoolType, CategoryType)) else expr

    def condition(self, words: Sequence[str]) -> Expr | None:
        """A condition; None for one that is not over the parameters alone."""
        expr = self._parse(words)
        if expr is None or isinstance(expr.type, CategoryType):
            return None
        return expr if isinstance(expr.type, BoolType) else typing.compare((expr, typing.constant(0)), ("!=",))

    def _parse(self, words: Sequence[str]) -> Expr | None:
        expanded = self._expanded(self._with_choices(words), frozenset())
        if not expanded or len(expanded) > MOST_EXPANDED:
            return None
        text = " ".join(INSTEAD.get(word, SUFFIX.sub("", word)) for word in expanded)
        try:
            return parse(text, self.types)
        except TunepassError:
            return None

    def _with_choices(self, words: Sequence[str]) -> list[str]:
        """`STAGE == SHARED` means the choice "SHARED" of the parameter, whatever the macro SHARED is."""
        written = list(words)
        for at in range(len(written) - 2):
            name, sign, choice = written[at : at + 3]
            of = self.types.get(name)
            if sign in ("==", "!=") and isinstance(of, CategoryType) and choice in of.values:
                written[at + 2] = f'"{choice}"'
        return written

    def _expanded(self, words: Sequence[str], open_names: frozenset[str]) -> list[str]:
        expanded: list[str] = []
        for word in words:
            inside = self.known.get(word)
            if inside is None or word in open_names or len(expanded) > MOST_EXPANDED:
                expanded.append(word)
            else:
                expanded += ["(", *self._expanded(inside, open_names | {word}), ")"]
        return expanded
