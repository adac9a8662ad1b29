"""Uniform feasible configurations without replacement, or draws from the parameters' priors."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.draws import draw_free
from tunepass.strategies.sequential import SequentialStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSettings:
    """Settings of the strategy `random`.

    Args:
        prior: draws by the parameters' priors instead of uniformly.

    Example:
        >>> tp.RandomSettings(prior=True).prior
        True
    """

    prior: bool = False


class Random(SequentialStrategy):
    """Suggests the default first, then distinct random configurations.

    Args:
        settings: None: those of the strategy `random`.

    Example:
        >>> tp.Random(task).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    def __init__(self, task: Task, settings: RandomSettings | None = None):
        super().__init__(task)
        self.settings = settings or RandomSettings()

    def _next(self) -> Configuration | None:
        default = self.task.space.default
        return draw_free(self.history, prior=self.settings.prior) if default in self.history.taken else default
