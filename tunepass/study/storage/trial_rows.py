"""A trial as a row of the store's table, and back."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import json_text
from tunepass.study.storage.schema import STAGES
from tunepass.study.trial import Trial

OUTCOME_COLUMNS = (
    *("outcome", "objectives", "samples", "stage", "reason"),
    *(f"{stage}_s" for stage in STAGES),
    *("other_s", "log", "calibration", "censored", "same_as", "code"),
)
TRIAL_COLUMNS = ("number", "configuration", *OUTCOME_COLUMNS)

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
    return (*kind, *times, trial.log, trial.calibration, int(trial.censored), trial.same_as, trial.code)


def to_trial(row: Sequence[Cell]) -> Trial:
    cells = dict(zip(TRIAL_COLUMNS, row))

    def text(column: str) -> str:
        return str(cells[column] or "")

    outcome: Outcome
    match text("outcome"):
        case "measured":
            samples = json_text.decode_samples(text("samples"))
            outcome = Measured(json_text.decode_numbers(text("objectives")), samples, censored=bool(cells["censored"]))
        case "infeasible":
            outcome = Infeasible(text("reason"))
        case _:
            outcome = Failed(text("stage"), text("reason"))
    times = {stage: float(seconds) for stage in STAGES if (seconds := cells[f"{stage}_s"]) is not None}
    speed, same_as = cells["calibration"], cells["same_as"]
    return Trial(
        number=int(cells["number"] or 0),
        configuration=json_text.decode_configuration(text("configuration")),
        outcome=outcome,
        seconds={**times, **json_text.decode_numbers(text("other_s"))},
        log=text("log"),
        calibration=None if speed is None else float(speed),
        same_as=None if same_as is None else int(same_as),
        code=text("code"),
    )
