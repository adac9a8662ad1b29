"""Methods that one thread at a time runs on an object."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Lockable:
    """An object with a lock, which a thread that holds it may take again."""

    _lock: threading.RLock


S = TypeVar("S", bound=Lockable)


def locked(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """The method, which waits until no other thread runs a locked method of the same object."""

    @wraps(method)
    def waiting(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock:
            return method(self, *args, **kwargs)

    return waiting
