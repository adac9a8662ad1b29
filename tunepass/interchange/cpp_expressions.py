"""Values of C++ expressions, as far as they are followed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.syntax import tree
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.interchange import cpp_values as cpp
from tunepass.interchange.cpp_values import Array, Formula, Function, Named, Unknown, Value

UNKNOWN = Named("unknown")
VECTORS = ("vector", "array", "initializer_list")
CHANGED = ("push_back", "emplace_back", "clear")  # methods of a list that are followed
UNCHANGED = ("size", "at", "front", "back", "empty", "data", "begin", "end", "cbegin", "cend", "capacity", "reserve")

Called = Callable[[str, Sequence[Value], Span], Value]


@dataclass(slots=True)
class Expressions(ABC):
    """`names` are the known values; `called` is told of methods' calls and may give them a value."""

    source: Source
    called: Called
    names: dict[str, Value] = field(default_factory=lambda: {"argc": 1})
    constants: set[str] = field(default_factory=set)  # names declared `const`

    @abstractmethod
    def call(self, function: Function, arguments: Sequence[Value], passed: Sequence[tree.Expression] = ()) -> Value:
        """The value that a function returns. Raises Unknown where that is not followed.

        `passed` are the arguments as written: those passed to references have the function's values afterwards.
        """

    def span(self, token: Token) -> Span:
        return self.source.span(token.start, token.end)

    def value(self, e: tree.Expression) -> Value:
        """Raises Unknown, and SourceError where the program is wrong."""
        match e:
            case tree.Name(token):
                return self._name(token.text)
            case tree.Number(token):
                return cpp.number(token.text)
            case tree.Text(token):
                return _string(token.text)
            case tree.Lambda(parameters=parameters, body=body):
                return Function(parameters, lambda: body)
            case tree.Unary(op, operand):
                return self._unary(op.text, operand)
            case tree.Binary("&&" | "||" as mark, left, right):
                return cpp.both(mark, self.value(left), lambda: self.value(right))
            case tree.Binary(mark, left, right):
                return cpp.binary(mark, self.value(left), self.value(right))
            case tree.Conditional(condition, then, other):
                test = cpp.truth(self.value(condition))
                if isinstance(test, bool):
                    return self.value(then if test else other)
                return cpp.chosen(test, self.value(then), self.value(other))
            case tree.Cast(kind, False, operand):
                return cpp.converted(kind, self.value(operand))
            case tree.Index(base, subscript):
                return _element(self.value(base), self.value(subscript))
            case tree.Items(parts):
                return self.items(parts)
            case tree.Assign(op, target, stated):
                return self.assign(target, op, stated)
            case tree.Step(op, target):
                return self.assign(target, f"{op.text[0]}=", tree.Number(Token("number", "1", op.start, op.end)))
            case tree.Call(function, arguments):
                return self._call(function, arguments)
        raise Unknown

    def items(self, parts: Sequence[tree.Expression]) -> tuple[Value, ...]:
        """A part that is not known is Named so."""
        return tuple(self.known(part) for part in parts)

    def known(self, e: tree.Expression) -> Value:
        try:
            return self.value(e)
        except Unknown:
            return UNKNOWN

    def made(self, kind: str, value: tree.Items, braced: bool) -> Value:
        """An object of type `kind`, without scopes, from what stands in brackets behind it."""
        items = self.items(value.parts)
        head, _, element = kind.partition("<")
        if head in VECTORS and len(value.parts) == 1 and isinstance(value.parts[0], tree.Items):
            return items[0]
        if head == "vector" and not braced:
            count = items[0] if items else 0
            if isinstance(count, tuple):
                return count
            return Array(count if isinstance(count, int) else -1, element.removesuffix(">"))
        if head in VECTORS or head == "DimensionVector":
            return items
        if len(items) == 1 and items[0] != UNKNOWN:
            return cpp.converted(kind, items[0])
        raise Unknown

    def assign(self, target: tree.Expression, op: str, stated: tree.Expression) -> Value:
        """The value given to `target`; a target that gets an unknown one is forgotten."""
        name = target.text if isinstance(target, tree.Name) else ""
        try:
            value = self.value(stated)
            if op != "=":
                value = cpp.binary(op[:-1], self.value(target), value)
        except Unknown:
            self.forget(target)
            raise
        if name:
            self.names[name] = value
        elif isinstance(target, tree.Index) and isinstance(target.base, tree.Name):
            self._replace(target.base.text, target.subscript, value)
        return value

    def _replace(self, name: str, subscript: tree.Expression, value: Value) -> None:
        """An element of a list; what an Array holds is not known anyway."""
        current, place = self.names.get(name), self.known(subscript)
        if isinstance(current, tuple):
            self.names.pop(name)
            if isinstance(place, int) and 0 <= place < len(current):
                self.names[name] = (*current[:place], value, *current[place + 1 :])

    def forget(self, target: tree.Expression) -> None:
        """`target` has an unknown value from here on. An Array keeps its length when its elements change."""
        whole = target
        while isinstance(target, tree.Index):
            target = target.base
        if isinstance(target, tree.Name) and (whole is target or not isinstance(self.names.get(target.text), Array)):
            self.names.pop(target.text, None)

    def _name(self, name: str) -> Value:
        if name in ("true", "false"):
            return name == "true"
        if name in self.names:
            return self.names[name]
        if "::" in name:
            return self.names.get(name.rpartition("::")[2], Named(name))
        raise Unknown

    def _unary(self, op: str, operand: tree.Expression) -> Value:
        if op == "!":
            return cpp.negated(self.value(operand))
        if op == "-":
            return cpp.binary("-", 0, self.value(operand))
        if op in ("+", "&", "*"):
            return self.value(operand)
        raise Unknown

    def _call(self, function: tree.Expression, arguments: tuple[tree.Expression, ...]) -> Value:
        match function:
            case tree.Member(base, name):
                return self._method(base, name, arguments)
            case tree.Name(token) if token.text not in self.names:
                return self._standard(token.text, arguments)
            case tree.Number(token):
                raise SourceError("a number is called here", self.span(token))
        called = self.value(function)
        if not isinstance(called, Function):
            raise Unknown
        return self.call(called, self.items(arguments), arguments)

    def _method(self, base: tree.Expression, name: Token, arguments: tuple[tree.Expression, ...]) -> Value:
        receiver = self.known(base)
        if isinstance(receiver, (tuple, Array)):
            return self._of_list(base, receiver, name.text, arguments)
        return self.called(name.text, self.items(arguments), self.span(name))

    def _of_list(
        self,
        base: tree.Expression,
        receiver: tuple[Value, ...] | Array,
        name: str,
        arguments: tuple[tree.Expression, ...],
    ) -> Value:
        if name == "size":
            return len(receiver) if isinstance(receiver, tuple) else receiver.length
        if name == "at" and len(arguments) == 1:
            return _element(receiver, self.value(arguments[0]))
        if name in CHANGED and isinstance(receiver, tuple) and isinstance(base, tree.Name):
            self.names[base.text] = () if name == "clear" else (*receiver, *self.items(arguments))
            return receiver
        if name not in UNCHANGED and not (isinstance(base, tree.Name) and base.text in self.constants):
            self.forget(base)
        raise Unknown

    def _standard(self, name: str, arguments: tuple[tree.Expression, ...]) -> Value:
        """A function of the standard library's, or an object of a type; what is passed by address may change."""
        head = name.partition("<")[0].rpartition("::")[2]
        if head in ("min", "max") and len(arguments) == 2:
            return _least(head, [self.value(a) for a in arguments])
        if head in (*VECTORS, "DimensionVector"):
            inner = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tree.Items) else None
            return self.made(name.removeprefix("ktt::"), inner or tree.Items(arguments), inner is not None)
        if len(arguments) == 1 and (head == "string" or cpp.converted(name, 0.5) != 0.5 or name in cpp.REALS):
            return cpp.converted(name, self.value(arguments[0]))
        for argument in arguments:
            if isinstance(argument, tree.Unary) and argument.op.text == "&":
                self.forget(argument.operand)
        raise Unknown


def _string(text: str) -> str:
    """The characters of a string, its escapes as they are."""
    if text[:1] != '"' or text[-1:] != '"' or len(text) < 2:
        raise Unknown
    return text[1:-1]


def _least(name: str, values: Sequence[Value]) -> Value:
    if all(isinstance(v, (int, float)) for v in values):
        return (min if name == "min" else max)(values)  # type: ignore[type-var]
    return Formula(f"{name}({', '.join(map(cpp.number_text, values))})")


def _element(value: Value, index: Value) -> Value:
    if isinstance(value, tuple) and isinstance(index, int) and 0 <= index < len(value):
        return value[index]
    raise Unknown
