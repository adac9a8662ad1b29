"""`tunepass explain`: what the search found, and what happens one change away from the choice."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np

from tunepass.commands.answers.build import checks_data, checks_lines, failure_lines, origin_data, transferred
from tunepass.commands.answers.finalists import finalist_lines, finalists_data, kept_sentence
from tunepass.jobs.past import Past, past_searches
from tunepass.reports.answer import Answer, Json, plain, table
from tunepass.search.result import assignment, differing, failures_of, value_of
from tunepass.space.configuration import Configuration
from tunepass.strategies.density_ratio import importance
from tunepass.study.outcome import bounds_only
from tunepass.study.results.trial_columns import collecting_later, configurations, failure_kind, failure_kinds, losses
from tunepass.study.trial import Trial

BEST = 5
MOST_LISTED = 20  # parameters that decide most
FEW = 5  # measured trials that say something about parameters


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A trial that differs from the choice in one parameter, and in those that it makes active."""

    parameter: str
    values: Configuration
    trial: Trial


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of an answer on a past search, worked out once: a store may have many trials."""

    best: tuple[Trial, ...]
    neighbours: tuple[Neighbour, ...]
    importance: dict[str, float]


@collecting_later()
def run(options: argparse.Namespace) -> Answer:
    pasts = past_searches(options.source, options.kernel, options.store)
    explained = [(p, Explanation(tuple(_best(p)), tuple(neighbours(p)), importance_of(p))) for p in pasts]
    data: Json = [_data(past, explanation) for past, explanation in explained]
    return Answer("\n\n".join(_text(past, explanation) for past, explanation in explained), {"kernels": data})


def _text(past: Past, explanation: Explanation) -> str:
    trials, objective = past.history.trials, past.job.objective
    failed = sum(failures_of(trials).values())
    lines = [f"{past.job.key}: {len(trials)} trials, {failed} failed"]
    rows = [("", objective.name, "configuration")]
    rows += [("default", _value(past, t), _trial_text(past, t.configuration)) for t in trials[:1]]
    rows += [
        (f"best {i}", _value(past, t), _trial_text(past, t.configuration)) for i, t in enumerate(explanation.best, 1)
    ]
    lines.append(table(rows, indent="  "))
    if past.choice is not None:
        lines.append(f"  the choice: {_trial_text(past, past.choice)}")
        near = [(assignment(n.values), _value(past, n.trial)) for n in explanation.neighbours]
        lines.append("  one change away from it:" if near else "  nothing one change away from it was tried")
        lines += [table(near, indent="    ")] if near else []
    lines += finalist_lines(past.history.comparison, past.history.objectives)
    if past.choice == past.job.space.default:
        history = past.history
        lines.append(f"  {kept_sentence(history.comparison, trials, history.objectives, past.job.space)}")
    lines += checks_lines(past.checks)
    if decisive := explanation.importance:
        shares = ", ".join(f"{name} {value:.2f}" for name, value in list(decisive.items())[:MOST_LISTED])
        lines.append(f"  what decides between good and bad: {shares}")
    lines += transferred(past.history.origin)
    if failed:
        lines += ["  failures:", *(f"  {line}" for line in failure_lines(trials))]
    return "\n".join(lines)


def _trial_text(past: Past, configuration: Configuration) -> str:
    return differing(configuration, past.job.space.default)


def importance_of(past: Past) -> dict[str, float]:
    """How much each parameter decides, most first, of 1 (tunepass.strategies.density_ratio); from a few trials on."""
    trials = past.history.trials
    if failure_kinds(trials).count(None) < FEW or past.job.objective not in past.history.objectives:
        return {}
    nats_by_name = importance(past.job.space, past.job.objective, trials)
    return {name: nats / math.log(2) for name, nats in nats_by_name.items()}


def _best(past: Past) -> list[Trial]:
    trials = past.history.trials
    loss = losses(trials, past.job.objective)  # NaN, which is sorted last, where there is none
    return [trials[i] for i in np.argsort(loss, kind="stable")[:BEST] if not np.isnan(loss[i])]


def neighbours(past: Past) -> list[Neighbour]:
    """Trials in which a single parameter has another value than in the choice, by parameter."""
    choice = past.choice or Configuration({})
    neighbouring, trials = [], past.history.trials
    for place, configuration in enumerate(configurations(trials)):
        differences = configuration.differences(choice)
        changed = [name for name in differences if name in choice]
        if len(changed) == 1:
            names = dict.fromkeys([*changed, *differences])
            values = Configuration({name: configuration[name] for name in names})
            neighbouring.append(Neighbour(changed[0], values, trials[place]))
    order = list(choice)
    return sorted(neighbouring, key=lambda n: (order.index(n.parameter), n.trial.number))


def _value(past: Past, trial: Trial) -> str:
    value = value_of(trial, past.job.objective)
    if value is None:
        return failure_kind(trial) or "-"
    notes = [" cut short"] * trial.censored + [f" as trial {trial.same_as}"] * (trial.same_as is not None)
    least = "at least " if bounds_only(trial.outcome) else ""
    return f"{least}{value:.4g} {past.job.objective.unit}".rstrip() + ",".join(notes)


def _data(past: Past, explanation: Explanation) -> Json:
    trials = past.history.trials
    return {
        "key": past.job.key,
        "trials": len(trials),
        "failures": dict(failures_of(trials)),
        "choice": None if past.choice is None else {name: plain(value) for name, value in past.choice.items()},
        "default": [_trial(past, t) for t in trials[:1]],
        "best": [_trial(past, t) for t in explanation.best],
        "importance": explanation.importance,
        "finalists": finalists_data(past.history.comparison, trials, past.history.objectives, past.job.space),
        "checks": checks_data(past.checks),
        **origin_data(past.history.origin),
        "neighbours": [{"parameter": n.parameter, **_trial(past, n.trial)} for n in explanation.neighbours],
    }


def _trial(past: Past, trial: Trial) -> dict[str, Json]:
    return {
        "number": trial.number,
        "configuration": {name: plain(value) for name, value in trial.configuration.items()},
        "value": value_of(trial, past.job.objective),
        "failure": failure_kind(trial),
        "censored": trial.censored,
        "same_as": trial.same_as,
        "checks": checks_data(trial.checks),
    }
