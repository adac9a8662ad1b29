"""Words that start the compiler after `--`."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import split

import pytest

from tests.commands.conftest import Folder
from tunepass.commands.grammar.arguments import parse
from tunepass.commands.grammar.launched import enter, split_launcher

LAUNCHERS = (
    *("nice", "nice -n 5", "env X=1", "env -u V X=1", "taskset -c 0", "timeout 60", "timeout -k 5 60", "time"),
    *("ccache", "distcc", "stdbuf -oL", "sh ./own.sh", "nice env X=1 taskset -c 0"),
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of these names are all that there are on the PATH."""
    for name in ("gcc", "nice", "env", "taskset", "timeout", "ccache", "distcc", "stdbuf", "sh", "own.sh"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.usefixtures("programs")
def test_the_compiler_is_found_behind_a_launcher(launcher: str) -> None:
    options = parse(split(f"build a.c -- {launcher} gcc -O2"))
    assert (options.launcher, options.compiler) == (split(launcher), ["gcc", "-O2"])


@pytest.mark.parametrize("words", ["gcc -O2", "-O2 -I gcc", "nocc gcc", "nice -n 5", "./own.sh -O2"])
@pytest.mark.usefixtures("programs")
def test_other_words_are_the_compilers_own(words: str) -> None:
    assert split_launcher(split(words)) == ([], split(words))


@pytest.mark.parametrize(
    "launcher,variables,left",
    [
        ("env X=1 Y=a=b", {"X": "1", "Y": "a=b"}, ""),
        ("env -u V", {"V": None}, ""),
        ("nice -n 5 env X=1", {"X": "1"}, "nice -n 5"),
        ("env X=1 taskset -c 0", {"X": "1"}, "taskset -c 0"),
        ("env -i X=1", {"X": "1"}, "-i"),
        ("timeout X=1", {"X": None}, "timeout X=1"),
    ],
)
@pytest.mark.usefixtures("programs")
def test_variables_are_set_and_other_words_are_told(
    launcher: str, variables: dict[str, str | None], left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("X", "Y"):
        monkeypatch.setenv(name, "")  # to be put back
        monkeypatch.delenv(name)
    monkeypatch.setenv("V", "v")
    notes = enter(split(launcher), ["gcc"])
    assert {name: os.environ.get(name) for name in variables} == variables
    assert notes == ([f"note: candidates are compiled by `gcc` itself, without `{left}`"] if left else [])


SOURCE = """#include "own.h"
#pragma tunepass param STEP: ordinal(1, 2)
#ifndef STEP
#define STEP 1
#endif
#pragma tunepass kernel fill(n = 64, x: out int[n])
void fill(int n, int *x) { for (int i = 0; i < n; i++) x[i] = STEP * i / STEP + OWN; }
"""


def test_a_build_has_the_compiler_and_the_variables(folder: Folder) -> None:
    folder.write("fill.c", SOURCE)
    (folder.path / "further").mkdir()
    folder.write("further/own.h", "#define OWN 7\n")
    done = folder.run(*split("build fill.c -o out --max-evals 2 -- nice -n 1 env CPATH=further cc -O1"))
    assert done.returncode == 0, done.stderr
    assert "note: candidates are compiled by `cc` itself, without `nice -n 1`" in done.stderr
    assert "flags: [-O1]" in (folder.path / "tunepass.lock").read_text()
