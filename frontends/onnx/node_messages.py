"""Operators in ONNX files, and their attributes (`NodeProto`, `AttributeProto`).

Numbers of fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.frontends.onnx.model import Given, OnnxNode, OnnxTensor, constant_of
from tunepass.frontends.onnx.tensor_messages import NAME_LIMIT, read_name, read_sparse, read_tensor
from tunepass.frontends.onnx.wire import Message


@dataclass
class NodeText:
    """A node as it stands, with the tensors among its attributes."""

    node: OnnxNode
    tensors: dict[str, OnnxTensor] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)


def read_node(message: Message) -> NodeText:
    inputs: list[str] = []
    outputs: list[str] = []
    words = {3: "", 4: "", 7: ""}
    attributes: dict[str, Given] = {}
    tensors: dict[str, OnnxTensor] = {}
    references: dict[str, str] = {}
    for number, item in message.fields():
        if number == 1:
            inputs.append(read_name(item))
        elif number == 2:
            outputs.append(read_name(item))
        elif number in words:
            words[number] = read_name(item)
        elif number == 5:
            read = read_attribute(item.inner())
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
class AttributeText:
    name: str = ""
    value: Given | None = None
    tensor: OnnxTensor | None = None
    reference: str = ""


def read_attribute(message: Message) -> AttributeText:
    """A number, a word, a tensor, or a list; graphs are passed over: whoever has one is told of as an operator."""
    made = AttributeText()
    kind = 0
    several: list[int | float | str] = []
    for number, item in message.fields():
        if number == 1:
            made.name = read_name(item)
        elif number == 2:
            made.value = item.real()
        elif number == 3:
            made.value = item.integer()
        elif number == 4:
            made.value = item.text() if len(item) <= NAME_LIMIT else ""
        elif number == 5:
            made.tensor = read_tensor(item.inner())
        elif number == 7:
            several += item.reals()
        elif number == 8:
            several += item.integers()
        elif number == 9:
            several.append(item.text() if len(item) <= NAME_LIMIT else "")
        elif number == 20:
            kind = item.integer()
        elif number == 21:
            made.reference = read_name(item)
        elif number == 22:
            made.tensor = read_sparse(item.inner())
    if several or kind in (6, 7, 8):
        made.value = tuple(several)
    if made.value is None and made.tensor is None:
        zeros: dict[int, Given] = {1: 0.0, 2: 0, 3: ""}
        made.value = zeros.get(kind)  # a zero may be left out
    return made


def inner_constant(text: NodeText) -> OnnxTensor | None:
    if text.node.operator != "Constant" or not text.node.outputs:
        return None
    return constant_of(text.node, next(iter(text.tensors.values()), None))
