"""Passes and pipelines: a compilation goes in, a new compilation comes out; nothing is changed in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunepass.backends.caller import Evaluators as Evaluators
from tunepass.diagnostics import TunepassError
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

if TYPE_CHECKING:
    from tunepass.space.space import Space
    from tunepass.study.trial import Trial
    from tunepass.tuning.result import SearchResult

Emitter = Callable[[Kernel, str], tuple[EmittedFile, ...]]  # (scheduled kernel, note) -> files


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """State that passes hand on: the kernel, and the results of the passes that have run."""

    kernel: Kernel
    space: Space | None = None
    search_result: SearchResult | None = None
    files: tuple[EmittedFile, ...] = ()

    def require_space(self, step: Pass) -> Space:
        if self.space is None:
            raise TunepassError(f"{step.name} needs a space; put extract_space before it")
        return self.space

    def require_result(self, step: Pass) -> SearchResult:
        if self.search_result is None:
            raise TunepassError(f"{step.name} needs a choice; put search before it")
        return self.search_result


class Pass(ABC):
    """One step. Subclasses are frozen dataclasses; their fields are the pass's options."""

    name: str = ""

    @abstractmethod
    def run(self, compilation: Compilation) -> Compilation: ...


@dataclass(frozen=True, slots=True)
class Result:
    """What a pipeline leaves: the choice, the best trade-offs, the scheduled kernel and its source text."""

    compilation: Compilation

    @property
    def kernel(self) -> Kernel:
        return self.compilation.kernel

    @property
    def found(self) -> SearchResult:
        if self.compilation.search_result is None:
            raise TunepassError("this pipeline has no search, so it has no choice")
        return self.compilation.search_result

    @property
    def choice(self) -> Configuration:
        return self.found.choice

    @property
    def pareto(self) -> tuple[Trial, ...]:
        return self.found.pareto

    @property
    def source(self) -> str:
        """The tuned source: the first file emitted."""
        if not self.compilation.files:
            raise TunepassError("this pipeline has no emit, so it has no source")
        return self.compilation.files[0].text
