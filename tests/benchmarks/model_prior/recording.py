"""Measured configurations of a kernel, kept in a file, so that searches can be replayed without the machine.

Half are drawn at random from the feasible space, half are neighbours of the best ones so far. A value is a median of
timings in ms, each against a calibration loop run beside it; None where the configuration failed. REPEATS rows are
measured twice.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tunepass
from tunepass.frontends.c.harness.source import harness_source
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import ArrayArgument, CKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space

COMPILER = ("gcc", "-O2")
REPEATS = 20
CALIBRATION_S = 22e-6  # of the harness's calibration loop on a core that has no neighbour
BEST = 8  # of the best rows, neighbours are measured


@dataclass(frozen=True, slots=True)
class Recording:
    """`times` in ms by configuration, None where it failed; `repeats` are second measurements of some."""

    times: dict[Configuration, float | None]
    repeats: dict[Configuration, float]

    @property
    def noise(self) -> float:
        """The median relative difference of two measurements of one configuration."""
        pairs = [(self.times[c], again) for c, again in self.repeats.items()]
        return float(np.median([abs(b / a - 1) for a, b in pairs if a])) if pairs else float("nan")


def recording(source: Path, folder: Path, rows: int, say: Callable[[str], None]) -> Recording:
    """The recording of the kernel in `source`: read from `folder`, completed there to `rows` rows."""
    kernel = tunepass.load(source)
    space = Space(kernel.parameters, kernel.constraints)
    path = folder / f"{source.stem}.json"
    found = read_recording(path)
    if len(found.times) >= min(rows, space.size) and (found.repeats or not found.times):
        return found
    with tempfile.TemporaryDirectory(prefix="tunepass-nests-") as place:
        runner = _Runner(kernel, Path(place))
        for count, configuration in enumerate(_wanted(space, rows, found.times)):
            found.times[configuration] = runner.time(configuration)
            if count % 25 == 0:
                say(f"{source.stem}: {len(found.times)} of {rows} rows")
                write_recording(path, found)
        measured = [c for c, ms in found.times.items() if ms is not None]
        for configuration in measured[:: max(1, len(measured) // REPEATS)][:REPEATS]:
            found.repeats[configuration] = runner.time(configuration) or float("nan")
    write_recording(path, found)
    return found


class _Runner:
    """Compiles a configuration, compares its outputs with the untouched source's, and times it: what a build does, with
    fewer guards and one process a configuration."""

    def __init__(self, kernel: Kernel, folder: Path):
        self.kernel, self.folder = kernel, folder
        (folder / "harness.c").write_text(harness_source(kernel))
        self._compile("harness.c", "harness.o", ())
        (folder / "reference.c").write_text(kernel.source.text)
        self._compile("reference.c", "kernel.o", ())
        self.expected = self._outputs()

    def time(self, configuration: Configuration) -> float | None:
        """The median time of a call in ms, on a core as fast as CALIBRATION_S says; None where it does not compile, or
        computes something else."""
        lowered = lower(self.kernel, configuration)
        (self.folder / "kernel.c").write_text(lowered.text or self.kernel.source.text)
        try:
            self._compile("kernel.c", "kernel.o", lowered.compiler_words)
            outputs = self._outputs()
            if not np.allclose(outputs, self.expected, rtol=1e-3, atol=1e-3):
                return None
            self._run("time", "warmup=0.02", "budget=0.12", "precision=0.01", "least=5", "most=40", "seed=2")
        except subprocess.CalledProcessError:
            return None
        report = (self.folder / "report").read_text()
        samples = [
            [float(number) for number in line.split()[1:4:2]] for line in report.splitlines() if "sample" in line
        ]
        return 1e3 * CALIBRATION_S * float(np.median([float(words[1]) / float(words[3]) for words in samples]))

    def _compile(self, source: str, target: str, words: Sequence[str]) -> None:
        subprocess.run(
            [*COMPILER, *words, "-c", source, "-o", target], cwd=self.folder, check=True, capture_output=True
        )

    def _outputs(self) -> NDArray[np.float64]:
        subprocess.run(["gcc", "harness.o", "kernel.o", "-lm", "-o", "program"], cwd=self.folder, check=True)
        self._run("check", "calls=1", "seed=1")
        call = self.kernel.body_as(CKernel).call
        assert call is not None
        elements = {a.element for a in call.arguments if isinstance(a, ArrayArgument)}
        kind = np.float32 if elements == {"float"} else np.float64
        return np.fromfile(self.folder / "outputs", kind).astype(np.float64)

    def _run(self, mode: str, *words: str) -> None:
        for name in ("report", "outputs"):
            (self.folder / name).unlink(missing_ok=True)
        command = ["./program", f"mode={mode}", "report=report", "outputs=outputs", *words]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, timeout=60)


def _wanted(space: Space, rows: int, times: dict[Configuration, float | None]) -> Iterator[Configuration]:
    """Configurations that `times` lacks, until it has `rows`: the default, random ones, neighbours of the best."""
    rng = np.random.default_rng(1)
    rows = min(rows, space.size)
    first = [space.default, *space.sample(min(rows // 2, space.size), rng)]
    yield from (c for c in dict.fromkeys(first) if c not in times)
    while len(times) < rows:
        good = sorted((c for c, ms in times.items() if ms is not None), key=lambda c: times[c] or 0.0)[:BEST]
        near = [n for c in good for n in space.neighbours(c) if n not in times]
        if not near:
            near = [c for c in space.sample(min(space.size, 2 * rows), rng) if c not in times]
        yield near[int(rng.integers(len(near)))]


def read_recording(path: Path) -> Recording:
    if not path.exists():
        return Recording({}, {})
    data = json.loads(path.read_text())
    return Recording(
        {_configuration(c): ms for c, ms in data["times"]}, {_configuration(c): ms for c, ms in data["repeats"]}
    )


def _configuration(values: dict[str, Value | list[str]]) -> Configuration:
    return Configuration({n: tuple(v) if isinstance(v, list) else v for n, v in values.items()})


def write_recording(path: Path, found: Recording) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {
        "times": [[dict(c), ms] for c, ms in found.times.items()],
        "repeats": [[dict(c), ms] for c, ms in found.repeats.items()],
    }
    path.write_text(json.dumps(data))
