"""What is read of an ONNX file: operators applied to named values, the types of what goes in, and the small constants
that shapes may depend on. Weights are known by their sizes alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import Span

Number = int | float
Dim = int | str | None
"""A size: known, by name, or neither."""
Given = int | float | str | tuple[int | float | str, ...]
"""What an attribute is."""

DEFAULT_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """An input or an output. `dims` None: not even how many sizes it has is known."""

    name: str
    element: str = ""
    dims: tuple[Dim, ...] | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OnnxTensor:
    """An initializer (`weight`), or a constant. `numbers` are there of small ones, in C order."""

    name: str
    element: str
    dims: tuple[int, ...]
    numbers: tuple[Number, ...] | None = None
    weight: bool = True
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """An operator of a domain applied; an input or output that is left out is called ``""``."""

    name: str
    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Given] = field(default_factory=dict)
    span: Span | None = field(default=None, compare=False)

    @property
    def called(self) -> str:
        """What people may call it: its name, or that of its first output."""
        return self.name or next((name for name in self.outputs if name), self.operator)


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """`opset` is the version of the operators of ONNX itself."""

    opset: int
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    tensors: tuple[OnnxTensor, ...]
    nodes: tuple[OnnxNode, ...]


def constant_of(node: OnnxNode, tensor: OnnxTensor | None = None) -> OnnxTensor:
    """What a node of constants makes."""
    name = node.outputs[0]
    if tensor is not None:
        return replace(tensor, name=name, weight=False)
    value = next(iter(node.attributes.values()), 0)
    several = isinstance(value, tuple)
    items = value if isinstance(value, tuple) else (value,)
    numbers = tuple(item for item in items if not isinstance(item, str))
    element = "string" if len(numbers) < len(items) else _element(numbers, next(iter(node.attributes), ""))
    dims = (len(items),) if several else ()
    return OnnxTensor(name, element, dims, numbers if element != "string" else None, weight=False)


def _element(numbers: tuple[Number, ...], attribute: str) -> str:
    real = any(isinstance(number, float) for number in numbers) or attribute == "value_floats"
    return "float32" if real else "int64"
