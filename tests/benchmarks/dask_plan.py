"""What a search over 1,000 workers saturates first: a simulation of discrete events, with overheads measured here.

    symbol   meaning
    W, T     workers; mean seconds of an evaluation (their distribution is exponential)
    c        seconds of the client for a trial: the session's bookkeeping with W workers, and the store
    s(n)     seconds of the strategy for n suggestions at once: s(1) + (n - 1) ds
    d        seconds of Dask for a task, client and scheduler together, in one process as here

The client is one server: it takes all answers that wait, stores them, and asks once for as many suggestions as workers
are free. Dask is another: tasks and answers pass it one after the other.
"""

from __future__ import annotations

import heapq
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tunepass as tp
from tests.executors.made_from_text import source_of, value_of
from tests.executors.simulated_cluster import SimulatedCluster
from tunepass.executors.dask.executor import DaskExecutor
from tunepass.executors.dask.session import Limits, Session
from tunepass.space.configuration import Configuration

DURATIONS_S = (1.0, 10.0, 60.0)
TRIALS_BEFORE = 200  # in the study whose strategy is timed
AT_ONCE = 50  # suggestions, for ds
DEFAULT_WORKERS = 1000
SATURATED = 0.95  # of its time that a server is busy


@dataclass(frozen=True, slots=True)
class Overheads:
    """Seconds as in the table above."""

    client_s: float
    strategy_s: float
    further_s: float
    dask_s: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """Shares of the time that each was busy, and trials a second."""

    workers: float
    client: float
    dask: float
    rate: float

    @property
    def saturated(self) -> str:
        """Server that limits the rate."""
        if max(self.client, self.dask) < SATURATED:
            return "the workers"
        return "the client" if self.client >= self.dask else "Dask"


def simulate(workers: int, mean_s: float, overheads: Overheads, trials: int = 20_000, seed: int = 0) -> Simulated:
    """Run so many trials."""
    rng = random.Random(seed)
    arrivals: list[float] = [0.0] * workers  # when each free worker's answer reaches the client
    heapq.heapify(arrivals)
    now = dask_free = client_busy = dask_busy = worker_busy = 0.0
    done = 0
    while done < trials:
        now = max(now, arrivals[0])
        free = 0
        while arrivals and arrivals[0] <= now:
            heapq.heappop(arrivals)
            free += 1
        spent = overheads.strategy_s + (free - 1) * overheads.further_s + free * overheads.client_s
        client_busy += spent
        now += spent
        for _ in range(free):
            dask_free = max(dask_free, now) + overheads.dask_s
            dask_busy += overheads.dask_s
            took = rng.expovariate(1 / mean_s)
            worker_busy += took
            heapq.heappush(arrivals, dask_free + took)
        done += free
    total = max(now, dask_free)
    return Simulated(min(1.0, worker_busy / (workers * total)), client_busy / total, dask_busy / total, done / total)


def strategy_times(strategy: str, trials: int = TRIALS_BEFORE) -> tuple[float, float, float]:
    """Seconds of the first and of each further suggestion, and to store a trial."""
    with tempfile.TemporaryDirectory() as folder:
        space = tp.Space([tp.Integer(name, 0, 30) for name in "abcdef"])
        store = f"sqlite:///{Path(folder) / 'store.db'}"
        study = tp.Study(space, [tp.Objective("time")], strategy=strategy, store=store, repeats=False)
        store_s = 0.0
        while len(study.trials) < trials:
            for configuration in study.suggest(20):
                before = time.perf_counter()
                study.observe(configuration, tp.Measured({"time": value_of(sum(configuration.values()))}))
                store_s += time.perf_counter() - before
        before = time.perf_counter()
        study.suggest(1)
        first_s = time.perf_counter() - before
        before = time.perf_counter()
        study.suggest(AT_ONCE)
        many_s = time.perf_counter() - before
    return first_s, max(0.0, many_s - first_s) / (AT_ONCE - 1), store_s / trials


def session_s(workers: int, trials: int = 4000) -> float:
    """Seconds of the session's bookkeeping for a trial, with so many workers that answer at once."""
    cluster = SimulatedCluster(workers)
    limits = Limits(open_s=1e9)
    session = Session(cluster, source_of(), version="1", limits=limits, clock=cluster.clock)
    session.start()
    return _seconds_a_trial(session, trials)


def _seconds_a_trial(session: Session, trials: int) -> float:
    """Seconds for each of so many evaluations, begun as there is room."""
    before = time.perf_counter()
    begun = 0
    for _ in range(trials):
        room = session.room
        session.begin([Configuration({"x": begun + i}) for i in range(room)])
        begun += room
        session.ended()
    return (time.perf_counter() - before) / trials


def dask_s(trials: int = 400) -> float:
    """Seconds of Dask for a task that does nothing, handed out and fetched as evaluations are."""
    source = source_of()
    with DaskExecutor(2, "") as executor, executor.evaluator(source) as evaluate:
        session: Session = evaluate.session  # type: ignore[attr-defined]
        return _seconds_a_trial(session, trials)


def plan(workers: int = DEFAULT_WORKERS) -> None:
    """Print what was measured, and the table."""
    task_s, bookkeeping_s = dask_s(), session_s(workers)
    print(f"measured: {1e3 * task_s:.1f} ms a task for Dask, {1e3 * bookkeeping_s:.2f} ms for the session")
    print(f"{workers:,} workers, simulated:")
    print("strategy  evaluation  trials/s   workers  client   Dask    saturated first")
    for strategy in ("random", "auto"):
        first_s, further_s, store_s = strategy_times(strategy)
        overheads = Overheads(store_s + bookkeeping_s, first_s, further_s, task_s)
        for mean_s in DURATIONS_S:
            result = simulate(workers, mean_s, overheads)
            shares = "".join(f"{share:7.0%}  " for share in (result.workers, result.client, result.dask))
            print(f"{strategy:8}  {mean_s:8.0f} s  {result.rate:8.1f}  {shares}  {result.saturated}", flush=True)
        print(
            f"{strategy}: {1e3 * first_s:.1f} ms for one suggestion, {1e3 * further_s:.2f} ms for each further one at "
            f"once, {1e3 * store_s:.2f} ms to store a trial"
        )
