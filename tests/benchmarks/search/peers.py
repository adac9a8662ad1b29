"""What other tuners did on the same problems: their recorded runs, `results/<suite>.<table>.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tests.benchmarks.search.runs import Run, share

FEWER_STARTS = "baco_3k"  # BaCO with fewer starts of its local search, where permutations make all of them too slow


@dataclass(frozen=True, slots=True)
class Peer:
    """Runs of one tuner on one problem; `failed` is a share of all evaluations, not known one by one."""

    runs: tuple[Run, ...]
    failed: float
    failures_a_run: float
    evals: int
    seconds: float  # median a suggestion


@lru_cache(maxsize=64)
def recorded(peers: Path, problem: str, optimum: float) -> dict[str, Peer]:
    """Peers by name; BaCO's runs go by `baco` with any number of starts."""
    path = peers / "results" / f"rec.{problem.replace('/', '.')}.json"
    if not path.exists():
        return {}
    stated = json.loads(path.read_text(encoding="utf-8"))["peers"]
    return {"baco" if name == FEWER_STARTS else name: _peer(runs, optimum) for name, runs in stated.items() if runs}


def _peer(stated: list[dict[str, object]], optimum: float) -> Peer:
    runs, failed, evals, seconds = [], [], [], []
    for entry in stated:
        best = entry["best"]
        assert isinstance(best, list)
        shares = [0.0 if value is None else share(float(value), optimum) for value in best]
        runs.append(Run(int(str(entry["seed"])), shares, [], []))
        failed.append(float(str(entry["failed"])))
        evals.append(int(str(entry["evaluations"])))
        seconds.append(float(str(entry["median_seconds_per_suggestion"])))
    total = sum(failed) / sum(evals)
    return Peer(tuple(runs), total, sum(failed) / len(failed), max(evals), sorted(seconds)[len(seconds) // 2])
