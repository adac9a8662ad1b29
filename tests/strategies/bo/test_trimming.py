from __future__ import annotations

import math

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Permutation
from tunepass.space.space import Space
from tunepass.strategies.bo.trimming import Trimming, TrimSettings

FLAGS = Space([Integer(f"f{i}", 0, 1, default=0) for i in range(60)])


def flags(*numbers: int) -> Configuration:
    return Configuration({**FLAGS.default, **{f"f{i}": 1 for i in numbers}})


def price(configuration: Configuration) -> float:
    """f3 and f7 help by themselves, f11 and f12 only together."""
    both = configuration["f11"] == configuration["f12"] == 1
    return 100.0 * 0.8 ** configuration["f3"] * 0.9 ** configuration["f7"] * (0.7 if both else 1.0)  # type: ignore[operator]


def drawn(n: int, seed: int = 1) -> list[Configuration]:
    rng = np.random.default_rng(seed)
    return [FLAGS.default, *(flags(*np.flatnonzero(rng.random(60) < 0.5)) for _ in range(n))]


EVERY = flags(*range(60))
MATTER = {"f3", "f7", "f11", "f12"}


def test_what_trials_show_to_matter_alone_and_together_stays() -> None:
    trials = drawn(150)
    idle = Trimming(FLAGS, trials, [price(c) for c in trials]).idle(EVERY)
    assert not MATTER & set(idle) and len(idle) >= 50


def test_a_maximised_objective_has_negative_losses() -> None:
    trials = drawn(150)
    idle = Trimming(FLAGS, trials, [-1000.0 / price(c) for c in trials]).idle(EVERY)
    assert not MATTER & set(idle) and len(idle) >= 50


def test_more_goes_where_more_may_be_lost() -> None:
    trials = drawn(150)
    losses = [price(c) for c in trials]
    idle = Trimming(FLAGS, trials, losses, TrimSettings(loss=-math.log(0.9) + 0.02)).idle(EVERY)
    assert "f7" in idle and not {"f3", "f11", "f12"} & set(idle)


def test_what_seems_to_harm_goes_first() -> None:
    trials = drawn(150)
    losses = [price(c) * 2.0 ** c["f20"] for c in trials]  # type: ignore[operator]
    assert Trimming(FLAGS, trials, losses).idle(EVERY)[0] == "f20"


def test_a_draw_is_the_same_again_and_another_may_differ() -> None:
    trials = drawn(12)
    trimming = Trimming(FLAGS, trials, [price(c) for c in trials])
    assert trimming.idle(EVERY) == trimming.idle(EVERY)
    assert len({tuple(trimming.idle(EVERY, draw)) for draw in range(6)}) > 1


def test_only_what_differs_from_the_default_is_put_back() -> None:
    trials = drawn(150)
    trimming = Trimming(FLAGS, trials, [price(c) for c in trials])
    assert trimming.idle(FLAGS.default) == []
    assert set(trimming.idle(flags(3, 20, 21))) == {"f20", "f21"}


def test_equal_losses_leave_nothing_that_matters() -> None:
    trials = drawn(20)
    assert set(Trimming(FLAGS, trials, [5.0] * len(trials)).idle(EVERY)) == set(FLAGS.default)


def test_any_kind_of_parameter() -> None:
    space = Space(
        [
            Integer("tile", 1, 8, default=1),
            Categorical("level", ["-O2", "-O3", "-Os"], default="-O2"),
            Permutation("order", 3),
            *(Integer(f"f{i}", 0, 1, default=0) for i in range(20)),
        ]
    )
    rng = np.random.default_rng(2)
    trials = [space.default, *space.sample(120, rng)]
    losses = [100.0 / c["tile"] * (0.6 if c["level"] == "-O3" else 1.0) for c in trials]  # type: ignore[operator]
    start = Configuration({**space.default, "tile": 8, "level": "-O3", "order": (2, 1, 0), "f4": 1, "f9": 1})
    idle = set(Trimming(space, trials, losses).idle(start))
    assert "order" in idle and not {"tile", "level"} & idle
