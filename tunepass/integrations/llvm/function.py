"""A function of a module of LLVM, and what it is called with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tunepass.diagnostics import ExpressionError, Source, SourceError, Span, TunepassError, spelling_hint
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr, free_names
from tunepass.expr.parser import parse
from tunepass.integrations.llvm.asking import answer
from tunepass.integrations.llvm.worker import closing
from tunepass.ir.c_kernel import Argument, ArrayArgument, KernelCall, Leaf, ReturnedValue, ScalarArgument
from tunepass.study.outcome import Failed

C_TYPE = {"i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "float": "float", "double": "double"}
NAME = re.compile(r"[A-Za-z_]\w*")
POSITION = re.compile(r"<string>:(\d+):(\d+): (?:error: )?(.*)")
Direction = Literal["in", "out", "inout", "work"]
Number = int | float


@dataclass(frozen=True, slots=True)
class Scalar:
    """An argument that is a number.

    Args:
        value: what the function is called with.

    Example:
        >>> llvm.Scalar(64).value
        64
    """

    value: Number


@dataclass(frozen=True, slots=True)
class Array:
    """A pointer argument.

    Args:
        element: LLVM's type of an element: i8, i16, i32, i64, float or double.
        length: the number of elements, or an expression of the scalars, such as "n * n". With an expression
            results are also compared at other values of its scalars.
        direction: "in" (not changed), "out", "inout", or "work" (zero before a call, not compared).
        lo, hi: the range of its elements, numbers or expressions as `length`; None: [-1, 1], and 0..255 for integers.

    Example:
        >>> llvm.Array("double", "n * n", "in").element
        'double'
    """

    element: str
    length: int | str
    direction: Direction = "inout"
    lo: Number | str | None = None
    hi: Number | str | None = None


@dataclass(frozen=True)
class Function:
    """A function of a module, with the arguments that it is judged with.

    Args:
        source: the module's text, and its name for messages.
        name: of the function, without `@`.
        arguments: by a name of your own each argument, in the function's order.
        link: words for the linker, as `-lm`, objects, libraries.
        relative_tolerance: the difference that results may have; None: as the rounding of the module itself allows.

    Raises:
        SourceError: a module that does not parse or verify, a function that is not there or cannot be called with these
            arguments; with the place in the module.
        TunepassError: llvmlite is not installed.

    Example:
        >>> llvm.Function(tp.Source("scale.ll", text), "scale", {"n": llvm.Scalar(64), "x": llvm.Array("double", "n")})
    """

    source: Source
    name: str
    arguments: Mapping[str, Scalar | Array]
    link: tuple[str, ...] = ()
    relative_tolerance: float | None = None
    described: Description = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "described", described(self.source))
        self._check()

    @cached_property
    def call(self) -> KernelCall:
        """The call as the harness of C kernels knows it. Raises SourceError."""
        return self._call()

    @property
    def span(self) -> Span:
        """The function's name where it is defined."""
        return _definition(self.source, self.name) or self.source.span(0, 0)

    def _check(self) -> None:
        signature = self.described.functions.get(self.name)
        if signature is None:
            hint = spelling_hint(self.name, self.described.functions)
            raise SourceError(f"there is no function @{self.name}", self.source.span(0, 0), hint)
        if signature.declaration:
            raise SourceError(f"@{self.name} is declared here, not defined", self._mention(), "link the modules first")
        if signature.local:
            raise SourceError(f"@{self.name} is internal: no other file can call it", self.span, "remove `internal`")
        if not NAME.fullmatch(self.name):
            raise SourceError(f"@{self.name} is no identifier of C, which calls it", self.span, "rename the function")
        if self.name == "main":
            raise SourceError("@main is a program's entry, and its harness has one", self.span, "rename the function")
        if signature.convention:
            words = f"@{self.name} has the calling convention {signature.convention}: C cannot call it"
            raise SourceError(words, self.span, f"remove `{signature.convention}`, or wrap it in a function of C's")
        if signature.variadic:
            raise SourceError(f"@{self.name} takes any number of arguments", self.span, "wrap it in one that does not")
        if len(signature.arguments) != len(self.arguments):
            words = f"@{self.name} takes {len(signature.arguments)} arguments, {len(self.arguments)} are given"
            raise SourceError(words, self.span, "name each argument in order")
        self.call  # noqa: B018 (raises)
        written = any(isinstance(a, Array) and a.direction in ("out", "inout") for a in self.arguments.values())
        if signature.result == "void" and not written:
            words = f"nothing that @{self.name} leaves can be compared: it returns nothing, and writes no array"
            raise SourceError(words, self.span, 'give a pointer that it writes to as an Array that is "out" or "inout"')

    def _mention(self) -> Span:
        at = re.search(rf'^declare [^\n]*?@"?{re.escape(self.name)}"?\(', self.source.text, re.MULTILINE)
        return self.source.span(at.start(), at.end() - 1) if at else self.source.span(0, 0)

    def _call(self) -> KernelCall:
        signature = self.described.functions[self.name]
        arguments: list[Argument] = []
        words: list[str] = []
        scalars = {name: argument for name, argument in self.arguments.items() if isinstance(argument, Scalar)}
        for number, (name, argument) in enumerate(self.arguments.items()):
            type = signature.arguments[number]
            if not NAME.fullmatch(name):
                raise TunepassError(f"argument {number + 1} of @{self.name}: {name!r} is no identifier")
            if isinstance(argument, Scalar):
                arguments.append(self._scalar(number, name, type, argument))
                words.append(f"{C_TYPE[type]} {name}")
            else:
                arguments.append(self._array(number, name, type, argument, scalars))
                const = "const " if argument.direction == "in" else ""
                words.append(f"{const}{C_TYPE[argument.element]} *{name}")
        lengths = [a.length for a in arguments if isinstance(a, ArrayArgument)]
        result = self._result(signature.result)
        return KernelCall(
            function=self.name,
            prototype=f"{C_TYPE.get(signature.result, 'void')} {self.name}({', '.join(words) or 'void'})",
            arguments=tuple(arguments),
            returned=result,
            relative_tolerance=self.relative_tolerance,
            sizes=None if any(free_names(length) for length in lengths) else (),
        )

    def _scalar(self, number: int, name: str, type: str, argument: Scalar) -> ScalarArgument:
        if type not in C_TYPE:
            raise self._uncallable(number, name, type, "a number")
        if type.startswith("i") and not isinstance(argument.value, int):
            raise self._uncallable(number, name, type, f"the number {argument.value!r}")
        return ScalarArgument(name=name, element=C_TYPE[type], value=lift(argument.value))

    def _array(
        self, number: int, name: str, type: str, argument: Array, scalars: Mapping[str, Scalar]
    ) -> ArrayArgument:
        if type != "ptr" and not type.endswith("*"):
            raise self._uncallable(number, name, type, "an array")
        if argument.element not in C_TYPE:
            known = ", ".join(C_TYPE)
            raise TunepassError(f"{name}: elements are of one of the types {known}, got {argument.element!r}")
        return ArrayArgument(
            name=name,
            element=C_TYPE[argument.element],
            direction=argument.direction,
            length=_expression(f"length of {name}", argument.length, scalars),
            lo=None if argument.lo is None else _expression(f"lo of {name}", argument.lo, scalars),
            hi=None if argument.hi is None else _expression(f"hi of {name}", argument.hi, scalars),
        )

    def _result(self, type: str) -> ReturnedValue | None:
        if type == "void":
            return None
        if type not in C_TYPE:
            raise SourceError(f"@{self.name} returns {type}: C cannot call it", self.span, f"return {_known()} or void")
        return ReturnedValue(leaves=(Leaf("", C_TYPE[type]),))

    def _uncallable(self, number: int, name: str, type: str, given: str) -> SourceError:
        expected = "a pointer: give an Array" if type == "ptr" else f"{type}: give a Scalar"
        hint = f"it is {expected}" if type in (*C_TYPE, "ptr") else f"a function is called with {_known()} and pointers"
        words = f"argument {number + 1} of @{self.name}, `{name}`, is {type}, and {given} is given"
        return SourceError(words, argument_span(self.source, self.name, number) or self.span, hint)


