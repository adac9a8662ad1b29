"""The pass `tunepass` of xDSL: knobs in, the choice out, through stock xdsl-opt."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tunepass as tp

pytest.importorskip("xdsl", reason="needs the extra xdsl")

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.smt import SMT
from xdsl.dialects.transform import Transform
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tunepass.integrations.mlir.knobs import read_knobs
from tunepass.integrations.mlir.search import kernel_of
from tunepass.integrations.xdsl.reader import XdslReader
from tunepass.integrations.xdsl.tune import TunePass, printed
from tunepass.integrations.xdsl.universe import UNIVERSE

KNOBS = """
%m = "transform.tune.knob"() <{name = "tile.m", options = [8, 16, 32, 64], selected = 16}> : () -> !transform.any_param
%n = "transform.tune.knob"() <{name = "n", options = [4, 16, 32]}> : () -> !transform.any_param
%limit = "transform.param.constant"() <{value = 512 : i64}> : () -> !transform.any_param
"transform.smt.constrain_params"(%m, %n, %limit) ({
^bb0(%x: !smt.int, %y: !smt.int, %l: !smt.int):
  %zero = "smt.int.constant"() <{value = 0}> : () -> !smt.int
  %eight = "smt.int.constant"() <{value = 16}> : () -> !smt.int
  %product = "smt.int.mul"(%x, %y) : (!smt.int, !smt.int) -> !smt.int
  %fits = "smt.int.cmp"(%product, %l) <{pred = 1 : i64}> : (!smt.int, !smt.int) -> !smt.bool
  "smt.assert"(%fits) : (!smt.bool) -> ()
  %rest = "smt.int.mod"(%y, %eight) : (!smt.int, !smt.int) -> !smt.int
  %none = "smt.eq"(%rest, %zero) : (!smt.int, !smt.int) -> !smt.bool
  %big = "smt.int.cmp"(%x, %eight) <{pred = 2 : i64}> : (!smt.int, !smt.int) -> !smt.bool
  %either = "smt.or"(%none, %big) : (!smt.bool, !smt.bool) -> !smt.bool
  "smt.assert"(%either) : (!smt.bool) -> ()
  "smt.yield"() : () -> ()
}) : (!transform.any_param, !transform.any_param, !transform.any_param) -> ()
"transform.tune.alternatives"() <{name = "par"}> ({
  %u = "transform.tune.knob"() <{name = "unroll", options = [1, 2, 4]}> : () -> !transform.any_param
}, {
}) : () -> ()
"test.loop"() {tunepass.knobs = {kind = ["static", "dynamic"], sizes = [[4, 4], [8, 8]]}} : () -> ()
"""


def parsed(text: str = KNOBS) -> ModuleOp:
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Transform, SMT):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def tuned(module: ModuleOp, **fields: object) -> str:
    TunePass(**{"prior": False, **fields}).apply(Context(allow_unregistered=True), module)  # type: ignore[arg-type]
    return printed(module)


# --- reading


def test_knobs_and_assertions_become_a_space() -> None:
    module = parsed()
    knobs = read_knobs(module, XdslReader())
    kernel = kernel_of("module", printed(module), module, knobs)
    assert [p.name for p in kernel.parameters] == ["tile_m", "n", "par", "unroll", "kind", "sizes"]
    default = {"tile_m": 16, "n": 4, "par": 0, "unroll": 1, "kind": "static", "sizes": "[4 : i64, 4 : i64]"}
    assert {p.name: p.default for p in kernel.parameters} == default
    assert [str(c) for c in kernel.constraints] == ["(tile_m * n) <= 512", "((n % 16) == 0) or (tile_m > 16)"]
    space = tp.Space(kernel.parameters, kernel.constraints)
    pairs = {(c["tile_m"], c["n"]) for c in space.enumerate()}
    expected = {(m, n) for m in (8, 16, 32, 64) for n in (4, 16, 32) if m * n <= 512 and (n % 16 == 0 or m > 16)}
    assert pairs == expected and space.size == len(expected) * 4 * 2 * 2  # unroll has no value in the other region


def test_a_knob_at_two_places_gets_one_choice() -> None:
    knob = '"transform.tune.knob"() <{name = "tile", options = [8, 16]}> : () -> !transform.any_param\n'
    text = tuned(parsed(f"%a = {knob}%b = {knob}"), model="20 - tile")
    assert text.count("selected = 16 : i64") == 2


def test_a_constraint_holds_while_its_region_is_selected() -> None:
    """Also one of what the region yields, and a comparison that the sequence demands."""
    module = parsed("""
