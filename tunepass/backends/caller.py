"""Kernels of another compiler, which says itself how they are evaluated and printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

from tunepass.backends.base import Backend, Target, backend_for, frontend_of, named
from tunepass.backends.stated import stated_costs
from tunepass.diagnostics import TunepassError
from tunepass.hwmodels.base import Costs
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.manifest import Manifest
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate
from tunepass.study.space_description import space_hash

# How a kernel's configurations are evaluated: entered for the length of a search, and cleaned up after it.
Evaluators = Callable[[Kernel], AbstractContextManager[Evaluate]]


class CallerBackend(Backend):
    """Evaluates with what the caller gives; all else is as the kernel's own backend has it, if it has one.

    `given` are the caller's objectives; empty: those of the own backend, or the time."""

    kind: ClassVar[str] = "caller"
    measures: ClassVar[bool] = True

    def __init__(self, kernel: Kernel, target: Target, evaluators: Evaluators, given: Sequence[Objective] = ()):
        super().__init__(kernel, target)
        self.evaluators, self.given = evaluators, tuple(given)
        self.own = None if kernel.body is None else backend_for(kernel, target)

    @property
    def device(self) -> str:
        return self.own.device if self.own else ""

    def objectives(self) -> tuple[Objective, ...]:
        if self.given:
            return self.given
        if self.own:
            return self.own.objectives()
        from tunepass.backends.c.backend import TIME  # with the frontend of C, which models do without

        return named((TIME,), self.target.objectives, "a kernel without a body is judged by its time") or (TIME,)

    def identity(self, space: Space) -> Identity:
        if self.own:
            return self.own.identity(space)
        return Identity(source=source_hash(self.kernel.source.text), space=space_hash(space))

    def manifests(self) -> Mapping[str, Manifest]:
        return self.own.manifests() if self.own else {}

    def costs(self) -> Costs | None:
        return self.own.costs() if self.own else stated_costs(self.kernel)

    def evaluator(self) -> AbstractContextManager[Evaluate]:
        entered = self.evaluators(self.kernel)
        if not isinstance(entered, AbstractContextManager):
            raise TunepassError(
                f"evaluators returns a context manager of an evaluator, got {entered!r}",
                hint="a plain function of a kernel and a configuration is `evaluate`",
            )
        return entered


def emit(kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
    """The scheduled kernel as its frontend writes it; nothing of one without a body, which no frontend has read."""
    if kernel.body is None:
        return ()
    return frontend_of(kernel.source.name, kernel.source.text).emit((kernel,), note)
