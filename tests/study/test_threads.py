"""Threads that share one study: no suggestion twice, no error, every outcome kept."""

from __future__ import annotations

import threading

from tests.study.studies import TIME
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Real
from tunepass.space.space import Space
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

MOST = 24


def test_four_threads_share_a_study() -> None:
    space = Space([Integer("a", 0, 30), Categorical("c", list("pqrst")), Real("x", 0.0, 1.0)])
    some = Study(space, [TIME], max_evals=MOST)
    suggested: list[Configuration] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            while configurations := some.suggest():
                suggested.extend(configurations)
                a, x = configurations[0]["a"], configurations[0]["x"]
                assert isinstance(a, int) and isinstance(x, float)
                some.observe(configurations[0], Measured({"time": a + x}))
                assert some.best is not None and some.spent <= MOST and repr(some)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(set(suggested)) == len(suggested) == len(some.trials) == MOST and some.finished


def test_a_study_waits_for_the_thread_inside() -> None:
    """While a strategy thinks, no other thread reaches it."""
    inside = 0
    overlaps: list[int] = []
    entered, leave = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, task: object):
            self.left = [Configuration({"a": n}) for n in range(1, 5)]

        def suggest(self, n: int) -> list[Configuration]:
            nonlocal inside
            inside += 1
            overlaps.append(inside)
            entered.set()
            leave.wait(0.2)
            inside -= 1
            chosen, self.left = self.left[:n], self.left[n:]
            return chosen

        def observe(self, trial: object) -> None:
            pass

    some = Study(Space([Integer("a", 0, 9)]), [TIME], strategy=Slow)
    some.suggest()
    threads = [threading.Thread(target=some.suggest) for _ in range(2)]
    for thread in threads:
        thread.start()
    entered.wait()
    leave.set()
    for thread in threads:
        thread.join()
    assert overlaps == [1, 1]
