"""A file that a source needs and that is not there: the compiler says so, at once."""

from __future__ import annotations

import shutil

import pytest

from tests.commands.conftest import SOURCE, Folder

every_compiler = pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}"))
        for name in ("gcc", "clang")
    ],
)
PROGRAM = """\
#include "config.h"
#pragma tunepass param COUNT: ordinal(1, 2)
#pragma tunepass run "./a.out"
#ifndef COUNT
#define COUNT 1
#endif
int main(void) { return COUNT - COUNT; }
"""


def build(folder: Folder, source: str, *words: str) -> tuple[int, str]:
    done = folder.run("build", source, "--max-evals", "2", "--", *words)
    return done.returncode, done.stderr


@every_compiler
@pytest.mark.slow_but(2)
def test_a_missing_header_is_the_compilers_own_message(folder: Folder, compiler: str) -> None:
    folder.write("scale.c", '#include "generated.h"\n' + SOURCE)
    status, said = build(folder, "scale.c", compiler, "-O2")
    assert status == 2 and "scale.c does not compile as it is" in said
    assert "scale.c:1:10: fatal error:" in said and "generated.h" in said
    folder.write("generated.h", "")
    assert build(folder, "scale.c", compiler, "-O2")[0] == 0


@every_compiler
def test_the_missing_header_may_be_included_by_another(folder: Folder, compiler: str) -> None:
    (folder.path / "include").mkdir()
    folder.write("include/tile.h", '#include "parts/sizes.h"\n')
    folder.write("scale.c", '#include "tile.h"\n' + SOURCE)
    status, said = build(folder, "scale.c", compiler, "-Iinclude")
    assert status == 2 and "include/tile.h:1:10: fatal error:" in said and "parts/sizes.h" in said


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("option", ["-include", "-imacros"])
def test_the_command_line_may_name_it(folder: Folder, option: str) -> None:
    status, said = build(folder, "scale.c", "gcc", option, "forced.h")
    assert status == 2 and "forced.h: No such file or directory" in said


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_harness_that_includes_the_source_does_not_hide_it(folder: Folder) -> None:
    """The element type stands in the missing header, so that the harness needs the source."""
    typed = SOURCE.replace("float", "real")
    folder.write("scale.c", '#include "real.h"\n' + typed)
    status, said = build(folder, "scale.c", "gcc")
    assert status == 2 and "scale.c does not compile as it is" in said and "real.h: No such file" in said


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_programs_are_told_alike(folder: Folder) -> None:
    folder.write("program.c", PROGRAM)
    status, said = build(folder, "program.c", "gcc")
    assert status == 2 and "program.c:1:10: fatal error: config.h" in said
