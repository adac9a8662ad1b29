"""A small kernel, copied to a folder of its own, and the command line run in it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands.built_plugins import built_plugin
from tests.program import run_tunepass

SOURCE = """\
#pragma tunepass param BLOCK: ordinal(1, 4, 16) = 4
#pragma tunepass param OPT: categorical("-O1", "-O3") = "-O1" flag
#pragma tunepass constraint BLOCK > 1 or OPT == "-O1"
#ifndef BLOCK
#define BLOCK 4
#endif
#pragma tunepass kernel scale(n = 4096, x: in float[n], y: out float[n]) sizes()
void scale(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i += BLOCK)
        for (int j = i; j < i + BLOCK; j++)
            y[j] = 2 * x[j];
#if BLOCK == 16
    y[7] = 0;
#endif
}
"""


@dataclass(frozen=True)
class Folder:
    """Runs `tunepass` as a program in the folder, with nothing of the environment's own settings."""

    path: Path

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_tunepass(words, self.path, environment)

    def files(self) -> set[str]:
        """All files but the one that every new `.tunepass` has."""
        return {str(p.relative_to(self.path)) for p in self.path.rglob("*") if p.is_file() and p.name != ".gitignore"}

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.write_text(text)
        return path


def folder_with(path: Path) -> Folder:
    path.mkdir(exist_ok=True)
    found = Folder(path)
    found.write("scale.c", SOURCE)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_with(tmp_path)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A folder in which the kernel was tuned; tests share it and leave it as it is."""
    found = folder_with(tmp_path_factory.mktemp("built"))
    done = found.run("build", "scale.c", "--max-evals", "4", "--", "gcc", "-O2")
    assert done.returncode == 0, done.stderr
    return found


@pytest.fixture(scope="session")
def gcc_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_plugin("gcc", tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def clang_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_plugin("clang", tmp_path_factory.getbasetemp())
