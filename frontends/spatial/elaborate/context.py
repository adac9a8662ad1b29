"""What the elaboration of one app shares: its types, parameters and warnings, and the bodies being filled."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tunepass.diagnostics import Diagnostic, Severity, Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.bodies import BodyBuilder
from tunepass.frontends.spatial.elaborate.numbers.extents import Extents
from tunepass.frontends.spatial.elaborate.types import TypeNames, read_type
from tunepass.frontends.spatial.elaborate.values import Known, Op, Unmodelled, Value
from tunepass.frontends.spatial.parameters.declared import Declared
from tunepass.frontends.spatial.parameters.toggles import Toggle
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import INT, AddressIndex, Element, Memory, Stage

_IMPURE = frozenset({"iterator", "input", "unknown"})


@dataclass(eq=False)
class Context:
    """Grows while the app is read."""

    types: TypeNames = field(default_factory=TypeNames)
    extents: Extents = field(default_factory=Extents)  # sizes that the source leaves open
    means: dict[str, Expr] = field(default_factory=dict)  # the middle of every counter's range
    declared: list[Declared] = field(default_factory=list)
    switches: dict[int, Toggle] = field(default_factory=dict)  # loops that may be switched, by where their heads start
    warnings: list[Diagnostic] = field(default_factory=list)
    outside: list[Memory] = field(default_factory=list)  # declared before `Accel`
    bodies: list[BodyBuilder] = field(default_factory=list)  # being filled, the innermost last
    calls: list[tuple[str, list[Value]]] = field(default_factory=list)  # functions being inlined, and their arguments
    _names: dict[str, int] = field(default_factory=dict)
    _unknown_types: set[str] = field(default_factory=set)

    @property
    def in_hardware(self) -> bool:
        return bool(self.bodies)

    def warn(self, message: str, span: Span, hint: str | None = None) -> None:
        """One warning for each message and line."""
        if not any(w.message == message and w.span is not None and w.span.line == span.line for w in self.warnings):
            self.warnings.append(Diagnostic(message, span, hint, Severity.WARNING))

    def unmodelled(self, what: str, span: Span, assumed: str = "it is taken to cost nothing") -> Unmodelled:
        """An opaque value, with a warning where hardware would need it."""
        if self.in_hardware:
            self.warn(f"{what} is not modelled; {assumed}", span)
        return Unmodelled(what)

    def unique(self, name: str) -> str:
        """`name`, or `name_2` and so on when it is taken."""
        count = self._names.get(name, 0) + 1
        free = name if count == 1 else f"{name}_{count}"
        while count > 1 and free in self._names:
            count += 1
            free = f"{name}_{count}"
        self._names[name] = count
        self._names.setdefault(free, 1)
        return free

    def element(self, type_: n.Type | None) -> Element:
        """The element type that `type_` names; the usual one where it is not known here."""
        element = read_type(type_, self.types) if type_ is not None else None
        return element or self._usual_element()[0]

    def element_of(self, node: n.Typed, span: Span) -> Element:
        """The element type of `SRAM[T]`; one that is not known here is warned about, once."""
        element = read_type(node.types[0], self.types) if len(node.types) == 1 else None
        if element is not None:
            return element
        element, assumed = self._usual_element()
        if node.type_text not in self._unknown_types:
            self._unknown_types.add(node.type_text)
            self.warn(f"the type `{node.type_text}` is not known here; taken as {assumed}", span)
        return element

    def _usual_element(self) -> tuple[Element, str]:
        """The element type where nothing says one, and its name."""
        match list(self.types.aliases):
            case (name,) if (element := read_type(self.types.aliases[name], self.types)) is not None:
                return element, f"{name}, the only type the app names"
            case _:
                return INT, "a 32-bit integer"

    def declare(self, memory: Memory) -> None:
        (self.bodies[-1].memories if self.in_hardware else self.outside).append(memory)

    def add_stage(self, stage: Stage) -> None:
        """The next stage of the innermost body."""
        self.bodies[-1].items.append(stage)

    def op(
        self,
        name: str,
        element: Element = INT,
        inputs: tuple[Op, ...] = (),
        memory: str | None = None,
        index: tuple[AddressIndex, ...] = (),
        span: Span | None = None,
        told_by: tuple[str | Value, ...] = (),
    ) -> Op:
        """An operation of the innermost body; equal pure operations are one.

        `told_by` tells it from others of its name and inputs: its operator, its operands that are no inputs.
        """
        body = self.bodies[-1]
        pure = memory is None and name not in _IMPURE
        key = (name, element, tuple(map(id, inputs)), tuple(map(_identity, told_by)))
        if pure and key in body.shared:
            return body.shared[key][0]
        op = Op(name, element, inputs, memory, index, span)
        body.items.append(op)
        if pure:
            body.shared[key] = op, told_by
        return op

    @contextmanager
    def body(self) -> Iterator[BodyBuilder]:
        """A new innermost body, filled while the block runs."""
        body = BodyBuilder()
        self.bodies.append(body)
        try:
            yield body
        finally:
            self.bodies.pop()


def _identity(given: str | Value) -> Hashable:
    """A known number is the same wherever it is written; of other values only the same one is."""
    return given.expr if isinstance(given, Known) else given if isinstance(given, str) else id(given)
