"""All that needs a GPU, in one go: what its driver says beside our YAML, the model's times beside measured ones, and a
build of each sample.

    python -m tests.benchmarks.bench_gpu_device [--device cuda:0] [--configurations 60] [--builds 60] [--out FILE]

Sources that follow take the samples' place. Every line of FILE is one JSON object; what is printed can be made of it
again. About ten minutes for all samples.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import TextIO

import numpy as np

import tunepass
from tunepass.backends.base import Backend, Target, backend_for
from tunepass.evaluators.gpu_run.found import FoundDevice, found_devices
from tunepass.evaluators.gpu_run.protocol import Device
from tunepass.hwmodels.gpu.device import Gpu, load, resolve
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome

SAMPLES = Path(__file__).parents[2] / "samples"
CLOSE = 0.05  # relative distance of a fact that is no disagreement: clocks differ by board


@dataclass(frozen=True)
class Fact:
    """What the driver says and what the YAML says."""

    name: str
    driver: float
    ours: float

    @property
    def agrees(self) -> bool:
        return self.driver == 0 or abs(self.driver - self.ours) <= CLOSE * self.ours


@dataclass(frozen=True)
class Row:
    """One configuration: its outcome, and the model's time in ms, if it has one."""

    sample: str
    configuration: dict[str, str]
    stage: str  # measured, infeasible, or where it failed
    log: str
    measured_ms: float | None
    estimated_ms: float | None
    seconds: dict[str, float]


def facts(device: Device, gpu: Gpu) -> list[Fact]:
    limits = gpu.limits
    bandwidth = 2 * device.memory_clock_mhz * 1e6 * device.memory_bus_bit / 8
    pairs = {
        "multiprocessors": (device.multiprocessors, gpu.sms),
        "clock MHz": (device.clock_mhz, gpu.clock_hz / 1e6),
        "L2 bytes": (device.l2_byte, gpu.l2_byte),
        "memory GiB": (device.memory_byte / 2**30, gpu.dram_byte / 2**30),
        "memory GB/s": (bandwidth / 1e9, gpu.dram_byte_per_s / 1e9),
        "warp": (device.warp, limits.warp),
        "threads a block": (device.threads, limits.threads_per_block),
        "threads an SM": (device.threads_per_multiprocessor, limits.warps_per_sm * limits.warp),
        "blocks an SM": (device.blocks_per_multiprocessor, limits.blocks_per_sm),
        "registers an SM": (device.registers, limits.registers_per_sm),
        "shared bytes an SM": (device.shared_per_multiprocessor_byte, limits.shared_per_sm_byte),
        "shared bytes a block": (device.shared_byte, limits.shared_per_block_byte),
    }
    return [Fact(name, float(driver), float(ours)) for name, (driver, ours) in pairs.items()]


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Of values without ties."""
    a, b = (np.argsort(np.argsort(values)) for values in (first, second))
    return float(np.corrcoef(a, b)[0, 1])


def compared(kernel: Kernel, sample: str, address: str, known: str | None, count: int, out: TextIO) -> list[Row]:
    """The default and random configurations, run on the device and priced by its model with nvcc's reports."""
    backend = backend_for(kernel, Target(device=address))
    model = None if known is None else backend_for(kernel, Target(device=known))
    space = Space(backend.kernel.parameters, backend.kernel.constraints)
    drawn = space.sample(count, np.random.default_rng(1))
    rows = []
    with ExitStack() as stack:
        run, estimate = (None if b is None else _evaluator(b, stack) for b in (backend, model))
        assert run is not None
        for configuration in dict.fromkeys([space.default, *drawn]):
            evaluation = run(configuration)
            priced = None if estimate is None else _time(estimate(configuration).outcome)
            row = Row(
                sample,
                {name: str(value) for name, value in configuration.items()},
                _stage(evaluation.outcome),
                evaluation.log[-500:] if isinstance(evaluation.outcome, Failed) else _why(evaluation.outcome),
                _time(evaluation.outcome),
                priced,
                dict(evaluation.seconds),
            )
            rows.append(row)
            print(json.dumps({"row": asdict(row)}), file=out, flush=True)
    return rows


def _evaluator(backend: Backend, stack: ExitStack):  # type: ignore[no-untyped-def]
    evaluator = backend.evaluator()
    return None if evaluator is None else stack.enter_context(evaluator)


def _time(outcome: Outcome) -> float | None:
    return outcome.values["time"] if isinstance(outcome, Measured) and not outcome.censored else None


