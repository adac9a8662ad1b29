"""The thread in which a harness is talked with while `run_limited` watches over its process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from tunepass.evaluators.harness.dialogue.conversation import Conversation, ProgramEnded
from tunepass.evaluators.harness.dialogue.report import ForgedReport
from tunepass.evaluators.harness.dialogue.sampling import Refused
from tunepass.study.outcome import Failed

Answer = TypeVar("Answer")


class Dialogue(threading.Thread, Generic[Answer]):
    """Ends with an `answer`, or with a failure, or because the program ended. Its end is the program's, if need be."""

    def __init__(self, talk: Conversation, dialogue: Callable[[Conversation], Answer]):
        super().__init__(daemon=True)
        self.answer: Answer | None = None
        self._talk, self._dialogue = talk, dialogue
        self._failure: Failed | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            with self._talk as talk:
                self.answer = self._dialogue(talk)
        except ProgramEnded:
            pass  # how it ended says what happened
        except ForgedReport as forged:
            self._failure = Failed("cheated", f"the report is not the harness's: {forged}")
        except Refused as refused:
            self._failure = refused.failure
        except BaseException as error:
            self._error = error

    def result(self) -> Failed | None:
        """After join: the failure. Raises what the dialogue raised."""
        if self._error is not None:
            raise self._error
        return self._failure
