"""Overloads of a function: the other functions of its name in its class or its namespace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.syntax.tree import Declaration, Scope
from tunepass.frontends.cfamily.text.names import pieces, plain_name
from tunepass.frontends.cfamily.types.declared import CType, type_of

if TYPE_CHECKING:
    from tunepass.frontends.cfamily.unit import Unit

Parameter = tuple[CType, bool, bool]  # its type, whether it is a reference, whether what it refers to is constant


@dataclass(frozen=True, slots=True)
class Signature:
    """A function that is declared or defined in the scope itself."""

    parameters: tuple[Parameter, ...]
    template: bool
    static: bool


@dataclass(frozen=True, slots=True)
class ClassScope:
    """A class around a function. `names` are what it declares itself that needs no object; `final`: it is no base."""

    names: frozenset[str]
    bases: tuple[str, ...]
    final: bool


def is_overloaded(unit: Unit, definition: FunctionDefinition) -> bool:
    """Is the address of its name ambiguous?"""
    path = scope_path(definition.scopes, definition.path)
    if (path, definition.name) in unit.used_names:
        return True
    signatures = _signatures(unit, definition)
    if class_names(unit, definition):
        return len(signatures) > 1
    several = len({(s.parameters, s.template) for s in signatures}) > 1
    return several or (not path and _in_system_header(unit, definition))


def is_static_member(unit: Unit, definition: FunctionDefinition) -> bool:
    """Does the class declare it `static`? Of several overloads the one whose parameters are most alike counts."""
    owner = class_names(unit, definition)[-1:]
    if not owner or (plain_name(owner[0]), definition.name) not in unit.static_members:
        return False
    tuned = [_parameter_of(formal.type, formal.reference, formal.constant) for formal in definition.formals]
    fitting = [s for s in _signatures(unit, definition) if len(s.parameters) == len(tuned)]
    return max(fitting, key=lambda s: _likeness(s.parameters, tuned), default=Signature((), False, True)).static


def class_names(unit: Unit, definition: FunctionDefinition) -> tuple[str, ...]:
    """The classes around it, the outermost first, as they are written."""
    around = [scope.name for scope in definition.scopes if scope.kind == "class"]
    return (*around, *(name for name in definition.path if plain_name(name) in _records(unit)))


def class_scopes(unit: Unit, definition: FunctionDefinition) -> tuple[ClassScope, ...]:
    """The classes around it, the outermost first."""
    path, names = scope_path(definition.scopes, definition.path), class_names(unit, definition)
    declared = [*unit.static_names, *unit.used_names]
    scopes_around = []
    for number, class_ in enumerate(names, 1):
        around = path[: len(path) - len(names) + number]
        members = {name for scopes, name in declared if scope_path_of(scopes) == around}
        record = unit.records.get(plain_name(class_)) or unit.records.get(class_)
        scopes_around.append(
            ClassScope(frozenset(members), record.bases if record else (), record is not None and record.final)
        )
    return tuple(scopes_around)


def scope_path_of(names: Sequence[str]) -> tuple[str, ...]:
    """Without template arguments, each part of a nested namespace apart."""
    return tuple(plain_name(piece).strip() for name in names for piece in pieces(name))


def scope_path(scopes: Sequence[Scope], path: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the namespaces and classes around a function, without template arguments."""
    return scope_path_of([*(scope.name for scope in scopes if scope.name and scope.kind != "extern"), *path])


def _records(unit: Unit) -> frozenset[str]:
    return frozenset(plain_name(pieces(name)[-1]) for name in unit.records)


def _signatures(unit: Unit, definition: FunctionDefinition) -> list[Signature]:
    """The functions of its name in its scope. Definitions outside of the class repeat a declaration."""
    path = scope_path(definition.scopes, definition.path)
    signatures = [
        _signature(d.parameters, d.words, d.template)
        for d in unit.declared_functions(definition.name)
        if scope_path(d.scopes) == path
    ]
    for function in unit.functions:
        *qualifiers, name = plain_name(function.name.text).split("::")
        inside = not qualifiers or not class_names(unit, definition)
        if name == definition.name and inside and scope_path(function.scopes, qualifiers) == path:
            signatures.append(_signature(function.formals, function.words, function.template is not None))
    return signatures


def _signature(parameters: Sequence[Declaration], words: Sequence[str], template: bool) -> Signature:
    types = []
    for parameter in parameters:
        (declarator,) = parameter.declarators
        kind = type_of(parameter.words, declarator)
        types.append(_parameter_of(kind, declarator.reference, "const" in parameter.words))
    return Signature(tuple(types), template, "static" in words)


def _parameter_of(kind: CType, reference: bool, constant: bool) -> Parameter:
    """`const` of what is passed by value makes no other function, and an array is passed as a pointer."""
    decayed = CType(kind.base, kind.depth + 1, kind.dims[1:]) if kind.dims and not reference else kind
    return decayed, reference, constant and bool(reference or kind.depth or kind.dims)


def _likeness(parameters: Sequence[Parameter], tuned: Sequence[Parameter]) -> tuple[int, int]:
    """How many are the same, and how many are but for the scopes of their types' names."""
    pairs = list(zip(parameters, tuned))
    return sum(a == b for a, b in pairs), sum(_unscoped(a) == _unscoped(b) for a, b in pairs)


def _unscoped(parameter: Parameter) -> tuple[str, int, bool, bool]:
    kind, reference, constant = parameter
    return kind.base.rpartition("::")[2], kind.depth, reference, constant


def _in_system_header(unit: Unit, definition: FunctionDefinition) -> bool:
    name = re.escape(definition.name)
    call = re.compile(rf"{name}(?<!\w{name})\s*\(")  # begins with the name, which is sought fast
    return any(chunk.system and call.search(chunk.text) for chunk in unit.text.headers)
