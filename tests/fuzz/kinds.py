"""The kinds of inputs, how many of each, and one case of a kind by its number."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import (
    accelerators,
    data_files,
    descriptions,
    expressions,
    locks,
    networks,
    questions,
    sources,
    stores,
    tensor_programs,
    tuner_inputs,
)
from tests.fuzz.oracle import Finding, judge

Make = Callable[[random.Random, Path], str]  # leaves the case at the path, and says what it is


@dataclass(frozen=True, slots=True)
class Kind:
    """`file` is what a case is called in its folder; `cases` how many a whole run has, of which at least the share
    `accepted` is accepted, so that what follows the first checks is reached."""

    cases: int
    file: str
    make: Make
    check: Callable[[Path], None]
    accepted: float = 0.0


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


HALF = 0.5
KINDS: Mapping[str, Kind] = {
    "c": Kind(20_000, "case.c", _text(sources.c_case), sources.check),
    "spatial": Kind(10_000, "case.scala", _text(sources.spatial_case), sources.check),
    "yaml": Kind(10_000, "tune.yaml", _text(descriptions.case), sources.check, HALF),
    "lock": Kind(5_000, "tunepass.lock", _lock, locks.check),
    "store": Kind(2_000, "store.db", _store, stores.check),
    "expression": Kind(10_000, "case.txt", _text(expressions.case), _expression),
    "data": Kind(10_000, "case", data_files.case, data_files.check, HALF),
    "script": Kind(10_000, "tune.py", _text(tuner_inputs.script_case), tuner_inputs.check, HALF),
    "ktt": Kind(10_000, "Blur.cpp", _text(tuner_inputs.program_case), tuner_inputs.check, HALF),
    "t1": Kind(10_000, "blur.json", _text(tuner_inputs.t1_case), tuner_inputs.check, HALF),
    "nni": Kind(10_000, "nni.json", _text(tuner_inputs.nni_case), tuner_inputs.check, HALF),
    "cuda": Kind(10_000, "case.cu", _text(accelerators.cuda_case), sources.check, HALF),
    "opencl": Kind(10_000, "case.cl", _text(accelerators.opencl_case), sources.check, HALF),
    "hls": Kind(10_000, "case.cpp", _text(accelerators.hls_case), sources.check, HALF),
    "taco": Kind(10_000, "case.taco", _text(tensor_programs.taco_case), sources.check, HALF),
    "network": Kind(10_000, "case.py", _text(networks.network_case), sources.check, HALF),
    "onnx": Kind(10_000, "case.onnx", networks.onnx_case, networks.check_onnx, HALF),
    "serve": Kind(10_000, "lines.txt", questions.case, questions.check, HALF),
}
