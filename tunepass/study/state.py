"""A study's trials as its store and its strategy have them, and how they follow the store."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Mapping, Sequence

from tunepass.capabilities import capability
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.study import validation
from tunepass.study.capabilities import Revises
from tunepass.study.identity import differences
from tunepass.study.locking import Lockable, locked
from tunepass.study.objective import Objective, objectives_text
from tunepass.study.outcome import Measured
from tunepass.study.results.recommendation import Beliefs
from tunepass.study.space_description import describe_space, space_differences
from tunepass.study.storage import json_text
from tunepass.study.storage.memory import MemoryStore
from tunepass.study.storage.store import Store, StudyRecord
from tunepass.study.task import Factory, Task, beliefs_of, factory_of
from tunepass.study.trial import Trial, comparable, spent


class StudyState(Lockable):
    """The state of a study: its task, its row in the store, its trials, and the strategy that has observed them."""

    def __init__(
        self,
        task: Task,
        *,
        strategy: str | Factory,
        store: str | Store | MemoryStore | None,
        name: str | None,
        identity: Mapping[str, str] | None,
    ):
        self._lock = threading.RLock()
        self.task, self.space, self.objectives = task, task.space, task.objectives
        if task.prior_mean is not None:
            self._single("prior_mean")
        name, known_identity = validation.valid_name(name), validation.valid_identity(identity)
        self._factory = factory_of(strategy)
        if not isinstance(store, Store | MemoryStore):
            store = Store(store) if store is not None and not (isinstance(store, str) and not store) else MemoryStore()
        self.store: Store | MemoryStore = store
        self._record = self._open(name, known_identity)
        self.name = self._record.name
        self._size = self.space.size if self.space.finite and self.space.complete else None
        self._replay()

    @property
    @locked
    def spent(self) -> int:
        """Evaluations of the budget that the trials cost."""
        return spent(len(self._trials), self._same, self._measured_again)

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

    def _exhausted_with(self, busy: int) -> bool:
        return self._size is not None and len(self._trials) + busy >= self._size

    def _room(self, busy: int) -> int:
        """How many more suggestions the budget allows."""
        if self.task.max_evals is None:
            return sys.maxsize
        return self.task.max_evals - self.spent - busy

    def _single(self, method: str) -> Objective:
        if len(self.objectives) != 1:
            raise StudyError(
                f"`{method}` needs a single objective, got {objectives_text(self.objectives)}", hint="use `pareto`"
            )
        return self.objectives[0]
