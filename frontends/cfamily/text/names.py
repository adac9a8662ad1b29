"""Names of functions with their scopes and template arguments, `blas::S<T>::f<float>`, taken apart."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.frontends.cfamily.text.tokens import BRACKETS, tokens

CLOSING = frozenset(BRACKETS.values())


def plain_name(name: str) -> str:
    """`blas::S<T>::f<float>` as `blas::S::f`."""
    return "::".join(piece.partition("<")[0].rstrip() for piece in pieces(name))


def template_arguments(name: str) -> tuple[str, ...] | None:
    """Of the function itself, as texts; None where none are written."""
    last = pieces(name)[-1].rstrip()
    opening = last.find("<")
    if opening < 0 or not last.endswith(">"):
        return None
    inner = last[opening + 1 : -1]
    return tuple(split_arguments(inner)) or (inner.strip(),)


def pieces(name: str) -> list[str]:
    """`blas::S<a::T>::f<float>` at the `::` outside template arguments."""
    return list(_split(name, "::"))


def split_arguments(text: str) -> list[str]:
    """The comma-separated parts outside brackets; `void` and nothing are no parts."""
    parts = [" ".join(part.split()) for part in _split(text, ",")]
    return [] if parts in ([""], ["void"]) else parts


def _split(text: str, separator: str) -> Iterator[str]:
    depth, start = 0, 0
    for token in tokens(text):
        if token.at("<", *BRACKETS):
            depth += 1
        elif token.at(">", ">>", *CLOSING):
            depth -= len(token.text) if token.text[0] == ">" else 1
        elif token.at(separator) and not depth:
            yield text[start : token.start]
            start = token.end
    yield text[start:]
