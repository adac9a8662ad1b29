"""The CPU model as the prior mean of modules of MLIR's Python bindings, which are asked for indexing maps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import tunepass as tp
from tests.integrations.mlir.schedules import scheduled
from tunepass.expr.printer import to_text
from tunepass.expr.python_eval import evaluate
from tunepass.integrations import mlir
from tunepass.integrations.mlir.bindings import BindingsReader
from tunepass.integrations.mlir.knobs import read_knobs
from tunepass.integrations.mlir.model import time_of
from tunepass.integrations.mlir.payload import linalg_operations, work_of
from tunepass.integrations.mlir.schedule_rules import nests_of
from tunepass.integrations.mlir.search import kernel_of
from tunepass.integrations.mlir.tune import generic
from tunepass.ir.tiled_nests import TiledNest

ir = pytest.importorskip("torch_mlir.ir", reason="needs the extra mlir")

SAMPLES = Path(__file__).parents[3] / "samples/mlir"


@pytest.fixture(autouse=True)
def context() -> Iterator[object]:
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        yield context


def nests(text: str) -> list[TiledNest]:
    """The nests of all alternatives."""
    module = ir.Module.parse(text)
    knobs = read_knobs(module.operation, BindingsReader(module))
    types = {p.name: p.type for p in knobs.parameters}
    found = nests_of(module.operation, knobs, types)
    return [nest for alternative in found for nest in alternative.nests]


def loops(nest: TiledNest) -> list[tuple[str, str]]:
    return [(loop.index, to_text(loop.step)) for loop in nest.loops]


@pytest.mark.parametrize("name", ["matmul", "stencil"])
def test_both_libraries_give_one_price(name: str) -> None:
    pytest.importorskip("xdsl", reason="needs the extra xdsl")
    from tests.integrations.xdsl.test_model import time

    text = (SAMPLES / f"{name}.mlir").read_text()
    module = ir.Module.parse(text)
    knobs = read_knobs(module.operation, BindingsReader(module))
    kernel = kernel_of("module", generic(module), module.operation, knobs)
    default = {p.name: p.default for p in kernel.parameters}
    types = {p.name: p.type for p in kernel.parameters}
    expression = time_of(nests_of(module.operation, knobs, types), kernel)
    assert float(evaluate(expression, default)) == time(text)


NAMED = """
func.func @f(%a: memref<1x18x20x4xf32>, %b: memref<3x3x4x8xf32>, %c: memref<1x8x9x8xf32>,
             %t: tensor<5x6xf64>, %e: tensor<5x6xf64>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%a, %b : memref<1x18x20x4xf32>, memref<3x3x4x8xf32>) outs(%c : memref<1x8x9x8xf32>)
  %d = linalg.exp ins(%t : tensor<5x6xf64>) outs(%e : tensor<5x6xf64>) -> tensor<5x6xf64>
  return
}
"""


def test_named_operations_have_maps() -> None:
    module = ir.Module.parse(NAMED)
    reader = BindingsReader(module)
    convolution, exponential = (work_of(op, reader) for op in linalg_operations(module.operation, reader))
    assert [count for _, count in convolution.trips] == [1, 8, 9, 8, 3, 3, 4] and convolution.operations == 2
    strides = dict(convolution.accesses[0].strides)  # rows and columns of every second point, and of the window
    assert (strides["d1"], strides["d2"], strides["d4"], strides["d5"], strides["d6"]) == (160, 8, 80, 4, 1)
    assert exponential.calls == 1 and exponential.element_byte == 8 and len(exponential.accesses) == 2


STEPS = """
%x = "transform.structured.interchange"(%op) <{iterator_interchange = array<i64: 1, 0>}>
  : (!transform.any_op) -> !transform.any_op
%t, %l = "transform.structured.tile_using_for"(%x, %size) <{static_sizes = array<i64: -9223372036854775808, 0>,
  scalable_sizes = array<i1: false, false>}>
  : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)
%u, %m:2 = "transform.structured.tile_using_for"(%t) <{ORDER static_sizes = array<i64: 2, 16>,
  scalable_sizes = array<i1: false, false>}> KNOBS
  : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
