"""Plugins for the compilers that are installed here, with their headers."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from tests.program import run_tunepass
from tunepass.compilers.asking import ask
from tunepass.compilers.compiler_plugins.building import NAME, clang_headers


def built_plugin(family: str, temporary: Path) -> Path:
    """By the command, once for all processes of a run of tests, whose folders stand beside `temporary`; skipped where
    the compiler's headers are not installed."""
    if not shutil.which(family):
        pytest.skip(f"{family} is not installed")
    if not has_headers(family):
        package = {"gcc": "gcc-12-plugin-dev", "clang": "libclang-14-dev and llvm-14-dev"}[family]
        pytest.skip(f"{family} has no plugin headers here ({package})")
    folder = (temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary) / f"{family}-plugin"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / NAME).exists():
            done = run_tunepass([f"{family}-plugin", "-o", str(folder)], folder, {})
            assert done.returncode == 0 and f"for {family} " in done.stdout, done.stderr
    return folder / NAME


def has_headers(family: str) -> bool:
    if family == "clang":
        return clang_headers("clang", ask(["clang", "-dumpversion"]).stdout.strip()) is not None
    return Path(ask(["gcc", "-print-file-name=plugin"]).stdout.strip(), "include/gcc-plugin.h").is_file()
