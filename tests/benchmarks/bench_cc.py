"""What `tunepass cc` adds to a compiler's call, in CPU time: with a lock that is used again, with one read for the
first time, and for a source without pragmas; and how long `tunepass --help` takes.

    python -m tests.benchmarks.bench_cc [--calls N]

A call's time is that of the process and its children, less that of the compiler called alone with the very words that
`tunepass cc` gave it. CPU time is measured, so other work on the machine matters little. Medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tunepass.backends.base import Target, backend_for
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.reading import load
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Entry, Lock, LockedObjective

SAMPLES = Path(__file__).parents[2] / "samples" / "c"
MACROS, LOOPS = "stencil.c", "matmul_auto.c"  # one's choice is macros and flags, the other's rewritten text
OTHERWISE = {MACROS: {"ROWS": 1, "COLUMNS": 64, "SCHEDULE": "static"}, LOOPS: {"TILE_j": 256, "SIMD": True}}
TUNEPASS = [sys.executable, "-m", "tunepass"]
CALLS = 15
LOGGING = '#!/bin/sh\nprintf "%s\\n" "$@" > words\nexec cc "$@"\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=CALLS, help="of each kind")
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = {**os.environ, "TUNEPASS_CACHE": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
        environment.pop("TUNEPASS_CC", None)
        lock(folder)
        (folder / "plain.c").write_text("int twice(int x) { return 2 * x; }\n")
        print(f"CPU ms beyond the compiler's, median of {calls} calls of tunepass cc -O2 -g -c")
        for source in (MACROS, LOOPS, "plain.c"):
            words = ["-O2", "-g", "-c", source, "-o", "made.o"]
            alone = cpu_ms(["cc", *compiler_words(folder, words, environment)], folder, environment, calls)
            call = [*TUNEPASS, "cc", *words]
            again = cpu_ms(call, folder, environment, calls) - alone
            first = cpu_ms(call, folder, environment, max(calls // 5, 3), lambda: forget(folder)) - alone
            print(f"  {source:15} remembered {again:5.1f}   first time {first:6.1f}   (compiler {alone:.1f})")
        print(f"  python -c ''    {cpu_ms([sys.executable, '-c', ''], folder, environment, calls):5.1f}")
        print(f"tunepass --help   {cpu_ms([*TUNEPASS, '--help'], folder, environment, calls):5.1f} CPU ms")


def lock(folder: Path) -> None:
    """Both samples, and a lock with a choice of each that is not its default, as a build leaves them."""
    entries = {}
    for name, other in OTHERWISE.items():
        (folder / name).write_text((SAMPLES / name).read_text())
        kernel = load(folder / name)
        space = ExtractSpace().run(Compilation(kernel=kernel)).space
        assert space is not None
        identity = backend_for(kernel, Target(compiler=("cc", "-O2"))).identity(space)
        choice = Configuration({**space.default, **other})
        told = LockedObjective(name="time", default=2.0, chosen=1.0, gain=2.0, interval=(1.9, 2.1), evaluations=3)
        entries[f"{name}::{kernel.name}"] = Entry(choice=choice, objective=told, identity=identity)
    Lock(entries).write(folder / "tunepass.lock")
    assert tuned_source(folder / MACROS).arguments and tuned_source(folder / LOOPS).text


def compiler_words(folder: Path, words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """What `tunepass cc` gives the compiler, said by one that writes it down. That of the second call: the first makes
    the file that stands for the source."""
    compiler = folder / "logging"
    compiler.write_text(LOGGING)
    compiler.chmod(0o755)
    for _ in range(2):
        call = [*TUNEPASS, "cc", *words]
        subprocess.run(call, cwd=folder, env={**environment, "TUNEPASS_CC": str(compiler)}, check=True)
    return (folder / "words").read_text().splitlines()


def cpu_ms(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    calls: int,
    before: Callable[[], None] = lambda: None,
) -> float:
    """Of user and system, the process and its children."""
    spent = []
    for call in range(-1, calls):  # the first fills caches
        before()
        child = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, words
        if call >= 0:
            spent.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(spent) * 1e3


def forget(folder: Path) -> None:
    """What is remembered of calls; the texts that stand for sources stay."""
    for path in (folder / "cache").glob("cc-*/*"):
        if path.is_file():
            path.unlink()


if __name__ == "__main__":
    main()
