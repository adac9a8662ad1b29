"""Names and types of C++ in a pragma: `blas::saxpy<float, 4>`, `std::uint8_t`, `unsigned long`."""

from __future__ import annotations

import re
from collections.abc import Collection

from tunepass.diagnostics import Span
from tunepass.frontends.params.tokens import Cursor, PragmaToken

STANDARD = re.compile(r"\bstd::(?=\w+_t\b)")
COMPLEX = re.compile(r"\b(?:std::)?complex<([\w ]+)>")
OPENING, CLOSING = {"<": 1, "<<": 2}, {">": 1, ">>": 2}


def qualified_name(cursor: Cursor, what: str, hint: str | None = None) -> tuple[str, PragmaToken]:
    """`a::b<T>::c<int>` as one text without needless spaces, and its first token."""
    first = cursor.name(what, hint)
    _operator(cursor)
    while cursor.at(":", "<"):
        if cursor.at("<"):
            _template_arguments(cursor)
        else:
            cursor.take()
            cursor.expect(":", "after `:`", "a scope is named with `::`")
            cursor.name("a name after `::`")
        _operator(cursor)
    return _spelled(cursor, first), first


def scoped_name(cursor: Cursor, what: str, hint: str) -> tuple[str, Span]:
    """`Solver::total` where one `:` may follow the name."""
    first = cursor.name(what, hint)
    words = [first.text]
    while cursor.text[cursor.next.start - cursor.base :].startswith("::"):
        cursor.take()
        cursor.take()
        words.append(cursor.name("a name after `::`").text)
    return "::".join(words), cursor.span(first, cursor.last)


def type_words(cursor: Cursor, what: str, hint: str | None = None, stops: Collection[str] = ()) -> str:
    """`unsigned long`, `std::uint8_t`, `std::complex<float>`; the last two as C names them. It ends before `stops`."""
    words = [qualified_name(cursor, what, hint)[0]]
    while cursor.next.kind == "name" and cursor.next.text not in stops:
        words.append(qualified_name(cursor, what, hint)[0])
    return COMPLEX.sub(r"\1 _Complex", STANDARD.sub("", " ".join(words)))


def _operator(cursor: Cursor) -> None:
    """The signs of an operator after the word: `operator+=`, `operator()`."""
    if cursor.last.text != "operator":
        return
    if cursor.next.kind != "op" or cursor.at("<", ">", "<<", ">>", "<=", ">=", ","):
        hint = "write a function that calls it, and name that"
        cursor.fail("such an operator cannot be named here", hint, token=cursor.last)
    if cursor.accept("("):
        cursor.expect(")", "after `operator(`")
    while cursor.next.kind == "op" and not cursor.at("("):
        cursor.take()


def _template_arguments(cursor: Cursor) -> None:
    opening, depth = cursor.next, 0
    while True:
        token = cursor.take()
        depth += OPENING.get(token.text, 0) - CLOSING.get(token.text, 0)
        if depth <= 0:
            return
        if cursor.next.kind == "end":
            cursor.fail("these template arguments are not closed: `>` expected", token=opening)


def _spelled(cursor: Cursor, first: PragmaToken) -> str:
    text = cursor.text[first.start - cursor.base : cursor.last.end - cursor.base]
    return re.sub(r"\s*,\s*", ", ", re.sub(r"\s*([<>:*&(])\s*|\s+(?=\))", r"\1", text.strip()))
