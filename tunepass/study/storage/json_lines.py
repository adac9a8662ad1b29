"""Studies and trials as JSON lines: what `tunepass store export` prints, and what a build writes whose store is lost.

The first line is `{"kind":"store","version":1}`. A line of kind `study` holds its name, space, objectives, identity,
when it was created, its origin and its comparison; a line of kind `trial` names its study, which stands before it, and
holds what docs/store.md says of a trial, its seconds as one object; one of kind `manifest` a digest and its parts.
`tunepass store repair FILE` makes a store of such a file.

    text = "".join(lines([StudyCells(...), *(StoredTrial(name, trial) for trial in trials)]))
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tunepass.study.comparison.final_round import Comparison
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import checked, json_text
from tunepass.study.storage.checked import Damage
from tunepass.study.trial import Trial

VERSION = 1
MANIFEST_WIDTH = 3  # texts in a part
HEAD = json_text.dump({"kind": "store", "version": VERSION})


@dataclass(frozen=True, slots=True)
class StudyCells:
    """A study as its row holds it: all but its name and when it was created are JSON text, the last two perhaps "".
    Of a StudyRecord: `json_text.encode_objectives(record.objectives)`, `json_text.encode_identity(record.identity)`."""

    name: str
    space: str
    objectives: str
    identity: str
    created: str
    origin: str = ""
    comparison: str = ""


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """A trial of the study called `study`, and when it was reported (UTC, ISO 8601)."""

    study: str
    trial: Trial
    finished: str = ""


@dataclass(frozen=True, slots=True)
class ManifestCells:
    """A manifest as its row holds it: `parts` is JSON text."""

    digest: str
    parts: str


Item = StudyCells | StoredTrial | ManifestCells


def lines(items: Iterable[Item]) -> Iterator[str]:
    """The lines, the first one among them, each with its end. A study stands before its trials."""
    yield HEAD + "\n"
    yield from map(line, items)


def line(item: Item) -> str:
    """The line of an item, with its end."""
    match item:
        case StudyCells():
            fields = _study(item)
        case StoredTrial():
            fields = _trial(item)
        case ManifestCells(digest, parts):
            fields = {"kind": "manifest", "digest": digest, "parts": json.loads(parts)}
    return json_text.dump(fields) + "\n"


def read(text: str) -> Iterator[Item | Damage]:
    """Items of the lines, in order; a line that cannot be read is a Damage with its number and the reason."""
    for place, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                item = _item(checked.mapping(json_text.load(line, "it"), "it"))
            except Damage as damage:
                yield Damage(f"line {place}: {damage.message}")
            else:
                if item is not None:
                    yield item


def _item(data: Mapping[str, object]) -> Item | None:
    match data.get("kind"):
        case "store":
            if data.get("version") != VERSION:
                raise Damage(f"version is {checked.quoted(data.get('version'))}, and {VERSION} is known")
            return None
        case "study":
            return _read_study(data)
        case "trial":
            return _read_trial(data)
        case "manifest":
            parts = json_text.dump(data.get("parts"))
            json_text.decode_rows(parts, MANIFEST_WIDTH)
            return ManifestCells(checked.text(data.get("digest"), "digest"), parts)
    raise Damage(f"kind is {checked.quoted(data.get('kind'))}, none of store, study, trial, manifest")


def _study(study: StudyCells) -> dict[str, object]:
    return {
        "kind": "study",
        "name": study.name,
        "space": json.loads(study.space),
        "objectives": json.loads(study.objectives),
        "identity": json.loads(study.identity),
        "created": study.created,
        "origin": json.loads(study.origin) if study.origin else None,
        "comparison": json.loads(study.comparison) if study.comparison else None,
    }


def _read_study(data: Mapping[str, object]) -> StudyCells:
    checked.mapping(data.get("space"), "space")
    return StudyCells(
        name=checked.text(data.get("name"), "name"),
        space=json_text.dump(data.get("space")),
        objectives=json_text.encode_objectives(checked.objectives(data.get("objectives"))),
        identity=json_text.encode_identity(checked.texts(data.get("identity"), "identity")),
        created=checked.text(data.get("created"), "created"),
        origin=json_text.dump(checked.mapping(data["origin"], "origin")) if data.get("origin") else "",
        comparison=Comparison.decode(json_text.dump(data["comparison"])).encode() if data.get("comparison") else "",
    )


def _trial(item: StoredTrial) -> dict[str, object]:
    trial = item.trial
    return {
        "kind": "trial",
        "study": item.study,
        "number": trial.number,
        "configuration": json_text.plain(trial.configuration),
        **_outcome_fields(trial.outcome),
        "seconds": dict(trial.seconds),
        "log": trial.log,
        "calibration": trial.calibration,
        "same_as": trial.same_as,
        "code": trial.code,
        **({"checks": json.loads(trial.checks.encode())} if trial.checks else {}),
        **({"intermediate": list(trial.intermediate.items())} if trial.intermediate else {}),
        "finished": item.finished,
    }


def _outcome_fields(outcome: Outcome) -> dict[str, object]:
    match outcome:
        case Measured(values, samples, censored, deviation, repeats):
            measured = {
                "outcome": "measured", "objectives": dict(values), "samples": list(samples), "censored": censored
            }  # fmt: skip
            certainty = {"deviation": dict(deviation), "repeats": [dict(each) for each in repeats]}
            return measured | {name: value for name, value in certainty.items() if value}
        case Infeasible(constraint):
            return {"outcome": "infeasible", "reason": constraint}
        case Failed(stage, log):
            return {"outcome": "failed", "stage": stage, "reason": log}


def _read_trial(data: Mapping[str, object]) -> StoredTrial:
    speed, same_as = data.get("calibration"), data.get("same_as")
    trial = Trial(
        number=checked.count(data.get("number"), "number"),
        configuration=checked.configuration(data.get("configuration")),
        outcome=_read_outcome(data),
        seconds=checked.seconds(data.get("seconds"), "seconds"),
        log=checked.text(data.get("log"), "log"),
        calibration=None if speed is None else checked.number(speed, "calibration"),
        same_as=None if same_as is None else checked.count(same_as, "same_as"),
        code=checked.text(data.get("code"), "code"),
        checks=checked.ledger(json_text.dump(data["checks"]) if data.get("checks") else None),
        intermediate=checked.intermediate(data.get("intermediate") or []),
    )
    study, finished = checked.text(data.get("study"), "study"), checked.text(data.get("finished"), "finished")
    return StoredTrial(study, trial, finished)


def _read_outcome(data: Mapping[str, object]) -> Outcome:
    match data.get("outcome"):
        case "measured":
            certainty = data.get("deviation"), data.get("repeats")
            return checked.measured(data.get("objectives"), data.get("samples"), data.get("censored"), *certainty)
        case "infeasible":
            return Infeasible(checked.text(data.get("reason"), "reason"))
        case "failed":
            return checked.failed(data.get("stage"), data.get("reason"))
    raise Damage(f"outcome is {checked.quoted(data.get('outcome'))}")
