"""Trees of C, C++, CUDA, OpenCL and HLS constructs as the pinned grammars give them, held by golden files.

A grammar that reads a construct in another way fails here. After a reading of the difference,
`pytest tests/frontends/cfamily/test_golden_trees.py --update-golden` renews the files.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.preprocessing.command import Dialect
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Block, Declaration, Place
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Function, Unit

CONSTRUCTS = Path(__file__).parent / "constructs"
FILES: dict[str, Dialect] = {
    "c.c": "c",
    "cpp.cpp": "c++",
    "cuda.cu": "cuda",
    "opencl.cl": "opencl",
    "hls.cpp": "hls",
}
PLACES = frozenset({"first", "last", "header_end", "spelled", "lengths"})
HOST = {"cuda": ("gcc",)}  # whether nvcc is installed or not


def lines_of(unit: Unit) -> Iterator[str]:
    for name, record in unit.records.items():
        yield f"{record.kind} {name}"
        yield from (f"    {text}" for member in record.members for text in statement(member, 0))
    yield from (f"enum {name} {' '.join(words)}" for name, words in unit.enums.items())
    yield from (f"typedef {' '.join(statement(alias, 0))}" for alias in unit.aliases.values())
    yield from (f"global {text}" for declaration in unit.globals for text in statement(declaration, 0))
    for function in unit.functions:
        yield ""
        yield from head(function)
        for inner in function.body.statements:
            yield from statement(inner, 1)
    yield from (f"fault {fault.token.text}: {fault.message}" for fault in unit.faults)


def head(function: Function) -> Iterator[str]:
    scopes = "".join(f"{scope.kind} {scope.name} / " for scope in function.scopes)
    template = f"template {shown(function.template.parameters)} " if function.template else ""
    attributes = f" {shown(function.attributes)}" if function.attributes else ""
    yield f"{scopes}{template}{' '.join((*function.words, function.name.text))}{attributes}"
    yield from (f"    formal {text}" for formal in function.formals for text in statement(formal, 0))


def statement(value: Place, depth: int) -> Iterator[str]:
    """One line, and a line for each statement in it, further in."""
    inner: list[Place] = []
    words = [type(value).__name__]
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        if field.name in PLACES or part in (None, False, ()):
            continue
        if isinstance(value, Block) or (isinstance(part, Place) and not isinstance(part, Declaration)):
            inner += part if isinstance(part, tuple) else [part]
        else:
            words.append(f"{field.name}={shown(part)}")
    yield "    " * depth + " ".join(words)
    for one in inner:
        yield from statement(one, depth + 1)


def shown(value: object) -> str:
    """Tokens by their texts; values that stand for nothing are left out."""
    if isinstance(value, Token):
        return value.text
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(shown, value))}]"
    if not dataclasses.is_dataclass(value):
        return str(value)
    fields = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if f.name not in PLACES]
    parts = [shown(part) for _, part in fields if part not in (None, False, (), "")]
    name = type(value).__name__
    return parts[0] if name in ("Name", "Number", "Text") else f"{name}({', '.join(parts)})"


@pytest.mark.parametrize("name", FILES)
def test_trees_are_those_of_the_golden_file(name: str, golden: Callable[[str, str], None]) -> None:
    dialect = FILES[name]
    source = Source(str(CONSTRUCTS / name), (CONSTRUCTS / name).read_text(encoding="utf-8"))
    unit = read(source, HOST.get(dialect, ()), dialect, lenient=True)
    golden(f"cfamily/{name}.txt", "\n".join([*lines_of(unit), ""]))
