"""Tensors in ONNX files: their types, sizes and names, and of small ones the numbers (`TensorProto`, `ValueInfoProto`).

Numbers of fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import prod

from tunepass.frontends.onnx.model import Dim, Number, OnnxTensor, OnnxValue
from tunepass.frontends.onnx.wire import Field, Message

DIM_LIMIT = 1 << 40


RANK_LIMIT = 64


NAME_LIMIT = 1_000  # characters


KNOWN_LIMIT = 1_024  # elements of a constant whose numbers are read


FEW = 16  # of one of other numbers than shapes are made of: factors of a resize


SHAPES = ("int64", "int32", "bool")


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


def read_name(item: Field) -> str:
    if len(item) > NAME_LIMIT:
        raise item.message.error(f"a name of {len(item):,} bytes is too long", item.start)
    return item.text()


def read_value(message: Message) -> OnnxValue:
    name, element, dims = "", "", None
    for number, item in message.fields():
        if number == 1:
            name = read_name(item)
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
            found = read_name(item) or None
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


def read_tensor(message: Message) -> OnnxTensor:
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
            name = read_name(item)
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


def read_sparse(message: Message) -> OnnxTensor:
    values = OnnxTensor("", "float32", ())
    dims: list[int] = []
    for number, item in message.fields():
        if number == 1:
            values = read_tensor(item.inner())
        elif number == 3:
            dims += _sizes(item)
    return OnnxTensor(values.name, values.element, tuple(dims))
