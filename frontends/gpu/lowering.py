"""From a configuration to what is compiled: macros and flags; the text stays as it is but for templates."""

from __future__ import annotations

from collections.abc import Sequence

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
    body = kernel.body_as(GpuKernel)
    if "<" not in body.function:
        return None
    return f"{kernel.source.text}\n{instance('tunepass_instance', body.function, body.namespaces)}\n"


def instance(variable: str, function: str, namespaces: Sequence[str]) -> str:
    """In the function's own namespaces, where its pragma's names mean what they mean at the function."""
    opened = "".join(f"namespace {name} {{ " if name else "namespace { " for name in namespaces)
    return f"{opened}[[maybe_unused]] auto {variable} = &{function};{' }' * len(namespaces)}"
