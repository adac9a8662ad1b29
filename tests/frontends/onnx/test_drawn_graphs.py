"""Random graphs over the operators of ONNX with the shapes that onnx' own inference gives: tests/golden/onnx, which
tests/benchmarks/dnn/onnx_graphs.py has written."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Name
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.onnx.following import Following
from tunepass.frontends.onnx.listing import read, written
from tunepass.graphs.table import shipped

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "onnx").glob("*.txt"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_shapes_are_those_of_onnx(path: Path) -> None:
    text = path.read_text()
    model = read(Source("drawn.onnx", text))
    named = Name("N", INTEGER)
    inputs = {
        value.name: tuple(algebra.lift(size) if isinstance(size, int) else named for size in value.dims or ())
        for value in model.inputs
    }
    following = Following(model, shipped(), inputs, {}, {})
    following.follow()
    for line in text.splitlines():
        if line.startswith("# "):
            size, name, shape = line[2:].split(" ", 2)
            found = [evaluate(item, {"N": int(size)}) for item in following.shape(following.held(name))]
            assert found == ast.literal_eval(shape), line


@pytest.mark.parametrize("path", GOLDEN[:8], ids=lambda path: path.stem)
def test_a_models_text_is_read_as_it_was_written(path: Path) -> None:
    model = read(Source("drawn.onnx", path.read_text()))
    assert read(Source("drawn.onnx", written(model))) == model
