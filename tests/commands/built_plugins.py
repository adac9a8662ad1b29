"""Plugins for the compilers that are installed here, with their headers."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from tests.program import run_tunepass
from tunepass.compilers.asking import ask
from tunepass.compilers.compiler_plugins import building
from tunepass.compilers.compiler_plugins.building import NAME, clang_headers


def built_plugin(family: str, temporary: Path) -> Path:
    """Once for all processes of a run of tests, whose folders stand beside `temporary`; skipped where the compiler's
    headers are not installed. gcc's by the command, and clang's without optimisation, which takes a quarter less."""
    require_headers(family)
    folder = (temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary) / f"{family}-plugin"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / NAME).exists():
            if family == "clang":
                build_unoptimised("clang", folder / NAME)
            else:
                build_by_command(family, folder)
    return folder / NAME


def build_unoptimised(family: str, plugin: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "WORDS", tuple(word.replace("-O2", "-O0") for word in building.WORDS))
        building.build_plugin(family, family, plugin)


def build_by_command(family: str, folder: Path) -> None:
    done = run_tunepass([f"{family}-plugin", "-o", str(folder)], folder, {})
    assert done.returncode == 0 and f"for {family} " in done.stdout, done.stderr


def require_headers(family: str) -> None:
    """Skips the test without them."""
    if not shutil.which(family):
        pytest.skip(f"{family} is not installed")
    if not has_headers(family):
        package = {"gcc": "gcc-12-plugin-dev", "clang": "libclang-14-dev and llvm-14-dev"}[family]
        pytest.skip(f"{family} has no plugin headers here ({package})")


def has_headers(family: str) -> bool:
    if family == "clang":
        return clang_headers("clang", ask(["clang", "-dumpversion"]).stdout.strip()) is not None
    return Path(ask(["gcc", "-print-file-name=plugin"]).stdout.strip(), "include/gcc-plugin.h").is_file()
