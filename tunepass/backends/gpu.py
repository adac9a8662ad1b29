"""GPU kernels: run on a GPU that is here, or priced by the model of one, with what its compiler reports."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from functools import cached_property
from typing import ClassVar

from tunepass.backends.base import HOST, Backend, Starts, Target, cost_model
from tunepass.backends.gpu_limits import with_limits
from tunepass.backends.gpu_pricing import NVCC, GpuPricing
from tunepass.backends.stated import costs_digest
from tunepass.diagnostics import ToolError, TunepassError
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.hwmodels.gpu.device import Gpu, load
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate
from tunepass.study.space_description import space_hash

FAMILY = "gpu"
MODEL = "model"  # the generator that compiles nothing
HERE = re.compile(r"(opencl|cuda)(?::(\d{1,3}))?")  # a device of this machine
COMPILED = re.compile(r"nvcc [\d.]+")  # at the beginning of an identity's compiler


class GpuBackend(Backend):
    kind: ClassVar[str] = GpuKernel.kind
    generators: ClassVar[tuple[str, ...]] = (MODEL,)

    def __init__(self, kernel: Kernel, target: Target):
        super().__init__(kernel, target)
        self.source = kernel
        self.body = kernel.body_as(GpuKernel)
        self.gpu = _priced_on(kernel, target)
        self.kernel = with_limits(kernel, self.gpu)
        self.pricing = GpuPricing(self.kernel, self.gpu, _compiler(self.body, self.gpu, target))

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return bool(self.pricing.command)

    @property
    def only_priced(self) -> bool:
        return True

    @property
    def basis(self) -> str:
        return self.pricing.basis

    @property
    def device(self) -> str:
        return self.gpu.name

    def objectives(self) -> tuple[Objective, ...]:
        return self.pricing.objectives(self.target.objectives)

    def identity(self, space: Space) -> Identity:
        """The space is the source's: what the device forbids goes with the device."""
        told = self.target.generator == MODEL or self.target.starts >= Starts.COMPILER
        compiler = f"{self.pricing.nvcc.version}, " if self.measures else ""
        return Identity(
            source=source_hash(self.kernel.source.text),
            space=space_hash(Space(self.source.parameters, self.source.constraints)),
            compiler=f"{compiler}GPU model {self._digest}" if told else "",
            flags=self.pricing.command[1:],
            device=self.device,
        )

    def costs(self) -> Costs:
        return self.pricing.costs

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        if not self.measures:
            return None
        default = Space(self.kernel.parameters, self.kernel.constraints).default
        return self.pricing.evaluator(self.objectives(), default)

    def breakdown(self, columns: Columns) -> Breakdown:
        return cost_model(FAMILY).breakdown(self.costs(), self.device, columns)

    @classmethod
    def usual_compiler(cls, flags: tuple[str, ...]) -> tuple[str, ...]:
        return (NVCC, *flags) if flags else ()

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        compiled = COMPILED.match(identity.compiler) is not None
        return Target(
            compiler=(NVCC, *identity.flags) if compiled else (),
            device=identity.device or None,
            generator="" if compiled else MODEL,
            objectives=objectives,
        )

    @cached_property
    def _digest(self) -> str:
        return costs_digest(self.costs(), self.kernel.parameters)


def _priced_on(kernel: Kernel, target: Target) -> Gpu:
    """The device whose model prices the kernel."""
    if target.device in (None, HOST) or HERE.fullmatch(target.device or ""):
        devices = ", ".join(cost_model(FAMILY).devices())
        what = "no GPU is found here" if target.device is None else f"there is no device {target.device!r} here"
        raise TunepassError(
            f"{kernel.source.name}: {what} that this {kernel.language} kernel can run on",
            hint=f"name the one to tune for, with --device: {devices}",
        )
    return load(target.device or "")


def _compiler(body: GpuKernel, gpu: Gpu, target: Target) -> tuple[str, ...]:
    """The compiler that reports, with its words; none where there is none for this device, or it is not to be started.
    ToolError where the one that the user names is not there."""
    from tunepass.evaluators.toolchains.nvcc import find

    if target.generator == MODEL or target.starts < Starts.COMPILER:
        return ()
    if body.dialect != "cuda" or gpu.vendor != "nvidia":
        if target.compiler:
            raise TunepassError(
                f"nothing follows -- here: no compiler reports what {body.dialect} kernels take of {gpu.name}",
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
