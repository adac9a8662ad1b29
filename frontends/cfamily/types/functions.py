"""Signatures of functions that the compiler emitted, found by name and line of the main file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tunepass.frontends.cfamily.types.ask import FunctionAsk, FunctionSignature, Local, Parameter, Refusal
from tunepass.frontends.cfamily.types.codes import At, Tag
from tunepass.frontends.cfamily.types.decode import RECORDS, Types
from tunepass.frontends.cfamily.types.entries import DwarfEntry, Unit
from tunepass.frontends.cfamily.types.model import Pointer, Type, bare_qualifiers

BLOCKS = frozenset({Tag.LEXICAL_BLOCK, Tag.TRY, Tag.CATCH})
OUTLINED = ("._omp_fn.", ".omp_outlined.", ".__kmpc", "_omp_outlined", "_debug__")  # parallel regions, by gcc and clang


class Functions:
    """Functions of a unit that have code."""

    def __init__(self, unit: Unit, types: Types, main_file: int) -> None:
        self._unit, self._types = unit, types
        emitted = [entry for entry in self._emitted(unit.root) if self._attribute(entry, At.DECL_FILE) == main_file]
        self._outlined = [entry for entry in self._emitted(unit.root) if self._is_outlined(entry)]
        self._emitted_here = [entry for entry in emitted if not self._is_outlined(entry)]

    def _emitted(self, scope: int) -> Iterator[DwarfEntry]:
        for at in self._unit.children(scope):
            shape = self._unit.shape(at)
            if shape.tag == Tag.NAMESPACE:
                yield from self._emitted(at)
            elif shape.tag == Tag.SUBPROGRAM and {At.LOW_PC, At.RANGES} & shape.names:
                yield self._unit.entry(at)

    def _is_outlined(self, entry: DwarfEntry) -> bool:
        name = entry.text(At.NAME) or ""
        return any(mark in name for mark in OUTLINED)

    def signature(self, function: FunctionAsk, lines: range, body: range, emptied: bool) -> FunctionSignature | Refusal:
        """`lines`: those on which the definition's name may stand; `body`: those of its braces."""
        name = own_name(function.name)
        found = self._named(name, lines)
        signatures = [replace(self._read(entry, function.line, body), locals_lost=emptied) for entry in found]
        instances = {_identity(signature): signature for signature in signatures}
        if not instances:
            reason = "template without an instance" if function.template else "the compiler emits no such function"
            return Refusal(reason, function.line)
        first, *others = (instances[identity] for identity in sorted(instances))
        return replace(first, instances=(first, *others)) if others or function.template else first

    def _named(self, name: str, lines: range) -> list[DwarfEntry]:
        """Functions with the name on the lines; where there is none, those of the one other name on them, which a macro
        may have made, and those of classes within functions."""
        found = [entry for entry in self._emitted_here if self._matches(entry, name, lines)]
        if found:
            return found
        nested = [inner for outer in self._emitted_here for inner in self._nested(outer.offset)]
        on_lines = [entry for entry in self._emitted_here if self._attribute(entry, At.DECL_LINE) in lines]
        names = {own_base(self._text(entry, At.NAME) or "") for entry in on_lines}
        return [each for each in nested if self._matches(each, name, lines)] or (on_lines if len(names) == 1 else [])

    def _nested(self, scope: int) -> Iterator[DwarfEntry]:
        for at in self._unit.children(scope):
            shape = self._unit.shape(at)
            if shape.tag == Tag.SUBPROGRAM and {At.LOW_PC, At.RANGES} & shape.names:
                yield self._unit.entry(at)
            if shape.tag in BLOCKS or shape.tag in RECORDS or shape.tag == Tag.SUBPROGRAM:
                yield from self._nested(at)

    def _matches(self, entry: DwarfEntry, name: str, lines: range) -> bool:
        told = self._text(entry, At.NAME) or ""
        same = told == name or (told.startswith(f"{name}<") and told.endswith(">"))
        return same and self._attribute(entry, At.DECL_LINE) in lines

    def _read(self, entry: DwarfEntry, line: int, body: range) -> FunctionSignature:
        declared = self._declaration(entry)
        children = [self._unit.entry(at) for at in self._unit.children(entry.offset)]
        given = [child for child in children if child.tag == Tag.PARAMETER]
        this = next((child for child in given if self._attribute(child, At.ARTIFICIAL)), None)
        around = [self._unit.entry(at) for at in self._types.scope(declared)]
        owner = next((scope for scope in reversed(around) if scope.tag in RECORDS), None)
        has_object = self._attribute(entry, At.OBJECT_POINTER) is not None or this is not None
        external = bool(self._attribute(entry, At.EXTERNAL))
        return FunctionSignature(
            name=self._text(entry, At.NAME) or "",
            line=line,
            parameters=tuple(self._parameter(child) for child in given if not self._attribute(child, At.ARTIFICIAL)),
            result=self._types.of(self._with(entry, At.TYPE)),
            locals=tuple(self._locals(entry, given, body)),
            static=not has_object if owner else not external,
            variadic=any(child.tag == Tag.UNSPECIFIED_PARAMETERS for child in children),
            prototyped=self._unit.cpp or bool(self._attribute(entry, At.PROTOTYPED)),
            namespace=tuple(scope.text(At.NAME) or "" for scope in around if scope.tag == Tag.NAMESPACE),
            member_of=self._types.at(owner.offset) if owner else None,
            this=None if this is None else _unconst(self._types.of(self._with(this, At.TYPE))),
        )

    def _parameter(self, entry: DwarfEntry) -> Parameter:
        return Parameter(self._text(entry, At.NAME), self._types.of(self._with(entry, At.TYPE)))

    def _locals(self, function: DwarfEntry, given: list[DwarfEntry], body: range) -> Iterator[Local]:
        """Variables of the function and of parallel regions that the compiler made functions of. These hold copies of
        variables around them, with the same name and line."""
        seen = {(self._text(each, At.NAME), self._attribute(each, At.DECL_LINE)) for each in given}
        regions = [entry for entry in self._outlined if self._attribute(entry, At.DECL_LINE) in body]
        for scope in (function, *regions):
            outer = {name for name, _ in seen}
            for entry in self._variables(scope):
                name, line = self._text(entry, At.NAME), self._attribute(entry, At.DECL_LINE)
                if self._attribute(entry, At.ARTIFICIAL):  # clang: a loop's variable in its region, without a line
                    line = None if scope is function or name in outer else self._attribute(scope, At.DECL_LINE)
                if name and name.isidentifier() and line and line in body and (name, line) not in seen:
                    seen.add((name, line))
                    yield Local(name, self._types.of(self._with(entry, At.TYPE)), line)

    def _variables(self, scope: DwarfEntry) -> Iterator[DwarfEntry]:
        for at in self._unit.children(scope.offset):
            entry = self._unit.entry(at)
            if entry.tag in BLOCKS or (entry.tag == Tag.SUBPROGRAM and self._is_outlined(entry)):
                yield from self._variables(entry)
            elif entry.tag == Tag.VARIABLE:
                yield entry

    def _origins(self, entry: DwarfEntry) -> Iterator[DwarfEntry]:
        """The entry, and those that it completes: attributes of a definition may stand at its declaration."""
        while True:
            yield entry
            origin = entry.reference(At.ABSTRACT_ORIGIN)
            origin = entry.reference(At.SPECIFICATION) if origin is None else origin
            if origin is None:
                return
            entry = self._unit.entry(origin)

    def _declaration(self, entry: DwarfEntry) -> DwarfEntry:
        return list(self._origins(entry))[-1]

    def _with(self, entry: DwarfEntry, name: int) -> DwarfEntry:
        """The first of the entry's origins that has an attribute; the entry itself where none has."""
        return next((each for each in self._origins(entry) if each.flag(name)), entry)

    def _attribute(self, entry: DwarfEntry, name: int) -> int | None:
        holder = self._with(entry, name)
        number = holder.number(name)
        return holder.reference(name) if number is None else number

    def _text(self, entry: DwarfEntry, name: int) -> str | None:
        return self._with(entry, name).text(name)


def own_name(name: str) -> str:
    """`f` of `ns::Mesh<double>::f`; an operator keeps what follows it."""
    before, word, rest = name.rpartition("operator")
    if word and not before[-1:].isalnum() and before[-1:] != "_" and not (rest[:1].isalnum() or rest[:1] == "_"):
        return word + rest
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] == ">") - (name[at] == "<")
        if not depth and name[at - 1 : at + 1] == "::":
            return name[at + 1 :]
    return name


def own_base(name: str) -> str:
    """The name without arguments of a template."""
    return name if name.startswith("operator") else name.partition("<")[0]


def _identity(signature: FunctionSignature) -> tuple[str, ...]:
    """Constructors are emitted twice, as complete objects' and as bases'; instances differ in name, class or types."""
    owner = signature.member_of
    return (signature.name, repr(owner), *(repr(parameter.type) for parameter in signature.parameters))


def _unconst(this: Type) -> Pointer | None:
    """`this` is a constant pointer; what it points to matters."""
    pointer = bare_qualifiers(this)
    return pointer if isinstance(pointer, Pointer) else None
