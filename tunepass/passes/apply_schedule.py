"""apply_schedule: the choice becomes the kernel's schedule, one directive a parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.ir.kernel import Choice, Kernel
from tunepass.passes.base import Compilation, Pass
from tunepass.space.configuration import Configuration


def scheduled(kernel: Kernel, configuration: Configuration) -> Kernel:
    """The kernel with `configuration` as its schedule, in the order its parameters are declared."""
    values = kernel.filled(configuration)
    return kernel.scheduled(tuple(Choice(p.name, values[p.name]) for p in kernel.parameters))


@dataclass(frozen=True, slots=True)
class ApplySchedule(Pass):
    name = "apply_schedule"

    def run(self, compilation: Compilation) -> Compilation:
        choice = compilation.require_result(self).choice
        return replace(compilation, kernel=scheduled(compilation.kernel, choice))
