"""prune_space: limits of the device and its model become constraints, before anything is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Compilation, Pass
from tunepass.space.constraint import Constraint
from tunepass.space.space import Space

Limits = Callable[[Kernel], tuple[Constraint, ...]]


def no_limits(kernel: Kernel) -> tuple[Constraint, ...]:
    """A device that every configuration of the source fits."""
    return ()


@dataclass(frozen=True, slots=True)
class PruneSpace(Pass):
    """`limits` are the device's, as constraints over the kernel's parameters. The kernel keeps its own: the same source
    has other limits elsewhere."""

    limits: Limits = no_limits
    name = "prune_space"

    def run(self, compilation: Compilation) -> Compilation:
        space, limits = compilation.require_space(self), self.limits(compilation.kernel)
        if not limits:
            return compilation
        return replace(compilation, space=Space(space.parameters, (*space.constraints, *limits)))
