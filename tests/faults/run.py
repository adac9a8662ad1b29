"""Lets calls fail in commands, and checks how they end: with a documented status and a line that says what failed.

    python -m tests.faults.run [--runs 2000] [--target NAME] [--seed 0] [--parallel 2]
    python -m tests.faults.run --only TARGET:CALL/ROLE/NTH/ERROR [--only ...]

`make faults` runs it. Each run has one fault: a call, the role that makes it, its number, and an error; the numbers are
drawn from those that a run without faults counts. In one of four all later calls fail as well, as on a full disk. Ends
with status 0 when nothing is complained of.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from errno import errorcode
from pathlib import Path

from tests.brief_rounds import shorten_rounds
from tests.faults.injecting import ERRORS, EVER, Fault, compiled_library, preloaded
from tests.faults.targets import TARGETS, Place, complaints
from tests.program import load_everything

SHARES = {"application": 10, "kernel": 3, "cc": 4, "verify": 2, "serve": 1}
PERSISTING = 0.25  # of the faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--target", choices=list(TARGETS))
    parser.add_argument("--only", action="append", help="one fault, as a complaint names it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tunepass-faults-") as folder:
        if "LD_PRELOAD" not in os.environ:
            library = compiled_library(Path(folder))
            words = [sys.executable, "-m", "tests.faults.run", *sys.argv[1:]]
            return subprocess.run(words, env=preloaded(library), check=False).returncode
        if options.parallel > 1 and not options.only:
            return in_parallel(options)
        load_everything()
        shorten_rounds()
        return inject(options, Path(folder))


def in_parallel(options: argparse.Namespace) -> int:
    """The same by several processes, each with its share of the runs and a seed of its own."""
    share = -(-options.runs // options.parallel)
    words = [sys.executable, "-m", "tests.faults.run", "--parallel", "1", "--runs", str(share)]
    words += ["--target", options.target] if options.target else []
    words += ["--verbose"] if options.verbose else []
    started = [subprocess.Popen([*words, "--seed", str(options.seed + i)]) for i in range(options.parallel)]
    return max([process.wait() for process in started])


def inject(options: argparse.Namespace, folder: Path) -> int:
    rng, began = random.Random(options.seed), time.monotonic()
    given = [(name, Fault.parse(text)) for name, _, text in (word.partition(":") for word in options.only or ())]
    faults = iter(given) if given else drawn(rng, folder, options.target)
    runs, bad, hit, parts = len(given) or options.runs, 0, Counter[str](), list[str]()
    for number in range(runs):
        name, fault = next(faults)
        place = template(folder, name).copy(folder / str(number))
        found, done = complaints(place, fault)
        failed = done.record is not None and done.record.failed > 0
        hit["failed" if failed else "not reached"] += 1
        hit[f"status {done.status}"] += failed
        parts += [f"target {name}", f"call {fault.call}", f"error {errorcode[fault.error]}"] if failed else []
        bad += bool(found)
        if found or options.verbose or options.only:
            what = done.record.what if done.record else ""
            verdict = f"COMPLAINT: {'; '.join(found)}" if found else "fine"
            print(f"{name}:{fault} [{what}] status {done.status}: {verdict}")
            print("".join(f"    {line}\n" for line in done.err.splitlines()[-25:]), flush=True)
        shutil.rmtree(place.path, ignore_errors=True)
        if number % 50 == 49:
            print(f"... {number + 1} runs in {time.monotonic() - began:.0f} s, {bad} complaints", flush=True)
    counts = ", ".join(f"{key} {count}" for key, count in sorted(hit.items()))
    print(f"{runs} runs in {time.monotonic() - began:.0f} s: {bad} complaints; {counts}", flush=True)
    if not given:
        print("\n".join(f"  {part}: {count}" for part, count in sorted(Counter(parts).items())), flush=True)
    return 1 if bad else 0


def drawn(rng: random.Random, folder: Path, only: str | None) -> Iterator[tuple[str, Fault]]:
    """Faults without end: of the calls of each role of a target, at a number drawn from those that it makes."""
    names = [only] if only else [name for name, share in SHARES.items() for _ in range(share)]
    counts: dict[str, Mapping[tuple[str, str], int]] = {}
    while True:
        name = rng.choice(names)
        if name not in counts:
            counts[name] = counted(folder, name)
        role = rng.choice(TARGETS[name].roles)
        made = {call: count for (who, call), count in counts[name].items() if who == role and count}
        call = rng.choice(list(made))
        times = EVER if rng.random() < PERSISTING else 1
        yield name, Fault(call, role, rng.randint(1, made[call]), times, rng.choice(ERRORS[call]))


def template(folder: Path, name: str) -> Place:
    """The target's folder, prepared once for all targets that are prepared alike."""
    target = TARGETS[name]
    first = next(other.name for other in TARGETS.values() if other.prepared_as(target))
    path = folder / f"template-{first}"
    return Place(path, target) if path.exists() else Place.make(path, target)


def counted(folder: Path, name: str) -> Mapping[tuple[str, str], int]:
    """How often a run without faults makes each call, by role."""
    place = template(folder, name).copy(folder / "counted")
    try:
        done = place.run(fault=Fault("open", "tunepass", 0))
        assert done.status == 0 and done.record is not None, done.err
        return done.record.made
    finally:
        shutil.rmtree(place.path, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
