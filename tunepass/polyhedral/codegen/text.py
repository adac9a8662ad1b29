"""A scop's statements at given values of their indices: the source's own text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from tunepass.ir.scop import Scop, ScopLoop, ScopStatement
from tunepass.polyhedral.codegen.expressions import Expression, names_in, printed

WORD = re.compile(r"\w+\Z")
WIDE = "long"
UNSIGNED = re.compile(r"\b(?:unsigned|uint\d+_t|size_t)\b")
NARROW = re.compile(r"\b(?:unsigned|uint\d+_t|size_t|char|short|int8_t|int16_t)\b")


def index_type(scop: Scop, names: Sequence[str]) -> str:
    """Of a loop that stands for these: their own if they agree and it counts below 0 and past tiles, else `long`."""
    types = {scop.loop(name).type for name in names}
    only = types.pop() if len(types) == 1 else WIDE
    return WIDE if NARROW.search(only) else only


def parameter_texts(scop: Scop) -> dict[str, str]:
    """What code calls them, signed: `n - 2` of an unsigned n that is 1 would be a large number."""
    return {p.name: widened(p.text) if UNSIGNED.search(p.type) else p.text for p in scop.parameters}


def widened(text: str) -> str:
    return f"({WIDE}){_grouped(text)}"


def instance(
    scop: Scop,
    statement: ScopStatement,
    values: Sequence[Expression],
    names: Mapping[str, str],
    types: Mapping[str, str],
) -> tuple[tuple[str, ...], str]:
    """(constants to declare before it, its text). `names` are what indices of loops are called now, `types` theirs."""
    texts = {loop: _value(scop.loop(loop), value, names, types) for loop, value in zip(statement.loops, values)}
    if statement.uses is None:
        return _declared(scop, statement, texts), dedented(statement.text, statement.span.column)
    text, plain = statement.text, dict(zip(statement.loops, (printed(value, names) for value in values)))
    for use in sorted(statement.uses, key=lambda use: use.start, reverse=True):
        index = scop.loop(use.loop).index
        before, after = text[: use.start], text[use.start + len(index) :]
        alone = before.endswith("[") and after.startswith("]")
        text = before + (plain[use.loop] if alone else _grouped(texts[use.loop])) + after
    return (), dedented(text, statement.span.column)


def _value(loop: ScopLoop, value: Expression, names: Mapping[str, str], types: Mapping[str, str]) -> str:
    text = printed(value, names)
    kinds = {types.get(name, loop.type) for name in names_in(value) if name in types}
    return text if kinds <= {loop.type} else f"({loop.written_type}){_grouped(text)}"


def _grouped(text: str) -> str:
    return text if WORD.match(text) else f"({text})"


def _declared(scop: Scop, statement: ScopStatement, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Constants of the indices' own names, for text in which a macro may use them."""
    needed = [(scop.loop(loop).index, scop.loop(loop).written_type, text) for loop, text in texts.items()]
    changed = [(index, type_, text) for index, type_, text in needed if index != text]
    indices = {index for index, _, _ in changed}
    if not any(indices & set(re.findall(r"\w+", text)) for _, _, text in changed):
        return tuple(f"const {type_} {index} = {text};" for index, type_, text in changed)
    before = tuple(f"const {type_} {index}_now = {text};" for index, type_, text in changed)
    return (*before, *(f"const {type_} {index} = {index}_now;" for index, type_, _ in changed))


def dedented(text: str, column: int) -> str:
    """Source text that begins in this column, as if it began in the first."""
    if re.search(r'R"|\\\r?\n', text) or "\n" not in text:
        return text
    first, newline, rest = text.partition("\n")
    if first.startswith("{"):
        return first + newline + textwrap.dedent(rest)
    return textwrap.dedent(" " * (column - 1) + text).lstrip()
