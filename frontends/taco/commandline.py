"""A .taco source made of the words that TACO's tool takes: `A(i)=B(i,j)*c(j)`, `-f=B:ds`, `-s=…`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tunepass.diagnostics import Diagnostic, Source, TunepassError, spelling_hint
from tunepass.frontends.taco.parser import parse_assignment, parse_schedule
from tunepass.frontends.taco.written import WrittenDirective
from tunepass.ir.tensor import Access, accesses
from tunepass.tensors.notation import expression_text

Words = Sequence[tuple[str, str]]

_LINE = re.compile(r"(?P<name>)(?P<rest>[^;#\0\r\n]+)")
USES = {
    "f": ("B:ds", re.compile(r"(?P<name>\w+):(?P<rest>\w*(?::[\d,]*){0,2})")),
    "t": ("B:float", re.compile(r"(?P<name>\w+):(?P<rest>\w+)")),
    "d": ("k:64", re.compile(r"(?P<name>\w+):(?P<rest>\d+(?:,\d+)*)")),
    "i": ("B:matrix.mtx", re.compile(r"(?P<name>\w+):(?P<rest>[^\0\r\n]+)")),
    "s": ("split(i,i0,i1,32)", _LINE),
    "nthreads": ("4", re.compile(r"(?P<name>)(?P<rest>\d+)")),
    "param": ("'chunk: pow2(2, 512) = 16'", _LINE),
    "constraint": ("'unroll < chunk'", _LINE),
    "schedule": ("dynamic,16", re.compile(r"(?P<name>)(?P<rest>static|dynamic)(?:,(?P<chunk>\d+))?")),
}


def source_of(expression: str, words: Words) -> Source:
    """NAME.taco, named after the result: not a file, and as if it were one in this folder. Raises TunepassError."""
    written = Source("--taco", expression)
    assignment = parse_assignment(written, expression, 0)
    used: dict[str, Access] = {}
    for access in (assignment.left, *accesses(assignment.right)):
        used.setdefault(access.tensor, access)
    values = [(word, *_value(word, text)) for word, text in words]
    lines = [*_declarations(values, used), expression.strip(), *_extents(values, used)]
    lines += [f'bind {_tensor("i", name, used)} = "{quoted(path)}"' for word, name, path in values if word == "i"]
    lines += [f"{word} {text.strip()}" for word, _, text in values if word in ("param", "constraint")]
    if any(word == "s" for word, _, _ in values):
        lines.append(f"schedule {', '.join(_directives(values))}")
    return Source(f"{assignment.left.tensor}.taco", "\n".join(lines) + "\n")


def _value(word: str, text: str) -> tuple[str, str]:
    """The tensor or variable, and what is said of it."""
    example, pattern = USES[word]
    match = pattern.fullmatch(text)
    if match is None:
        raise TunepassError(f"-{word} is written like -{word}={example}, got {text!r}")
    chunk = match.groupdict().get("chunk")
    return match["name"], match["rest"] + (f", {chunk}" if chunk else "")


def _declarations(values: Sequence[tuple[str, str, str]], used: dict[str, Access]) -> Iterator[str]:
    formats = {_tensor("f", name, used): text for word, name, text in values if word == "f"}
    elements = {_tensor("t", name, used): text for word, name, text in values if word == "t"}
    for name, access in used.items():
        format_ = f" = {formats[name]}" if formats.get(name) else " dense" if access.index else ""
        yield f"tensor {expression_text(access)}{format_} {elements.get(name, 'double')}"


def _extents(values: Sequence[tuple[str, str, str]], used: dict[str, Access]) -> Iterator[str]:
    """`-d=k:64` of a variable, `-d=A:10,10` of a tensor's modes."""
    found: dict[str, str] = {}
    for word, name, text in values:
        if word != "d":
            continue
        index = used[name].index if name in used else (name,)
        extents = text.split(",")
        if len(extents) != len(index):
            raise TunepassError(f"-d={name}:{text} has {len(extents)} extents, `{name}` has {len(index)} modes")
        for variable, extent in zip(index, extents):
            if found.setdefault(variable, extent) != extent:
                raise TunepassError(f"-d gives `{variable}` two extents, {found[variable]} and {extent}")
    yield from (f"dim {variable} = {extent}" for variable, extent in found.items())


def _directives(values: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """What several -s say in a row; parallel loops take -schedule and -nthreads."""
    openmp = [f"schedule({text})" for word, _, text in values if word == "schedule"][-1:]
    openmp += [text for word, _, text in values if word == "nthreads"][-1:]
    for word, _, text in values:
        if word == "s":
            yield from (_directive(written, openmp) for written in parse_schedule(Source("-s", text), text, 0))


def _directive(written: WrittenDirective, openmp: Sequence[str]) -> str:
    arguments = [argument.text for argument in written.arguments]
    if written.name == "parallelize" and arguments[1:2] == ["CPUThread"] and len(arguments) == 3:
        arguments += openmp
    return f"{written.name}({', '.join(arguments)})"


def _tensor(word: str, name: str, used: dict[str, Access]) -> str:
    if name not in used:
        hint = spelling_hint(name, used, f"there are {', '.join(used)}")
        raise TunepassError(Diagnostic(f"-{word}: no tensor `{name}` in the expression", hint=hint))
    return name


def quoted(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')
