"""An evaluator that workers make from text: it sleeps, and its values follow from the configuration."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.elsewhere import EvaluatorSource, IdentifiedEvaluator
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured

MAKER = "tests.executors.made_from_text:make"


def value_of(x: int) -> float:
    return float((7 * x) % 101)


class Sleeping(Evaluator):
    """`x` is measured, 13 fails. `dies_once` and `hangs_once` are of processes that find no mark in the folder."""

    def __init__(
        self, sleep_s: float = 0.0, marks: str = "", dies_once: int = -1, dies: int = -1, hangs_once: int = -1
    ):
        self.sleep_s, self.marks = sleep_s, Path(marks)
        self.dies_once, self.dies, self.hangs_once = dies_once, dies, hangs_once

    def worthwhile(self, trials: int, /) -> int:
        return 1

    def evaluate(self, configuration: Configuration) -> Evaluation:
        x = int(str(configuration["x"]))
        if x == self.dies or (x == self.dies_once and self._first_time("died")):
            os.kill(os.getpid(), 9)
        if x == self.hangs_once and self._first_time("hung"):
            time.sleep(3600)
        time.sleep(self.sleep_s)
        if x == 13:
            return Evaluation(Failed("crash", "SIGSEGV"), {"measure": self.sleep_s})
        return Evaluation(Measured({"time": value_of(x)}), {"measure": self.sleep_s})

    def _first_time(self, word: str) -> bool:
        mark = self.marks / word
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def make(text: str) -> IdentifiedEvaluator:
    fields = json.loads(text)
    if fields.pop("broken", False):
        raise ToolError("compiler not found")
    identity = {"source": "sleeping", "device": fields.pop("device", "a processor")}
    return IdentifiedEvaluator(evaluator=Sleeping(**fields), identity=identity)


def source_of(**fields: object) -> EvaluatorSource:
    return EvaluatorSource(maker=MAKER, text=json.dumps(fields), folder=os.getcwd())
