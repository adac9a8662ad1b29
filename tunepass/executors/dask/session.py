"""Evaluations handed out to the workers of a cluster, each with exactly one final outcome.

A worker is `asked` (for its version), `opening` (it makes the evaluator), `opened` (until it is settled which machines
are used), `ready`, or `excluded` (another machine or version, or one that fails). A task is pinned to one worker. A
task whose worker is gone, or silent for too long, goes to another; its late answer is dropped, since a task is known by
its ticket. Only `Transport` knows Dask.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.evaluators.elsewhere import EvaluatorSource
from tunepass.executors.dask.exchange import UNKNOWN, Rejected, RemoteError, decode_evaluation, read_answer
from tunepass.executors.dask.machines import (
    VERSION_HINT,
    Machine,
    chosen_machines,
    machine_of,
    other_version,
    version_of,
)
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.storage.json_text import encode_configuration

POLL_S = 0.2  # between two looks at the workers
QUICK_S = 0.5  # evaluations shorter than that are queued one ahead: handing one out takes milliseconds
ARRIVING = ("asked", "opening")
MOST_FAULTS = 3  # workers that fail before any has evaluated, after which the fault is the source's or everybody's


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a worker counts as silent, and a configuration as fatal.

    Args:
        open_s: seconds to make the evaluator.
        first_s: seconds of an evaluation while none has ended.
        least_s: seconds of an evaluation, at least, once one has ended.
        times: the longest evaluation so far, after which another is hung.
        none_left_s: seconds without any worker, after which the cluster is given up.
        most_losses: processes that may die or hang in one configuration.
    """

    open_s: float = 300.0
    first_s: float = 3600.0
    least_s: float = 300.0
    times: float = 10.0
    none_left_s: float = 60.0
    most_losses: int = 4


class Transport(Protocol):
    """Carries tasks to workers, and their answers back."""

    def addresses(self) -> Collection[str]:
        """The workers of the cluster now. Raises EnvironmentFault where the scheduler no longer answers."""

    def submit(self, address: str, function: str, *arguments: object) -> int:
        """Begin a function of the module `worker` there; the task's ticket."""

    def cancel(self, ticket: int) -> None: ...

    def wait(self, seconds: float) -> list[tuple[int, str | None]]:
        """Answers by ticket, as soon as there is one or the time is over; None for a task that was lost."""

    def restart(self, address: str) -> None:
        """End the worker's process, so that another takes its place, if the cluster can do that."""

    def close(self) -> None: ...


@dataclass(slots=True)
class Attempt:
    """A configuration that is to be evaluated, and the workers that died or hung in it."""

    configuration: Configuration
    losses: list[str] = field(default_factory=list)
    hung: bool = False


@dataclass(slots=True)
class Worker:
    """A worker as the client sees it. `tasks` are under way there, by ticket in the order of their begin."""

    address: str
    host: str = ""
    state: str = "asked"
    machine: Machine | None = None
    tasks: dict[int, Attempt | None] = field(default_factory=dict)  # None: not an evaluation
    head_since: float = 0.0

    def __str__(self) -> str:
        return f"{self.address} on {self.host}" if self.host else self.address


