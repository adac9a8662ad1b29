"""One search of one problem from one seed, kept in a folder so that a benchmark that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from tests.benchmarks.search import variants
from tests.benchmarks.search.problems import Problem, problem
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

ROOT = Path(__file__).parents[3]
CODE = ("acquisition", "expr", "space", "strategies", "study", "surrogates")  # what a suggestion can depend on


@dataclass(frozen=True, slots=True)
class Places:
    """`data`: the recorded tables; `kept`: where runs and fitted models are kept."""

    data: Path
    kept: Path


@dataclass(frozen=True, slots=True)
class Job:
    """`strategy` is a label of variants.py."""

    problem: str
    strategy: str
    seed: int
    evals: int


@dataclass(frozen=True, slots=True)
class Run:
    """After each evaluation: optimum over the best so far (0: nothing measured yet), whether it failed, and the CPU
    seconds of asking for it and telling it."""

    seed: int
    shares: list[float]
    failed: list[bool]
    seconds: list[float]

    def at(self, mark: int) -> float | None:
        """The share after `mark` evaluations; None where the run was shorter and not of a space it had exhausted."""
        return self.shares[mark - 1] if len(self.shares) >= mark else None


def search(subject: Problem, strategy: str, seed: int, evals: int) -> Run:
    study = Study(
        subject.space,
        [subject.objective],
        strategy=variants.factory(strategy),
        seed=seed,
        max_evals=evals,
        repeats=False,
    )
    best, shares, failed, seconds = None, list[float](), list[bool](), list[float]()
    while True:
        start = time.process_time()
        suggested = study.suggest(1)
        asked = time.process_time() - start
        if not suggested:
            break
        outcome = subject.outcome(suggested[0])
        start = time.process_time()
        study.observe(suggested[0], outcome)
        seconds.append(asked + time.process_time() - start)
        if isinstance(outcome, Measured):
            loss = subject.objective.loss(outcome.values[subject.objective.name])
            best = loss if best is None else min(best, loss)
        failed.append(not isinstance(outcome, Measured))
        shares.append(0.0 if best is None else share(best, subject.optimum))
    while len(shares) < evals:  # an exhausted space: its best is known
        shares.append(shares[-1])
        failed.append(False)
    return Run(seed, shares, failed, seconds)


def share(loss: float, optimum: float) -> float:
    """Optimum over best; best over optimum where larger values are better, whose losses are negative."""
    return optimum / loss if optimum > 0 else loss / optimum


def run(places: Places, jobs: Sequence[Job], processes: int, told: Callable[[str], None]) -> dict[Job, Run]:
    """Every job's run: those that are kept are read, the others computed and kept."""
    found = {job: kept for job in jobs if (kept := _read(_path(places, job))) is not None}
    missing = [job for job in jobs if job not in found]
    if missing:
        told(f"{len(found)} of {len(jobs)} runs are kept, {len(missing)} to go")
    if processes <= 1:
        for number, job in enumerate(missing, start=1):
            found[job] = _computed(places, job)
            if number % 50 == 0:
                told(f"{number} of {len(missing)}")
        return found
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        done = pool.map(_computed, [places] * len(missing), missing)
        return found | dict(zip(missing, done))


def _computed(places: Places, job: Job) -> Run:
    done = search(problem(places.data, job.problem, places.kept / "models"), job.strategy, job.seed, job.evals)
    path = _path(places, job)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(asdict(done)), encoding="utf-8")
    partial.replace(path)
    return done


def _read(path: Path) -> Run | None:
    return Run(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def _path(places: Places, job: Job) -> Path:
    table = hashlib.sha256((places.data / f"{job.problem.partition('+')[0]}.csv.gz").read_bytes()).hexdigest()
    parts = [code_version(), table, job.problem, variants.described(job.strategy), job.seed, job.evals]
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:20]
    return places.kept / "runs" / job.problem / job.strategy.replace("/", "-") / f"{job.seed}-{job.evals}-{key}.json"


@lru_cache(maxsize=1)
def code_version() -> str:
    """A digest of the code that a suggestion depends on, and of how the benchmark asks for it."""
    files = [path for folder in CODE for path in (ROOT / "tunepass" / folder).rglob("*.py")]
    files += [path for path in (ROOT / "native").rglob("*") if path.suffix in {".c", ".h"} and path.stem != "_native"]
    files += [*(ROOT / "tunepass/evaluators/recorded").glob("*.py"), Path(__file__).with_name("problems.py")]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
