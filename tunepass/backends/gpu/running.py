"""A GPU kernel on a device of this machine: compiled, compared with its reference, and timed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tunepass.backends.base import named
from tunepass.backends.c.backend import TIME
from tunepass.backends.gpu.limits import LaunchLimits
from tunepass.backends.gpu.pricing import expected_costs
from tunepass.backends.gpu.text import compiled_text
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.gpu_run.found import FoundDevice
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.gpu.device import Gpu, load, resolve
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.gpu_call import GpuCall, NoLaunch, call_at, reference_call_at
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective

if TYPE_CHECKING:
    from tunepass.evaluators.gpu_run.evaluator import GpuRun
    from tunepass.evaluators.gpu_run.task import Compile, GpuCandidate
    from tunepass.evaluators.toolchains.nvcc import Nvcc

ENERGY = Objective("energy", unit="mJ")


def launch_limits(local_gpu: FoundDevice) -> LaunchLimits:
    """As the driver tells them; of registers, what is known of a device of that name."""
    device, gpu = local_gpu.device, model_of(local_gpu)
    static = gpu.limits.static_shared_byte if gpu is not None else device.shared_byte
    return LaunchLimits(
        name=local_gpu.address,
        threads=device.threads,
        block=device.block,
        grid=device.grid,
        shared_byte=device.shared_byte,
        static_shared_byte=min(static, device.shared_byte),
        gpu=gpu,
    )


def model_of(local_gpu: FoundDevice) -> Gpu | None:
    """The device that the model knows by its name; None for one that it does not know."""
    name = resolve(local_gpu.device.name) if local_gpu.device.is_gpu else None
    return None if name is None else load(name)


@dataclass(frozen=True)
class GpuRunning:
    """A place that kernels are run at. `words` are the user's for the compiler."""

    kernel: Kernel
    found: FoundDevice
    words: tuple[str, ...] = ()
    only_priced = False
    measures = True
    basis = ""
    harness = "gpu 1"  # what judges results: another number where outcomes may differ

    @property
    def body(self) -> GpuKernel:
        return self.kernel.body_as(GpuKernel)

    @property
    def flags(self) -> tuple[str, ...]:
        """The words after nvcc, or those for the driver's own compiler."""
        return self.words[1:] if self.found.driver == "cuda" else self.words

    @property
    def device(self) -> str:
        return f"{self.found.address} {self.found.device.name}"

    @cached_property
    def gpu(self) -> Gpu | None:
        return model_of(self.found)

    @cached_property
    def costs(self) -> Costs | None:
        """Costs of the model for a device that it knows."""
        if self.gpu is None:
            return None
        return replace(expected_costs(self.kernel, self.gpu), expected=True)

    def objectives(self, names: Sequence[str]) -> tuple[Objective, ...]:
        known = (TIME, ENERGY) if self.found.device.counts_energy else (TIME,)
        requested = named(known, names, f"{self.found.address} counts no energy") or (TIME,)
        if TIME not in requested:
            raise TunepassError("energy is counted beside the time", hint="--objective time,energy --pick energy")
        return requested

    def compiler(self) -> str:
        driver = self.found.device.version
        return driver if self.found.driver == "opencl" else f"{self.nvcc.version}, {driver}"

    @cached_property
    def nvcc(self) -> Nvcc:
        from tunepass.evaluators.toolchains.nvcc import identify

        return identify(*self.words[:1])

    def evaluator(self, objectives: Sequence[Objective], default: Configuration) -> GpuRun:
        from tunepass.evaluators.gpu_run.evaluator import GpuRun
        from tunepass.evaluators.gpu_run.task import GpuTask

        names = [objective.name for objective in objectives]
        return GpuRun(
            GpuTask(
                worker=self.found.setting,
                lower=self.lower,
                compile=self._compile(),
                reference=self._reference(default),
                tolerance=StatedTolerance(absolute=self.body.absolute_tolerance, relative=self.body.relative_tolerance),
                energy=ENERGY.name if ENERGY.name in names else None,
            )
        )

    def lower(self, configuration: Configuration) -> GpuCandidate:
        """Raises NoLaunch."""
        values = self.kernel.filled(configuration)
        return self._candidate(call_at(self.body, values), values)

    def _candidate(self, call: GpuCall, configuration: Configuration) -> GpuCandidate:
        from tunepass.evaluators.gpu_run.task import GpuCandidate

        candidate = compiled_text(self.kernel, configuration)
        return GpuCandidate(call=call, words=candidate.compiler_words, text=candidate.text)

    def _reference(self, default: Configuration) -> GpuCandidate:
        try:
            call = reference_call_at(self.body, default) or call_at(self.body, default)
        except NoLaunch as error:
            raise TunepassError(f"{self.kernel.name}: the reference cannot be launched: {error}") from None
        return self._candidate(call, default)

    def _compile(self) -> Compile:
        source = Path(self.kernel.source.name)
        if self.found.driver == "opencl":
            from tunepass.evaluators.gpu_run.sources import OpenClSource

            return OpenClSource(source, self.kernel.source.text, self.words)
        from tunepass.evaluators.gpu_run.objects import CudaObjects
        from tunepass.evaluators.toolchains.nvcc import nvcc_on

        return CudaObjects(nvcc_on(source, self.flags, self.nvcc.path), self._architecture())

    def _architecture(self) -> str:
        major, _, minor = self.found.device.capability.partition(".")
        architecture = self.nvcc.architecture((int(major or 0), int(minor or 0)))
        if architecture is None:
            raise TunepassError(
                f"{self.nvcc.version} compiles for no {self.found.device.name} (compute capability {major}.{minor})",
                hint=f"it compiles for {', '.join(self.nvcc.architectures)}: name another nvcc after --",
            )
        return architecture
