"""One kernel to build: its identity, its entry in the lock, and the search for its choice."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass import registry
from tunepass.backends.base import Backend, Starts, Target, backend_class, backend_for
from tunepass.backends.plugins_used import identity_of
from tunepass.diagnostics import EnvironmentFault, StudyError, TunepassError, spelling_hint
from tunepass.evaluators.elsewhere import EvaluatorSource
from tunepass.exact.shares import FrontsOfShares
from tunepass.files import encoded
from tunepass.ir.kernel import Kernel
from tunepass.jobs.history import History, began_without_prior, history_named, history_of
from tunepass.jobs.locks.staleness import reasons
from tunepass.jobs.places import lock_key, store_location
from tunepass.machine_faults import is_machines
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search, Watch
from tunepass.search.exact import WatchCertificate
from tunepass.search.faults import doubtful_trials, environment_fault
from tunepass.search.options import SearchOptions
from tunepass.search.picks import KNEE, gains_of, objective_of
from tunepass.search.prior import SearchPrior
from tunepass.search.probes import outdated_failures
from tunepass.search.result import Gain, SearchResult
from tunepass.search.stop import stoppable
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.ledger import EMPTY, priced
from tunepass.study.lock.lock import Entry, Lock, LockedObjective
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed
from tunepass.study.storage.location import StoreLocation
from tunepass.study.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A kernel with its backend, its space, its identity now, and its entry in the lock, if it has one."""

    backend: Backend
    space: Space
    identity: Identity
    objectives: tuple[Objective, ...]
    objective: Objective  # the one the choice is to be the best of
    pick: str = ""  # what the choice is picked for, where that is no objective's best
    entry: Entry | None
    source: EvaluatorSource | None = None  # of its evaluator, where other processes evaluate
    fronts: FrontsOfShares | None = None  # of an exact search, where other processes evaluate shares of it
    unasked: bool = False  # nothing was started that tells what compiles it: the identity is as the lock has it there

    @property
    def kernel(self) -> Kernel:
        return self.backend.kernel

    @property
    def key(self) -> str:
        return lock_key(self.kernel.source.name, self.kernel.name)

    @property
    def study(self) -> str:
        """`matmul.c::matmul@0123456789ab`: what people look for, and what tells its identities apart."""
        names = [objective.name for objective in self.objectives]
        return f"{self.key}@{_digest(*self.identity.texts().values(), *names)}"

    @property
    def only_priced(self) -> bool:
        """Nothing is run: a model prices it."""
        return self.backend.only_priced

    def stale_reasons(self, store: StoreLocation | None = None) -> list[str]:
        """Reasons why the lock's choice is stale, a line each; empty if it is not. The store, else the usual one, has
        the headers behind the lock's digest."""
        if self.entry is None:
            return [f"{self.key} is not in the lock"]
        locked = self.entry.objective
        manifest_store = store or store_location(self.kernel.source.name, None)
        lines = reasons(self.entry.identity, self.identity, self.backend.manifests(), manifest_store)
        if locked.name != self.objective.name:
            lines.append(f"objective: {locked.name} -> {self.objective.name}")
        if not self.choice_is_possible:
            lines.append("choice: the locked choice is not a configuration of the space")
        if locked.pick != self.pick:
            lines.append(f"pick: {locked.pick or locked.name} -> {self.pick or self.objective.name}")
        return lines

    @property
    def choice_is_possible(self) -> bool:
        return self.entry is not None and self.space.contains(self.entry.choice)

    def unfinished(self, store: StoreLocation) -> Path:
        """A file in the store's folder that stands for an unfinished search of this kernel at this identity."""
        database = [] if store.path else [str(store)]  # several may have the same folder
        digest = _digest(self.key, self.objective.name, *self.identity.texts().values(), *database)
        return store.folder / f"interrupted-{digest}"


def _digest(*texts: str) -> str:
    return hashlib.sha256(encoded("\n".join(texts))).hexdigest()[:12]


def prepare(kernel: Kernel, target: Target, lock: Lock, pick: str | None = None) -> Job:
    """Only identity checks run, as far as the target `starts` them; fields that are not
    given come from the lock, and so does the device of a target without one, if the lock has the kernel."""
    entry = entry_of(kernel, lock)
    backend = backend_for(kernel, with_locked_device(kernel, target, lock))
    space = ExtractSpace().run(Compilation(kernel=backend.kernel)).space
    assert space is not None
    objectives = backend.objectives()
    identity = identity_of(backend, space)
    unasked = entry is not None and not identity.compiler and target.starts < Starts.TOOLS
    return Job(
        backend=backend,
        space=space,
        identity=_completed(identity, entry) if entry is not None and unasked else identity,
        objectives=objectives,
        objective=objective_of(pick, objectives),
        pick=f"{KNEE} of {', '.join(o.name for o in objectives)}" if pick == KNEE else "",
        entry=entry,
        unasked=unasked,
    )


