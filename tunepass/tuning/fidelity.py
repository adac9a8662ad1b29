"""A study with cheaper levels: a smaller problem, fewer repeats, an estimate or a count foretells the real measurement.

    symbol   meaning
    B        budget, in evaluations of the objective itself
    S_l      what was spent on the levels below level l
    T_l      what was spent on level l
    w_l      how much of the prediction of level l rests on the level below it, by its trials (0 to 1)

The level below l is asked as long as S_l < FIRST B l / k, of k cheap levels, and later as long as S_l < LATER w_l T_l:
one that foretells nothing gets nothing more. The posterior mean of a level's trials is the prior mean of the next one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import StudyError, nearest
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.lower_fidelity import LowerFidelity
from tunepass.study.objective import Objective
from tunepass.study.outcome import Outcome
from tunepass.study.recommendation import Recommendation
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.trial import Trial

FULL = "full"  # the objective itself
FIRST, LATER = 0.2, 0.3


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A cheaper level of the objective; `cost` of an evaluation, as a share of one of the objective itself."""

    name: str
    cost: float

    def __post_init__(self) -> None:
        if self.name == FULL or not self.name:
            raise StudyError(f"a fidelity has a name of its own, not {self.name!r}")
        if not (0 < self.cost < 1):
            raise StudyError(f"fidelity {self.name}: 0 < cost < 1 must hold, in evaluations of {FULL}, got {self.cost}")


@dataclass(frozen=True, slots=True)
class FidelitySuggestion:
    """A configuration to evaluate at a fidelity."""

    configuration: Configuration
    fidelity: str


def _trials_of(study: Study) -> Callable[[], Sequence[Trial]]:
    return lambda: study.trials


class FidelityStudy:
    """Suggests what to evaluate at which fidelity, until `budget` evaluations' worth of the objective are spent.

        study = tp.FidelityStudy(space, objective, [tp.Fidelity("small", cost=0.1)], budget=30)
        while not study.finished:
            for asked in study.suggest():
                study.observe(asked.configuration, measure(asked), fidelity=asked.fidelity)
        study.best

    Costlier fidelities are expected to be nearer to the objective. `at(name)` is the study of one of them, `at("full")`
    that of the objective. With a `store` each is kept there, and a study of the same name resumes.
    """

    def __init__(
        self,
        space: Space,
        objective: Objective,
        fidelities: Sequence[Fidelity],
        *,
        budget: float,
        seed: int = 0,
        store: str | Store | None = None,
        name: str | None = None,
        identity: Mapping[str, str] | None = None,
    ):
        names = [f.name for f in fidelities]
        if not fidelities or len(set(names)) < len(names):
            raise StudyError(f"a study has fidelities with distinct names, got {', '.join(names) or 'none'}")
        if not (math.isfinite(budget) and budget >= 1):
            raise StudyError(f"a budget is at least one evaluation, got {budget}")
        self.budget = budget
        self.levels = (*sorted(fidelities, key=lambda f: f.cost), None)  # None: the objective
        self._studies: list[Study] = []
        for level in self.levels:
            below = self._studies[-1] if self._studies else None
            known = dict(identity or {}) | ({"fidelity": level.name} if level else {})
            study = Study(
                space,
                [objective],
                seed=seed,
                max_evals=None if level else int(budget),
                store=store,
                name=f"{name}#{level.name}" if name and level else name,
                identity=known,
                prior_mean=None if below is None else LowerFidelity(below.task, _trials_of(below)),
            )
            self._studies.append(study)
        self._pending = [set[Configuration]() for _ in self.levels]

    # -- asking and telling

    def suggest(self, n: int = 1) -> list[FidelitySuggestion]:
        """At most `n` evaluations; `[]` once the budget is spent or the space exhausted."""
        suggestions: list[FidelitySuggestion] = []
        while len(suggestions) < n and not self.finished:
            suggestion = next(filter(None, (self._ask(level) for level in range(self._due(), len(self.levels)))), None)
            if suggestion is None:
                break
            suggestions.append(suggestion)
        return suggestions

    def observe(self, configuration: Mapping[str, Value], outcome: Outcome, *, fidelity: str = FULL) -> Trial:
        """Keep what became of a configuration at a fidelity."""
        level = self._level(fidelity)
        trial = self._studies[level].observe(configuration, outcome)
        self._pending[level].discard(trial.configuration)
        return trial

    @property
    def spent(self) -> float:
        """What was spent or is under evaluation, in evaluations of the objective."""
        return sum(self._spent(level) for level in range(len(self.levels)))

    @property
    def finished(self) -> bool:
        """Does the budget not allow another evaluation of the objective, or is everything evaluated?"""
        return self.spent + 1 > self.budget + 1e-9 or self._studies[-1].finished

    # -- results

    def at(self, fidelity: str) -> Study:
        """The study of one of the fidelities, or of `full`."""
        return self._studies[self._level(fidelity)]

    @property
    def best(self) -> Trial | None:
        """The best trial of the objective itself."""
        return self._studies[-1].best

    @property
    def recommended(self) -> Recommendation | None:
        return self._studies[-1].recommended

    def close(self) -> None:
        for study in self._studies:
            study.close()

    # -- within

    def _ask(self, level: int) -> FidelitySuggestion | None:
        for configuration in self._studies[level].suggest(1):
            self._pending[level].add(configuration)
            return FidelitySuggestion(configuration, self._name(level))
        return None

    def _due(self) -> int:
        """The level that is asked next: down from the objective as long as the level below is due."""
        level = len(self.levels) - 1
        while level and self._below(level) < self._allowed_below(level):
            level -= 1
        return level

    def _allowed_below(self, level: int) -> float:
        trust = self._studies[level].trust
        weight = trust.weight if trust is not None and trust.trials else None
        first = FIRST * self.budget * level / (len(self.levels) - 1)
        return max(first, LATER * (weight or 0.0) * self._spent(level))

    def _below(self, level: int) -> float:
        return sum(self._spent(lower) for lower in range(level))

    def _spent(self, level: int) -> float:
        fidelity = self.levels[level]
        count = self._studies[level].spent + len(self._pending[level])
        return count * (fidelity.cost if fidelity else 1.0)

    def _name(self, level: int) -> str:
        fidelity = self.levels[level]
        return fidelity.name if fidelity else FULL

    def _level(self, name: str) -> int:
        names = [self._name(level) for level in range(len(self.levels))]
        if name not in names:
            close = nearest(name, names)
            hint = f"did you mean {close!r}?" if close else f"there are {', '.join(names)}"
            raise StudyError(f"no fidelity {name!r}", hint=hint)
        return names.index(name)
