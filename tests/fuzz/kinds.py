"""The kinds of inputs, how many of each, and one case of a kind by its number."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import data_files, descriptions, expressions, locks, sources, stores
from tests.fuzz.oracle import Finding, judge

Make = Callable[[random.Random, Path], str]  # leaves the case at the path, and says what it is


@dataclass(frozen=True, slots=True)
class Kind:
    """`file` is what a case is called in its folder; `cases` how many a whole run has."""

    cases: int
    file: str
    make: Make
    check: Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Report:
    index: int
    text: str
    result: bool | Finding


def run_case(kind: str, seed: int, index: int, folder: Path) -> Report:
    """The same case for the same kind, seed and number, whatever ran before."""
    chosen, path = KINDS[kind], folder / KINDS[kind].file
    text = chosen.make(random.Random(f"{kind}/{seed}/{index}"), path)
    return Report(index, text, judge(lambda: chosen.check(path)))


def _text(case: Callable[[random.Random], str]) -> Make:
    def make(rng: random.Random, path: Path) -> str:
        text = case(rng)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return text

    return make


def _lock(rng: random.Random, path: Path) -> str:
    data = locks.case(rng)
    path.write_bytes(data)
    return data.decode("utf-8", "backslashreplace")


def _store(rng: random.Random, path: Path) -> str:
    stores.case(rng, path)
    return f"a store of {path.stat().st_size} bytes"


def _expression(path: Path) -> None:
    expressions.check(path.read_bytes().decode("utf-8", "surrogateescape"))


KINDS: Mapping[str, Kind] = {
    "c": Kind(20_000, "case.c", _text(sources.c_case), sources.check),
    "spatial": Kind(10_000, "case.scala", _text(sources.spatial_case), sources.check),
    "yaml": Kind(10_000, "tune.yaml", _text(descriptions.case), sources.check),
    "lock": Kind(5_000, "tunepass.lock", _lock, locks.check),
    "store": Kind(2_000, "store.db", _store, stores.check),
    "expression": Kind(10_000, "case.txt", _text(expressions.case), _expression),
    "data": Kind(10_000, "case", data_files.case, data_files.check),
}
