"""How many functions of other people's sources for synthesis are read, priced and written back.

    python -m tests.benchmarks.bench_hls_files FOLDER... [--draws N] [--every K] [--json FILE]

A function counts that no other of its file calls, outside hosts and test benches, which are told by their names.

read      it becomes a kernel whose scalars are not known; `without a guess`: with no warning
priced    the model gives it cycles and resources
knobs     its file has numbers in pragmas; they become parameters
to choose that, or a loop with braces in the function, which is then to be unrolled
emitted   the file with these knobs is emitted with random values, read again, and has the price of these values, to the
          bit
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from tests.benchmarks.hls.knobbed import kernel_of, knobbed, price_as_written, round_trip
from tunepass.diagnostics import Diagnostic, Source, TunepassError
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.kernel import Stated, read_kernel
from tunepass.frontends.hls.file import HlsFile
from tunepass.frontends.hls.knobs import expressions, factor_parameter, knobs_of, mode_parameter

SUFFIXES = (".c", ".cc", ".cpp", ".cl")
HOSTS = re.compile(
    r"_test\.|^test_|_tb\.|host|^main\.|support|generate|harness|testbench|check_|utils|xcl|cmdline|logger|bitmap"
    r"|simplebmp|opencl",
    re.IGNORECASE,
)
HOST_FOLDERS = re.compile(r"/(?:common|sdsoc|sw|utils|imageLib|minizip)/")
STEPS = ("read", "without a guess", "priced", "knobs", "to choose", "emitted")


@dataclass(slots=True)
class Result:
    """How far one function got; `problem` says what stopped it."""

    folder: str
    file: str
    function: str
    passed: list[str] = field(default_factory=list)
    problem: str = ""
    guesses: list[str] = field(default_factory=list)


def sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        host = HOSTS.search(path.name) or HOST_FOLDERS.search(str(path))
        if path.suffix in SUFFIXES and path.is_file() and (path.suffix == ".cl" or not host):
            yield path


def tops(file: HlsFile) -> list[Function]:
    everything = file.unit.functions
    called = {t.text for f in everything for t in f.tokens}
    own = (f for f in everything if not (f.record or f.template or f.in_header))
    return [f for f in own if f.name.text not in called and f.name.text != "main"]


def results(path: Path, folder: Path, draws: int) -> Iterator[Result]:
    name = str(path.relative_to(folder))
    source = Source(str(path), path.read_text(encoding="utf-8-sig", errors="replace"))
    try:
        file = HlsFile.read(source, (), {})
        functions = tops(file)
    except TunepassError as error:
        yield Result(folder.name, name, "", problem=_told(error))
        return
    for function in functions:
        result = Result(folder.name, name, function.name.text)
        try:
            _follow(result, source, file, function, draws)
        except TunepassError as error:
            result.problem = _told(error)
        except Exception as error:
            result.problem = f"internal error: {type(error).__name__}: {error}"
        yield result


def _follow(result: Result, source: Source, file: HlsFile, function: Function, draws: int) -> None:
    """Raises TunepassError at the first step that the function does not pass."""
    warnings: list[Diagnostic] = []
    knobs = knobs_of(file.pragmas, source)
    made = {n: mode_parameter(k) if k.kind == "mode" else factor_parameter(k, None) for n, k in knobs.items()}
    values = expressions({name: parameter.type for name, parameter in made.items()})
    dialect = file.dialect_of(function)
    read = read_kernel(file, function, dialect, values, Stated(), warnings)
    result.passed.append("read")
    result.guesses = sorted({re.sub(r"`[^`]*`", "`…`", w.message) for w in warnings})
    if not warnings:
        result.passed.append("without a guess")
    price_as_written(read.body)
    result.passed.append("priced")
    annotated = knobbed(source, function)
    if annotated.numbers:
        result.passed.append("knobs")
    kernel = kernel_of(Source(source.name, annotated.text), function.name.text) if annotated.knobs else None
    if kernel is None:
        return
    result.passed.append("to choose")
    result.problem = round_trip(kernel, function.name.text, draws, np.random.default_rng(0))
    if not result.problem:
        result.passed.append("emitted")


def _told(error: TunepassError) -> str:
    return str(error).splitlines()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--every", type=int, default=1, help="of the files, one in so many")
    parser.add_argument("--json", type=Path, help="where every function's result goes")
    given = parser.parse_args()
    everything: list[Result] = []
    began = time.monotonic()
    for folder in given.folders:
        found: list[Result] = []
        paths = list(sources(folder))[:: given.every]
        for path in paths:
            found += results(path, folder, given.draws)
        everything += found
        print(f"{folder.name}: {_line(found, len(paths))}")
        for text, times in Counter(r.problem for r in found if r.problem).most_common(5):
            print(f"  {times:4} {text}")
        for text, times in Counter(g for r in found for g in r.guesses).most_common(4):
            print(f"  {times:4} functions: {text}")
        sys.stdout.flush()
        if given.json:
            given.json.write_text(json.dumps([asdict(r) for r in everything]))
    print(f"all: {_line(everything, None)}, {time.monotonic() - began:.0f} s")


def _line(found: list[Result], files: int | None) -> str:
    passed = Counter(step for r in found for step in r.passed)
    with_knobs = sum("knobs" in r.passed and "emitted" in r.passed for r in found)
    in_files = "" if files is None else f" in {files} files"
    return (
        f"{len(found)} functions{in_files}, "
        + ", ".join(f"{passed[step]} {'with ' if step in ('knobs', 'to choose') else ''}{step}" for step in STEPS)
        + f" ({with_knobs} of those with knobs)"
    )


if __name__ == "__main__":
    main()
