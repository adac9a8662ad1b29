"""What a CUDA or OpenCL file has for a thread's code: functions, structures, constants, arrays, launch bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.gpu.thread.brackets import closing, opening, split
from tunepass.frontends.gpu.thread.words import Arithmetic

Where = Literal["global", "shared", "local", "constant"]
SCALARS = (
    *("float", "int", "unsigned", "signed", "char", "short", "bool", "half", "uint", "uchar", "ushort"),
    *("int32_t", "uint32_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "half2", "auto"),
)
WIDE = ("double", "long", "size_t", "int64_t", "uint64_t", "ulong")
TYPE_WORDS = dict.fromkeys(SCALARS, 1) | dict.fromkeys(WIDE, 2) | {"dim3": 3}
TYPE_WORDS |= {f"{name}{n}": n * TYPE_WORDS[name] for name in (*SCALARS, *WIDE) for n in (2, 3, 4, 8, 16)}
HALVED = {"half2": 1, "char2": 1, "char3": 1, "char4": 1, "uchar4": 1, "short2": 1}  # several to a word
TYPE_WORDS |= HALVED


@dataclass(slots=True)
class Function:
    """Its parameters' names, each with all words of its declaration, and its body."""

    parameters: list[tuple[str, list[str]]]
    body: list[str]


@dataclass(slots=True)
class Variable:
    """An array or a pointer: where its elements are, and the words of one."""

    where: Where
    words: Expr


@dataclass(slots=True)
class FileText:
    """Filled by `read`, wherever in the file things stand."""

    arithmetic: Arithmetic
    functions: dict[str, Function] = field(default_factory=dict)
    types: dict[str, Expr] = field(default_factory=dict)  # structures, in words
    variables: dict[str, Variable] = field(default_factory=dict)
    bounds: dict[str, list[list[str]]] = field(default_factory=dict)  # of __launch_bounds__, by function

    def read(self, words: Sequence[str]) -> None:
        at = 0
        while at < len(words):
            word = words[at]
            if word.startswith("#"):
                self.arithmetic.define(word)
            elif word in ("struct", "union") and "{" in words[at : at + 16]:
                at = self._structure(words, at)
            elif word == "{":
                at = self._function(words, at)
            elif word == "=":
                self._constant(words, at)
            elif word in ("__launch_bounds__", "reqd_work_group_size"):
                at = self._launch_bounds(words, at)
            elif word == "__constant__":
                name = next((word for word, after in pairwise(words[at : at + 12]) if after == "["), None)
                if name is not None:
                    self.variables[name] = Variable("constant", algebra.lift(1))
            at += 1

    def _launch_bounds(self, words: Sequence[str], at: int) -> int:
        end = closing(words, at + 1)
        bounds = split(words[at + 2 : end])
        if words[at] == "reqd_work_group_size":
            bounds = [[word for extent in bounds for word in ("*", "(", *extent, ")")][1:]]
        name = next(
            (word for word, after in pairwise(words[end + 1 : end + 40]) if after == "(" and word.isidentifier()), ""
        )
        self.bounds[name] = bounds
        return end

    def _structure(self, words: Sequence[str], at: int) -> int:
        brace = words.index("{", at)
        name = next((w for w in reversed(words[at + 1 : brace]) if w.isidentifier()), "")
        end = closing(words, brace)
        if name:
            fields = split(words[brace + 1 : end], ";")
            self.types[name] = algebra.add(0, *(self._declared_words(part) for part in fields if part))
        return end

    def _declared_words(self, part: Sequence[str]) -> Expr:
        """Of one member: `float at[VEC]`, `int a, b`."""
        size = self.type_words([w for w in part if w.isidentifier()][:1])
        return algebra.add(0, *(algebra.mul(size, self.extents(piece)) for piece in split(part)))

    def type_words(self, names: Sequence[str]) -> Expr:
        for name in names:
            if name in self.types:
                return self.types[name]
            if name in TYPE_WORDS:
                return algebra.lift(TYPE_WORDS[name])
        return algebra.lift(1)

    def extents(self, piece: Sequence[str]) -> Expr:
        """The product of the `[...]` in a declarator, as far as they are known."""
        lengths, at = [algebra.lift(1)], 0
        while at < len(piece):
            if piece[at] == "[":
                end = closing(piece, at)
                lengths.append(self.arithmetic.read(piece[at + 1 : end]) or algebra.lift(1))
                at = end
            elif piece[at] in ("=", "{", "("):
                break
            at += 1
        return algebra.mul(*lengths)

    def _function(self, words: Sequence[str], brace: int) -> int:
        """`NAME(...) {...}`: kept; namespaces and `extern "C" {` are looked into."""
        end = closing(words, brace)
        before = brace - 1
        while before >= 0 and words[before] in ("const", "noexcept"):
            before -= 1
        if before < 0 or words[before] != ")":
            return brace
        start = opening(words, before)
        name = words[start - 1] if start > 0 else ""
        if name.isidentifier():
            self.functions[name] = Function(parameters_of(words[start + 1 : before]), list(words[brace + 1 : end]))
        return end

    def _constant(self, words: Sequence[str], at: int) -> None:
        """`constexpr int U = MACRO;` and `const int N = 4;` are as good as macros."""
        if at < 3 or not ({"constexpr", "const"} & set(words[max(0, at - 4) : at])) or not words[at - 1].isidentifier():
            return
        end = next((i for i in range(at, min(len(words), at + 60)) if words[i] in (";", ",")), at)
        value = words[at + 1 : end]
        if value and self.arithmetic.read(value) is not None:
            self.arithmetic.known.setdefault(words[at - 1], ["(", *value, ")"])


def parameters_of(words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The names in a list of parameters, each with all words of its declaration."""
    named = []
    for piece in split(words):
        names = [word for word in (piece[: piece.index("[")] if "[" in piece else piece) if word.isidentifier()]
        names = [word for word in names if word not in ("__restrict__", "restrict", "const")]
        if names and piece != ["void"]:
            named.append((names[-1], list(piece)))
    return named
