"""What a kernel's program is linked of: what the kernel reaches, and nothing that nobody defines."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.evaluators.kernels import WINDOW, window_task
from tunepass.diagnostics import ToolError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.programs.linking import not_linked, undefined_names
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured, Outcome

OTHERS = """
extern int lookup[];
int elsewhere(int);
static int through(int x) { return elsewhere(x) + lookup[x]; }
int (*const table[])(int) = {through};
int other(int x) { return table[x](x); }
"""
REACHED = WINDOW.replace("void window", f"{OTHERS}\nvoid window").replace(
    "/* slow */", "\n    out[0] = other(n);\n#elif 0"
)


def outcomes(task: KernelTask, *shapes: int) -> list[Outcome]:
    with CompileRun(task) as evaluator:
        return [evaluator.evaluate(Configuration({"SHAPE": shape})).outcome for shape in shapes]


def compilers() -> list[str]:
    return [name for name in ("gcc", "clang") if shutil.which(name)]


@pytest.mark.parametrize("compiler", compilers())
@pytest.mark.slow_but(2)
def test_other_functions_may_call_what_the_command_does_not_name(tmp_path: Path, compiler: str) -> None:
    right, wrong = outcomes(window_task(tmp_path, compiler, WINDOW + OTHERS), 0, 6)
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.parametrize("linker", ["bfd", "gold", "lld", "mold"])
def test_every_linker_drops_what_is_not_reached(tmp_path: Path, linker: str) -> None:
    if not shutil.which(f"ld.{linker}"):
        pytest.skip(f"no {linker}")
    command = ("gcc", "-O1", f"-fuse-ld={linker}")
    (right,) = outcomes(window_task(tmp_path, text=WINDOW + OTHERS, command=command), 0)
    assert isinstance(right, Measured), right
    calling = WINDOW.replace("void window", f"{OTHERS}\nvoid window").replace(
        "for (int i = 0", "out[0] = other(n); for (int i = 0"
    )
    with pytest.raises(ToolError, match=r"`(lookup` and `elsewhere|elsewhere` and `lookup)`, which the kernel"):
        outcomes(window_task(tmp_path, text=calling, command=command), 0)


def test_further_sources_may_call_what_nobody_names_too(tmp_path: Path) -> None:
    further = tmp_path / "further.c"
    further.write_text("void absent(void); int offset(void) { return 1; } void others(void) { absent(); }\n")
    text = WINDOW.replace("void window", "int offset(void);\nvoid window").replace("(i + 1)", "(i + offset())")
    (right,) = outcomes(window_task(tmp_path, text=text, command=("gcc", "-O1", str(further))), 0)
    assert isinstance(right, Measured), right


def test_what_the_kernel_reaches_must_be_defined(tmp_path: Path) -> None:
    text = WINDOW.replace("void window", f"{OTHERS}\nvoid unseen(void);\nvoid window")
    text = text.replace(
        "    for (int i = 0; i < n; i++) out[i] = in[i] + in[(i + 1) % n];\n}",
        "    if (n < 0) unseen();\n    for (int i = 0; i < n; i++) out[i] = in[i] + in[(i + 1) % n];\n}",
    )
    with pytest.raises(
        ToolError, match="does not link with its harness: `unseen`, which the kernel reaches, is not"
    ) as error:
        outcomes(window_task(tmp_path, text=text), 0)
    hint = error.value.diagnostics[0].hint or ""
    assert hint.startswith("name the source, the object or the library") and "elsewhere" not in hint


def test_a_candidate_that_alone_reaches_what_nobody_defines_fails(tmp_path: Path) -> None:
    right, reaching = outcomes(window_task(tmp_path, text=REACHED), 0, 18)
    assert isinstance(right, Measured), right
    assert isinstance(reaching, Failed) and reaching.stage == "compile" and "elsewhere" in reaching.log


@pytest.mark.parametrize("compiler", compilers())
def test_the_sanitizers_see_what_the_kernel_reaches(tmp_path: Path, compiler: str) -> None:
    with CompileRun(window_task(tmp_path, compiler, WINDOW + OTHERS)) as evaluator:
        assert evaluator.sanitize(Configuration({"SHAPE": 0})) is None
        past = evaluator.sanitize(Configuration({"SHAPE": 8}))
    assert isinstance(past, Failed) and past.stage == "out_of_bounds"


def test_a_source_whose_program_links_is_compiled_as_its_user_says(tmp_path: Path) -> None:
    with CompileRun(window_task(tmp_path)) as evaluator:
        evaluator.set_up()
        assert evaluator.compiling.sections == ()


LOGS = {
    "ld": "k.o: in function `other':\nk.c:(.text+0x20): undefined reference to `ns::far(int)'\ncollect2: error",
    "again": "k.c:4: undefined reference to `ns::far(int)'\nk.c:9: more undefined references to `ns::far(int)' follow",
    "gold": "k.o:k.c:function bad: error: undefined reference to 'ns::far(int)'",
    "lld": "ld.lld: error: undefined symbol: ns::far(int)\n>>> referenced by k.c:7",
    "lld, hidden": "ld.lld: error: undefined hidden symbol: ns::far(int)",
    "mold": "mold: error: undefined symbol: ns::far(int)\n>>> referenced by k.c",
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_the_names_that_linkers_miss(log: str) -> None:
    assert undefined_names(Failed("compile", log)) == ("ns::far(int)",)


def test_many_missing_names_are_counted() -> None:
    log = "\n".join(f"undefined reference to `f{k}'" for k in range(9))
    compiling = Compiling(("cc",), Path("k.c"))
    message = not_linked(compiling, Failed("compile", log)).diagnostics[0].message
    assert message.endswith("`f0`, `f1`, `f2`, `f3`, `f4`, `f5` and 3 more, which the kernel reaches, are not defined")
    other = not_linked(compiling, Failed("compile", "cannot find -lm"))
    assert other.diagnostics[0].message == "k.c does not link with its harness"
    assert os.linesep not in other.diagnostics[0].message
