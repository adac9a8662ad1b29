from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.boxes import undominated
from tunepass.acquisition.hypervolume import (
    LOG_TINIEST,
    ExpectedHypervolumeImprovement,
    SMSego,
    ahead,
    foreseen_reference,
    reference_point,
)
from tunepass.study.results.pareto import hypervolume
from tunepass.surrogates.base import Floats, Posterior
from tunepass.testing.joint_acquisition import Build, JointAcquisitionContract, posteriors

CORNER = np.array([1.2, 1.2])


def gained(front: Floats, y: Floats, reference: Floats) -> float:
    return hypervolume(np.vstack([front, y]), list(reference)) - hypervolume(front, list(reference))


class TestExpectedHypervolumeImprovement(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda front: ExpectedHypervolumeImprovement.of(front, CORNER)


class TestSMSego(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda front: SMSego.of(front, CORNER)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ties", [False, True])
def test_boxes_gain_what_the_hypervolume_gains(k: int, ties: bool) -> None:
    rng = np.random.default_rng(k)
    for n in (0, 1, 2, 7, 30):
        front, points = rng.random((n, k)), rng.uniform(-0.3, 1.3, (40, k))
        if ties:
            front, points = np.round(front * 5) / 5, np.round(points * 5) / 5
        reference = np.full(k, 0.9)
        boxes = undominated(front, reference)
        expected = [gained(front, y, reference) for y in points]
        np.testing.assert_allclose(boxes.improvement(points), expected, atol=1e-12)
        assert len(boxes.upper) <= (n + 1 if k == 2 else 2 * n + 1)


@pytest.mark.parametrize("k", [2, 3])
def test_expected_improvement_agrees_with_monte_carlo(k: int) -> None:
    rng = np.random.default_rng(10 + k)
    front, reference = rng.random((12, k)), np.full(k, 1.1)
    mean, deviation = rng.uniform(-0.2, 1.0, (6, k)), rng.uniform(0.05, 0.5, (6, k))
    exact = np.exp(
        ExpectedHypervolumeImprovement.of(front, reference).utility(posteriors(mean.tolist(), deviation.tolist()))
    )
    boxes = undominated(front, reference)
    for i in range(6):
        draws = boxes.improvement(rng.normal(mean[i], deviation[i], (200_000, k)))
        assert exact[i] == pytest.approx(draws.mean(), abs=5 * draws.std() / np.sqrt(len(draws)))


def test_with_one_box_it_is_a_product_of_expected_improvements() -> None:
    from scipy.stats import norm

    utility = ExpectedHypervolumeImprovement.of(np.empty((0, 2)), np.array([0.5, 0.2])).utility(
        posteriors([[0.3, 0.4]], [[0.2, 0.7]])
    )
    z = np.array([(0.5 - 0.3) / 0.2, (0.2 - 0.4) / 0.7])
    improvement = np.array([0.2, 0.7]) * (norm.pdf(z) + z * norm.cdf(z))
    assert np.exp(utility[0]) == pytest.approx(improvement.prod(), rel=1e-9)


def test_it_keeps_an_order_where_the_improvement_underflows() -> None:
    acquisition = ExpectedHypervolumeImprovement.of(np.array([[0.0, 0.0]]), CORNER)
    utility = acquisition.utility(posteriors([[60.0, 60.0], [50.0, 60.0]], [[1.0, 1.0]] * 2))
    assert utility[1] > utility[0] > -1e5


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    acquisition = ExpectedHypervolumeImprovement.of(rng.random((9, 3)), np.ones(3))
    points = [Posterior(rng.random(50), rng.random(50)) for _ in range(3)]
    whole = acquisition.utility(points)
    monkeypatch.setattr("tunepass.acquisition.hypervolume.CELLS", 30)
    np.testing.assert_allclose(acquisition.utility(points), whole, rtol=1e-12)


def test_smsego_is_the_gain_of_the_optimistic_point_and_penalises_what_is_dominated() -> None:
    front = np.array([[0.0, 1.0], [1.0, 0.0]])
    acquisition = SMSego.of(front, CORNER, alpha=2.0)
    utility = acquisition.utility(posteriors([[0.6, 0.6], [1.2, 1.2], [1.4, 1.4]], [[0.1, 0.1]] * 3))
    assert np.exp(utility[0]) == pytest.approx(gained(front, np.array([0.4, 0.4]), CORNER))
    # (1, 1) is behind both points by (1, 0) and (0, 1); (1.2, 1.2) by more
    assert utility[1] == pytest.approx(LOG_TINIEST - 2 * (2 * 1 - 1))
    assert utility[2] < utility[1]


def test_epsilon_shrinks_with_the_front_and_with_what_is_left() -> None:
    front = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_allclose(SMSego.of(front, CORNER).epsilon, 1 / 3)
    np.testing.assert_allclose(SMSego.of(front, CORNER, left=8).epsilon, 1 / (3 + 0.75 * 8))
    near = posteriors([[0.45, 0.45]], [[0.0, 0.0]])
    assert SMSego.of(front, CORNER).utility(near)[0] <= LOG_TINIEST
    assert SMSego.of(front, CORNER, left=100).utility(near)[0] > LOG_TINIEST


def test_the_reference_lies_behind_the_front_also_when_the_front_is_one_point() -> None:
    assert (reference_point(np.array([[0.0, 0.0], [2.0, 3.0]])) > 0).all()
    assert (reference_point(np.array([[1.0, 5.0]])) > [1.0, 5.0]).all()
    np.testing.assert_allclose(reference_point(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 9.0]])), [1.1, 9.0])


