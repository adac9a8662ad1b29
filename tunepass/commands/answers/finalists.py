"""Report on finalists: as JSON, as a sentence, and as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunepass.reports.answer import Json, plain, table
from tunepass.reports.rounds import drawings, strips
from tunepass.search.finalists.choice import LEAST_GAIN, decision_of
from tunepass.search.finalists.rounds import MOST_ROUNDS
from tunepass.search.result import assignment, failed_sentence
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed
from tunepass.study.results.trial_columns import configurations, failure_kind, failure_kinds, first_of
from tunepass.study.trial import Trial


def finalists_data(
    comparison: Comparison | None, trials: Sequence[Trial], objectives: Sequence[Objective], space: Space
) -> Json:
    """The rounds, what they say, and how many more would decide (0: it is decided; null: more than can be said). A
    finalist that failed in its rounds or its checks has the stage; it is not the best."""
    objective = _objective(comparison, objectives)
    if comparison is None or objective is None:
        return None
    failed = _failed(comparison, trials)
    stages = {configuration: failure_kind(trial) for configuration, trial in failed.items()}
    candidates: list[Json] = []
    for finalist, drawn in zip(comparison.finalists, drawings(comparison, objective)):
        candidates.append(
            {
                "choice": _assigned(finalist.configuration),
                "values": list(finalist.values),
                "gain": drawn.gain,
                "interval": list(drawn.interval) if drawn.interval else None,
                "failed": stages.get(finalist.configuration),
            }
        )
    working = _without(comparison, failed)
    decision = decision_of(working, objective, space)
    best = None if decision.best is None else comparison.finalists.index(working.finalists[decision.best])
    return {
        "objective": objective.name,
        "rounds": comparison.rounds,
        "default": list(comparison.default),
        "candidates": candidates,
        "best": best,
        "more_rounds": decision.more_rounds,
    }


def kept_sentence(
    comparison: Comparison | None, trials: Sequence[Trial], objectives: Sequence[Objective], space: Space
) -> str:
    """Why the default was kept: what the best finalist gained and what would decide, or that there was none; and how
    many candidates failed, of how many, at which stages."""
    return "; ".join(
        filter(None, [_reason(comparison, trials, objectives, space), failed_sentence(trials, space.default)])
    )


def _reason(
    comparison: Comparison | None, trials: Sequence[Trial], objectives: Sequence[Objective], space: Space
) -> str:
    objective = _objective(comparison, objectives)
    if comparison is None or objective is None:
        return f"default kept: {_without_finalists(trials, space)}"
    if failed := _failed(comparison, trials):
        reasons = ", ".join(f"{assignment(trial.configuration)} ({_reason_of(trial)})" for trial in failed.values())
        others = _without(comparison, failed)
        rest = _reason(others, trials, objectives, space) if others.finalists else "default kept: no finalist is left"
        return f"{rest}; failed finalist{'' if len(failed) == 1 else 's'}: {reasons}"
    decision = decision_of(comparison, objective, space)
    if decision.best is None:
        return f"default kept: no finalist made enough rounds ({comparison.rounds}) to be compared with it"
    lo, hi = decision.interval
    gain_text = f"{decision.gain:.3f}x [{lo:.3f}, {hi:.3f}]"
    if decision.more_rounds == 0:
        return f"default kept: no finalist is {1 + LEAST_GAIN:g}x better; the best is {gain_text}"
    if decision.more_rounds is None:
        return f"default kept: best finalist {gain_text}; more than 1,000 more rounds would be needed to decide"
    rounds = f"{decision.more_rounds} more round{'' if decision.more_rounds == 1 else 's'}"
    possible = comparison.rounds + decision.more_rounds <= MOST_ROUNDS
    how = "a longer --budget with --continue makes them" if possible else f"a build makes {MOST_ROUNDS} at most"
    return f"default kept: best finalist {gain_text}; about {rounds} would decide: {how}"


def _failed(comparison: Comparison, trials: Sequence[Trial]) -> Mapping[Configuration, Trial]:
    """The trials of finalists that failed, in their rounds or in their checks."""
    places = {
        c: i for i, (c, kind) in enumerate(zip(configurations(trials), failure_kinds(trials))) if kind is not None
    }
    compared = [finalist.configuration for finalist in comparison.finalists]
    return {configuration: trials[places[configuration]] for configuration in compared if configuration in places}


def _reason_of(trial: Trial) -> str:
    """The stage, and the first line of what is known of it."""
    first = trial.outcome.log.strip().partition("\n")[0] if isinstance(trial.outcome, Failed) else ""
    return f"{failure_kind(trial)}: {first}" if first else str(failure_kind(trial))


def _without(comparison: Comparison, failed: Mapping[Configuration, Trial]) -> Comparison:
    return replace(comparison, finalists=tuple(f for f in comparison.finalists if f.configuration not in failed))


def _without_finalists(trials: Sequence[Trial], space: Space) -> str:
    others = [i for i, c in enumerate(configurations(trials)) if c != space.default]
    if not others:
        only = space.finite and space.complete and space.size == 1
        return "there is no other configuration" if only else "nothing else was evaluated"
    kinds, default = failure_kinds(trials), first_of(trials, space.default)
    measured = [i for i in others if kinds[i] is None]
    if not measured:
        return "no other candidate works"
    if all(trials[i].same_as == (default and default.number) for i in measured):
        return "what else was evaluated is the same code"
    return "no significant gain"


def finalist_lines(comparison: Comparison | None, objectives: Sequence[Objective]) -> list[str]:
    """For `explain`: a line for each finalist, the picture of its rounds first."""
    objective = _objective(comparison, objectives)
    if comparison is None or objective is None or not comparison.rounds:
        return []
    drawn = drawings(comparison, objective)
    rows = [("rounds", "gain", "least to greatest gain in a round; | is 1", "finalist")]
    for each, strip in zip(drawn, strips(drawn)):
        lo, hi = each.interval or (0.0, 0.0)
        gain = f"{each.gain:.3f}x [{lo:.3f}, {hi:.3f}]" if each.interval else "-"
        rows.append((str(len(each.gains)), gain, strip, each.label))
    return [f"  finalists, in {comparison.rounds} rounds with the default:", table(rows, indent="    ")]


def _objective(comparison: Comparison | None, objectives: Sequence[Objective]) -> Objective | None:
    """The compared one of them."""
    return next((o for o in objectives if comparison is not None and o.name == comparison.objective), None)


def _assigned(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}
