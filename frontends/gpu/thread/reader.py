"""What a thread holds and does, read from a kernel's text: `read_thread`."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr.nodes import Type
from tunepass.frontends.gpu.thread.expressions import TooLongError
from tunepass.frontends.gpu.thread.file_text import FileText
from tunepass.frontends.gpu.thread.walker import Walker
from tunepass.frontends.gpu.thread.words import MOST_WORDS, Arithmetic, words_of
from tunepass.ir.gpu_thread import ThreadCode


def read_thread(text: str, function: str, types: Mapping[str, Type]) -> ThreadCode | None:
    """Of that function of the text, over parameters of these types. None where it is not found or not understood."""
    words = words_of(text)
    if len(words) > MOST_WORDS:
        return None
    file = FileText(Arithmetic(types))
    try:
        file.read(words)
        return _thread(file, function.partition("<")[0].strip())
    except (TooLongError, RecursionError, IndexError, ValueError):
        return None


def _thread(file: FileText, function: str) -> ThreadCode | None:
    kernel = file.functions.get(function)
    if kernel is None:
        return None
    walker = Walker(file)
    walker.bind(kernel.parameters)
    walker.statements(kernel.body, 0, len(kernel.body))
    bounds = [file.arithmetic.read(words) for words in file.bounds.get(function, [])]
    pointers = sum("*" in declared for _, declared in kernel.parameters)
    return ThreadCode(
        body=walker.region.closed(),
        pointers=2 * pointers,
        scalars=len(kernel.parameters) - pointers,
        most_threads=bounds[0] if bounds else None,
        least_blocks=bounds[1] if len(bounds) > 1 else None,
    )
