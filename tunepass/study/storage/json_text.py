"""Configurations, outcomes and objectives as JSON text: readable in any SQLite shell, and nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study.objective import Objective

LOG_BYTES = 8192  # of every log, its tail is kept


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_configuration(configuration: Configuration) -> str:
    """An object in the configuration's own order; a permutation is a list."""
    return dump({name: list(v) if isinstance(v, tuple) else v for name, v in configuration.items()})


def decode_configuration(text: str) -> Configuration:
    values: dict[str, Value] = {}
    for name, value in _mapping(text).items():
        if isinstance(value, list) and all(isinstance(item, (int, str)) for item in value):
            values[name] = tuple(value)
        elif isinstance(value, (bool, int, float, str)):
            values[name] = value
        else:
            raise StudyError(f"the store holds a configuration that cannot be read: {text}")
    return Configuration(values)


def decode_numbers(text: str | None) -> dict[str, float]:
    return {name: _number(value) for name, value in _mapping(text or "{}").items()}


def decode_samples(text: str | None) -> tuple[float, ...]:
    values = _loaded(text or "[]")
    if not isinstance(values, list):
        raise StudyError(f"the store holds a list that cannot be read: {text}")
    return tuple(_number(value) for value in values)


def encode_objectives(objectives: tuple[Objective, ...]) -> str:
    return dump([{"name": o.name, "unit": o.unit, "maximise": o.maximise} for o in objectives])


def decode_objectives(text: str) -> tuple[Objective, ...]:
    return tuple(Objective(o["name"], unit=o["unit"], maximise=o["maximise"]) for o in json.loads(text))


def encode_identity(identity: Mapping[str, str]) -> str:
    return dump(dict(sorted(identity.items())))


def decode_identity(text: str) -> dict[str, str]:
    return {name: str(value) for name, value in _mapping(text).items()}


def decode_rows(text: str, width: int) -> list[list[str]]:
    """A list of rows of so many texts."""
    rows = _loaded(text)
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == width and all(isinstance(cell, str) for cell in row) for row in rows
    ):
        raise StudyError(f"the store holds rows that cannot be read: {text[:80]!r}")
    return rows


def log_tail(log: str) -> str:
    """The last LOG_BYTES bytes of the log as clean UTF-8."""
    data = log.encode("utf-8", "replace")
    return data[-LOG_BYTES:].decode("utf-8", "ignore") if len(data) > LOG_BYTES else data.decode("utf-8")


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise StudyError(f"the store holds {value!r} where a number belongs")
    return float(value)


def _mapping(text: str) -> dict[str, object]:
    data = _loaded(text)
    if not isinstance(data, dict):
        raise StudyError(f"the store holds an object that cannot be read: {text}")
    return data


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise StudyError(f"the store holds text that is not JSON: {text[:80]!r}") from error
