"""The parameters of a function in C, CUDA or OpenCL text, as far as a description of its arguments needs them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tunepass.compilers.languages import CXX
from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.cfamily.branches.conditions import conditional_macros, parameter_conditions
from tunepass.frontends.cfamily.preprocessing.command import Dialect
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Declaration
from tunepass.frontends.cfamily.types.declared import element_of
from tunepass.frontends.cfamily.unit import Unit
from tunepass.interchange.foreign_kernel import ForeignArgument, ForeignKernel

_VECTOR = re.compile(r"([a-z_]+?)(2|3|4|8|16)")
_DIALECTS: dict[str, Dialect] = {"c": "c", "cuda": "cuda", "opencl": "opencl"}


@dataclass(frozen=True, slots=True)
class Formal:
    name: str
    element: str
    constant: bool  # what it points to
    varies: bool  # a parameter decides of which type it is: the description's own is right for all of them


def formals(kernel: ForeignKernel, text: str) -> tuple[Formal, ...] | None:
    """Of the definition of the kernel's function; None where there is none that can be read."""
    name = kernel.source or "kernel"
    dialect: Dialect = "c++" if name.endswith(CXX) else _DIALECTS.get(kernel.language or "", "c++")
    symbols = {p.name: p.default if isinstance(p.default, int) else None for p in kernel.parameters}
    try:
        unit = read(Source(name, text), (), dialect, symbols, lenient=True)
        functions = unit.functions
    except TunepassError:
        return None
    plain = kernel.function.partition("<")[0].rpartition("::")[2]
    function = next((f for f in functions if f.name.text.rpartition("::")[2] == plain), None)
    return None if function is None else tuple(_formal(unit, parameter) for parameter in function.formals)


def _formal(unit: Unit, parameter: Declaration) -> Formal:
    (declarator,) = parameter.declarators
    constant = bool(declarator.shape) and "const" in parameter.words
    return Formal(declarator.name.text, element_of(parameter.words), constant, _varies(unit, parameter))


def _varies(unit: Unit, parameter: Declaration) -> bool:
    """By a macro, or a typedef in a branch over parameters."""
    words = unit.tokens[unit.index(parameter.first) : unit.index(parameter.last) + 1]
    names = {token.macro or token.text for token in words}
    places = [unit.aliases[word].first.start for word in parameter.words if word in unit.aliases]
    conditions = parameter_conditions(unit.text)
    branch = any(start <= place < end for place in places for start, end, _ in conditions)
    return branch or bool(names & (conditional_macros(unit.text) | unit.text.symbols.names))


def agreed(kernel: ForeignKernel, text: str) -> ForeignKernel:
    """With the names and types that the kernel's own text gives its parameters; without arguments where they differ."""
    agreed_formals = formals(kernel, text)
    if agreed_formals is None:
        return replace(kernel, arguments=(), notes=(*kernel.notes, f"no definition of {kernel.function} in the source"))
    passed = [a for a in kernel.arguments if not a.symbol]
    if len(agreed_formals) == len(kernel.arguments):
        passed = [replace(a, symbol=False) for a in kernel.arguments]
    if len(agreed_formals) != len(passed):
        note = f"{kernel.function} has {len(agreed_formals)} parameters, its description {len(passed)} arguments"
        return replace(kernel, arguments=(), notes=(*kernel.notes, note))
    symbols = [a for a in kernel.arguments if a.symbol and len(passed) < len(kernel.arguments)]
    agreed_formals = tuple(
        replace(formal, element=a.element) if a.element and formal.varies else formal
        for a, formal in zip(passed, agreed_formals)
    )
    if "<" in kernel.function:  # a type may be the template's parameter
        agreed_formals = tuple(replace(formal, element=a.element) for a, formal in zip(passed, agreed_formals))
    return replace(kernel, arguments=(*map(_as_declared, passed, agreed_formals), *symbols))


def _as_declared(argument: ForeignArgument, formal: Formal) -> ForeignArgument:
    """A description counts numbers where the kernel may have vectors of them."""
    vector = _VECTOR.fullmatch(formal.element)
    lanes = 4 if vector and vector[2] == "3" else int(vector[2]) if vector else 1
    wider = vector is not None and argument.element == vector[1] and argument.length % lanes == 0
    length = argument.length // lanes if wider and argument.value is None else argument.length
    direction = "in" if formal.constant and argument.value is None else argument.direction
    return replace(argument, name=formal.name, element=formal.element, length=length, direction=direction)
