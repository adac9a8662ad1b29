"""A tensor kernel on one set of data: configurations lowered, compiled, checked and timed, each once.

What was measured is kept in a file, so that all searches see the same time of a configuration and an interrupted run
goes on. This is less than what a build does (no guards, one set of values); it serves comparisons of searches.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from tunepass.ir.tensor import TensorKernel
from tunepass.space.configuration import Configuration, Value
from tunepass.tensors.data.stored import DTYPE_OF, StoredTensor
from tunepass.tensors.lower import CFunction, Coordinates, Extent, Positions, Values, lower
from tunepass.tensors.schedule.nest import scheduled_nest

COMPILER = ("gcc", "-O3", "-march=native", "-fopenmp", "-std=gnu99")
SECONDS = 0.06  # that a configuration is timed for
SAVED_EVERY = 10
ROUNDS = 31
TIMEOUT_S = 1.5  # of a configuration that is hopeless
WORKER = Path(__file__).parent / "worker.py"

Argument = Extent | Positions | Coordinates | Values
Array = NDArray[np.float64] | NDArray[np.float32] | NDArray[np.int32] | NDArray[np.int64]


class Runner:
    """Times configurations of `body` on `stored`, the tensors bound to data; dense operands are drawn at random."""

    def __init__(self, body: TensorKernel, stored: Mapping[str, StoredTensor], extents: Mapping[str, int], kept: Path):
        """`extents` of all index variables; `kept` is the file of what was measured."""
        self.body, self.stored, self.extents, self.kept = body, stored, extents, kept
        self.folder = Path(tempfile.mkdtemp(prefix="tunepass-taco-"))
        self.times = _read(kept)
        self._worker: subprocess.Popen[str] | None = None
        self._count = 0
        plain = lower(scheduled_nest(replace(body, schedule=()), {}), "plain")
        self.arrays = self._operands(plain)
        library = self._compiled(plain, "plain")
        assert library is not None
        self.arrays["expected"] = self._run_here(library, plain, self.arrays)
        positive = {name: np.abs(a) if name.endswith(":vals") else a for name, a in self.arrays.items()}
        self.arrays["scale"] = np.abs(self._run_here(library, plain, positive)) + 1e-30
        np.savez(self.folder / "data.npz", **self.arrays)

    def time(self, configuration: Configuration) -> float | None:
        """Milliseconds of a call; None where it does not compile, crashes, does not end, or computes something else."""
        key = json.dumps(dict(configuration), sort_keys=True)
        if key not in self.times:
            self.times[key] = self._measured(dict(configuration))
            self._count += 1
            if self._count % SAVED_EVERY == 0:
                self.save()
        return self.times[key]

    def wrong(self, configurations: Sequence[Configuration]) -> list[Configuration]:
        """Those that do not compile, crash, or compute something else."""
        return [c for c in configurations if self._measured(dict(c), seconds=0.0) is None]

    def beside(
        self, body: TensorKernel, values: Mapping[str, Value], other: Callable[[], object]
    ) -> tuple[float, float]:
        """Medians in ms of calls of this kernel, on the same tensors, and of the other's, in turns."""
        function = lower(scheduled_nest(body, values), "kernel")
        library = self._compiled(function, "beside")
        assert library is not None
        held = {**self.arrays, "result": np.zeros_like(self.arrays["result"])}
        words = [self._argument(held, a) for a in function.arguments]
        ours = ctypes.CDLL(str(library))[function.name]
        samples: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for place, call in enumerate((lambda: ours(*words), other)):
                before = time.perf_counter()
                call()
                samples[place].append(1e3 * (time.perf_counter() - before))
        return median(samples[0][2:]), median(samples[1][2:])

    def save(self) -> None:
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.kept.with_suffix(".new")
        scratch.write_text(json.dumps(self.times))
        scratch.replace(self.kept)

    def close(self) -> None:
        self.save()
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _measured(self, values: Mapping[str, Value], seconds: float = SECONDS) -> float | None:
        function = lower(scheduled_nest(self.body, values), "kernel")
        library = self._compiled(function, f"k{len(self.times)}")
        if library is None:
            return None
        asked = {
            "library": str(library),
            "name": function.name,
            "arguments": [self._word(a) for a in function.arguments],
            "result": "result",
            "seconds": seconds,
        }
        answer = self._asked(json.dumps(asked))
        library.unlink()
        return answer["ms"] if answer and answer["ms"] else None

    def _asked(self, line: str) -> dict[str, float] | None:
        if self._worker is None or self._worker.poll() is not None:
            command = [sys.executable, str(WORKER), str(self.folder / "data.npz")]
            bound = {
                **os.environ,
                "OMP_PROC_BIND": "true",
            }  # as in builds: two threads on one core wait whole time slices
            self._worker = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=bound
            )
        assert self._worker.stdin is not None and self._worker.stdout is not None
        self._worker.stdin.write(line + "\n")
        self._worker.stdin.flush()
        if not select.select([self._worker.stdout], [], [], TIMEOUT_S)[0]:
            self._worker.kill()
            self._worker.wait()
            return None
        said = self._worker.stdout.readline()
        answer: dict[str, float] | None = json.loads(said) if said else None
        return answer

    def _compiled(self, function: CFunction, name: str) -> Path | None:
        source, library = self.folder / f"{name}.c", self.folder / f"{name}.so"
        source.write_text(function.text)
        command = [*COMPILER, "-shared", "-fPIC", str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return library if done.returncode == 0 else None

    def _word(self, argument: Argument) -> int | str:
        if isinstance(argument, Extent):
            return self.extents[argument.variable]
        if isinstance(argument, Values):
            return "result" if argument.direction != "in" else f"{argument.tensor}:vals"
        kind = "pos" if isinstance(argument, Positions) else "crd"
        return f"{argument.tensor}:{kind}{argument.level}"

    def _argument(self, arrays: Mapping[str, Array], argument: Argument) -> ctypes.c_int | ctypes.c_void_p:
        word = self._word(argument)
        return ctypes.c_int(word) if isinstance(word, int) else ctypes.c_void_p(arrays[word].ctypes.data)

    def _operands(self, function: CFunction) -> dict[str, Array]:
        rng = np.random.default_rng(1)
        arrays: dict[str, Array] = {}
        for argument in function.arguments:
            if isinstance(argument, Extent):
                continue
            stored = self.stored.get(argument.tensor)
            word = str(self._word(argument))
            if isinstance(argument, Values):
                if stored is not None:
                    arrays[word] = np.array(stored.vals)
                    continue
                tensor = self.body.tensor(argument.tensor)
                if function.pattern is not None and argument.direction != "in":
                    operand = self.stored[function.pattern.operand]
                    count = _positions(operand, function.pattern.levels)
                else:
                    count = int(np.prod([self.extents[v] for v in tensor.index], dtype=np.int64))
                arrays[word] = rng.uniform(0.5, 1.5, count).astype(DTYPE_OF[argument.element])
                continue
            assert stored is not None
            level = stored.levels[argument.level]
            array = level.pos if isinstance(argument, Positions) else level.crd
            assert array is not None
            arrays[word] = np.array(array)
        return arrays

    def _run_here(self, library: Path, function: CFunction, arrays: Mapping[str, Array]) -> Array:
        result = np.zeros_like(arrays["result"])
        held = {**arrays, "result": result}
        values = [self._argument(held, argument) for argument in function.arguments]
        if ctypes.CDLL(str(library))[function.name](*values):
            raise RuntimeError("the unscheduled kernel does not run")
        return result


def _positions(stored: StoredTensor, levels: int) -> int:
    """How many there are at the last of the first `levels` levels."""
    count = 1
    for level in stored.levels[:levels]:
        count = count * level.extent if level.pos is None else len(level.crd if level.crd is not None else ())
    return count


def _read(path: Path) -> dict[str, float | None]:
    if not path.exists():
        return {}
    found: dict[str, float | None] = json.loads(path.read_text())
    return found
