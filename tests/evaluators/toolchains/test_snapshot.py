"""Candidates are compiled from the files as they were, and nothing that the compiler does or says shows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.diagnostics import SourceError
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.source_files import source_files
from tunepass.ir.candidate import Candidate

every_compiler = pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}"))
        for name in ("gcc", "clang")
    ],
)
SOURCE = """\
#include "tile.h"
#include <limits.h>
#ifdef OTHER
#include "other.h"
#endif
const char *file(void) { return __FILE__; }
const char *tile(void) { return TILE; }
int most(void) { return INT_MAX + WRAPPED; }
"""
Edit = Callable[[Path, str], None]


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def write_and_rename(path: Path, text: str) -> None:
    """As an editor saves."""
    path.with_suffix(".swp").write_text(text)
    os.replace(path.with_suffix(".swp"), path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "a project"
    for name, text in {
        "src/k.c": SOURCE,
        "include/tile.h": '#define TILE "first"\n',
        "include/limits.h": "#ifndef WRAPPED\n#define WRAPPED 0\n#include_next <limits.h>\n#endif\n",
        "include/other.h": '#define OTHER_TEXT "unlisted"\nconst char *other(void) { return OTHER_TEXT; }\n',
    }.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    monkeypatch.chdir(project)
    return project


def frozen(root: Path, *command: str, source: str = "src/k.c") -> Compiling:
    compiling = Compiling(command=command, source=Path(source))
    (root / "snapshot").mkdir()
    compiling.freeze(root / "snapshot", source_files(command, Path(source), Path(source).read_text()), ())
    return compiling


def compiled(compiling: Compiling, root: Path, candidate: Candidate | None = None) -> bytes:
    folder = root / "candidate"
    folder.mkdir(exist_ok=True)
    target, _, failure = compiling.compile_candidate(candidate or Candidate(), folder, rename_main=False)
    assert failure is None, failure.log
    return target.read_bytes()


@every_compiler
@pytest.mark.parametrize("edit", [in_place, write_and_rename])
@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.each_value
def test_an_edited_header_is_not_seen(folder: Path, tmp_path: Path, compiler: str, edit: Edit, absolute: bool) -> None:
    include = str(folder / "include") if absolute else "include"
    source = str(folder / "src/k.c") if absolute else "src/k.c"
    compiling = frozen(tmp_path, compiler, "-g", f"-I{include}", source=source)
    before = compiled(compiling, tmp_path)
    edit(folder / "include" / "tile.h", '#define TILE "second"\n')
    edit(folder / "src" / "k.c", SOURCE.replace("INT_MAX", "INT_MIN"))
    assert compiled(compiling, tmp_path) == before
    assert b"first" in before and b"second" not in before
    assert source.encode() in before
    if compiler == "gcc" or not absolute:  # clang's debug information has the place of the image
        assert str(tmp_path / "snapshot").encode() not in before


@pytest.mark.parametrize("edit", [in_place, write_and_rename])
def test_every_file_that_changed_is_named(folder: Path, edit: Edit) -> None:
    sources = source_files(("gcc", "-Iinclude"), Path("src/k.c"), SOURCE)
    sources.check_unchanged()
    edit(folder / "src" / "k.c", SOURCE)
    sources.check_unchanged()
    edit(folder / "src" / "k.c", SOURCE + "\n")
    edit(folder / "include" / "tile.h", '#define TILE "second"\n')
    with pytest.raises(SourceError, match=r"k\.c and 1 more changed during the build"):
        sources.check_unchanged()


@every_compiler
def test_what_only_another_candidate_includes_is_found(folder: Path, tmp_path: Path, compiler: str) -> None:
    compiling = frozen(tmp_path, compiler, "-I", "include")
    assert b"unlisted" in compiled(compiling, tmp_path, Candidate(defines=("-DOTHER",)))


@every_compiler
def test_a_rewritten_text_has_the_name_of_its_source(folder: Path, tmp_path: Path, compiler: str) -> None:
    compiling = frozen(tmp_path, compiler, "-Iinclude")
    plain = compiled(compiling, tmp_path)
    assert compiled(compiling, tmp_path, Candidate(text=SOURCE)) == plain
    assert b"src/k.c" in plain


@every_compiler
def test_what_the_compiler_says_names_the_users_files(folder: Path, tmp_path: Path, compiler: str) -> None:
    for include, name in (("include", "include/tile.h"), (str(folder / "include"), f"{folder}/include/tile.h")):
        compiling = frozen(tmp_path, compiler, f"-I{include}")
        (tmp_path / "out").mkdir()
        (folder / "include" / "tile.h").touch()
        failing = Candidate(defines=("-DTILE=1",), flags=("-Werror",))
        _, _, failure = compiling.compile_candidate(failing, tmp_path / "out", rename_main=False)
        assert failure is not None and f"{name}:1:" in failure.log and "snapshot" not in failure.log
        shutil.rmtree(tmp_path / "snapshot")
        shutil.rmtree(tmp_path / "out")


def test_links_lead_to_what_was_copied(folder: Path, tmp_path: Path) -> None:
    (folder / "farm").mkdir()
    (folder / "farm" / "tile.h").symlink_to("../include/tile.h")
    (folder / "headers").symlink_to("include")
    compiling = frozen(tmp_path, "gcc", "-Ifarm", "-Iheaders")
    (folder / "include" / "tile.h").write_text('#define TILE "second"\n')
    assert b"first" in compiled(compiling, tmp_path)


def test_folders_of_the_environment_are_seen_as_they_were(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPATH", f"{folder}/include")
    compiling = frozen(tmp_path, "gcc")
    (folder / "include" / "tile.h").write_text('#define TILE "second"\n')
    assert b"first" in compiled(compiling, tmp_path)


def test_a_file_that_changed_before_the_snapshot_ends_it(folder: Path, tmp_path: Path) -> None:
    sources = source_files(("gcc", "-Iinclude"), Path("src/k.c"), SOURCE)
    (folder / "include" / "tile.h").write_text('#define TILE "second"\n')
    with pytest.raises(SourceError, match=r"include/tile\.h changed during the build"):
        Compiling(command=("gcc", "-Iinclude"), source=Path("src/k.c")).freeze(tmp_path, sources, ())


def test_a_file_that_vanishes_meanwhile_is_named(folder: Path) -> None:
    sources = source_files(("gcc", "-Iinclude"), Path("src/k.c"), SOURCE)
    (folder / "include" / "tile.h").unlink()
    with pytest.raises(SourceError, match=r"include/tile\.h vanished during the build"):
        sources.check_unchanged()


@every_compiler
def test_a_missing_header_is_missing_in_the_snapshot(folder: Path, tmp_path: Path, compiler: str) -> None:
    (folder / "include" / "tile.h").unlink()
    compiling = frozen(tmp_path, compiler, "-Iinclude")
    (tmp_path / "out").mkdir()
    _, _, failure = compiling.compile_candidate(Candidate(), tmp_path / "out", rename_main=False)
    assert failure is not None and "src/k.c:1:10: fatal error:" in failure.log and "tile.h" in failure.log


def test_a_missing_header_that_comes_into_being_ends_the_build(folder: Path, tmp_path: Path) -> None:
    (folder / "include" / "tile.h").unlink()
    sources = source_files(("gcc", "-I."), Path("src/k.c"), SOURCE)
    (folder / "tile.h").write_text("")
    with pytest.raises(SourceError, match=r"tile\.h changed during the build"):
        Compiling(command=("gcc", "-I."), source=Path("src/k.c")).freeze(tmp_path, sources, ())
