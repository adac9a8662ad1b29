"""This machine's processor measured: a C program compiled and run for a few seconds, its figures kept for the model."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tunepass.compilers.cc import identify
from tunepass.diagnostics import ToolError
from tunepass.evaluators.process.cores import processor_name, reserved_core
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.hwmodels.cpu import host
from tunepass.hwmodels.cpu.device import load

COMPILER = "cc"
LIMITS = Limits(wall_s=60)
SYSTEM = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1 << 10, "M": 1 << 20}


def characterise_host() -> str:
    """The text of this machine's device. Raises ToolError where there is no compiler, or where its program fails."""
    compiler = identify(COMPILER)
    facts = host.Facts(
        processor=processor_name(),
        compiler=compiler.version,
        cores=host.usable_cores(),
        vector_byte=host.native_vector_byte(),
        registers=32 if platform.machine() in ("aarch64", "arm64") else 16,
        levels=_levels(),
    )
    with tempfile.TemporaryDirectory(prefix="tunepass-host-") as place:
        figures = host.measured(_printed(Path(place), [size for size, _ in facts.levels]))
    return host.device_text(facts, figures)


def keep(text: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Write the device where the model looks for it."""
    path = host.cache_file(processor_name(), environment)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error}", hint="TUNEPASS_CACHE names another folder") from error
    return path


def _printed(folder: Path, sizes: list[int]) -> str:
    (folder / "host.c").write_text(host.program(), encoding="utf-8")
    done = run_limited([COMPILER, "-O2", "host.c", "-o", "host", "-lm"], cwd=folder, limits=LIMITS, trust="tool")
    if not done.ok:
        raise ToolError(f"{COMPILER} cannot compile the measuring program", hint=done.log)
    with reserved_core() as cpus:
        done = run_limited(["./host", *map(str, sizes)], cwd=folder, limits=LIMITS, cpus=cpus, trust="tool")
    if not done.ok:
        raise ToolError("the measuring program failed", hint=done.log or done.ended)
    return done.stdout


def _levels() -> tuple[tuple[int, int], ...]:
    """Size and ways of each data cache, from the core outwards; the default device's where the system does not say."""
    level_by_number = dict(level for folder in sorted(SYSTEM.glob("index*")) if (level := _level(folder)) is not None)
    if level_by_number:
        return tuple(level_by_number[level] for level in sorted(level_by_number))
    return tuple((level.size_byte, level.ways) for level in load().levels)


def _level(folder: Path) -> tuple[int, tuple[int, int]] | None:
    """The number, size and ways of a data cache; None for another one, or where the system does not say."""
    try:
        kind, size, ways, level = (
            (folder / name).read_text().strip() for name in ("type", "size", "ways_of_associativity", "level")
        )
        return (int(level), (int(size[:-1]) * UNITS[size[-1]], int(ways))) if kind in ("Data", "Unified") else None
    except (OSError, ValueError, KeyError, IndexError):
        return None
