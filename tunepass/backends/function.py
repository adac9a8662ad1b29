"""Kernels of another compiler that evaluates with a plain function."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import ClassVar

from tunepass.backends.base import Target
from tunepass.backends.caller import CallerBackend
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.optimize.answers import Answer, caught_failure, evaluation_of
from tunepass.study.outcome import Evaluation

KernelFunction = Callable[[Kernel, Configuration], Answer]


class FunctionBackend(CallerBackend):
    """Evaluates with a function of a kernel and a configuration. Exceptions of the classes in `catch` are failures."""

    kind: ClassVar[str] = "function"

    def __init__(
        self,
        kernel: Kernel,
        target: Target,
        function: KernelFunction,
        objectives: Sequence[Objective] = (),
        catch: tuple[type[Exception], ...] = (),
    ):
        super().__init__(kernel, target, lambda kernel: nullcontext(self.evaluate), objectives)
        self.function, self.catch = function, catch

    def evaluate(self, configuration: Configuration) -> Evaluation:
        start = time.perf_counter()
        try:
            answer = self.function(self.kernel, configuration)
        except self.catch:
            answer = caught_failure()
        return evaluation_of(answer, self.objectives(), time.perf_counter() - start)
