"""Objectives and outcome constraints of a client, read from Ax's strings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.diagnostics import StudyError
from tunepass.integrations.ax.formulas import Formula, formula
from tunepass.integrations.keyed_trials import objectives_named
from tunepass.study.objective import Objective

COMPARISON = re.compile(r"<=|>=")
NUMBER = re.compile(r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)(\s*\*\s*baseline)?")
HINT = 'an outcome constraint is such as "qps >= 100", "0.5 * ne1 + ne2 <= 0.95" or "qps >= 0.95 * baseline"'


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective with the metrics that it is made of; a single metric is the objective itself."""

    objective: Objective
    formula: Formula
    metric: str | None  # the single one

    def value(self, metrics: Mapping[str, float]) -> float | None:
        """The objective's value; None where a metric is missing or not finite."""
        if any(not math.isfinite(metrics.get(name, math.nan)) for name in self.formula.names):
            return None
        return metrics[self.metric] if self.metric is not None else self.formula(metrics)


@dataclass(frozen=True, slots=True)
class OutcomeConstraint:
    """`formula <= bound` or `>= bound`; `relative`: the bound is a share of the baseline's value."""

    text: str
    formula: Formula
    at_most: bool
    bound: float
    relative: bool

    def holds(self, metrics: Mapping[str, float], baseline: Mapping[str, float] | None) -> bool | None:
        """Test the metrics against the constraint; None where one is missing."""
        if any(not math.isfinite(metrics.get(name, math.nan)) for name in self.formula.names):
            return None
        bound = self.bound
        if self.relative:
            if baseline is None or any(name not in baseline for name in self.formula.names):
                return None
            bound *= self.formula(baseline)
        value = self.formula(metrics)
        return value <= bound if self.at_most else value >= bound


@dataclass(frozen=True, slots=True)
class Goals:
    """The objectives, the constraints on other metrics, and the texts that both were read from."""

    goals: tuple[Goal, ...]
    constraints: tuple[OutcomeConstraint, ...]
    objective_text: str
    constraint_texts: tuple[str, ...]

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(goal.objective for goal in self.goals)

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that are needed, those of the objectives first."""
        formulas = [*(goal.formula for goal in self.goals), *(c.formula for c in self.constraints)]
        return tuple(dict.fromkeys(name for each in formulas for name in each.names))


def goals_of(objective: str, outcome_constraints: Sequence[str] | None) -> Goals:
    """The goals that Ax's strings state: larger is better, unless a metric has a minus.

    Raises:
        StudyError: a string that says something else.
    """
    if not isinstance(objective, str) or not objective.strip():
        raise StudyError(f'an objective is text such as "loss", "-loss" or "-loss, qps", got {objective!r}')
    formulas = [formula(part, "an objective") for part in objective.split(",")]
    weights = [each.weights() for each in formulas]
    single = [next(iter(each)) if len(each) == 1 else None for each in weights]
    rising = [name is None or weight[name] > 0 for name, weight in zip(single, weights)]
    named = objectives_named([name or each.text for name, each in zip(single, formulas)], rising)
    goals = [Goal(*parts) for parts in zip(named, formulas, single)]
    constraints = []
    for text in outcome_constraints or ():
        constraint = _constraint(text)
        constrained = [place for place, goal in enumerate(goals) if goal.metric in constraint.formula.names]
        if not constrained:
            constraints.append(constraint)
        elif len(goals) == 1 or len(constraint.formula.names) > 1:
            raise StudyError(
                f"{text!r} is about the objective {goals[constrained[0]].metric}", hint="constrain other metrics"
            )
        else:
            goals[constrained[0]] = _with_threshold(goals[constrained[0]], constraint)
    return Goals(tuple(goals), tuple(constraints), objective, tuple(outcome_constraints or ()))


def _constraint(text: str) -> OutcomeConstraint:
    sides = COMPARISON.split(text) if isinstance(text, str) else []
    if len(sides) != 2:
        raise StudyError(f"{text!r} is no comparison of metrics with a number by <= or >=", hint=HINT)
    at_most = "<=" in text
    bound = sides[1].strip()
    if bound == "baseline":
        number, relative = 1.0, True
    elif match := NUMBER.fullmatch(bound):
        number, relative = float(match[1]), match[2] is not None
    else:
        raise StudyError(f"the bound of {text!r} is no number, nor a share of `baseline`", hint=HINT)
    left = formula(sides[0], "an outcome constraint")
    left.weights()
    return OutcomeConstraint(text, left, at_most, number, relative)


def _with_threshold(goal: Goal, constraint: OutcomeConstraint) -> Goal:
    """Goal with the constraint's bound as its reference: the corner of the hypervolume."""
    weight = constraint.formula.weights()[str(goal.metric)]
    at_most = constraint.at_most == (weight > 0)
    if constraint.relative or at_most == goal.objective.maximise:
        raise StudyError(f"{constraint.text!r} is no threshold of the objective {goal.metric}", hint=HINT)
    return replace(goal, objective=replace(goal.objective, reference=constraint.bound / weight))
