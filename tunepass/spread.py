"""How tasks that need nothing of each other are done: one after the other here, or by whoever is handed in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 3  # tasks handed out for each worker, so that none waits


class Spread(Protocol):
    """Runs a function on tasks, side by side or in turn; results come in the tasks' order.

    The function is one of a module, since it may be called in another process.

    Example:
        >>> from tunepass.spread import in_turn
        >>> list(in_turn(abs, [-1, 2]))
        [1, 2]
    """

    def __call__(self, work: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


class Promise(Protocol):
    """A result that somebody works on."""

    def result(self) -> Any: ...

    def cancel(self) -> Any: ...


def in_turn(work: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
    return map(work, tasks)


def window(submit: Callable[..., Promise], workers: int) -> Spread:
    """Tasks handed to `submit(work, task)`, a few ahead of the result that is waited for."""

    def spread(work: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
        under_way: deque[Promise] = deque()
        try:
            for task in tasks:
                under_way.append(submit(work, task))
                if len(under_way) >= AHEAD * workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for promise in under_way:
                promise.cancel()

    return spread
