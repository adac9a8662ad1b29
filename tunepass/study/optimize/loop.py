"""The loop of `Study.optimize`: suggestions evaluated by a function of the caller's, in one thread or several."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tunepass.diagnostics import StudyError
from tunepass.study import validation
from tunepass.study.comparison.races import RacedStudy
from tunepass.study.optimize.answers import caught_failure, evaluation_of, valid_exceptions
from tunepass.study.optimize.running_trial import Pruned, RunningTrial
from tunepass.study.trial import Trial

S = TypeVar("S", bound=RacedStudy)  # the study, as callbacks see it


def optimization_of(
    study: S,
    function: object,
    n_trials: object,
    timeout: object,
    callbacks: object,
    catch: object,
    clock: Callable[[], float] = time.monotonic,
) -> Optimization[S]:
    """The loop with its arguments checked."""
    if not callable(function):
        raise StudyError(f"optimize evaluates with a function of a trial, got {function!r}")
    seconds = validation.valid_timeout(timeout)
    return Optimization(
        study=study,
        function=function,
        unbegun=validation.valid_budget(n_trials, "n_trials"),
        end=None if seconds is None else clock() + seconds,
        callbacks=_callbacks(callbacks),
        catch=valid_exceptions(catch),
        clock=clock,
    )


@dataclass(slots=True, kw_only=True)
class Optimization(Generic[S]):
    """One call of `Study.optimize`. Evaluations run outside of every lock."""

    study: S
    function: Callable[[RunningTrial], object]
    unbegun: int | None  # evaluations that may still begin; None: no limit
    end: float | None  # on the scale of `clock`
    callbacks: tuple[Callable[[S, Trial], object], ...]
    catch: tuple[type[Exception], ...]
    clock: Callable[[], float]
    stopped: bool = False
    error: BaseException | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _callback_lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, n_jobs: int) -> None:
        """Evaluate until there is nothing to begin; raise the first exception after the evaluations that run."""
        if n_jobs == 1:
            self._work()
            return
        threads = [threading.Thread(target=self._work_in_thread, daemon=True) for _ in range(n_jobs)]
        for thread in threads:
            thread.start()
        try:
            _join(threads)
        except BaseException:  # Ctrl-C reaches this thread only; a second one does not wait
            self.stopped = True
            _join(threads)
            raise
        if self.error is not None:
            raise self.error

    def _work_in_thread(self) -> None:
        try:
            self._work()
        except BaseException as error:  # the thread that called `run` raises it
            with self._lock:
                self.error = self.error or error
                self.stopped = True

    def _work(self) -> None:
        while (trial := self._next()) is not None:
            self._evaluate(trial)

    def _next(self) -> RunningTrial | None:
        """The next configuration to evaluate; None at the end."""
        with self._lock:
            late = self.end is not None and self.clock() >= self.end
            if self.stopped or late or self.unbegun == 0:
                return None
            suggested = self.study.suggest()
            if not suggested:
                return None
            if self.unbegun is not None:
                self.unbegun -= 1
            return RunningTrial(suggested[0], self.study)

    def _evaluate(self, trial: RunningTrial) -> None:
        try:
            observed = self._observed(trial)
        except BaseException:
            self.stopped = True  # before another thread is suggested what this one gives back
            self.study.release(trial)
            raise
        with self._callback_lock:
            for callback in self.callbacks:
                callback(self.study, observed)

    def _observed(self, trial: RunningTrial) -> Trial:
        """The trial of an evaluation that ended in an outcome, a caught exception, or early."""
        if self.study.instances is not None:
            return self.study.race(trial, lambda instance: self._answer(trial.on(instance)))
        start = self.clock()
        try:
            answer = self._answer(trial)
        except Pruned:
            return self.study.prune(trial, seconds={"measure": self.clock() - start})
        return self.study.observe(trial, evaluation_of(answer, self.study.objectives, self.clock() - start))

    def _answer(self, trial: RunningTrial) -> object:
        """The function's answer; of a caught exception a failure."""
        try:
            return self.function(trial)
        except Pruned:
            raise
        except self.catch:
            return caught_failure()


def _join(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join()


def _callbacks(callbacks: object) -> tuple[Callable[[S, Trial], object], ...]:
    listed = tuple(callbacks) if isinstance(callbacks, Iterable) and not isinstance(callbacks, str) else None
    if listed is None or not all(callable(callback) for callback in listed):
        raise StudyError(
            f"callbacks are a list of functions of the study and a trial, got {callbacks!r}",
            hint="write callbacks=[...]",
        )
    return listed
