"""Requests to LLVM, each in a supervised process of its own: LLVM ends the process on some inputs."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.workspace import Workspace
from tunepass.files import encoded
from tunepass.study.outcome import Failed

WORKER = Path(__file__).with_name("worker.py")
LIMITS = Limits(wall_s=120.0, output_bytes=256 << 20)
REQUEST = "request.json"


def packages() -> str:
    """The folder that has llvmlite. Raises TunepassError where nobody installed it."""
    package = importlib.util.find_spec("llvmlite")
    if package is None or package.origin is None:
        raise TunepassError("llvmlite is not installed", hint="pip install 'tunepass[llvm]'")
    return str(Path(package.origin).parent.parent)


def words(task: str, request: Mapping[str, object], folder: Path) -> list[str | Path]:
    """The command that does the task; its request is written into the folder."""
    path = folder / REQUEST
    path.write_bytes(encoded(json.dumps({"task": task, "packages": packages(), **request})))
    return [sys.executable, "-I", WORKER, path]


def run_worker(task: str, request: Mapping[str, object], folder: Path, limits: Limits = LIMITS) -> Completed:
    """How a task ended, in a folder for its files."""
    return run_limited(words(task, request, folder), limits=limits, cwd=folder, trust="tool", scratch=folder)


def answer(task: str, request: Mapping[str, object]) -> Any | Failed:
    """The reply, or the failure with LLVM's words. Raises ToolError where the reply is none."""
    workspace = Workspace()
    try:
        with workspace.scratch() as folder:
            done = run_worker(task, request, folder)
    finally:
        workspace.close()
    failure = compile_failure(done, LIMITS)
    if failure is not None:
        return failure
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise ToolError("LLVM's process did not answer", hint=done.log) from None
