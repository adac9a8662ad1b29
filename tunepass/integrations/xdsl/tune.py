"""The pass `tunepass` of xDSL: the knobs of a module become a space, a search chooses, the choice is written back."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import PassFailedException

from tunepass.backends.function import KernelFunction
from tunepass.diagnostics import Source, SpaceError, TunepassError
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.expr.parser import parse
from tunepass.expr.python_eval import evaluate
from tunepass.files import encoded
from tunepass.integrations.xdsl.constraints import read_constraints
from tunepass.integrations.xdsl.knobs import Knobs, read_knobs, refuse
from tunepass.ir.kernel import Kernel
from tunepass.passes.pipeline import Pipeline
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.study.objective import Objective
from tunepass.study.optimize.answers import Answer
from tunepass.study.outcome import Failed

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MODULE = "{}"  # in a command, the module's file


@dataclass(frozen=True)
class TunePass(ModulePass):  # type: ignore[misc]  # xDSL is not read where types are checked
    """Chooses the module's knobs: `-p 'tunepass{model="4096 / tile_m + 16 * tile_m" max-evals=40}'`.

    Args:
        model: an expression of the knobs' names, whose least value is searched for.
        command: in its place a command that is run with the module's file, with a choice in it, in place of `{}` (or
            as its last word); the last number that it prints is the value.
        max_evals: limit of evaluations.
        seed: of the search.
        maximise: whether more is better.
        timeout_s: seconds that one run of the command may take.

    Raises (apply):
        PassFailedException: a knob or a constraint that cannot be read, with the operation underlined; a model or a
            search that fails.

    Example:
        >>> PassPipeline((TunePass(model="tile", max_evals=10),)).apply(ctx, module)
    """

    name = "tunepass"
    model: str | None = None
    command: str | None = None
    max_evals: int = 60
    seed: int = 0
    maximise: bool = False
    timeout_s: int = 60

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            self._tune(op)
        except TunepassError as error:
            raise PassFailedException(str(error)) from None

    def _tune(self, module: ModuleOp) -> None:
        if (self.model is None) == (self.command is None):
            raise TunepassError("the pass takes a `model` or a `command`", hint='tunepass{model="tile * 2"}')
        knobs = read_knobs(module)
        kernel = kernel_of(module, knobs)
        pipeline = Pipeline.default(
            evaluate=self._by_model(kernel)
            if self.command is None
            else lambda _, choice: self._run(module, knobs, choice),
            objectives=[Objective("value", maximise=self.maximise)],
            max_evals=self.max_evals,
            seed=self.seed,
        )
        result = pipeline.run(kernel)
        if result.found is not None and not result.found.gains:
            failures = result.found.failures
            log = next((t.outcome.log for t in result.found.trials if isinstance(t.outcome, Failed)), None)
            raise TunepassError(f"no choice of the knobs could be evaluated: {dict(failures)}", hint=log)
        knobs.select(result.choice)

    def _by_model(self, kernel: Kernel) -> KernelFunction:
        assert self.model is not None
        types = {p.name: p.type for p in kernel.parameters}
        expression = parse(self.model, types, source=Source("<model>", self.model))
        defaults = {p.name: p.default for p in kernel.parameters}
        return lambda _, choice: positive(float(evaluate(expression, {**defaults, **choice})))

    def _run(self, module: ModuleOp, knobs: Knobs, choice: Configuration) -> Answer:
        """The last number that the command prints about the module with this choice."""
        assert self.command is not None
        knobs.select(choice)
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "module.mlir"
            path.write_bytes(encoded(printed(module)))
            given = shlex.split(self.command)
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


def kernel_of(module: ModuleOp, knobs: Knobs) -> Kernel:
    """The knobs and constraints of a module as a kernel."""
    parameters = knobs.parameters
    return Kernel(
        name=module.sym_name.data if module.sym_name else "module",
        language="mlir",
        source=Source("<module>", printed(module)),
        parameters=parameters,
        constraints=tuple(_constraint(op, text, parameters) for op, text in read_constraints(module, knobs)),
    )


def _constraint(op: Operation, text: str, parameters: tuple[object, ...]) -> Constraint:
    try:
        return Constraint.parse(text, parameters)  # type: ignore[arg-type]
    except (SpaceError, TunepassError) as error:
        return refuse(op, f"this constraint cannot be checked: {error.sentence}")


def printed(module: Operation) -> str:
    """In generic form, which needs no dialect to be read."""
    text = StringIO()
    Printer(stream=text, print_generic_format=True).print_op(module)
    return f"{text.getvalue()}\n"
