"""Failures caused by text that tunepass wrote, not by macros and flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.first_error import first_error, line_of
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration


@dataclass(frozen=True, slots=True)
class OwnTextFailure:
    """Text that no compiler takes though its untouched source compiles; `words` are the compiler and its arguments."""

    text: str
    log: str
    words: tuple[str, ...]

    @property
    def first_error(self) -> str:
        return first_error(self.log)

    @property
    def line(self) -> int | None:
        """The line of the user's source at which the compiler stopped."""
        return line_of(self.log)


@runtime_checkable
class BlamesOwnText(Protocol):
    """Can tell a defect in generated text from a fault of the source, its macros or its flags.

    Example:
        >>> class Blaming(Table):
        ...     def own_text_failure(self, configuration):
        ...         return None
        >>> tp.capability(Blaming(), extension.BlamesOwnText).own_text_failure(space.default)
    """

    def own_text_failure(self, configuration: Configuration, /) -> OwnTextFailure | None:
        """None where the text is the source's own, compiles, or does not compile without tunepass' text either."""


@runtime_checkable
class WritesText(Protocol):
    """Compiles text that tunepass writes. Another version may write other text for the same configuration: what failed
    is then evaluated again. The `code` of an evaluation is that digest where nothing ran, else it ends with it, after a
    space.

    Example:
        >>> class Writing(Table):
        ...     def own_text(self, configuration):
        ...         return extension.source_hash(f"tile {configuration['tile']}")
        >>> tp.capability(Writing(), extension.WritesText).own_text(space.default)[:7]
        'sha256:'
    """

    def own_text(self, configuration: Configuration, /) -> str:
        """A digest of the text; empty where the configuration is compiled from the source's own."""


def text_digest(candidate: Candidate, untouched: Candidate) -> str:
    """See WritesText."""
    return "" if candidate.text in (None, untouched.text) else f"text {digest(candidate.text or '')}"


def code_of(program: str, text: str) -> str:
    """The `code` of an evaluation, from the digests of the program and of the text that tunepass wrote."""
    return " ".join(filter(None, (program, text)))


def is_outdated(code: str, text: str) -> bool:
    """True of the `code` of an evaluation whose text tunepass writes otherwise now."""
    return bool(text) and code != text and not code.endswith(f" {text}")


def own_text_failure(
    compiling: Compiling, candidate: Candidate, untouched: Candidate, folder: Path, *, rename_main: bool = False
) -> OwnTextFailure | None:
    """Compiles the candidate once more, and the `untouched` text with its macros and flags, in the empty folder."""
    if candidate.text is None or not text_digest(candidate, untouched):
        return None
    failed, plain = folder / "written", folder / "untouched"
    failed.mkdir()
    plain.mkdir()
    _, _, failure = compiling.compile_object(candidate, failed, rename_main=rename_main)
    if failure is None or not first_error(failure.log):
        return None
    same = replace(candidate, text=untouched.text, requests=())
    _, _, also = compiling.compile_object(same, plain, rename_main=rename_main)
    words = (*compiling.command, *candidate.compiler_words)
    return OwnTextFailure(candidate.text, failure.log, words) if also is None else None
