"""C++ text as tokens, for readers of programs that are never compiled or run: comments and untaken branches of the
preprocessor are left out, macros that are one value are kept aside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span

SIZE_LIMIT = 1 << 20  # characters
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<character>'(?:\\.|[^'\\\n])+')
    |(?P<number>(?:0[xX][0-9a-fA-F']+|(?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfFzZ]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>::|->|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|<<|.)""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*((?:\\\n|[^\n])*)")


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is string, character, number, name or mark; a string's text is without its quotes."""

    kind: str
    text: str
    start: int


def tokens_of(source: Source, given: Mapping[str, str]) -> tuple[list[Token], dict[str, str]]:
    """The tokens, and the texts of macros without arguments; `given` are macros that the build would define. Raises
    SourceError for a file that is too large."""
    if len(source.text) > SIZE_LIMIT:
        raise SourceError(f"{source.name} is larger than such a program can be ({SIZE_LIMIT >> 10} KiB)")
    text, macros = _taken(source, dict(given))
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "space":
            found.append(Token(kind, match[0][1:-1] if kind == "string" else match[0], match.start()))
    return found, macros


def _taken(source: Source, macros: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The text with directives and untaken branches blank, so that places stay as they are."""
    kept, stack = [], [(True, True)]  # is this branch taken; was one of its chain
    skip_until = 0
    for line in re.finditer(r"[^\n]*\n?", source.text):
        directive = _DIRECTIVE.match(source.text, line.start()) if line.start() >= skip_until else None
        if directive is None:
            plain = line.start() >= skip_until and all(taken for taken, _ in stack)
            kept.append(line[0] if plain else re.sub(r"[^\n]", " ", line[0]))
            continue
        skip_until = directive.end()
        kept.append(re.sub(r"[^\n]", " ", line[0]))
        word, rest = directive[1], directive[2].replace("\\\n", " ").split("//")[0].strip()
        if word in ("if", "ifdef", "ifndef"):
            condition = _holds(rest if word == "if" else f"{'!' * (word == 'ifndef')}defined({rest})", macros)
            stack.append((condition, condition))
        elif word in ("elif", "else", "endif"):
            if len(stack) == 1:
                raise SourceError(f"#{word} without #if", Span(source, line.start(), line.end()))
            _, before = stack.pop()
            condition = not before and (word == "else" or _holds(rest, macros))
            if word != "endif":
                stack.append((condition, before or condition))
        elif word == "define" and all(taken for taken, _ in stack):
            name, _, value = rest.partition(" ")
            if name.isidentifier():
                macros[name] = value.strip()
    return "".join(kept), macros


def _holds(condition: str, macros: Mapping[str, str]) -> bool:
    """Of names, numbers, `defined` and the operators of logic; a name that is not defined is 0."""
    parts = [[term.strip(" ()") for term in part.split("&&")] for part in condition.split("||")]
    return any(all(_term(term, macros) for term in terms) for terms in parts)


def _term(term: str, macros: Mapping[str, str]) -> bool:
    if term.startswith("!"):
        return not _term(term[1:].strip(" ()"), macros)
    defined = re.fullmatch(r"defined\s*\(?\s*(\w+)", term)
    if defined:
        return defined[1] in macros
    value = macros.get(term, term)
    return value.isdigit() and int(value) != 0
