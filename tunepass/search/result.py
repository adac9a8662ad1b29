"""Result and progress of a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tunepass.evaluators.process.first_error import errors_of
from tunepass.exact.base import Certificate
from tunepass.space.configuration import Configuration, Value, shown
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, bounds_only
from tunepass.study.prior_origin import Origin
from tunepass.study.results.trial_columns import configurations, failure_kinds
from tunepass.study.trial import Trial
from tunepass.study.trust import Trust

Phase = Literal["search", "finalists"]
MANY = 40  # parameters, of which only those that differ from the default are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """One objective of the choice against the default's. `default` is None when the default itself failed;
    `interval` is the gain's confidence interval, None when it was not measured in pairs."""

    objective: Objective
    default: float | None
    chosen: float
    gain: float | None
    interval: tuple[float, float] | None = None

    def sentence(self) -> str:
        """`time: 412.1 -> 98.3 ms, 4.19x (4.11 to 4.27)`."""
        unit = f" {self.objective.unit}" if self.objective.unit else ""
        if self.default is None or self.gain is None:
            return f"{self.objective.name}: {self.chosen:.4g}{unit} (the default fails)"
        text = f"{self.objective.name}: {self.default:.4g} -> {self.chosen:.4g}{unit}, {self.gain:.2f}x"
        return text + (f" ({self.interval[0]:.2f} to {self.interval[1]:.2f})" if self.interval else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The end of a search. `trials` are all of the study, `trial_count` how many there were (a lock knows the number
    even where the store is gone); `evaluations` counts those made in this run."""

    choice: Configuration
    default: Configuration
    objectives: tuple[Objective, ...]
    gains: tuple[Gain, ...] = ()
    pareto: tuple[Trial, ...] = ()
    trials: Sequence[Trial] = ()
    trial_count: int = 0
    evaluations: int = 0
    interrupted: int = 0  # the signal that ended the search early
    stopped: bool = False  # the caller's request ended the search early
    origin: Origin | None = None  # the earlier study that the search started from, and its trust
    warnings: tuple[str, ...] = ()  # about all results: no reference, a tolerance that accepts anything
    comparison: Comparison | None = None  # what the finalists measured in turns
    seconds: Mapping[str, float] = field(default_factory=dict)
    certificate: Certificate | None = None  # of an exact search
    within_fit: bool = False  # an exact front is of what the model was fitted to, the rest was left out
    gap: float | None = None  # of an exact search that was stopped, see exact/base.py
    checks: Ledger = EMPTY  # of the choice; empty where a lock of an earlier version recorded none

    @property
    def kept_default(self) -> bool:
        return self.choice == self.default

    @property
    def failures(self) -> Mapping[str, int]:
        return failures_of(self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The state of a running search after an evaluation. `latest` is None before the first."""

    phase: Phase
    objective: Objective
    evaluations: int
    max_evals: int | None
    elapsed_s: float
    budget_s: float | None
    default: float | None
    best: Trial | None
    latest: Trial | None
    failures: Mapping[str, int]
    note: str = ""  # what is to be said at once
    start: Configuration | None = None  # the default configuration
    trust: Trust | None = None  # what the prior mean has turned out to be worth so far

    @property
    def best_value(self) -> float | None:
        return None if self.best is None else value_of(self.best, self.objective)

    @property
    def unit(self) -> str:
        return self.objective.unit

    @property
    def best_text(self) -> str:
        if self.best is None:
            return ""
        return differing(self.best.configuration, self.start or self.best.configuration)

    @property
    def gain(self) -> float | None:
        """How many times better the best is than the default."""
        best = self.best_value
        return None if best is None or self.default is None else self.objective.gain(self.default, best)

    @property
    def improved(self) -> bool:
        return self.best is not None and self.latest is not None and self.best.number == self.latest.number


def assignment(configuration: Configuration) -> str:
    """`TILE=64, UNROLL=4`."""
    return ", ".join(f"{name}={shown(value)}" for name, value in configuration.items())


def differing(configuration: Configuration, default: Configuration) -> str:
    """As assignment; where parameters are many, those that differ from the default."""
    if len(configuration) <= MANY:
        return assignment(configuration)
    changed = Configuration({name: value for name, value in configuration.items() if default.get(name) != value})
    return f"the default but for {assignment(changed)}" if changed else "the default"


def contributions(
    choice: Configuration, defaults: Mapping[str, Value], trials: Iterable[Trial], objective: Objective
) -> Mapping[str, float]:
    """By parameter how many times better the choice's trial is than the same with this parameter at its default, where
    both were measured; what brings most first. `defaults` are of all parameters, inactive ones too."""
    values = {t.configuration: value for t in trials if (value := _measured_value(t, objective)) is not None}
    with_all = values.get(choice)
    without = {
        name: values.get(Configuration({**choice, name: value}), _of_other_program(choice, name, value, values))
        for name, value in defaults.items()
        if name in choice and choice[name] != value
    }
    gains = {
        name: objective.gain(value, with_all)
        for name, value in without.items()
        if value is not None and with_all is not None and value * with_all > 0
    }
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def _of_other_program(
    choice: Configuration, name: str, value: Value, values: Mapping[Configuration, float]
) -> float | None:
    """The value of a trial with this one parameter changed, where the change makes other parameters active."""
    for configuration, measured in values.items():
        if configuration.keys() != choice.keys() and configuration.get(name) == value:
            common = configuration.keys() & choice.keys() - {name}
            if all(configuration[other] == choice[other] for other in common):
                return measured
    return None


def _measured_value(trial: Trial, objective: Objective) -> float | None:
    return None if bounds_only(trial.outcome) else value_of(trial, objective)


def value_of(trial: Trial, objective: Objective) -> float | None:
    """The trial's value of the objective, if it was measured."""
    return trial.outcome.values.get(objective.name) if isinstance(trial.outcome, Measured) else None


def failures_of(trials: Sequence[Trial]) -> Mapping[str, int]:
    """How many trials failed at each stage, most frequent first; what a constraint refused counts as infeasible."""
    return _counted(failure_kinds(trials))


def _counted(kinds: Iterable[str | None]) -> Mapping[str, int]:
    counts = Counter(kind for kind in kinds if kind is not None)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def failed_sentence(trials: Sequence[Trial], default: Configuration) -> str:
    """How many candidates failed, of how many, at which stages; empty where none did."""
    tried = configurations(trials)
    others = [kind for kind, configuration in zip(failure_kinds(trials), tried) if configuration != default]
    stages = _counted(others)
    if not stages:
        return ""
    words = ", ".join(f"{count:,} {stage}" for stage, count in stages.items())
    count = f"{len(others):,} candidate{'' if len(others) == 1 else 's'}"
    return f"{sum(stages.values()):,} of {count} failed ({words})"


def none_compiled(trials: Sequence[Trial], default: Configuration) -> list[str]:
    """The warning where every candidate besides the default failed to compile: nothing was compared with it."""
    others = [trial for trial in trials if trial.configuration != default]
    logs = [t.outcome.log or t.log for t in others if isinstance(t.outcome, Failed) and t.outcome.stage == "compile"]
    if not others or len(logs) < len(others):
        return []
    first = errors_of(logs) or next((line for log in logs for line in log.splitlines() if line.strip()), "")
    count = f"all {len(others):,} candidates" if len(others) > 1 else "the only candidate"
    return [f"{count} besides the default failed to compile: {first.strip()}"]
