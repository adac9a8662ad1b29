"""The role of a frontend: text in, kernels out; kernels in, text out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tunepass.diagnostics import Diagnostic, Source, TunepassError
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import SizedVariants

SIZE = "--size="
OPERATORS = "--operators="


def sizes_in(words: Sequence[str]) -> dict[str, int]:
    """`--size=NAME=N` among the words: what the user says of sizes that a source leaves open."""
    sizes = {}
    for word in words:
        name, _, value = word.removeprefix(SIZE).rpartition("=")
        if word.startswith(SIZE) and value.isdecimal():
            sizes[name] = int(value)
    return sizes


@dataclass(frozen=True, slots=True)
class Parsed:
    """A frontend's answer for a source. Errors raise SourceError instead.

    Args:
        kernels: in the source's order.
        warnings: diagnostics that stop nothing.

    Example:
        >>> tp.Parsed((kernel,)).warnings
        ()
    """

    kernels: tuple[Kernel, ...]
    warnings: tuple[Diagnostic, ...] = ()


class Frontend(ABC):
    """Reads and writes one kind of source. Stateless: made without arguments.

    Example:
        >>> class ToyFrontend(tp.Frontend):
        ...     suffixes = (".toy",)
        ...     def parse(self, source, only=None, words=()):
        ...         tile = tp.Integer("tile", 1, 8)
        ...         return tp.Parsed((tp.Kernel(name="k", language="toy", source=source, parameters=(tile,)),))
        ...     def emit(self, kernels, note="", word="tuned"):
        ...         return (tp.EmittedFile(f"k.{word}.toy", kernels[0].source.text),)
        >>> ToyFrontend().parse(tp.Source("k.toy", "tile")).kernels
        (<Kernel 'k' of k.toy (toy): 1 parameters, 0 constraints>,)
    """

    suffixes: ClassVar[tuple[str, ...]]
    mark: ClassVar[str] = ""  # of a plug-in: a regular expression for texts of its own in files with another's suffix
    binary: ClassVar[tuple[str, ...]] = ()  # those of the suffixes whose files are no text: `opened` makes one of them
    takes_operators: ClassVar[bool] = False  # a word that begins with OPERATORS names a file of the user's
    leaves_sizes_open: ClassVar[bool] = False  # words that begin with SIZE say what they are

    @abstractmethod
    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        """Every kernel of the source; raises SourceError with one diagnostic for each thing wrong.

        With `only` the caller wants the kernel of that name alone: what is wrong with others may be passed over.
        `words` are the compiler's: where included files are, and what is defined; and the user's SIZE=NAME=N.
        """

    def opened(self, path: str | Path) -> Source:
        """The source of a file that is no text."""
        raise NotImplementedError(f"{path} is text")

    @abstractmethod
    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        """The scheduled kernels of one source as source files, called NAME.`word`.SUFFIX; the first is the source.

        `note` is a comment's text: what was chosen and what it gained.
        """

    def dispatch(self, variants: SizedVariants, note: str = "") -> EmittedFile:
        """NAME.dispatch.h: the variants of a kernel for several sizes, and what picks one."""
        kernel = variants.variants[0]
        raise TunepassError(f"{kernel.name}: no dispatcher is written for {kernel.language}", hint="--variants 1")
