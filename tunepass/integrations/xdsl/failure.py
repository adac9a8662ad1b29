"""The error of the pass, and what `xdsl-opt` does with it."""

from __future__ import annotations

import sys
from types import TracebackType

from xdsl.utils.exceptions import PassFailedException


class TunePassFailed(PassFailedException):  # type: ignore[misc]  # xDSL is not read where types are checked
    """The pass could not choose: a module that it cannot read, or a search that fails.

    A program that does not catch it, as `xdsl-opt` without `--verify-diagnostics`, ends with status 2 and its text in
    place of a traceback. The hook for that is set when the first such error is made, and leaves all other errors to
    the hook that was there.

    Args:
        message: what is wrong; places in the module follow as notes.
        exit_status: of the program; 4 where the machine failed.

    Example:
        >>> raise TunePassFailed("knob `tile`: no options")
    """

    def __init__(self, message: str, exit_status: int = 2) -> None:
        super().__init__(message)
        self.exit_status = exit_status
        if not isinstance(sys.excepthook, _Hook):
            sys.excepthook = _Hook(sys.excepthook)


class _Hook:
    def __init__(self, previous: object) -> None:
        self._previous = previous

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(error, TunePassFailed):
            if callable(self._previous):
                self._previous(kind, error, trace)
            return
        message = str(error).removeprefix("error: ")
        text = "\n".join((f"error: tunepass: {message}", *getattr(error, "__notes__", ())))
        sys.stderr.write(f"{text}\n")
        raise SystemExit(error.exit_status)
