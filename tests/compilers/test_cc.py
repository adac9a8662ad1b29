"""Which compiler it is, and how its words are sorted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tunepass.compilers.cc import identify
from tunepass.compilers.options import split_arguments
from tunepass.diagnostics import ToolError


@pytest.mark.parametrize("program", [p for p in ("gcc", "g++", "clang", "clang++") if shutil.which(p)])
def test_families(program: str) -> None:
    found = identify(program)
    assert found.family == ("clang" if "clang" in program else "gcc")
    assert any(digit in found.version for digit in "0123456789") and "\n" not in found.version


def test_a_program_that_is_no_compiler_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "cc"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    with pytest.raises(ToolError, match="--version does not work"):
        identify(str(fake))
    with pytest.raises(ToolError, match=r"compiler not found: clang-99[\s\S]*apt-get install clang"):
        identify("clang-99")


@pytest.mark.parametrize("program,hint", [("-O2", "-- gcc -O2"), ("nocc", "install it or name another after `--`")])
def test_what_nobody_could_install_is_not_proposed(program: str, hint: str) -> None:
    with pytest.raises(ToolError) as caught:
        identify(program)
    assert str(caught.value).endswith(hint) and "apt-get" not in str(caught.value)


def test_words_are_sorted_into_compiling_linking_and_sources() -> None:
    words = ("-O2", "-I", "include", "-DX=1", "-lm", "-L", "lib", "-Wl,-rpath,x", "other.c", "fast.o", "-fopenmp")
    assert split_arguments(words) == (
        ("-O2", "-I", "include", "-DX=1", "-fopenmp"),
        ("-lm", "-L", "lib", "-Wl,-rpath,x", "fast.o"),
        ("other.c",),
    )
