"""Checks of all cells read from a store: types, ranges, finite numbers. A cell that fails its check raises Damage."""

from __future__ import annotations

import math
import sys
from typing import TypeGuard, cast

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study.ledger import Ledger
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

LARGEST = 1 << 62  # of numbers that count something


class Damage(StudyError):
    """Something in a store is not what a store holds; the message says what. The store adds its name and what to do."""

    @property
    def message(self) -> str:
        return self.diagnostics[0].message


def text(value: object, subject: str) -> str:
    if not isinstance(value, str):
        raise Damage(f"{subject} is {quoted(value)}, not a text")
    return value


def clean(value: object, subject: str) -> str:
    """A text that is UTF-8."""
    checked = text(value, subject)
    if not checked.isascii() and any("\ud800" <= c <= "\udfff" for c in checked):
        raise Damage(f"{subject} is not UTF-8: {quoted(value)}")
    return checked


def truth(value: object, subject: str) -> bool:
    if value not in (0, 1) or isinstance(value, float):
        raise Damage(f"{subject} is {quoted(value)}, neither true nor false")
    return bool(value)


def count(value: object, subject: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise Damage(f"{subject} is {quoted(value)}, not a number that counts")
    return value


def shared(value: object, subject: str) -> str:
    """A text of which a store holds many copies, once in memory."""
    return sys.intern(text(value, subject))


def number(value: object, subject: str) -> float:
    if _is_plain(value):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Damage(f"{subject} is {quoted(value)}, not a number")
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    if not math.isfinite(converted):
        raise Damage(f"{subject} is {quoted(value)}, not a finite number")
    return converted


def items(value: object, subject: str) -> list[object]:
    if not isinstance(value, list):
        raise Damage(f"{subject} is {quoted(value)}, not a list")
    return value


def mapping(value: object, subject: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Damage(f"{subject} is {quoted(value)}, not an object")
    return value


def numbers(value: object, subject: str) -> dict[str, float]:
    return {
        sys.intern(name): item if _is_plain(item) else number(item, f"{name} of {subject}")
        for name, item in mapping(value, subject).items()
    }


def _is_plain(value: object) -> TypeGuard[float]:
    """Is it what nearly every number of a store is? Then it needs no second look: there are millions."""
    return type(value) is float and math.isfinite(value)


def texts(value: object, subject: str) -> dict[str, str]:
    return {name: text(item, f"{name} of {subject}") for name, item in mapping(value, subject).items()}


def seconds(value: object, subject: str) -> dict[str, float]:
    return {stage: duration(item, f"{stage} of {subject}") for stage, item in mapping(value, subject).items()}


def duration(value: object, subject: str) -> float:
    converted = number(value, subject)
    if converted < 0:
        raise Damage(f"{subject} is {converted!r}, less than none")
    return converted


def configuration(value: object) -> Configuration:
    values: dict[str, Value] = {}
    for name, item in mapping(value, "configuration").items():
        name = sys.intern(name)
        if item is None:
            values[name] = cast(Value, item)
        elif isinstance(item, int) or _is_plain(item):
            values[name] = item
        elif isinstance(item, str):
            values[name] = sys.intern(item)
        elif isinstance(item, list) and all(isinstance(part, (int, str)) for part in item):
            values[name] = tuple(item)
        else:
            raise Damage(f"{name} of configuration is {quoted(item)}")
    return Configuration(values)


def measured(
    values: object, samples: object, censored: object, deviation: object = None, repeats: object = None
) -> Measured:
    """`deviation` and `repeats` are None where nothing was said of them."""
    listed = items(samples, "samples")
    plain = set(map(type, listed)) <= {float} and all(map(math.isfinite, listed))  # type: ignore[arg-type]
    sample_values: tuple[float, ...] = tuple(listed if plain else [number(s, "a sample") for s in listed])  # type: ignore[arg-type]
    means, cut = numbers(values, "objectives"), truth(censored, "censored")
    if deviation is None and repeats is None:
        return Measured(means, sample_values, cut)
    errors = numbers({} if deviation is None else deviation, "deviation")
    each = [numbers(item, "a repeat") for item in items([] if repeats is None else repeats, "repeats")]
    if any(set(values) != set(means) for values in each):
        raise Damage(f"a repeat has other objectives than {', '.join(means)}")
    try:
        return Measured(means, sample_values, cut, errors, tuple(each))
    except StudyError as error:
        raise Damage(error.diagnostics[0].message) from None


def intermediate(value: object) -> dict[int, float]:
    """Values by step, of pairs with ascending steps."""
    values: dict[int, float] = {}
    for item in items(value, "intermediate"):
        pair = items(item, "an intermediate value")
        if len(pair) != 2:
            raise Damage(f"an intermediate value is {quoted(item)}, not a step and a value")
        step = count(pair[0], "step of an intermediate value")
        if values and step <= next(reversed(values)):
            raise Damage(f"step {step} of the intermediate values stands after {next(reversed(values))}")
        values[step] = number(pair[1], "an intermediate value")
    return values


def failed(stage: object, reason: object) -> Failed:
    try:
        return Failed(shared(stage, "stage"), shared(reason, "reason"))
    except StudyError as error:
        raise Damage(error.diagnostics[0].message) from None


def ledger(value: object) -> Ledger:
    """The ledger of a cell; None, where nobody said what was checked, is an empty one."""
    if value is None:
        return Ledger()
    try:
        return Ledger.decode(text(value, "checks"))
    except Damage:
        raise
    except StudyError as error:
        raise Damage(error.diagnostics[0].message) from None


def objectives(value: object) -> tuple[Objective, ...]:
    checked_objectives = []
    for item in items(value, "objectives"):
        data = mapping(item, "an objective")
        name, unit = text(data.get("name"), "name of an objective"), text(data.get("unit"), "unit of an objective")
        try:
            checked_objectives.append(Objective(name, unit, truth(data.get("maximise"), "maximise of an objective")))
        except Damage:
            raise
        except StudyError as error:
            raise Damage(error.diagnostics[0].message) from None
    if len({o.name for o in checked_objectives}) < len(checked_objectives):
        raise Damage("two objectives have the same name")
    return tuple(checked_objectives)


def quoted(value: object) -> str:
    """A value in a message, not too long; one that Python itself would not write out is named by its type."""
    try:
        written = repr(value)
    except (ValueError, RecursionError):
        written = f"a long {type(value).__name__}"
    return written if len(written) <= 60 else written[:57] + "..."
