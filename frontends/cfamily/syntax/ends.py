"""Ends of parts of C++ among tokens: attributes, requirements, names with template arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.cfamily.text.marks import closing
from tunepass.frontends.cfamily.text.tokens import Token

END_TOKEN = Token("end", "", 0, 0)


def token_at(tokens: Sequence[Token], at: int) -> Token:
    return tokens[at] if 0 <= at < len(tokens) else END_TOKEN


def attribute_end(tokens: Sequence[Token], at: int) -> int:
    """The index after `]]` where the tokens from `at` on are `using a: b, c::d(...)`; 0 where they are not."""
    if token_at(tokens, at).text == "using" and token_at(tokens, at + 2).at(":"):
        at += 3
    while not token_at(tokens, at).at("]"):
        name = token_at(tokens, at)
        if name.kind != "name" or name.text == "omp":  # OpenMP's say what runs
            return 0
        at += 3 if token_at(tokens, at + 1).at("::") and token_at(tokens, at + 2).kind == "name" else 1
        if token_at(tokens, at).at("("):
            at = closing(tokens, at) + 1
        at += token_at(tokens, at).at("...")
        if token_at(tokens, at).at(","):
            at += 1
        elif not token_at(tokens, at).at("]"):
            return 0
    return at + 2 if token_at(tokens, at + 1).at("]") else 0


def requirement_end(tokens: Sequence[Token], at: int) -> int:
    """The index after `C<T> && (sizeof(v) > 1) || requires (T v) { ... }`, which begins at `at`."""
    while at < len(tokens):
        if tokens[at].at("requires"):
            at = closing(tokens, at + 1) + 1 if token_at(tokens, at + 1).at("(") else at + 1
            at = _closing_brace(tokens, at) + 1
        elif tokens[at].at("("):
            at = closing(tokens, at) + 1
        else:
            at = _after_name(tokens, at)
        if not token_at(tokens, at).at("&&", "||"):
            break
        at += 1
    return at


def _closing_brace(tokens: Sequence[Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += tokens[at].at("{") - tokens[at].at("}")
        if depth == 0:
            return at
    return len(tokens)


def _after_name(tokens: Sequence[Token], at: int) -> int:
    """The index after a name with its scopes and template arguments."""
    depth = 0
    while at < len(tokens):
        token = tokens[at]
        if depth == 0 and not (token.kind == "name" or token.at("::", "<")):
            break
        depth += token.at("<") - (len(token.text) if token.at(">", ">>") else 0)
        at += 1
    return at
