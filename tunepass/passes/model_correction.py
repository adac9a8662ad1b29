"""Correction of a hardware model by quantities that the compiler reports during a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tunepass.backends.correction import Corrected, Reported
from tunepass.evaluators.capabilities import ReportsQuantities
from tunepass.expr.nodes import Expr
from tunepass.strategies.prior_mean.taught import TaughtPriorMean


@dataclass(slots=True)
class ModelCorrection:
    """`plain` is the uncorrected expression of the objective `name`; `correct` returns corrected costs from the reports
    of `evaluator`. `sentence` describes the latest correction to users, and is empty before the first one."""

    name: str
    plain: Expr
    evaluator: ReportsQuantities
    correct: Callable[[Reported], Corrected | None]
    sentence: str = ""

    def prior_mean(self) -> TaughtPriorMean:
        return TaughtPriorMean(self.plain, self.reports, self.corrected)

    def reports(self) -> int:
        return len(self.evaluator.reported)

    def corrected(self) -> Expr:
        correction = self.correct(self.evaluator.reported)
        self.sentence = correction.sentence if correction else ""
        return correction.costs.prior(self.name) if correction else self.plain
