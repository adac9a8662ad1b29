"""The bytes of ONNX files, written here: what reading them is tested with."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def part(field: int, data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name: str, dims: Sequence[int], data: bytes = b"", kind: int = 1) -> bytes:
    return b"".join(number(1, size) for size in dims) + number(2, kind) + part(8, name) + part(9, data)


def weight(name: str, *dims: int) -> bytes:
    count = 1
    for size in dims:
        count *= size
    return part(5, tensor(name, dims, b"\0" * 4 * count))


def integers(name: str, *values: int) -> bytes:
    return part(5, tensor(name, [len(values)], struct.pack(f"<{len(values)}q", *values), 7))


def value(field: int, name: str, dims: Sequence[int | str]) -> bytes:
    sizes = b"".join(part(1, part(2, s) if isinstance(s, str) else number(1, s)) for s in dims)
    return part(field, part(1, name) + part(2, part(1, number(1, 1) + part(2, sizes))))


def attribute(name: str, given: int | float | str | Sequence[int]) -> bytes:
    if isinstance(given, str):
        return part(5, part(1, name) + part(4, given) + number(20, 3))
    if isinstance(given, float):
        return part(5, part(1, name) + real(2, given) + number(20, 1))
    if isinstance(given, int):
        return part(5, part(1, name) + number(3, given) + number(20, 2))
    return part(5, part(1, name) + b"".join(number(8, item) for item in given) + number(20, 7))


def node(
    operator: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: bytes, name: str = "", domain: str = ""
) -> bytes:
    data = b"".join(part(1, item) for item in inputs) + b"".join(part(2, item) for item in outputs)
    return part(1, data + part(3, name) + part(4, operator) + b"".join(attributes) + part(7, domain))


def model(*parts: bytes, opset: int = 17, functions: bytes = b"") -> bytes:
    return number(1, 8) + part(8, part(1, "") + number(2, opset)) + part(7, b"".join(parts)) + functions


SMALL = model(
    node(
        "Conv", ["x", "w", "b"], ["c"], attribute("kernel_shape", [3, 3]), attribute("auto_pad", "VALID"), name="conv1"
    ),
    node("Relu", ["c"], ["r"]),
    node("Reshape", ["r", "to"], ["y"]),
    weight("w", 8, 3, 3, 3),
    weight("b", 8),
    integers("to", 0, -1),
    value(11, "x", ["N", 3, 8, 8]),
    value(12, "y", ["N", "rest"]),
)
