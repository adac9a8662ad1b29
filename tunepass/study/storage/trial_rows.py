"""A trial as a row of the store's table, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import checked, json_text
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.schema import STAGES
from tunepass.study.trial import Trial

OUTCOME_COLUMNS = (
    *("outcome", "objectives", "samples", "stage", "reason"),
    *(f"{stage}_s" for stage in STAGES),
    *("other_s", "log", "calibration", "censored", "same_as", "code", "deviation", "repeats", "checks", "intermediate"),
)
TRIAL_COLUMNS = ("number", "configuration", *OUTCOME_COLUMNS)

_STAGE_COLUMNS = [(stage, f"{stage}_s") for stage in STAGES]

Cell = str | int | float | None


def outcome_cells(trial: Trial) -> tuple[Cell, ...]:
    """The cells of OUTCOME_COLUMNS."""
    kind: tuple[Cell, ...]
    match trial.outcome:
        case Measured(values, samples):
            kind = (
                "measured",
                json_text.dump(dict(values)),
                json_text.dump(list(samples)) if samples else None,
                None,
                None,
            )
        case Infeasible(constraint):
            kind = ("infeasible", None, None, None, constraint)
        case Failed(stage, log):
            kind = ("failed", None, None, stage, log)
    other = {stage: seconds for stage, seconds in trial.seconds.items() if stage not in STAGES}
    times = (*(trial.seconds.get(stage) for stage in STAGES), json_text.dump(other) if other else None)
    tail = (trial.log, trial.calibration, int(trial.censored), trial.same_as, trial.code)
    checks = trial.checks.encode() if trial.checks else None
    return (*kind, *times, *tail, *_certainty_cells(trial.outcome), checks, intermediate_cell(trial.intermediate))


def intermediate_cell(values: Mapping[int, float]) -> str | None:
    """Pairs of step and value; NULL without any."""
    return json_text.dump([[step, value] for step, value in values.items()]) if values else None


def read_intermediate(cell: object) -> dict[int, float]:
    """Values by step of such a cell. Raises Damage."""
    return {} if cell is None else checked.intermediate(json_text.load(cell, "intermediate"))


def _certainty_cells(outcome: Outcome) -> tuple[Cell, Cell]:
    """The cells `deviation` and `repeats`; NULL where nothing was said of them."""
    if not isinstance(outcome, Measured):
        return None, None
    deviation, repeats = outcome.deviation, outcome.repeats
    return (
        json_text.dump(dict(deviation)) if deviation else None,
        json_text.dump([dict(values) for values in repeats]) if repeats else None,
    )


def to_trial(row: Sequence[object], objectives: Sequence[str] | None = None) -> Trial:
    """The trial of a row of TRIAL_COLUMNS, measured in exactly these objectives if they are given. Raises Damage."""
    cells = dict(zip(TRIAL_COLUMNS, row))
    try:
        return _trial(cells, objectives)
    except Damage as damage:
        raise Damage(f"trial {checked.quoted(cells['number'])}: {damage.message}") from None


def _trial(cells: Mapping[str, object], objectives: Sequence[str] | None) -> Trial:
    outcome = _outcome(cells)
    if objectives is not None and isinstance(outcome, Measured) and set(outcome.values) != set(objectives):
        raise Damage(f"it measured {', '.join(outcome.values) or 'nothing'}, its study {', '.join(objectives)}")
    number, speed, same_as = checked.count(cells["number"], "number"), cells["calibration"], cells["same_as"]
    return Trial(
        number=number,
        configuration=json_text.decode_configuration(cells["configuration"]),
        outcome=outcome,
        seconds=_seconds(cells),
        log=checked.shared(cells["log"], "log"),
        calibration=None if speed is None else checked.number(speed, "calibration"),
        same_as=None if same_as is None else checked.count(same_as, "same_as"),
        code=checked.text(cells["code"], "code"),
        checks=checked.ledger(cells["checks"]),
        intermediate=read_intermediate(cells["intermediate"]),
    )


def _outcome(cells: Mapping[str, object]) -> Outcome:
    match cells["outcome"]:
        case "measured":
            values = json_text.load(cells["objectives"], "objectives")
            samples, deviation, repeats = (
                _loaded(cells, "samples"),
                _loaded(cells, "deviation"),
                _loaded(cells, "repeats"),
            )
            return checked.measured(values, samples or [], cells["censored"], deviation, repeats)
        case "infeasible":
            return Infeasible(checked.shared(cells["reason"], "reason"))
        case "failed":
            return checked.failed(cells["stage"], cells["reason"])
    raise Damage(f"outcome is {checked.quoted(cells['outcome'])}")


def _loaded(cells: Mapping[str, object], name: str) -> object:
    """Decode the JSON text of a cell; None for an empty cell."""
    text = cells[name]
    return None if text is None else json_text.load(text, name)


def _seconds(cells: Mapping[str, object]) -> dict[str, float]:
    times = {
        stage: value if type(value) is float and 0.0 <= value < math.inf else checked.duration(value, column)
        for stage, column in _STAGE_COLUMNS
        if (value := cells[column]) is not None
    }
    other = cells["other_s"]
    return times if other is None else {**times, **checked.seconds(json_text.load(other, "other_s"), "other_s")}
