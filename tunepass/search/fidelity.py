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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.space.configuration import Configuration, Value
from tunepass.space.plain_values import as_real, is_finite
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.lower_fidelity import LowerFidelity
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Outcome
from tunepass.study.results.recommendation import Recommendation
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.trial import Trial

FULL = "full"  # the objective itself
FIRST, LATER = 0.2, 0.3


@dataclass(frozen=True, slots=True)
class Fidelity:
    """A cheaper level of the objective: a smaller problem, fewer repeats, an estimate.

    Args:
        name: of the level; `full` is the objective itself.
        cost: of an evaluation, as a share of one of the objective itself.

    Raises:
        StudyError: no name, or a cost that is not between 0 and 1.

    Example:
        >>> tp.Fidelity("small", cost=0.1).cost
        0.1
    """

    name: str
    cost: float

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name == FULL or not self.name:
            raise StudyError(f"a fidelity has a name of its own, not {self.name!r}")
        cost = as_real(self.cost)
        if cost is None or not (0 < cost < 1):
            raise StudyError(
                f"fidelity {self.name}: 0 < cost < 1 must hold, in evaluations of {FULL}, got {self.cost!r}"
            )


@dataclass(frozen=True, slots=True)
class FidelitySuggestion:
    """A configuration to evaluate at a fidelity."""

    configuration: Configuration
    fidelity: str


def _fidelities(given: object) -> tuple[Fidelity, ...]:
    listed = tuple(given) if isinstance(given, Iterable) else ()
    if not isinstance(given, Iterable) or not all(isinstance(fidelity, Fidelity) for fidelity in listed):
        raise StudyError(f"fidelities is a list of Fidelity, got {given!r}")
    return listed


def _trials_of(study: Study) -> Callable[[], Sequence[Trial]]:
    return lambda: study.trials


class FidelityStudy:
    """A study that chooses the fidelity of each evaluation, until a budget of the objective's evaluations is spent.

    Costlier fidelities are expected to be nearer to the objective. `at(name)` is the study of one of them, `at("full")`
    that of the objective. A study of the same name in a store resumes.

    Args:
        space: the configurations to choose from.
        objective: what is measured at each fidelity.
        fidelities: the cheaper levels, with distinct names.
        budget: in evaluations of the objective itself, at least 1.
        seed: of every random choice.
        store: a Store or its URL; None: memory.
        name: of the study in its store; None: a digest.
        identity: what results depend on besides the configuration.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> study = tp.FidelityStudy(space, tp.Objective("time"), [tp.Fidelity("small", cost=0.1)], budget=2)
        >>> while not study.finished:
        ...     for asked in study.suggest():
        ...         trial = study.observe(asked.configuration, measure(asked.configuration), fidelity=asked.fidelity)
        >>> study.spent <= 2
        True
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
        fidelities = _fidelities(fidelities)
        names = [f.name for f in fidelities]
        if not fidelities or len(set(names)) < len(names):
            raise StudyError(f"a study has fidelities with distinct names, got {', '.join(names) or 'none'}")
        evaluations = as_real(budget)
        if evaluations is None or not (is_finite(evaluations) and evaluations >= 1):
            raise StudyError(f"a budget is at least one evaluation, got {budget!r}")
        name = validation.valid_name(name)
        self.budget = evaluations
        self.levels = (*sorted(fidelities, key=lambda f: f.cost), None)  # None: the objective
        self._studies: list[Study] = []
        for level in self.levels:
            below = self._studies[-1] if self._studies else None
            known = validation.valid_identity(identity) | ({"fidelity": level.name} if level else {})
            study = Study(
                space,
                [objective],
                seed=seed,
                max_evals=None if level else int(evaluations),
                store=store,
                name=f"{name}#{level.name}" if name and level else name,
                identity=known,
                prior_mean=None if below is None else LowerFidelity(below.task, _trials_of(below)),
                repeats=False,
            )
            self._studies.append(study)
        self._pending = [set[Configuration]() for _ in self.levels]

    def __repr__(self) -> str:
        names = ", ".join(self._name(level) for level in range(len(self.levels)))
        return f"<FidelityStudy of {names}: {self.spent:.4g} of {self.budget:g} evaluations spent>"

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
        """The trial of the objective itself that is expected to be best."""
        return self._studies[-1].recommended

    def close(self) -> None:
        """Close the stores of all levels."""
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
            hint = spelling_hint(name, names, f"there are {', '.join(names)}", quote=repr)
            raise StudyError(f"no fidelity {name!r}", hint=hint)
        return names.index(name)
