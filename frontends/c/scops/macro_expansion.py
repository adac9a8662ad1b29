"""Macros of C as a table, and their expansion. Tokens keep the place in the source that they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.tokens import TOKEN, Token, tokens

DEPTH_LIMIT = 40  # of macros in arguments of macros
TOKEN_LIMIT = 20_000  # that one expansion may make, and
TOKENS_EACH = 20  # for every token that it is given


class ExpansionError(Exception):
    """A macro's use that makes too much or is not closed, and where it stands."""

    def __init__(self, message: str, token: Token):
        super().__init__(message)
        self.message, self.token = message, token


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name(parameters) body`; `parameters` is None of an object-like one."""

    name: str
    parameters: tuple[str, ...] | None
    variadic: bool
    body: tuple[Token, ...]


def parse_macro(text: str) -> Macro | None:
    """The macro that `#define text` makes; None where that is not C."""
    name = TOKEN.match(text)
    if name is None or name.lastgroup != "name":
        return None
    if text[name.end() : name.end() + 1] != "(":
        return Macro(name.group(), None, False, tuple(tokens(text, name.end())))
    closing = text.find(")", name.end())
    if closing < 0:
        return None
    words = [token.text for token in tokens(text, name.end() + 1, closing) if not token.at(",")]
    variadic = bool(words) and words[-1] == "..."
    if variadic:
        words = words[:-1] or []
        words.append("__VA_ARGS__")
    return Macro(name.group(), tuple(words), variadic, tuple(tokens(text, closing + 1)))


class Expander:
    """Expands tokens by `macros`; names in `fixed` stay as they are, whatever macros are called so."""

    def __init__(self, macros: Mapping[str, Macro], fixed: frozenset[str] = frozenset()):
        self.macros, self.fixed = macros, fixed
        self.left = TOKEN_LIMIT

    def expand(self, given: Sequence[Token], depth: int = 0) -> list[Token]:
        self.left += 0 if depth else TOKENS_EACH * len(given)
        todo = list(reversed(given))
        done: list[Token] = []
        while todo:
            token = todo.pop()
            macro = self._macro(token)
            if macro is None:
                done.append(token)
                continue
            if depth > DEPTH_LIMIT:
                raise ExpansionError("macros are nested too deeply", token)
            if macro.parameters is None:
                todo += reversed(self._made(macro.body, {}, token, token.end, macro))
            elif todo and todo[-1].at("("):
                arguments, end = self._arguments(macro, token, todo)
                todo += reversed(self._made(macro.body, self._bound(macro, arguments, depth), token, end, macro))
            else:
                done.append(token)
        return done

    def _macro(self, token: Token) -> Macro | None:
        if token.kind != "name" or token.text in token.hidden or token.text in self.fixed:
            return None
        return self.macros.get(token.text)

    def _arguments(self, macro: Macro, name: Token, todo: list[Token]) -> tuple[list[list[Token]], int]:
        """The arguments between the brackets, which are taken from `todo`, and where the use ends."""
        arguments: list[list[Token]] = [[]]
        level = 0
        while todo:
            token = todo.pop()
            level += token.at("(", "[", "{") - token.at(")", "]", "}")
            if level == 0:
                return arguments, max(name.end, token.end)
            if level == 1 and token.at(",") and not self._last(macro, arguments):
                arguments.append([])
            elif level > 1 or not token.at("("):
                arguments[-1].append(token)
        raise ExpansionError(f"the arguments of macro `{name.text}` are not closed", name)

    @staticmethod
    def _last(macro: Macro, arguments: list[list[Token]]) -> bool:
        return macro.variadic and len(arguments) == len(macro.parameters or ())

    def _bound(self, macro: Macro, arguments: list[list[Token]], depth: int) -> dict[str, list[Token]]:
        """Each parameter's argument, expanded; a missing one is empty."""
        given = {name: arguments[k] if k < len(arguments) else [] for k, name in enumerate(macro.parameters or ())}
        return {name: self.expand(argument, depth + 1) for name, argument in given.items()}

    def _made(
        self, body: Sequence[Token], bound: Mapping[str, list[Token]], name: Token, end: int, macro: Macro
    ) -> list[Token]:
        """The macro's text with its arguments in place; `#` makes a text, `##` one token of two."""
        hidden = name.hidden | {name.text}
        macro_name = name.macro or name.text
        made: list[Token] = []
        position = 0
        while position < len(body):
            token = body[position]
            position += 1
            if token.at("#") and macro.parameters is not None and position < len(body):
                made.append(Token("text", '""', name.start, end, True, hidden, macro_name))
                position += 1
            elif token.at("##") and made and position < len(body):
                pasted = bound.get(body[position].text, [body[position]])
                made[-1:] = self._pasted(made[-1], pasted, name, end, hidden)
                position += 1
            elif token.kind == "name" and token.text in bound:
                made += [replace(t, hidden=t.hidden | hidden, within=(name.start, end)) for t in bound[token.text]]
            else:
                made.append(Token(token.kind, token.text, name.start, end, True, hidden, macro_name))
        self.left -= len(made)
        if self.left < 0:
            raise ExpansionError(f"macro `{name.text}` makes too much code", name)
        return made

    @staticmethod
    def _pasted(left: Token, right: list[Token], name: Token, end: int, hidden: frozenset[str]) -> list[Token]:
        if not right:
            return [left]
        text = left.text + right[0].text
        kind = TOKEN.match(text)
        pasted = Token(
            kind.lastgroup if kind else "op",  # type: ignore[arg-type]
            text, name.start, end, True, hidden, name.macro or name.text,
        )  # fmt: skip
        return [pasted, *right[1:]]
