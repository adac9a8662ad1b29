"""What a case may end in: accepted, or refused with diagnostics. Anything else is a finding."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzz.executions import executions
from tunepass.diagnostics import CONTROL, TunepassError

USER_ERROR = 2  # exit status
LIMIT_S = 20.0  # of processor time, so that a busy machine is no finding
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Finding:
    """An internal error, or a case that does not come to an end; `place` is where, to tell findings apart."""

    error: str
    place: str
    trace: str = ""


class TooLong(BaseException):
    """The limit has passed."""


class Executed(Exception):
    """Text of the input was run, or a program that it names."""


class Refusal(Exception):
    """An error that is none of the user's, has no text, or would reach a terminal with control characters."""


def judge(action: Callable[[], None], limit_s: float = LIMIT_S) -> bool | Finding:
    """True: accepted; False: refused with at least one diagnostic that can be printed."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        with executions() as executed:
            result = _refused_or_accepted(action)
        return _finding(Executed(", ".join(executed))) if executed else result
    except (Exception, TooLong) as error:
        return _finding(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _refused_or_accepted(action: Callable[[], None]) -> bool:
    try:
        action()
        return True
    except TunepassError as error:
        texts = [d.render() for d in error.diagnostics]
        if error.exit_status != USER_ERROR or not texts or not all(t.strip() for t in texts):
            raise Refusal(f"status {error.exit_status}: {texts}") from error
        if any(CONTROL.search(text) for text in texts):
            raise Refusal(f"control characters in {texts!r}") from error
        return False


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"{LIMIT_S:g} s")


def _finding(error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(str(ROOT)) and "/tests/" not in f.filename] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    text = "".join(traceback.format_exception(error, limit=-12))
    return Finding(f"{type(error).__name__}: {str(error)[:200]}", f"{type(error).__name__} {place}", text)
