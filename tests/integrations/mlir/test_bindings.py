"""Modules of MLIR's Python bindings: knobs in, the choice out, verified by MLIR."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tunepass as tp
from tunepass.integrations import mlir
from tunepass.integrations.mlir.bindings import BindingsReader
from tunepass.integrations.mlir.knobs import Knobs, read_knobs
from tunepass.integrations.mlir.search import kernel_of
from tunepass.integrations.mlir.tune import generic

ir = pytest.importorskip("torch_mlir.ir", reason="needs the extra mlir")

HEAD = "transform.named_sequence @__transform_main(%root: !transform.any_op) {"
ROUTES = """\
%tile = transform.tune.knob<"tile"> = 8 from options = [4, 8, 16] -> !transform.any_param
%size = transform.tune.alternatives<"route"> selected_region = 1 -> !transform.any_param {
  %fast = transform.tune.knob<"fast"> options = [8, 16] -> !transform.any_param
  transform.match.param.cmpi ne %fast, %tile : !transform.any_param
  transform.yield %fast : !transform.any_param
}, {
  %slow = transform.param.constant 32 -> !transform.any_param
  transform.yield %slow : !transform.any_param
}
%sum = transform.smt.constrain_params(%size, %tile)
    : (!transform.any_param, !transform.any_param) -> (!transform.any_param) {
^bb0(%x: !smt.int, %y: !smt.int):
  %ordered = smt.int.cmp le %y, %x
  smt.assert %ordered
  %s = smt.int.add %x, %y
  smt.yield %s : !smt.int
}
%most = transform.param.constant 40 -> !transform.any_param
transform.match.param.cmpi lt %sum, %most : !transform.any_param
"""


@pytest.fixture(autouse=True)
def context() -> Iterator[object]:
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        yield context


def module_of(body: str) -> object:
    return ir.Module.parse(
        f"module attributes {{transform.with_named_sequence}} {{\n{HEAD}\n{body}\ntransform.yield }} }}"
    )


def knobs_of(body: str) -> tuple[tp.Kernel, Knobs]:
    module = module_of(body)
    knobs = read_knobs(module.operation, BindingsReader(module))  # type: ignore[attr-defined]
    return kernel_of("module", generic(module), module.operation, knobs), knobs  # type: ignore[attr-defined]


# --- reading


def test_regions_constraints_and_comparisons_become_a_space() -> None:
    kernel, _ = knobs_of(ROUTES)
    space = tp.Space(kernel.parameters, kernel.constraints)
    assert {p.name: p.default for p in kernel.parameters} == {"tile": 8, "route": 1, "fast": 8}
    found = {(c["tile"], c["route"], c.get("fast")) for c in space.enumerate()}
    fast = {(t, 0, f) for t in (4, 8, 16) for f in (8, 16) if f != t and t <= f and f + t < 40}
    slow = {(t, 1, None) for t in (4, 8, 16) if t <= 32 and 32 + t < 40}
    assert found == fast | slow


def test_booleans_reals_and_any_other_attribute_are_options() -> None:
    kernel, knobs = knobs_of("""\
%a = transform.tune.knob<"coin"> options = [true, false] -> !transform.any_param
%b = transform.tune.knob<"animal"> options = ["cat", unit] -> !transform.any_param
%c = transform.tune.knob<"2.scale"> options = [2.0 : f32, 2.25 : f32] -> !transform.any_param
""")
    assert [p.domain for p in kernel.parameters] == [(True, False), ('"cat"', "unit"), (2.0, 2.25)]  # type: ignore[union-attr]
    assert list(knobs.by_name) == ["coin", "animal", "2.scale"] and kernel.parameters[2].name == "_2_scale"


BOUNDS = [
    ("lower_bound = 1 : i64, upper_bound = 64 : i64, divisible_by = 8 : i64, divides = 64 : i64", (8, 16, 32, 64)),
    ("lower_bound = 0 : i64, upper_bound = 6 : i64, divides = 6 : i64", (1, 2, 3, 6)),
    ("options = [1, 2, 3, 4], divides = 4 : i64", (1, 2, 4)),
]


@pytest.mark.parametrize(("stated", "expected"), BOUNDS)
def test_bounds_stand_for_whole_numbers(stated: str, expected: tuple[int, ...]) -> None:
    kernel, _ = knobs_of(f'%a = transform.tune.knob<"a"> options = {{{stated}}} -> !transform.any_param')
    assert kernel.parameters[0].domain == expected  # type: ignore[union-attr]


def test_an_operand_that_selects_a_region_is_no_knob_of_its_own() -> None:
    kernel, _ = knobs_of("""\
