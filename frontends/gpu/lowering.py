"""From a configuration to what is compiled: macros and flags; the text stays as it is."""

from __future__ import annotations

from tunepass.frontends.c.lowering import defines, parameter_flags
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration


def lower(kernel: Kernel, configuration: Configuration) -> Candidate:
    """The words for nvcc, or for the OpenCL build of the source."""
    return Candidate(defines=defines(kernel, configuration), flags=parameter_flags(kernel, configuration))
