"""Text of a GPU kernel that is compiled in one configuration."""

from __future__ import annotations

from dataclasses import replace

from tunepass.frontends.gpu.host_code import without_host_code
from tunepass.frontends.gpu.lowering import instance, lower
from tunepass.ir.candidate import Candidate
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration


def compiled_text(kernel: Kernel, configuration: Configuration) -> Candidate:
    """The text that was read, whatever the file is now, with the configuration's words; of CUDA the device's part. A
    template is compiled only where something names it with its arguments."""
    candidate, body = lower(kernel, configuration), kernel.body_as(GpuKernel)
    text, reference = candidate.text or kernel.source.text, body.reference
    if body.dialect == "cuda":
        text = without_host_code(kernel.source) + text[len(kernel.source.text) :]
    if reference is not None and "<" in reference.function:
        text += f"\n{instance('tunepass_reference', reference.function, reference.namespaces)}\n"
    return replace(candidate, text=text)
