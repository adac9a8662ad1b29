"""Kernel Tuner's Python scripts: what a call of `tune_kernel` is given, read by `ast`; nothing of it is run.

A script is read from its beginning to the call, as if it had no branches and each function's body stood where it is
defined. Numbers, lists, dictionaries, numpy's arrays by length and type, and texts read from files are followed;
whatever else a name stands for is not known, and is an error only where the call needs it.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tunepass.diagnostics import ExpressionError, Source, SourceError, Span, TunepassError
from tunepass.interchange.python_values import PythonValue, value_of
from tunepass.python_text import NOT_PYTHON, module_tree
from tunepass.space.plain_values import is_finite

SIZE_LIMIT = 1 << 20  # characters
ELEMENTS = {
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "unsigned char",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
}
POSITIONS = ("kernel_name", "kernel_source", "problem_size", "arguments", "tune_params", "grid_div_x", "grid_div_y")
SHAPED = ("zeros", "ones", "empty", "randn", "rand", "random", "full", "random_sample")
LIKE = ("zeros_like", "ones_like", "copy", "empty_like", "array", "sort", "asarray", "ascontiguousarray")
DICTIONARIES = ("dict", "OrderedDict")


@dataclass(frozen=True, slots=True)
class Array:
    """An array of numpy; `element` is its type in C."""

    length: int
    element: str = "double"


@dataclass(frozen=True, slots=True)
class Typed:
    """A number with numpy's type."""

    value: PythonValue
    element: str


@dataclass(frozen=True, slots=True)
class File:
    """The text of a file, or the open file."""

    name: str


Known = PythonValue | Array | Typed | File | dict[str, ast.expr] | list[ast.expr]


@dataclass(frozen=True, slots=True)
class TunerCall:
    """`arguments` are None where one of them is not known; `words` are the other arguments of the call, as nodes."""

    function: str
    text: str | None
    file: str | None
    problem: ast.expr
    arguments: tuple[Array | Typed, ...] | None
    parameters: Mapping[str, tuple[PythonValue, ...]]
    words: Mapping[str, ast.expr]
    names: Mapping[str, PythonValue]
    span: Span


def tuner_calls(source: Source) -> tuple[TunerCall, ...]:
    """All calls of `tune_kernel` that can be read, in their order. Raises SourceError for what is no Python, and where
    a call lacks what it needs."""
    if len(source.text) > SIZE_LIMIT:
        raise SourceError(f"{source.name} is larger than such a script can be ({SIZE_LIMIT >> 10} KiB)")
    try:
        tree = module_tree(source.text)
    except NOT_PYTHON as error:
        raise SourceError(f"this is no Python: {error}") from None
    reader = _Script(source)
    reader.read(tree.body)
    return tuple(reader.calls)


