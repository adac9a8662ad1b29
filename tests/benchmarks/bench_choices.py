"""A project of 200 files with a choice each, built without tunepass, by `-include`, by the compiler's plugin and by
`tunepass cc`: are the objects the same, and what CPU time does each way take beyond the compiler's own?

    python -m tests.benchmarks.bench_choices [--compiler gcc|clang] [--files N] [--turns N] [--python PYTHON]

Each file is compiled in turn by all four ways, so other work on the machine reaches all alike. A file's time is user
and system of the compiler's process and its children, less that of the compiler called with the chosen macros as
words; the lowest of the turns, of which the first is not counted. Hints for loops are compared by what
`-fopt-info-loop` or clang's `-Rpass=loop` prints.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunepass.backends.base import Target, backend_for
from tunepass.compilers.compiler_plugins.building import build_plugin
from tunepass.files import write_text
from tunepass.jobs.locks.choices_file import write_choices
from tunepass.jobs.locks.flags_files import flags_file
from tunepass.jobs.reading import load
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Entry, Lock, LockedObjective

FLAGS = ("-O2",)
TILES = (8, 16, 32, 64)
REPORTS = {"gcc": ("-fopt-info-loop", ": optimized:"), "clang": ("-Rpass=loop", ": remark:")}
BOUND_MS = {"plugin": 5.0, "cc": 40.0}
MACROS = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef TILE
#define TILE 4
#endif
#pragma tunepass param TILE: ordinal(4, 8, 16, 32, 64) = 4
#pragma tunepass kernel blocks_NUMBER(n = 4096, x: in double[n], y: out double[n]) sizes()
void blocks_NUMBER(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += TILE)
        for (int j = i; j < i + TILE && j < n; j++)
            y[j] = sqrt(fabs(x[j])) + NUMBER;
}

char *report_NUMBER(const double *y, int n)
{
    char *text = malloc(32 * (size_t)n + 1), *end = text;
    for (int i = 0; text && i < n; i++)
        end += snprintf(end, 32, "%d %.9g\\n", i, y[i]);
    return text && strlen(text) ? text : NULL;
}
"""
HINTS = """\
#pragma tunepass param COPIES: ordinal(1, 2, 4, 8) = 1
#pragma tunepass kernel sums_NUMBER(n = 4096, x: in int[n], y: inout int[n]) sizes()
void sums_NUMBER(int n, const int *x, int *y)
{
    #pragma tunepass hint unroll(COPIES)
    for (int i = 0; i < n; i++)
        y[i] += x[i] * NUMBER;
    for (int i = 0; i < n; i++)
        y[i] ^= 3;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--compiler", choices=sorted(REPORTS), default="gcc")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3, help="of each file and way; the first is not counted")
    parser.add_argument(
        "--python", default=sys.executable, help="with an installed tunepass, for cc (default: this one)"
    )
    parser.add_argument("--hints", type=int, default=20, help="files with hints")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        compiler: str = options.compiler
        macros = [project_file(folder, compiler, MACROS, i, "TILE", TILES) for i in range(options.files)]
        hints = [project_file(folder, compiler, HINTS, i, "COPIES", (2, 4, 8)) for i in range(options.hints)]
        Lock({f"{name}::{kernel}": entry for name, kernel, entry, _ in (*macros, *hints)}).write(
            folder / "tunepass.lock"
        )
        (folder / "tools").mkdir()
        build_plugin(compiler, compiler, folder / "tools" / "tunepass.so")
        write_choices(folder)
        for name, *_ in macros:
            write_text(folder / f"{name}.h", flags_file(folder / name, "include").text)
        wrapper = [options.python, "-m", "tunepass", "cc"]
        print_project(folder, compiler, [(name, word) for name, _, _, word in macros], options.turns, wrapper)
        print_hints(folder, compiler, [name for name, *_ in hints], wrapper)


def project_file(
    folder: Path, compiler: str, text: str, number: int, parameter: str, values: Sequence[int]
) -> tuple[str, str, Entry, str]:
    """A source that is written; its name, its kernel, the entry of its lock and the word that says its choice."""
    name = f"{parameter.lower()}{number}.c"
    (folder / name).write_text(text.replace("NUMBER", str(number)))
    kernel = load(folder / name)
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    value = values[number % len(values)]
    identity = backend_for(kernel, Target(compiler=(compiler, *FLAGS))).identity(space)
    told = LockedObjective(name="time", default=2.0, chosen=1.0, gain=2.0, interval=(1.9, 2.1), evaluations=3)
    return name, kernel.name, Entry(Configuration({parameter: value}), told, identity), f"-D{parameter}={value}"


def print_project(
    folder: Path, compiler: str, sources: Sequence[tuple[str, str]], turns: int, wrapper: Sequence[str]
) -> None:
    environment = {
        **os.environ,
        "TUNEPASS_CC": compiler,
        "TUNEPASS_CACHE": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    spent: dict[str, list[float]] = {}
    same = dict.fromkeys(("-include", "plugin", "cc"), 0)
    for name, word in sources:
        ways = {
            "alone": [compiler, word],
            "-include": [compiler, "-include", f"{name}.h"],
            "plugin": [compiler, "-fplugin=tools/tunepass.so"],
            "cc": wrapper,
        }
        lowest = dict.fromkeys(ways, float("inf"))
        made = {}
        for turn in range(turns):
            for way, words in ways.items():
                ms = cpu_ms([*words, *FLAGS, "-c", name, "-o", "made.o"], folder, environment)
                lowest[way] = min(lowest[way], ms) if turn else lowest[way]
                made[way] = (folder / "made.o").read_bytes()
        for way in ways:
            spent.setdefault(way, []).append(lowest[way])
        for way in same:
            same[way] += made[way] == made["alone"]
    alone = statistics.mean(spent["alone"])
    print(f"{len(sources)} files, {' '.join((compiler, *FLAGS))} -c; the compiler alone: {alone:.1f} CPU ms a file")
    for way, count in same.items():
        beyond = statistics.mean(spent[way]) - alone
        bound = f" (bound {BOUND_MS[way]:g})" if way in BOUND_MS else ""
        print(f"  {way:9} {count} of {len(sources)} objects identical, {beyond:5.1f} ms a file beyond it{bound}")
    interpreter = min(cpu_ms([wrapper[0], "-c", ""], folder, environment) for _ in range(9))
    print(f"  python -c '' alone takes {interpreter:.1f} CPU ms")


def print_hints(folder: Path, compiler: str, names: Sequence[str], wrapper: Sequence[str]) -> None:
    environment = {**os.environ, "TUNEPASS_CC": compiler, "TUNEPASS_CACHE": str(folder / "cache")}
    same, unrolled = 0, 0
    for name in names:
        by_plugin = loops([compiler, "-fplugin=tools/tunepass.so"], compiler, name, folder, environment)
        same += by_plugin == loops(wrapper, compiler, name, folder, environment)
        unrolled += any("unrolled" in line for line in by_plugin)
    print(
        f"  hints: {same} of {len(names)} files with the same {REPORTS[compiler][0]} by plugin and cc; "
        f"{unrolled} are unrolled"
    )


def loops(words: Sequence[str], compiler: str, name: str, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Line and message of each optimised loop; the columns are those of the text that was compiled. Of clang messages
    alone: it finds no place in a text with lines of another file, which `tunepass cc` gives it."""
    option, mark = REPORTS[compiler]
    command = [*words, *FLAGS, option, "-c", name, "-o", "made.o"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    lines = [line.split(":", 3) for line in done.stderr.splitlines() if mark in line]
    return sorted(message if compiler == "clang" else f"{line}:{message}" for _, line, _, message in lines)


def cpu_ms(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    """Of user and system, the process and its children."""
    child = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, words
    return (usage.ru_utime + usage.ru_stime) * 1e3


if __name__ == "__main__":
    main()