%a = transform.tune.knob<"a"> options = [0, 1] -> !transform.param<i64>
transform.tune.alternatives<"route"> selected_region = %a : !transform.param<i64> {
  %b = transform.tune.knob<"b"> options = [3, 5] -> !transform.any_param
  transform.yield
}, {
  transform.yield
}
""")
    assert [(p.name, str(p.when) if p.when else None) for p in kernel.parameters] == [("a", None), ("b", "a == 0")]


# --- choosing and writing


def test_the_choice_of_a_model_is_written_and_verified() -> None:
    module = module_of(ROUTES)
    result = mlir.tune(module, "tile + 10 * route + if(route == 0, fast, 0)")
    assert dict(result.choice) == {"tile": 4, "route": 0, "fast": 8}
    text = str(module)
    assert 'knob<"tile"> = 4 : i64' in text and "selected_region = 0" in text and 'knob<"fast"> = 8 : i64' in text


def test_a_function_gets_a_copy_with_the_choice_in_it() -> None:
    module = ir.Module.parse('"test.loop"() {tunepass.knobs = {unroll = [1, 2, 4]}} : () -> ()')
    seen = []

    def judged(copy: object) -> float | tp.Failed:
        seen.append(int(re.search(r"unroll = (\d)", str(copy))[1]))  # type: ignore[index]
        copy.operation.regions[0].blocks[0].operations[0].erase()  # type: ignore[attr-defined]
        if seen[-1] == 4:
            raise ZeroDivisionError
        return tp.Failed("compile", "too wide") if seen[-1] == 1 else 5.0 / seen[-1]

    result = mlir.tune(module, judged, catch=ZeroDivisionError, prior=False)
    assert result.choice["unroll"] == 2 and sorted(set(seen)) == [1, 2, 4]
    assert '"test.loop"' in str(module) and "unroll = 2 : i64" in str(module)


def test_a_command_has_a_process_for_each_module(tmp_path: Path) -> None:
    script = tmp_path / "price.py"
    script.write_text("import re, sys\nprint('cycles', re.search(r'selected = (\\d+)', open(sys.argv[1]).read())[1])\n")
    module = module_of('%a = transform.tune.knob<"a"> = 4 from options = [2, 4] -> !transform.any_param')
    assert mlir.tune(module, mlir.Command(f"{sys.executable} {script} {{}}"), prior=False).choice["a"] == 2


# --- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("affine_set<(d0) : (d0 - 2 >= 0)>", "options are an array of values, or a dictionary of bounds"),
        ("{lower_bound = 1 : i64}", "or a dictionary of bounds"),
        ("{lower_bound = 1 : i64, upper_bound = 8 : i64, step = 2 : i64}", "or a dictionary of bounds"),
        ("{lower_bound = 1 : i64, upper_bound = 8 : i64, divides = 0 : i64}", "or a dictionary of bounds"),
        ("{lower_bound = 1 : i64, upper_bound = 900000 : i64}", "900,000 options; 100,000 at most"),
        ("{lower_bound = 5 : i64, upper_bound = 7 : i64, divisible_by = 4 : i64}", "has no options to choose from"),
        ("[]", "has no options to choose from"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_operation(options: str, message: str) -> None:
    with pytest.raises(tp.SourceError, match=message) as error:
        knobs_of(f'%a = transform.tune.knob<"a"> options = {options} -> !transform.any_param')
    assert re.match(r"-:3:6: error: knob `a`", str(error.value)) and "^^^^" in str(error.value)


def test_what_is_no_module_is_told() -> None:
    with pytest.raises(tp.TunepassError, match=r"a module of MLIR's Python bindings was expected, got str"):
        mlir.tune("module {}", "1")


def test_a_module_that_no_choice_fits_stays_as_it_was() -> None:
    module = module_of('%a = transform.tune.knob<"a"> options = [2, 4] -> !transform.any_param')
    before = str(module)
    with pytest.raises(tp.TunepassError, match="no choice of the knobs could be evaluated"):
        mlir.tune(module, lambda copy: tp.Failed("compile", "no"), prior=False)
    assert str(module) == before


UNFINISHED = "func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  return %b : i32\n}\n"


@pytest.mark.parametrize("evaluate", ["unroll", mlir.Command("echo 1"), lambda copy: 1.0])
def test_a_module_that_does_not_verify_is_told_and_stays_as_it_is(evaluate: Callable[[object], float]) -> None:
    module = ir.Module.parse(f'{UNFINISHED}"test.loop"() {{tunepass.knobs = {{unroll = [1, 2]}}}} : () -> ()')
    module.body.operations[0].regions[0].blocks[0].operations[1].erase()  # the function's terminator
    before = generic(module)
    with pytest.raises(tp.SourceError, match="the module does not verify: block with no terminator") as error:
        mlir.tune(module, evaluate)
    assert re.match(r"-:1:\d+: error:|-:2:\d+: error:", str(error.value)) and generic(module) == before


def test_a_choice_that_does_not_verify_fails_and_is_not_written() -> None:
    module = ir.Module.parse("%a = arith.constant {tunepass.knobs = {value = [1 : i32, 2 : i64, 3 : i32]}} 1 : i32")
    values = []

    def judged(copy: object) -> float:
        values.append(int(re.search(r"(\d+) : i32\\n", repr(str(copy)))[1]))  # type: ignore[index]
        return 1.0 / values[-1]

    result = mlir.tune(module, judged, prior=False)
    assert result.found is not None and dict(result.found.failures) == {"compile": 1}
    assert sorted(set(values)) == [1, 3] and result.choice["value"] == 3
    before = str(module)
    with pytest.raises(tp.SourceError, match=r"the module does not verify: .*type"):
        mlir.tune(module, "if(value == 2, 0, 1)")
    assert str(module) == before


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (5, "`evaluate` is a function, a Command or a model as text, got 5"),
        (lambda copy: "fast", "the function returns a number for each of value, .* got 'fast'"),
        (lambda copy: None, "the function returns a number for each of value, .* got None"),
    ],
)
def test_what_judges_a_module_and_its_answer_are_checked(evaluate: Callable[[object], float], message: str) -> None:
    module = module_of('%a = transform.tune.knob<"a"> options = [2, 4] -> !transform.any_param')
    before = str(module)
    with pytest.raises(tp.TunepassError, match=message):
        mlir.tune(module, evaluate, prior=False)
    assert str(module) == before
