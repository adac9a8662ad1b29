"""An analytic model as prior mean that is corrected while the search goes on, by what tools report of its trials."""

from __future__ import annotations

from collections.abc import Callable

from tunepass.expr.nodes import Expr
from tunepass.space.columns import Columns
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import ExpressionPriorMean, PriorMean
from tunepass.surrogates.base import Floats

FIRST, GROWTH = 4, 1.5  # it is corrected once there are 4 reports, and each time that there are half as many again


class TaughtPriorMean(PriorMean):
    """`reports` is how many there are now, `corrected` the model with them."""

    def __init__(self, expression: Expr, reports: Callable[[], int], corrected: Callable[[], Expr]):
        self.reports, self.corrected = reports, corrected
        self._mean = ExpressionPriorMean(expression)
        self._due = FIRST

    def values(self, space: Space, columns: Columns) -> Floats:
        return self._mean.values(space, columns)

    def renew(self) -> bool:
        """See tunepass.study.capabilities.Renews."""
        known = self.reports()
        if known < self._due:
            return False
        self._due = max(known + 1, int(known * GROWTH))
        self._mean = ExpressionPriorMean(self.corrected())
        return True
