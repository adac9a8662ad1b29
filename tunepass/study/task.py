"""What a study hands to its strategy, and what it needs of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a strategy is asked to search: the space, the objectives, the seed and the budget (None: unlimited)."""

    space: Space
    objectives: tuple[Objective, ...]
    seed: int = 0
    max_evals: int | None = None


class Suggester(Protocol):
    """The study's view of a strategy; tunepass.strategies.base.Strategy says what it promises."""

    def suggest(self, n: int, /) -> list[Configuration]: ...

    def observe(self, trial: Trial, /) -> None: ...
