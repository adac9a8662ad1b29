"""The frontend of ONNX models: a file, or a `tune.yaml` that names one and says what may vary of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import ClassVar

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.dnn.own_operators import beside, kept_words, own_operators
from tunepass.frontends.onnx.description import OnnxDescription, read_description
from tunepass.frontends.onnx.emission import emit_file
from tunepass.frontends.onnx.file import read_model
from tunepass.frontends.onnx.listing import read, written
from tunepass.frontends.onnx.lowering import OnnxLowering
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel

SUFFIX = ".onnx"


class OnnxFrontend(Frontend):
    """Reads the operators of an ONNX model and the sizes of its weights; the weights themselves are not read."""

    suffixes: ClassVar[tuple[str, ...]] = (SUFFIX,)
    binary: ClassVar[tuple[str, ...]] = (SUFFIX,)
    takes_operators: ClassVar[bool] = True

    def opened(self, path: str | Path) -> Source:
        """The text of a model's file, which says all that results depend on."""
        return Source(str(path), written(read_model(path)))

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        listing, described = source, OnnxDescription(source)
        if PurePath(source.name).suffix != SUFFIX:
            described = read_description(source)
            listing = self.opened(beside(source, described.model, described.model_span))
        own = own_operators(source, described.operators, words)
        lowering = OnnxLowering(read(listing), listing, source, described, own, kept_words(source, words))
        try:
            kernel = lowering.kernel()
        except RecursionError:
            raise SourceError("this is nested too deeply to be followed", listing.span(0, 1)) from None
        return Parsed((kernel,), tuple(lowering.warnings))

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return tuple(emit_file(kernel, note, word) for kernel in kernels)