def _expression(title: str, value: Number | str, scalars: Mapping[str, Scalar]) -> Expr:
    """Raises SourceError with the place in the text."""
    if not isinstance(value, str):
        return lift(value)
    types = {known: lift(scalar.value).type for known, scalar in scalars.items()}
    try:
        return parse(value, types, source=Source(f"<{title}>", value))
    except ExpressionError as error:
        raise SourceError(error.diagnostics) from None


@dataclass(frozen=True, slots=True)
class Signature:
    """Types of a function's arguments and of its result."""

    arguments: tuple[str, ...]
    result: str
    variadic: bool
    declaration: bool
    local: bool
    convention: str  # "": that of C


@dataclass(frozen=True, slots=True)
class Description:
    """The functions of a module, and LLVM's version."""

    functions: Mapping[str, Signature]
    llvm: str


def described(source: Source) -> Description:
    """Raises SourceError where LLVM does not take the module, or another machine is to run it."""
    reply = answer("describe", {"text": source.text})
    if isinstance(reply, Failed):
        raise refusal(source, reply.log)
    if "refused" in reply:
        raise refusal(source, reply["refused"])
    host, target = reply["host"].split("-")[0], reply["triple"].split("-")[0]
    if target and target != host:
        at = source.text.find("target triple")
        raise SourceError(
            f"the module is for {target}, this machine is {host}", source.span(at, at + 13), f"compile it for {host}"
        )
    functions = {
        name: Signature(
            tuple(known["arguments"]),
            known["type"].partition(" (")[0],
            known["type"].endswith("...)"),
            known["declaration"],
            known["local"],
            known["convention"],
        )
        for name, known in reply["functions"].items()
    }
    return Description(functions, reply["llvm"])


