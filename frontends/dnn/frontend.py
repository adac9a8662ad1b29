"""The frontend of Python sources of models: Keras and PyTorch, read and never executed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.dnn.emission import emit_file
from tunepass.frontends.dnn.lowering import lower, places
from tunepass.ir.files import EmittedFile
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel


class DnnFrontend(Frontend):
    """Reads the model of a Python source, with parameters in comments."""

    suffixes: ClassVar[tuple[str, ...]] = (".py",)
    takes_operators: ClassVar[bool] = True

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        kernel, warnings = lower(source, words)
        return Parsed((kernel,), warnings)

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return tuple(
            emit_file(kernel, places(kernel.source, kernel.body_as(Graph).operators), note, word) for kernel in kernels
        )
