"""Pipelines: passes in order, from a kernel to its tuned source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.backends.base import Backend, Target, backend_for, check_device
from tunepass.backends.caller import CallerBackend, Evaluators, emit
from tunepass.backends.function import FunctionBackend, KernelFunction
from tunepass.diagnostics import TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import ApplySchedule
from tunepass.passes.base import Compilation, Emitter, Pass, Result
from tunepass.passes.emit import Emit
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search
from tunepass.search.options import SearchOptions
from tunepass.search.stop import Stop, never
from tunepass.study.objective import Objective
from tunepass.study.optimize.answers import valid_exceptions
from tunepass.study.validation import valid_identity, valid_objectives


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
        evaluate: KernelFunction | None = None,
        catch: type[Exception] | Iterable[type[Exception]] = (),
        objectives: Sequence[Objective] = (),
        options: SearchOptions | None = None,
        identity: Mapping[str, str] | None = None,
        stop: Callable[[], bool] = never,
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
            emitter: how another compiler prints its own kernels: from a scheduled kernel and a note to files. None: the
                kernel's frontend; nothing is emitted of a kernel without a body.
            evaluate: in place of `evaluators`, a function of a kernel and a configuration. It returns the objective's
                value, a mapping of objectives to values, an outcome or an Evaluation.
            catch: exceptions of `evaluate` that become failed trials; any other one ends the run.
            objectives: what another compiler judges its kernels by; empty: those of the kernel's kind, or its time.
            options: how to search, in place of `max_evals`, `seed` and `strategy`.
            identity: texts by name that results depend on besides the kernel, such as the compiler's version: where
                `options` has a store, another identity is another study.
            stop: called before the first evaluation and after each; True ends the search with the best so far.

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
        if options is not None and (max_evals, seed, strategy) != (None, 0, "auto"):
            raise TunepassError("max_evals, seed and strategy are fields of `options`: give either those or it")
        if not callable(stop):
            raise TunepassError(f"stop is a function that says whether to end the search, got {stop!r}")
        options = options or SearchOptions(max_evals=max_evals, seed=seed, strategy=strategy)
        given = valid_objectives(objectives) if objectives else ()
        backend = _backend_of(target, evaluators, evaluate, given, valid_exceptions(catch))
        known = valid_identity(identity)
        search = Search(backend=backend, options=options, identity=known, stop=Stop(requested=stop))
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


def _backend_of(
    target: Target,
    evaluators: Evaluators | None,
    evaluate: KernelFunction | None,
    objectives: tuple[Objective, ...],
    catch: tuple[type[Exception], ...],
) -> Callable[[Kernel], Backend]:
    """The backend of a kernel: its own kind's, unless the caller evaluates it."""
    for name, function in (("evaluators", evaluators), ("evaluate", evaluate)):
        if not (function is None or callable(function)):
            raise TunepassError(f"{name} is a function, got {function!r}")
    if evaluate is not None:
        if evaluators is not None:
            raise TunepassError("evaluators and evaluate say the same: give one of them")
        return lambda kernel: FunctionBackend(kernel, target, evaluate, objectives, catch)
    if catch:
        raise TunepassError("catch is of the exceptions of `evaluate`; an evaluator returns failures")
    if evaluators is not None:
        return lambda kernel: CallerBackend(kernel, target, evaluators, objectives)
    if objectives:
        raise TunepassError("objectives are those of `evaluate` or `evaluators`, neither of which is given")
    return lambda kernel: backend_for(kernel, target)
