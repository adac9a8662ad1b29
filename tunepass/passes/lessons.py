"""What a search's model learns of the reports that come in while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tunepass.backends.correction import Corrected, Reported
from tunepass.evaluators.capabilities import ReportsQuantities
from tunepass.expr.nodes import Expr
from tunepass.strategies.prior_mean.taught import TaughtPriorMean


@dataclass(slots=True)
class Lessons:
    """`plain` is what the model says beforehand of the objective called `name`; `correct` makes the costs of what
    `evaluator` was told. `sentence` is what people are told of the latest correction; empty: there was none."""

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
        found = self.correct(self.evaluator.reported)
        self.sentence = found.sentence if found else ""
        return found.costs.prior(self.name) if found else self.plain
