"""What is compiled of a GPU kernel in one configuration."""

from __future__ import annotations

from dataclasses import replace

from tunepass.frontends.gpu.lowering import lower
from tunepass.ir.candidate import Candidate
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration


def compiled_text(kernel: Kernel, configuration: Configuration) -> Candidate:
    """The text that was read, whatever the file is now, with the configuration's words. A template is compiled only
    where something asks for it."""
    body, candidate = kernel.body_as(GpuKernel), lower(kernel, configuration)
    functions = [body.function, *([body.reference.function] if body.reference else [])]
    asked = [
        f"namespace {{ [[maybe_unused]] auto tunepass_asks_{i} = &{function}; }}\n"
        for i, function in enumerate(functions)
        if "<" in function
    ]
    return replace(candidate, text="\n".join([candidate.text or kernel.source.text, *asked]))


def plain_function(name: str) -> str:
    """Without a template's arguments and namespaces."""
    return name.partition("<")[0].rpartition("::")[2].strip()
