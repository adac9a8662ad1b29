"""The frontend of .taco files: an index expression with formats and a schedule in, a tuned one out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.taco.emission import emit_file
from tunepass.frontends.taco.lowering import lower
from tunepass.frontends.taco.reading import read_file
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel


class TacoFrontend(Frontend):
    """Reads TACO's expressions, formats and schedules (docs/sparse.md)."""

    suffixes: ClassVar[tuple[str, ...]] = (".taco",)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        kernel, warnings = lower(read_file(source), os.cpu_count() or 1)
        return Parsed((kernel,), warnings)

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return tuple(emit_file(kernel, note, word) for kernel in kernels)
