"""What a case may end in: accepted, or refused with diagnostics. Anything else is a finding."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tunepass.diagnostics import TunepassError

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


def judge(action: Callable[[], None], limit_s: float = LIMIT_S) -> bool | Finding:
    """True: accepted; False: refused with at least one diagnostic that can be printed."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        action()
        return True
    except TunepassError as error:
        return False if error.diagnostics and all(d.render().strip() for d in error.diagnostics) else _finding(error)
    except (Exception, TooLong) as error:
        return _finding(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"{LIMIT_S:g} s")


def _finding(error: BaseException) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(str(ROOT)) and "/tests/" not in f.filename] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    text = "".join(traceback.format_exception(error, limit=-12))
    return Finding(f"{type(error).__name__}: {str(error)[:200]}", f"{type(error).__name__} {place}", text)
