"""A GPU kernel on a device that need not be here: what the model says, with what the device's compiler reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tunepass.backends.correction import Corrected, Reported, table, terms_of
from tunepass.backends.gpu.limits import registers_of_block
from tunepass.backends.gpu.text import compiled_text
from tunepass.backends.stated import costs_digest
from tunepass.diagnostics import TunepassError, spelling_hint
from tunepass.expr.algebra import add, lift
from tunepass.expr.numpy_eval import evaluate
from tunepass.files import user_cache
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.gpu.device import Gpu
from tunepass.hwmodels.gpu.model import GpuModel, priced
from tunepass.hwmodels.gpu.registers import FEW, RegisterEstimate, estimated
from tunepass.hwmodels.gpu.resources import Resources
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.study.objective import Objective

if TYPE_CHECKING:
    from tunepass.evaluators.compiled_model import CompiledModel
    from tunepass.evaluators.toolchains.nvcc import Nvcc

NVCC = "nvcc"
FEW_REPORTS = 2 * FEW  # each half of them has to be enough to teach the other
BLOCK_REGISTERS = "registers_per_block"  # as they are handed out
MORE_IS_BETTER = frozenset({"occupancy", "blocks_per_sm", "warps_per_sm"})


def expected_costs(kernel: Kernel, gpu: Gpu) -> Costs:
    """Costs of the model, with the registers that it expects."""
    costs = GpuModel().costs(kernel, gpu.name)
    assert costs is not None  # the body is of the kind that the model prices
    costs = with_block_registers(costs, kernel.body_as(GpuKernel), gpu)
    return replace(costs, name=f"{costs.name} with expected registers")


def taught(known: RegisterEstimate, parameters: Sequence[Parameter], reported: Reported) -> RegisterEstimate:
    """The estimate with what compilers reported."""
    columns, registers = table(parameters, reported, "registers")
    return known.corrected(tuple(terms_of(parameters)), columns, registers)


def mean_error(known: RegisterEstimate, parameters: Sequence[Parameter], reported: Reported) -> float:
    """Mean absolute error in registers."""
    columns, registers = table(parameters, reported, "registers")
    expected = np.asarray(evaluate(known.resources().registers, columns, len(registers)).values, np.float64)
    return float(np.abs(expected - registers).mean())


def halves(reported: Reported) -> tuple[Reported, Reported]:
    """Every second report, and the others."""
    items = list(reported.items())
    return dict(items[::2]), dict(items[1::2])


def with_block_registers(costs: Costs, body: GpuKernel, gpu: Gpu) -> Costs:
    """With the registers of a block, and the most of them."""
    registers = registers_of_block(body, gpu, costs.values["registers"])
    return replace(
        costs,
        values={**costs.values, BLOCK_REGISTERS: registers},
        limits={**costs.limits, BLOCK_REGISTERS: gpu.limits.registers_per_block},
    )


@dataclass(frozen=True)
class GpuPricing:
    """A place that nothing is run at. `command` is the compiler that reports, with the user's words; empty: nothing is
    compiled."""

    kernel: Kernel
    gpu: Gpu
    command: tuple[str, ...] = ()

    only_priced = True
    harness = ""

    @property
    def flags(self) -> tuple[str, ...]:
        return self.command[1:]

    @property
    def body(self) -> GpuKernel:
        return self.kernel.body_as(GpuKernel)

    @property
    def device(self) -> str:
        return self.gpu.name

    @property
    def measures(self) -> bool:
        return bool(self.command)

    @cached_property
    def costs(self) -> Costs:
        """The model's, with the registers that the source lets expect."""
        costs = expected_costs(self.kernel, self.gpu)
        return replace(costs, expected=bool(self.command))

    def _reported(self) -> Costs:
        """The model's, with what is reported left open."""
        from tunepass.evaluators.compiled_model import REGISTERS, SPILL_BYTE, STATIC_SHARED_BYTE

        dynamic = self.body.at(self.body.launch.dynamic_shared or lift(0))
        shared = add(STATIC_SHARED_BYTE, dynamic)
        resources = Resources(registers=REGISTERS, spill_byte=SPILL_BYTE, shared=shared)
        return with_block_registers(priced(self.body, self.gpu, resources), self.body, self.gpu)

    def corrected(self, reported: Reported) -> Corrected | None:
        """None where the registers are stated, or the reports do not make the estimate better."""
        known = estimated(self.body, self.gpu)
        if known is None or len(reported) < FEW_REPORTS:
            return None
        lessons = [taught(known, self.kernel.parameters, part) for part in (reported, *halves(reported))]
        before = mean_error(known, self.kernel.parameters, reported)
        after = sum(
            mean_error(lesson, self.kernel.parameters, part) * len(part) / len(reported)
            for lesson, part in zip(lessons[:0:-1], halves(reported))  # each half by what the other one teaches
        )
        if after >= before:
            return None
        costs = with_block_registers(priced(self.body, self.gpu, lessons[0].resources()), self.body, self.gpu)
        costs = replace(costs, name=self.costs.name, expected=self.costs.expected)
        sentence = f"registers corrected by {len(reported)} reports: off by {before:.1f} -> {after:.1f} in the mean"
        return Corrected(costs=costs, sentence=sentence)

    def objectives(self, names: Sequence[str]) -> tuple[Objective, ...]:
        """Any value of the model; unless named, the time."""
        known = self.costs.values
        for name in names:
            if name not in known:
                hint = spelling_hint(name, known, f"there are {', '.join(known)}", quote=repr)
                raise TunepassError(f"the model of {self.gpu.name} has no {name!r}", hint=hint)
        units = self.costs.units
        return tuple(
            Objective(name, unit=units.get(name, ""), maximise=name in MORE_IS_BETTER) for name in names or ("time",)
        )

    @cached_property
    def nvcc(self) -> Nvcc:
        from tunepass.evaluators.toolchains.nvcc import identify

        return identify(self.command[0])

    @cached_property
    def architecture(self) -> str:
        """What is compiled for: the device's own architecture, or the oldest that the compiler has for a device that is
        older."""
        major, _, minor = self.gpu.architecture.name.partition(".")
        return self.nvcc.architecture((int(major), int(minor or 0))) or self.nvcc.architectures[0]

    def compiler(self) -> str:
        """Origin of values, for identities."""
        digest = costs_digest(self.costs, self.kernel.parameters)
        return f"{self.nvcc.version}, GPU model {digest}" if self.command else f"GPU model {digest}"

    @property
    def basis(self) -> str:
        if not self.command:
            return f"by {self.costs.name}, for {self.gpu.name}; nothing was compiled or run"
        stand_in = "" if self.architecture == self.gpu.target else f", which stands in for {self.gpu.target}"
        reported = f"the registers that {self.nvcc.version} reports for {self.architecture}{stand_in}"
        return f"by the GPU model with {reported}; nothing was run"

    def evaluator(self, objectives: Sequence[Objective], default: Configuration) -> CompiledModel | None:
        """Compiles a configuration, and prices it with what is reported; None where nothing is compiled."""
        if not self.command:
            return None
        from tunepass.evaluators.compiled_model import CompiledModel
        from tunepass.evaluators.model import ModelEvaluator
        from tunepass.evaluators.toolchains.compiler_reports import FOLDER, CompilerReports
        from tunepass.evaluators.toolchains.nvcc import nvcc_on

        costs = self._reported()
        model = ModelEvaluator(
            self.kernel.parameters,
            {o.name: costs.values[o.name] for o in objectives},
            {name: (costs.values[name], most) for name, most in costs.limits.items()},
            costs.fits,
        )
        source = Path(self.kernel.source.name)
        compiling = nvcc_on(source, self.command[1:], self.command[0])
        reports = CompilerReports(compiling, self.body.function, self.architecture, user_cache(FOLDER))
        return CompiledModel(reports, partial(compiled_text, self.kernel), model, default)
