"""ONNX files: the messages of onnx.proto that say what a model is made of. Data of weights is passed over, here and in
files beside; nothing beside is opened.

Numbers of fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.diagnostics import SourceError
from tunepass.files import cannot_read, note_read, open_regular, shown
from tunepass.frontends.onnx.functions import FunctionText, inlined
from tunepass.frontends.onnx.model import (
    DEFAULT_DOMAINS,
    Given,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
    constant_of,
)
from tunepass.frontends.onnx.node_messages import NodeText, inner_constant, read_attribute, read_node
from tunepass.frontends.onnx.tensor_messages import read_name, read_sparse, read_tensor, read_value
from tunepass.frontends.onnx.wire import FieldBudget, Message

FILE_LIMIT = 1 << 36  # bytes; weights are passed over
NODE_LIMIT = 200_000
INDEX_VERSION = 13


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
    except (OSError, ValueError) as problem:
        raise cannot_read(path, problem, SourceError) from None


def decoded(name: str, data: memoryview) -> OnnxModel:
    """The model of a file's bytes."""
    message = Message(name, data, 0, len(data), FieldBudget())
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
            domain = read_name(item)
        elif number == 2:
            version = item.integer()
    return {domain: version}


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
                self.tensors.append(read_tensor(item.inner()))
            elif number == 11:
                self.inputs.append(read_value(item.inner()))
            elif number == 12:
                self.outputs.append(read_value(item.inner()))
            elif number == 15:
                self.tensors.append(read_sparse(item.inner()))
            if len(self.nodes) > NODE_LIMIT:
                raise message.error(f"it has more than {NODE_LIMIT:,} operators", item.start)

    def node(self, message: Message) -> None:
        made = read_node(message)
        constant = next((tensor for tensor in made.tensors.values()), None)
        if made.node.operator == "Constant" and made.node.domain in DEFAULT_DOMAINS and made.node.outputs:
            self.tensors.append(constant_of(made.node, constant))
        else:
            self.nodes.append(made.node)

    def model(self, opset: int) -> OnnxModel:
        weights = {tensor.name for tensor in self.tensors}
        inputs = tuple(value for value in self.inputs if value.name not in weights)  # older files list weights there
        return OnnxModel(opset, inputs, tuple(self.outputs), tuple(self.tensors), tuple(self.nodes))


def _function(message: Message) -> FunctionText:
    made: dict[int, list[str]] = {1: [], 4: [], 5: [], 6: [], 10: []}
    nodes: list[NodeText] = []
    defaults: dict[str, Given] = {}
    for number, item in message.fields():
        if number in made:
            made[number].append(read_name(item))
        elif number == 7:
            nodes.append(read_node(item.inner()))
        elif number == 11:
            read = read_attribute(item.inner())
            if read.value is not None:
                defaults[read.name] = read.value
    names = {key: "".join(made[key][-1:]) for key in (1, 10)}
    inner = tuple((text.node, text.references, inner_constant(text)) for text in nodes)
    return FunctionText(names[10], names[1], tuple(made[4]), tuple(made[5]), inner, defaults)
