"""The processor of this machine as a device: what host.c measured on it, kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import yaml

from tunepass.files import read_utf8
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.cpu.device import Cpu, Level, load, read
from tunepass.hwmodels.device_reader import SIZE_LIMIT

LEAST_NS = 0.02  # of a difference of two measurements
MISPREDICTED = 0.5  # of the loops that are left: those with few and equal iterations are foreseen
ENTRY_ITERATIONS = 8.5  # host.c: 5 to 12, of four instructions each
ENTRY_INSTRUCTIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The system's description of its processor; `levels` from the core outwards: size and ways of the data caches."""

    processor: str
    compiler: str
    cores: int
    vector_byte: int
    registers: int
    levels: tuple[tuple[int, int], ...]


def cache_file(processor: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Path of the characterisation of `processor`: in TUNEPASS_CACHE, else the user's cache folder."""
    named = environment.get("TUNEPASS_CACHE")
    base = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tunepass"
    digest = hashlib.sha256(processor.encode()).hexdigest()[:12]
    return (Path(named) if named else base) / f"host-{digest}.yaml"


def host(processor: str, environment: Mapping[str, str] = os.environ) -> Cpu:
    """This machine as it was characterised; where it was not, the default device with as many cores as there are.
    Nothing is measured here."""
    path = cache_file(processor, environment)
    if not os.path.lexists(path):
        return replace(load(), cores=usable_cores())
    return read(read_utf8(path, SIZE_LIMIT, ModelError), str(path))


def usable_cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def native_vector_byte() -> int:
    """Width of the vectors that compilers choose with -march=native: they prefer 32 bytes where there are 64."""
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return load().vector_byte
    return 32 if " avx2 " in flags else 16


def program() -> str:
    """The C program that measures; its arguments are the sizes of the levels."""
    return resources.files("tunepass.hwmodels.cpu").joinpath("host.c").read_text(encoding="utf-8")


def measured(printed: str) -> dict[str, float]:
    """The figures that the program printed, in ns. Raises ModelError where a line is none."""
    figures: dict[str, float] = {}
    for line in printed.splitlines():
        match = re.fullmatch(r"([a-z_]+(?: \d+)?) (\d+(?:\.\d+)?(?:e-?\d+)?)", line)
        if match is None or float(match[2]) <= 0:
            raise ModelError(f"the measuring program printed `{line[:80]}`, which is no figure")
        figures[match[1]] = float(match[2])
    return figures


def device_text(facts: Facts, figures: Mapping[str, float]) -> str:
    """The device's YAML. What is not measured (pages that a TLB holds, starting threads) is the default device's."""
    try:
        levels = [_level(facts, figures, number) for number in range(len(facts.levels))]
        core = _core(figures)
        page_ns = _difference(figures["page"], figures["stream 1"])
    except KeyError as error:
        raise ModelError(f"the measuring program did not print {error}") from None
    pages = {**_fields(load().pages), "miss_ns": page_ns, "scattered_ns": page_ns}
    return "# Written by `tunepass characterize --device host`. Times are nanoseconds.\n" + yaml.safe_dump(
        {
            "name": "host",
            "description": facts.processor,
            "source": f"tunepass characterize --device host, {facts.compiler} -O2",
            "cores": facts.cores,
            "vector_byte": facts.vector_byte,
            "registers": facts.registers,
            "core": core,
            "levels": levels,
            "pages": pages,
        },
        sort_keys=False,
    )


def _core(figures: Mapping[str, float]) -> dict[str, float]:
    body = ENTRY_ITERATIONS * ENTRY_INSTRUCTIONS * figures["issue"]
    return {
        "operation_ns": figures["operation"],
        "load_ns": figures["load"],
        "store_ns": figures["store"],
        "issue_ns": figures["issue"],
        "division_ns": figures["division"],
        "call_ns": figures["call"],
        "chain_ns": figures["chain"],
        "forward_ns": _difference(figures["forward"], figures["chain"]),
        "enter_ns": round(MISPREDICTED * _difference(figures["entry"], body), 4),
        "fork_ns": load().core.fork_ns,
    }


def _level(facts: Facts, figures: Mapping[str, float], number: int) -> dict[str, object]:
    """What a miss costs is what a line of the next level's sets takes longer than one of this level's."""
    size_byte, ways = facts.levels[number]
    stream = _difference(figures[f"stream {number + 1}"], figures[f"stream {number}"])
    scatter = _difference(figures[f"scatter {number + 1}"], figures[f"scatter {number}"])
    level = Level(
        name=f"L{number + 1}",
        size_byte=size_byte,
        block_byte=load().levels[0].block_byte,
        miss_ns=stream,
        scattered_ns=max(stream, scatter),
        shared=number >= 2,
        ways=ways if number == 0 else 0,  # further levels are indexed by physical addresses
    )
    return _fields(level)


def _fields(level: Level) -> dict[str, object]:
    fields: dict[str, object] = {
        "name": level.name,
        "size_byte": level.size_byte,
        "block_byte": level.block_byte,
        "miss_ns": level.miss_ns,
        "scattered_ns": level.scattered_ns,
    }
    if level.shared:
        fields["shared"] = "true"
    if level.ways:
        fields["ways"] = level.ways
    return fields


def _difference(more: float, less: float) -> float:
    return round(max(LEAST_NS, more - less), 4)
