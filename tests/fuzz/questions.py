"""Lines for `serve`: questions, in most cases right, and lines that are hardly any. Each has its answer, and so has the
question after it."""

from __future__ import annotations

import functools
import io
import json
import random
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.mutation import mutated, mutated_bytes
from tunepass.diagnostics import TunepassError
from tunepass.jobs.pruning import pruned_space
from tunepass.jobs.serving import bounded_lines, serve
from tunepass.pruning.pruned_space import PrunedSpace

SAMPLE = seeds.ROOT / "samples" / "dnn" / "mnist_keras.py"
VALUES: dict[str, tuple[str, ...]] = {
    "batch_size": ("16", "32"),
    "kernel": ("3", "5"),
    "filters": ("16", "512"),
    "units": ("64", "512"),
    "padding": ('"valid"', '"same"'),
}
IDS = (
    "1",
    '"a"',
    "null",
    "[1, 2]",
    '{"a": 1}',
    "-0.0",
    "1e300",
    '"\\ud800"',
    '"\u202e"',
    "9007199254740993",
    '"\\u0000"',
)
ODD_VALUES = (
    "NaN",
    "1e999",
    "-Infinity",
    "[]",
    "{}",
    "null",
    "true",
    '"\\udfff"',
    "1e400",
    "9" * 4000,
    '"x"',
    "-1",
    "3.0",
)
LAST = '{"ask": "possible", "configuration": {}, "id": "last"}'


def case(rng: random.Random, path: Path) -> str:
    text = _question(rng)
    if rng.random() < 0.25:
        text = mutated(rng, text, (text, _question(rng)))
    data = text.encode("utf-8", "surrogateescape")
    data = mutated_bytes(rng, data, 3) if rng.random() < 0.1 else data
    path.write_bytes(data)
    return data.decode("utf-8", "backslashreplace")


def _question(rng: random.Random) -> str:
    fields = [f'"id": {rng.choice(IDS)}'] if rng.random() < 0.5 else []
    ask = rng.choice(("space", "possible", "explain", "nearest", "sample"))
    fields.append(f'"ask": "{ask}"')
    if ask == "sample":
        fields += [f'"n": {rng.choice((0, 1, 5, 20))}', f'"seed": {rng.choice((0, 7, 2**40))}'][: rng.randrange(3)]
    elif ask != "space":
        values = {name: rng.choice(choices) for name, choices in VALUES.items()}
        if rng.random() < 0.15:
            values[rng.choice(list(values))] = rng.choice(ODD_VALUES)
        if rng.random() < 0.05:
            del values[rng.choice(list(values))]
        inside = ", ".join(f'"{name}": {value}' for name, value in values.items())
        fields.append(f'"configuration": {{{inside}}}')
    rng.shuffle(fields)
    return "{" + ", ".join(fields) + "}"


def check(path: Path) -> None:
    """Every line of the input is answered with one line of JSON that UTF-8 can hold; an error is a refusal."""
    data = path.read_bytes() + b"\n" + LAST.encode() + b"\n"
    stream = io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape")
    *answers, last = (json.loads(answer.encode().decode()) for answer in serve(_space(), bounded_lines(stream)))
    assert last["id"] == "last" and last["possible"] is False
    for answer in answers:
        if "error" in answer:
            assert "internal error" not in answer["error"], answer["error"]
            raise TunepassError(answer["error"])


@functools.cache
def _space() -> PrunedSpace:
    return pruned_space(SAMPLE, device="phone", limits=["flops=60M"])
