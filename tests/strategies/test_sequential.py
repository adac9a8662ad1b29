from __future__ import annotations

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.strategies.sequential import SequentialStrategy
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial
from tunepass.testing.strategy import task

SPACE = Space([Integer("x", 0, 3)])


class Counting(SequentialStrategy):
    """The first that is not taken."""

    def _next(self) -> Configuration | None:
        return next((c for c in SPACE.enumerate() if c not in self.history.taken), None)


def test_each_suggestion_knows_the_ones_before_and_the_last_ends_it() -> None:
    strategy = Counting(task(SPACE, max_evals=9))
    first = strategy.suggest(2)
    assert [c["x"] for c in first] == [0, 1] and list(strategy.history.pending) == first
    strategy.observe(Trial(0, first[0], Measured({"time": 1.0})))
    assert list(strategy.history.pending) == first[1:]
    assert [c["x"] for c in strategy.suggest(9)] == [2, 3] and strategy.suggest(1) == []
