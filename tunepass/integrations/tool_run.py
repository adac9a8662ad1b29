"""Candidates that another compiler's library makes: an object from its process, judged in the harness of C kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import function_task
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.integrations.tool_process import ToolProcess
from tunepass.ir.c_kernel import KernelCall
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed

RECIPE = "--recipe="
Build = Callable[[str, Path, Limits], tuple[Path, Completed, "Failed | None"]]


@dataclass(slots=True)
class ToolCompiling(Compiling):
    """Compiles by the tool instead of a C compiler: a candidate's only word is its recipe, a text that `build` knows.
    Links with the C compiler. `untouched` is the recipe of the reference."""

    build: Build | None = None
    untouched: str = ""

    def compile_object(
        self, candidate: Candidate, folder: Path, *, rename_main: bool, limits: Limits | None = None
    ) -> tuple[Path, Completed, Failed | None]:
        """The object by the candidate's recipe; without one, the program as it came."""
        assert self.build is not None
        recipe = candidate.defines[0].removeprefix(RECIPE) if candidate.defines else self.untouched
        target, done, failure = self.build(recipe, folder, limits or self.limits_now())
        if failure is None:
            self.longest_s = max(self.longest_s, done.seconds)
        return target, done, failure


class ToolRun(CompileRun):
    """Has the tool compile each candidate, and judges it against the program as it came."""

    def __init__(self, task: KernelTask, build: Build, untouched: str, title: str):
        super().__init__(task)
        self.title = title
        self.compiling = ToolCompiling(
            command=task.command,
            source=task.source,
            limits=task.compile_limits,
            build=build,
            untouched=untouched,
            linked_by="in `link`",
        )

    def sanitize(self, configuration: Configuration) -> Failed | None:
        """No sanitizer watches it: a row of its ledger says so."""
        reason = f"{self.title} is not compiled by a compiler that has sanitizers"
        self._ledgers.note(configuration, Check("sanitizers", "could not run", reason, "a kernel in C"))
        return None


def build_by(tool: ToolProcess, request: Callable[[str], Mapping[str, object]]) -> Build:
    """Builds that the worker of a tool makes, from the request for a recipe."""
    return lambda recipe, folder, limits: tool.build(request(recipe), folder, limits)


def tool_task(
    kernel: Kernel, call: KernelCall, command: tuple[str, ...], recipe: Callable[[Configuration], str]
) -> KernelTask:
    """The task of a C kernel that is called alike, with candidates that are recipes."""
    task = function_task(kernel, call, command, TIME)

    def lower(configuration: Configuration) -> Candidate:
        return Candidate(defines=(f"{RECIPE}{recipe(configuration)}",))

    return replace(task, lower=lower, reference=Candidate(), source=Path(kernel.source.name))
