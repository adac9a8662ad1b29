"""Expressions and statements of a Spatial program, evaluated to values, operations and stages."""

from __future__ import annotations

import re

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.frontends.spatial import controls, counters, declarations, memories, primitives, sequences
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.context import Context
from tunepass.frontends.spatial.declared import PRIORS
from tunepass.frontends.spatial.parser import parse
from tunepass.frontends.spatial.scanner import Tokens
from tunepass.frontends.spatial.types import read_type
from tunepass.frontends.spatial.values import (
    Closure,
    Host,
    Known,
    MemoryRef,
    Module,
    Opaque,
    ParMemory,
    Range,
    Scope,
    Text,
    TupleOf,
    Value,
    Wire,
)
from tunepass.ir.hardware import INT, Element, Struct

CALL_LIMIT = 64  # nested calls of the program's own functions
UNROLL_LIMIT = 256  # iterations of a Scala `for` over constants
UNIT = Opaque("unit")
_SILENT = frozenset((
    "println", "print", "printArray", "printMatrix", "printTensor3", "assert", "breakpoint", "exit", "getArg",
    "sleep", "writeCSV1D", "writeCSV2D",
))  # fmt: skip


class Lowering:
    """Evaluates syntax in a scope; what it builds lands in the context's current frame."""

    def __init__(self, context: Context, tokens: Tokens):
        self.context, self.tokens = context, tokens

    # --- statements

    def block(self, block: s.Node, scope: Scope) -> Value:
        """The value of the last statement of `block`, evaluated in a scope of its own."""
        if isinstance(block, s.Unparsed):
            block = parse(self.tokens, block.first, block.last)
        statements = block.statements if isinstance(block, s.Block) else (block,)
        inner = Scope(scope)
        for statement in statements:
            if isinstance(statement, s.Definition):
                inner.set(statement.name, Closure(statement.name, statement.parameters, statement.body, inner))
        result: Value = UNIT
        for statement in statements:
            result = self.statement(statement, inner)
        return result

    def statement(self, node: s.Node, scope: Scope) -> Value:
        match node:
            case s.Value():
                self._bind(node, scope)
                return UNIT
            case s.Definition():
                scope.set(node.name, Closure(node.name, node.parameters, node.body, scope))
                return UNIT
            case s.Skipped():
                found = re.match(r"type\s+(\w+)\s*=\s*(.+)", node.text, re.DOTALL)
                if found:
                    self.context.aliases[found.group(1)] = found.group(2).strip()
                return UNIT
            case s.Assign():
                return self._assign(node, scope)
            case s.Update():
                return memories.update(self, node, scope)
            case _:
                return self.value(node, scope)

    def _bind(self, node: s.Value, scope: Scope) -> None:
        name = node.names[0] if len(node.names) == 1 else None
        value = self.value(node.value, scope, name)
        if isinstance(value, Opaque) and not self.context.in_hardware and name:
            value = Host(name)
        if node.type and isinstance(value, Known) and value.element is None:
            value = Known(value.expr, self.element(node.type))
        if name is not None:
            scope.set(name, value)
            return
        for i, part in enumerate(node.names):  # `val a, b = 3` gives both 3
            item = value.items[i] if isinstance(value, TupleOf) and i < len(value.items) else value
            scope.set(part, Host(part) if isinstance(item, Opaque) and not self.context.in_hardware else item)

    def _assign(self, node: s.Assign, scope: Scope) -> Value:
        """`m(i) = x` stores, `bound(x) = n` bounds, `v = x` changes a var."""
        if isinstance(node.target, s.Apply):
            head = node.target.function
            if isinstance(head, s.Ident) and head.name == "bound" and len(node.target.arguments) == 1:
                self._bound(self.value(node.target.arguments[0], scope), self.value(node.value, scope))
                return UNIT
            return memories.store(self, node.target, node.value, scope)
        value = self.value(node.value, scope)
        if isinstance(node.target, s.Ident):
            scope.assign(node.target.name, value)
        return UNIT

    def _bound(self, target: Value, limit: Value) -> None:
        host = target.host if isinstance(target, MemoryRef) else target
        if isinstance(host, Host) and isinstance(limit, (Known, Host)):
            host.bound = limit.expr if isinstance(limit, Known) else limit.known()

    # --- expressions

    def value(self, node: s.Node, scope: Scope, name: str | None = None) -> Value:
        """The value of `node`; `name` is the val it is bound to, for memories, parameters and controllers."""
        match node:
            case s.Literal():
                return Text(node.value) if isinstance(node.value, str) else Known(algebra.lift(node.value))
            case s.Ident():
                return self._name(node, scope)
            case s.Parenthesis():
                if len(node.items) == 1:
                    return self.value(self._placeholders(node.items[0]), scope, name)
                return TupleOf(tuple(self.value(i, scope) for i in node.items))
            case s.Block():
                return self.block(node, scope)
            case s.Function():
                return Closure("function", node.parameters, node.body, scope)
            case s.Select():
                return self._select(node, scope, name)
            case s.Typed():
                return self.value(s.Apply(node.span, node, ()), scope, name)
            case s.Apply():
                return self._apply(node, scope, name)
            case s.Infix():
                return self._infix(node, scope, name)
            case s.Prefixed():
                return primitives.prefixed(self.context, node.operator, self.value(node.operand, scope), node.span)
            case s.Conditional():
                return controls.conditional(self, node, scope)
            case s.Comprehension():
                return self._comprehension(node, scope)
            case s.Value() | s.Definition() | s.Skipped() | s.Assign() | s.Update():
                return self.statement(node, scope)
            case s.Star():
                return Opaque("*")
            case s.Matching() | s.Loop() | s.Instance() | s.Thrown() | s.Cases():
                return self.unmodelled("this Scala construct", node.span)
            case _:
                return Opaque(type(node).__name__)

    def unmodelled(self, what: str, span: Span, assumed: str = "it is taken to cost nothing") -> Opaque:
        if self.context.in_hardware:
            self.context.warn(f"{what} is not modelled; {assumed}", span)
        return Opaque(what)

    def element(self, text: str, span: Span | None = None) -> Element:
        """The type named `text`; one that is not known here is warned about."""
        found = read_type(text, self.context.aliases, self.context.structs)
        if found is not None:
            return found
        only = list(self.context.aliases)
        element = read_type(only[0], self.context.aliases, self.context.structs) if len(only) == 1 else None
        assumed = f"{only[0]}, the only type the app names" if element is not None else "a 32-bit integer"
        if span is not None and text and text not in self.context.guessed:
            self.context.guessed.add(text)
            self.context.warn(f"the type `{text}` is not known here; taken as {assumed}", span)
        return element or INT

    def _name(self, node: s.Ident, scope: Scope) -> Value:
        found = scope.get(node.name)
        if found is None:
            return self.unmodelled(f"`{node.name}`, unknown here,", node.span) if self.context.in_hardware else Opaque()
        if isinstance(found, Closure) and not found.parameters and found.name == node.name:
            return self.call(found, [], node.span)
        return found

    def _placeholders(self, node: s.Node) -> s.Node:
        """`_ + _` and `_._1 < 3` are functions of as many values as there are placeholders."""
        names: list[str] = []

        def replaced(n: s.Node) -> s.Node:
            match n:
                case s.Placeholder():
                    names.append(f"_{len(names)}")
                    return s.Ident(n.span, names[-1])
                case s.Infix():
                    left = replaced(n.left)
                    return s.Infix(n.span, n.operator, left, replaced(n.right))
                case s.Select():
                    return s.Select(n.span, replaced(n.target), n.name)
                case s.Prefixed():
                    return s.Prefixed(n.span, n.operator, replaced(n.operand))
                case s.Apply():
                    function = replaced(n.function)
                    return s.Apply(n.span, function, tuple(replaced(a) for a in n.arguments))
                case s.Block() if len(n.statements) == 1:
                    return replaced(n.statements[0])
                case _:
                    return n

        body = replaced(node)
        return s.Function(node.span, tuple(names), body) if names else node

    def closure(self, node: s.Node, scope: Scope) -> Closure | None:
        """The function that an argument is: a lambda, `{_ + _}`, or the name of one."""
        node = self._placeholders(node)
        if isinstance(node, s.Block) and len(node.statements) == 1 and isinstance(node.statements[0], s.Function):
            node = node.statements[0]
        if isinstance(node, s.Function):
            return Closure("function", node.parameters, node.body, scope)
        if isinstance(node, s.Ident):
            found = scope.get(node.name)
            return found if isinstance(found, Closure) else None
        return None

    def call(self, closure: Closure, arguments: list[Value], span: Span) -> Value:
        """A function of the program, inlined."""
        if self.context.calls >= CALL_LIMIT:
            raise SourceError(f"`{closure.name}` calls itself: hardware cannot be recursive", span)
        inner = Scope(closure.scope)
        for i, parameter in enumerate(closure.parameters):
            inner.set(parameter, arguments[i] if i < len(arguments) else Opaque(parameter))
        self.context.calls += 1
        try:
            return self.block(closure.body, inner)
        finally:
            self.context.calls -= 1

    def _select(self, node: s.Select, scope: Scope, name: str | None = None) -> Value:
        if isinstance(node.target, s.Ident) and scope.get(node.target.name) is None:
            return Opaque(f"{node.target.name}.{node.name}")
        target = self.value(node.target, scope, name)
        if isinstance(target, Module):
            found = target.scope.names.get(node.name)
            plain = isinstance(found, Closure) and not found.parameters
            return self.call(found, [], node.span) if plain else found or Opaque(node.name)  # type: ignore[arg-type]
        #  `SRAM[T](n).buffer` is named too
        if node.name == "value":
            return primitives.read(self.context, target, node.span)
        if isinstance(target, TupleOf) and node.name in target.names:
            at = target.names.index(node.name)
            return target.items[at] if at < len(target.items) else Opaque(node.name)
        if isinstance(target, TupleOf) and re.fullmatch(r"_\d+", node.name):
            at = int(node.name[1:]) - 1
            return target.items[at] if at < len(target.items) else Opaque(node.name)
        collected = sequences.method(self, target, node.name, (), scope)
        if collected is not None:
            return collected
        if isinstance(target, Host):
            return memories.property_of(self, target, node, scope)
        target = primitives.read(self.context, target, node.span)
        if isinstance(target, Wire):
            fields = dict(target.element.fields) if isinstance(target.element, Struct) else {}
            if node.name in fields:
                return Wire(self.context.op("field", fields[node.name], (target.op,), span=node.span))
            return target  # .reverse, .as16b and the like move bits around
        return memories.property_of(self, target, node, scope)

    def _infix(self, node: s.Infix, scope: Scope, name: str | None) -> Value:
        if node.operator in PRIORS and isinstance(node.right, s.Parenthesis):
            return declarations.declare(self, node.left, node.right.items, node.operator, node.span, scope, name)
        if node.operator in ("load", "store", "gather", "scatter", "loadAligned", "storeAligned", "alignload"):
            return memories.transfer(self, node, scope)
        if node.operator in ("until", "by", "par", "::", "to"):
            return self._range(node, scope)
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if node.operator in primitives.BINARY or node.operator == "**":
            return primitives.binary(self.context, node.operator, left, right, node.span)
        return self.unmodelled(f"the operator `{node.operator}`", node.span)

    def _range(self, node: s.Infix, scope: Scope) -> Value:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        zero, one = Known(algebra.lift(0)), Known(algebra.lift(1))
        if node.operator in ("until", "::", "to"):
            if isinstance(right, Range):  # a :: step :: b associates to the right
                return Range(left, right.stop, right.start, one, node.span)
            return Range(left, right, one, one, node.span)
        if node.operator == "par" and isinstance(left, MemoryRef) and left.memory.kind not in ("reg", "argin"):
            return ParMemory(left, counters.fixed(self, right, node.right.span, "a par factor"))
        base = left if isinstance(left, Range) else Range(zero, left, one, one, node.span)
        if isinstance(node.left, s.Star):
            base = Range(zero, None, one, one, node.span)
        if node.operator == "by":
            return Range(base.start, base.stop, right, base.par, node.span)
        return Range(base.start, base.stop, base.step, right, node.span)

    def _apply(self, node: s.Apply, scope: Scope, name: str | None) -> Value:
        if any(isinstance(a, s.Infix) and a.operator == "->" for a in node.arguments):
            return declarations.declare(self, node.function, node.arguments, None, node.span, scope, name)
        built = controls.controller(self, node, scope, name)
        if built is not None:
            return built
        made = memories.construct(self, node, scope, name) or self._collection(node, scope)
        if made is not None:
            return made
        function = node.function
        if isinstance(function, s.Ident):
            return self._call_named(function.name, node, scope, name)
        if isinstance(function, s.Typed) and isinstance(function.target, s.Select):
            if function.target.name in ("to", "as", "unchecked"):
                value = self.value(function.target.target, scope)
                if isinstance(value, Host):  # it is still what bound() speaks of
                    return value
                return primitives.convert(self.context, value, self.element(function.types), node.span)
            return memories.method(self, function.target, node, scope)
        if isinstance(function, s.Typed):
            return self.value(s.Apply(node.span, function.target, node.arguments), scope, name)
        if isinstance(function, s.Select):
            return memories.method(self, function, node, scope)
        return self._applied(self.value(function, scope), node, scope, name)

    def _collection(self, node: s.Apply, scope: Scope) -> Value | None:
        """`List.tabulate(n){ … }` and its like."""
        if isinstance(node.function, s.Apply):
            return sequences.make(self, node.function.function, [node.function.arguments, node.arguments], scope)
        return sequences.make(self, node.function, [node.arguments], scope)

    def _call_named(self, called: str, node: s.Apply, scope: Scope, name: str | None) -> Value:
        if called in _SILENT:
            return UNIT
        if called in ("setArg", "setMem") and len(node.arguments) == 2:
            target, given = (self.value(a, scope) for a in node.arguments)
            given = given.host if isinstance(given, MemoryRef) and given.host else given
            if isinstance(target, MemoryRef) and target.host and isinstance(given, (Host, Known)):
                target.host.alias = given if isinstance(given, Host) else Host("value", given.expr)
            return UNIT
        if called in ("loadParam", "define") and len(node.arguments) == 2:  # what a file or a flag may override
            return self.value(_given(node.arguments[1]), scope, name)
        if called in ("Bit", "Bool") and len(node.arguments) == 1:
            return self.value(node.arguments[0], scope)
        if called == "param" and len(node.arguments) == 1:
            return declarations.declare(self, node.arguments[0], (), None, node.span, scope, name)
        if called == "pack":
            return TupleOf(tuple(self.value(a, scope) for a in node.arguments))
        if called in self.context.structs:
            names = tuple(field for field, _ in self.context.structs[called].fields)
            return TupleOf(tuple(self.value(_given(a), scope) for a in node.arguments), names)
        found = scope.get(called)
        if found is not None:
            if isinstance(found, Closure):
                arguments = [self.closure(a, scope) or self.value(a, scope) for a in node.arguments]
                return self.call(found, arguments, node.span)
            return self._applied(found, node, scope, name)
        result = primitives.function(self.context, called, [self.value(a, scope) for a in node.arguments], node.span)
        return result if result is not None else self.unmodelled(f"`{called}(…)`", node.span)

    def _applied(self, target: Value, node: s.Apply, scope: Scope, name: str | None) -> Value:
        if isinstance(target, Known):  # `16 (1, 2, 4)`: an explicit list of values
            return declarations.declare(self, node.function, node.arguments, None, node.span, scope, name)
        if isinstance(target, MemoryRef):
            return memories.access(self, target, node, scope)
        if isinstance(target, TupleOf) and len(node.arguments) == 1:
            at = primitives.constant_of(self.value(node.arguments[0], scope))
            return target.items[at] if isinstance(at, int) and 0 <= at < len(target.items) else Opaque("element")
        if isinstance(target, Closure):
            return self.call(target, [self.value(a, scope) for a in node.arguments], node.span)
        for argument in node.arguments:
            if not isinstance(argument, (s.Block, s.Function)):
                self.value(argument, scope)
        return self.unmodelled("this call", node.span)

    def _comprehension(self, node: s.Comprehension, scope: Scope) -> Value:
        """A Scala `for` over constants runs while the hardware is built: every iteration is hardware."""
        found = re.match(r"for\s*[({]\s*(\w+)\s*<-\s*(\w+)\s+(until|to)\s+(\w+)\s*[)}]", node.generators)
        if not self.context.in_hardware or found is None:
            return self.unmodelled("this `for`", node.span)
        ends = []
        for text in (found.group(2), found.group(4)):
            value: Value | None = Known(algebra.lift(int(text))) if text.isdigit() else scope.get(text)
            ends.append(primitives.constant_of(value) if value is not None else None)
        if not isinstance(ends[0], int) or not isinstance(ends[1], int):
            return self.unmodelled("a `for` with ends unknown here", node.span)
        values = range(ends[0], ends[1] + (found.group(3) == "to"))
        if len(values) > UNROLL_LIMIT:
            return self.unmodelled(f"a `for` of more than {UNROLL_LIMIT} iterations", node.span)
        for i in values:
            inner = Scope(scope)
            inner.set(found.group(1), Known(algebra.lift(i)))
            self.block(node.body, inner)
        return UNIT


def _given(argument: s.Node) -> s.Node:
    """The value of an argument, named or not."""
    return argument.value if isinstance(argument, s.Assign) else argument
