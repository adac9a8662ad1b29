"""Locks: as they are written, rewritten by another hand, and damaged; read whole and as `cc` reads one entry."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.mutation import ODD, mutated, mutated_bytes
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.space.configuration import Configuration
from tunepass.study.identity import Identity
from tunepass.study.lock.lock import Entry, Lock, LockedObjective

SAMPLE = seeds.ROOT / "samples" / "c" / "stencil.c"
KEYS = ("stencil.c::smooth", "a.c::f", "é.c::f", "a b.c::f", "../x.c::f", "/etc/passwd::f", "-o.c::f", "no", "1", "::")


def case(rng: random.Random) -> bytes:
    text = _written(rng)
    match rng.randrange(5):
        case 0:
            return text.encode("utf-8", "surrogateescape")
        case 1:
            return mutated_bytes(rng, text.encode("utf-8", "surrogateescape"), 10)
    texts = (*seeds.sources("lock"), text)
    return mutated(rng, rng.choice((text, *texts)), texts).encode("utf-8", "surrogatepass")


def check(path: Path) -> None:
    """Read, written and read again; and what a compiler is told."""
    shutil.copy(SAMPLE, path.with_name("stencil.c"))
    tuned_source(path.with_name("stencil.c"))
    lock = Lock.read(path)
    again = Lock.parse(lock.text())
    assert again.entries == lock.entries
    for key in lock.entries:
        assert Lock.parse(lock.without(key).text()).entries == lock.without(key).entries


def _written(rng: random.Random) -> str:
    lock = Lock()
    for key in rng.sample(KEYS, rng.randrange(len(KEYS))):
        lock = lock.with_entry(key, _entry(rng))
    return lock.text()


def _entry(rng: random.Random) -> Entry:
    choice = {"ROWS": 1, "COLUMNS": 1024, "SCHEDULE": "static", "CHUNK": 1, "OPT": "-O3"}
    if rng.random() < 0.5:
        choice = {rng.choice(("A", "no", "a b", "é", "x" * 300)): _value(rng) for _ in range(rng.randrange(4))}
    values = [rng.choice((1.5, 0.0, -1.0, 1e300, 1e-300)) for _ in range(5)]
    objective = LockedObjective(
        name="time", default=rng.choice((None, values[0])), chosen=values[1], gain=rng.choice((None, values[2])),
        interval=rng.choice((None, (values[3], values[4]))), evaluations=rng.randrange(100),
    )  # fmt: skip
    flags = tuple(str(_value(rng)) for _ in range(rng.randrange(3)))
    return Entry(Configuration(choice), objective, Identity(source="sha256:1", space="sha256:2", flags=flags))


def _value(rng: random.Random) -> bool | int | float | str | tuple[int | str, ...]:
    text = rng.choice([odd for odd in ODD if odd.isprintable()])
    return rng.choice((True, 3, -1, 2**70, 0.5, 1e300, text, "no", "1e3", "0x1f", "12:30", ("i", "j"), (1, 0)))
