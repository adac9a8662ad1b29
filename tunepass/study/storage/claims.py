"""The rules of a claim, for stores of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tunepass.space.configuration import Configuration


def claimable(
    configurations: Sequence[Configuration],
    *,
    limit: int | None,
    used: int,
    busy: set[Configuration],
    has_trial: Callable[[Configuration], bool],
) -> Iterator[Configuration]:
    """The configurations that a process may evaluate, in order: each once, without those that have a trial and those
    that a living process evaluates.

    Args:
        configurations: those that the process asks for.
        limit: of evaluations; None: no limit.
        used: evaluations that the trials cost.
        busy: configurations that living processes evaluate.
        has_trial: whether a configuration has a trial.
    """
    unavailable = set(busy)
    for configuration in configurations:
        if limit is not None and used + len(unavailable) >= limit:
            return
        if configuration not in unavailable and not has_trial(configuration):
            unavailable.add(configuration)
            yield configuration
