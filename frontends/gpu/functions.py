"""The functions and arrays of a CUDA or OpenCL source, with what the two languages add to C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tunepass.frontends.c.call.signatures import with_arguments
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition, definitions
from tunepass.frontends.cfamily.syntax.tree import Declaration
from tunepass.frontends.cfamily.syntax.walk import declarations_in
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.types.declared import CType, Types, canonical_type, declared, declared_types
from tunepass.frontends.cfamily.unit import Function, Unit
from tunepass.frontends.gpu.thread.code import CONSTANT, SHARED
from tunepass.ir.gpu import Memory
from tunepass.ir.gpu_elements import Dialect, numbers_of, plain_name
from tunepass.space.configuration import Value

KERNEL = frozenset({"__global__", "__kernel", "kernel"})
LOCAL = SHARED - {"__shared__"}
EXPANSIONS = 16  # of macros in macros


@dataclass(frozen=True, slots=True)
class GpuFormal:
    """A formal parameter: its text as written, its resolved type."""

    text: str
    name: str
    type: CType
    constant: bool
    restrict: bool
    memory: Memory
    opaque: bool  # only the compiler knows its type: a name that neither this file nor its headers define


@dataclass(frozen=True, slots=True)
class GpuFunction:
    definition: FunctionDefinition
    formals: tuple[GpuFormal, ...]
    is_kernel: bool
    code: Function


@dataclass(frozen=True, slots=True)
class Symbol:
    """An array or a variable at file scope."""

    name: str
    type: CType
    constant: bool  # in constant memory


@dataclass(frozen=True)
class GpuUnit:
    """A source; everything is found at first use. `under` reads it with other values of parameters."""

    dialect: Dialect
    unit: Unit
    under: Callable[[Mapping[str, Value]], Unit]

    @cached_property
    def types(self) -> Types:
        return declared_types(self.unit)

    @cached_property
    def functions(self) -> tuple[FunctionDefinition, ...]:
        return definitions(self.unit)

    @cached_property
    def symbols(self) -> Mapping[str, Symbol]:
        return {symbol.name: symbol for symbol in self._symbols()}

    def _symbols(self) -> Iterator[Symbol]:
        for declaration in self.unit.globals:
            constant = bool(CONSTANT & set(declaration.words))
            for declarator in declaration.declarators:
                if declarator.parameters is None and not self.unit.is_included(declarator.name):
                    kind = self.types.resolved(declared(declaration, declarator).type)
                    yield Symbol(declarator.name.text, kind, constant)

    def read(self, definition: FunctionDefinition, name: str) -> GpuFunction:
        """`name` is as the pragma writes it, with the template's arguments."""
        code = self.code(definition)
        formals = tuple(self._formal(formal, name, definition) for formal in definition.formals)
        return GpuFunction(definition, formals, bool(KERNEL & set(code.words)), code)

    def code(self, definition: FunctionDefinition) -> Function:
        return next(f for f in self.unit.functions if f.name.start == definition.name_start and not f.in_header)

    def code_under(self, values: Mapping[str, Value], function: Function) -> Function | None:
        """The definition under these values, the same or the one of its name in another branch; None where there is
        none."""
        if not values:
            return function
        functions = [f for f in self.under(values).functions if f.name.text == function.name.text and not f.in_header]
        same = next((f for f in functions if f.name.start == function.name.start), None)
        alike = (f for f in functions if len(f.formals) == len(function.formals))
        return same or next(alike, None) or next(iter(functions), None)

    def shared_arrays(self, function: Function) -> Mapping[str, CType]:
        """Declared in the function, else anywhere in the source."""
        others = (d for f in self.unit.functions if f is not function for d in declarations_in(f.body))
        found: dict[str, CType] = {}
        for declaration in (*declarations_in(function.body), *self.unit.globals, *others):
            if SHARED & set(declaration.words):
                found = {**dict(self._types(declaration)), **found}
        return found

    def _types(self, declaration: Declaration) -> Iterator[tuple[str, CType]]:
        for declarator in declaration.declarators:
            yield declarator.name.text, self.types.resolved(declared(declaration, declarator).type)

    def element(self, text: str) -> CType:
        """The type that a pragma writes; the source's macros in it replaced."""
        words = [token.text for token in tokens(text)]
        for _ in range(EXPANSIONS):
            known = {word: self._macro(word) for word in words}
            if not any(known.values()):
                break
            words = [part for word in words for part in (known[word] or [word])]
        kind = self.types.resolved(CType(canonical_type(" ".join(words))))
        return CType(plain_name(kind.base))

    def _macro(self, name: str) -> list[str]:
        """Its words; empty where there is none, or several."""
        texts = {m.body for m in self.unit.text.macros.get(name, ()) if m.parameters is None}
        return [t.text for t in tokens(texts.pop())] if len(texts) == 1 else []

    def _formal(self, formal: Formal, name: str, definition: FunctionDefinition) -> GpuFormal:
        kind = formal.type
        if "<" in name and not kind.function:
            written = with_arguments(kind.base, name, definition)
            kind = replace(kind, base=canonical_type(written), depth=kind.depth + written.count("*"))
        kind = self.types.resolved(kind)
        kind = replace(kind, base=plain_name(kind.base))
        words = set(formal.words)
        memory: Memory = "global"
        if self.dialect == "opencl":
            memory = "local" if words & LOCAL else "constant" if words & CONSTANT else "global"
        return GpuFormal(
            text=formal.text,
            name=formal.name,
            type=kind,
            constant=formal.constant or memory == "constant",
            restrict=formal.restrict,
            memory=memory,
            opaque=self._is_opaque(kind),
        )

    def _is_opaque(self, kind: CType) -> bool:
        named = numbers_of(kind.base, self.dialect) is not None or kind.base in self.types.records
        return not (named or kind.base in self.types.enums or kind.base == "void") or kind.function or "*" in kind.dims
