"""Replays whose seeds other processes run, against the same recorded files."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.evaluators.recorded.replay import ReplayReport, ReplayRun, replay
from tunepass.evaluators.recorded.table import recorded_files
from tunepass.executors.base import Executor
from tunepass.files import cannot_read
from tunepass.jobs.transfer import table_source
from tunepass.search.prior import together
from tunepass.study.task import Factory
from tunepass.study.trust import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """Arguments of a replay: a recorded space, a strategy, and the seeds."""

    recorded: str
    strategy: str
    surrogate: str | None
    max_evals: int
    seeds: tuple[int, ...]
    objectives: tuple[str, ...] = ()
    noise: bool = False
    transfer_from: tuple[str, ...] = ()


def replay_seeds(request: ReplayRequest) -> ReplayReport:
    """All seeds, one after the other."""
    sources = [table_source(path) for path in request.transfer_from]
    return replay(
        request.recorded,
        strategy_named(request.strategy, request.surrogate),
        request.max_evals,
        request.seeds,
        objectives=request.objectives,
        noise=request.noise,
        source=together([source.prior for source in sources]),
        transfer=" and ".join(source.name for source in sources) or None,
    )


def replay_elsewhere(request: ReplayRequest, executor: Executor) -> ReplayReport:
    """Each seed by a worker of the executor, which has the same files at the same paths.

    Raises:
        TunepassError: a file cannot be read here, or is another one there.
    """
    sources = tuple(os.path.abspath(path) for path in request.transfer_from)
    located = replace(request, recorded=os.path.abspath(request.recorded), transfer_from=sources)
    digests = {str(path): _digest(path) for path in _files(located)}

    def tasks() -> Iterator[str]:
        for seed in request.seeds:
            yield json.dumps({"request": {**asdict(located), "seeds": [seed]}, "files": digests})

    with executor.workers() as spread:
        reports = [_decoded(answer) for answer in spread(replay_of_seed, tasks())]
    return replace(reports[0], runs=tuple(run for report in reports for run in report.runs))


def replay_of_seed(task: str) -> str:
    """In another process: the report of one seed."""
    fields = json.loads(task)
    for name, digest in fields["files"].items():
        _check_same(Path(name), digest)
    arguments = fields["request"]
    lists = {name: tuple(arguments[name]) for name in ("seeds", "objectives", "transfer_from")}
    return json.dumps(replay_seeds(ReplayRequest(**{**arguments, **lists})).to_dict())


def strategy_named(strategy: str, surrogate: str | None) -> str | Factory:
    """A strategy's name; with a surrogate, `bayesian` or `hypervolume` that fits it."""
    if surrogate is None:
        return strategy
    from tunepass.strategies.bo.bayesian import bayesian_with
    from tunepass.strategies.bo.hypervolume import hypervolume_with

    return (bayesian_with if strategy == "bayesian" else hypervolume_with)(surrogate)


def _files(request: ReplayRequest) -> list[Path]:
    return [file for path in (request.recorded, *request.transfer_from) for file in recorded_files(path)]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise cannot_read(path, error, StudyError) from None


def _check_same(path: Path, digest: str) -> None:
    if not path.is_file() or _digest(path) != digest:
        kind = "another file" if path.is_file() else "no file"
        raise TunepassError(
            f"{socket.gethostname()} has {kind} {path}: workers replay from their own copy of the recorded files",
            hint="copy them to the same path, or use a shared folder",
        )


def _decoded(text: object) -> ReplayReport:
    """Raises TunepassError for an answer that is none."""
    try:
        fields = json.loads(text) if isinstance(text, str) else {}
        runs = tuple(_run(run) for run in fields["runs"])
        return ReplayReport(**{**fields, "runs": runs, "objectives": tuple(fields["objectives"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TunepassError(
            "a worker's replay cannot be read", hint="install the same version of tunepass everywhere"
        ) from None


def _run(fields: dict[str, object]) -> ReplayRun:
    trust = fields["trust"]
    if isinstance(trust, dict):
        trust = Trust(**{**trust, "shares": tuple(trust["shares"])})
    series: dict[str, object] = {name: tuple(fields[name]) for name in ("best_so_far", "strategy_s")}  # type: ignore[arg-type]
    return ReplayRun(**{**fields, **series, "trust": trust})  # type: ignore[arg-type]
