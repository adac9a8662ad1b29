"""Claims and records a second of a store in SQLite and of one in PostgreSQL, by processes: `make bench-store`.

A process claims a configuration and records its outcome, as a build does. Each commit of an outcome waits for the disk.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

from tests.postgres_server import Server, missing
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.storage.store import Store
from tunepass.study.trial import Trial

TRIALS = 800  # of all processes together
OBJECTIVES = (Objective("time", unit="ms"),)


def work(url: str, first: int, count: int) -> None:
    """Claim and record as many configurations."""
    with Store(url) as store:
        study, _ = store.open_study("bench", "{}", OBJECTIVES, {})
        for i in range(first, first + count):
            (claimed,) = store.claim(study, [Configuration({"i": i})], limit=2 * TRIALS)
            store.record(study, Trial(0, claimed, Measured({"time": i / 7}), log="a warning\n" * 20))


def rate(url: str, processes: int) -> float:
    """Trials a second, after the store was made."""
    with Store(url) as store:
        store.open_study("bench", "{}", OBJECTIVES, {})
    each, begun = TRIALS // processes, time.perf_counter()
    workers = [multiprocessing.Process(target=work, args=(url, k * each, each)) for k in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - begun
    with Store(url) as store:
        assert store.studies()[0].trials == each * processes
    return each * processes / seconds


def main() -> None:
    print("| processes | store | claims and records a second |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for processes in (1, 4):
            print(f"| {processes} | SQLite | {rate(f'sqlite:///{Path(folder)}/{processes}.db', processes):,.0f} |")
    if missing():
        print(f"PostgreSQL: {missing()}")
        return
    server = Server(durable=True)
    try:
        for processes in (1, 4):
            print(f"| {processes} | PostgreSQL | {rate(server.database(), processes):,.0f} |")
    finally:
        server.remove()


if __name__ == "__main__":
    main()
