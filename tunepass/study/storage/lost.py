"""A server that went away, and calls of a store that are made again when it is back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tunepass.diagnostics import StoreFault

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class LostConnection(StoreFault):
    """The server went away during a transaction. `uncertain`: while it committed, so that the change may be there."""

    uncertain = False


def repeated_if_lost(*, repeatable: bool) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Make a call once more, on a new connection, where the connection was lost during it.

    Args:
        repeatable: a change that was made is the same when it is made twice; otherwise a call whose change may be
            there already is not made again.
    """

    def decorate(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        @functools.wraps(method)
        def call(*arguments: Arguments.args, **options: Arguments.kwargs) -> Answer:
            try:
                return method(*arguments, **options)
            except LostConnection as lost:
                if lost.uncertain and not repeatable:
                    raise
            return method(*arguments, **options)

        return call

    return decorate
