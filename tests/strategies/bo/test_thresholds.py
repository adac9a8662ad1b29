from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.scalarise import Scale
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.strategies.base import Task
from tunepass.strategies.bo.hypervolume import Hypervolume, HypervolumeSettings
from tunepass.strategies.bo.loss_scales import LossScales
from tunepass.strategies.bo.thresholds import Thresholds
from tunepass.strategies.transforms import PLAIN, OutputScale
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome
from tunepass.testing.strategy import drive

SPACE = Space([Integer("x", 0, 63), Integer("y", 0, 63)])
CORNERS = ((5, 5), (58, 8), (30, 60), (5, 58))


def distances(configuration: Configuration, k: int) -> Outcome:
    """From each of `CORNERS`; maximised the first, so larger is nearer."""
    x, y = (float(str(configuration[name])) for name in "xy")
    far = [1 + np.hypot(x - u, y - v) for u, v in CORNERS[:k]]
    return Measured({"a": -far[0], **{name: float(value) for name, value in zip("bcd", far[1:])}})


def objectives(k: int, limited: bool) -> tuple[Objective, ...]:
    first = Objective("a", maximise=True, limit=-25.0 if limited else None)
    second = Objective("b", reference=70.0 if limited else None, limit=45.0 if limited else None)
    return (first, second, *(Objective(name) for name in "cd"[: k - 2]))


CHEAP = HypervolumeSettings(surrogate="gp", pool=150, crossovers=50, generations=3, samples=64)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_front_is_looked_for_within_the_limits(k: int) -> None:
    def within(limited: bool) -> int:
        task = Task(space=SPACE, objectives=objectives(k, limited), max_evals=22)
        outcomes = [distances(c, k) for c in drive(Hypervolume(task, CHEAP), 22, lambda c: distances(c, k))]
        values = [o.values for o in outcomes[8:] if isinstance(o, Measured)]
        return sum(v["a"] >= -25 and v["b"] <= 45 for v in values)

    assert within(True) >= max(6, within(False) + 2)


@pytest.mark.parametrize("k", [2, 4])
def test_limits_that_nothing_reaches_end_no_search(k: int) -> None:
    impossible = [Objective(name, limit=-5.0, reference=-1.0) for name in "bcd"[: k - 1]]
    task = Task(space=SPACE, objectives=(Objective("a", maximise=True, limit=7.0), *impossible), max_evals=14)
    seen = drive(Hypervolume(task, CHEAP), 14, lambda c: distances(c, k))
    assert len(set(seen)) == 14
    again = drive(Hypervolume(task, CHEAP), 14, lambda c: distances(c, k))
    assert seen == again


def test_the_corner_is_the_user_s_reference_and_no_worse_than_a_limit() -> None:
    names = [Objective("a", reference=5.0), Objective("b", limit=2.0), Objective("c", limit=0.5), Objective("d")]
    stated = Thresholds.of(names, np.ones(4))
    corner = stated.corner(np.full(4, 3.0), np.ones(4), np.full(4, 10.0))
    assert corner.tolist() == [5.0, 2.0, 2.0, 3.0] and stated.stated
    assert not Thresholds.of([Objective("a"), Objective("b")], np.ones(2)).stated


def test_thresholds_beyond_a_log_scale_stay_finite() -> None:
    scales = LossScales([OutputScale(1.0), OutputScale(-1.0), PLAIN], Scale(np.zeros(3), np.ones(3)))
    names = [Objective("a", reference=-3.0), Objective("b", reference=2.0), Objective("c", limit=4.0)]
    fitted = Thresholds.of(names, np.ones(3)).fitted(scales)
    np.testing.assert_allclose(fitted.reference, [-0.1, 1.1, np.nan])
    np.testing.assert_allclose(fitted.limit, [np.nan, np.nan, 4.0])


def test_scales_have_inverses() -> None:
    scales = LossScales([OutputScale(1.0, 0.5), OutputScale(-1.0), PLAIN], Scale(np.array([0.1, 1, 2]), np.ones(3) * 3))
    losses = np.array([[0.0, -4.0, -1.0], [2.0, -0.5, 7.0]])
    np.testing.assert_allclose(scales.plain(scales.fitted(losses)), losses)
