"""Ctrl-C, a polite kill and a hang-up end a command alike: what is known is kept, what is written is whole.

A signal that is ignored when a command starts stays so: `nohup` ignores SIGHUP, a shell SIGINT for what it runs behind.
What is raised while Python finalizes an object is lost: such a signal is sent once more.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# While the interpreter ends, after the answer: a kill that comes too late leaves the status as it is, Ctrl-C ends it.
AFTER_ANSWER = {
    signal.SIGINT: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_IGN,
    signal.SIGHUP: signal.SIG_IGN,
}

AGAIN_S = 0.01  # until a signal is sent once more: what finalizes an object has returned by then

_received: list[list[int]] = []  # by each `handled` that is entered, outermost first; those inside share the first's


class Interrupted(KeyboardInterrupt):
    """A signal has asked the command to end; `number` is the signal's."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.lost = False  # raised where nothing can be raised


def signal_of(interrupt: KeyboardInterrupt) -> int:
    """The number of the signal behind it: SIGINT where Python itself raised it."""
    return interrupt.number if isinstance(interrupt, Interrupted) else signal.SIGINT


@contextmanager
def handled(handler: Callable[[int], None], *, last: bool = False) -> Iterator[None]:
    """Within, `handler` is called with the number of each such signal; in the main thread alone, others have none.
    `last`: the program ends then, so AFTER_ANSWER holds instead of the handlers from before."""

    def called(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handler(number)

    received = _received[0] if _received else []
    before: dict[signal.Signals, object] = {}
    try:
        for stopping in STOPPING:
            if signal.getsignal(stopping) is not signal.SIG_IGN:
                before[stopping] = signal.signal(stopping, called)
    except ValueError:  # not the main thread: somebody else owns the signals
        yield
        return
    _received.append(received)
    reporting = sys.unraisablehook
    if len(_received) == 1:
        sys.unraisablehook = _sending_again(reporting)
    try:
        yield
    finally:
        _received.pop()
        if not _received:
            sys.unraisablehook = reporting
        for number, handler_before in before.items():
            signal.signal(number, AFTER_ANSWER[number] if last else handler_before)  # type: ignore[arg-type]


def _sending_again(reporting: Callable[[sys.UnraisableHookArgs], object]) -> Callable[[sys.UnraisableHookArgs], object]:
    """Python calls it for what was raised in vain."""

    def send_again(unraisable: sys.UnraisableHookArgs) -> None:
        interrupt = unraisable.exc_value
        if not isinstance(interrupt, Interrupted) or not _received:
            reporting(unraisable)
            return
        interrupt.lost = True
        if interrupt.number in _received[0]:
            _received[0].remove(interrupt.number)
        timer = threading.Timer(AGAIN_S, signal.pthread_kill, (threading.main_thread().ident, interrupt.number))
        timer.daemon = True
        timer.start()

    return send_again


@contextmanager
def interrupting(*, last: bool = False) -> Iterator[None]:
    """Within, the first signal raises Interrupted; later ones only if they are Ctrl-C, since a terminal that closes and
    a system that shuts down send several, and what the first has begun is to be ended well. The first may have asked a
    search to stop. `last`: as in handled."""
    raised: list[int] = []

    def interrupt(number: int) -> None:
        if number == signal.SIGINT or len(_received[0]) == 1:
            raised.append(number)
            raise Interrupted(number)

    with handled(interrupt, last=last):
        try:
            yield
        except (ImportError, SystemError) as error:
            if raised:  # compiled modules make such an error of what is raised while they are imported
                raise Interrupted(raised[0]) from error
            raise


@contextmanager
def held_back(*, for_good: bool = False) -> Iterator[None]:
    """Within, the first signal waits until the end; `for_good`: for ever, because the command ends already. A second
    Ctrl-C does not wait."""
    seen: list[int] = []

    def keep(number: int) -> None:
        seen.append(number)
        if number == signal.SIGINT and seen.count(number) > 1:
            raise Interrupted(number)

    with handled(keep):
        yield
    if seen and not for_good:
        raise Interrupted(seen[0])
