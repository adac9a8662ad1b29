"""GPU kernels: run on a GPU that is here, or priced by the model of one, with what its compiler reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import ClassVar

from tunepass.backends.base import HOST, LOCAL_GPU, Backend, Starts, Target, cost_model
from tunepass.backends.c.backend import TIME
from tunepass.backends.correction import Corrected, Reported
from tunepass.backends.gpu.limits import LaunchLimits, with_limits
from tunepass.backends.gpu.pricing import NVCC, GpuPricing
from tunepass.backends.gpu.running import ENERGY, GpuRunning, launch_limits
from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.gpu_run.found import FoundDevice, found_devices, may_be_there, troubled_devices
from tunepass.evaluators.gpu_run.protocol import ProtocolError
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.gpu.lowering import lower
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.hwmodels.gpu.device import Gpu, load
from tunepass.ir.candidate import Candidate
from tunepass.ir.gpu import GpuKernel, GpuScalar
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import Size, constraints_at
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate
from tunepass.study.space_description import space_hash

FAMILY = "gpu"
MODEL = "model"  # the generator that compiles nothing
COMPILED = re.compile(r"nvcc [\d.]+")  # at the beginning of an identity's compiler


class GpuBackend(Backend):
    kind: ClassVar[str] = GpuKernel.kind
    variants: ClassVar[int] = 3
    generators: ClassVar[tuple[str, ...]] = (MODEL,)

    def __init__(self, kernel: Kernel, target: Target):
        super().__init__(kernel, target)
        self.source = kernel
        self.asks = not target.remote_device and (target.generator == MODEL or target.starts >= Starts.COMPILER)
        self.place: GpuPricing | GpuRunning | Unasked
        local = _local_device(target)
        if local is None:
            gpu = load(target.device or "")
            self.kernel = with_limits(kernel, LaunchLimits.of(gpu))
            self.place = GpuPricing(self.kernel, gpu, _reporting_compiler(kernel, gpu, target))
        elif target.starts < Starts.COMPILER and not target.remote_device:
            self.place = Unasked(target.device or HOST)
        else:
            device = _remote_device(target) or local.resolve(kernel)
            self.kernel = with_limits(kernel, launch_limits(device))
            self.place = GpuRunning(self.kernel, device, target.compiler)

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return self.place.measures

    @property
    def only_priced(self) -> bool:
        return self.place.only_priced

    @property
    def basis(self) -> str:
        return self.place.basis

    @property
    def device(self) -> str:
        return self.place.device

    def objectives(self) -> tuple[Objective, ...]:
        return self.place.objectives(self.target.objectives)

    def identity(self, space: Space) -> Identity:
        """The space is the source's: what the device forbids goes with the device."""
        return Identity(
            source=source_hash(self.kernel.source.text),
            space=space_hash(Space(self.source.parameters, self.source.constraints)),
            compiler=self.place.compiler() if self.asks else "",
            flags=self.place.flags,
            device=self.device,
            harness=self.place.harness,
        )

    def device_description(self) -> str:
        return self.place.found.encode() if isinstance(self.place, GpuRunning) else ""

    @classmethod
    def depends_on_device(cls, target: Target) -> bool:
        return _local_device(target) is not None

    def sizes(self) -> tuple[Size, ...]:
        """The first values of each scalar belong together, and the second ones."""
        listed = self.kernel.body_as(GpuKernel).sizes
        names, values = [s.name for s in listed], [s.values for s in listed]
        return tuple(tuple(zip(names, joint)) for joint in zip(*values))

    def scalars(self) -> Mapping[str, Expr]:
        return {a.name: a.value for a in self.kernel.body_as(GpuKernel).arguments if isinstance(a, GpuScalar)}

    def at_size(self, size: Size) -> Kernel:
        body, given = self.source.body_as(GpuKernel), dict(size)
        arguments = tuple(
            replace(a, value=lift(given[a.name])) if isinstance(a, GpuScalar) and a.name in given else a
            for a in body.arguments
        )
        body = replace(body, arguments=arguments)
        return replace(self.source, body=body, constraints=constraints_at(self.source.constraints, body.scalars()))

    def costs(self) -> Costs | None:
        return self.place.costs

    def corrected(self, reported: Reported) -> Corrected | None:
        """The registers that compilers report teach the estimate of those of other configurations."""
        return self.place.corrected(reported) if isinstance(self.place, GpuPricing) else None

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        default = Space(self.kernel.parameters, self.kernel.constraints).default
        return self.place.evaluator(self.objectives(), default)

    def candidate(self, scheduled: Sequence[Kernel]) -> Candidate:
        """Macros and flags: the text is the source's."""
        candidates = [lower(kernel, chosen(kernel)) for kernel in scheduled]
        return Candidate(
            defines=tuple(dict.fromkeys(word for candidate in candidates for word in candidate.defines)),
            flags=tuple(dict.fromkeys(word for candidate in candidates for word in candidate.flags)),
        )

    def breakdown(self, columns: Columns) -> Breakdown:
        costs, gpu = self.place.costs, self.place.gpu
        return Breakdown() if costs is None or gpu is None else cost_model(FAMILY).breakdown(costs, gpu.name, columns)

    @classmethod
    def usual_compiler(cls, flags: tuple[str, ...], language: str = "c") -> tuple[str, ...]:
        return (NVCC, *flags) if flags else ()

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        compiled, run = COMPILED.match(identity.compiler) is not None, LOCAL_GPU.fullmatch(identity.device)
        return Target(
            compiler=(NVCC, *identity.flags) if compiled else identity.flags,
            device=identity.device or None,
            generator="" if compiled or run else MODEL,
            objectives=objectives,
        )


