"""The study: suggests configurations, keeps trials, knows the best. Durable when it has a store."""

from __future__ import annotations

import hashlib
import math
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace as with_fields

import numpy as np

from tunepass.capabilities import capability
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.capabilities import HasSources, ReportsFeasibleRecall, ReportsPriorWeight, Revises
from tunepass.study.comparison import Comparison
from tunepass.study.distance import distance_from_default
from tunepass.study.identity import differences
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.locking import Lockable, locked
from tunepass.study.objective import Objective, objectives_text
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.pareto import nondominated
from tunepass.study.prior_origin import Origin
from tunepass.study.recommendation import Beliefs, Recommendation, recommend, worth_measuring_again
from tunepass.study.space_description import describe_space, space_differences
from tunepass.study.storage import json_text
from tunepass.study.storage.database import MEMORY
from tunepass.study.storage.store import Store, StudyRecord
from tunepass.study.task import Factory, Feasible, PriorMeanLike, Task, beliefs_of, factory_of
from tunepass.study.trial import Trial, comparable, spent
from tunepass.study.trust import Trust, rank_correlation

PATIENCE = 100  # how often a strategy may answer with nothing but configurations known to it


class Study(Lockable):
    """Ordered trials of one space: suggests configurations, stores their outcomes, knows the best.

    The space's default is suggested first, and no configuration twice. With a `store`, every observation is on disk
    when `observe` returns. A study of the same name resumes: its trials are replayed into the strategy, and interrupted
    suggestions come again before new ones. Threads may share a study: one at a time suggests or observes, and
    evaluations run side by side.

    Args:
        space: the configurations to choose from.
        objectives: what is measured; with several, `pareto` has the trade-offs.
        strategy: a strategy's name, the path of its class (`package.module:Class`), or a function of a Task.
        seed: of every random choice; the same seed and outcomes give the same suggestions.
        max_evals: limit of trials and suggestions under evaluation together; a trial that takes the outcome of another
            one with the same code is free. None: no limit.
        store: a Store or its URL (`sqlite:///runs.db`); None: memory.
        name: of the study in its store; None: a digest of the space, the objectives and the identity.
        identity: what results depend on besides the configuration (source, compiler, device, ...). A study never mixes
            two identities.
        prior_mean: what is known about the one objective beforehand. The search starts from it; see `trust`.
        feasible: a function of columns that says at no cost which configurations can be measured at all. Strategies
            that can use it pass over the others.

    Raises:
        StudyError: an argument breaks its rule; or the store has a study of this name with another space, other
            objectives or another identity.

    Example:
        >>> study = tp.Study(space, [tp.Objective("time", unit="ms")], seed=0, max_evals=5)
        >>> while not study.finished:
        ...     for configuration in study.suggest():
        ...         trial = study.observe(configuration, measure(configuration))
        >>> len(study.trials), study.best.number in range(5)
        (5, True)
    """

    def __init__(
        self,
        space: Space,
        objectives: Sequence[Objective],
        *,
        strategy: str | Factory = "auto",
        seed: int = 0,
        max_evals: int | None = None,
        store: str | Store | None = None,
        name: str | None = None,
        identity: Mapping[str, str] | None = None,
        prior_mean: PriorMeanLike | None = None,
        feasible: Feasible | None = None,
    ):
        self._lock = threading.RLock()
        validation.check_strategy(strategy)
        self.task = Task(
            space=space,
            objectives=validation.valid_objectives(objectives),
            seed=seed,
            max_evals=max_evals,
            prior_mean=prior_mean,
            feasible=validation.checked_feasible(feasible),
        )
        self.space, self.objectives = space, self.task.objectives
        if prior_mean is not None:
            self._single("prior_mean")
        name, known_identity = validation.valid_name(name), validation.valid_identity(identity)
        self._factory = factory_of(strategy)
        self.store = store if isinstance(store, Store) else Store(store or MEMORY)
        self._record = self._open(name, known_identity)
        self.name = self._record.name
        self._size = space.size if space.finite and space.complete else None
        self._suggested: set[Configuration] = set()
        self._due_again: set[Configuration] = set()  # handed out by `again`, not observed since
        self._replay()

    @locked
    def __repr__(self) -> str:
        most = "" if self.task.max_evals is None else f" of {self.task.max_evals}"
        text = f"{len(self._trials)} trials, {self.spent}{most} evaluations spent, {objectives_text(self.objectives)}"
        if len(self.objectives) == 1 and (losses := self._losses()):
            objective = self.objectives[0]
            text += f", best {objective.value(min(loss for (loss,), _ in losses)):.6g}"
        return f"<Study {self.name!r}: {text}>"

    # -- asking and telling

    @locked
    def suggest(
        self, n: int = 1, first: Sequence[Configuration] = (), *, shared: Sequence[Configuration] = ()
    ) -> list[Configuration]:
        """The next configurations to evaluate.

        Args:
            n: how many, at most.
            first: configurations that come before the strategy's, where they were never suggested or observed.
            shared: configurations that are suggested, before all others, even while another process evaluates them; the
                outcome that is observed first stands.

        Returns:
            At most `n` configurations; `[]` once the budget is spent or the space `exhausted`, never otherwise.

        Raises:
            StudyError: `n` is below 1, or the strategy repeats itself.
            SamplingError: no further configuration is found, and it is not proved that there is none.

        Example:
            >>> tp.Study(space, [tp.Objective("time")]).suggest()
            [Configuration(tile=8, unroll=1)]
        """
        n = validation.valid_count(n, "suggest")
        first = validation.valid_first(self.space, first)
        self._catch_up()
        pending = self.store.pending(self._record)
        known = {p.configuration for p in pending if not p.abandoned}
        if running := [c for c in shared if c in known and c not in self._suggested][:n]:
            self._suggested.update(running)
            return running
        room = min(n, self._room(len(known)))
        due = [self.space.default, *(p.configuration for p in pending if p.abandoned), *first]
        chosen = self._claim(due, known, room)
        patience = len(known) + len(self._trials) + PATIENCE
        while len(chosen) < room:
            offered = self._strategy.suggest(room - len(chosen))
            if not offered:
                if not chosen:
                    self.space.require_proof(len(known) + sum(t.configuration not in known for t in self._trials))
                break
            fresh = self._claim(offered, known, room - len(chosen))
            chosen += fresh
            if not fresh:
                if self.finished:  # another process took what the budget had left
                    break
                patience -= 1
            if patience < 0:
                raise StudyError("the strategy repeats configurations that were suggested or observed before")
        self._suggested.update(chosen)
        return chosen

    @locked
    def again(self, n: int = 1) -> list[Configuration]:
        """Measured configurations for which another measurement is worth more than a new configuration.

        Each measurement costs an evaluation of the budget.

        Args:
            n: how many, at most.

        Returns:
            At most `n` configurations; `[]` without noise, and where `suggest` returns none.

        Raises:
            StudyError: the study has several objectives, or `n` is below 1.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")], max_evals=2)
            >>> for configuration in study.again() or study.suggest():
            ...     trial = study.observe(configuration, measure(configuration))
        """
        self._single("again")
        n = validation.valid_count(n, "again")
        self._catch_up()
        found, most = self._believed(), self.task.max_evals
        room = min(n, self._room(sum(not p.abandoned for p in self.store.pending(self._record))))
        if not found or room < 1:
            return []
        due = worth_measuring_again(*found, self.spent, most, room)
        self._due_again.update(due)
        return due

    @locked
    def observe(
        self,
        configuration: Mapping[str, Value],
        outcome: Outcome,
        *,
        seconds: Mapping[str, float] | None = None,
        log: str = "",
        calibration: float | None = None,
        same_as: Mapping[str, Value] | None = None,
        code: str = "",
        checks: Ledger = EMPTY,
        replace: bool = False,
        again: bool = False,
    ) -> Trial:
        """Store the outcome of a configuration, suggested or not; it is on disk when this returns.

        A configuration has one trial. Where another process has reported a configuration that was suggested here, its
        trial stands and is returned.

        Args:
            configuration: a value for each parameter.
            outcome: Measured, Infeasible or Failed.
            seconds: the cost by stage (`compile`, `measure`, ...).
            log: output of the tools; its end is stored.
            calibration: turns a second of the calibration loop while this was measured.
            same_as: an observed configuration whose outcome this one takes, because the code is the same.
            code: a digest of the code that ran.
            checks: what was checked of it, and what could not be.
            replace: gives an existing trial the new outcome under its old number; trials that took its outcome follow.
            again: adds a further measurement to an existing trial's mean. A configuration that the method `again`
                returned needs no flag.

        Returns:
            The stored trial, with its number.

        Raises:
            StudyError: the configuration or the outcome does not fit the study, or the configuration has a trial.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time", unit="ms")])
            >>> study.observe({"tile": 16, "unroll": 2}, tp.Measured({"time": 3.5}))
            <Trial 0: tile=16, unroll=2 -> time=3.5>
        """
        valid = validation.valid_configuration(self.space, configuration)
        validation.check_flags(replace=replace, again=again)
        self._catch_up()
        equal = None if same_as is None else validation.valid_configuration(self.space, same_as)
        equal_trial = None if equal is None else self._number_of.get(equal)
        trial = Trial(
            0,
            valid,
            validation.valid_outcome(outcome, self.objectives),
            validation.valid_seconds(seconds),
            validation.valid_log(log),
            validation.valid_calibration(calibration),
            equal_trial,
            validation.valid_code(code),
            checks,
        )
        number = self._number_of.get(valid)
        if number is None:
            kept = self.store.record(self._record, trial)
            self._catch_up()
            return self._trials[kept.number]
        if replace:
            changed = with_fields(trial, number=number)
            both = [changed, *self._of_same_code(changed)]
            self.store.replace(self._record, both)
            self._revise(both)
        elif again or valid in self._due_again:
            self._due_again.discard(valid)
            same = self._trials[number].same_as
            changed = self.store.measure_again(
                self._record, with_fields(trial, number=number if same is None else same)
            )
            self.store.replace(self._record, others := self._of_same_code(changed))
            self._revise([changed, *others])
        elif valid not in self._suggested:
            raise StudyError(
                f"this configuration is trial {number} already: {valid!r}",
                hint="observe(..., again=True) takes a further measurement into its mean, replace=True gives it a new "
                "outcome",
            )
        return self._trials[number]

    @property
    @locked
    def exhausted(self) -> bool:
        """Is it proved that every configuration of the space has a trial or is under evaluation? Never of a space that
        is not counted."""
        self._catch_up()
        pending = self.store.pending(self._record)
        return self._exhausted_with(sum(not p.abandoned for p in pending))

    @property
    @locked
    def finished(self) -> bool:
        """Is the budget spent, or the space `exhausted`? What is under evaluation may still be observed."""
        self._catch_up()
        pending = self.store.pending(self._record)
        busy = sum(not p.abandoned for p in pending)
        return self._room(busy) <= 0 or self._exhausted_with(busy)

    def _exhausted_with(self, busy: int) -> bool:
        return self._size is not None and len(self._trials) + busy >= self._size

    @property
    @locked
    def elsewhere(self) -> list[Configuration]:
        """The configurations that other processes evaluate now, oldest first.

        Example:
            >>> tp.Study(space, [tp.Objective("time")]).elsewhere
            []
        """
        pending = self.store.pending(self._record)
        return [p.configuration for p in pending if not p.abandoned and p.configuration not in self._suggested]

    # -- results

    @property
    @locked
    def trials(self) -> list[Trial]:
        """All trials in order."""
        return list(self._trials)

    @property
    @locked
    def best(self) -> Trial | None:
        """The measured trial with the smallest loss; of equals the one closest to the default, then the earliest."""
        self._single("best")
        measured = self._losses()
        least = min((losses for losses, _ in measured), default=())
        equals = [trial for losses, trial in measured if losses == least]
        return min(equals, key=lambda t: (distance_from_default(self.space, t.configuration), t.number), default=None)

    @property
    @locked
    def recommended(self) -> Recommendation | None:
        """The trial that is believed to be best, with its value and the interval that holds it: with noise the best
        that was seen is often a lucky one. `best` where nothing is known of the noise."""
        objective, found = self._single("recommended"), self._believed()
        return recommend(self.space, objective, *found) if found else None

    @property
    @locked
    def pareto(self) -> list[Trial]:
        """The measured trials that no other dominates, sorted by their losses."""
        measured = self._losses()
        keep = nondominated([losses for losses, _ in measured])
        front = [(losses, t.number, t) for (losses, t), kept in zip(measured, keep) if kept]
        return [t for *_, t in sorted(front, key=lambda entry: entry[:2])]

    @property
    @locked
    def best_so_far(self) -> list[float | None]:
        """The best value after each trial; None until one is measured."""
        objective = self._single("best_so_far")
        loss_of = {trial.number: losses[0] for losses, trial in self._losses()}
        best, series = math.inf, list[float | None]()
        for trial in self._trials:
            best = min(best, loss_of.get(trial.number, math.inf))
            series.append(None if best == math.inf else objective.value(best))
        return series

    @property
    @locked
    def failures(self) -> dict[str, int]:
        """How many trials failed at each stage, most first; `infeasible` counts broken hidden constraints."""
        failed = [t.outcome for t in self._trials if not t.measured]
        return dict(Counter(o.stage if isinstance(o, Failed) else "infeasible" for o in failed).most_common())

    @property
    @locked
    def trust(self) -> Trust | None:
        """What the prior mean has turned out to be worth so far; None without one."""
        if self.task.prior_mean is None:
            return None
        measured = self._losses()
        columns = self.space.columns([t.configuration for _, t in measured])
        values = self.task.prior_mean.values(self.space, columns) if measured else np.empty(0)
        expected = np.array([self.objectives[0].loss(float(value)) for value in values])
        known = np.isfinite(expected)
        losses = np.array([losses[0] for losses, _ in measured])[known]
        relying = capability(self._strategy, ReportsPriorWeight)
        several = capability(self.task.prior_mean, HasSources)
        shares = tuple(float(share) for share in several.weights) if several is not None else ()
        weight = relying.prior_weight if relying is not None else None
        return Trust(rank_correlation(expected[known], losses), weight, len(losses), shares)

    @locked
    def remember(self, origin: Origin | None) -> Origin | None:
        """Keep with the study where its prior mean came from, with the trust it has now."""
        known = origin.trusted(self.trust) if origin else None
        self.store.set_origin(self._record, known)
        return known

    @locked
    def keep_comparison(self, comparison: Comparison | None) -> None:
        """Keep with the study what its finalists measured in turns."""
        self.store.set_comparison(self._record, comparison)

    @property
    @locked
    def feasible_recall(self) -> float | None:
        """The share of the feasible trials whose chance the feasibility model, had it not seen them, puts at 1/2 or
        more, as of the latest suggestion; None while nothing failed, or where the strategy has no such model."""
        reporting = capability(self._strategy, ReportsFeasibleRecall)
        return reporting.feasible_recall if reporting is not None else None

    @property
    @locked
    def spent(self) -> int:
        """Evaluations of the budget that the trials cost."""
        return spent(len(self._trials), self._same, self._measured_again)

    @locked
    def close(self) -> None:
        """Close the store; suggestions without an outcome become free for others."""
        self.store.close()

    @locked
    def keep_checks(self, trial: Trial, checks: Ledger) -> None:
        """Store in a trial what was checked of it since; its outcome stays."""
        changed = with_fields(trial, checks=checks)
        self.store.replace(self._record, [changed])
        self._trials[trial.number] = changed

    # -- within

    def _open(self, name: str | None, identity: dict[str, str]) -> StudyRecord:
        space = describe_space(self.space)
        if name is None:
            text = "\n".join([space, json_text.encode_objectives(self.objectives), json_text.encode_identity(identity)])
            name = f"study-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        record, created = self.store.open_study(name, space, self.objectives, identity)
        if created:
            return record
        changes = space_differences(record.space, space)
        if record.objectives != self.objectives:
            changes.append(f"objectives: {objectives_text(record.objectives)} -> {objectives_text(self.objectives)}")
        changes += differences(record.identity, identity)
        if changes:
            raise StudyError(
                f"study {name!r} in {self.store.url} is of something else:\n  " + "\n  ".join(changes),
                hint="give the new study another name, or name another store",
            )
        return record

    def _replay(self) -> None:
        """A new strategy that has observed all trials in order."""
        self._strategy = self._factory(self.task)
        validation.valid_suggester(self._strategy)
        self._trials: list[Trial] = []
        self._number_of: dict[Configuration, int] = {}
        self._same = 0  # trials that took another's outcome
        self._measured_again = 0
        self._catch_up()

    def _catch_up(self) -> None:
        """Take in the trials stored since: our own, and those of other processes."""
        for trial in self.store.trials(self._record, after=len(self._trials) - 1):
            self._number_of[trial.configuration] = trial.number
            self._trials.append(trial)
            self._same += trial.same_as is not None
            self._measured_again += trial.measured_again
            self._strategy.observe(trial)

    def _of_same_code(self, changed: Trial) -> list[Trial]:
        """The trials that took the outcome of the changed one, with what it has become."""
        return [t.taking(changed) for t in self._trials if t.same_as == changed.number]

    def _revise(self, trials: Sequence[Trial]) -> None:
        """Trials have another outcome."""
        revising = capability(self._strategy, Revises)
        if revising is None:
            self._replay()
            return
        for trial in trials:
            before = self._trials[trial.number]
            self._same += (trial.same_as is not None) - (before.same_as is not None)
            self._measured_again += trial.measured_again - before.measured_again
            self._trials[trial.number] = trial
            revising.revise(trial)

    def _claim(self, offered: Sequence[Configuration], known: set[Configuration], room: int) -> list[Configuration]:
        """At most `room` new ones of `offered`, neither tried nor `known`: now under evaluation here, and known."""
        fresh: list[Configuration] = []
        for configuration in offered:
            if len(fresh) < room and configuration not in known and configuration not in self._number_of:
                known.add(configuration)
                fresh.append(validation.valid_configuration(self.space, configuration))
        return self.store.claim(self._record, fresh, self.task.max_evals) if fresh else []

    def _losses(self) -> list[tuple[tuple[float, ...], Trial]]:
        """The measured trials that compete with their losses, in order."""
        return [
            (tuple(o.loss(t.outcome.values[o.name]) for o in self.objectives), t)
            for t in comparable(self._trials)
            if isinstance(t.outcome, Measured)
        ]

    def _believed(self) -> tuple[list[Trial], Beliefs] | None:
        """The measured trials that compete and what is believed of them; None where there are none."""
        measured = [t for t in self._trials if t.measured]
        compared = comparable(self._trials)
        if not compared:
            return None
        beliefs = beliefs_of(self._strategy, self.task, self._trials)
        if beliefs is None:
            objective = self.objectives[0]
            losses = [
                objective.loss(t.outcome.values[objective.name]) for t in compared if isinstance(t.outcome, Measured)
            ]
            return compared, Beliefs.of_losses(losses)
        numbers = {t.number for t in compared}
        return compared, beliefs.of([i for i, t in enumerate(measured) if t.number in numbers])

    def _room(self, busy: int) -> int:
        """How many more suggestions the budget allows."""
        if self.task.max_evals is None:
            return sys.maxsize
        return self.task.max_evals - self.spent - busy

    def _single(self, what: str) -> Objective:
        if len(self.objectives) != 1:
            raise StudyError(
                f"`{what}` needs a single objective, got {objectives_text(self.objectives)}", hint="use `pareto`"
            )
        return self.objectives[0]
