"""Whether a candidate fails to compile because of the text that tunepass wrote, not of its macros and flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

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
    """Can tell a defect in generated text from a fault of the source, its macros or its flags."""

    def own_text_failure(self, configuration: Configuration, /) -> OwnTextFailure | None:
        """None where the text is the source's own, compiles, or does not compile without tunepass' text either."""


def own_text_failure(
    compiling: Compiling, candidate: Candidate, untouched: Candidate, folder: Path, *, rename_main: bool = False
) -> OwnTextFailure | None:
    """Compiles the candidate once more, and the `untouched` text with its macros and flags, in the empty folder."""
    if candidate.text is None or candidate.text == untouched.text:
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
