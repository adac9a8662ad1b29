from __future__ import annotations

import numpy as np

from tunepass.acquisition.maximise import LocalSearchSettings, maximise
from tunepass.space.columns import Columns
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

SPACE = Space([Integer("x", 0, 99), Integer("y", 0, 99)], constraints=["(x + y) % 3 == 0"])


def hill(columns: Columns) -> Floats:
    """Its feasible top is (61, 23)."""
    return -((columns["x"] - 61.0) ** 2) - (columns["y"] - 23.0) ** 2 - 0.5 * np.abs(columns["x"] + columns["y"] - 84.0)


def start(n: int = 5) -> Columns:
    return SPACE.sample_columns(n, np.random.default_rng(0))


def test_local_search_climbs_to_the_top() -> None:
    best = maximise(hill, Neighbourhood(SPACE), start(), set(), LocalSearchSettings())
    assert best is not None and hill(SPACE.columns([best]))[0] >= -2.0
    blind = maximise(hill, Neighbourhood(SPACE), start(), set(), LocalSearchSettings(enabled=False))
    assert blind in SPACE.configurations(start())


def test_heads_that_meet_go_on_as_one() -> None:
    """Twenty climbers to one top price little more than one does, and find it as well."""
    priced = {}
    for climbers in (1, 20):
        seen: list[int] = []

        def counted(columns: Columns, seen: list[int] = seen) -> Floats:
            seen.append(len(columns["x"]))
            return hill(columns)

        best = maximise(counted, Neighbourhood(SPACE), start(20), set(), LocalSearchSettings(climbers=climbers))
        assert best is not None and hill(SPACE.columns([best]))[0] >= -2.0
        priced[climbers] = seen[3:]  # after the second step
    assert sum(priced[20]) < 10 * sum(priced[1])


def test_taken_configurations_are_never_returned() -> None:
    taken = set()
    for _ in range(30):
        best = maximise(hill, Neighbourhood(SPACE), start(), taken, LocalSearchSettings())
        assert best is not None and best not in taken
        taken.add(best)


def test_none_when_every_candidate_is_taken() -> None:
    space = Space([Integer("x", 0, 3)])
    everything = set(space.enumerate())
    columns = space.columns(list(everything))
    flat = maximise(lambda c: np.zeros(len(c["x"])), Neighbourhood(space), columns, everything, LocalSearchSettings())
    assert flat is None
