"""Pipelines: passes in order, from a kernel to its tuned source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tunepass.backends.base import Backend, Target, backend_for, check_device, frontend_of
from tunepass.backends.caller import CallerBackend, Evaluators
from tunepass.diagnostics import TunepassError
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import ApplySchedule
from tunepass.passes.base import Compilation, Emitter, Pass, Result
from tunepass.passes.emit import Emit
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search
from tunepass.search.options import SearchOptions


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Passes in order, from a kernel to its tuned source.

    Args:
        passes: the passes.

    Raises:
        TunepassError: an element is no Pass.

    Example:
        >>> [step.name for step in tp.Pipeline.default(max_evals=10).passes]
        ['extract_space', 'prune_space', 'search', 'apply_schedule', 'emit']
    """

    passes: tuple[Pass, ...]

    def __post_init__(self) -> None:
        passes = tuple(self.passes) if isinstance(self.passes, Iterable) else (self.passes,)
        if not isinstance(self.passes, Iterable) or not all(isinstance(step, Pass) for step in passes):
            raise TunepassError(f"a pipeline is a tuple of passes, got {self.passes!r}")
        object.__setattr__(self, "passes", passes)

    @classmethod
    def default(
        cls,
        device: str | None = None,
        *,
        max_evals: int | None = None,
        seed: int = 0,
        strategy: str = "auto",
        compiler: tuple[str, ...] = (),
        evaluators: Evaluators | None = None,
        emitter: Emitter | None = None,
    ) -> Pipeline:
        """extract_space, prune_space, search, apply_schedule and emit, for the backend of the kernel's kind.

        Args:
            device: what the kernel runs on or is priced for; None: the backend's usual one.
            max_evals: limit of evaluations; None: no limit.
            seed: of every random choice.
            strategy: a strategy's name.
            compiler: a command and its words; empty: the usual one, `cc -O2`.
            evaluators: how another compiler evaluates its own kernels: from a kernel to a context manager of a function
                from a configuration to an Evaluation.
            emitter: how another compiler prints its own kernels: from a scheduled kernel and a note to files.

        Returns:
            The pipeline.

        Raises:
            TunepassError: an unknown device, or an argument that breaks its rule.

        Example:
            >>> pipeline = tp.Pipeline.default(max_evals=4, seed=0, evaluators=evaluators, emitter=emitter)
            >>> pipeline.run(kernel).kernel.language
            'toy'
        """
        target = Target(compiler=compiler, device=device)
        check_device(device)
        options = SearchOptions(max_evals=max_evals, seed=seed, strategy=strategy)
        backend = _backend_of(target, evaluators)
        search = Search(backend=backend, options=options)
        prune = PruneSpace(lambda kernel: backend(kernel).limits())
        return cls((ExtractSpace(), prune, search, ApplySchedule(), Emit(emitter or emit)))

    def replaced(self, new: Pass) -> Pipeline:
        """The pipeline with `new` in place of the pass of the same name."""
        if all(old.name != new.name for old in self.passes):
            raise TunepassError(f"no pass {new.name!r} here; there are {', '.join(p.name for p in self.passes)}")
        return replace(self, passes=tuple(new if old.name == new.name else old for old in self.passes))

    def run(self, kernel: Kernel) -> Result:
        """The kernel through all passes.

        Args:
            kernel: as `load` reads it, or as another compiler makes it.

        Returns:
            The answer of the last pass.

        Raises:
            TunepassError: not a kernel, or a pass whose input is missing.

        Example:
            >>> tp.Pipeline(()).run(kernel).kernel is kernel
            True
        """
        if not isinstance(kernel, Kernel):
            raise TunepassError(
                f"a pipeline runs on a Kernel, got {kernel!r}", hint="tunepass.load(path) reads one from a source"
            )
        compilation = Compilation(kernel=kernel)
        for step in self.passes:
            compilation = step.run(compilation)
        return Result(compilation)


def _backend_of(target: Target, evaluators: Evaluators | None) -> Callable[[Kernel], Backend]:
    if evaluators is None:
        return lambda kernel: backend_for(kernel, target)
    return lambda kernel: CallerBackend(kernel, target, evaluators)


def emit(kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
    """The scheduled kernel as its frontend writes it."""
    return frontend_of(kernel.source.name, kernel.source.text).emit((kernel,), note)
