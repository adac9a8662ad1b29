"""Functions of LLVM's: what is refused with its place, recipes and their files, candidates beside the module itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tunepass as tp
from tunepass.testing import EvaluatorContract

pytest.importorskip("llvmlite", reason="needs the extra llvm")

from tunepass.expr.nodes import free_names
from tunepass.integrations import llvm
from tunepass.integrations.llvm.asking import answer
from tunepass.integrations.llvm.evaluator import ModuleRun
from tunepass.integrations.llvm.recipe import Recipe, program
from tunepass.integrations.llvm.tune import opt_command
from tunepass.ir.c_kernel import ArrayArgument

MODULE = """target triple = "x86_64-pc-linux-gnu"

declare void @elsewhere(i32)

define internal void @store(ptr %place, double %value) noinline "target-cpu"="i686" {
  store double %value, ptr %place
  ret void
}

define i32 @scale(i32 %n, double %by, ptr %x, { i32, i32 } %pair) {
  ret i32 %n
}

define void @last(ptr %x, i32 %n) {
  ret void
}

define void @triple(i32 noundef %n, ptr noalias %x) #0 {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr double, ptr %x, i32 %i
  %old = load double, ptr %place
  %new = fmul double %old, 3.0
  call void @store(ptr %place, double %new)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { nounwind "target-cpu"="x86-64" }
"""
X86 = pytest.mark.skipif(
    not re.match("x86_64|AMD64", __import__("platform").machine()), reason="the module is for x86-64"
)
pytestmark = X86
ARGUMENTS = {"n": llvm.Scalar(300), "x": llvm.Array("double", "n")}
SMALL = llvm.Tuning(
    levels=(1, 3),
    switches=("loop_vectorization",),
    before=("sroa_pass", "loop_rotate_pass"),
    after=("sinking_pass",),
    places=(2, 1),
    thresholds=(llvm.Threshold("unroll-count", (0, 2, 4)),),
    attributes={
        "store": llvm.Attributes("store", ("alwaysinline", "memory(none)")),
        "width": llvm.Attributes("triple", ('"prefer-vector-width"="128"',)),
    },
)

SMALL_OF_NONE = llvm.Tuning(levels=(1, 3), switches=(), before=(), after=(), thresholds=())


def source(text: str = MODULE) -> tp.Source:
    return tp.Source("triple.ll", text)


@pytest.fixture(scope="module")
def problem() -> llvm.Problem:
    return llvm.Problem(llvm.Function(source(), "triple", ARGUMENTS), SMALL)


def refused(text: str, name: str = "triple", arguments: object = None) -> tp.Diagnostic:
    with pytest.raises(tp.SourceError) as error:
        llvm.Function(source(text), name, ARGUMENTS if arguments is None else arguments)  # type: ignore[arg-type]
    return error.value.diagnostics[0]


def test_a_length_may_name_a_number_that_comes_later() -> None:
    function = llvm.Function(source(), "last", {"x": llvm.Array("double", "2 * n"), "n": llvm.Scalar(4)})
    (array, _) = function.call.arguments
    assert isinstance(array, ArrayArgument) and free_names(array.length) == {"n"} and function.call.sizes is None


# --- bad input


def test_a_module_that_does_not_parse_is_refused_at_its_line() -> None:
    told = refused(MODULE.replace("%new = fmul double", "%new = fmul dubble"))
    assert told.span is not None and told.span.source.line_text(told.span.start).strip().startswith("%new = fmul")
    assert "does not read the module" in told.message and told.span.text == "dubble"


def test_a_module_that_does_not_verify_is_refused_at_the_instruction() -> None:
    early = MODULE.replace("  %old = load", "  %early = fadd double %new, 1.0\n  %old = load")
    told = refused(early)
    assert told.message.startswith("the module does not verify: Instruction does not dominate all uses")
    assert told.span is not None and told.span.text.startswith("%new = fmul")


def test_a_module_for_another_machine_is_refused_at_its_triple() -> None:
    told = refused(MODULE.replace("x86_64-pc-linux-gnu", "wasm32-unknown-unknown"))
    assert told.message.startswith("the module is for wasm32") and told.span is not None and told.span.line == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tripel", "there is no function @tripel"),
        ("elsewhere", "is declared here, not defined"),
        ("store", "is internal"),
    ],
)
def test_a_function_that_cannot_be_called_is_refused(name: str, message: str) -> None:
    told = refused(MODULE, name)
    assert message in told.message
    if name == "tripel":
        assert told.hint == "did you mean `triple`?"


ENTRIES = """%fastcc = type { i32 }

define i32 @main(i32 %n) {
  ret i32 %n
}
define fastcc i32 @quick(i32 %n) {
  ret i32 %n
}
define dso_local cc 10 i32 @numbered(i32 %n) {
  ret i32 %n
}
define %fastcc @typed(i32 %n) {
  ret %fastcc zeroinitializer
}
define ccc void @silent(i32 %n, ptr %x) {
  ret void
}
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("main", "@main is a program's entry"),
        ("quick", "@quick has the calling convention fastcc: C cannot call it"),
        ("numbered", "@numbered has the calling convention ghccc"),
        ("typed", "@typed returns %fastcc"),
    ],
)
def test_a_function_that_c_does_not_call_is_refused(name: str, message: str) -> None:
    told = refused(ENTRIES, name, {"n": llvm.Scalar(4)})
    assert told.message.startswith(message) and told.span is not None and told.span.text == f"@{name}"