%tile = "transform.tune.knob"() <{name = "tile", options = [4, 8, 16], selected = 8}> : () -> !transform.any_param
%size = "transform.tune.alternatives"() <{name = "route", selected_region_attr = 1 : index}> ({
  %fast = "transform.tune.knob"() <{name = "fast", options = [8, 16]}> : () -> !transform.any_param
  "transform.match.param.cmpi"(%fast, %tile) <{predicate = 1 : i32}>
    : (!transform.any_param, !transform.any_param) -> ()
  "transform.yield"(%fast) : (!transform.any_param) -> ()
}, {
  %slow = "transform.param.constant"() <{value = 32 : i64}> : () -> !transform.any_param
  "transform.yield"(%slow) : (!transform.any_param) -> ()
}) : () -> !transform.any_param
%sum = "transform.smt.constrain_params"(%size, %tile) ({
^bb0(%x: !smt.int, %y: !smt.int):
  %ordered = "smt.int.cmp"(%y, %x) <{pred = 1 : i64}> : (!smt.int, !smt.int) -> !smt.bool
  "smt.assert"(%ordered) : (!smt.bool) -> ()
  %s = "smt.int.add"(%x, %y) : (!smt.int, !smt.int) -> !smt.int
  "smt.yield"(%s) : (!smt.int) -> ()
}) : (!transform.any_param, !transform.any_param) -> !transform.any_param
%most = "transform.param.constant"() <{value = 40 : i64}> : () -> !transform.any_param
"transform.match.param.cmpi"(%sum, %most) <{predicate = 2 : i32}> : (!transform.any_param, !transform.any_param) -> ()
"transform.match.param.cmpi"(%sum, %unknown) <{predicate = 2 : i32}>
  : (!transform.any_param, !transform.any_param) -> ()
%unknown = "test.op"() : () -> !transform.any_param
""")
    kernel = kernel_of("module", printed(module), module, read_knobs(module, XdslReader()))
    found = {
        (c["tile"], c["route"], c.get("fast")) for c in tp.Space(kernel.parameters, kernel.constraints).enumerate()
    }
    fast = {(t, 0, f) for t in (4, 8, 16) for f in (8, 16) if f != t and t <= f and f + t < 40}
    assert found == fast | {(4, 1, None)} and kernel.parameters[1].default == 1


def test_an_operand_that_selects_a_region_is_no_knob_of_its_own() -> None:
    parameters = read_knobs(
        parsed("""
