"""The text of an ONNX model: what diagnostics point to and results depend on. It is written from a file, and read.

    opset 17
    input data: float32[N, 3, 224, 224]
    weight conv1.weight: float32[64, 3, 7, 7]
    constant target: int64[2] = [0, -1]
    conv1: y = Conv(data, conv1.weight, kernel_shape=[7, 7], strides=[2, 2])
    output y

An operator's name stands before it where it is not that of its output. Names that hold other characters than these are
in double quotes; `""` is an input that is left out, `?` a size that is not known.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import NoReturn

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.onnx.model import (
    DEFAULT_DOMAINS,
    Dim,
    Given,
    Number,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
)

LENGTH_LIMIT = 1 << 26  # characters
BARE = r"[\w./:+\-#]*[\w./+\-#]"
TOKEN = re.compile(rf'\s*(?:(?P<quoted>"(?:\\.|[^"\\])*")|(?P<word>{BARE})|(?P<mark>[=()\[\],:?])|(?P<other>\S))')
WORDS = ("opset", "input", "output", "weight", "constant")
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def written(model: OnnxModel) -> str:
    """The text of a model."""
    lines = [f"opset {model.opset}"]
    lines += [f"input {_typed(value)}" for value in model.inputs]
    for tensor in model.tensors:
        numbers = "" if tensor.numbers is None else f" = {_given(tensor.numbers)}"
        sizes = ", ".join(map(str, tensor.dims))
        word = "weight" if tensor.weight else "constant"
        lines.append(f"{word} {_name(tensor.name)}: {tensor.element or '?'}[{sizes}]{numbers}")
    lines += map(_node, model.nodes)
    lines += [f"output {_typed(value)}" for value in model.outputs]
    return "\n".join(lines) + "\n"


def _node(node: OnnxNode) -> str:
    outputs = ", ".join(map(_name, node.outputs))
    head = f"{_name(node.name)}: " if node.name and (node.name,) != node.outputs[:1] else ""
    operator = node.operator if node.domain in DEFAULT_DOMAINS else f"{node.domain}.{node.operator}"
    arguments = [*map(_name, node.inputs), *(f"{_name(k)}={_given(v)}" for k, v in node.attributes.items())]
    return f"{head}{outputs} = {_name(operator)}({', '.join(arguments)})"


def _typed(value: OnnxValue) -> str:
    sizes = "" if value.dims is None else f"[{', '.join(map(_dim, value.dims))}]"
    return f"{_name(value.name)}: {value.element or '?'}{sizes}"


def _dim(size: Dim) -> str:
    return "?" if size is None else str(size) if isinstance(size, int) else _name(size)


def _name(name: str) -> str:
    plain = re.fullmatch(BARE, name, re.ASCII) and not name.isdigit()
    return name if plain else json.dumps(name)


def _given(value: Given) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_given(item) for item in value)}]"
    return json.dumps(value) if isinstance(value, str) else str(value)


def read(source: Source) -> OnnxModel:
    """The model of a text. SourceError, at the place, for a line that is none of these."""
    if len(source.text) > LENGTH_LIMIT:
        raise SourceError(f"{source.name} is too large to be a model's text")
    opset = 0
    inputs: list[OnnxValue] = []
    outputs: list[OnnxValue] = []
    tensors: list[OnnxTensor] = []
    nodes: list[OnnxNode] = []
    start = 0
    for text in source.text.splitlines(keepends=True):
        line, start = _Line(source, text, start), start + len(text)
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        word = line.next[1] if line.next[0] == "word" else ""
        if word == "opset" and line.declares():
            line.take()
            opset = line.whole()
        elif word in ("input", "output") and line.declares():
            line.take()
            (inputs if word == "input" else outputs).append(line.value())
        elif word in ("weight", "constant") and line.declares():
            line.take()
            tensors.append(line.tensor(word == "weight"))
        else:
            nodes.append(line.node())
        line.finish()
    if not opset:
        raise SourceError(f"{source.name} is no text of an ONNX model: it begins with `opset`", source.span(0, 1))
    return OnnxModel(opset, tuple(inputs), tuple(outputs), tuple(tensors), tuple(nodes))


class _Line:
    """The tokens of a line."""

    def __init__(self, source: Source, text: str, start: int):
        self.source, self.text, self.start = source, text, start
        self.tokens = self._tokens()
        self.next = next(self.tokens)
        self.first = self.last = self.next

    def _tokens(self) -> Iterator[tuple[str, str, int, int]]:
        for match in TOKEN.finditer(self.text.rstrip()):
            kind = match.lastgroup or "other"
            yield kind, match[kind], self.start + match.start(kind), self.start + match.end()
        end = self.start + len(self.text.rstrip())
        while True:
            yield "end", "", end, end + 1

    def take(self) -> str:
        self.last, self.next = self.next, next(self.tokens)
        return self.last[1]

    def accept(self, mark: str) -> bool:
        if self.next[:2] != ("mark", mark):
            return False
        self.take()
        return True

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            self.fail(f"expected `{mark}`")

    def fail(self, problem: str) -> NoReturn:
        found = f"`{self.next[1]}`" if self.next[0] != "end" else "the end of the line"
        raise SourceError(f"{problem}, found {found}", self.source.span(self.next[2], self.next[3]))

    def finish(self) -> None:
        if self.next[0] != "end":
            self.fail("expected the end of the line")

    def declares(self) -> bool:
        """Whether a name follows: `input` may be the name of a value too."""
        return re.match(rf'\s*\w+\s+(?:{BARE}|")', self.text) is not None

    def name(self) -> str:
        kind, text = self.next[:2]
        if kind == "quoted":
            self.take()
            return self._unquoted(text)
        if kind != "word":
            self.fail("expected a name")
        return self.take()

    def _unquoted(self, text: str) -> str:
        try:
            return str(json.loads(text))
        except ValueError:
            self.fail("this is no text in quotes")

    def whole(self) -> int:
        if self.next[0] != "word" or not re.fullmatch(r"-?\d{1,20}", self.next[1]):
            self.fail("expected a whole number")
        return int(self.take())

    def value(self) -> OnnxValue:
        name, span = self.name(), self.span()
        element = self.element() if self.accept(":") else ""
        return OnnxValue(name, element, self.dims() if self.next[1] == "[" else None, span)

    def element(self) -> str:
        return "" if self.accept("?") else self.name()

    def span(self) -> Span:
        return self.source.span(self.last[2], self.last[3])

    def dims(self) -> tuple[Dim, ...]:
        found: list[Dim] = []
        self.expect("[")
        while not self.accept("]"):
            if self.accept("?"):
                found.append(None)
            elif self.next[0] == "word" and re.fullmatch(r"\d{1,20}", self.next[1]):
                found.append(self.whole())
            else:
                found.append(self.name())
            if self.next[1] != "]":
                self.expect(",")
        return tuple(found)

    def tensor(self, weight: bool) -> OnnxTensor:
        name, span = self.name(), self.span()
        self.expect(":")
        element, sizes = self.element(), self.dims()
        dims = tuple(size for size in sizes if isinstance(size, int))
        if len(dims) < len(sizes):
            self.fail("the sizes of a tensor are numbers")
        numbers: tuple[Number, ...] | None = None
        if self.accept("="):
            given = self.given()
            items = given if isinstance(given, tuple) else (given,)
            numbers = tuple(item for item in items if not isinstance(item, str))
            if len(numbers) != math.prod(dims):
                self.fail(f"expected {math.prod(dims)} numbers")
        return OnnxTensor(name, element, dims, numbers, weight, span)

    def given(self) -> Given:
        if self.accept("["):
            items: list[int | float | str] = []
            while not self.accept("]"):
                item = self.given()
                if isinstance(item, tuple):
                    self.fail("a list holds no lists")
                items.append(item)
                if self.next[1] != "]":
                    self.expect(",")
            return tuple(items)
        if self.next[0] == "quoted":
            return self._unquoted(self.take())
        text = self.next[1] if self.next[0] == "word" else ""
        if re.fullmatch(r"-?\d{1,40}", text):
            return int(self.take())
        if text in SPECIAL or re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d{1,4})?", text):
            self.take()
            return SPECIAL[text] if text in SPECIAL else float(text)
        return self.fail("expected a number, a text in quotes, or a list")

    def node(self) -> OnnxNode:
        names = [self.name()]
        label, span = "", self.span()
        if self.accept(":"):
            label, names = names[0], [self.name()]
        while self.accept(","):
            names.append(self.name())
        self.expect("=")
        operator = self.name()
        span = self.span()
        self.expect("(")
        inputs: list[str] = []
        attributes: dict[str, Given] = {}
        while not self.accept(")"):
            name = self.name()
            if self.accept("="):
                attributes[name] = self.given()
            else:
                inputs.append(name)
            if self.next[1] != ")":
                self.expect(",")
        domain, _, kind = operator.rpartition(".")
        return OnnxNode(label, kind, domain, tuple(inputs), tuple(names), attributes, span)
