"""Declarations: scalars, arrays, records and streams come into scope, with what they begin with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.tree import Call, Declaration, Declarator, Expression, Items, Record
from tunepass.frontends.hls.body.expressions import Expressions
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.types import Kind
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, ScalarName, Value
from tunepass.frontends.hls.types import plain_words
from tunepass.ir.hardware import INT
from tunepass.ir.hls import Storage

LOCAL = ("__local", "local")
CONSTANT = ("__constant",)
MEMBERS = 200  # of a record, those of its members too
TASKS = (("hls::task",), ("task",), ("hls", "task"))
FIFO_DEPTH = 2  # of a stream that no pragma makes deeper


@dataclass(slots=True)
class Declarations(Expressions, ABC):
    members_left: int = MEMBERS  # of the variable that is being made

    def declare(self, declaration: Declaration, file_scope: bool = False) -> None:
        if "typedef" in declaration.words:
            self.types.local |= {d.name.text: declaration for d in declaration.declarators[:1]}
            return
        if plain_words(declaration.words) in TASKS:
            self._tasks(declaration)
            return
        for declarator in declaration.declarators:
            if declarator.parameters is None and declarator.name.text:
                self._declare(declaration.words, declarator, file_scope)

    def _tasks(self, declaration: Declaration) -> None:
        """`hls::task t(function, argument, ...)` is the call."""
        for declarator in declaration.declarators:
            parts = declarator.value.parts if isinstance(declarator.value, Items) else ()
            if parts:
                call = Call(parts[0], parts[1:])
                self.hoist(call)
                self.value(call)

    @abstractmethod
    def hoist(self, e: object) -> None:
        """Reads the calls of an expression whose functions have loops, innermost first."""

    def _declare(self, words: tuple[str, ...], declarator: Declarator, file_scope: bool) -> None:
        name, span, value = declarator.name.text, self.span(declarator.name), declarator.value
        if declarator.reference and value is not None:
            place = self.place(value)
            if place is not None:
                self.scopes[-1][name] = place
                return
        if "auto" in words and not declarator.shape and value is not None:
            self._deduced(name, value, span)
            return
        kind = self.types.kind(words)
        if "channel" in words:
            kind = replace(kind, stream=True)
        pointer = any(declarator.pointers) or kind.pointers > 0
        if pointer and value is not None and not isinstance(value, Items):
            place = self.place(value)
            if place is not None:
                self.scopes[-1][name] = place
                return
        constant = ("const" in words or "constexpr" in words) and value is not None
        dims = self.extents(declarator, kind)
        storage: Storage = "scalar" if not dims else "local"
        if dims and (set(words) & set(CONSTANT) or (constant and (file_scope or "static" in words))):
            storage = "constant"
        binding = self.variable(name, kind, dims, storage, span)
        self.scopes[-1][name] = binding
        if value is not None:
            self._initialise(binding, value, constant, span)

    def _deduced(self, name: str, value: Expression, span: Span) -> None:
        """`auto x = …`"""
        place = self.place(value) if not isinstance(value, Call) else None
        if isinstance(place, (Place, RecordName)) and not self._is_scalar(place):
            self.scopes[-1][name] = place
            return
        first = self.value(value)
        binding = self.variable(name, Kind(first.element), [], "scalar", span)
        self.scopes[-1][name] = binding
        self.write(binding, first, span)

    def _is_scalar(self, binding: Binding) -> bool:
        return isinstance(binding, Place) and len(binding.subscripts) >= len(self.arrays[binding.array].dims)

    def extents(self, declarator: Declarator, kind: Kind) -> list[Expr | None]:
        return [None if e is None else self.constant(e) for e in declarator.shape] + list(kind.dims)

    def variable(
        self, name: str, kind: Kind, dims: Sequence[Expr | None], storage: Storage, span: Span | None, depth: int = 0
    ) -> Binding:
        """A variable of that kind, made in the kernel."""
        self.members_left = MEMBERS if depth == 0 else self.members_left - 1
        if kind.record is not None and depth < 8:
            return self._record(name, kind, kind.record, dims, storage, span, depth)
        if kind.stream:
            facts = self.new_array(name, kind.element, [algebra.lift(FIFO_DEPTH)], "stream", span)
            return Place(facts.name)
        facts = self.new_array(name, kind.element, list(dims), storage, span)
        return Place(facts.name) if dims else ScalarName(facts.name, kind.element)

    def _record(
        self, name: str, kind: Kind, record: Record, dims: Sequence[Expr | None], storage: Storage,
        span: Span | None, depth: int,
    ) -> RecordName:  # fmt: skip
        before = self.types.bound
        self.types.bound = {**before, **kind.arguments}
        members: dict[str, Binding] = {}
        outer = list(dims) if not kind.stream else []
        for declaration in record.members:
            inner = self.types.kind(declaration.words)
            for declarator in declaration.declarators:
                if self.members_left <= 0:
                    break
                own = [*outer, *self.extents(declarator, inner)]
                kept: Storage = storage if storage != "scalar" or not own else "local"
                if kind.stream:
                    own, kept = [algebra.lift(FIFO_DEPTH)], "stream"
                path = f"{name}.{declarator.name.text}"
                members[declarator.name.text] = self.variable(path, inner, own, kept, span, depth + 1)
                self._as_queue(members[declarator.name.text], kind.stream)
        self.types.bound = before
        return RecordName(record.name, members, len(outer))

    def _as_queue(self, binding: Binding, stream: bool) -> None:
        if stream and isinstance(binding, Place):
            self.arrays[binding.array].storage = "stream"

    def _initialise(self, binding: Binding, value: Expression, constant: bool, span: Span) -> None:
        match binding:
            case ScalarName():
                parts = value.parts if isinstance(value, Items) else (value,)
                first = self.value(parts[0]) if parts else known(0, INT)
                self.write(binding, first, span)
            case RecordName():
                self.copy(binding, self.place(value), value, span)
            case Place(array=array):
                facts = self.arrays[array]
                facts.written = not constant and facts.storage != "constant"
                if facts.dims and facts.dims[0] is None and isinstance(value, Items):
                    facts.dims[0] = algebra.lift(max(1, len(value.parts)))
            case Value():
                pass
