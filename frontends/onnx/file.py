"""ONNX files: the messages of onnx.proto that say what a model is made of. Data of weights is passed over, here and in
files beside; nothing beside is opened.

Numbers of fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from tunepass.diagnostics import SourceError
from tunepass.files import note_read, open_regular, shown
from tunepass.frontends.onnx.functions import FunctionText, inlined
from tunepass.frontends.onnx.model import (
    DEFAULT_DOMAINS,
    Dim,
    Given,
    Number,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
    constant_of,
)
from tunepass.frontends.onnx.wire import Budget, Field, Message

FILE_LIMIT = 1 << 36  # bytes; weights are passed over
DIM_LIMIT = 1 << 40
RANK_LIMIT = 64
NAME_LIMIT = 1_000  # characters
NODE_LIMIT = 200_000
KNOWN_LIMIT = 1_024  # elements of a constant whose numbers are read
FEW = 16  # of one of other numbers than shapes are made of: factors of a resize
SHAPES = ("int64", "int32", "bool")
INDEX_VERSION = 13
ELEMENTS = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
    17: "float8", 18: "float8", 19: "float8", 20: "float8", 21: "uint4", 22: "int4", 23: "float4", 24: "float8",
    25: "uint2", 26: "int2",
}  # fmt: skip
REALS = ("float16", "float32", "float64")
RAW = {
    "float32": "f",
    "float64": "d",
    "float16": "e",
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
}


def read_model(path: str | Path) -> OnnxModel:
    """The model of a file. SourceError for what cannot be read and for what is none."""
    note_read(path)
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            if size == 0:
                raise SourceError(f"{shown(path)} is no ONNX model: it is empty")
            if size > FILE_LIMIT:
                raise SourceError(f"{shown(path)} is larger than a model can be ({FILE_LIMIT >> 30} GiB)")
            with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
                return decoded(str(path), view)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        raise SourceError(f"cannot read {shown(path)}: {getattr(problem, 'strerror', None) or problem}") from None


def decoded(name: str, data: memoryview) -> OnnxModel:
    """The model of a file's bytes."""
    message = Message(name, data, 0, len(data), Budget())
    opsets: dict[str, int] = {}
    graph: Message | None = None
    functions: list[FunctionText] = []
    for number, item in message.fields():
        if number == 7:
            graph = item.inner()
        elif number == 8:
            opsets |= _opset(item.inner())
        elif number == 25:
            functions.append(_function(item.inner()))
    if graph is None:
        raise message.error("it holds no graph", len(data))
    opset = max((opsets[domain] for domain in DEFAULT_DOMAINS if domain in opsets), default=0)
    if opset == 0 and opsets:
        opset = INDEX_VERSION
    if opset == 0:
        raise message.error("it does not say which version of the operators it is written in", len(data))
    read = _Graph()
    read.read(graph)
    model = read.model(opset)
    return inlined(model, functions) if functions else model


def _opset(message: Message) -> dict[str, int]:
    domain, version = "", 0
    for number, item in message.fields():
        if number == 1:
            domain = _name(item)
        elif number == 2:
            version = item.integer()
    return {domain: version}


def _name(item: Field) -> str:
    if len(item) > NAME_LIMIT:
        raise item.message.error(f"a name of {len(item):,} bytes is too long", item.start)
    return item.text()


