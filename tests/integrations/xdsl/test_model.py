"""The CPU model as the prior mean of modules of MLIR: what is read of linalg and of a schedule, and what is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tunepass as tp

pytest.importorskip("xdsl", reason="needs the extra xdsl")

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.integrations.mlir.schedules import GENERIC, HEAD, scheduled
from tunepass.expr.nodes import Expr
from tunepass.expr.printer import to_text
from tunepass.expr.python_eval import evaluate
from tunepass.integrations.mlir.knobs import Knobs, read_knobs
from tunepass.integrations.mlir.model import NoPriorWarning, prior_of, time_of
from tunepass.integrations.mlir.payload import NotModelledError, linalg_operations, work_of
from tunepass.integrations.mlir.schedule_rules import nests_of
from tunepass.integrations.mlir.search import kernel_of, search
from tunepass.integrations.xdsl.reader import XdslReader
from tunepass.integrations.xdsl.tune import TunePass, printed

SAMPLES = Path(__file__).parents[3] / "samples/mlir"


def parsed(text: str) -> ModuleOp:
    context = Context(allow_unregistered=True)
    for name, dialect in get_all_dialects().items():
        context.register_dialect(name, dialect)
    return Parser(context, text).parse_module()


def read(text: str) -> tuple[ModuleOp, tp.Kernel, Knobs]:
    module = parsed(text)
    knobs = read_knobs(module, XdslReader())
    return module, kernel_of("module", printed(module), module, knobs), knobs


def expression_of(module: ModuleOp, kernel: tp.Kernel, knobs: Knobs) -> Expr:
    return time_of(nests_of(module, knobs, {p.name: p.type for p in kernel.parameters}), kernel)


def time(text: str, **values: object) -> float:
    module, kernel, knobs = read(text)
    chosen = {p.name: p.default for p in kernel.parameters} | values
    return float(evaluate(expression_of(module, kernel, knobs), chosen))  # type: ignore[arg-type]


# --- operations of linalg


def test_a_product_is_three_loops_and_a_sum() -> None:
    (op,) = linalg_operations(parsed((SAMPLES / "matmul.mlir").read_text()), XdslReader())
    work = work_of(op, XdslReader())
    assert work.trips == (("d0", 256), ("d1", 256), ("d2", 256)) and (work.operations, work.chained) == (2, 1)
    assert [a.strides for a in work.accesses] == [
        (("d0", 256), ("d2", 1)),
        (("d1", 1), ("d2", 256)),
        (("d0", 256), ("d1", 1)),
    ]
    assert [(a.read, a.written) for a in work.accesses] == [(True, False), (True, False), (True, True)]


def test_parts_of_one_buffer_are_one_array_at_several_offsets() -> None:
    (op,) = linalg_operations(parsed((SAMPLES / "stencil.mlir").read_text()), XdslReader())
    *read_ones, written = work_of(op, XdslReader()).accesses
    assert len({access.array for access in read_ones}) == 1 and written.array != read_ones[0].array
    assert sorted(access.offset for access in read_ones) == [1, 514, 515, 516, 1029]
    assert written.written and not written.read and written.element_byte == 4


BODY = """
^bb0(%x: f32, %y: f32):
  %z = "math.exp"(%x) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
  %w = "arith.divf"(%z, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  "linalg.yield"(%w) : (f32) -> ()
"""


def test_calls_and_divisions_are_counted_apart() -> None:
    module = parsed(
        GENERIC.format(maps="(i, j) -> (j * 2 + 1, i)", written="(i, j) -> (i, j)", type="memref<16x8xf32>", body=BODY)
    )
    (op,) = linalg_operations(module, XdslReader())
    work = work_of(op, XdslReader())
    assert (work.operations, work.divisions, work.calls, work.chained) == (0, 1, 1, 1)
    assert work.accesses[0].strides == (("d0", 1), ("d1", 16)) and work.accesses[0].offset == 8


@pytest.mark.parametrize(
    ("maps", "kind", "body", "reason"),
    [
        (
            "(i, j) -> (i, j)",
            "memref<?x8xf32>",
            BODY,
            "linalg.generic has an operand of the type memref<?x8xf32>, whose",
        ),
        ("(i, j) -> (i floordiv 2, j)", "memref<16x8xf32>", BODY, "linalg.generic has the map affine_map<"),
        ("(i, j) -> (i + j, j + 1)", "memref<16x8xf32>", BODY, "no operand of linalg.generic tells how often d0, d1"),
        (
            "(i, j) -> (i, j)",
            "memref<16x8xcomplex<f32>>",
            BODY,
            "linalg.generic has an operand of the type memref<16x8xc",
        ),
        (
            "(i, j) -> (i, j)",
            "memref<16x8xf32>",
            BODY.replace("math.exp", "test.op"),
            "body of linalg.generic has test.op",
        ),
    ],
)
def test_what_has_no_numbers_is_named(maps: str, kind: str, body: str, reason: str) -> None:
    (op,) = linalg_operations(parsed(GENERIC.format(maps=maps, written=maps, type=kind, body=body)), XdslReader())
    with pytest.raises(NotModelledError, match=re.escape(reason)):
        work_of(op, XdslReader())


# --- schedules


def test_the_samples_are_priced_as_they_are_scheduled() -> None:
    matmul, stencil = ((SAMPLES / f"{name}.mlir").read_text() for name in ("matmul", "stencil"))
    assert time(matmul, tile_m=4, tile_n=64, tile_k=8) < time(matmul) < time(matmul, tile_m=16, tile_n=64) * 4
    assert time(stencil, order=0, width=64, rows=4) < time(stencil, order=1, width=4, rows=4)
    assert time(stencil, factor=4) < time(stencil, factor=1)


def test_an_alternative_has_its_loops_and_a_condition() -> None:
    module, kernel, knobs = read((SAMPLES / "stencil.mlir").read_text())
    first, second = nests_of(module, knobs, {p.name: p.type for p in kernel.parameters})
    assert first.condition is not None and to_text(first.condition) == "order == 0" and second.condition is None
    orders = [[loop.index for loop in alternative.nests[0].loops] for alternative in (first, second)]
    assert orders == [["d0", "d1"], ["d1", "d0"]]
    assert to_text(first.nests[0].loops[1].step) == "width"
    assert to_text(first.nests[0].unroll) == "factor"
    assert first.nests[0].vectors


UNKNOWN = [
    ('"transform.structured.pack"(%op) : (!transform.any_op) -> ()', "transform.structured.pack is not known"),
    (
        '%p = "transform.get_parent_op"(%op) : (!transform.any_op) -> !transform.any_op\n'
        '"transform.loop.unroll"(%p) <{factor = 4 : i64}> : (!transform.any_op) -> ()',
        "transform.loop.unroll is applied to transform.get_parent_op",
    ),
    (
        '%p = "transform.apply_registered_pass"(%op) <{pass_name = "x"}> : (!transform.any_op) -> !transform.any_op',
        "transform.apply_registered_pass is not known",
    ),
    ("", "@__transform_main changes no loops of an operation of linalg"),
    ('"transform.include"(%op) <{target = @other}> : (!transform.any_op) -> ()', "no transform sequence @other"),
]


@pytest.mark.parametrize(("text", "reason"), UNKNOWN)
def test_a_step_that_is_not_known_is_named(text: str, reason: str) -> None:
    module, kernel, knobs = read(scheduled(text))
    with pytest.warns(NoPriorWarning, match=f"starts without the CPU model: .*{re.escape(reason)}"):
        assert prior_of(module, knobs, kernel, None) is None
    assert prior_of(module, knobs, kernel, False) is None
    with pytest.raises(PassFailedException, match="the CPU model cannot price this module") as error:
        prior_of(module, knobs, kernel, True)
    assert "^^^^" in "\n".join([str(error.value), *getattr(error.value, "__notes__", [])])


def test_a_module_without_a_sequence_or_linalg_is_named() -> None:
    for text, reason in (
        ('"test.op"() {tunepass.knobs = {a = [1, 2]}} : () -> ()', "has no transform sequence @__transform_main"),
        (HEAD.format(payload="", text=""), "has no operation of linalg in a function"),
    ):
        module, kernel, knobs = read(text)
        with pytest.warns(NoPriorWarning, match=reason):
            prior_of(module, knobs, kernel, None)


def test_more_alternatives_than_are_followed_are_told() -> None:
    each = '"transform.tune.alternatives"() <{{name = "a{0}"}}> ({{}}, {{}}, {{}}) : () -> ()\n'
    module, kernel, knobs = read(scheduled("".join(each.format(number) for number in range(4))))
    with pytest.warns(NoPriorWarning, match=r"transform.tune.alternatives makes more than 64 combinations"):
        prior_of(module, knobs, kernel, None)


# --- searching


def test_loops_of_scalars_are_priced_on_request_alone() -> None:
    tile = (
        '%t, %l = "transform.structured.tile_using_for"(%op, %size)'
        " <{static_sizes = array<i64: -9223372036854775808, 0>, scalable_sizes = array<i1: false, false>}>"
        " : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)\n"
    )
    module, kernel, knobs = read(scheduled(tile))
    with pytest.warns(NoPriorWarning, match="tiles stay loops of scalars"):
        assert prior_of(module, knobs, kernel, None) is None
    requested = prior_of(module, knobs, kernel, True)
    assert requested is not None and requested.origin.shared == ("size",)


def test_a_search_starts_from_the_model() -> None:
    module, kernel, knobs = read((SAMPLES / "matmul.mlir").read_text())
    prior, seen = prior_of(module, knobs, kernel, None), []

    def measured(_: tp.Kernel, choice: tp.Configuration) -> float:
        seen.append(priced(choice))
        return seen[-1]

    expression = expression_of(module, kernel, knobs)

    def priced(choice: tp.Configuration) -> float:
        return float(evaluate(expression, choice))

    found = search(kernel, measured, max_evals=3, prior=prior).found
    assert found is not None and found.origin is not None and found.origin.sentence() == "the CPU model"
    everything = [priced(c) for c in tp.Space(kernel.parameters, kernel.constraints).enumerate()]
    assert seen[0] == priced(tp.Configuration({p.name: p.default for p in kernel.parameters}))
    assert min(seen[1:3]) <= sorted(everything)[2]


def test_the_pass_has_the_option() -> None:
    module = parsed((SAMPLES / "matmul.mlir").read_text())
    context = Context(allow_unregistered=True)
    TunePass(model="tile_m", prior=True, max_evals=2).apply(context, module)
    with pytest.raises(PassFailedException, match="has no transform sequence"):
        knob = parsed('"test.op"() {tunepass.knobs = {a = [1, 2]}} : () -> ()')
        TunePass(model="a", prior=True).apply(context, knob)
