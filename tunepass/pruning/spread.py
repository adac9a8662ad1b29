"""How tasks that need nothing of each other are done: one after the other here, or by whoever is handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Spread(Protocol):
    """`work` is a function of a module, as it may be called in another process; results come in the tasks' order."""

    def __call__(self, work: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]: ...


def in_turn(work: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
    return map(work, tasks)
