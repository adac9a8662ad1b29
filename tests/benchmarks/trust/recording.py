"""Rounds of programs that do not differ in speed, recorded for tests/benchmarks/trust/simulated.py."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import tunepass
from tests.benchmarks.trust.kernels import FLAGS, IDLE
from tunepass.backends.base import Target
from tunepass.backends.c.backend import CBackend
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration

PROGRAMS = 4
DIGITS = 4


def measured_in_turns(
    source: Path, compiler: tuple[str, ...], choices: Sequence[Configuration], rounds: int
) -> list[list[float]]:
    """For each of the choices its times by round, in ms."""
    with CBackend(tunepass.load(source), Target(compiler=compiler)).evaluator() as made:
        assert isinstance(made, CompileRun)
        return made.compare_again(list(choices), rounds=rounds)


def record(folder: Path, file: Path, rounds: int) -> Iterator[str]:
    """Adds to the file's recordings; a line for each kind of kernel."""
    recorded = json.loads(file.read_text()) if file.is_file() else []
    choices = [Configuration({"A": number, "B": 4}) for number in range(PROGRAMS)]
    for kind, text in IDLE.items():
        source = folder / f"{kind}.c"
        source.write_text(text)
        values = measured_in_turns(source, ("gcc", "-O2", *FLAGS.get(kind, ())), choices, rounds)
        load = round(os.getloadavg()[0], 1)
        rounded = [[float(f"{value:.{DIGITS}g}") for value in each] for each in values]
        recorded.append({"kind": kind, "load": load, "values": rounded})
        yield f"recorded {rounds} rounds of {kind} at a load of {load}"
    file.write_text("[\n" + ",\n".join(json.dumps(item) for item in recorded) + "\n]\n")