def test_a_function_that_leaves_nothing_is_refused() -> None:
    told = refused(ENTRIES, "silent", {"n": llvm.Scalar(4), "x": llvm.Array("double", 4, "in")})
    assert told.message.startswith("nothing that @silent leaves can be compared") and told.hint is not None
    llvm.Function(source(ENTRIES), "silent", {"n": llvm.Scalar(4), "x": llvm.Array("double", 4)})


@pytest.mark.slow
def test_a_name_that_nobody_defines_is_told_with_where_to_link_it() -> None:
    text = "declare i32 @far(i32)\ndefine i32 @near(i32 %n) {\n  %x = call i32 @far(i32 %n)\n  ret i32 %x\n}\n"
    with pytest.raises(tp.TunepassError, match="`far`, which the kernel reaches, is not defined") as error:
        llvm.tune(llvm.Function(source(text), "near", {"n": llvm.Scalar(4)}), SMALL_OF_NONE, max_evals=1)
    assert (error.value.diagnostics[0].hint or "").startswith("name the source, the object or the library (-l…) that")
    assert "defines this in `link`" in (error.value.diagnostics[0].hint or "")


@pytest.mark.parametrize(
    ("arguments", "message", "place"),
    [
        ({"n": llvm.Scalar(4)}, "takes 4 arguments, 1 are given", "@scale"),
        ({"n": llvm.Array("i32", 4)}, "`n`, is i32, and an array is given", "i32 %n"),
        ({"n": llvm.Scalar(1.5)}, "`n`, is i32, and the number 1.5 is given", "i32 %n"),
        ({"x": llvm.Scalar(4)}, "`x`, is ptr, and a number is given", "ptr %x"),
        ({}, "argument 4 of @scale, `pair`, is { i32, i32 }", "{ i32, i32 } %pair"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_at_their_place(
    arguments: dict[str, object], message: str, place: str
) -> None:
    fitting = {"n": llvm.Scalar(4), "by": llvm.Scalar(2.0), "x": llvm.Array("double", 4), "pair": llvm.Scalar(1)}
    given = arguments if "1 are given" in message else {**fitting, **arguments}
    told = refused(MODULE, "scale", given)
    assert message in told.message and told.span is not None and told.span.text == place


def test_an_option_that_llvm_does_not_have_is_refused() -> None:
    function = llvm.Function(source(), "triple", ARGUMENTS)
    for threshold, message in [
        (llvm.Threshold("unroll-cuont", (0, 2)), "LLVM has no option -unroll-cuont"),
        (llvm.Threshold("unroll-count", (0, -2)), "-unroll-count takes a number, and not -2"),
    ]:
        with pytest.raises(tp.SpaceError, match=message):
            llvm.Problem(function, llvm.Tuning(thresholds=(threshold,)))


def test_an_unknown_pass_and_what_is_no_attribute_are_refused() -> None:
    with pytest.raises(tp.SpaceError, match="unknown pass 'sora_pass'") as error:
        llvm.Tuning(before=("sora_pass",))
    assert error.value.diagnostics[0].hint == "did you mean `sroa_pass`?"
    with pytest.raises(tp.SpaceError, match="is no list of attributes"):
        llvm.Tuning(attributes={"a": llvm.Attributes("triple", ("cold } define void @f() {",))})


# --- recipes


def test_the_default_configuration_is_level_3_alone(problem: llvm.Problem) -> None:
    recipe = problem.recipe(tp.Space(problem.kernel.parameters).default)
    assert (recipe.level, recipe.before, recipe.after, recipe.options, recipe.attributes) == (3, (), (), (), {})
    assert all(recipe.switches.values()) and recipe.cpu and recipe.features


def test_a_configuration_is_passes_options_and_attributes(problem: llvm.Problem) -> None:
    space = tp.Space(problem.kernel.parameters)
    chosen = {"before_1": "loop_rotate_pass", "before_2": "sroa_pass", "unroll_count": 4, "store": "alwaysinline"}
    recipe = problem.recipe(space.completed({**space.default, **chosen}))
    assert recipe.before == ("loop_rotate_pass", "sroa_pass") and recipe.options == ("-unroll-count=4",)
    assert recipe.opt_words[0] == "-passes=function(loop(loop-rotate)),function(sroa),default<O3>"
    assert recipe.attributes == {"store": "alwaysinline"} and Recipe.of_text(recipe.text).fields == {
        **recipe.fields,
        "before": list(recipe.before),
        "after": [],
        "options": list(recipe.options),
    }
    assert not space.contains({**space.default, "before_2": "sroa_pass"})  # the first place is empty


def test_an_attribute_takes_the_place_of_those_that_contradict_it(problem: llvm.Problem) -> None:
    recipe = Recipe(cpu="znver2", features="+avx2", attributes={"store": "alwaysinline"})
    text = answer("attributed", {**recipe.fields, "text": MODULE})["text"]
    groups = dict(re.findall(r"^attributes (#\d+) = \{ (.*) \}$", text, re.MULTILINE))
    of = {name: groups[number] for name, number in re.findall(r"^define .*?@(\w+)\(.*\) (#\d+) \{", text, re.MULTILINE)}
    assert of["store"] == '"target-cpu"="znver2" "target-features"="+avx2" alwaysinline'
    assert of["triple"] == 'nounwind "target-cpu"="znver2" "target-features"="+avx2"'


def test_the_program_makes_the_object_of_the_recipe(problem: llvm.Problem, tmp_path: Path) -> None:
    space = tp.Space(problem.kernel.parameters)
    recipe = problem.recipe(space.completed({**space.default, "unroll_count": 2, "after_1": "sinking_pass"}))
    built = {**recipe.fields, "text": MODULE, "function": "triple", "object": str(tmp_path / "worker.o")}
    assert answer("build", built) == {}
    text = answer("attributed", {**recipe.fields, "text": MODULE})["text"]
    (tmp_path / "triple.tuned.ll").write_text(text)
    (tmp_path / "tuned.py").write_text(
        program(recipe, "a note\nof two lines", "triple.tuned.ll", text, installed(problem))
    )
    assert run(tmp_path / "tuned.py", tmp_path / "program.o") == ""
    assert (tmp_path / "program.o").read_bytes() == (tmp_path / "worker.o").read_bytes()


def installed(problem: llvm.Problem) -> str:
    return problem.function.described.llvm


def run(program: Path, target: Path) -> str:
    """The warnings of a chosen program."""
    return subprocess.run([sys.executable, program, target], check=True, capture_output=True, text=True).stderr


def test_the_program_warns_of_another_llvm_and_of_a_module_that_changed(problem: llvm.Problem, tmp_path: Path) -> None:
    (tmp_path / "a.tuned.ll").write_text(MODULE)
    recipe = problem.recipe(tp.Space(problem.kernel.parameters).default)
    (tmp_path / "tuned.py").write_text(program(recipe, "", "a.tuned.ll", f"{MODULE};", "1.2.3"))
    lines = run(tmp_path / "tuned.py", tmp_path / "program.o").splitlines()
    assert lines == [
        f"tuned.py: warning: the passes were chosen with LLVM 1.2.3, this is LLVM {installed(problem)}",
        "tuned.py: warning: a.tuned.ll changed since its passes were chosen",
    ]
    assert (tmp_path / "program.o").is_file()


@pytest.mark.skipif(shutil.which("opt") is None, reason="opt is not installed")
def test_opt_takes_every_pass_and_says_what_it_refuses() -> None:
    recipe = Recipe(before=tuple(llvm.PASSES), switches=dict.fromkeys(Recipe().switches, False))
    assert "takes these words\nopt -passes=" in opt_command(recipe, "a.tuned.ll", "22.1.0")
    refusing = opt_command(Recipe(options=("-no-such-option=1",)), "a.tuned.ll", "22.1.0")
    assert "refuses them" in refusing and "no-such-option" in refusing.splitlines()[0]


# --- candidates


def module_run(problem: llvm.Problem) -> ModuleRun:
    return ModuleRun(problem.function, problem.kernel, problem.recipe, problem.untouched)


@pytest.mark.slow
class TestModuleRun(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, problem: llvm.Problem) -> ModuleRun:
        return module_run(problem)

    @pytest.fixture
    def good(self, problem: llvm.Problem) -> tp.Configuration:
        return tp.Space(problem.kernel.parameters).default

    @pytest.fixture
    def bad(self, problem: llvm.Problem) -> tp.Configuration:
        space = tp.Space(problem.kernel.parameters)
        return space.completed({**space.default, "store": "memory(none)"})


def test_a_candidate_that_computes_something_else_is_wrong(problem: llvm.Problem) -> None:
    """Calls of a function that is said to touch no memory are dropped."""
    space = tp.Space(problem.kernel.parameters)
    with module_run(problem) as run:
        outcome = run.evaluate(space.completed({**space.default, "store": "memory(none)"})).outcome
    assert isinstance(outcome, tp.Failed) and outcome.stage == "wrong_result" and "x[" in outcome.log


@pytest.mark.slow
def test_a_search_writes_a_program_the_module_and_the_command_of_opt(problem: llvm.Problem) -> None:
    result = problem.pipeline(max_evals=4).run(problem.kernel)
    names = ["triple.tuned.py", "triple.tuned.ll", "triple.tuned.opt"]
    assert [file.name for file in result.compilation.files] == names[: 2 + (shutil.which("opt") is not None)]
    assert len(result.found.trials) >= 4 and result.found.gains


def test_without_llvmlite_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tp.TunepassError, match="llvmlite is not installed") as error:
        llvm.Function(source(), "triple", ARGUMENTS)
    assert error.value.diagnostics[0].hint == "pip install 'tunepass[llvm]'"
