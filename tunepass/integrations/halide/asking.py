"""Requests to Halide, each in a supervised process of its own: a schedule may take it minutes, or all memory."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from tunepass.diagnostics import TunepassError
from tunepass.integrations.packages import package
from tunepass.integrations.tool_process import ToolProcess

DOOR = "tunepass.integrations.halide"
HALIDE = ToolProcess("Halide", "halide", "halide", Path(__file__).with_name("worker.py"))
NEEDED = ("serialize_pipeline", "deserialize_pipeline")


def halide() -> ModuleType:
    """Halide's module. Raises ImportError without it, TunepassError for one that serialises no pipelines."""
    module = package("halide", extra="halide", door=DOOR)
    missing = [name for name in NEEDED if not hasattr(module, name)]
    if missing:
        raise TunepassError(
            f"the halide that is installed has no {missing[0]}", hint="halide 21 has it: pip install 'tunepass[halide]'"
        )
    return module


def folder_of() -> Path:
    """The folder of the installed package, with Halide's headers and plug-ins."""
    return Path(HALIDE.packages()) / "halide"