def test_the_reference_moves_from_the_front_to_the_worst_loss() -> None:
    losses = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 9.0]])
    np.testing.assert_allclose(reference_point(losses, 0.0), [1.1, 1.1])
    np.testing.assert_allclose(reference_point(losses, 0.5), [1.1, (1.1 + 9.0) / 2])


@pytest.mark.parametrize("k", [2, 3])
def test_nothing_is_gained_below_the_least_losses(k: int) -> None:
    rng = np.random.default_rng(k)
    front, reference, least = rng.random((6, k)), np.full(k, 1.2), np.full(k, -0.05)
    mean, deviation = rng.normal(0.2, 0.2, (5, k)), rng.uniform(0.05, 0.3, (5, k))
    utility = ExpectedHypervolumeImprovement.of(front, reference, least).utility(
        posteriors(mean.tolist(), deviation.tolist())
    )
    drawn = np.maximum(mean[:, None] + deviation[:, None] * rng.standard_normal((5, 4000, k)), least)
    boxes = undominated(front, reference)
    expected = [boxes.improvement(points).mean() for points in drawn]
    np.testing.assert_allclose(np.exp(utility), expected, rtol=0.08)
    beyond = posteriors([[-3.0] * k], [[0.01] * k])
    whole = boxes.improvement(least[None])
    np.testing.assert_allclose(
        np.exp(ExpectedHypervolumeImprovement.of(front, reference, least).utility(beyond)), whole
    )


def test_gains_within_a_share_of_the_front_s_range_count_for_nothing() -> None:
    losses = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [0.9, 0.9]])
    np.testing.assert_allclose(ahead(losses, 0.1), [[-0.1, 0.9], [0.4, 0.4], [0.9, -0.1]])
    utility = ExpectedHypervolumeImprovement.of(ahead(losses, 0.1), CORNER).utility
    nearly, clearly = np.exp(utility(posteriors([[-0.05, 1.1], [0.3, 0.3]], [[1e-3, 1e-3]] * 2)))
    assert nearly < 1e-12 < 1e-3 < clearly


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="2 or 3 objectives"):
        undominated(np.empty((0, 4)), np.ones(4))
    with pytest.raises(ValueError, match="as many posteriors"):
        ExpectedHypervolumeImprovement.of(np.empty((0, 2)), CORNER).utility(posteriors([[0.0]], [[1.0]]))


def test_the_foreseen_reference_is_behind_the_ends_that_others_do_not_cost_much() -> None:
    ends = [[1.0, 0.02, 0.0], [0.0, 1.0, 0.02], [0.02, 0.0, 1.0]]
    stragglers = [[2.0, -0.01, 0.0], [0.0, 1.9, -0.01], [-0.01, 0.0, 1.8]]  # a little better in one of the losses
    assert foreseen_reference(np.array([*ends, *stragglers])) == pytest.approx([1.1, 1.1, 1.1], abs=0.02)


def test_a_foreseen_reference_moves_the_near_one_only_and_never_to_the_front() -> None:
    losses = np.array([[0.0, 2.0], [2.0, 0.0], [3.0, 3.0]])
    assert reference_point(losses, 0.0, np.array([1.1, 5.0])).tolist() == pytest.approx([1.1, 2.2])
    assert reference_point(losses, 1.0, np.array([1.1, 5.0])).tolist() == pytest.approx([3.0, 3.0])
    assert reference_point(losses, 0.0, np.array([-1.0, 5.0])).tolist() == pytest.approx([0.2, 2.2])