def _stage(outcome: Outcome) -> str:
    return outcome.stage if isinstance(outcome, Failed) else type(outcome).__name__.lower()


def _why(outcome: Outcome) -> str:
    return outcome.constraint if isinstance(outcome, Infeasible) else ""


def print_rows(sample: str, rows: Sequence[Row]) -> None:
    stages = ", ".join(f"{count} {stage}" for stage, count in Counter(row.stage for row in rows).most_common())
    times = [row.measured_ms for row in rows if row.measured_ms is not None]
    line = f"{sample:24} {len(rows):4} configurations: {stages}"
    if times:
        line += f"; ms: best {min(times):.4g}, median {median(times):.4g}"
    pairs = [(r.measured_ms, r.estimated_ms) for r in rows if r.measured_ms is not None and r.estimated_ms is not None]
    if len(pairs) > 2:
        measured, estimated = zip(*pairs)
        ratio = geometric_mean([e / m for m, e in pairs])
        order = np.argsort(estimated)[: max(1, len(pairs) // 10)]
        best = min(measured[i] for i in order) / min(measured)
        line += f"; model: Spearman {spearman(measured, estimated):.2f}, estimated / measured {ratio:.2f}, "
        line += f"its best tenth within {best:.2f} of the best"
    print(line, flush=True)


def build(source: Path, address: str, evaluations: int, folder: Path) -> dict[str, object]:
    """What `tunepass build` answers."""
    words = [sys.executable, "-m", "tunepass", "build", source, "-o", folder, "--device", address]
    words += ["--max-evals", str(evaluations), "--seed", "1", "--format", "json", "--store", folder / "store.db"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        return {"status": done.returncode, "error": done.stderr[-2000:]}
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", help="cuda:0, opencl:1, ...; the first there is")
    parser.add_argument("--configurations", type=int, default=60)
    parser.add_argument("--builds", type=int, default=60, help="evaluations of each build; 0: none")
    parser.add_argument("--out", type=Path, default=Path("gpu-device.jsonl"))
    parser.add_argument("sources", nargs="*", type=Path)
    asked = parser.parse_args(words)
    found = next((f for f in found_devices() if f.address == (asked.device or f.address)), None)
    if found is None:
        there = ", ".join(f"{f.address} ({f.device.name})" for f in found_devices()) or "none"
        print(f"there is no device {asked.device or 'to run kernels on'}; found: {there}", file=sys.stderr)
        return 4
    with asked.out.open("w") as out:
        return report(found, asked.sources or samples(found.driver), asked.configurations, asked.builds, out)


def samples(driver: str) -> list[Path]:
    folder, suffix = ("cuda", "*.cu") if driver == "cuda" else ("opencl", "*.cl")
    return sorted((SAMPLES / folder).glob(suffix))


def report(found: FoundDevice, sources: Sequence[Path], configurations: int, builds: int, out: TextIO) -> int:
    device = found.device
    known = resolve(device.name) if device.is_gpu else None
    print(f"{found.address}: {device.name}, {device.version}")
    print(json.dumps({"device": asdict(device), "known": known}), file=out)
    if known is None:
        print(f"no YAML describes a device of this name: nothing is estimated\n{asdict(device)}")
    else:
        print(f"beside {known}.yaml:")
        for fact in facts(device, load(known)):
            print(f"  {fact.name:20} {fact.driver:14,.6g} {fact.ours:14,.6g}{'' if fact.agrees else '   DIFFERS'}")
    failed = 0
    for source in sources:
        started = time.monotonic()
        try:
            rows = compared(tunepass.load(source), source.name, found.address, known, configurations, out)
        except tunepass.TunepassError as error:
            print(f"{source.name}: {error}")
            failed += 1
            continue
        print_rows(source.name, rows)
        print(f"{'':24} {time.monotonic() - started:.0f} s")
    for source in sources if builds else ():
        with tempfile.TemporaryDirectory() as folder:
            answer = build(source, found.address, builds, Path(folder))
        print(json.dumps({"build": str(source), "answer": answer}), file=out, flush=True)
        print(f"build {source.name}: {shown(answer)}", flush=True)
    return 1 if failed else 0


def shown(answer: dict[str, object]) -> str:
    if "error" in answer:
        return f"status {answer['status']}: {answer['error']}"
    return json.dumps({key: answer.get(key) for key in ("choice", "objectives", "failures", "seconds")})


if __name__ == "__main__":
    sys.exit(main())