def with_locked_device(kernel: Kernel, target: Target, lock: Lock) -> Target:
    """The target; without a device it has that of the lock, if the lock has the kernel."""
    entry = entry_of(kernel, lock)
    if target.device is not None or entry is None:
        return target
    return replace(target, device=backend_class(kernel).target_of(entry.identity, ()).device)


def _completed(identity: Identity, entry: Entry) -> Identity:
    """The identity, its fields that are not compared replaced by the lock's."""
    locked = entry.identity
    fields = {"compiler": identity.compiler or locked.compiler, "toolchain": locked.toolchain, "files": locked.files}
    return replace(identity, flags=locked.flags, **fields)


def locked_job(kernel: Kernel, lock: Lock, starts: Starts = Starts.NOTHING, compiler: tuple[str, ...] = ()) -> Job:
    """The job as the lock has it: its device, its objective, its pick. Nothing that it or the kernel's description
    names is started: without a `compiler` the usual one is asked, with the lock's flags only if they are harmless."""
    entry = entry_of(kernel, lock)
    if entry is None:
        return prepare(kernel, Target(compiler=compiler, starts=starts), lock)
    backend, locked = backend_class(kernel), entry.identity
    passed = locked.flags if backend.may_be_asked(locked.flags) else ()
    command = compiler if compiler and backend.takes(compiler) else backend.usual_compiler(passed, kernel.language)
    target = replace(backend.target_of(locked, (entry.objective.name,)), compiler=command, starts=starts)
    try:
        job = prepare(kernel, target, lock)
    except EnvironmentFault:
        raise
    except TunepassError:  # the kernel no longer has that objective, or there is no such device any more
        job = prepare(kernel, replace(target, objectives=()), lock)
    if not compiler and passed != locked.flags:
        job = replace(job, identity=_completed(job.identity, entry))
    return replace(job, pick=entry.objective.pick)


def entry_of(kernel: Kernel, lock: Lock) -> Entry | None:
    return lock.entries.get(lock_key(kernel.source.name, kernel.name))


def check_options(job: Job, options: SearchOptions) -> None:
    """Raises TunepassError for what cannot be asked of this job, before anything is done."""
    exact = not job.backend.measures
    if job.only_priced:
        for word, given in {"--sanitize": options.sanitize, "--transfer-from": options.transfer_from}.items():
            if given:
                raise TunepassError(f"{word} is about compiled programs; {job.kernel.source.name} is priced by a model")
    if (
        job.only_priced
        and not exact
        and options.strategy in set(registry.built_in("exact_solvers")) - {*registry.built_in("strategies")}
    ):
        raise TunepassError(
            f"{options.strategy} finds the best of expressions; here a compiler's reports are a part of what is priced",
            hint="leave the compiler out: --backend model",
        )
    if isinstance(options.strategy, str):
        _check_strategy(options.strategy, ("strategies", "exact_solvers") if exact else ("strategies",))
    for pick in options.picks[1:]:
        objective_of(pick, job.objectives)


def _check_strategy(name: str, roles: Sequence[str]) -> None:
    """Raises TunepassError for a name that none of the roles has."""
    if any(name in registry.built_in(role) for role in roles):
        return
    if not any(registry.has(role, name, paths=True) for role in roles):
        known = sorted({known for role in roles for known in registry.names(role)})
        hint = spelling_hint(name, known, f"there are {', '.join(known)}", quote=repr)
        raise TunepassError(f"no strategy {name!r}", hint=hint)


def recall(job: Job, store: StoreLocation) -> SearchResult:
    """The choice as the lock records it, with the trials the store still has."""
    if job.entry is None:
        raise TunepassError(f"{job.key} is not in the lock")
    known = _history(job, store)
    return SearchResult(
        choice=job.entry.choice,
        default=job.space.default,
        objectives=job.objectives,
        gains=_locked_gains(job, job.entry, known),
        pareto=known.pareto if known else (),
        trials=known.trials if known else (),
        trial_count=job.entry.objective.evaluations,
        origin=known.origin if known else None,
        checks=priced() if job.only_priced else job.entry.checks,
    )


