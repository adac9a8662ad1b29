from __future__ import annotations

import numpy as np

from tunepass.acquisition.maximise import LocalSearchSettings, maximise
from tunepass.acquisition.polish import CHILDREN, polish
from tunepass.space.columns import Columns, length
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

TOP = (0.61803, 0.27183, 0.14142)
MIXED = Space(
    [Real("x", 0.0, 1.0), Real("y", 1.0, 100.0, log=True), Real("z", 0.0, 1.0), Integer("n", 1, 9)],
    constraints=["x + z <= 1"],
)


def hill(columns: Columns) -> Floats:
    """Its top is feasible, and no sum of the neighbourhood's steps from a start."""
    places = columns["x"], np.log(columns["y"]) / np.log(100.0), columns["z"]
    far = sum((place - top) ** 2 for place, top in zip(places, TOP))
    return np.asarray(-far - (columns["n"] - 4.0) ** 2)


def starts(n: int = 40) -> Columns:
    return MIXED.sample_columns(n, np.random.default_rng(0))


def test_the_top_is_found_to_many_digits() -> None:
    def missed(rounds: int) -> float:
        settings = LocalSearchSettings(rounds=rounds)
        best = maximise(hill, Neighbourhood(MIXED), starts(), set(), settings, np.random.default_rng(1))
        assert best is not None and MIXED.contains(best) and best["n"] == 4
        return -float(hill(MIXED.columns([best]))[0])

    assert missed(40) < 1e-8 < missed(0)


def test_only_reals_move_and_every_child_is_feasible() -> None:
    heads = starts(3)
    seen = list(polish(hill, Neighbourhood(MIXED), heads, hill(heads), 4, np.random.default_rng(2)))
    assert len(seen) == 4
    for children, values in seen:
        assert 0 < length(children) <= 3 * CHILDREN and MIXED.contains_columns(children).all()
        assert set(children["n"]) <= set(heads["n"]) and np.array_equal(values, hill(children))


def test_a_list_of_values_is_left_alone() -> None:
    space, asked = Space([Integer("n", 1, 900)]), list[int]()

    def counted(columns: Columns) -> Floats:
        asked.append(length(columns))
        return -((columns["n"] - 700.0) ** 2)

    columns = space.sample_columns(5, np.random.default_rng(0))
    for rounds in (0, 9):
        maximise(
            counted, Neighbourhood(space), columns, set(), LocalSearchSettings(rounds=rounds), np.random.default_rng()
        )
    assert asked[: len(asked) // 2] == asked[len(asked) // 2 :]
