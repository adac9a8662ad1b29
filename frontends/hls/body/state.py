"""The state of the reader of a kernel: names in scope, arrays, the block that is being filled, the loops around."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import INT_MAX, Expr
from tunepass.frontends.cfamily.syntax.tree import Expression, SyntaxFault
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.hls.body.blocks import BlockBuilder
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.trips import ActiveLoop
from tunepass.frontends.hls.body.types import TypeReader
from tunepass.frontends.hls.body.values import ArrayFacts, Binding, Value
from tunepass.frontends.hls.file import HlsFile
from tunepass.ir.hardware import Element
from tunepass.ir.hls import HlsDialect, HlsItem, HlsOperation, HlsSubscript, Storage


@dataclass(slots=True)
class State:
    """`parameters` are the values of names that the space has. `held` is what is known of each scalar."""

    file: HlsFile
    dialect: HlsDialect
    parameters: dict[str, Expr]
    warnings: list[Diagnostic]
    types: TypeReader = field(init=False)
    scopes: list[dict[str, Binding]] = field(default_factory=lambda: [{}])
    arrays: dict[str, ArrayFacts] = field(default_factory=dict)
    held: dict[str, Value] = field(default_factory=dict)
    block: BlockBuilder = field(default_factory=lambda: BlockBuilder(1))
    items: list[list[HlsItem]] = field(default_factory=lambda: [[]])
    loops: list[ActiveLoop] = field(default_factory=list)
    taken: dict[str, set[str]] = field(default_factory=dict)  # the kernel's names of loops, of arrays
    guarded: int = 0  # conditions around that data decide
    conditions: list[tuple[Value, bool]] = field(default_factory=list)  # around, in this block; False: where they fail
    serial: int = 1
    probing: int = 0
    sizes: dict[str, Expr] = field(default_factory=dict)  # of work-items, by the call that gives one
    used: set[str] = field(default_factory=set)  # parameters
    told: set[tuple[str, int]] = field(default_factory=set)

    @property
    def source(self) -> Source:
        return self.file.source

    # --- telling --------------------------------------------------------------------------------------------------

    def span(self, token: Token) -> Span:
        return self.source.span(token.start, max(token.end, token.start))

    def warn(self, message: str, span: Span | None, hint: str | None = None) -> None:
        """Once for each place."""
        key = (message, span.start if span else -1)
        if key not in self.told and not self.probing:
            self.told.add(key)
            self.warnings.append(Diagnostic(message, span, hint, Severity.WARNING))

    # --- names ----------------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Binding | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        plain = name.rpartition("::")[2]
        return self.lookup(plain) if plain != name else None

    def fresh(self, name: str, kind: Literal["loop", "array"]) -> str:
        """A name that no other loop, or array, of the kernel has yet."""
        found, number = name, 2
        taken = self.taken.setdefault(kind, set())
        while found in taken:
            found, number = f"{name}_{number}", number + 1
        taken.add(found)
        return found

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        self.scopes.append({})
        try:
            yield
        finally:
            self.scopes.pop()

    def new_array(
        self, name: str, element: Element, dims: list[Expr | None], storage: Storage, span: Span | None
    ) -> ArrayFacts:
        facts = ArrayFacts(self.fresh(name, "array"), element, storage, dims, span)
        self.arrays[facts.name] = facts
        return facts

    # --- operations -----------------------------------------------------------------------------------------------

    def operation(
        self, name: str, element: Element, inputs: tuple[int, ...], span: Span | None, number: int | float | None = None
    ) -> int:
        return self.block.add(HlsOperation(name=name, element=element, inputs=inputs, value=number, span=span))

    def op(self, value: Value, span: Span | None) -> int:
        """The position of the operation that gives `value` in the block at hand."""
        if value.op is not None and value.block == self.block.serial:
            return value.op
        if value.op is None and value.real is None and (value.linear is None or value.linear.terms):
            subscript = subscript_of(value)
            return self.block.add(HlsOperation(name="index", element=value.element, subscripts=(subscript,), span=span))
        return self.operation("constant", value.element, (), span, value.number)

    def result(self, op: int, element: Element, *inputs: Value) -> Value:
        moves = frozenset[str]().union(*(v.loops for v in inputs))
        return Value(element, op=op, block=self.block.serial, moves=moves)

    def flush(self, span: Span | None = None) -> None:
        """Closes the block: what it assigned to scalars is stored."""
        for name, place in self.block.dirty.items():
            value = self.held.get(name)
            if value is None:
                continue
            facts = self.arrays[name]
            inputs = (self.op(value, place),)
            self.block.operations.append(
                HlsOperation(
                    name="store", element=facts.element, inputs=inputs, array=name, guarded=self.guarded > 0, span=place
                )
            )  # fmt: skip
        if self.block.operations:
            self.items[-1].append(self.block.closed(span or self.block.operations[0].span))
        self.serial += 1
        self.block = BlockBuilder(self.serial)

    @contextlib.contextmanager
    def probe(self) -> Iterator[None]:
        """What is read inside leaves nothing behind."""
        block, held, read = self.block, dict(self.held), {n: (f.read, f.written) for n, f in self.arrays.items()}
        self.block = replace(
            block,
            operations=list(block.operations),
            known=dict(block.known),
            loaded={name: dict(kept) for name, kept in block.loaded.items()},
            dirty=dict(block.dirty),
        )
        self.probing += 1
        try:
            yield
        finally:
            self.probing -= 1
            self.block, self.held = block, held
            for name, (was_read, was_written) in read.items():
                self.arrays[name].read, self.arrays[name].written = was_read, was_written

    def fail(self, fault: SyntaxFault, what: str = "") -> SourceError:
        """A fault of the syntax as a diagnostic."""
        end = len(self.source.text)
        start = min(fault.token.start, end)
        return SourceError(f"{what}{fault.message}", self.source.span(start, min(max(fault.token.end, start), end)))


def subscript_of(value: Value) -> HlsSubscript:
    if value.linear is not None:
        return HlsSubscript(terms=value.linear.terms, offset=value.linear.offset)
    return HlsSubscript(terms=tuple((name, algebra.lift(1)) for name in sorted(value.moves)), affine=False)


def known(number: int | float | Expr, element: Element) -> Value:
    """A constant; a whole number that no expression holds is a real one."""
    if isinstance(number, float) or (isinstance(number, int) and not -INT_MAX <= number <= INT_MAX):
        return Value(element, real=float(number))
    return Value(element, linear=Linear(algebra.lift(number)))


def first_token(e: Expression) -> Token | None:
    """Some token of the expression, for a span."""
    for name in ("token", "op", "name"):
        found = getattr(e, name, None)
        if isinstance(found, Token):
            return found
    for name in ("left", "operand", "condition", "target", "base", "function"):
        inside = getattr(e, name, None)
        if inside is not None and (token := first_token(inside)) is not None:
            return token
    parts = getattr(e, "parts", ())
    return first_token(parts[0]) if parts else None
