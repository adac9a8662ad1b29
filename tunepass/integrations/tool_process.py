"""Requests to another compiler's library, each in a supervised process of its own: the library may end its process."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.workspace import Workspace
from tunepass.files import encoded
from tunepass.study.outcome import Failed

LIMITS = Limits(wall_s=120.0, output_bytes=256 << 20)
REQUEST = "request.json"
RUNNER = Path(__file__).with_name("tool_worker.py")


@dataclass(frozen=True)
class ToolProcess:
    """A worker program that imports one package and answers one request: JSON in a file, JSON on its standard output.

    Args:
        title: the tool's name in messages.
        package: that the worker imports.
        extra: of tunepass, which installs the package.
        worker: the program, as tool_worker.py runs it in Python's isolated mode.
    """

    title: str
    package: str
    extra: str
    worker: Path

    def packages(self) -> str:
        """The folder that has the package. Raises TunepassError where nobody installed it."""
        package = importlib.util.find_spec(self.package)
        if package is None or package.origin is None:
            raise TunepassError(f"{self.package} is not installed", hint=f"pip install 'tunepass[{self.extra}]'")
        return str(Path(package.origin).parent.parent)

    def words(self, task: str, request: Mapping[str, object], folder: Path) -> list[str | Path]:
        """The command that does the task; its request is written into the folder."""
        path = folder / REQUEST
        path.write_bytes(encoded(json.dumps({"task": task, "packages": self.packages(), **request})))
        return [sys.executable, "-I", RUNNER, self.worker, path]

    def run(self, task: str, request: Mapping[str, object], folder: Path, limits: Limits = LIMITS) -> Completed:
        """How a task ended, in a folder for its files."""
        words = self.words(task, request, folder)
        return run_limited(words, limits=limits, cwd=folder, trust="tool", scratch=folder)

    def build(
        self, request: Mapping[str, object], folder: Path, limits: Limits
    ) -> tuple[Path, Completed, Failed | None]:
        """The object that the task `build` leaves in the folder, and the failure of a build that left none."""
        target = folder / "candidate.o"
        done = self.run("build", {**request, "object": str(target)}, folder, limits)
        (folder / REQUEST).unlink(missing_ok=True)  # it may hold the whole program
        return target, done, compile_failure(done, limits)

    def answer(self, task: str, request: Mapping[str, object]) -> Any | Failed:
        """The reply, or the failure with the tool's words. Raises ToolError where the reply is none."""
        workspace = Workspace()
        try:
            with workspace.scratch() as folder:
                done = self.run(task, request, folder)
        finally:
            workspace.close()
        failure = compile_failure(done, LIMITS)
        if failure is not None:
            return failure
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise ToolError(f"{self.title}'s process did not answer", hint=done.log) from None
