"""Host code cut into statements and arguments by its brackets and newlines, without being understood."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.frontends.spatial.syntax.lexer import MODIFIERS, Tokens

TokenRange = tuple[int, int]  # tokens first <= i < last


def statements(tokens: Tokens, first: int, last: int) -> Iterator[TokenRange]:
    """The statements of a block, without their annotations and modifiers."""
    start = i = first
    while i < last:
        token = tokens.items[i]
        if i > start and (token.breaks or token.kind == ";"):
            yield _without_modifiers(tokens, start, i)
            start = i
        if token.kind == ";":
            start = i = i + 1
        else:
            i = after(tokens, i)
    if start < last:
        yield _without_modifiers(tokens, start, last)


def after(tokens: Tokens, i: int) -> int:
    """The token after token `i`, or after the bracket that it opens."""
    return tokens.partner[i] + 1 if tokens.items[i].kind in ("(", "[", "{") else i + 1


def _without_modifiers(tokens: Tokens, first: int, last: int) -> TokenRange:
    items, i = tokens.items, first
    while i < last:
        if items[i].text == "@" and i + 1 < last:
            i += 2
            while i < last and items[i].kind in ("[", "("):
                i = tokens.partner[i] + 1
        elif items[i].text in MODIFIERS and items[i].kind == "keyword":
            i = tokens.partner[i + 1] + 1 if i + 1 < last and items[i + 1].kind == "[" else i + 1
        else:
            break
    return i, last


def enclosing_block(tokens: Tokens, first: int, last: int, target: int) -> TokenRange | None:
    """The inside of the outermost braces in [first, last) around token `target`."""
    for i in range(first, last):
        if tokens.items[i].kind == "{" and i < target < tokens.partner[i]:
            return i + 1, tokens.partner[i]
    return None


def between_commas(tokens: Tokens, first: int, last: int) -> Iterator[TokenRange]:
    """The parts of [first, last) between commas, none of them empty."""
    start = i = first
    while i < last:
        if tokens.items[i].kind == ",":
            if i > start:
                yield start, i
            start = i + 1
        i = after(tokens, i)
    if start < last:
        yield start, last


def arguments(tokens: Tokens, parameters: tuple[str, ...], given: TokenRange) -> dict[str, TokenRange]:
    """The arguments of a call by the parameter they are for; `given` is the inside of its parentheses."""
    by_parameter: dict[str, TokenRange] = {}
    for i, (first, last) in enumerate(between_commas(tokens, *given)):
        if last - first > 2 and tokens.items[first].kind == "name" and tokens.items[first + 1].text == "=":
            by_parameter[tokens.items[first].text] = (first + 2, last)
        elif i < len(parameters):
            by_parameter[parameters[i]] = (first, last)
    return by_parameter
