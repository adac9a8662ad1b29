"""From a configuration to what is compiled: macros and flags; the text stays as it is but for templates."""

from __future__ import annotations

from tunepass.frontends.c.lowering import defines, parameter_flags
from tunepass.ir.candidate import Candidate
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration


def lower(kernel: Kernel, configuration: Configuration) -> Candidate:
    """The words for nvcc or for the OpenCL build, and the text where a template has to be instantiated."""
    return Candidate(
        text=instantiated(kernel),
        defines=defines(kernel, configuration),
        flags=parameter_flags(kernel, configuration),
    )


def instantiated(kernel: Kernel) -> str | None:
    """The source with a line that names the kernel with its template's arguments, without which nvcc writes no code for
    it; None for a kernel that is no template."""
    function = kernel.body_as(GpuKernel).function
    return f"{kernel.source.text}\nauto tunepass_instance = &{function};\n" if "<" in function else None
