"""What a compile reads besides its source, as the compiler itself lists it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tunepass.evaluators.toolchains.source_files import (
    SourceFiles,
    expanded,
    listing_words,
    named_files,
    prerequisites,
    shown_name,
    source_files,
)

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}"))
    for name in ("gcc", "clang")
]
every_compiler = pytest.mark.parametrize("compiler", COMPILERS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "k.c": '#include "tile.h"\n#if __has_include("extra.h")\n#include "extra.h"\n#endif\nint f = N;\n',
        "include/tile.h": '#include "inner.h"\n',
        "include/inner.h": "#define N 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "first").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(compiler: str, *words: str) -> SourceFiles:
    files = source_files((compiler, "-Ifirst", "-Iinclude", *words), Path("k.c"), Path("k.c").read_text())
    assert files.listed
    return files


def names(files: SourceFiles) -> list[str]:
    return [file.part.name for file in files.files if not file.part.name.startswith("/")]


@every_compiler
def test_headers_are_listed_as_they_are_read(folder: Path, compiler: str) -> None:
    files = read(compiler)
    assert names(files) == ["include/tile.h", "include/inner.h"]
    (folder / "include" / "inner.h").write_text("#define N 2\n")
    assert files.manifest.changes(read(compiler).manifest) == ["header changed: include/inner.h"]
    assert [file.part.name for file in files.files if file.changed()] == ["include/inner.h"]


@every_compiler
def test_a_header_found_by_two_names_is_one(folder: Path, compiler: str) -> None:
    (folder / "more.c").write_text('#include "inner.h"\nint g(void) { return N; }\n')
    words = (compiler, f"-I{folder}/include", "-iquote", "include", "more.c")
    before = source_files(words, Path("k.c"), "")
    assert names(before) == ["include/tile.h", "include/inner.h", "more.c"]
    (folder / "include" / "inner.h").write_text("#define N 2\n")
    assert before.manifest.changes(source_files(words, Path("k.c"), "").manifest) == ["header changed: include/inner.h"]


@every_compiler
def test_a_new_header_that_hides_another_is_noticed(folder: Path, compiler: str) -> None:
    before = read(compiler)
    (folder / "first" / "tile.h").write_text("#define N 3\n")
    assert set(before.manifest.changes(read(compiler).manifest)) == {
        "header gone: include/tile.h", "header gone: include/inner.h", "header added: first/tile.h"
    }  # fmt: skip
    (folder / "first" / "tile.h").unlink()
    (folder / "include" / "extra.h").write_text("")
    assert before.manifest.changes(read(compiler).manifest) == ["header added: include/extra.h"]


@every_compiler
def test_a_missing_header_is_a_change_and_no_error(folder: Path, compiler: str) -> None:
    before = read(compiler)
    (folder / "include" / "inner.h").unlink()
    assert before.manifest.changes(read(compiler).manifest)[0].startswith("header gone: include/inner.h")


@every_compiler
def test_what_the_words_name_is_read(folder: Path, compiler: str) -> None:
    (folder / "more.c").write_text('#include "inner.h"\nint g(void) { return N; }\n')
    (folder / "config.h").write_text("#define CONFIG 1\n")
    (folder / "lib.a").write_bytes(b"!<arch>\n")
    (folder / "words").write_text("-Iinclude -include config.h -o k.o -MD\n")
    files = source_files((compiler, "@words", "more.c", "lib.a", "-o", "prog"), Path("k.c"), "")
    assert set(names(files)) == {"config.h", "include/tile.h", "include/inner.h", "more.c", "words", "lib.a"}
    assert sorted(os.listdir(folder)) == ["config.h", "first", "include", "k.c", "lib.a", "more.c", "words"]


@every_compiler
def test_what_cannot_be_listed_is_not_known(folder: Path, compiler: str) -> None:
    (folder / "k.c").write_text("#error no\n")
    assert not source_files((compiler,), Path("k.c"), "").listed


def test_a_touched_file_is_the_same(folder: Path) -> None:
    files = read("gcc")
    (folder / "include" / "tile.h").touch()
    assert not any(file.changed() for file in files.files)


def test_a_checkout_elsewhere_reads_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = read("gcc").manifest
    shutil.copytree(folder, folder / "copy")
    monkeypatch.chdir(folder / "copy")
    assert read("gcc").manifest.digest == here.digest


def test_make_rules_are_read_as_make_does() -> None:
    rules = "k.o: k.c a\\ b.h \\\n  c\\#d.h e$$f.h\nmore.o: more.c g.h\n"
    assert prerequisites(rules) == ["k.c", "a b.h", "c#d.h", "e$f.h", "more.c", "g.h"]


def test_words_that_write_or_stop_are_left_out() -> None:
    words = ["-O2", "-MD", "-MF", "x.d", "-MTx", "-c", "-o", "x.o", "-ox", "-Wp,-MMD,y", "-Ia", "-save-temps=obj"]
    assert listing_words(words) == ["-O2", "-Ia"]


def test_response_files_that_name_themselves_end(folder: Path) -> None:
    (folder / "loop").write_text("-O2 @loop")
    words, files = expanded(["@loop"])
    assert words[-1] == "@loop" and set(files) == {"loop"}
    assert expanded(["@nothing"]) == (["@nothing"], [])


def test_files_after_an_equals_sign_count(folder: Path) -> None:
    (folder / "profile").write_text("")
    assert named_files(["-fprofile-use=profile", "-DX=none", "k.c", "gone.o"]) == ["profile"]


def test_names_are_short() -> None:
    assert shown_name(Path("/p/src/a.h"), "/p/src") == "a.h"
    assert shown_name(Path("/p/include/a.h"), "/p/src") == "../include/a.h"
    assert shown_name(Path("/usr/include/a.h"), "/p/src/c") == "/usr/include/a.h"