class Session:
    """Evaluations of one evaluator on the machines of one identity."""

    def __init__(
        self,
        transport: Transport,
        source: EvaluatorSource,
        *,
        version: str,
        machine: str = "",
        limits: Limits = Limits(),
        clock: Callable[[], float] = time.monotonic,
        notify: Callable[[str], None] = lambda text: None,
    ):
        self.transport, self.source, self.version, self.choice = transport, source, version, machine
        self.limits, self.clock, self.notify = limits, clock, notify
        self.workers: dict[str, Worker] = {}
        self.identity: Mapping[str, str] = {}
        self.description = ""  # of the machines' device
        self.excluded: list[str] = []  # why workers are not used, a sentence each
        self.capabilities: tuple[str, ...] = ()
        self.search_left_s: Callable[[], float] = lambda: float("inf")
        self.search_s: float | None = None
        self.look_s = 0.0
        self.longest_s = 0.0
        self.recent_s = float("inf")  # a moving mean of the evaluations
        self.retried = 0  # evaluations that began again elsewhere
        self._waiting: deque[Attempt] = deque()
        self._ended: deque[tuple[Configuration, Evaluation | None]] = deque()
        self._worker_of: dict[int, Worker] = {}  # by the tickets of tasks under way
        self._calls: dict[int, RemoteError | tuple[object] | None] = {}  # None: lost
        self._faults: list[TunepassError] = []
        self._evaluated = 0
        self._checked_at = -float("inf")
        self._empty_since: float | None = None
        self._measurer = ""

    # -- the machines

    def start(self) -> None:
        """Have every worker make the evaluator, and settle on the machines. Raises TunepassError for another version,
        for machines of several identities without a choice, or where no worker can make it."""
        began = self.clock()
        while not self.workers or any(w.state in ARRIVING for w in self.workers.values()):
            self._look_at_workers(force=True)
            self._take_answers(POLL_S)
            if self.clock() - began > self.limits.open_s + 2 * POLL_S:
                break
        known = [w.machine for w in self.workers.values() if w.machine is not None]
        if not known:
            raise self._faults[-1] if self._faults else EnvironmentFault("no worker of the cluster made the evaluator")
        self.identity = chosen_machines(known, self.choice)
        self.description = next(m.description for m in known if m.identity == self.identity)
        for worker in self.workers.values():
            self._admit(worker)
        self._faults.clear()

    def _admit(self, worker: Worker) -> None:
        """A worker is used if its machine has the identity."""
        if worker.machine is None:
            return
        fits = worker.machine.fits(self.identity, self.choice)
        worker.state = "ready" if fits else "excluded"

    def _ready(self) -> list[Worker]:
        return [worker for worker in self.workers.values() if worker.state == "ready"]

    # -- evaluations

    @property
    def depth(self) -> int:
        """Evaluations that a worker holds at once."""
        return 2 if self.recent_s < QUICK_S else 1

    @property
    def room(self) -> int:
        """Evaluations that can be begun now."""
        free = sum(max(0, self.depth - len(worker.tasks)) for worker in self._ready())
        return max(0, free - len(self._waiting))

    @property
    def under_way(self) -> int:
        running = sum(a is not None for worker in self.workers.values() for a in worker.tasks.values())
        return running + len(self._waiting) + len(self._ended)

    def begin(self, configurations: Sequence[Configuration]) -> None:
        self._waiting += [Attempt(configuration) for configuration in configurations]
        self._hand_out()

    def ended(self) -> tuple[Configuration, Evaluation | None]:
        """The next evaluation that has ended. Raises EnvironmentFault where the cluster is gone, and what a worker
        raised where no other can do better."""
        self._look_at_workers()
        while not self._ended:
            self._take_answers(POLL_S)
            self._look_at_workers()
        return self._ended.popleft()

    def hold(self, ended: Sequence[tuple[Configuration, Evaluation | None]]) -> None:
        """Keep evaluations that ended while another was waited for; `ended` gives them first."""
        self._ended.extendleft(reversed(ended))

    def _hand_out(self) -> None:
        """Waiting configurations go to the workers with the fewest tasks."""
        while self._waiting:
            free = [worker for worker in self._ready() if len(worker.tasks) < self.depth]
            if not free:
                return
            worker = min(free, key=lambda w: len(w.tasks))
            attempt = self._waiting.popleft()
            left_s = self.search_left_s()
            limit = None if left_s == float("inf") else left_s
            text = encode_configuration(attempt.configuration)
            self._begin(worker, attempt, "evaluate", self.source.digest, text, limit, self.search_s)

    def _begin(self, worker: Worker, attempt: Attempt | None, function: str, *arguments: object) -> int:
        if not worker.tasks:
            worker.head_since = self.clock()
        ticket = self.transport.submit(worker.address, function, *arguments)
        worker.tasks[ticket] = attempt
        self._worker_of[ticket] = worker
        return ticket

    def _end(self, worker: Worker, ticket: int) -> Attempt | None:
        """Forget a task, which has ended or is lost; its configuration, if it is an evaluation."""
        del self._worker_of[ticket]
        return worker.tasks.pop(ticket)

    def _take_answers(self, seconds: float) -> None:
        for ticket, text in self.transport.wait(seconds):
            worker = self._worker_of.get(ticket)
            if worker is None:  # of a task that was given up
                continue
            if text is None:  # its worker is gone, or will be found to be
                self._lost(worker, ticket)
                self._look_at_workers(force=True)
            else:
                self._answered(worker, ticket, text)
        self._hand_out()

    def _answered(self, worker: Worker, ticket: int, text: str) -> None:
        attempt = self._end(worker, ticket)
        now = self.clock()
        took_s, worker.head_since = now - worker.head_since, now
        try:
            value = read_answer(text)
            if worker.state == "asked":
                self._check_version(worker, value)
            elif worker.state == "opening":
                self._opened(worker, value)
            elif attempt is None:
                self._calls[ticket] = value if isinstance(value, RemoteError) else (value,)
            elif isinstance(value, RemoteError):
                self._failed(worker, attempt, value)
            else:
                self._note_duration(took_s)
                evaluation = None if value is None else self._evaluation(value, attempt)
                self._evaluated += 1
                self._ended.append((attempt.configuration, evaluation))
        except Rejected as rejected:
            reason = RemoteError("TunepassError", f"an answer that cannot be read: {rejected}", VERSION_HINT)
            self._failed(worker, attempt, reason)

    def _evaluation(self, value: object, attempt: Attempt) -> Evaluation:
        evaluation = decode_evaluation(value, attempt.configuration)
        look_s = value.get("look_s") if isinstance(value, dict) else None
        if not isinstance(look_s, (int, float)) or not 0 <= look_s < float("inf"):
            raise Rejected("an evaluation has look_s, a number of seconds")
        self.look_s = max(self.look_s, float(look_s))
        return evaluation

    def _note_duration(self, took_s: float) -> None:
        self.longest_s = max(self.longest_s, took_s)
        self.recent_s = took_s if self.recent_s == float("inf") else 0.8 * self.recent_s + 0.2 * took_s

    def _check_version(self, worker: Worker, value: object) -> None:
        """Have a worker of this version make the evaluator: another one may read its text otherwise. Raises
        TunepassError for another one, and leaves it out where the search runs already."""
        if isinstance(value, RemoteError):
            other = value.as_error(str(worker))
        else:
            version, worker.host = version_of(value)
            if version == self.version:
                worker.state = "opening"
                self._begin(worker, None, "open_evaluator", self.source.encode())
                return
            other = other_version(worker.address, worker.host, version, self.version)
        if not self.identity:
            raise other
        self._exclude(worker, other)

    def _opened(self, worker: Worker, value: object) -> None:
        """The worker made the evaluator, or could not."""
        if isinstance(value, RemoteError):
            self._exclude(worker, value.as_error(str(worker)))
            return
        worker.machine, kinds = machine_of(value, worker.address)
        self.capabilities = self.capabilities or kinds
        worker.state = "opened"
        if self.identity:
            self._admit(worker)
            if worker.state == "excluded":
                self._tell_excluded(f"worker {worker} is on a machine of another identity and is not used")

    def _failed(self, worker: Worker, attempt: Attempt | None, error: RemoteError) -> None:
        """A worker answers with an error: it is not used again, and the configuration goes elsewhere. Raises the error
        where all workers fail, or where it is no machine's."""
        raised = error.as_error(str(worker))
        if attempt is not None and error.message == UNKNOWN:  # another process answers at the address of a lost one
            self._waiting.appendleft(attempt)
            self.retried += 1
            self._open(worker)
            return
        if attempt is None and worker.state in ARRIVING and self.identity:
            self._exclude(worker, raised)
            return
        if attempt is None or not error.is_fault:
            raise raised
        self._exclude(worker, raised)
        self._waiting.appendleft(attempt)
        self.retried += 1
        none_works = not self._evaluated and len(self._faults) >= MOST_FAULTS
        if none_works or not any(w.state in ("ready", *ARRIVING) for w in self.workers.values()):
            raise raised

    def _exclude(self, worker: Worker, reason: TunepassError) -> None:
        worker.state = "excluded"
        self._faults.append(reason)
        for ticket in list(worker.tasks):
            self._lost(worker, ticket, blamed=False)
        self._tell_excluded(f"{reason.diagnostics[0].message}; it is not used any more")

    def _tell_excluded(self, sentence: str) -> None:
        self.excluded.append(sentence)
        self.notify(sentence)

    # -- workers that come, go and hang

    def _look_at_workers(self, *, force: bool = False) -> None:
        """Take in workers that came, and hand out again what those had that are gone or hang."""
        now = self.clock()
        if not force and now - self._checked_at < POLL_S:
            return
        self._checked_at = now
        present = set(self.transport.addresses())
        for address in [address for address in self.workers if address not in present]:
            worker = self.workers.pop(address)
            for place, ticket in enumerate(list(worker.tasks)):
                self._lost(worker, ticket, blamed=place == 0)  # the others had not begun
        for address in sorted(present - self.workers.keys()):
            self.workers[address] = Worker(address)
            self._open(self.workers[address])
        for worker in list(self.workers.values()):
            if worker.tasks and now - worker.head_since > self._silence_s(worker):
                self._hung(worker)
        self._check_not_empty(now)
        self._hand_out()

    def _open(self, worker: Worker) -> None:
        worker.state = "asked"
        self._begin(worker, None, "version")

    def _silence_s(self, worker: Worker) -> float:
        if worker.state in ARRIVING:
            return self.limits.open_s
        return max(self.limits.least_s, self.limits.times * self.longest_s) if self._evaluated else self.limits.first_s

    def _hung(self, worker: Worker) -> None:
        head = next(iter(worker.tasks))
        attempt = worker.tasks[head]
        if attempt is not None:
            attempt.hung = True
        worker.state = "excluded"
        self.notify(f"worker {worker.address} has not answered for {self._silence_s(worker):.0f} s and is ended")
        for ticket in list(worker.tasks):
            self._lost(worker, ticket, blamed=ticket == head)
        self.transport.restart(worker.address)

    def _lost(self, worker: Worker, ticket: int, *, blamed: bool = True) -> None:
        """A task has no answer: its configuration waits for another worker, or has failed there too often."""
        attempt = self._end(worker, ticket)
        self.transport.cancel(ticket)
        if attempt is None:
            self._calls[ticket] = None
            if worker.state in ARRIVING and worker.address in self.workers:
                self._open(worker)
            return
        self.retried += 1
        if blamed:
            attempt.losses.append(worker.address)
        if len(attempt.losses) < self.limits.most_losses:
            self._waiting.appendleft(attempt)
            return
        ways = "hung" if attempt.hung else "died"
        log = f"the worker process that evaluated it {ways}, {len(attempt.losses)} times: {', '.join(attempt.losses)}"
        failure = Failed("timeout" if attempt.hung else "crash", log)
        self._ended.append((attempt.configuration, Evaluation(failure, {}, log)))

    def _check_not_empty(self, now: float) -> None:
        usable = any(worker.state in ("ready", *ARRIVING) for worker in self.workers.values())
        if usable or not self.identity:
            self._empty_since = None
            return
        self._empty_since = now if self._empty_since is None else self._empty_since
        if now - self._empty_since > self.limits.none_left_s:
            raise EnvironmentFault(
                f"no worker of the cluster is left that can evaluate, for {now - self._empty_since:.0f} s",
                hint="start workers; everything measured is kept, and the same command goes on",
            )

    # -- calls

    def call(self, member: str, *arguments: object) -> object:
        """The value of a call on one worker, the same one for all calls as long as it lives."""
        for _ in range(self.limits.most_losses):
            worker = self._measuring_worker()
            ticket = self._begin(worker, None, "call", self.source.digest, member, list(arguments))
            while ticket not in self._calls:
                self._take_answers(POLL_S)
                self._look_at_workers()
            value = self._calls.pop(ticket)
            if isinstance(value, RemoteError) and value.message == UNKNOWN:
                self._open(worker)
            elif isinstance(value, RemoteError):
                raise value.as_error(str(worker))
            elif value is not None:
                return value[0]
        raise EnvironmentFault(f"{self.limits.most_losses} workers were lost in one call of {member}")

    def _measuring_worker(self) -> Worker:
        while not (ready := self._ready()):
            self._take_answers(POLL_S)
            self._look_at_workers()
        known = next((worker for worker in ready if worker.address == self._measurer), None)
        worker = known or min(ready, key=lambda w: len(w.tasks))
        self._measurer = worker.address
        return worker

    def close(self) -> None:
        """Give up what is under way, and have the workers remove the evaluator's files."""
        for worker in self.workers.values():
            for ticket in list(worker.tasks):
                self.transport.cancel(ticket)
                self._end(worker, ticket)
        tickets = {self._begin(worker, None, "close_evaluator", self.source.digest) for worker in self._ready()}
        end = self.clock() + 5.0
        while tickets and (left_s := end - self.clock()) > 0:
            tickets -= {ticket for ticket, _ in self.transport.wait(min(left_s, POLL_S))}
        self.transport.close()
