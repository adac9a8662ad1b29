"""Programs of another compiler with what may vary in them: the pipeline of tunepass that searches them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

from tunepass.backends.base import Backend, Target
from tunepass.backends.caller import CallerBackend
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Result
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.search import Search
from tunepass.search.options import SearchOptions
from tunepass.search.stop import never
from tunepass.space.opening import Opening
from tunepass.study.outcome import Evaluate


class SeededBackend(CallerBackend):
    """Evaluates as the problem does, and begins with the problem's seed configurations."""

    def __init__(self, kernel: Kernel, problem: ToolProblem):
        super().__init__(kernel, Target(), problem.evaluator)
        self.problem = problem

    def openings(self) -> tuple[Opening, ...]:
        return self.problem.openings()


class ToolProblem:
    """A program of another compiler with what may vary in it."""

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """The program with its parameters."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Texts that results depend on besides the kernel."""

    @abstractmethod
    def evaluator(self, kernel: Kernel) -> AbstractContextManager[Evaluate]:
        """How a configuration of the kernel is measured."""

    @abstractmethod
    def emit(self, kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
        """The choice as text."""

    def openings(self) -> tuple[Opening, ...]:
        """Seed configurations."""
        return ()

    def pipeline(
        self,
        *,
        options: SearchOptions | None = None,
        max_evals: int | None = None,
        seed: int = 0,
        stop: Callable[[], bool] = never,
    ) -> Pipeline:
        """The pipeline of the kernel; arguments as those of `tp.Pipeline.default`."""
        pipeline = Pipeline.default(
            evaluators=self.evaluator,
            emitter=self.emit,
            identity=self.identity,
            options=options or SearchOptions(max_evals=max_evals, seed=seed),
            stop=stop,
        )

        def backend(kernel: Kernel) -> Backend:
            return SeededBackend(kernel, self)

        (search,) = (step for step in pipeline.passes if isinstance(step, Search))
        return pipeline.replaced(replace(search, backend=backend))

    def search(
        self,
        *,
        options: SearchOptions | None = None,
        max_evals: int | None = None,
        seed: int = 0,
        stop: Callable[[], bool] = never,
    ) -> Result:
        """The result of the pipeline; arguments as those of `pipeline`."""
        return self.pipeline(options=options, max_evals=max_evals, seed=seed, stop=stop).run(self.kernel)
