"""Kernel Tuner's cache files and T4 files, also gzipped as the benchmark hub has them, as recorded spaces.

The space is exactly the recorded rows: neither file says what is legal. The end that an interrupted tuning leaves is
repaired.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from tunepass.diagnostics import StudyError
from tunepass.evaluators.recorded.recorded_space import RecordedSpace
from tunepass.files import check_regular, read_utf8, shown
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome

LIMIT = 1 << 29  # bytes, unpacked
_STAGES = {
    "CompilationFailedConfig": "compile",
    "compile": "compile",
    "timeout": "timeout",
    "correctness": "wrong_result",
}
_ENDS = ("", "}\n}", "}}")  # Kernel Tuner writes the end when it has finished
_OUTSIDE = {"InvalidConfig", "constraints"}
Json = object


def is_kernel_tuner(path: Path) -> bool:
    """Does the file begin as a cache file or a T4 file, or is it gzipped JSON?"""
    if path.name.endswith(".json.gz"):
        return True
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError:
        return False
    stated_first = b'"schema_version"' in head or b'"metadata"' in head  # the version may stand behind all results
    return b'"tune_params_keys"' in head or (stated_first and b'"results"' in head)


def read_kernel_tuner(path: Path) -> RecordedSpace:
    """The recorded space of a cache file or a T4 file. StudyError for what is neither."""
    data = _parsed(path)
    if not isinstance(data, dict):
        raise _unfit(path, "it is no object")
    rows, objective, name = _cache_rows(path, data) if "cache" in data else _t4_rows(path, data)
    if not rows:
        raise _unfit(path, "it has no rows")
    names = list(rows[0][0])
    if any(list(values) != names for values, _, _ in rows):
        raise _unfit(path, "its rows have different parameters")
    parameters = [parameter_of(n, [values[n] for values, _, _ in rows]) for n in names]
    outcomes: dict[Configuration, Outcome] = {}
    deviation: dict[Configuration, dict[str, float]] = {}
    for values, outcome, std in rows:
        configuration = Configuration(values)
        outcomes[configuration] = outcome
        if isinstance(outcome, Measured):
            deviation[configuration] = {} if std is None else {objective.name: std}
    space = Space.from_table(list(outcomes), parameters)
    return RecordedSpace(name, space, (objective,), outcomes, deviation, complete=False)


def _unfit(path: Path, problem: str) -> StudyError:
    return StudyError(f"{shown(path)} is neither a cache file of Kernel Tuner nor a T4 file: {problem}")


def _parsed(path: Path) -> Json:
    check_regular(path, StudyError)
    if path.name.endswith(".gz"):
        try:
            with gzip.open(path, "rb") as file:
                packed = file.read(LIMIT + 1)
            if len(packed) > LIMIT:
                raise _unfit(path, f"it has more than {LIMIT >> 20} MiB")
            text = packed.decode("utf-8")
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise StudyError(f"cannot read {shown(path)}: {error}") from None
    else:
        text = read_utf8(path, LIMIT, StudyError)
    stripped = text.rstrip().rstrip(",")
    try:
        return next(data for end in _ENDS if (data := _loaded(text if not end else stripped + end)) is not None)
    except StopIteration:
        raise _unfit(path, "it is no JSON, also with the end that an interrupted tuning leaves out") from None


def _loaded(text: str) -> Json | None:
    try:
        data: Json = json.loads(text)
        return data
    except (ValueError, RecursionError):
        return None


Row = tuple[dict[str, Value], Outcome, float | None]  # with the deviation of repeated measurements


def _cache_rows(path: Path, data: Mapping[str, Json]) -> tuple[list[Row], Objective, str]:
    keys, cache = data.get("tune_params_keys"), data.get("cache")
    if not isinstance(keys, list) or not isinstance(cache, dict):
        raise _unfit(path, "it lacks `tune_params_keys` or `cache`")
    if len(set(map(str, keys))) < len(keys):
        raise _unfit(path, f"`tune_params_keys` names a parameter twice: {str(keys)[:80]}")
    stated = data.get("objective", "time")
    name = stated[0] if isinstance(stated, list) and stated else stated
    objective = _objective(name)
    rows: list[Row] = []
    for entry in cache.values():
        if not isinstance(entry, dict) or not all(key in entry for key in keys):
            raise _unfit(path, f"an entry of `cache` lacks a parameter: {str(entry)[:80]}")
        error = entry.get("__error__", entry.get(str(name)))
        outcome = _failed(str(error)) if isinstance(error, str) else _measured(objective, entry.get(str(name)))
        rows.append((_values(path, {str(k): entry[k] for k in keys}), outcome, _deviation(entry.get("times"))))
    return rows, objective, f"{data.get('kernel_name', 'kernel')} on {data.get('device_name', 'a device')}"


def _t4_rows(path: Path, data: Mapping[str, Json]) -> tuple[list[Row], Objective, str]:
    results = data.get("results")
    if not isinstance(results, list) or not all(isinstance(r, dict) for r in results) or not results:
        raise _unfit(path, "it lacks `results`")
    names = results[0].get("objectives")
    name = names[0] if isinstance(names, list) and names else "time"
    objective = _objective(name)
    rows: list[Row] = []
    for result in results:
        configuration, times = result.get("configuration"), result.get("times")
        if not isinstance(configuration, dict):
            raise _unfit(path, "a result lacks `configuration`")
        measurements = [m for m in result.get("measurements") or [] if isinstance(m, dict) and m.get("name") == name]
        value = measurements[0].get("value") if measurements else None
        invalidity = result.get("invalidity", "correct")
        if invalidity != "correct" or isinstance(value, str):
            outcome = _failed(str(invalidity if invalidity != "correct" else value))
        else:
            outcome = _measured(objective, value)
        runtimes = times.get("runtimes") if isinstance(times, dict) else None
        rows.append((_values(path, configuration), outcome, _deviation(runtimes)))
    return rows, objective, path.name.split(".")[0]


def _objective(name: Json) -> Objective:
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in str(name))
    maximise = str(name).upper().startswith(("GFLOP", "TFLOP", "GB/S", "GBPS", "THROUGHPUT"))
    return Objective(
        plain if plain[:1].isalpha() else f"o_{plain}", unit="ms" if name == "time" else "", maximise=maximise
    )


def _failed(reason: str) -> Outcome:
    return Infeasible("restrictions") if reason in _OUTSIDE else Failed(_STAGES.get(reason, "run"), reason)


def _measured(objective: Objective, value: Json) -> Outcome:
    number = _number(value)
    if number is None:
        return Failed("metric", f"{objective.name} is {str(value)[:40]}")
    return Measured({objective.name: number})


def _number(value: Json) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _deviation(times: Json) -> float | None:
    """Standard deviation of repeated timings; None of fewer than two."""
    numbers = [n for t in times if (n := _number(t)) is not None] if isinstance(times, list) else []
    if len(numbers) < 2:
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((t - mean) ** 2 for t in numbers) / (len(numbers) - 1))


def _values(path: Path, values: Mapping[str, Json]) -> dict[str, Value]:
    plain: dict[str, Value] = {}
    for name, value in values.items():
        if not isinstance(value, bool | str) and _number(value) is None:
            raise _unfit(path, f"{name} has the value {str(value)[:40]}")
        assert isinstance(value, bool | int | float | str)
        plain[name] = value
    return plain


def parameter_of(name: str, column: Sequence[Value]) -> Parameter:
    """The parameter of these values: ordinal for three and more different numbers, on a log scale where they span a
    factor of 8; else categorical, the first value its default."""
    values = list(dict.fromkeys(column))
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(values) > 2:
        least, largest = min(numbers), max(numbers)
        return Ordinal(name, sorted(numbers), log=least > 0 and largest >= 8 * least)
    return Categorical(name, cast("Sequence[str | None]", values))
