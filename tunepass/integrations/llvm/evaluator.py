"""A function of a module, optimised by a recipe, compiled to an object and judged in the harness of C kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import function_task
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.integrations.llvm.asking import REQUEST, run_worker
from tunepass.integrations.llvm.function import Function
from tunepass.integrations.llvm.recipe import Recipe
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed

RecipeOf = Callable[[Configuration], Recipe]
RECIPE = "--recipe="
NO_SANITIZER = "a module of LLVM is not compiled by a compiler that has sanitizers"


@dataclass(slots=True)
class ModuleCompiling(Compiling):
    """Compiles the module instead of a C source: a candidate's only word is its recipe. Links with the C compiler."""

    module: str = ""
    function: str = ""
    untouched: Recipe = field(default_factory=Recipe)

    def compile_object(
        self, candidate: Candidate, folder: Path, *, rename_main: bool, limits: Limits | None = None
    ) -> tuple[Path, Completed, Failed | None]:
        """The object by the candidate's recipe; without one, the module as it is."""
        text = candidate.defines[0].removeprefix(RECIPE) if candidate.defines else self.untouched.text
        target, limits = folder / "candidate.o", limits or self.limits_now()
        request = {**Recipe.of_text(text).fields, "text": self.module, "function": self.function, "object": str(target)}
        done = run_worker("build", request, folder, limits)
        (folder / REQUEST).unlink(missing_ok=True)  # it has the whole module
        failure = compile_failure(done, limits)
        if failure is None:
            self.longest_s = max(self.longest_s, done.seconds)
        return target, done, failure


class ModuleRun(CompileRun):
    """Optimises and compiles a function of a module, and judges it against the module as it came."""

    def __init__(self, function: Function, kernel: Kernel, recipe: RecipeOf, untouched: Recipe):
        super().__init__(task_of(function, kernel, recipe))
        self.compiling = ModuleCompiling(
            command=self.task.command,
            source=self.task.source,
            limits=self.task.compile_limits,
            module=function.source.text,
            function=function.name,
            untouched=untouched,
        )

    def sanitize(self, configuration: Configuration) -> Failed | None:
        """No sanitizer watches it: a row of its ledger says so."""
        self._ledgers.note(configuration, Check("sanitizers", "could not run", NO_SANITIZER, "a kernel in C"))
        return None


def task_of(function: Function, kernel: Kernel, recipe: RecipeOf) -> KernelTask:
    """The task of a C kernel that is called alike, with candidates that are recipes."""
    task = function_task(kernel, function.call, ("cc", *function.link), TIME)

    def lower(configuration: Configuration) -> Candidate:
        return Candidate(defines=(f"{RECIPE}{recipe(configuration).text}",))

    return replace(task, lower=lower, reference=Candidate(), source=Path(function.source.name))
