"""Questions about one space as lines of JSON: an object in, an object out, until the input ends.

    {"ask": "space"}                                   the parameters, the limits, and how much is left
    {"ask": "possible", "configuration": {...}}        {"possible": true}
    {"ask": "explain", "configuration": {...}}         which limits it breaks, by how much, and what it takes
    {"ask": "nearest", "configuration": {...}}         the possible configuration with the fewest and smallest changes
    {"ask": "sample", "n": 10, "seed": 0}              distinct possible configurations, uniform

An `id` comes back with the answer. What cannot be answered is `{"error": ...}`; the next line is read all the same.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO, cast

import numpy as np

from tunepass.diagnostics import TunepassError, nearest
from tunepass.pruning.pruned_space import PrunedSpace
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Request = Mapping[str, Json]
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, as escapes can name: no text in UTF-8 has one
LONGEST = 1 << 20  # characters of a line
MOST_SAMPLED = 1_000_000


class RequestError(TunepassError):
    """A line that is no question."""


def serve(space: PrunedSpace, lines: Iterable[str]) -> Iterator[str]:
    """An answer for each line that is not empty."""
    for line in lines:
        if line.strip():
            answer = answered(space, line)
            text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
            yield text if text.isascii() or not SURROGATE.search(text) else json.dumps(answer, allow_nan=False)


def bounded_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a stream; of one longer than LONGEST only its start, which is long enough to be refused."""
    while line := stream.readline(LONGEST + 2):
        yield line
        while line and not line.endswith("\n"):
            line = stream.readline(LONGEST)


def answered(space: PrunedSpace, line: str) -> Mapping[str, Json]:
    known: Mapping[str, Json] = {}
    try:
        request = _request(line)
        known = {"id": request["id"]} if "id" in request else {}
        ask = request.get("ask")
        if not isinstance(ask, str) or ask not in ASKS:
            close = nearest(str(ask), ASKS)
            raise RequestError(f"`ask` is one of {', '.join(ASKS)}" + (f": did you mean {close}?" if close else ""))
        return {**known, **ASKS[ask](space, request)}
    except TunepassError as error:
        return {**known, "error": error.diagnostics[0].message}
    except Exception as error:  # the questions after it are answered all the same
        return {**known, "error": f"internal error: {type(error).__name__}: {error}"}


def _request(line: str) -> Request:
    if len(line) > LONGEST:
        raise RequestError(f"a line has at most {LONGEST:,} characters")
    try:
        request = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"this line is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise RequestError('a question is an object such as {"ask": "space"}')
    return request


def _finite(text: str) -> float:
    """The number; ValueError for one that JSON cannot answer with."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _values(request: Request) -> dict[str, Value]:
    """The configuration; an order is a list in JSON."""
    given = request.get("configuration")
    if not isinstance(given, Mapping):
        raise RequestError('`configuration` is an object, {"batch": 32, ...}')
    for name, value in given.items():
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, list | dict) for item in items):
            raise RequestError(f"{name}: {value!r} is no value")
    return {name: tuple(v) if isinstance(v, list) else cast(Value, v) for name, v in given.items()}


def _possible(space: PrunedSpace, request: Request) -> Mapping[str, Json]:
    return {"possible": space.contains(_values(request))}


def _configuration(space: PrunedSpace, request: Request) -> Configuration:
    return space.configuration(_values(request))


def _explain(space: PrunedSpace, request: Request) -> Mapping[str, Json]:
    configuration = _configuration(space, request)
    broken, unmet = space.broken(configuration), space.unmet(configuration)
    breaks: list[Json] = [
        {
            "limit": b.limit.constraint.text,
            "resource": b.limit.resource,
            "value": _number(b.value),
            "least" if b.limit.at_least else "most": b.limit.bound,
            "by": _number(b.excess),
            "unit": b.limit.unit,
        }
        for b in broken
    ]
    resources = {name: _number(value) for name, value in space.resources(configuration).items()}
    return {
        "possible": not broken and not unmet,
        "breaks": breaks,
        "constraints": [c.text for c in unmet],
        "resources": resources,
    }


def _number(value: int | float | None) -> int | float | None:
    """JSON has no infinities."""
    return value if value is None or np.isfinite(value) else None


def _nearest(space: PrunedSpace, request: Request) -> Mapping[str, Json]:
    configuration = _configuration(space, request)
    closest = space.nearest(configuration)
    if closest is None:
        raise RequestError("no possible configuration was found")
    return {
        "nearest": _plain(closest),
        "changed": [name for name in closest if closest[name] != configuration.get(name)],
    }


def _sample(space: PrunedSpace, request: Request) -> Mapping[str, Json]:
    n, seed = request.get("n", 1), request.get("seed", 0)
    for name, value, most in (("n", n, MOST_SAMPLED), ("seed", seed, 2**63)):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise RequestError(f"`{name}` is a whole number from 0 to {most:,}")
    rows = space.sample(cast(int, n), np.random.default_rng(cast(int, seed)))
    return {"configurations": [_plain(row) for row in rows]}


def _space(space: PrunedSpace, request: Request) -> Mapping[str, Json]:
    counted = space.space.finite and space.space.complete
    return {
        "parameters": {p.name: _described(p) for p in space.parameters},
        "limits": [
            {"limit": limit.constraint.text, "resource": limit.resource, "unit": limit.unit} for limit in space.limits
        ],
        "constraints": [c.text for c in space.constraints],
        "left": space.space.size if counted else None,
    }


def _described(p: Parameter) -> Mapping[str, Json]:
    when: Mapping[str, Json] = {} if p.when is None else {"when": p.when.text}
    return {"kind": p.kind, **p.definition(), **when}


def _plain(configuration: Configuration) -> Json:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in configuration.items()}


ASKS: Mapping[str, Callable[[PrunedSpace, Request], Mapping[str, Json]]] = {
    "space": _space,
    "possible": _possible,
    "explain": _explain,
    "nearest": _nearest,
    "sample": _sample,
}