def _history(job: Job, store: StoreLocation) -> History | None:
    """The newest study that the lock can be from: of several objectives the job's own, with all of them."""
    try:
        if job.only_priced:
            return history_named(store, job.study)
        locked = job.entry.identity if job.entry else job.identity  # of an earlier version, with less in it
        return history_of(store, locked, job.objective.name)
    except StudyError:  # a folder that cannot be written, say: the lock alone tells the choice
        return None


def has_doubtful_trials(job: Job, store: StoreLocation) -> bool:
    """Does the store have failures of this job that the next search evaluates again: by a fault of the machine, or of
    text that is now written otherwise?"""
    known = None if job.only_priced else _history(job, store)
    return known is not None and (bool(doubtful_trials(known.trials)) or _has_outdated_failures(job, known.trials))


def _has_outdated_failures(job: Job, trials: Sequence[Trial]) -> bool:
    if not any(isinstance(t.outcome, Failed) for t in trials):
        return False
    evaluator = job.backend.evaluator()
    if evaluator is None:
        return False
    with evaluator as evaluate:
        return bool(outdated_failures(trials, evaluate))


def _locked_gains(job: Job, entry: Entry, known: History | None) -> tuple[Gain, ...]:
    """As the store's trials say it where values have no noise; else as the lock recorded it."""
    trials = {t.configuration: t for t in known.trials} if known and job.only_priced else {}
    chosen = trials.get(entry.choice)
    if chosen is not None and chosen.measured:
        return gains_of(chosen, trials.get(job.space.default), job.objectives)
    locked = entry.objective
    gain = Gain(
        objective=replace(job.objective, unit=locked.unit),
        default=locked.default,
        chosen=locked.chosen,
        gain=locked.gain,
        interval=locked.interval,
    )
    return (gain,)


def search(
    job: Job,
    options: SearchOptions,
    store: StoreLocation,
    prior: SearchPrior | None,
    watch: Watch,
    watch_certificate: WatchCertificate,
) -> SearchResult:
    """Search for the kernel's choice. The search is marked as unfinished until its choice is in the lock, so that the
    next build resumes it, however this one ends; not where it could not begin."""
    marked = job.unfinished(store).exists()
    mark_unfinished(job, store)
    with store.open() as opened:
        opened.keep_manifests(job.backend.manifests())
    with stoppable(options.budget_s) as stop:
        step = Search(
            backend=lambda kernel: job.backend,
            options=replace(options, store=store.url),
            prior=prior,
            from_model=not began_without_prior(store, job.study),
            study=job.study,
            identity=job.identity.texts(),
            stop=stop,
            defects=store.folder,
            source=job.source,
            fronts=job.fronts,
            watch=watch,
            watch_certificate=watch_certificate,
        )
        try:
            result = (
                Pipeline((ExtractSpace(), PruneSpace(lambda kernel: job.backend.limits()), step)).run(job.kernel).found
            )
        except EnvironmentFault:
            mark_unfinished(job, store)  # again, where somebody removed the folder
            raise
        except TunepassError:
            if not marked:
                mark_finished(job, store)
            raise
        except Exception as error:
            closed = isinstance(error, BrokenPipeError)  # nobody reads the progress
            if closed or not (isinstance(error, OSError) or is_machines(error)):
                raise
            raise environment_fault(error, "the search was stopped by this machine") from error
    return replace(result, warnings=(*result.warnings, *prior.warnings)) if prior else result


def mark_unfinished(job: Job, store: StoreLocation) -> None:
    """The next build resumes the search, although an earlier lock may fit."""
    with contextlib.suppress(OSError):  # then it resumes only where the lock does not fit
        job.unfinished(store).touch()


def mark_finished(job: Job, store: StoreLocation) -> None:
    """The search's result is written."""
    with contextlib.suppress(OSError):
        job.unfinished(store).unlink(missing_ok=True)


def entry_for(job: Job, result: SearchResult, sizes: Mapping[str, Configuration] | None = None) -> Entry | None:
    """The lock's entry for a search's result; None if nothing was measured."""
    gain = next((g for g in result.gains if g.objective.name == job.objective.name), None)
    if gain is None:
        return None
    locked = LockedObjective(
        name=gain.objective.name,
        unit=gain.objective.unit,
        default=gain.default,
        chosen=gain.chosen,
        gain=gain.gain,
        interval=gain.interval,
        evaluations=result.trial_count,
        pick=job.pick,
    )
    checks = EMPTY if job.only_priced else result.checks.without_remedies()
    return Entry(result.choice, locked, job.identity, sizes or {}, checks)