%a = "transform.tune.knob"() <{name = "a", options = [0, 1]}> : () -> !transform.any_param
"transform.tune.alternatives"(%a) <{name = "route"}> ({
  %b = "transform.tune.knob"() <{name = "b", options = [true, false]}> : () -> !transform.any_param
}, {
}) : (!transform.any_param) -> ()
"""),
        XdslReader(),
    ).parameters
    assert [(p.name, str(p.when) if p.when else None) for p in parameters] == [("a", None), ("b", "a == 0")]
    assert parameters[1].default is True


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("lower_bound = 1, upper_bound = 64, divisible_by = 8, divides = 64", (8, 16, 32, 64)),
        ("lower_bound = 0, upper_bound = 6, divides = 6", (1, 2, 3, 6)),
        ("options = [1, 2, 3, 4], divides = 4", (1, 2, 4)),
    ],
)
def test_bounds_stand_for_whole_numbers(stated: str, expected: tuple[int, ...]) -> None:
    knob = f'%a = "transform.tune.knob"() <{{name = "k", options = {{{stated}}}}}> : () -> !transform.any_param'
    (parameter,) = read_knobs(parsed(knob), XdslReader()).parameters
    assert isinstance(parameter, tp.Ordinal) and parameter.domain == expected


def test_options_of_several_kinds_are_told_by_their_text() -> None:
    knob = '%a = "transform.tune.knob"() <{name = "k", options = [1, "auto", true]}> : () -> !transform.any_param'
    (parameter,) = read_knobs(parsed(knob), XdslReader()).parameters
    assert isinstance(parameter, tp.Categorical) and parameter.domain == ("1 : i64", '"auto"', "true")


# --- choosing and writing


def test_the_choice_of_a_model_is_written_back() -> None:
    text = tuned(parsed(), model="abs(tile_m - 30) + abs(n - 17) + (2 - par) + unroll", max_evals=40)
    assert '{name = "tile.m", options = [8 : i64, 16 : i64, 32 : i64, 64 : i64], selected = 32 : i64}' in text
    assert "selected = 16 : i64" in text and "selected_region_attr = 1 : index" in text
    assert re.search(r'kind = "(static|dynamic)", sizes = \[', text)
    assert {p.name: p.default for p in read_knobs(parsed(text), XdslReader()).parameters}["tile_m"] == 32


def test_a_command_judges_the_module_with_the_choice(tmp_path: Path) -> None:
    script = tmp_path / "price.py"
    script.write_text(
        "import re, sys\n"
        "text = open(sys.argv[1]).read()\n"
        "selected = int(re.search(r'selected = (\\d+)', text)[1])\n"
        "sys.exit('no such tile') if selected == 4 else print('cycles', selected)\n"
    )
    knob = '%a = "transform.tune.knob"() <{name = "tile", options = [2, 4, 8]}> : () -> !transform.any_param'
    text = tuned(parsed(knob), command=f"{sys.executable} {script} {{}}", maximise=True)
    assert "selected = 8" in text
    with pytest.raises(PassFailedException, match="no choice of the knobs could be evaluated"):
        tuned(parsed(knob.replace("[2, 4, 8]", "[4]")), command=f"{sys.executable} {script}")


@pytest.mark.slow
def test_stock_xdsl_opt_runs_the_pass(tmp_path: Path) -> None:
    """Through the entry point. Its verifier knows `smt.yield` only in quantifiers, so constraints need the switch."""
    path = tmp_path / "knobs.mlir"
    path.write_text(KNOBS)
    words = [Path(sys.executable).parent / "xdsl-opt", path, "--allow-unregistered-dialect", "--disable-verify"]
    spec = 'tunepass{model="tile_m + n" max-evals=20}'
    done = subprocess.run([*words, "-p", spec], capture_output=True, text=True, check=True)
    assert "selected = 8 : i64" in done.stdout and "selected = 16 : i64" in done.stdout


def test_the_universe_has_the_pass() -> None:
    assert UNIVERSE.all_passes["tunepass"]() is TunePass and TunePass.name == "tunepass"


# --- bad input

KNOB = '%a = "transform.tune.knob"() <{{name = "tile", {}}}> : () -> !transform.any_param\n'
CONSTRAINED = '"transform.smt.constrain_params"(%b) ({\n^bb0(%x: !smt.int):\n}) : (i64) -> ()\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (KNOB.format("options = []"), "knob `tile` has no options to choose from"),
        (KNOB.format("selected = 4"), "options are an array of values, or a dictionary of bounds, got none"),
        (KNOB.format("options = {lower_bound = 1}"), "or a dictionary of bounds, got {"),
        (KNOB.format("options = {lower_bound = 1, upper_bound = 900000}"), "900,000 options; 100,000 at most"),
        (KNOB.format("options = [2, 2]"), "knob `tile` has an option twice"),
        (KNOB.format("options = [2, 4], selected = 3"), "which is selected, is none of its options"),
        (KNOB.format("options = [2]") + KNOB.format("options = [4]").replace("%a", "%b"), "is another one elsewhere"),
        ('"test.op"() {tunepass.knobs = [4]} : () -> ()', "is a dictionary from an attribute's name to its values"),
        (
            KNOBS.replace('"smt.int.mod"(%y, %eight)', '"smt.int.mod"(%y, %x)'),
            "smt.int.mod by tile_m is not known to be by a positive number",
        ),
        (KNOBS.replace("smt.int.mul", "smt.int.pow"), "smt.int.pow has no counterpart"),
        (
            KNOBS.replace(", %l: !smt.int)", ")").replace("%l)", "%y)"),
            "3 values are constrained, and the region has 2 arguments",
        ),
        (
            '%b = "test.op"() : () -> i64\n' + KNOB.format("options = [2]") + CONSTRAINED,
            "only knobs and constants can be constrained",
        ),
    ],
)
def test_what_cannot_be_read_is_underlined(text: str, message: str) -> None:
    module = parsed(text)
    with pytest.raises(PassFailedException, match=re.escape(message)) as error:
        tuned(module, model="1")
    shown = "\n".join([str(error.value), *getattr(error.value, "__notes__", [])])
    assert "^^^^" in shown


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "takes a `model` or a `command`"),
        ({"model": "1", "command": "true"}, "takes a `model` or a `command`"),
        ({"model": "tille * 2"}, "unknown name"),
        ({"model": "0 - tile"}, "a value is not negative, got -"),
        ({"model": "tile / (tile - tile)"}, "has no value for this choice"),
        ({"command": "echo 'x"}, "the command .* cannot be read: No closing quotation"),
        ({"command": ""}, "the command has no words"),
        ({"command": "true", "timeout_s": 0}, "a run of the command takes more than 0 s, got 0"),
        ({"command": "echo /tmp/7 x3"}, "it printed no number"),
    ],
)
def test_a_wrong_option_of_the_pass_is_told(fields: dict[str, object], message: str) -> None:
    with pytest.raises(PassFailedException, match=message):
        tuned(parsed(KNOB.format("options = [2, 4]")), **fields)


def test_an_error_that_nobody_catches_ends_the_program_with_its_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: others.append(error))
    with pytest.raises(PassFailedException) as failed:
        tuned(parsed(KNOB.format("options = []")), model="1")
    with pytest.raises(SystemExit) as ended:
        sys.excepthook(failed.type, failed.value, failed.tb)
    assert ended.value.code == 2 and not others
    told = capsys.readouterr().err
    assert told.startswith("error: tunepass: knob `tile` has no options to choose from\n") and "^^^^" in told
    other = PassFailedException("of another pass")
    sys.excepthook(type(other), other, None)
    assert others == [other]


@pytest.mark.slow
def test_stock_xdsl_opt_ends_with_status_2_and_one_error(tmp_path: Path) -> None:
    path = tmp_path / "knobs.mlir"
    path.write_text(KNOB.format("options = []"))
    words = [Path(sys.executable).parent / "xdsl-opt", path, "--allow-unregistered-dialect"]
    done = subprocess.run([*words, "-p", 'tunepass{model="1"}'], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert "Traceback" not in done.stderr and done.stderr.count("error:") == 1


def test_a_module_without_knobs_is_told() -> None:
    with pytest.raises(PassFailedException, match="the module has no knob"):
        tuned(parsed('"test.op"() : () -> ()'), model="1")


def test_a_module_that_no_choice_fits_stays_as_it_was() -> None:
    module = parsed(KNOB.format("options = [2, 4]"))
    before = printed(module)
    with pytest.raises(PassFailedException, match="no choice of the knobs could be evaluated"):
        tuned(module, command="false")
    assert printed(module) == before
