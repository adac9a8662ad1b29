"""The pass `tunepass` of xDSL: the knobs of a module become a space, a search chooses, the choice is written back."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from tunepass.backends.function import KernelFunction
from tunepass.diagnostics import TunepassError
from tunepass.integrations.mlir.knobs import read_knobs
from tunepass.integrations.mlir.model import prior_of
from tunepass.integrations.mlir.search import Command, by_model, kernel_of, search
from tunepass.integrations.xdsl.failure import TunePassFailed
from tunepass.integrations.xdsl.reader import XdslReader
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.optimize.answers import Answer


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
        prior: whether the search starts from the CPU model, as `tunepass.integrations.mlir.tune` has it.

    Raises (apply):
        TunePassFailed: xDSL's `PassFailedException` for a knob or a constraint that cannot be read, with the operation
            underlined; and for a model or a search that fails. Uncaught, it ends `xdsl-opt` with status 2.

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
    prior: bool | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            self._tune(op)
        except TunepassError as error:
            raise TunePassFailed(str(error), error.exit_status) from None

    def _tune(self, module: ModuleOp) -> None:
        if (self.model is None) == (self.command is None):
            raise TunepassError("the pass takes a `model` or a `command`", hint='tunepass{model="tile * 2"}')
        knobs = read_knobs(module, XdslReader())
        name = module.sym_name.data if module.sym_name else "module"
        kernel = kernel_of(name, printed(module), module, knobs)
        evaluate: KernelFunction
        if self.model is not None:
            evaluate = by_model(self.model, kernel)
        else:
            command = Command(self.command or "", self.timeout_s)

            def evaluate(_: Kernel, choice: Configuration) -> Answer:
                copy = module.clone()
                read_knobs(copy, XdslReader()).select(choice)
                return command(printed(copy))

        requested = False if self.prior is None and (self.maximise or self.model is not None) else self.prior
        result = search(
            kernel,
            evaluate,
            max_evals=self.max_evals,
            seed=self.seed,
            maximise=self.maximise,
            prior=prior_of(module, knobs, kernel, requested),
        )
        knobs.select(result.choice)


def printed(module: ModuleOp) -> str:
    """In generic form, which needs no dialect to be read."""
    text = StringIO()
    Printer(stream=text, print_generic_format=True).print_op(module)
    return f"{text.getvalue()}\n"
