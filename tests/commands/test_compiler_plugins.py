"""What both plugins make of a choice, each inside its compiler, and what a bad choices file does to them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.compiler_plugin import BAD, ERROR, WORDS, LoadingCompiler, choices_folder
from tests.commands.test_cc import PROBE
from tunepass.compilers.compiler_plugins.building import NAME as PLUGIN
from tunepass.compilers.compiler_plugins.building import build_plugin
from tunepass.diagnostics import ToolError
from tunepass.jobs.locks.choices_file import NAME

FAMILIES = ("gcc", "clang")
# the reader is the same text in both: in clang some kinds show that the plugin tells what it says
BAD_IN = [("gcc", kind) for kind in BAD] + [("clang", kind) for kind in list(BAD)[::5]]


@pytest.fixture
def compiler(tmp_path: Path, request: pytest.FixtureRequest) -> LoadingCompiler:
    family: str = request.param
    return LoadingCompiler(family, request.getfixturevalue(f"{family}_plugin"), choices_folder(tmp_path))


in_both = pytest.mark.parametrize("compiler", FAMILIES, indirect=True)


@in_both
def test_the_object_is_that_of_the_chosen_macros(compiler: LoadingCompiler) -> None:
    expected = compiler.object("-O2", *WORDS)
    assert compiler.object("-O2", compiler.word) == expected != compiler.object("-O2")
    assert compiler.object("-O2", "-DTILE=9", compiler.word) == expected  # they take the place of the command line's
    assert compiler.object("-O2", "-g", compiler.word, "-Wall", "-Werror")


@in_both
def test_a_changed_source_has_its_defaults(compiler: LoadingCompiler) -> None:
    (compiler.folder / "probe.c").write_text(PROBE + "/* */\n")
    done = compiler.load("-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0 and done.stderr.count("warning:") == 1
    assert "tunepass: probe.c changed since it was tuned; its defaults are used" in done.stderr
    assert (compiler.folder / "made.o").read_bytes() == compiler.object()
    done = compiler.load(ERROR, "-c", "probe.c")
    assert done.returncode == 1 and done.stderr.count("error:") == 1


@in_both
def test_link_time_optimisation_keeps_the_choice(compiler: LoadingCompiler) -> None:
    if compiler.program == "clang" and "gold" in compiler.call("-flto", "main.c", "probe.c").stderr:
        pytest.skip("clang links no bitcode here: LLVM's plugin of the linker is not installed")
    done = compiler.load("-O2", "-flto", "main.c", "probe.c", "-o", "program")
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    assert subprocess.run([compiler.folder / "program"], capture_output=True, text=True, check=True).stdout == "37\n"


@in_both
def test_calls_side_by_side(compiler: LoadingCompiler) -> None:
    expected = compiler.object("-O2", *WORDS)
    words = [compiler.program, compiler.word, "-O2", "-c", "probe.c", "-o"]
    calls = [subprocess.Popen([*words, f"{n}.o"], cwd=compiler.folder) for n in range(4)]
    assert [call.wait(60) for call in calls] == [0] * 4
    assert all((compiler.folder / f"{n}.o").read_bytes() == expected for n in range(4))


@in_both
def test_a_unity_build_keeps_the_defaults_and_is_told_where(compiler: LoadingCompiler) -> None:
    (compiler.folder / "all.c").write_text('int first;\n#include "probe.c"\n')
    done = compiler.load("-c", "all.c", "-o", "made.o")
    assert "all.c:2" in done.stderr and "which is not applied where another file includes it" in done.stderr
    assert (compiler.folder / "made.o").read_bytes() == compiler.object(source="all.c")


@in_both
def test_a_unity_build_in_another_folder_is_told_as_well(compiler: LoadingCompiler) -> None:
    (compiler.folder / "made").mkdir()
    (compiler.folder / "made/all.c").write_text('#include "../main.c"\n#include "../probe.c"\n')
    told = compiler.load("-c", "made/all.c", "-o", "made.o").stderr
    assert told.count("warning: tunepass:") == 1 and "made/all.c:2" in told, told
    assert "probe.c' has a choice of its own" in told
    assert (compiler.folder / "made.o").read_bytes() == compiler.object(source="made/all.c")
    with (compiler.folder / NAME).open("ab") as choices:
        choices.write(b"more\n")
    told = compiler.load("-c", "made/all.c", "-o", "made.o").stderr
    assert told.count("warning: tunepass:") == 1 and f"{NAME}: it is damaged" in told, told
    assert "it is not known whether 'made/../main.c' has a choice" in told


@in_both
def test_make_learns_of_the_choices_file(compiler: LoadingCompiler) -> None:
    compiler.object(compiler.word, "-MD", "-MF", "rule.d")
    assert NAME in (compiler.folder / "rule.d").read_text()


@in_both
def test_precompiled_headers_are_used_beside_the_choice(compiler: LoadingCompiler) -> None:
    (compiler.folder / "all.h").write_text("#include <stdio.h>\nstatic inline int two(void) { return 2; }\n")
    assert compiler.call("-O2", "all.h", "-o", "all.h.gch").returncode == 0
    words = ["-O2", "-Winvalid-pch", "-include", "all.h"]
    assert compiler.object(*words, compiler.word) == compiler.object(*words, *WORDS)
    read = compiler.load(*words, "-H", "-c", "probe.c").stderr
    assert "stdio.h" not in read.partition("probe.c")[0].replace("all.h.gch", "") or read.startswith("! "), read


@pytest.mark.parametrize(("compiler", "kind"), BAD_IN, indirect=["compiler"])
def test_a_bad_choices_file_is_told_once_and_changes_no_object(compiler: LoadingCompiler, kind: str) -> None:
    make, message = BAD[kind]
    choices = compiler.folder / NAME
    choices.write_bytes(make(choices.read_bytes()))
    done = compiler.load("-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0
    assert done.stderr.count("warning:") == 1 and f"tunepass: {NAME}{message}" in done.stderr, done.stderr
    made = (compiler.folder / "made.o").read_bytes()
    assert made == compiler.object()
    done = compiler.load(ERROR, "-c", "probe.c", "-o", "made.o")
    assert done.returncode == 1 and done.stderr.count("error:") == 1


@in_both
def test_what_is_no_file_is_told_and_not_waited_for(compiler: LoadingCompiler) -> None:
    choices = compiler.folder / NAME
    choices.unlink()
    os.mkfifo(choices)
    assert f"{NAME}: cannot be read: it is no regular file" in compiler.load("-c", "probe.c").stderr
    choices.unlink()
    with choices.open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert f"{NAME}: cannot be read: it has more than 64 MiB" in compiler.load("-c", "probe.c").stderr
    choices.unlink()
    assert compiler.object(compiler.word) == compiler.object()  # none is no mistake
    named = compiler.load(f"-fplugin-arg-tunepass-choices=none/{NAME}", "-c", "probe.c")
    assert f"none/{NAME}: cannot be read: No such file or directory" in named.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: (f / "tunepass.lock").unlink(),
            "tunepass.lock: cannot be compared with tunepass.choices: No such file",
        ),
        (lambda f: (f / "tunepass.lock").open("a").write("#\n"), "tunepass.lock changed since it was written"),
    ],
    ids=["gone", "changed"],
)
@in_both
def test_without_the_lock_that_it_was_made_from_nothing_is_tuned(
    compiler: LoadingCompiler, change: Callable[[Path], object], message: str
) -> None:
    change(compiler.folder)
    done = compiler.load("-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0 and done.stderr.count("warning:") == 1 and message in done.stderr
    assert (compiler.folder / "made.o").read_bytes() == compiler.object()


@in_both
def test_an_unknown_argument_is_refused(compiler: LoadingCompiler) -> None:
    done = compiler.load("-fplugin-arg-tunepass-stale=no", "-c", "probe.c")
    assert done.returncode == 1 and not (compiler.folder / "probe.o").exists()
    assert "unknown argument '-fplugin-arg-tunepass-stale=no'" in done.stderr
    assert "known are choices=FILE, stale=warning and stale=error" in done.stderr


@pytest.mark.parametrize(("compiler", "family"), [("clang", "gcc"), ("gcc", "clang")])
def test_a_plugin_is_built_for_its_own_family(tmp_path: Path, compiler: str, family: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    with pytest.raises(ToolError, match=f"{compiler} is no {family}"):
        build_plugin(compiler, family, tmp_path / PLUGIN)
