"""Jobs that a model prices: what they depend on, how they are searched, and what their searches left in the store."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from tunepass.diagnostics import TunepassError, nearest
from tunepass.evaluators.model import ModelRun
from tunepass.exact.base import Certificate, Front, solver
from tunepass.ir.kernel import Kernel
from tunepass.jobs.history import History, history_named
from tunepass.jobs.identity import lock_key, source_hash
from tunepass.jobs.job import Job, Settings, recall, study_name
from tunepass.jobs.modelled import NO_RESTRICTIONS, Modelled, model_of, unrestricted
from tunepass.passes.base import Compilation, Pipeline
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.model_search import FrontOf, ModelSearch, gains_of
from tunepass.passes.search import Watch
from tunepass.registry import EXACT_SOLVERS, STRATEGIES
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.lock.lock import Entry, Lock
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash
from tunepass.tuning.picks import KNEE, objective_of
from tunepass.tuning.result import Found

WatchFront = Callable[[Certificate], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelJob(Job):
    """A job with its model. `pick` says what the choice is picked for, where that is no objective's best."""

    model: Modelled
    objectives: tuple[Objective, ...]
    pick: str = ""

    def misfits(self) -> list[str]:
        found = Job.misfits(self)
        if self.entry is not None and self.entry.objective.pick != self.pick:
            found.append(f"pick: {_shown(self.entry)} -> {self.pick or self.objective.name}")
        return found


def _shown(entry: Entry) -> str:
    return entry.objective.pick or entry.objective.name


def prepare_model(
    kernel: Kernel,
    lock: Lock,
    names: Sequence[str] = (),
    pick: str | None = None,
    device: str | None = None,
    restrict: bool | None = None,
) -> ModelJob:
    """The job of a kernel on a device. Without a device, and where `restrict` is None, as the lock says."""
    entry = lock.entries.get(lock_key(kernel.source.name, kernel.name))
    if restrict is None:
        restrict = entry is None or NO_RESTRICTIONS not in entry.identity.flags
    model = model_of(kernel if restrict else unrestricted(kernel), device or (entry.identity.device if entry else None))
    space = ExtractSpace().run(Compilation(kernel=model.kernel)).space
    assert space is not None
    objectives = model.objectives(names)
    return ModelJob(
        kernel=model.kernel,
        space=space,
        identity=Identity(
            source=source_hash(kernel.source.text),
            space=space_hash(space),
            compiler=f"fpga model {model.digest}",
            flags=() if restrict else (NO_RESTRICTIONS,),
            device=model.device.name,
        ),
        objective=objective_of(pick, objectives),
        entry=entry,
        model=model,
        objectives=objectives,
        pick=f"{KNEE} of {', '.join(o.name for o in objectives)}" if pick == KNEE else "",
    )


def locked_model(kernel: Kernel, lock: Lock) -> ModelJob:
    """The job as the lock has it: its device, its objective, its pick."""
    entry = lock.entries.get(lock_key(kernel.source.name, kernel.name))
    if entry is None:
        return prepare_model(kernel, lock)
    job = prepare_model(kernel, lock, (entry.objective.name,))
    return replace(job, pick=entry.objective.pick)


def history(job: ModelJob, store: Path) -> History | None:
    """What the store has of this job as it is now."""
    return history_named(store, _study(job))


def _study(job: ModelJob) -> str:
    return study_name(job, tuple(o.name for o in job.objectives))


def recall_model(job: ModelJob, store: Path) -> Found:
    """The locked choice, with the front that the store still has for these objectives."""
    found, known = recall(job, store), history(job, store)
    if known is None:
        return replace(found, pareto=(), trials=())
    by_configuration = {t.configuration: t for t in known.trials}
    chosen, default = by_configuration.get(found.choice), by_configuration.get(job.space.default)
    gains = gains_of(chosen, default, job.objectives) if chosen is not None and chosen.measured else found.gains
    return replace(found, objectives=job.objectives, gains=gains, pareto=known.pareto, trials=known.trials)


def check_strategy(name: str) -> None:
    """Raises TunepassError for a strategy that does not exist, before anything is done."""
    known = sorted({*STRATEGIES, *EXACT_SOLVERS})
    if name not in known:
        close = nearest(name, known)
        hint = f"did you mean {close!r}?" if close else f"there are {', '.join(known)}"
        raise TunepassError(f"no strategy {name!r}", hint=hint)


def search_model(job: ModelJob, settings: Settings, watch: Watch, watch_front: WatchFront) -> Found:
    """Run the pipeline of a model on the kernel; its trials are in the store."""
    model = job.model
    with stoppable(settings.budget_s) as stop:
        run = model_run(model, job.objectives)
        step = ModelSearch(
            evaluate=run,
            feasible=run.fits,
            objectives=job.objectives,
            pick=settings.pick,
            front=exact_front(model, job.objectives, settings.strategy, settings.max_evals, stop, watch_front)
            if settings.strategy in EXACT_SOLVERS
            else None,
            strategy=settings.strategy,
            seed=settings.seed,
            max_evals=settings.max_evals,
            budget_s=settings.budget_s,
            jobs=settings.jobs,
            stop=stop,
            store=f"sqlite:///{settings.store}",
            study=_study(job),
            identity=job.identity.texts(),
            watch=watch,
        )
        found = Pipeline((ExtractSpace(), step)).run(model.kernel).found
    return replace(found, interrupted=stop.asked)


def model_run(model: Modelled, objectives: Sequence[Objective]) -> ModelRun:
    """Evaluations by the model; what passes a limit of the device is infeasible."""
    values, limits = model.costs.values, model.costs.limits
    return ModelRun(
        model.kernel.parameters,
        {o.name: values[o.name] for o in objectives},
        {name: (values[name], limit) for name, limit in limits.items()},
    )


def exact_front(
    model: Modelled,
    objectives: Sequence[Objective],
    strategy: str,
    max_points: int | None,
    stop: Callable[[], bool],
    watch: WatchFront,
) -> FrontOf:
    """A search by the exact solver `strategy` of the model's objectives where the design fits; `watch` is told how it
    goes."""
    wanted, fits = model.expressions(objectives), [model.costs.fits]
    exact = solver(strategy)

    def front(space: Space) -> Front:
        return exact.solve(space, wanted, fits, max_points=max_points, stop=stop, progress=watch)

    return front


@dataclass(slots=True)
class Stop:
    """Is it time to stop: by the clock, or because somebody asked?"""

    until: float | None
    asked: bool = False
    clock: Callable[[], float] = field(default=time.monotonic)

    def __call__(self) -> bool:
        return self.asked or (self.until is not None and self.clock() >= self.until)


@contextmanager
def stoppable(budget_s: float | None) -> Iterator[Stop]:
    """Ctrl-C and a polite kill ask to stop between two steps, so that nothing known is lost; the second time they
    interrupt at once."""
    stop = Stop(None if budget_s is None else time.monotonic() + budget_s)
    numbers = (signal.SIGINT, signal.SIGTERM)

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    try:
        before = [signal.signal(number, ask) for number in numbers]
    except ValueError:  # not the main thread: somebody else owns the signals
        yield stop
        return
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)
