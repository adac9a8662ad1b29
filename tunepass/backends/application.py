"""Whole applications: built by their own commands, run as their description says, judged by their output."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tunepass.backends.base import Backend, Starts, Target, install, write_files
from tunepass.backends.c import check_host, run_objectives
from tunepass.backends.stated import stated_costs
from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.base import Evaluator
from tunepass.files import scratch_folder
from tunepass.frontends.app.emission import chosen, emit_files, program_name
from tunepass.frontends.app.lowering import lower
from tunepass.hwmodels.base import Costs
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash

if TYPE_CHECKING:
    from tunepass.evaluators.application import ApplicationTask


class ApplicationBackend(Backend):
    kind: ClassVar[str] = Application.kind
    measures: ClassVar[bool] = True

    def __init__(self, kernel: Kernel, target: Target):
        super().__init__(kernel, target)
        check_host(target)
        if target.compiler:
            raise TunepassError(f"{kernel.source.name} names its own build commands; nothing follows -- here")
        self.body = kernel.body_as(Application)

    @property
    def device(self) -> str:
        from tunepass.evaluators.process.cores import processor_name

        return processor_name()

    def objectives(self) -> tuple[Objective, ...]:
        return run_objectives(self.body.run, self.target.objectives)

    def identity(self, space: Space) -> Identity:
        """The description, every source and the tools' versions; the commands are part of the description."""
        from tunepass.evaluators.application import VERSION

        sources = self._task().sources
        digest = hashlib.sha256(self.kernel.source.text.encode())
        for path in sources.files():
            data = (sources.folder / path).read_bytes()
            digest.update(f"\0{path.as_posix()}\0{len(data)}\0".encode() + data)
        return Identity(
            source="sha256:" + digest.hexdigest(),
            space=space_hash(space),
            compiler=self._tools() if self.target.starts is Starts.TOOLS else "",
            device=self.device,
            harness=VERSION,
        )

    def _tools(self) -> str:
        """What the tools say that they are."""
        from tunepass.evaluators.toolchains.cc import identify

        tools = self.body.tools or tuple(dict.fromkeys(words[0] for words in self.body.build.commands))
        return "; ".join(identify(tool).version for tool in tools if self.body.tools or shutil.which(tool))

    def costs(self) -> Costs | None:
        return stated_costs(self.kernel)

    def evaluator(self) -> Evaluator:
        """One run tells all where the metrics are deterministic."""
        from tunepass.evaluators.application import ApplicationRun, DeterministicRun

        return DeterministicRun(self._task()) if self.body.deterministic else ApplicationRun(self._task())

    def write(self, scheduled: Sequence[Kernel], note: str, folder: Path, word: str = "tuned") -> tuple[Path, ...]:
        """NAME.tuned.mk, NAME.tuned.sh and the program NAME.tuned, unless it is `unbuilt`."""
        (kernel,) = scheduled  # a description is one kernel
        with scratch_folder(folder) as scratch:
            names = write_files(scratch, emit_files(kernel, note, word))
            for name in names:
                if name.endswith(".sh"):
                    (scratch / name).chmod(0o755)
            if self.body.build.product and not self.unbuilt():
                tree = scratch / "tree"
                tree.mkdir()
                self._build(kernel, tree)
                names.append(program_name(kernel, word))
                (tree / self.body.build.product).replace(scratch / names[-1])
            return install(scratch, names, folder)

    def unbuilt(self) -> str:
        if not self.body.build.product or self.target.starts is Starts.TOOLS:
            return ""
        program = program_name(self.kernel)
        return f"{program} is not built: the commands of {self.kernel.source.name} run in a `build` without --frozen"

    def _build(self, kernel: Kernel, tree: Path) -> None:
        from tunepass.evaluators.process.failures import compile_failure
        from tunepass.evaluators.process.run import base_environment, run_limited

        task = self._task()
        if task.private:
            task.sources.copy(tree)
        for words in lower(kernel, chosen(kernel), str(tree), str(task.sources.folder)).builds:
            cwd = tree if task.private else task.sources.folder
            done = run_limited(words, limits=task.build_limits, cwd=cwd, env=base_environment(), trust="tool")
            failure = compile_failure(done, task.build_limits)
            if failure is not None:
                raise ToolError(f"the tuned {kernel.name} does not build", hint=failure.log)
        if not (tree / task.product).is_file():
            raise ToolError(f"the build of {kernel.name} did not make {task.product}")

    def _task(self) -> ApplicationTask:
        from tunepass.backends.application_task import task_of

        return task_of(self.kernel, self.body, run_objectives(self.body.run, ()))
