"""Configurations, outcomes and objectives as JSON text: readable in any SQLite shell, and nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from tunepass.files import printable
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.storage import checked
from tunepass.study.storage.checked import Damage

LOG_BYTES = 8192  # of every log, its tail is kept


def dump(value: object) -> str:
    """JSON without spaces. Characters that UTF-8 does not have (of a file's name that is none, say) are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text if text.isascii() else printable(text)


def load(text: object, subject: str) -> object:
    """Decode JSON text. Raises Damage for text that is not JSON, NaN, and nesting without end."""
    written = checked.text(text, subject).strip(" \t\r\n")
    try:
        value, end = _SCAN(written, 0)
    except (ValueError, RecursionError, StopIteration):
        value, end = None, -1
    if end != len(written):
        raise Damage(f"{subject} is not JSON: {checked.quoted(text)}")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)  # made once: a store has several texts a trial
_SCAN: Callable[[str, int], tuple[object, int]] = _DECODER.scan_once  # type: ignore[attr-defined]


def encode_configuration(configuration: Configuration) -> str:
    """An object in the configuration's own order; a permutation is a list."""
    return dump(plain(configuration))


def plain(configuration: Configuration) -> dict[str, object]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in configuration.items()}


def decode_configuration(text: object) -> Configuration:
    return checked.configuration(load(text, "configuration"))


def encode_objectives(objectives: tuple[Objective, ...]) -> str:
    return dump([{"name": o.name, "unit": o.unit, "maximise": o.maximise} for o in objectives])


def decode_objectives(text: object) -> tuple[Objective, ...]:
    return checked.objectives(load(text, "objectives"))


def encode_identity(identity: Mapping[str, str]) -> str:
    return dump(dict(sorted(identity.items())))


def decode_identity(text: object) -> dict[str, str]:
    return checked.texts(load(text, "identity"), "identity")


def decode_rows(text: object, width: int) -> list[list[str]]:
    """A list of rows of so many texts."""
    rows = [checked.items(row, "a row") for row in checked.items(load(text, "rows"), "rows")]
    if any(len(row) != width for row in rows):
        raise Damage(f"a row has not {width} cells")
    return [[checked.text(cell, "a cell") for cell in row] for row in rows]


def log_tail(log: str) -> str:
    """The last LOG_BYTES bytes of the log as clean UTF-8."""
    data = log.encode("utf-8", "replace")
    return data[-LOG_BYTES:].decode("utf-8", "ignore") if len(data) > LOG_BYTES else data.decode("utf-8")
