"""The study: suggests configurations, keeps trials, knows the best. Durable when it has a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace as with_fields

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.comparison.instances import Instance, Instances, valid_instances
from tunepass.study.comparison.races import RacedStudy
from tunepass.study.ledger import Ledger
from tunepass.study.locking import locked
from tunepass.study.objective import Objective, objectives_text
from tunepass.study.optimize.answers import Answer
from tunepass.study.optimize.loop import Optimization, optimization_of
from tunepass.study.optimize.pruner import Curve, Pruner
from tunepass.study.optimize.running_trial import RunningTrial
from tunepass.study.prior_origin import Origin
from tunepass.study.storage.memory import MemoryStore
from tunepass.study.storage.store import Store
from tunepass.study.task import Factory, Feasible, PriorMeanLike, Task
from tunepass.study.trial import Trial


class Study(RacedStudy):
    """Ordered trials of one space: suggests configurations, stores their outcomes, knows the best.

    The space's default is suggested first, and no configuration twice without `repeats`. With a `store`, every
    observation is on disk when `observe` returns. A study of the same name resumes: its trials are replayed into the
    strategy, and interrupted suggestions come again before new ones. Threads may share a study: one at a time suggests
    or observes, and evaluations run side by side.

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
        pruner: ends evaluations early by the intermediate values that `report` takes; see SuccessiveHalving and
            CurveModel.
        instances: inputs on which each configuration is judged together, by their mean; see Instances. They are part of
            the identity.
        repeats: whether `suggest` also returns measured configurations, in the last fifth of the budget, once
            measurements of one have differed; and one before, to see whether they do, if the study has 80 evaluations
            or more. With several objectives, a pruner or instances it does not. False: never.

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
        store: str | Store | MemoryStore | None = None,
        name: str | None = None,
        identity: Mapping[str, str] | None = None,
        prior_mean: PriorMeanLike | None = None,
        feasible: Feasible | None = None,
        pruner: Pruner | None = None,
        instances: Instances | Sequence[Instance] | None = None,
        repeats: bool = True,
    ):
        validation.check_strategy(strategy)
        task = Task(
            space=space,
            objectives=validation.valid_objectives(objectives),
            seed=seed,
            max_evals=max_evals,
            prior_mean=prior_mean,
            feasible=validation.checked_feasible(feasible),
        )
        self.instances = valid_instances(instances, task.objectives)
        self.pruner = validation.valid_pruner(pruner, self.instances)
        validation.check_flags(repeats=repeats)
        self.repeats = repeats and self.pruner is None and self.instances is None
        known = validation.identity_on(self.instances, identity)
        super().__init__(task, strategy=strategy, store=store, name=name, identity=known)
        self._trial_curves: dict[int, tuple[Trial, Curve]] = {}
        self._optimizations: list[Optimization[Study]] = []
        self._suggested: dict[Configuration, Configuration] = {}
        self._due_again: set[Configuration] = set()  # returned by `again`, not observed since

    @locked
    def __repr__(self) -> str:
        most = "" if self.task.max_evals is None else f" of {self.task.max_evals}"
        text = f"{len(self._trials)} trials, {self.spent}{most} evaluations spent, {objectives_text(self.objectives)}"
        if len(self.objectives) == 1 and (losses := self._losses()):
            objective = self.objectives[0]
            text += f", best {objective.value(min(loss for (loss,), _ in losses)):.6g}"
        return f"<Study {self.name!r}: {text}>"

    def optimize(
        self,
        function: Callable[[RunningTrial], Answer],
        n_trials: int | None = None,
        timeout: float | None = None,
        *,
        n_jobs: int = 1,
        callbacks: Iterable[Callable[[Study, Trial], object]] = (),
        catch: type[Exception] | Iterable[type[Exception]] = (),
    ) -> None:
        """Evaluate suggestions with a function until the study is finished, `n_trials` are evaluated or time is over.

        An exception that is not caught, Ctrl-C included, ends the call after the other evaluations that run; nothing
        observed is lost, and the next suggestion is the interrupted configuration.

        Args:
            function: of a RunningTrial, a mapping of parameters to values. It returns the objective's value, a mapping
                of objectives to values, a sequence of values in the objectives' order, an outcome or an Evaluation. A
                value that is not finite is a failure. It raises `tp.Pruned` to end an evaluation early.
            n_trials: evaluations of this call; None: as many as the study allows.
            timeout: seconds after which no evaluation begins; None: no limit.
            n_jobs: threads that evaluate side by side; -1: one for each core.
            callbacks: functions of the study and each new trial. They, and `function`, may call `stop`.
            catch: exceptions of `function` that become failed trials.

        Raises:
            StudyError: an argument breaks its rule, or `function` returned something else.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")])
            >>> study.optimize(lambda trial: trial["tile"] / trial["unroll"], n_trials=6)
            >>> len(study.trials)
            6
        """
        running = optimization_of(self, function, n_trials, timeout, callbacks, catch)
        jobs = validation.valid_jobs(n_jobs)
        with self._lock:
            self._optimizations.append(running)
        try:
            running.run(jobs)
        finally:
            with self._lock:
                self._optimizations.remove(running)

    @locked
    def stop(self) -> None:
        """End `optimize` after the evaluations that run: for its function and its callbacks.

        Raises:
            StudyError: `optimize` does not run.
        """
        if not self._optimizations:
            raise StudyError("stop() ends `optimize`, which does not run", hint="call it in a callback")
        for running in self._optimizations:
            running.stopped = True

    def with_space(
        self,
        space: Space,
        *,
        store: str | Store | MemoryStore | None = None,
        name: str | None = None,
        max_evals: int | None = None,
    ) -> Study:
        """A study of another space that begins with the trials of this one that still fit.

        A parameter that is new counts as having had its default. Of a parameter that is gone, the trials with its
        default fit. A trial fits if the new space contains its configuration.

        Args:
            space: the new configurations to choose from.
            store: of the new study; None: the same one.
            name: of the new study; None: a digest.
            max_evals: limit of the new study, the trials that fit included; None: this study's.

        Returns:
            The new study, with this one's objectives, strategy, seed, identity, prior mean and pruner.

        Raises:
            StudyError: an argument breaks its rule, or the store has a study of this name that differs.

        Example:
            >>> study = tp.Study(space, [tp.Objective("time")])
            >>> study.optimize(lambda trial: float(trial["tile"]), n_trials=8)
            >>> wider = study.with_space(tp.Space([*space.parameters, tp.Categorical("layout", ["rows", "columns"])]))
            >>> len(wider.trials), wider.trials[0].configuration
            (8, Configuration(tile=8, unroll=1, layout='rows'))
        """
        successor = Study(
            validation.valid_space(space),
            self.objectives,
            strategy=self._factory,
            seed=self.task.seed,
            max_evals=self.task.max_evals if max_evals is None else max_evals,
            store=self.store if store is None else store,
            name=name,
            identity=self._record.identity,
            prior_mean=self.task.prior_mean,
            feasible=self.task.feasible,
            pruner=self.pruner,
            instances=self.instances,
            repeats=self.repeats,
        )
        successor._inherit({p.name: p.default for p in self.space.parameters}, self.trials)
        return successor

    @locked
    def _inherit(self, defaults: Mapping[str, Value], trials: Sequence[Trial]) -> None:
        """Store the trials of a study whose parameters have these defaults, as far as they fit here."""
        numbers: dict[int, int] = {}
        for trial in trials:
            configuration = validation.fitting(self.space, trial.configuration, defaults)
            if configuration is not None:
                same = None if trial.same_as is None else numbers.get(trial.same_as)
                numbers[trial.number] = self.store.record(
                    self._record, with_fields(trial, configuration=configuration, same_as=same)
                ).number
        self._catch_up()

    # -- storing

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