"transform.structured.vectorize"(%u) : (!transform.any_op) -> ()
"transform.loop.unroll"(%m#1) <{factor = 3 : i64}> : (!transform.any_op) -> ()
"""


def test_tiles_of_tiles_are_loops_in_their_order() -> None:
    steps = STEPS.replace("ORDER", "interchange = array<i64: 1, 0>,").replace("KNOBS", "")
    (nest,) = nests(scheduled(steps))
    assert loops(nest) == [("d1", "size"), ("d0", "16"), ("d1", "2")] and nest.points == ("d1", "d0")
    assert nest.vectors and to_text(nest.unroll) == "3"


def test_an_attribute_that_is_a_knob_makes_alternatives() -> None:
    knobs = "{tunepass.knobs = {interchange = [[0, 1], [1, 0]]}}"
    found = nests(scheduled(STEPS.replace("ORDER", "").replace("KNOBS", knobs)))
    assert [loops(nest)[1:] for nest in found] == [[("d1", "2"), ("d0", "16")], [("d0", "16"), ("d1", "2")]]


PRETTY = """
module attributes {transform.with_named_sequence} {
  func.func @f(%a: memref<64x32xf32>, %b: memref<64x32xf32>) {
    linalg.copy {first} ins(%a : memref<64x32xf32>) outs(%b : memref<64x32xf32>)
    linalg.copy {second} ins(%a : memref<64x32xf32>) outs(%b : memref<64x32xf32>)
    return
  }
  transform.named_sequence @tiled(
    %op: !transform.any_op {transform.consumed}, %n: !transform.any_param {transform.readonly}
  ) -> !transform.any_op {
    %t, %l = transform.structured.tile_using_for %op tile_sizes [%n, 0]
      : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)
    transform.yield %t : !transform.any_op
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %n = transform.tune.knob<"n"> options = [4, 8] -> !transform.any_param
    STEPS
    transform.yield
  }
}
"""
MATCHED = "%op = transform.structured.match attributes {second} in %module : (!transform.any_op) -> !transform.any_op"
EVERY = 'ops{["linalg.copy"]} in %module : (!transform.any_op) -> !transform.any_op'


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            f"{MATCHED}\n%t, %l = transform.structured.tile_using_forall %op tile_sizes [8, 4] : (!transform.any_op)"
            " -> (!transform.any_op, !transform.any_op)",
            [[("d0", "8"), ("d1", "4")]],
        ),
        (
            f"%op = transform.structured.match {EVERY}\n"
            "%x, %y = transform.split_handle %op : (!transform.any_op) -> (!transform.any_op, !transform.any_op)\n"
            "%t, %l = transform.structured.tile_using_for %y tile_sizes [0, 16] : (!transform.any_op)"
            " -> (!transform.any_op, !transform.any_op)",
            [[("d1", "16")]],
        ),
        (
            f"%op = transform.structured.match {EVERY}\n"
            "%t, %l = transform.structured.tile_using_for %op tile_sizes [%n, 0]"
            " : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)",
            [[("d0", "n")], [("d0", "n")]],
        ),
    ],
)
def test_a_handle_stands_for_what_it_matches(steps: str, expected: list[list[tuple[str, str]]]) -> None:
    assert [loops(nest) for nest in nests(PRETTY.replace("STEPS", steps))] == expected


def test_a_sequence_that_is_included_takes_handles() -> None:
    steps = (
        f"{MATCHED}\n%m = transform.param.constant 8 : i64 -> !transform.any_param\n"
        "%t = transform.include @tiled failures(propagate) (%op, %m)"
        " : (!transform.any_op, !transform.any_param) -> !transform.any_op\n"
        "%f = transform.get_parent_op %t {isolated_from_above} : (!transform.any_op) -> !transform.any_op\n"
        "%g = transform.structured.vectorize_children_and_apply_patterns %f : (!transform.any_op) -> !transform.any_op"
    )
    found = nests(PRETTY.replace("STEPS", steps))
    assert [loops(nest) for nest in found] == [[], [("d0", "8")]] and all(nest.vectors for nest in found)


def test_the_search_says_that_it_starts_from_the_model_or_why_not() -> None:
    module = ir.Module.parse((SAMPLES / "matmul.mlir").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = mlir.tune(module, lambda copy: float(len(str(copy))), max_evals=2)
        mlir.tune(module, lambda copy: 1.0, max_evals=1, maximise=True)
    assert result.found is not None and result.found.origin is not None
    assert result.found.origin.sentence() == "the CPU model"
    dynamic = PRETTY.replace("64x32", "?x32").replace(
        "STEPS", f"{MATCHED}\ntransform.structured.vectorize %op : !transform.any_op"
    )
    reason = r"linalg.copy has an operand of the type memref<\?x32xf32>, whose shape is not static"
    with pytest.warns(mlir.NoPriorWarning, match=f"^the search starts without the CPU model: {reason}$") as told:
        mlir.tune(ir.Module.parse(dynamic), lambda copy: 1.0, max_evals=1)
    assert len(told) == 1 and told[0].filename == __file__
    with pytest.raises(tp.SourceError, match=reason) as error:
        mlir.tune(ir.Module.parse(dynamic), lambda copy: 1.0, prior=True)
    assert re.match(r"-:5:\d+: error: the CPU model cannot price this module", str(error.value))