@dataclass
class _Graph:
    """A graph under reading."""

    inputs: list[OnnxValue] = field(default_factory=list)
    outputs: list[OnnxValue] = field(default_factory=list)
    tensors: list[OnnxTensor] = field(default_factory=list)
    nodes: list[OnnxNode] = field(default_factory=list)

    def read(self, message: Message) -> None:
        for number, item in message.fields():
            if number == 1:
                self.node(item.inner())
            elif number == 5:
                self.tensors.append(_tensor(item.inner()))
            elif number == 11:
                self.inputs.append(_value(item.inner()))
            elif number == 12:
                self.outputs.append(_value(item.inner()))
            elif number == 15:
                self.tensors.append(_sparse(item.inner()))
            if len(self.nodes) > NODE_LIMIT:
                raise message.error(f"it has more than {NODE_LIMIT:,} operators", item.start)

    def node(self, message: Message) -> None:
        made = _node(message)
        constant = next((tensor for tensor in made.tensors.values()), None)
        if made.node.operator == "Constant" and made.node.domain in DEFAULT_DOMAINS and made.node.outputs:
            self.tensors.append(constant_of(made.node, constant))
        else:
            self.nodes.append(made.node)

    def model(self, opset: int) -> OnnxModel:
        weights = {tensor.name for tensor in self.tensors}
        inputs = tuple(value for value in self.inputs if value.name not in weights)  # older files list weights there
        return OnnxModel(opset, inputs, tuple(self.outputs), tuple(self.tensors), tuple(self.nodes))


@dataclass
class NodeText:
    """A node as it stands, with the tensors among its attributes."""

    node: OnnxNode
    tensors: dict[str, OnnxTensor] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)


def _node(message: Message) -> NodeText:
    inputs: list[str] = []
    outputs: list[str] = []
    words = {3: "", 4: "", 7: ""}
    attributes: dict[str, Given] = {}
    tensors: dict[str, OnnxTensor] = {}
    references: dict[str, str] = {}
    for number, item in message.fields():
        if number == 1:
            inputs.append(_name(item))
        elif number == 2:
            outputs.append(_name(item))
        elif number in words:
            words[number] = _name(item)
        elif number == 5:
            read = _attribute(item.inner())
            if read.reference:
                references[read.name] = read.reference
            elif read.tensor is not None:
                tensors[read.name] = read.tensor
            elif read.value is not None:
                attributes[read.name] = read.value
    if not words[4]:
        raise message.error("an operator has no type", message.start)
    for name, tensor in tensors.items():
        if tensor.numbers is not None and tensor.numbers:
            attributes[name] = tensor.numbers[0] if len(tensor.numbers) == 1 else tensor.numbers
    node = OnnxNode(words[3], words[4], words[7], tuple(inputs), tuple(outputs), attributes)
    return NodeText(node, tensors, references)


@dataclass
class _Attribute:
    name: str = ""
    value: Given | None = None
    tensor: OnnxTensor | None = None
    reference: str = ""


def _attribute(message: Message) -> _Attribute:
    """A number, a word, a tensor, or a list; graphs are passed over: whoever has one is told of as an operator."""
    made = _Attribute()
    kind = 0
    several: list[int | float | str] = []
    for number, item in message.fields():
        if number == 1:
            made.name = _name(item)
        elif number == 2:
            made.value = item.real()
        elif number == 3:
            made.value = item.integer()
        elif number == 4:
            made.value = item.text() if len(item) <= NAME_LIMIT else ""
        elif number == 5:
            made.tensor = _tensor(item.inner())
        elif number == 7:
            several += item.reals()
        elif number == 8:
            several += item.integers()
        elif number == 9:
            several.append(item.text() if len(item) <= NAME_LIMIT else "")
        elif number == 20:
            kind = item.integer()
        elif number == 21:
            made.reference = _name(item)
        elif number == 22:
            made.tensor = _sparse(item.inner())
    if several or kind in (6, 7, 8):
        made.value = tuple(several)
    if made.value is None and made.tensor is None:
        zeros: dict[int, Given] = {1: 0.0, 2: 0, 3: ""}
        made.value = zeros.get(kind)  # a zero may be left out
    return made


def _value(message: Message) -> OnnxValue:
    name, element, dims = "", "", None
    for number, item in message.fields():
        if number == 1:
            name = _name(item)
        elif number == 2:
            for kind, part in item.inner().fields():
                if kind == 1:
                    element, dims = _tensor_type(part.inner())
    return OnnxValue(name, element, dims)


def _tensor_type(message: Message) -> tuple[str, tuple[Dim, ...] | None]:
    element, dims = "", None
    for number, item in message.fields():
        if number == 1:
            element = ELEMENTS.get(item.integer(), "")
        elif number == 2:
            dims = tuple(_dim(part.inner()) for kind, part in item.inner().fields() if kind == 1)
            if len(dims) > RANK_LIMIT:
                raise message.error(f"a tensor has {len(dims)} sizes", item.start)
    return element, dims


