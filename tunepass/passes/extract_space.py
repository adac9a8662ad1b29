"""extract_space: the kernel's parameters and constraints become its space."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.diagnostics import SpaceError
from tunepass.passes.base import Compilation, Pass
from tunepass.space.space import Space


@dataclass(frozen=True, slots=True)
class ExtractSpace(Pass):
    """A space that is empty, or has no parameters, is the source's error."""

    name = "extract_space"

    def run(self, compilation: Compilation) -> Compilation:
        kernel = compilation.kernel
        if not kernel.parameters:
            raise SpaceError(f"{kernel.name}: there is nothing to tune, no parameter is declared", kernel.span)
        return replace(compilation, space=Space(kernel.parameters, kernel.constraints))
