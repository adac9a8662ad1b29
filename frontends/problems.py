"""All that is wrong with a source, told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from tunepass.diagnostics import Diagnostic, SourceError, TunepassError

T = TypeVar("T")
R = TypeVar("R")


def each(items: Iterable[T], step: Callable[[T], R]) -> list[R]:
    """`step` of every item; raises once, with what went wrong in all of them."""
    results: list[R] = []
    problems: list[Diagnostic] = []
    for item in items:
        try:
            results.append(step(item))
        except TunepassError as error:  # noqa: PERF203 (all that is wrong, not only the first)
            problems += error.diagnostics
    if problems:
        raise SourceError(problems)
    return results