def _dim(message: Message) -> Dim:
    found: Dim = None
    for number, item in message.fields():
        if number == 1:
            found = _size(item)
        elif number == 2:
            found = _name(item) or None
    return None if found == -1 else found


def _size(item: Field) -> int:
    size = item.integer()
    if not -1 <= size <= DIM_LIMIT:
        raise item.message.error(f"a size of {size:,} is out of bounds", item.start)
    return size


def _sizes(item: Field) -> list[int]:
    sizes = item.integers()
    if any(not 0 <= size <= DIM_LIMIT for size in sizes):
        raise item.message.error("a size is out of bounds", item.start)
    return sizes


def _tensor(message: Message) -> OnnxTensor:
    """Its sizes, and of a small one its numbers."""
    dims: list[int] = []
    name, kind, elsewhere = "", 0, False
    data: list[tuple[int, Field]] = []
    for number, item in message.fields():
        if number == 1:
            dims += _sizes(item)
            if len(dims) > RANK_LIMIT:
                raise message.error("a tensor has too many sizes", item.start)
        elif number == 2:
            kind = item.integer()
        elif number == 8:
            name = _name(item)
        elif number == 14:
            elsewhere = item.integer() == 1
        elif number in (4, 5, 7, 9, 10, 11) and len(data) <= KNOWN_LIMIT:
            data.append((number, item))
    element = ELEMENTS.get(kind, "")
    count = prod(dims)
    numbers = None
    most = KNOWN_LIMIT if element in SHAPES else FEW
    if count <= most and element in RAW and not elsewhere:
        numbers = tuple(_numbers(message, element, count, data))
    return OnnxTensor(name, element, tuple(dims), numbers)


def _numbers(message: Message, element: str, count: int, data: list[tuple[int, Field]]) -> Iterator[Number]:
    found: list[Number] = []
    for number, item in data:
        if number == 9:
            code = RAW[element]
            if len(item) != count * struct.calcsize(code):
                raise message.error(f"{count} numbers of the type {element} are not {len(item)} bytes", item.start)
            found += struct.unpack(f"<{count}{code}", item.data())
        elif number in (4, 10):
            found += item.reals(4 if number == 4 else 8)
        elif element == "float16":  # the bits of each, as a whole number
            found += (struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0] for bits in item.integers())
        else:
            found += item.integers()
    if len(found) != count:
        raise message.error(f"a tensor of {count} numbers holds {len(found)}", message.start)
    whole = element not in REALS
    yield from (int(value) if whole else float(value) for value in found)


def _sparse(message: Message) -> OnnxTensor:
    values = OnnxTensor("", "float32", ())
    dims: list[int] = []
    for number, item in message.fields():
        if number == 1:
            values = _tensor(item.inner())
        elif number == 3:
            dims += _sizes(item)
    return OnnxTensor(values.name, values.element, tuple(dims))


def _function(message: Message) -> FunctionText:
    made: dict[int, list[str]] = {1: [], 4: [], 5: [], 6: [], 10: []}
    nodes: list[NodeText] = []
    defaults: dict[str, Given] = {}
    for number, item in message.fields():
        if number in made:
            made[number].append(_name(item))
        elif number == 7:
            nodes.append(_node(item.inner()))
        elif number == 11:
            read = _attribute(item.inner())
            if read.value is not None:
                defaults[read.name] = read.value
    names = {key: "".join(made[key][-1:]) for key in (1, 10)}
    inner = tuple((text.node, text.references, _inner_constant(text)) for text in nodes)
    return FunctionText(names[10], names[1], tuple(made[4]), tuple(made[5]), inner, defaults)


def _inner_constant(text: NodeText) -> OnnxTensor | None:
    if text.node.operator != "Constant" or not text.node.outputs:
        return None
    return constant_of(text.node, next(iter(text.tensors.values()), None))
