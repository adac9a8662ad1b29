"""OpenCL: the driver is the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.gpu_run.task import GpuCandidate, Module
from tunepass.files import encoded


@dataclass(frozen=True, slots=True)
class OpenClSource:
    """Gives the driver the text. `source` is the user's file, beside which headers are found; `flags` are his."""

    source: Path
    text: str
    flags: tuple[str, ...] = ()

    def __call__(self, candidate: GpuCandidate, folder: Path) -> Module:
        text = self.text if candidate.text is None else candidate.text
        file = folder / self.source.name
        file.write_bytes(encoded(text))
        words = (*self.flags, *candidate.words, f"-I{self.source.absolute().parent}")
        return Module(file, candidate.call.function, words)