@dataclass(slots=True)
class _Script:
    source: Source
    known: dict[str, Known] = field(default_factory=dict)
    calls: list[TunerCall] = field(default_factory=list)

    def read(self, body: list[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.With(items=items, body=inside):
                    for item in items:
                        if isinstance(item.optional_vars, ast.Name):
                            self._assign(item.optional_vars.id, item.context_expr)
                    self.read(inside)
                case ast.FunctionDef(body=inside) | ast.If(body=inside) | ast.Try(body=inside):
                    self.read(inside)
                case ast.For(body=inside):
                    self._find_calls(statement)
                case ast.Assign(targets=[target], value=value):
                    self._find_calls(statement)
                    self._target(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._target(target, value)
                case _:
                    self._find_calls(statement)

    def _target(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self._assign(name, value)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                current = self.known.get(name)
                if isinstance(current, dict):
                    current[key] = self._settled(value)
            case ast.Tuple(elts=targets) if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                for one, part in zip(targets, value.elts):
                    self._target(one, part)

    def _settled(self, value: ast.expr) -> ast.expr:
        """The value as it is now: what it names may be another one later."""
        try:
            return _constant(value_of(value, self.values()))
        except TunepassError:
            return value

    def _assign(self, name: str, value: ast.expr) -> None:
        assigned = self._read(value)
        if assigned is None:
            self.known.pop(name, None)
        else:
            self.known[name] = assigned

    def values(self) -> dict[str, PythonValue]:
        """What is a plain value, types of numbers left aside."""
        plain: dict[str, PythonValue] = {}
        for name, known in self.known.items():
            value = known.value if isinstance(known, Typed) else known
            if isinstance(value, (bool, int, float, str, tuple)):
                plain[name] = value
        return plain

    def _read(self, node: ast.expr) -> Known:
        match node:
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Dict(keys=keys, values=values):
                return {str(k.value): v for k, v in zip(keys, values) if isinstance(k, ast.Constant)}
            case ast.Call(func=function, args=[*arguments], keywords=keywords):
                returned = self._called(_last(function), function, arguments, {k.arg or "": k.value for k in keywords})
                if returned is not None:
                    return returned
            case ast.BinOp(left=left, right=right):
                arrays = [known for known in map(self._read, (left, right)) if isinstance(known, Array)]
                if arrays:
                    return max(arrays, key=lambda array: array.length)
            case ast.List(elts=items) if any(isinstance(self._read(item), (Array, Typed)) for item in items):
                return list(items)
        try:
            return value_of(_Looked(self.known).visit(copy.deepcopy(node)), self.values())
        except TunepassError:
            return list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else None

    def _called(self, name: str, function: ast.expr, arguments: list[ast.expr], words: Mapping[str, ast.expr]) -> Known:
        """What a call of numpy, of a dictionary's type or of a file gives, as far as it is followed."""
        receiver = self._read(function.value) if isinstance(function, ast.Attribute) else None
        if name in DICTIONARIES:
            inner = self._read(arguments[0]) if arguments else {}
            return dict(inner) if isinstance(inner, dict) else {k: v for k, v in words.items() if k}
        if name == "open" and arguments and isinstance(file := self._read(arguments[0]), str):
            return File(file)
        if name == "read" and isinstance(receiver, File):
            return receiver
        if name in ELEMENTS and len(arguments) == 1:
            inner = self._read(arguments[0])
            return Typed(inner, ELEMENTS[name]) if isinstance(inner, (bool, int, float)) else None
        if name == "astype" and isinstance(receiver, Array) and arguments:
            return Array(receiver.length, ELEMENTS.get(_last(arguments[0]), receiver.element))
        if name in SHAPED:
            shape = arguments if name in ("randn", "rand") else [*arguments, words.get("shape", ast.Constant(1))][:1]
            length = math.prod(self._extent(extent) for extent in shape)
            return self._typed(Array(length), [*arguments[1:], *words.values()]) if length > 0 else None
        if name in LIKE and arguments and isinstance(inner := self._read(arguments[0]), (Array, tuple)):
            array = inner if isinstance(inner, Array) else Array(len(inner))
            return self._typed(array, [*arguments[1:], *words.values()])
        if isinstance(receiver, Array) and name in ("ravel", "flatten", "copy", "reshape", "transpose"):
            return receiver
        return None

    def _typed(self, array: Array, words: list[ast.expr]) -> Array:
        named = [ELEMENTS[_last(word)] for word in words if _last(word) in ELEMENTS]
        return Array(array.length, named[0]) if named else array

    def _extent(self, node: ast.expr) -> int:
        value = self._read(node.value if isinstance(node, ast.Starred) else node)
        value = value.value if isinstance(value, Typed) else value
        parts = value if isinstance(value, tuple) else (value,)
        numbers = [part for part in parts if isinstance(part, (int, float))]
        if not all(map(is_finite, numbers)) or (numbers == [] and parts is not value):
            return -1
        return math.prod(map(int, numbers))

    def _find_calls(self, statement: ast.stmt) -> None:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _last(node.func) == "tune_kernel":
                self.calls.append(self._call(node))

    def _call(self, node: ast.Call) -> TunerCall:
        words = dict(zip(POSITIONS, node.args)) | {k.arg: k.value for k in node.keywords if k.arg}
        span = self._span(node)
        missing = next((word for word in POSITIONS[:5] if word not in words), None)
        if missing is not None:
            raise SourceError(f"this call of tune_kernel has no `{missing}`", span)
        function = self._read(words["kernel_name"])
        if not isinstance(function, str):
            raise SourceError("which function is tuned cannot be read", self._span(words["kernel_name"]))
        text = self._read(words["kernel_source"])
        file = text.name if isinstance(text, File) else None
        if isinstance(text, str) and "\n" not in text.strip() and "(" not in text:
            file, text = text, None
        return TunerCall(
            function=function,
            text=text if isinstance(text, str) else None,
            file=file,
            problem=words["problem_size"],
            arguments=self._arguments(words["arguments"]),
            parameters=self._parameters(words["tune_params"]),
            words={name: self._resolved(value) for name, value in words.items() if name not in POSITIONS[:5]},
            names=self.values(),
            span=span,
        )

    def _resolved(self, node: ast.expr) -> ast.expr:
        """A list or a text that a name stands for."""
        resolved = self._read(node)
        if isinstance(resolved, list):
            return ast.List(elts=resolved, ctx=ast.Load())
        return _constant(resolved) if isinstance(resolved, (str, tuple, int, float)) else node

    def _arguments(self, node: ast.expr) -> tuple[Array | Typed, ...] | None:
        listed = self._read(node)
        items = listed if isinstance(listed, list) else []
        values = [self._read(item) for item in items]
        known = tuple(value for value in values if isinstance(value, (Array, Typed)))
        return known if known and len(known) == len(values) else None

    def _parameters(self, node: ast.expr) -> dict[str, tuple[PythonValue, ...]]:
        mapping = self._read(node)
        if not isinstance(mapping, dict) or not mapping:
            raise SourceError("the tunable parameters of this call cannot be read", self._span(node))
        parameters: dict[str, tuple[PythonValue, ...]] = {}
        for name, values in mapping.items():
            try:
                read = value_of(_Looked(self.known).visit(copy.deepcopy(values)), self.values())
            except ExpressionError as error:
                raise SourceError(
                    f"the values of `{name}` cannot be read: {_error_text(error)}", self._span(node)
                ) from None
            if not isinstance(read, tuple) or not read:
                raise SourceError(f"the values of `{name}` are a list", self._span(node))
            parameters[name] = read
        return parameters

    def _span(self, node: ast.expr) -> Span:
        if not hasattr(node, "lineno"):
            return self.source.span(0, 0)
        lines = self.source.text.splitlines(keepends=True)
        start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        return Span(self.source, start, start + 1)


class _Looked(ast.NodeTransformer):
    """`tune_params["block_size_x"]` is what the dictionary has."""

    def __init__(self, known: Mapping[str, Known]):
        self.known = known

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                current = self.known.get(name)
                if isinstance(current, dict) and key in current:
                    return current[key]
        return node


def _last(node: ast.expr) -> str:
    """`numpy.random.randn` is `randn`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name
    return ""


def _error_text(error: TunepassError) -> str:
    return str(error).splitlines()[0].removeprefix("error: ")


def _constant(value: PythonValue) -> ast.expr:
    if isinstance(value, tuple):
        return ast.Tuple(elts=[_constant(part) for part in value], ctx=ast.Load())
    return ast.Constant(value=value)


def texts_of(node: ast.expr | None, item: Callable[[ast.expr], str | None]) -> Iterator[str | None]:
    """Of each item of a list, or of the one that stands for a list."""
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [] if node is None else [node]
    yield from map(item, items)