def refusal(source: Source, log: str) -> SourceError:
    """LLVM's words with their place: its line and column, or the instruction that it prints."""
    kind, _, words = log.partition(": ")
    lines = [line for line in words.splitlines() if line.strip()] or [log]
    if position := POSITION.search(words):
        line, column = int(position[1]), int(position[2])
        begin = sum(len(text) + 1 for text in source.text.split("\n")[: line - 1])
        text = source.text[begin:].split("\n", 1)[0]
        token = re.match(r"[\w%@.*]+", text[column - 1 :])
        span = source.span(begin + column - 1, begin + column - 1 + (token.end() if token else 1))
        return SourceError(
            f"LLVM does not read the module: {position[3]}", span, "llvmlite parses the IR of its own LLVM"
        )
    if kind == "verify":
        return SourceError(f"the module does not verify: {lines[0].strip()}", _printed(source, lines[1:]), _rest(lines))
    return SourceError(f"LLVM does not take the module: {lines[0].strip()}", source.span(0, 0), _rest(lines))


def _rest(lines: list[str]) -> str | None:
    return "\n".join(line.strip() for line in lines[1:4]) or None


def _printed(source: Source, lines: list[str]) -> Span:
    """The place of the first instruction among the lines that LLVM printed; types of pointers are written otherwise."""
    for line in lines:
        text = line.strip()
        at = source.text.find(text)
        if at < 0 and (name := re.match(r"%[\w.]+ = \w+", text)):
            at, text = source.text.find(name[0]), name[0]
        if text and at >= 0:
            return source.span(at, at + len(text))
    return source.span(0, 0)


def _definition(source: Source, name: str) -> Span | None:
    header = re.search(rf'^define [^\n]*?(@"?{re.escape(name)}"?)\(', source.text, re.MULTILINE)
    return source.span(*header.span(1)) if header else None


def argument_span(source: Source, name: str, number: int) -> Span | None:
    """The place of an argument in the function's definition."""
    at = _definition(source, name)
    if at is None:
        return None
    text, start, depth, seen = source.text, at.end + 1, 0, 0
    end = closing(text, at.end)
    for place in range(start, end + 1):
        letter = text[place]
        if place == end or (letter == "," and depth == 0):
            if seen == number:
                stripped = text[start:place]
                start += len(stripped) - len(stripped.lstrip())
                return source.span(start, place)
            seen, start = seen + 1, place + 1
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(letter, 0)
    return None


def _known() -> str:
    return ", ".join(C_TYPE)
