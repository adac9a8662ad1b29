"""Harnesses of the same text are compiled once for all tests: that takes longer than the kernels they call.

A harness alone depends on its text, the compiler and the words. One that includes its source, and one that does not
compile, is compiled each time.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tunepass.evaluators.process.run import Completed, Limits
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.study.outcome import Failed

MARK = "-DTP_WRAP_MALLOC"  # is in the words that compile a harness, and in no others
COMPILER_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "PATH")

FOLDER = "HARNESS_OBJECTS_OF_TESTS"  # the variable that names it to the processes that the first one starts

_compile = Compiling.run


def share_harness_objects(quick: bool) -> None:
    """From here on, in this process and those it forks. `quick` harnesses are not optimised; kernels always are."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="tunepass-harness-objects-")
        atexit.register(_remove, Path(os.environ[FOLDER]), os.getpid())
    folder = Path(os.environ[FOLDER])

    def run(
        compiling: Compiling, words: Sequence[str | Path], limits: Limits | None = None
    ) -> tuple[Completed, Failed | None]:
        if MARK not in words or any(str(word).startswith("-DTP_INCLUDE_SOURCE") for word in words):
            return _compile(compiling, words, limits)
        if quick:
            words = ["-O0" if word == "-O1" else word for word in words]
        target = Path(words[words.index("-o") + 1])
        compiled = folder / _digest(compiling, words)
        with contextlib.suppress(OSError):
            shutil.copyfile(compiled, target)
            return Completed(ended="exit", returncode=0), None
        done, failure = _compile(compiling, words, limits)
        if failure is None:
            with contextlib.suppress(OSError):  # a test may have filled the disk
                _publish(target, compiled)
        return done, failure

    Compiling.run = run  # type: ignore[method-assign]


def _digest(compiling: Compiling, words: Sequence[str | Path]) -> str:
    source, target = (Path(words[words.index(word) + 1]) for word in ("-c", "-o"))
    compiler = os.stat(compiling.compiler.path)
    parts = [
        *(str(word) for word in words if word not in (source, target)),
        *(compiling.compiler.path, str(compiler.st_ino), str(compiler.st_mtime_ns), source.name),
        *(f"{name}={os.environ.get(name)}" for name in COMPILER_VARIABLES),
        *(f"{name}={value}" for name, value in sorted(compiling.environment.items())),
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape") + source.read_bytes()).hexdigest()


def _publish(made: Path, to: Path) -> None:
    """Whole or not at all, whoever is beside this process."""
    part = to.with_suffix(f".{os.getpid()}")
    try:
        shutil.copyfile(made, part)
        part.rename(to)
    finally:
        part.unlink(missing_ok=True)


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
