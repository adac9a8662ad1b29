"""Estimated registers against ptxas, on variants of the samples; and the fit of what estimates are made from.

    python -m tests.benchmarks.gpu.registers [--variants N] [--samples NAME,...] [--fit]    (make bench-registers)

N configurations of each CUDA sample are compiled for two architectures. A third of them is what weights are fitted to
(`--fit` writes hwmodels/gpu/registers.yaml) and what corrects a kernel's estimate; errors are of the other two thirds.
Reports are kept in the user's cache, so that a second run takes seconds. Needs nvcc.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tunepass as tp
from tunepass.backends.correction import terms_of
from tunepass.evaluators.toolchains.compiler_reports import FOLDER, CompilerReports
from tunepass.evaluators.toolchains.nvcc import identify, nvcc_on
from tunepass.evaluators.toolchains.ptxas import CompilerReport
from tunepass.expr.algebra import lift, mul
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.files import user_cache
from tunepass.frontends.gpu.lowering import lower
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.register_fit import Cases, fit
from tunepass.hwmodels.gpu.register_weights import calibrated, written
from tunepass.hwmodels.gpu.registers import RegisterEstimate, estimated
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "samples" / "cuda").glob("*.cu"))
WEIGHTS = ROOT / "hwmodels" / "gpu" / "registers.yaml"
DEVICES = ("a100", "h100")
STARTS = 4
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Compiles:
    """The variants of one kernel that compiled for one device; `fitted` are the third that is learnt from."""

    kernel: Kernel
    device: str
    configurations: tuple[Configuration, ...]
    registers: Floats
    spill_byte: Floats
    fitted: NDArray[np.bool_]

    @property
    def estimate(self) -> RegisterEstimate:
        known = estimated(self.kernel.body_as(GpuKernel), load(self.device))
        assert known is not None
        return known

    @cached_property
    def space(self) -> tp.Space:
        return space_of(self.kernel)

    def cases(self, chosen: NDArray[np.bool_]) -> Cases:
        columns = self.space.columns([c for c, take in zip(self.configurations, chosen) if take])
        return self.estimate.cases(columns, self.registers[chosen], self.spill_byte[chosen])

    def corrected(self) -> RegisterEstimate:
        columns = self.space.columns([c for c, take in zip(self.configurations, self.fitted) if take])
        return self.estimate.corrected(tuple(terms_of(self.kernel.parameters)), columns, self.registers[self.fitted])

    def judged(self, estimate: RegisterEstimate) -> Judged:
        """Of the two thirds that are not learnt from."""
        rest = [c for c, taken in zip(self.configurations, self.fitted) if not taken]
        columns, n = self.space.columns(rest), len(rest)
        said = estimate.resources()
        registers = np.asarray(evaluate_within(said.registers, columns, n).values, float)
        spills = np.asarray(evaluate_within(said.spill_byte, columns, n).values, float) > 0
        return Judged(np.abs(registers - self.registers[~self.fitted]), spills == (self.spill_byte[~self.fitted] > 0))


@dataclass(frozen=True)
class Judged:
    """Registers of error, and whether spilling was foretold."""

    errors: Floats
    spills_right: NDArray[np.bool_]

    def __str__(self) -> str:
        median, high = np.percentile(self.errors, (50, 90))
        right = 100 * self.spills_right.mean()
        return f"{len(self.errors):5} variants  median {median:4.1f}  90 % {high:5.1f}  spilling right {right:5.1f} %"


def together(parts: Sequence[Judged]) -> Judged:
    return Judged(np.concatenate([p.errors for p in parts]), np.concatenate([p.spills_right for p in parts]))


def space_of(kernel: Kernel) -> tp.Space:
    return tp.Space(kernel.parameters, kernel.constraints)


def drawn(kernel: Kernel, variants: int) -> tuple[Configuration, ...]:
    """Configurations that a GPU launches: 1024 threads a block, 48 KiB of shared memory."""
    space, body = space_of(kernel), kernel.body_as(GpuKernel)
    chosen = space.sample(min(space.size, 4 * variants), np.random.default_rng(0))
    threads = mul(*(body.at(extent) for extent in body.launch.block))
    shared = body.at(body.shared) if body.shared is not None else lift(0)
    columns, n = space.columns(chosen), len(chosen)
    fits = (evaluate_within(threads, columns, n).values <= 1024) & (
        evaluate_within(shared, columns, n).values <= 48 * 1024
    )
    return tuple(c for c, fit in zip(chosen, fits) if fit)[:variants]


def compiles(source: Path, variants: int, kept: Path) -> list[Compiles]:
    kernel = tp.load(source)
    return [compiled(kernel, source, device, drawn(kernel, variants), kept) for device in DEVICES]


def compiled(kernel: Kernel, source: Path, device: str, chosen: tuple[Configuration, ...], kept: Path) -> Compiles:
    arch = load(device).target
    reports = CompilerReports(nvcc_on(source), kernel.body_as(GpuKernel).function, arch, kept)
    try:
        with ThreadPoolExecutor(2) as pool:
            candidates = map(partial(lower, kernel), chosen)
            outcomes = [compiled.outcome for compiled in pool.map(reports.report, candidates)]
    finally:
        reports.close()
    good = [(i, outcome) for i, outcome in enumerate(outcomes) if isinstance(outcome, CompilerReport)]
    return Compiles(
        kernel,
        device,
        tuple(chosen[i] for i, _ in good),
        np.array([report.registers for _, report in good], float),
        np.array([report.spill_byte for _, report in good], float),
        np.array([i % 3 == 0 for i, _ in good]),
    )


def fitted(all_compiles: Sequence[Compiles]) -> Floats:
    """Weights for the third of all of them."""
    cases = [one.cases(one.fitted) for one in all_compiles]
    start = np.array(calibrated())
    found = [fit(cases, start, seed=seed) for seed in range(STARTS)]
    return min(found, key=lambda w: float(np.mean([case.error(w) for case in cases])))


def show(all_compiles: Sequence[Compiles]) -> None:
    """Prints the figures."""
    print("registers of a thread, estimated against ptxas, on the variants that nothing was learnt from")
    plain = [(one, one.judged(one.estimate)) for one in all_compiles]
    corrected = [(one, one.judged(one.corrected())) for one in all_compiles]
    for title, judged in (("weights as shipped", plain), ("corrected by the kernel's own reports", corrected)):
        print(f"\n{title}")
        for one, figures in judged:
            print(f"  {one.kernel.name:12} {one.device:6} {figures}")
        print(f"  {'all':19} {together([figures for _, figures in judged])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", type=int, default=150, help="configurations of each sample, for each device")
    parser.add_argument("--fit", action="store_true", help="write hwmodels/gpu/registers.yaml")
    parser.add_argument("--samples", default="", metavar="NAME,...", help="only these")
    options = parser.parse_args()
    sources = [s for s in SAMPLES if s.stem in (options.samples.split(",") if options.samples else (s.stem,))]
    found = [one for source in sources for one in compiles(source, options.variants, user_cache(FOLDER))]
    if options.fit:
        weights = fitted(found)
        learnt = sum(int(one.fitted.sum()) for one in found)
        total = sum(len(one.registers) for one in found)
        source = f"{identify().version}, {learnt} of {total} variants of samples/cuda"
        WEIGHTS.write_text(written(f"{source}, {' and '.join(load(d).target for d in DEVICES)}", weights))
        calibrated.cache_clear()
    show(found)


if __name__ == "__main__":
    main()
