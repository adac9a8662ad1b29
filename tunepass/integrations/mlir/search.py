"""The search over a module's knobs, whichever library holds the module."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tunepass.backends.function import KernelFunction
from tunepass.diagnostics import Source, SpaceError, TunepassError
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.expr.parser import parse
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.files import encoded
from tunepass.integrations.mlir.constraints import read_constraints
from tunepass.integrations.mlir.knobs import Knobs
from tunepass.integrations.mlir.reader import Operation
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Result
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.search import Search
from tunepass.search.prior import SearchPrior
from tunepass.search.stop import never
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.study.objective import Objective
from tunepass.study.optimize.answers import Answer
from tunepass.study.outcome import Failed

NUMBER = re.compile(r"(?<![\w./])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")  # not within a path or a word
MODULE = "{}"  # in a command, the module's file


@dataclass(frozen=True, slots=True)
class Command:
    """A command that judges a module in a process of its own, under limits.

    Args:
        text: words as in a shell, without a shell; the module's file stands for `{}`, or is the last word. The last
            number that it prints is the value.
        timeout_s: seconds that one run may take.

    Raises:
        TunepassError: the text has no words, or a quote that is not closed; a limit that is not positive.
    """

    text: str
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.text)
        except ValueError as error:
            raise TunepassError(f"the command {self.text!r} cannot be read: {error}") from None
        if not words:
            raise TunepassError("the command has no words", hint='as in command="python price.py {}"')
        if not self.timeout_s > 0:
            raise TunepassError(f"a run of the command takes more than 0 s, got {self.timeout_s:g}")

    def __call__(self, module: str) -> Answer:
        """The value of a module, given as text."""
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "module.mlir"
            path.write_bytes(encoded(module))
            given = shlex.split(self.text)
            words = [str(path) if word == MODULE else word for word in given]
            limits = Limits(wall_s=float(self.timeout_s))
            done = run_limited(
                words if MODULE in given else [*words, path], limits=limits, trust="program", scratch=folder
            )
        if (failure := run_failure(done, limits)) is not None:
            return failure
        numbers = NUMBER.findall(done.stdout)
        return positive(float(numbers[-1])) if numbers else Failed("metric", f"it printed no number: {done.log}")


def positive(value: float) -> Answer:
    """The value, or a failure: gains are ratios."""
    return value if value >= 0 else Failed("metric", f"a value is not negative, got {value:g}")


def by_model(text: str, kernel: Kernel) -> KernelFunction:
    """An expression of the kernel's parameters as its evaluation.

    Raises:
        ExpressionError: it cannot be read.
    """
    types = {p.name: p.type for p in kernel.parameters}
    expression = parse(text, types, source=Source("<model>", text))
    defaults = {p.name: p.default for p in kernel.parameters}

    def value(_: Kernel, choice: Configuration) -> Answer:
        try:
            return positive(float(evaluate(expression, {**defaults, **choice})))
        except (UndefinedValue, OverflowValue):
            return Failed("metric", f"`{text}` has no value for this choice")

    return value


def kernel_of(name: str, text: str, module: Operation, knobs: Knobs) -> Kernel:
    """The knobs and constraints of a module as a kernel.

    Args:
        name: of the kernel.
        text: of the module; it identifies the kernel.
        module: the operation that has the knobs inside.
        knobs: those that were read.

    Raises:
        Exception: the reader's, for a constraint that cannot be checked.
    """
    parameters = knobs.parameters
    return Kernel(
        name=name,
        language="mlir",
        source=Source("<module>", text),
        parameters=parameters,
        constraints=tuple(_constraint(op, text, parameters, knobs) for op, text in read_constraints(module, knobs)),
    )


def _constraint(op: Operation, text: str, parameters: Sequence[Parameter], knobs: Knobs) -> Constraint:
    try:
        return Constraint.parse(text, parameters)
    except (SpaceError, TunepassError) as error:
        return knobs.reader.refuse(op, f"this constraint cannot be checked: {error.sentence}")


def search(
    kernel: Kernel,
    evaluate: KernelFunction,
    *,
    max_evals: int | None = None,
    seed: int = 0,
    maximise: bool = False,
    catch: tuple[type[Exception], ...] = (),
    stop: Callable[[], bool] = never,
    prior: SearchPrior | None = None,
) -> Result:
    """Search the knobs from a prior mean. The module stays as it is.

    Raises:
        TunepassError: no choice could be evaluated.
    """
    pipeline = Pipeline.default(
        evaluate=evaluate,
        catch=catch,
        objectives=[Objective("value", maximise=maximise)],
        max_evals=max_evals,
        seed=seed,
        stop=stop,
    )
    passes = (replace(step, prior=prior) if isinstance(step, Search) else step for step in pipeline.passes)
    result = Pipeline(tuple(passes)).run(kernel)
    if result.found is not None and not result.found.gains:
        failures = result.found.failures
        log = next((t.outcome.log for t in result.found.trials if isinstance(t.outcome, Failed)), None)
        raise TunepassError(f"no choice of the knobs could be evaluated: {dict(failures)}", hint=log)
    return result
