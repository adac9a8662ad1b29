"""ONNX files as bytes: what is read, and what is told of those that are none."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.frontends.onnx import encoding
from tests.frontends.onnx.encoding import SMALL, attribute, integers, node, number, part, tensor, value, weight
from tunepass.diagnostics import SourceError
from tunepass.frontends.onnx.file import decoded, read_model
from tunepass.frontends.onnx.listing import written
from tunepass.frontends.onnx.model import OnnxModel
from tunepass.jobs.reading import parse

TEXT = """opset 17
input x: float32[N, 3, 8, 8]
weight w: float32[8, 3, 3, 3]
weight b: float32[8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
weight to: int64[2] = [0, -1]
conv1: c = Conv(x, w, b, kernel_shape=[3, 3], auto_pad="VALID")
r = Relu(c)
y = Reshape(r, to)
output y: float32[N, rest]
"""


def model_of(data: bytes) -> OnnxModel:
    return decoded("net.onnx", memoryview(data))


def test_a_file_is_read_as_its_text() -> None:
    assert written(model_of(SMALL)) == TEXT


def test_a_file_is_a_source(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(SMALL)
    parsed = parse(path)
    assert parsed.kernels[0].source.text == TEXT
    assert "leaves `N` open" in parsed.warnings[0].message


def test_weights_are_not_read(tmp_path: Path) -> None:
    """A file of which most is not even there: what stands in the holes of a sparse file is never touched."""
    path, byte = tmp_path / "large.onnx", 3 << 30
    head = number(1, 8) + part(8, number(2, 17))
    dims = b"".join(number(1, size) for size in (byte // 4 // 1024, 1024))
    raw = encoding.varint(9 << 3 | 2) + encoding.varint(byte)
    body = dims + number(2, 1) + part(8, "w") + raw
    whole = encoding.varint(5 << 3 | 2) + encoding.varint(len(body) + byte) + body
    rest = value(11, "x", [1, byte // 4 // 1024]) + node("MatMul", ["x", "w"], ["y"]) + value(12, "y", [1, 1024])
    graph = encoding.varint(7 << 3 | 2) + encoding.varint(len(rest) + len(whole) + byte)
    with path.open("wb") as file:
        file.write(head + graph + rest + whole)
        file.truncate(file.tell() + byte)
    assert read_model(path).tensors[0].dims == (786_432, 1024)


def test_functions_of_a_file_are_put_in() -> None:
    reference = part(5, part(1, "alpha") + part(21, "slope"))
    nodes = b"".join(
        part(7, data)
        for data in (
            _bare(node("LeakyRelu", ["a"], ["t"], reference)),
            _bare(node("Add", ["t", "a"], ["o"])),
        )
    )
    function = part(25, part(1, "Block") + part(4, "a") + part(5, "o") + part(6, "slope") + nodes + part(10, "mine"))
    call = node("Block", ["x"], ["y"], attribute("slope", 0.5), name="b", domain="mine")
    model = model_of(encoding.model(call, value(11, "x", [2]), value(12, "y", [2]), functions=function))
    assert [node.operator for node in model.nodes] == ["LeakyRelu", "Add"]
    assert model.nodes[0].attributes == {"alpha": 0.5}
    assert model.nodes[1].inputs == ("b.1/t", "x") and model.nodes[1].outputs == ("y",)


def _bare(field: bytes) -> bytes:
    """A message without the key and the length that it was given."""
    return field[2:] if field[1] < 0x80 else field[3:]


HOSTILE = {
    "empty": (b"", "it is empty"),
    "no model": (b"\x89PNG\r\n\x1a\n" + bytes(40), "no ONNX model"),
    "text": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "no ONNX model"),
    "a zero field": (b"\x00\x00", "a field has the number 0"),
    "a group": (b"\x0b\x0c", "encoded in a way"),
    "an endless number": (b"\x08" + b"\xff" * 12, "more than 64 bits"),
    "no graph": (number(1, 8) + part(8, number(2, 17)), "it holds no graph"),
    "no version": (number(1, 8) + part(7, b""), "which version"),
    "a length beyond the end": (part(8, number(2, 17)) + b"\x3a\xff\xff\xff\xff\x7f", "are left"),
    "a size below zero": (encoding.model(value(11, "x", [-5])), "out of bounds"),
    "a large size": (encoding.model(value(11, "x", [1 << 50])), "out of bounds"),
    "many sizes": (encoding.model(value(11, "x", [1] * 100)), "sizes"),
    "a long name": (encoding.model(part(1, part(1, "x" * 5000))), "too long"),
    "no type": (encoding.model(node("", ["x"], ["y"])), "has no type"),
    "few numbers": (encoding.model(part(5, tensor("w", [4], b"\0" * 7))), "are not 7 bytes"),
    "a text for a number": (part(8, part(2, "seventeen")), "a number was expected"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_model_is_one_diagnostic(name: str, tmp_path: Path) -> None:
    data, told = HOSTILE[name]
    path = tmp_path / "net.onnx"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"net\.onnx") as caught:
        parse(path)
    assert len(caught.value.diagnostics) == 1 and told in caught.value.diagnostics[0].message


@pytest.mark.parametrize("length", range(1, len(SMALL) - 1, 7))
def test_a_file_that_ends_early_is_one_diagnostic(length: int) -> None:
    with pytest.raises(SourceError) as caught:
        model_of(SMALL[:length])
    assert len(caught.value.diagnostics) == 1


@examples(150)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        written(model_of(data))
    except SourceError as error:
        assert len(error.diagnostics) == 1


@examples(200)
@given(st.integers(0, len(SMALL) - 1), st.integers(0, 255))
def test_a_byte_that_is_another_one_is_read_or_refused(at: int, byte: int) -> None:
    try:
        written(model_of(SMALL[:at] + bytes([byte]) + SMALL[at + 1 :]))
    except SourceError as error:
        assert len(error.diagnostics) == 1


def test_functions_that_call_each_other_end() -> None:
    """Twice as many calls at each level."""
    functions = b""
    for k in range(40):
        calls = b"".join(part(7, _bare(node(f"F{k + 1}", ["a"], ["o"], domain="mine"))) for _ in range(2))
        functions += part(25, part(1, f"F{k}") + part(4, "a") + part(5, "o") + calls + part(10, "mine"))
    call = node("F0", ["x"], ["y"], domain="mine")
    with pytest.raises(SourceError, match="too many operators"):
        model_of(encoding.model(call, value(11, "x", [2]), functions=functions))


def test_weights_in_files_beside_are_not_opened(tmp_path: Path) -> None:
    where = part(13, part(1, "location") + part(2, "../../etc/passwd"))
    data = b"".join(number(1, s) for s in (2, 3)) + number(2, 1) + part(8, "w") + where + number(14, 1)
    parts = [node("MatMul", ["x", "w"], ["y"]), part(5, data), value(11, "x", [4, 2]), value(12, "y", [4, 3])]
    path = tmp_path / "net.onnx"
    path.write_bytes(encoding.model(*parts))
    assert parse(path).kernels[0].name == "net"


def test_numbers_in_files_beside_are_told_of(tmp_path: Path) -> None:
    target = number(1, 2) + number(2, 7) + part(8, "to") + number(14, 1)
    parts = [node("Reshape", ["x", "to"], ["y"]), part(5, target), value(11, "x", [4, 2]), value(12, "y", [8])]
    path = tmp_path / "net.onnx"
    path.write_bytes(encoding.model(*parts))
    with pytest.raises(SourceError, match="not known before the model runs"):
        parse(path)


def test_every_way_to_write_numbers() -> None:
    raw = integers("raw", 3, -1)
    one_by_one = part(5, number(1, 2) + number(2, 7) + part(8, "one") + number(7, 3) + number(7, -1))
    packed = part(5, number(1, 2) + number(2, 7) + part(8, "packed") + part(7, b"\x03" + encoding.varint(-1)))
    halves = part(5, number(1, 1) + number(2, 10) + part(8, "half") + number(5, 0x3E00))
    floats = part(5, number(1, 1) + number(2, 1) + part(8, "float") + part(4, struct.pack("<f", 2.5)))
    model = model_of(encoding.model(raw, one_by_one, packed, halves, floats, weight("w", 100)))
    assert [tensor.numbers for tensor in model.tensors] == [(3, -1), (3, -1), (3, -1), (1.5,), (2.5,), None]
