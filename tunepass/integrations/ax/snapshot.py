"""A client as JSON text. Nothing is unpickled, and what is read is checked as a caller's arguments are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from tunepass.diagnostics import StudyError
from tunepass.files import read_utf8, write_text
from tunepass.integrations.ax.configs import (
    ChoiceParameterConfig,
    Config,
    DerivedParameterConfig,
    RangeParameterConfig,
)
from tunepass.integrations.ax.trials import ClientTrial, TrialStatus
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration

FORMAT = "tunepass-ax-client/1"
LIMIT = 1 << 28  # bytes
KINDS: dict[str, type] = {
    "range": RangeParameterConfig,
    "choice": ChoiceParameterConfig,
    "derived": DerivedParameterConfig,
}
_MARK = {"range": "bounds", "choice": "values", "derived": "expression_str"}  # a field that only this kind has


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of a client that a file keeps."""

    seed: int
    configs: Sequence[Config]
    constraints: Sequence[str]
    objective: str | None
    outcome_constraints: Sequence[str]
    baseline: int | None
    trials: Sequence[ClientTrial]
    metric_names: Mapping[str, str]


def write(snapshot: Snapshot, path: Path) -> None:
    """Write it whole, in place of an earlier file."""
    fields = {
        "format": FORMAT,
        "seed": snapshot.seed,
        "parameters": [_config_fields(config) for config in snapshot.configs],
        "parameter_constraints": list(snapshot.constraints),
        "objective": snapshot.objective,
        "outcome_constraints": list(snapshot.outcome_constraints),
        "baseline": snapshot.baseline,
        "metric_names": dict(snapshot.metric_names),
        "trials": [
            {
                "parameters": trial.parameters,
                "arm_name": trial.arm_name,
                "status": trial.status.value,
                "data": {name: list(reading) for name, reading in trial.data.items()},
                "reason": trial.reason,
            }
            for trial in snapshot.trials
        ],
    }
    write_text(path, json.dumps(fields, indent=1) + "\n")


def read(path: Path) -> Snapshot:
    """Raises StudyError for a file that is none of tunepass's."""
    text = read_utf8(path, LIMIT, StudyError)
    try:
        fields = json.loads(text)
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ValueError("it has another format")
        trials = [_trial(index, each) for index, each in enumerate(fields["trials"])]
        baseline = fields["baseline"]
        if baseline is not None and baseline not in range(len(trials)):
            raise ValueError("its baseline is no trial")
        return Snapshot(
            int(fields["seed"]),
            [_config(each) for each in fields["parameters"]],
            list(fields["parameter_constraints"]),
            fields["objective"],
            list(fields["outcome_constraints"]),
            baseline,
            trials,
            {str(name): str(plain) for name, plain in fields.get("metric_names", {}).items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise StudyError(
            f"{path} is no client that tunepass saved: {error}", hint="Ax reads its own files, tunepass its own"
        ) from None


def _config_fields(config: Config) -> dict[str, object]:
    kind = next(name for name, mark in _MARK.items() if hasattr(config, mark))
    fields = {field.name: getattr(config, field.name, None) for field in dataclass_fields(KINDS[kind])}
    dependent = fields.get("dependent_parameters")
    if isinstance(dependent, Mapping):  # JSON has no numbers as keys
        fields["dependent_parameters"] = [[value, list(names)] for value, names in dependent.items()]
    for name in ("values", "bounds"):
        if name in fields:
            fields[name] = list(fields[name] or ())
    return {"kind": kind, **fields}


def _config(fields: Mapping[str, Any]) -> Config:
    given = dict(fields)
    kind = KINDS[given.pop("kind")]
    if given.get("dependent_parameters") is not None:
        given["dependent_parameters"] = dict(given["dependent_parameters"])
    config: Config = kind(**given)
    return config


def _trial(index: int, fields: Mapping[str, Any]) -> ClientTrial:
    parameters: dict[str, Foreign] = dict(fields["parameters"])
    trial = ClientTrial(index, Configuration({}), parameters, str(fields["arm_name"]))
    trial.status, trial.reason = TrialStatus(fields["status"]), str(fields["reason"])
    for name, (mean, error) in fields["data"].items():
        trial.take({name: mean if error is None else (mean, error)})
    return trial
