"""Exact search whose shares other processes evaluate: each makes the kernel from text, and finds its shares' fronts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tunepass.diagnostics import TunepassError
from tunepass.evaluators.elsewhere import MeasuresElsewhere
from tunepass.exact.enumeration import enumerated_space
from tunepass.exact.running_front import RunningFront
from tunepass.exact.shares import EnumeratedSpace, FrontsOfShares, ShareFront
from tunepass.executors.base import Executor
from tunepass.jobs.elsewhere import measured_elsewhere
from tunepass.jobs.job import Job
from tunepass.jobs.spreading.kernels import job_of, text_of
from tunepass.passes.base import Compilation
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import problem_of
from tunepass.search.exact import sharing_solver
from tunepass.search.options import SearchOptions
from tunepass.space.space import Space


def placed_elsewhere(job: Job, options: SearchOptions, words: Sequence[str] | None) -> Job:
    """The job as the processes of the options' executor evaluate it, where it has any. Raises TunepassError where they
    have no part in it."""
    executor, strategy = options.executor, options.strategy
    elsewhere = isinstance(executor, Executor) and isinstance(executor, MeasuresElsewhere)
    if job.backend.measures or not (elsewhere and options.names_exact_solver and isinstance(strategy, str)):
        return measured_elsewhere(job, executor, words)
    assert isinstance(executor, Executor)
    fronts = fronts_elsewhere(job, executor, words, strategy, limited=True, extrapolate=options.extrapolate)
    return replace(job, fronts=fronts)


def fronts_elsewhere(
    job: Job, executor: Executor, words: Sequence[str] | None, strategy: str, *, limited: bool, extrapolate: bool
) -> FrontsOfShares:
    """Has the workers of an executor find the fronts of shares.

    Args:
        job: the kernel, which a model prices.
        executor: whose workers do it.
        words: those that the source was parsed with.
        strategy: the exact solver.
        limited: whether the space has the backend's limits as constraints, as `build` searches it.
        extrapolate: whether the front may have points beyond what the model was fitted to.

    Raises:
        TunepassError: the solver works in one process alone.
    """
    sharing_solver(strategy)
    problem = json.dumps({"job": text_of(job, words), "limited": limited, "extrapolate": extrapolate})

    def fronts(shares: Iterable[range]) -> Iterator[ShareFront]:
        pending: list[range] = []

        def tasks() -> Iterator[str]:
            for share in shares:
                pending.append(share)
                yield json.dumps({"problem": problem, "first": share.start, "end": share.stop})

        with executor.workers() as spread:
            for answer in spread(front_of_share, tasks()):
                yield _decoded(answer, pending.pop(0), len(job.objectives))

    return fronts


def front_of_share(task: str) -> str:
    """In another process: the front of one share, as `{"numbers": [...], "losses": [[...], ...]}`."""
    fields = json.loads(task)
    space = _enumerated(fields["problem"])
    front = space.front(range(fields["first"], fields["end"]), RunningFront(space.objectives))
    return json.dumps({"numbers": front.numbers.tolist(), "losses": front.losses.tolist()})


@lru_cache(maxsize=4)
def _enumerated(text: str) -> EnumeratedSpace:
    fields = json.loads(text)
    job = job_of(fields["job"])
    costs = job.backend.costs()
    if costs is None:
        raise TunepassError(f"{job.key}: no model prices it here")
    problem = problem_of(costs, job.objectives, extrapolate=fields["extrapolate"])
    space = _limited(job) if fields["limited"] else job.space
    return enumerated_space(space, problem.objectives, problem.constraints)


def _limited(job: Job) -> Space:
    """The space that `build` searches."""
    before = Compilation(kernel=job.kernel, space=job.space)
    space = PruneSpace(lambda kernel: job.backend.limits()).run(before).space
    assert space is not None
    return space


def _decoded(text: object, share: range, objectives: int) -> ShareFront:
    """Raises TunepassError for an answer that is none."""
    try:
        fields = json.loads(text) if isinstance(text, str) else {}
        numbers = np.array(fields["numbers"], dtype=np.int64).reshape(-1)
        losses = np.array(fields["losses"], dtype=np.float64).reshape(len(numbers), objectives)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        numbers, losses = np.array([-1]), np.array([[np.nan]])
    if not (np.isfinite(losses).all() and (numbers >= share.start).all() and (numbers < share.stop).all()):
        raise TunepassError(
            "a worker's front of a share cannot be read", hint="install the same version of tunepass everywhere"
        )
    return ShareFront(numbers, losses)
