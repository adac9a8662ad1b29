"""One table says which files are sources, whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass import registry
from tunepass.compilers.languages import LANGUAGES, SOURCE_SUFFIXES, is_linked, is_source, language_of
from tunepass.compilers.options import split_arguments
from tunepass.evaluators.source_tree import without_leftovers
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.launcher.compiler_call import analyse


@pytest.mark.parametrize("suffix", SOURCE_SUFFIXES)
def test_every_suffix_is_a_source_to_all(suffix: str) -> None:
    name = f"folder.o/helper{suffix}"
    assert is_source(name) and not is_linked(name)
    assert split_arguments(("-O2", name, "x.o")) == (("-O2",), ("x.o",), (name,))
    assert [given.language for given in analyse(["-c", name]).inputs] == [LANGUAGES[suffix]]
    assert without_leftovers([Path("helper.o"), Path("other.o"), Path(name).relative_to("folder.o")]) == [
        Path("other.o"),
        Path(f"helper{suffix}"),
    ]


@pytest.mark.parametrize("name", ["x.h", "x.hpp", "x", "x.o", "libx.so.1", "x.txt", ".c/x"])
def test_other_files_are_no_sources(name: str) -> None:
    assert not is_source(name) and not split_arguments((name,))[2]


@pytest.mark.parametrize("suffix", [s for s in SOURCE_SUFFIXES if LANGUAGES[s] in ("c", "c++")])
def test_frontends_read_every_suffix_of_c_and_cxx(suffix: str) -> None:
    assert registry.find("frontends", suffix) is CFrontend and suffix in CFrontend.suffixes
    assert (
        registry.find("frontends", suffix, "#pragma tunepass hls f") is HlsFrontend and suffix in HlsFrontend.suffixes
    )


def test_the_last_suffix_counts() -> None:
    assert [language_of(name) for name in ("a.c.cpp", "a.o.s", "a.S", "c", ".c")] == [
        "c++",
        "assembler",
        "assembler-with-cpp",
        "",
        "",
    ]
