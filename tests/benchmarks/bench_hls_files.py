"""How many functions of other people's sources for synthesis are read.

    python tests/benchmarks/bench_hls_files.py FOLDER...

A function counts that no other of its file calls: each is read as a kernel whose scalars are not known, its knobs at
what they are. Hosts, test benches and their helpers are left out by their names.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.diagnostics import Diagnostic, Source, TunepassError
from tunepass.frontends.c.scops.macro_expansion import ExpansionError
from tunepass.frontends.c.scops.preprocessing import Headers
from tunepass.frontends.c.syntax.lexical import scan
from tunepass.frontends.hls.body.kernel import Stated, read_kernel
from tunepass.frontends.hls.knobs import expressions, factor_parameter, knobs_of, mode_parameter
from tunepass.frontends.hls.syntax.files import read_file
from tunepass.frontends.hls.syntax.preprocess import preprocess
from tunepass.frontends.hls.syntax.tree import File, Function
from tunepass.frontends.hls.syntax.walk import dialect_of

SUFFIXES = (".c", ".cc", ".cpp", ".cl")
HOSTS = re.compile(
    r"_test\.|^test_|_tb\.|host|^main\.|support|generate|harness|testbench|check_|utils|xcl|cmdline|logger|bitmap"
    r"|simplebmp|opencl",
    re.IGNORECASE,
)
HOST_FOLDERS = re.compile(r"/(?:common|sdsoc|sw|utils|imageLib|minizip)/")


@dataclass(slots=True)
class Counts:
    files: int = 0
    read: int = 0
    functions: int = 0
    without_a_guess: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    guesses: Counter[str] = field(default_factory=Counter)


def sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        host = HOSTS.search(path.name) or HOST_FOLDERS.search(str(path))
        if path.suffix in SUFFIXES and path.is_file() and (path.suffix == ".cl" or not host):
            yield path


def tops(file: File) -> list[Function]:
    everything = [f for functions in file.functions.values() for f in functions]
    called = {t.text.partition("<")[0] for f in everything for t in f.body}
    own = (f for f in everything if not (f.record or f.template or f.name.made))
    return [f for f in own if f.name.text not in called and f.name.text != "main"]


def count(path: Path, counts: Counts) -> None:
    counts.files += 1
    source = Source(str(path), path.read_text(encoding="utf-8", errors="replace"))
    try:
        scanned = scan(source)
        file = read_file(source, preprocess(scanned, Headers(), frozenset()).tokens)
        knobs = knobs_of(file.pragmas, source)
    except (TunepassError, ExpansionError) as error:
        counts.problems[str(error).splitlines()[0]] += 1
        return
    made = {n: mode_parameter(k) if k.kind == "mode" else factor_parameter(k, None) for n, k in knobs.items()}
    values = expressions({name: parameter.type for name, parameter in made.items()})
    for function in tops(file):
        counts.functions += 1
        warnings: list[Diagnostic] = []
        try:
            read_kernel(file, function, dialect_of(file, function, path.suffix), values, Stated(), warnings)
        except TunepassError as error:
            counts.problems[str(error).splitlines()[0]] += 1
            continue
        counts.read += 1
        counts.without_a_guess += not warnings
        counts.guesses.update(re.sub(r"`[^`]*`", "`…`", w.message) for w in warnings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        counts = Counts()
        for path in sources(folder):
            count(path, counts)
        print(
            f"{folder.name}: {counts.read} of {counts.functions} functions in {counts.files} files are read, "
            f"{counts.without_a_guess} of them without a guess"
        )
        for text, times in (*counts.problems.most_common(5), *counts.guesses.most_common(4)):
            print(f"  {times:4} {text}")


if __name__ == "__main__":
    main()
