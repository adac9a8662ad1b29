"""Results of configurations from clients, functions and tables: texts for tables, outcomes for the study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.interchange.hypermapper.scenario import Feasibility, Scenario
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome

_TRUE, _FALSE = frozenset({"true", "1", "1.0"}), frozenset({"false", "0", "0.0"})
Error = Callable[[str, str | None], TunepassError]


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome, with the objectives as they were written and whether the configuration is feasible."""

    outcome: Outcome
    objectives: tuple[str, ...]
    feasible: bool = True


def result_of_texts(scenario: Scenario, texts: Mapping[str, str], error: Error) -> Result:
    """The result that columns of texts state; `error` makes the error at their place."""
    feasibility = scenario.feasibility
    feasible = True
    if feasibility.enabled:
        stated = is_feasible(texts[feasibility.name], feasibility)
        if stated is None:
            values = f"{feasibility.true_value} or {feasibility.false_value}"
            raise error(f"{feasibility.name} is {values}, got {texts[feasibility.name]!r}", None)
        feasible = stated
    written = tuple(texts[name] for name in scenario.objectives)
    if not feasible:
        return Result(Infeasible(feasibility.name), written, False)
    numbers = {name: _number(name, text, error) for name, text in zip(scenario.objectives, written)}
    return Result(outcome_of(numbers), written)


def _number(name: str, text: str, error: Error) -> float:
    try:
        return float(text)
    except ValueError:
        raise error(f"{name} is a number, got {text!r}", None) from None


def is_feasible(text: str, feasibility: Feasibility) -> bool | None:
    """True for the true value, False for the false one, as the scenario, C++ or Python write them; None: neither."""
    if text in (feasibility.true_value, feasibility.false_value):
        return text == feasibility.true_value
    folded = text.casefold()
    return True if folded in _TRUE else False if folded in _FALSE else None


def outcome_of(numbers: Mapping[str, float]) -> Outcome:
    """Measured, or a failure where a number is not finite. `numbers` by the names in the scenario."""
    unfit = next((name for name, number in numbers.items() if not math.isfinite(number)), None)
    if unfit is not None:
        return Failed("metric", f"{unfit} is {numbers[unfit]}")
    return Measured(dict(zip(objective_names(numbers), numbers.values())))


def result_of_outcome(scenario: Scenario, outcome: Outcome) -> Result:
    """The result of an earlier run's trial; what was not measured has `nan` for its objectives."""
    if isinstance(outcome, Measured):
        return Result(outcome, tuple(repr(outcome.values[name]) for name in objective_names(scenario.objectives)))
    return Result(outcome, ("nan",) * len(scenario.objectives), not isinstance(outcome, Infeasible))


def objective_names(names: Iterable[str]) -> list[str]:
    """Names of tunepass's objectives, which are identifiers, for those of a scenario."""
    ours: list[str] = []
    for name in names:
        plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
        plain = plain if plain[:1].isalpha() or plain[:1] == "_" else f"o_{plain}"
        while plain in ours:
            plain += "_"
        ours.append(plain)
    return ours


def result_of_answer(scenario: Scenario, answer: object) -> Result:
    """The result of a Python function's answer: a number, a mapping, or the outputs in their order."""
    outputs = scenario.outputs
    if isinstance(answer, Mapping):
        given: dict[str, object] = {str(name): value for name, value in answer.items()}
    else:
        listed = list(answer) if isinstance(answer, tuple | list) else [answer]
        if len(listed) != len(outputs):
            raise StudyError(f"the function returns {', '.join(outputs)}, got {len(listed)} values")
        given = dict(zip(outputs, listed))
    for name in outputs:
        if name not in given:
            raise StudyError(f"the function's result has no `{name}`", hint=f"it has {', '.join(given)}")
    return result_of_texts(scenario, {name: _text(given[name]) for name in outputs}, _answered)


def _text(value: object) -> str:
    """A number as Python writes it, also one of NumPy's."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value
    return plain if isinstance(plain, str) else repr(plain)


def _answered(message: str, hint: str | None) -> TunepassError:
    return StudyError(f"the function's result: {message}", hint=hint)
