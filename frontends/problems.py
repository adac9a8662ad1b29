"""All that is wrong with a source, told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from tunepass.diagnostics import Diagnostic, EnvironmentFault, Source, SourceError, TunepassError
from tunepass.yaml_nodes import NodeReader

T = TypeVar("T")
R = TypeVar("R")


def each(items: Iterable[T], step: Callable[[T], R]) -> list[R]:
    """`step` of every item; raises once, with what went wrong in all of them."""
    results: list[R] = []
    problems: list[Diagnostic] = []
    for item in items:
        try:
            results.append(step(item))
        except EnvironmentFault:  # noqa: PERF203 (all that is wrong, not only the first)
            raise
        except TunepassError as error:
            problems += error.diagnostics
    if problems:
        raise SourceError(problems)
    return results


class CollectingReader(NodeReader[SourceError]):
    """`collect` goes on after a mistake, so that independent ones are told together."""

    def __init__(self, source: Source):
        super().__init__(source, SourceError)
        self.problems: list[Diagnostic] = []

    def collect(self, step: Callable[[], R]) -> R | None:
        try:
            return step()
        except EnvironmentFault:
            raise
        except TunepassError as error:
            self.problems += error.diagnostics
            return None
