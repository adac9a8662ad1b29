"""One kernel to build: what it depends on, what the lock says of it, and how its choice is found."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.jobs.compiled import evaluators_for
from tunepass.jobs.history import history_of
from tunepass.jobs.identity import identity_of, lock_key
from tunepass.jobs.reading import emit
from tunepass.jobs.transfer import NONE, Target, Transfer, transfer
from tunepass.passes.apply_schedule import ApplySchedule
from tunepass.passes.base import Compilation, Pipeline
from tunepass.passes.emit import Emit
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search, Watch
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.lock.lock import Entry, Lock, LockedObjective
from tunepass.study.objective import Objective
from tunepass.tuning.objectives import INSTRUCTIONS, of_kernel, picked
from tunepass.tuning.result import Found, Gain


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to search. `command` is the compiler and its words."""

    command: tuple[str, ...]
    store: Path
    strategy: str = "auto"
    seed: int = 0
    budget_s: float | None = None
    max_evals: int | None = None
    jobs: int = 1
    sanitize: bool = False
    objectives: tuple[str, ...] = ()
    pick: str | None = None
    transfer_from: str | None = None  # PATH[:STUDY] or "none"; None: the nearest earlier study of the kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A kernel with its space, its identity now, and its entry in the lock, if it has one."""

    kernel: Kernel
    space: Space
    identity: Identity
    objective: Objective  # the one the choice is to be the best of
    entry: Entry | None

    @property
    def key(self) -> str:
        return lock_key(self.kernel.source.name, self.kernel.name)

    def misfits(self) -> list[str]:
        """Why the lock's choice cannot stand as it is, a line a reason; none: it can."""
        if self.entry is None:
            return [f"{self.key} is not in the lock"]
        found = self.entry.identity.changes(self.identity)
        if self.entry.objective.name != self.objective.name:
            found.append(f"objective: {self.entry.objective.name} -> {self.objective.name}")
        if not self.choice_is_possible:
            found.append("choice: the locked choice is not a configuration of the space")
        return found

    @property
    def choice_is_possible(self) -> bool:
        if self.entry is None or set(self.entry.choice) != {p.name for p in self.space.parameters}:
            return False
        return self.space.contains(self.entry.choice)


def prepare(kernel: Kernel, command: tuple[str, ...], lock: Lock, names: tuple[str, ...], pick: str | None) -> Job:
    """Nothing is run but the compiler's `--version`. `names` are of objectives to search for, `pick` the first of them
    unless it says otherwise."""
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    return Job(
        kernel=kernel,
        space=space,
        identity=identity_of(kernel, space, command),
        objective=picked(of_kernel(kernel, names), pick),
        entry=lock.entries.get(lock_key(kernel.source.name, kernel.name)),
    )


def locked_names(entry: Entry | None, kernel: Kernel) -> tuple[str, ...]:
    """What the entry was searched for, to look at it again; nothing when the kernel no longer measures that."""
    known = {o.name for o in of_kernel(kernel)} | (
        {INSTRUCTIONS.name} if isinstance(kernel.body, CKernel) and kernel.body.call else set()
    )
    return (entry.objective.name,) if entry and entry.objective.name in known else ()


def recall(job: Job, store: Path) -> Found:
    """The choice as the lock records it, with the trials the store still has."""
    if job.entry is None:
        raise TunepassError(f"{job.key} is not in the lock")
    locked = job.entry.objective
    try:
        history = history_of(store, job.identity, job.objective.name)
    except StudyError:  # a folder that cannot be written, say: the lock alone tells the choice
        history = None
    gain = Gain(
        objective=replace(job.objective, unit=locked.unit),
        default=locked.default,
        chosen=locked.chosen,
        gain=locked.gain,
        interval=locked.interval,
    )
    return Found(
        choice=job.entry.choice,
        default=job.space.default,
        objectives=(job.objective,),
        gains=(gain,),
        pareto=history.pareto if history else (),
        trials=history.trials if history else (),
        trial_count=locked.evaluations,
        origin=history.origin if history else None,
    )


def transfer_to(job: Job, settings: Settings) -> Transfer | None:
    """What the search starts from besides nothing. Several objectives have no prior mean."""
    objectives = of_kernel(job.kernel, settings.objectives)
    if len(objectives) > 1:
        if settings.transfer_from not in (None, NONE):
            names = ", ".join(o.name for o in objectives)
            raise TunepassError(f"--transfer-from guides the search for one objective, not for {names}")
        return None
    target = Target(
        key=job.key,
        study=study_name(job, tuple(o.name for o in objectives)),
        space=job.space,
        objective=objectives[0],
        identity=job.identity.texts(),
    )
    return transfer(target, settings.store, settings.transfer_from)


def search(job: Job, settings: Settings, watch: Watch, source: Transfer | None = None) -> Found:
    """Run the standard pipeline on the kernel. An interrupted search is marked, so that the next build resumes it."""
    objectives = tuple(o.name for o in of_kernel(job.kernel, settings.objectives))
    step = Search(
        evaluators=evaluators_for(settings.command, count=objectives == (INSTRUCTIONS.name,)),
        objectives=objectives,
        pick=settings.pick,
        strategy=settings.strategy,
        seed=settings.seed,
        max_evals=settings.max_evals,
        budget_s=settings.budget_s,
        jobs=settings.jobs,
        sanitize=settings.sanitize,
        prior_mean=source.prior if source else None,
        origin=source.origin if source else None,
        store=f"sqlite:///{settings.store}",
        study=study_name(job, objectives),
        identity=job.identity.texts(),
        watch=watch,
    )
    marker = unfinished(settings.store, job)
    result = Pipeline((ExtractSpace(), PruneSpace(), step, ApplySchedule(), Emit(emit))).run(job.kernel)
    if result.found.interrupted:
        marker.touch()
    else:
        marker.unlink(missing_ok=True)
    return replace(result.found, warnings=(*result.found.warnings, *source.warnings)) if source else result.found


def unfinished(store: Path, job: Job) -> Path:
    """A file beside the store that stands for an interrupted search of this kernel at this identity."""
    return store.parent / f"interrupted-{_digest(job.key, job.objective.name, *job.identity.texts().values())}"


def study_name(job: Job, objectives: tuple[str, ...]) -> str:
    """`matmul.c::matmul@0123456789ab`: what people look for, and what tells its identities apart."""
    return f"{job.key}@{_digest(*job.identity.texts().values(), *objectives)}"


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def entry_for(job: Job, found: Found, pick: str = "") -> Entry | None:
    """The lock's entry for what was found; None when nothing was measured. `pick`: see LockedObjective."""
    gain = next((g for g in found.gains if g.objective.name == job.objective.name), None)
    if gain is None:
        return None
    locked = LockedObjective(
        name=gain.objective.name,
        unit=gain.objective.unit,
        default=gain.default,
        chosen=gain.chosen,
        gain=gain.gain,
        interval=gain.interval,
        evaluations=found.trial_count,
        pick=pick,
    )
    return Entry(found.choice, locked, job.identity)
