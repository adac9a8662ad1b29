"""A thread's code walked as words, statement by statement, into regions with amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.gpu.thread.amounts import OpenRegion
from tunepass.frontends.gpu.thread.brackets import closing, split, statement_end
from tunepass.frontends.gpu.thread.expressions import MOST_STEPS, SHARED, Expressions, TooLongError
from tunepass.frontends.gpu.thread.file_text import TYPE_WORDS, Function, Variable, parameters_of
from tunepass.frontends.gpu.thread.loops import Repeats, repeats
from tunepass.frontends.gpu.thread.words import words_of

QUALIFIERS = (
    *("const", "static", "volatile", "register", "constexpr", "extern", "__restrict__", "inline"),
    *("private", "__private"),
)


@dataclass(slots=True)
class Walker(Expressions):
    """Statements and declarations."""

    def statements(self, words: Sequence[str], at: int, end: int) -> None:
        while at < end:
            at = self._statement(words, at, end)

    def _statement(self, words: Sequence[str], at: int, end: int, unroll: Sequence[str] | None = None) -> int:
        """Walks one statement and returns where the next begins."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLongError
        word = words[at]
        if word.startswith("#"):
            return self._directive(words, at, end)
        if word == "{":
            close = closing(words, at)
            self.statements(words, at + 1, close)
            return close + 1
        if word in ("for", "while") and at + 1 < end and words[at + 1] == "(":
            return self._loop(words, at, end, unroll)
        if word == "if":
            return self._branch(words, at, end)
        if word in ("else", "do"):
            return self._statement(words, at + 1, end)
        close = statement_end(words, at, end)
        self._simple(list(words[at:close]))
        return close + 1

    def _directive(self, words: Sequence[str], at: int, end: int) -> int:
        parts = words_of(words[at].lstrip("#").strip())
        if parts[:2] == ["pragma", "unroll"] and at + 1 < end:
            return self._statement(words, at + 1, end, parts[2:])
        if parts[:1] == ["define"]:
            self.file.arithmetic.define(words[at])
        if parts[:1] and parts[0] in ("if", "ifdef", "ifndef"):
            return self._alternatives(words, at, end)
        return at + 1

    def _alternatives(self, words: Sequence[str], at: int, end: int) -> int:
        """`#if` to `#endif`, each part under its condition and the negation of those before it."""
        depth, marks = 0, [at]
        for i in range(at + 1, end):
            kind = words[i].lstrip("# \t").split(maxsplit=1)[0] if words[i].startswith("#") and words[i] != "#" else ""
            if kind in ("if", "ifdef", "ifndef"):
                depth += 1
            elif kind == "endif" and depth:
                depth -= 1
            elif depth == 0 and kind in ("else", "elif", "endif"):
                marks.append(i)
                if kind == "endif":
                    break
        outer, left = self.region.given, algebra.lift(1)
        for start, stop in zip(marks, [*marks[1:], end]):
            parts = words_of(words[start].lstrip("# \t"))
            if parts[0] == "endif":
                break
            condition = self.file.arithmetic.condition(parts[1:]) if parts[0] in ("if", "elif") else None
            here = algebra.lift(1) if condition is None else algebra.where(condition, 1, 0)
            self.region.given = algebra.mul(outer, left, here)
            self.statements(words, start + 1, stop)
            if condition is not None:
                left = algebra.mul(left, algebra.where(condition, 0, 1))
        self.region.given = outer
        return marks[-1] + 1

    def _branch(self, words: Sequence[str], at: int, end: int) -> int:
        opening = at + 1 + (words[at + 1] == "constexpr")
        close = closing(words, opening)
        condition = self.file.arithmetic.condition(words[opening + 1 : close])
        outer = self.region.given
        if condition is None:
            self.expression(words[opening + 1 : close])
        else:
            self.region.given = algebra.mul(outer, algebra.where(condition, 1, 0))
        after = self._statement(words, close + 1, end)
        if after < end and words[after] == "else":
            if condition is not None:
                self.region.given = algebra.mul(outer, algebra.where(condition, 0, 1))
            after = self._statement(words, after + 1, end)
        self.region.given = outer
        return after

    def _loop(self, words: Sequence[str], at: int, end: int, unroll: Sequence[str] | None) -> int:
        close = closing(words, at + 1)
        head = words[at + 2 : close]
        loop = repeats(self.file.arithmetic, head if words[at] == "for" else None, unroll)
        variable = head[head.index("=") - 1] if "=" in head else ""
        self.varies[variable] = frozenset((variable,))
        if loop.merged:
            outer = self.region.unrolled
            self.region.unrolled = (*outer, (variable, loop.copies))
            after = self._statement(words, close + 1, end)
            self.region.unrolled = outer
            return after
        outside, self.region = (
            self.region,
            OpenRegion(loop.copies, loop.whole, self.region.given, self.region.unrolled, variable),
        )
        after = self._statement(words, close + 1, end)
        self.expression(head)
        settle(self.region, loop)
        outside.inside.append(self.region)
        self.region = outside
        return after

    # Declarations and expressions

    def _simple(self, words: list[str]) -> None:
        first = self.file.variables.get(words[0]) if words else None
        outside, self.kept = self.kept, self.kept or (first is not None and first.where == "local" and "=" in words)
        if self._declaration(words) is None:
            self.expression(words)
        self.kept = outside

    def _declaration(self, words: list[str]) -> bool | None:
        """A declaration is counted and its initialisers are walked; None for another statement."""
        at = 0
        known = False
        names: list[str] = []
        while at < len(words):
            word = words[at]
            if word in SHARED:
                known = True
            elif word in ("__align__", "__attribute__") and at + 1 < len(words):
                at = closing(words, at + 1)
            elif word in TYPE_WORDS or word in self.file.types:
                known = True
                names.append(word)
            elif word not in QUALIFIERS:
                break
            at += 1
        if not known or at >= len(words):
            return None
        size = self.file.type_words(names)
        for piece in split(words[at:]):
            self._declarator(piece, size, words[:at])
        return True

    def _declarator(self, piece: list[str], size: Expr, before: Sequence[str]) -> None:
        """`before` are the words that all declarators have in common."""
        shared, constant = bool(set(before) & set(SHARED)), bool(set(before) & {"const", "constexpr"})
        pointer = "*" in piece[:3]
        rest = [w for w in piece if w not in ("*", "&", "__restrict__", "const")] if pointer else piece
        if not rest or not rest[0].isidentifier():
            self.expression(piece)
            return
        name = rest[0]
        value = rest[rest.index("=") + 1 :] if "=" in rest else []
        self.varies[name] = self.varying(value)
        if value[:1] == ["["] and "auto" in before:  # a lambda
            self._lambda(name, value)
            return
        if pointer:
            self.file.variables[name] = Variable(self._where(piece[piece.index("=") + 1 :] if value else []), size)
            self.region.count("values", 1)
        elif len(rest) > 1 and rest[1] == "[":
            self.file.variables[name] = Variable("shared" if shared else "local", size)
            if not shared:
                self.region.count("arrays", algebra.mul(size, self.file.extents(rest[1:])))
        else:
            self.file.variables.pop(name, None)
            if shared:
                self.file.variables[name] = Variable("shared", size)
            elif not self._keep_constant(name, value if constant else ()):
                self.region.count("values", size)
        if value:
            self.expression(piece[piece.index("=") + 1 :])

    def _keep_constant(self, name: str, value: Sequence[str]) -> bool:
        known = bool(value) and self.file.arithmetic.read(value) is not None
        if known:
            self.file.arithmetic.known[name] = ["(", *value, ")"]
        else:
            self.file.arithmetic.known.pop(name, None)
        return known

    def _lambda(self, name: str, value: list[str]) -> None:
        start = closing(value, 0) + 1
        stop = closing(value, start) if start < len(value) and value[start] == "(" else start - 1
        opening = next((i for i in range(stop + 1, len(value)) if value[i] == "{"), None)
        if opening is not None:
            body = value[opening + 1 : closing(value, opening)]
            self.file.functions[name] = Function(parameters_of(value[start + 1 : stop]), body)


def settle(region: OpenRegion, loop: Repeats) -> None:
    """A loop without a pragma whose trips are not known is unrolled four times where nothing in it forbids."""
    if loop.free and not region.inside and "barriers" not in region.counts:
        region.copies = algebra.lift(4)
