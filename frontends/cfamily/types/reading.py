"""Types of a source by one compile of the user's own compiler."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tunepass.frontends.cfamily.types.ask import Ask, Failure, Refusal, TypeAnswer
from tunepass.frontends.cfamily.types.codes import At, Tag
from tunepass.frontends.cfamily.types.compiling import TypeCompiler
from tunepass.frontends.cfamily.types.decode import Types
from tunepass.frontends.cfamily.types.entries import DwarfEntry, Unit
from tunepass.frontends.cfamily.types.functions import Functions
from tunepass.frontends.cfamily.types.ladder import Ladder
from tunepass.frontends.cfamily.types.model import Function, Pointer, Type, bare_qualifiers
from tunepass.frontends.cfamily.types.sections import DebugDataError, read_sections
from tunepass.frontends.cfamily.types.source import ANCHOR, PROBE, Text


def read_types(
    text: str,
    folder: Path,
    name: str,
    command: Sequence[str],
    language: str,
    ask: Ask,
    bodies: Sequence[tuple[int, int]],
) -> TypeAnswer:
    """Signatures and types of a source, as the compiler of `command` sees them.

    Args:
        text: the source's text.
        folder: where the command runs.
        name: the source as the command would name it, relative to `folder` or absolute; it need not exist.
        command: the compiler and its words, without the source.
        language: c, c++, cuda, hls or opencl. CUDA and HLS are compiled as C++, with stub headers that the words name.
        ask: functions and names.
        bodies: of all functions in the text, from brace to behind the closing brace.
    """
    ladder = Ladder(TypeCompiler(command, language, folder, name), Text.of(text), ask, bodies)
    with tempfile.TemporaryDirectory(prefix="tunepass-types-") as scratch:
        compiled = ladder.climb(Path(scratch))
        if isinstance(compiled, Failure):
            return TypeAnswer({}, {}, None, (), compiled)
        try:
            return _answer(ladder, Unit(read_sections(compiled)))
        except DebugDataError as error:
            return TypeAnswer({}, {}, None, (), Failure(str(error)))


def _answer(ladder: Ladder, unit: Unit) -> TypeAnswer:
    types, variables = Types(unit), _own_variables(unit)
    anchor = variables.get(ANCHOR)
    if anchor is None:
        raise DebugDataError("debug data have no entry of a variable at the end of the source")
    functions = Functions(unit, types, anchor.number(At.DECL_FILE) or 0)
    source, signatures = ladder.source, {}
    for function in ladder.ask.functions:
        lines = range(source.line(function.insert_at), source.line(function.body[0]) + 1)
        body, emptied = source.body_lines(function.body), function.body in ladder.emptied
        signatures[function.key] = functions.signature(function, lines, body, emptied)
    asked: dict[str, Type | Refusal] = {}
    for number, text in enumerate(ladder.ask.names):
        entry = variables.get(f"{PROBE}{number}")
        missing = ladder.refused.get(number, Refusal("the compiler's debug data do not have it"))
        asked[text] = missing if entry is None else _probed(types.of(entry), ladder.is_result(number))
    return TypeAnswer(signatures, asked, ladder.rung, tuple(sorted(ladder.emptied)))


def _own_variables(unit: Unit) -> dict[str, DwarfEntry]:
    """The anchor and the probes; they end the unit, so their entries stand near its end."""
    found = {}
    for at in reversed(unit.children(unit.root)):
        if unit.shape(at).tag == Tag.VARIABLE:
            entry = unit.entry(at)
            name = entry.text(At.NAME) or ""
            if name.startswith((ANCHOR, PROBE)):
                found[name] = entry
    return found


def _probed(type: Type, result: bool) -> Type | Refusal:
    """The type that a probe points to."""
    pointer = bare_qualifiers(type)
    if not isinstance(pointer, Pointer):
        return Refusal("the compiler's debug data do not have its type")
    if result and isinstance(pointer.target, Function):
        return pointer.target.result
    return pointer.target
