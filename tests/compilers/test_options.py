"""One table says which options take the next word, whoever walks through a compiler's words."""

from __future__ import annotations

import shutil
from pathlib import Path
from shlex import split

import pytest

from tunepass.compilers.options import (
    DEFINES,
    HEADER_FOLDERS,
    INCLUDED,
    NVCC_TAKES_VALUE,
    OUTPUT,
    RULE_VALUES,
    TAKES_VALUE,
    output_of,
    split_arguments,
    table_of,
    values_of,
)
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.source_files import listing_words, source_files
from tunepass.ir.candidate import Candidate
from tunepass.launcher.compiler_call import analyse


@pytest.mark.parametrize("option", sorted(TAKES_VALUE))
def test_a_value_that_looks_like_a_source_is_none(option: str) -> None:
    words = ["-O2", option, "value.c", "a.c"]
    compiling, linking, sources = split_arguments(words)
    assert sources == ("a.c",) and (compiling, linking) in (
        (("-O2", option, "value.c"), ()),
        (("-O2",), (option, "value.c")),
    )
    assert [given.name for given in analyse(["-c", *words]).inputs] == ["a.c"]
    kept = Compiling(("gcc", *words), Path("k.c")).arguments
    assert kept == (("-O2", "a.c") if option in OUTPUT else tuple(words))
    assert ("value.c" in listing_words(words)) == (option not in (*OUTPUT, *RULE_VALUES))


@pytest.mark.parametrize("option", sorted(NVCC_TAKES_VALUE))
def test_a_value_of_nvccs_is_no_source_either(option: str) -> None:
    assert split_arguments([option, "value.cu", "k.cu"], table_of("/usr/bin/nvcc"))[2] == ("k.cu",)


def test_g_has_no_value_to_nvcc() -> None:
    call = analyse(["-G", "k.cu", "-c"], takes_value=table_of("nvcc-12"))
    assert [source.name for source in call.sources] == ["k.cu"] and table_of("/opt/g++-13") is TAKES_VALUE


@pytest.mark.parametrize("option", INCLUDED)
def test_every_spelling_of_a_value_is_read(option: str) -> None:
    joined = f"{option}=b.h" if option.startswith("--") else f"{option}b.h"
    assert values_of([option, "a.h", joined, "-include-pch", "x", "c.c"], INCLUDED) == ["a.h", "b.h"]


def test_headers_are_looked_for_in_every_folder_and_no_other() -> None:
    words = [word for option in HEADER_FOLDERS for word in (option, f"of{option}")]
    words += [word for option in DEFINES for word in (option, "X=1")]
    words += ["-imacros", "-Inone", "-o", "-Dnone", "-MT", "-Inone"]
    assert values_of(words, HEADER_FOLDERS) == [f"of{option}" for option in HEADER_FOLDERS]
    assert values_of(words, DEFINES) == ["X=1"] * len(DEFINES)


@pytest.mark.parametrize("words,output", [("-o a -ob", "b"), ("--output=x", "x"), ("-D -o a.c", ""), ("-c", "")])
def test_the_last_output_counts(words: str, output: str) -> None:
    assert output_of(split(words)) == output


def test_words_of_the_linker_stay_away_from_compiling() -> None:
    words = "-O2 -z now -Tx.ld -T y.ld -e main -rpath d -shared lib.so.2 -undef -znow -Wl,-s -traditional -g"
    assert split_arguments(split(words)) == (
        ("-O2", "-undef", "-traditional", "-g"),
        tuple(split("-z now -Tx.ld -T y.ld -e main -rpath d -shared lib.so.2 -znow -Wl,-s")),
        (),
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_further_sources_of_every_kind_become_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = dict.fromkeys([".c", ".i"], "int x;\n") | dict.fromkeys([".s", ".S", ".sx"], ".text\n")
    if shutil.which("g++"):
        texts |= dict.fromkeys([".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii"], "namespace { int y; }\n")
    for suffix, text in texts.items():
        Path(f"helper{suffix}").write_text(text)
    Path("config.c").write_text("#define X 1\n")
    names = [f"helper{suffix}" for suffix in texts]
    compiling = Compiling(("gcc", "-imacros", "config.c", *names), Path("k.c"))
    assert compiling.further_sources == tuple(names)
    assert all(target.is_file() for target in compiling.compile_further(tmp_path))
    Path("helper.c").write_text("int x = Y;\n")
    with pytest.raises(ToolError, match=r"helper\.c does not compile"):
        compiling.compile_further(tmp_path)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("stated", ["-x c", "-xc", "--language=c"])
def test_a_stated_language_is_none_of_the_objects(stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.text").write_text("int main(void) { return 0; }\n")
    compiling = Compiling(("gcc", *split(stated), "-O1"), Path("k.c"))
    _, failure = compiling.run([*compiling.flags, "-c", "main.text", "-o", "main.o"])
    assert failure is None
    _, failure = compiling.link([Path("main.o")], Path("prog"), Candidate())
    assert failure is None and Path("prog").is_file()


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.parametrize("option", ["-imacros", "-include"])
def test_an_included_source_is_among_the_files_read(
    compiler: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.c").write_text("#define X 1\n")
    Path("k.c").write_text("int x = X;\n")
    files = source_files((compiler, option, "config.c"), Path("k.c"), "int x = X;\n")
    assert files.listed and [f.part.name for f in files.files if not f.part.name.startswith("/")] == ["config.c"]