@dataclass(frozen=True, slots=True)
class LocalDevice:
    """A device of this machine: of a driver and a number; without a number the first that kernels can be run on;
    without `processors` a GPU."""

    name: str
    driver: str = ""
    number: int | None = None
    processors: bool = True

    def resolve(self, kernel: Kernel) -> FoundDevice:
        """The device. TunepassError where it is not there, or does not run kernels of this language."""
        language = kernel.body_as(GpuKernel).dialect
        if self.driver and self.driver != language:
            raise TunepassError(f"{kernel.source.name}: {self.name} does not run {language} kernels")
        devices = found_devices(language)
        for candidate in devices:
            if self.number in (None, candidate.number) and (candidate.device.is_gpu or self.processors):
                return candidate
        known = ", ".join(cost_model(FAMILY).devices())
        if language == "opencl" and not may_be_there(language):
            raise TunepassError(
                f"{kernel.source.name}: OpenCL kernels need pyopencl, which is not installed",
                hint=f"pip install 'tunepass[opencl]', or 'tunepass[pocl]' for a device that is this processor; "
                f"or name with --device what to price it for by a model: {known}",
            )
        present = [f"{device.address} ({device.device.name})" for device in devices]
        present += [
            f"{device.address} compiles nothing ({device.device.trouble})" for device in troubled_devices(language)
        ]
        listed = f"here {'; '.join(present)}; " if present else ""
        problem = f"there is no device {self.name!r} here" if self.driver else "no GPU is found here"
        raise TunepassError(
            f"{kernel.source.name}: {problem} that runs this {language} kernel",
            hint=f"name what to tune for, with --device: {listed}priced by a model {known}",
        )


@dataclass(frozen=True, slots=True)
class Unasked:
    """A device of this machine that nobody is to start a driver for: its name is all that is known."""

    device: str
    measures = True
    only_priced = False
    basis = ""
    flags = ()
    harness = GpuRunning.harness
    costs = None
    gpu = None

    def compiler(self) -> str:
        return ""

    def objectives(self, names: Sequence[str]) -> tuple[Objective, ...]:
        return tuple(ENERGY if name == ENERGY.name else TIME for name in names) or (TIME,)

    def evaluator(self, objectives: Sequence[Objective], default: Configuration) -> None:
        return None


def _remote_device(target: Target) -> FoundDevice | None:
    """The device of the machines that measure; None where this one does."""
    try:
        return FoundDevice.decode(target.remote_device) if target.remote_device else None
    except ProtocolError as error:
        raise TunepassError(
            f"a worker describes its device in a way that cannot be read: {error}",
            hint="install the same version of tunepass where the workers run",
        ) from None


def _local_device(target: Target) -> LocalDevice | None:
    """None for a device that is only priced."""
    if target.device in (None, HOST):
        return LocalDevice(HOST, processors=target.device == HOST)
    match = LOCAL_GPU.fullmatch(target.device or "")
    return (
        None
        if match is None
        else LocalDevice(match[0].partition(" ")[0], match[1], int(match[2]) if match[2] else None)
    )


def _reporting_compiler(kernel: Kernel, gpu: Gpu, target: Target) -> tuple[str, ...]:
    """The compiler that reports, with its words; none where there is none for this device, or it is not to be started.
    ToolError where the one that the user names is not there."""
    from tunepass.evaluators.toolchains.nvcc import find

    dialect = kernel.body_as(GpuKernel).dialect
    if target.generator == MODEL or target.starts < Starts.COMPILER:
        return ()
    if dialect != "cuda" or gpu.vendor != "nvidia":
        if target.compiler:
            raise TunepassError(
                f"nothing follows -- here: no compiler reports what {dialect} kernels take of {gpu.name}",
                hint="leave out what follows --: the model alone prices it",
            )
        return ()
    command = target.compiler or (NVCC,)
    try:
        find(command[0])
    except ToolError:
        if target.compiler:
            raise
        return ()
    return command
