"""Questions about small sources: functions are found by a piece of their head."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tunepass.frontends.cfamily.types.ask import Ask, FunctionAsk, FunctionSignature, Refusal, TypeAnswer
from tunepass.frontends.cfamily.types.model import Type
from tunepass.frontends.cfamily.types.reading import read_types

C = [name for name in ("gcc", "clang") if shutil.which(name)]
CPP = [name for name in ("g++", "clang++") if shutil.which(name)]
with_c = pytest.mark.parametrize("cc", C)
with_cpp = pytest.mark.parametrize("cc", CPP)


def bodies_of(text: str) -> list[tuple[int, int]]:
    """Of functions whose brace stands behind a bracket, `const` or declarations in K&R style, on any level."""
    found = []
    for start in (
        match.end() - 1 for match in re.finditer(r"\)(?: const| noexcept)?(?:\s*(?:\w+ )+\*?\w+;)*\s*\{", text)
    ):
        depth, end = 0, start
        while depth or end == start:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        found.append((start, end))
    return found


def function(text: str, head: str, name: str | None = None, template: bool = False) -> FunctionAsk:
    """The function whose line contains `head`, up to its name's end."""
    at = text.index(head)
    start = text.rindex("\n", 0, at) + 1 if "\n" in text[:at] else 0
    start += len(text[start:at]) - len(text[start:at].lstrip())
    opening = re.compile(r"(?:template <[^>]*> |extern \"C\" \{ )").match(text, start)
    start = start if opening is None else opening.end()
    body = next(body for body in bodies_of(text) if body[0] > at)
    return FunctionAsk(name or head.split()[-1], text.count("\n", 0, at) + 1, start, body, template)


def answer(
    text: str,
    command: Sequence[str],
    functions: Sequence[FunctionAsk] = (),
    names: Sequence[str] = (),
    folder: Path = Path("/"),
    name: str = "source.c",
) -> TypeAnswer:
    language = "c++" if "++" in command[0] else "c"
    return read_types(text, folder, name, command, language, Ask(tuple(functions), tuple(names)), bodies_of(text))


def signature(given: TypeAnswer, number: int = 0) -> FunctionSignature:
    assert given.failure is None, given.failure
    found = list(given.functions.values())[number]
    assert isinstance(found, FunctionSignature), found
    return found


def type_of(given: TypeAnswer, name: str) -> Type:
    assert given.failure is None, given.failure
    found = given.types[name]
    assert not isinstance(found, Refusal), found
    return found


def parameters(signature: FunctionSignature) -> list[str]:
    return [parameter.type.declare(parameter.name or "") for parameter in signature.parameters]


def local_variables(signature: FunctionSignature) -> list[str]:
    return [local.type.declare(local.name) for local in signature.locals]
