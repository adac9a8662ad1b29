"""The text that the grammar reads: the tokens, spelled so that the compiler's knowledge settles what text leaves open.

Attributes, address spaces and launch bounds, which the grammars take in few places, are left out and kept as *asides*.
The text does not outlive this module: trees are made of the tokens themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tunepass.frontends.cfamily.syntax.ends import attribute_end, requirement_end, token_at
from tunepass.frontends.cfamily.text.marks import closing
from tunepass.frontends.cfamily.text.tokens import Token

ASIDE_CALLS = frozenset(
    {"__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "__launch_bounds__", "__align__", "__asm__",
     "__cluster_dims__", "__maxnreg__", "__block_size__", "__builtin_align__", "__nv_register_params__", "asm"}
)  # fmt: skip
"""With arguments in brackets. `asm` is one only after a declarator."""
ASIDES = frozenset(
    {"_Complex", "__complex__",
     "__extension__", "__restrict", "__restrict__", "restrict", "_Noreturn", "__global__", "__device__", "__host__",
     "__shared__", "__constant__", "__managed__", "__forceinline__", "__noinline__", "__grid_constant__",
     "__kernel", "__global", "__local", "__constant", "__private", "__generic", "__read_only", "__write_only",
     "__read_write", "_Atomic", "__forceinline", "hls_thread_local", "__const", "__volatile__", "__inline_hint__"}
)  # fmt: skip
OPENCL_ASIDES = frozenset({"kernel", "global", "local", "constant", "private", "generic", "read_only", "write_only",
                           "read_write", "channel"})  # fmt: skip
"""Names elsewhere: asides where another word or a star follows."""
TYPEOF = frozenset({"typeof", "__typeof__", "__typeof"})
SPELLED = {"__inline__": "inline", "__inline": "inline", "__signed__": "signed", "__volatile": "volatile",
           "->*": "->", ".*": ".", "_Bool": "bool", "__int128": "long", "__int128_t": "long",
           "_Thread_local": "thread_local"}  # fmt: skip
PRIMITIVE = frozenset({"char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool", "void"})
QUALIFIERS = frozenset({"const", "volatile", *SPELLED, *ASIDES})
BEFORE_STATEMENT = (";", "{", "}", ")", ":", "else", "do")
STATEMENTS = frozenset({"if", "for", "while", "switch", "return", "catch"})
NO_TYPE = frozenset({"return", "else", "case", "goto", "new", "delete", "sizeof", "throw", "co_return", "typename",
                     "template", "operator", "struct", "class", "enum", "union", "do", "in", "and",
                     "or", "not"})  # fmt: skip
SPECIAL = ASIDE_CALLS | ASIDES | OPENCL_ASIDES | TYPEOF | SPELLED.keys() | {"new", "operator", "enum", "typename"}
SPECIAL |= {"requires", "goto", "case"}
"""Names that are looked at wherever they stand; others only before a bracket."""
OPERATORS = SPELLED.keys() | {"(", "<", "<<", "[", "=", "&&"}
BEFORE_LABEL = ("=", "{", ",", "(", "[", "?", ":")
IMAGINARY = re.compile(r"(?!0[xX])[0-9.]+(?:[eE][+-]?[0-9]+)?[fFlL]?[iIjJ][fFlL]?")
WRITTEN = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "++", "--", "[", ".", "|=", "&=", "^=", "<<=", ">>="})
NO_ARGUMENTS = (";", "{", "}", "=", "&&", "||", "?", "+=", "-=", "*=", "/=", "++", "--")
"""Never among template arguments outside brackets."""
BEFORE_OPERAND = frozenset({"return", "case", "throw", "co_return", "co_yield", "else", "do", "and", "or", "not",
                            "bitand", "bitor", "xor", "compl", "and_eq", "or_eq", "xor_eq", "not_eq"})  # fmt: skip
TEMPLATE_LIMIT = 60
AFTER_CAST = frozenset({"(", "-", "+", "*", "&", "~", "!", "{"})


@dataclass(frozen=True)
class Feed:
    """`text` for the grammar, in ASCII; the byte at which each token begins, and those left out by index."""

    text: bytes
    tokens: Sequence[Token]
    starts: Sequence[int]  # of the tokens that were written
    indices: Sequence[int]  # their places among all tokens
    asides: frozenset[int]
    left_out: frozenset[int]
    variables: frozenset[str] = frozenset()  # names of variables, for C++ alone

    def first(self, byte: int) -> int:
        """The index of the token that begins there, or after it."""
        return self.indices[min(bisect_left(self.starts, byte), len(self.indices) - 1)]

    def last(self, byte: int) -> int:
        """The index of the token that ends there, or before it."""
        return self.indices[max(0, bisect_right(self.starts, byte - 1) - 1)]


@dataclass(slots=True)
class Feeder:
    """`types` are names of types, `variables` names of variables, `cxx`: the C++ grammar reads."""

    tokens: Sequence[Token]
    types: frozenset[str]
    cxx: bool
    opencl: bool = False
    spelled: dict[int, str] = field(default_factory=dict)
    asides: set[int] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    variables: frozenset[str] | None = None  # in C only once they are asked for
    cast_words: frozenset[str] = field(init=False)  # that a cast ends with, once: macros make casts by the thousand

    def __post_init__(self) -> None:
        self.cast_words = self.types | PRIMITIVE | QUALIFIERS

    def feed(self) -> Feed:
        if self.cxx:
            self.variables = _variables(self.tokens) - self.types
        variables = self.variables or frozenset()
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind == "name" and (token.text in SPECIAL or self._next(at + 1).text == "("):
                at = self._name(at, token)
                continue
            if token.kind == "op" and token.text in OPERATORS:
                at = self._op(at, token, variables)
                continue
            if token.kind == "number" and token.text[-1] in "iIjJfFlL" and IMAGINARY.fullmatch(token.text):
                self.spelled[at] = "1"
            at += 1
        return self._written(variables)

    def _next(self, at: int) -> Token:
        return token_at(self.tokens, at)

    def _name(self, at: int, token: Token) -> int:
        following = self._next(at + 1)
        if (
            token.text in ASIDE_CALLS
            and following.at("(")
            and ((not token.text.endswith("asm__") and token.text != "asm") or self._follows_declarator(at))
        ):
            end = closing(self.tokens, at + 1)
            self.asides |= set(range(at, end + 1))
            return end + 1
        if token.text in ASIDES or (
            self.opencl and token.text in OPENCL_ASIDES and (following.kind == "name" or following.at("*"))
        ):
            self.asides.add(at)
        elif token.text in TYPEOF and following.at("("):
            end = closing(self.tokens, at + 1)
            self.spelled[at] = "int"
            self.left_out |= set(range(at + 1, end + 1))
            return end + 1
        elif (
            token.text in PRIMITIVE
            and self.cxx
            and following.at("(")
            and token.text in ("unsigned", "signed", "long", "short")
        ):
            self.spelled[at] = "int"
        elif token.text in SPELLED:
            self.spelled[at] = SPELLED[token.text]
        elif token.text == "new" and self.cxx:
            self._new(at)
        elif token.text == "operator" and self.cxx and following.text + self._next(at + 2).text in ("()", "[]"):
            self.left_out.add(at + 1)  # the two brackets are one word of the grammar
            self.spelled[at + 2] = following.text + self.tokens[at + 2].text
            return at + 3
        elif token.text == "case":
            self._range(at + 1)
        elif token.text == "goto" and following.at("*"):
            return self._computed_goto(at)
        elif token.text == "requires" and self.cxx and self._next(at - 1).at(")", "mutable", "noexcept", "constexpr"):
            end = requirement_end(self.tokens, at + 1)
            if self._next(end).at("{"):  # of a lambda or a function; the grammar has it for functions alone
                self.left_out |= set(range(at, end))
                return end
        elif token.text == "typename" and self.cxx:
            self._typename(at)
        elif token.text == "enum" and following.at(":"):
            self._untyped(at + 1)
        elif token.text.endswith("va_arg") and following.at("("):
            self._type_argument(at)
        elif token.text == "__builtin_bit_cast" and following.at("("):
            self._first_type(at)
        elif self.cxx and following.at("(") and self._next(at - 1).text in ("*", "&", "&&", "const"):
            self._initialised(at)
        elif following.at("(") and token.text not in STATEMENTS and self._next(at - 1).at(*BEFORE_STATEMENT):
            return self._of_statements(at)
        return at + 1

    def _typename(self, at: int) -> None:
        """`typename T::type(x)`, a value: without the word."""
        depth, end = 0, at + 1
        while end < at + TEMPLATE_LIMIT and end < len(self.tokens):
            token = self.tokens[end]
            follows_name = end > at + 1 and self.tokens[end - 1].kind == "name"
            if depth == 0 and not (token.at("::", "<") or (token.kind == "name" and not follows_name)):
                break
            depth += token.at("<") - (len(token.text) if token.at(">", ">>") else 0)
            end += 1
        if depth == 0 and self._next(end).at("(", "{") and not self._next(end + 1).at("*", "&"):
            self.left_out.add(at)

    def _range(self, at: int) -> None:
        """`case 1 ... 3:` with an operator of both."""
        while at < len(self.tokens) and not self.tokens[at].at(":", ";", "{", "}"):
            if self.tokens[at].at("..."):
                self.spelled[at] = "||"
            at += 1

    def _computed_goto(self, at: int) -> int:
        """`goto *table[i];` with one name for what is computed."""
        end = at + 2
        while end < len(self.tokens) and not self.tokens[end].at(";"):
            end += 1
        self.spelled[at + 1] = "label"
        self.left_out |= set(range(at + 2, end))
        return end

    def _untyped(self, at: int) -> None:
        """`enum : unsigned char { ... }`: without the type, which the grammar takes after a name alone."""
        while at < len(self.tokens) and not self.tokens[at].at("{", ";"):
            self.left_out.add(at)
            at += 1

    def _type_argument(self, at: int) -> None:
        """`va_arg(list, char *)`: the type as one name."""
        end = closing(self.tokens, at + 1)
        commas = [k for k in range(at, end) if self.tokens[k].at(",")]
        if commas:
            self.spelled[commas[-1] + 1] = "type"
            self.left_out |= set(range(commas[-1] + 2, end))

    def _first_type(self, at: int) -> None:
        """`__builtin_bit_cast(unsigned int, x)`: the type as one name."""
        end = closing(self.tokens, at + 1)
        comma = next((k for k in range(at + 2, end) if self.tokens[k].at(",")), end)
        if comma < end:
            self.spelled[at + 2] = "type"
            self.left_out |= set(range(at + 3, comma))

    def _of_statements(self, at: int) -> int:
        """`DEBUG(3, int n = 0; print(n);)`, `check(ctx, return NULL)`: a macro that nothing here defines, since no call
        takes statements. Its arguments are left out."""
        end, depth = at + 1, 0
        found = False
        while end < len(self.tokens):
            token = self.tokens[end]
            depth += token.at("(", "{") - token.at(")", "}")
            found = found or (depth == 1 and token.at(";", "return", "goto", "break", "continue"))
            if depth <= 0:
                break
            end += 1
        if not found or not self._next(end).at(")"):
            return at + 1
        self.left_out |= set(range(at + 2, end))
        return end

    def _initialised(self, at: int) -> None:
        """`double *row(a + i * n);`, which the grammar takes for a function's declaration: with braces."""
        first = at - 1
        while self._next(first).at("*", "&", "&&") or self._next(first).text == "const":
            first -= 1
        end = closing(self.tokens, at + 1)
        value, after = self._next(at + 2), self._next(at + 3)
        of_type = self._next(first).kind == "name" and self._next(first).text in self.cast_words | {"auto"}
        computed = value.at("&", "*", "(", "this") or value.kind == "number"
        named = value.text in (self.variables or ()) and after.kind != "name" and not after.at("::", "<")
        pointer = any(t.at("*", "&", "&&") for t in self.tokens[first + 1 : at])
        if of_type and pointer and (computed or named) and self._next(end + 1).at(";", ","):
            self.spelled[at + 1], self.spelled[end] = "{", "}"

    def _follows_declarator(self, at: int) -> bool:
        return self._next(at - 1).at(")") or self._next(at - 1).kind == "name"

    def _new(self, at: int) -> None:
        """`new T*[n]`: without the star."""
        star = at + 1
        while self._next(star).kind == "name" or self._next(star).at("::"):
            star += 1
        while self._next(star).at("*"):
            self.left_out.add(star)
            star += 1

    def _op(self, at: int, token: Token, variables: frozenset[str]) -> int:
        if token.text == "(":
            if not self._leaves_brackets_out(at):
                self._cast(at)
        elif token.text == "<" and self._next(at - 1).text in variables and self._next(at - 1).kind == "name":
            self.spelled[at] = "<="
        elif token.text == "<<" and self._next(at + 1).at("<") and self.cxx:
            return self._launch(at)
        elif token.text == "=" and self.cxx and self._next(at - 1).at("*", "&", "&&"):
            return self._unnamed_default(at)
        elif token.text == "[" and self._next(at + 1).at("["):
            end = attribute_end(self.tokens, at + 2)
            if end:
                self.asides |= set(range(at, end))
                return end
        elif token.text == "&&" and self._next(at - 1).at(*BEFORE_LABEL) and self._next(at + 1).kind == "name":
            self.spelled[at] = "&"  # the address of a label
        elif token.text in SPELLED:
            self.spelled[at] = SPELLED[token.text]
        return at + 1

    def _unnamed_default(self, at: int) -> int:
        """`f(const std::string & = {})`, which the grammar does not know: without the value."""
        end, depth = at + 1, 0
        while end < len(self.tokens) and (depth or not self.tokens[end].at(",", ")", ";", ">", ">>")):
            depth += self.tokens[end].at("(", "{", "[", "<") - self.tokens[end].at(")", "}", "]", ">")
            end += 1
        self.left_out |= set(range(at, end))
        return end

    def _launch(self, at: int) -> int:
        """`f<<<grid, block>>>(x)`: without the launch."""
        for end in range(at + 2, min(at + 200, len(self.tokens) - 1)):
            if self.tokens[end].at(";", "{", "}"):
                break
            if self.tokens[end].at(">>") and self.tokens[end + 1].at(">"):
                self.left_out |= set(range(at, end + 2))
                return end + 2
        return at + 1

    def _leaves_brackets_out(self, at: int) -> bool:
        """`(i) + x` with a variable, which the grammar takes for a cast: without the brackets."""
        name, before = self._next(at + 1), self._next(at - 1)
        if name.kind != "name" or name.text in PRIMITIVE or not self._next(at + 2).at(")"):
            return False
        if not self._next(at + 3).at("+", "-", "*", "&") or before.at(")", "]") or at == 0:
            return False
        if (before.kind == "name" and before.text not in BEFORE_OPERAND) or self._ends_template(at - 1):
            return False
        if self.variables is None:
            self.variables = _variables(self.tokens) - self.types
        if name.text not in self.variables:
            return False
        self.left_out |= {at, at + 2}
        return True

    def _ends_template(self, at: int) -> bool:
        """Does the `>` close template arguments, as in `static_cast<float>(sum)`, or compare?"""
        if not self.cxx or not self._next(at).at(">", ">>"):
            return False
        depth = brackets = 0
        for k in range(at, max(0, at - TEMPLATE_LIMIT), -1):
            token = self.tokens[k]
            brackets += token.at(")", "]") - token.at("(", "[")
            reference = token.at("&&") and self.tokens[k + 1].at(">", ",")
            if brackets < 0 or (token.at(*NO_ARGUMENTS) and not reference) or token.text in ("return", "case"):
                return False
            if brackets == 0 and token.at(">", ">>", "<"):
                depth += len(token.text) if token.at(">", ">>") else -1
                if depth == 0:
                    name = self.tokens[k - 1]
                    return name.kind == "name" and name.text not in (self.variables or ())
        return False

    def _cast(self, at: int) -> None:
        """`(T)` of a known type before what could be an operand alone is spelled `(int)`."""
        end = at + 1
        depth = 0
        while end < at + 40:
            inner = self._next(end)
            if inner.at("<") and self.cxx:
                depth += 1
            elif inner.at(">", ">>") and depth:
                depth -= 1 if inner.at(">") else 2
            elif not (
                inner.kind == "name" or inner.at("::") or (depth > 0 and (inner.kind == "number" or inner.at(",")))
            ):
                break
            end += 1
        last = self._next(end - 1)
        before = self._next(at - 1)
        if end == at + 1 or not self._next(end).at(")") or not self._next(end + 1).at(*AFTER_CAST):
            return
        if (before.kind == "name" and before.text not in NO_TYPE) or before.at(")", "]") or self._ends_template(at - 1):
            return  # a call
        if last.kind == "name" and last.text not in self.cast_words:
            return  # `f<float>(float x) {`: a parameter
        if (
            last.text not in self.types
            and not last.at(">")
            and not any(t.text in PRIMITIVE for t in self.tokens[at + 1 : end])
        ):
            return
        self.spelled[at + 1] = "int"
        self.left_out |= set(range(at + 2, end))

    def _written(self, variables: frozenset[str]) -> Feed:
        dropped = self.asides | self.left_out
        indices = [at for at in range(len(self.tokens)) if at not in dropped]
        pieces = [self.tokens[at].text for at in indices]
        if self.spelled:
            pieces = [self.spelled.get(at, text) for at, text in zip(indices, pieces)]
        if not all(map(str.isascii, pieces)) or any("\n" in text for text in pieces):
            pieces = ["".join(c if c.isascii() and c != "\n" else "_" for c in text) for text in pieces]
        if any('R"' in text for text in pieces):  # the grammar of C has no raw strings
            raw = {at for at in indices if self.tokens[at].kind == "text" and 'R"' in self.tokens[at].text}
            pieces = ['"_"' if at in raw else text for at, text in zip(indices, pieces)]
        starts = [0, *accumulate(len(text) + 1 for text in pieces)][: len(pieces)]
        asides, left_out = frozenset(self.asides), frozenset(self.left_out)
        return Feed("\n".join(pieces).encode(), self.tokens, starts, indices, asides, left_out, variables)


def _variables(tokens: Sequence[Token]) -> frozenset[str]:
    """Names that are assigned, stepped, subscripted or declared as variables somewhere."""
    found: set[str] = set()
    templates: set[str] = set()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
        if token.kind != "name":
            continue
        follows, precedes = after.text, before.text
        if (
            follows in WRITTEN
            or precedes in ("++", "--")
            or (
                follows in (",", ")", ";", "{")
                and ((before.kind == "name" and precedes not in NO_TYPE) or precedes in ("*", "&", ">"))
            )
        ):
            found.add(token.text)
        if precedes in ("class", "struct", "using", "::") and follows in ("<", "{", ":", "="):
            templates.add(token.text)
    return frozenset(found - templates - PRIMITIVE - QUALIFIERS)  # `int` of `f(unsigned int)` is none
