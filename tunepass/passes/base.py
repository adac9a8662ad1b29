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
from tunepass.space.configuration import Configuration, abbreviated

if TYPE_CHECKING:
    from tunepass.search.result import SearchResult
    from tunepass.space.space import Space
    from tunepass.study.trial import Trial

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
    """One step of a pipeline: a compilation in, a new one out. Subclasses are frozen dataclasses.

    Its fields are the pass's options, its `name` is that by which `Pipeline.replaced` puts another in its place.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Skip(tp.Pass):
        ...     name: str = "skip"
        ...     def run(self, compilation):
        ...         return compilation
        >>> tp.Pipeline((Skip(),)).run(kernel)
        <Result of 'scale': no search>
    """

    name: str = ""

    @abstractmethod
    def run(self, compilation: Compilation) -> Compilation:
        """The compilation with what this pass adds; the given one stays as it is."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a pipeline: `choice`, `pareto`, the scheduled `kernel` and its `source` text.

    Args:
        compilation: the answer of the last pass.

    Example:
        >>> result = tp.Pipeline.default(max_evals=4, evaluators=evaluators, emitter=emitter).run(kernel)
        >>> result.kernel.name, sorted(result.choice)
        ('scale', ['tile', 'unroll'])
    """

    compilation: Compilation

    def __repr__(self) -> str:
        files = ", ".join(file.name for file in self.compilation.files)
        written = f"; writes {files}" if files else ""
        search = self.compilation.search_result
        if search is None:
            return f"<Result of {self.kernel.name!r}: no search{written}>"
        gains = ", ".join(gain.sentence() for gain in search.gains)
        return f"<Result of {self.kernel.name!r}: {abbreviated(search.choice)}{'; ' * bool(gains)}{gains}{written}>"

    @property
    def kernel(self) -> Kernel:
        """The kernel, scheduled with the choice."""
        return self.compilation.kernel

    @property
    def found(self) -> SearchResult:
        """The search's answer. TunepassError where the pipeline has no search."""
        if self.compilation.search_result is None:
            raise TunepassError("this pipeline has no search, so it has no choice")
        return self.compilation.search_result

    @property
    def choice(self) -> Configuration:
        """The configuration that replaces the default, or the default itself."""
        return self.found.choice

    @property
    def pareto(self) -> tuple[Trial, ...]:
        """The measured trials that no other dominates."""
        return self.found.pareto

    @property
    def source(self) -> str:
        """The tuned source: the first file emitted."""
        if not self.compilation.files:
            raise TunepassError("nothing was emitted: the pipeline has no emit, or no emitter for this kernel")
        return self.compilation.files[0].text
