"""What time is kept for the finalists."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import tunepass as tp
from tunepass.search.budget import FINALISTS_SHARE, MOST_NOISE, Budget, spread
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
STEADY, NOISY, WILD = (100.0, 101.0, 102.0), (90.0, 100.0, 110.0), (50.0, 100.0, 200.0)


class Programs:
    """Runs programs again."""

    def __call__(self, configuration: Configuration) -> Evaluation:
        raise AssertionError("nothing is evaluated here")

    def compare_again(self, configurations: Sequence[Configuration], **_: object) -> list[list[float]]:
        return [[] for _ in configurations]


class InTurns(Programs):
    def round_s(self, trial_s: float, /) -> float:
        return trial_s / 2


class Keeping(Programs):
    """Has all programs still, and gives the winner's away as it is, or does not."""

    def __init__(self, hands_over: bool):
        self.hands_over = hands_over

    def is_kept(self, configuration: Configuration, /) -> bool:
        return True


class LookingAgain(Programs):
    def look_again(self, configuration: Configuration, /) -> None:
        raise AssertionError("nothing is looked at here")

    def look_s(self) -> float:
        return 5.0


def reserved_s(
    samples: Sequence[float],
    evaluate: Programs,
    budget_s: float = 1000.0,
    compile_s: float = 0.0,
    others: Sequence[Sequence[float]] = (),
) -> float:
    """Two trials with the samples, and any others, which are slower."""
    trial_log = TrialLog(Study(tp.Space([tp.Integer("X", 0, 9)]), [TIME], strategy="random"), TIME)
    for x, each in enumerate([samples, samples, *others]):
        measured = Measured({"time": sorted(samples)[1] / (1 + x) if x < 2 else 100.0}, tuple(each))
        trial_log.keep(Configuration({"X": x}), Evaluation(measured, {"measure": 1.0, "compile": compile_s}))
    return Budget(trial_log, evaluate, budget_s, None, lambda: 0.0).reserve_s()  # type: ignore[arg-type]


def test_spread_is_half_of_what_two_thirds_lie_within() -> None:
    assert spread(NOISY) == pytest.approx(0.1)
    assert spread([7.0]) == 0
    assert spread([1.0] * 50 + [9.0] * 5) == 0  # few outliers are none


def test_a_noisy_program_has_more_rounds_to_come() -> None:
    steady, noisy, wild = (reserved_s(samples, Programs()) for samples in (STEADY, NOISY, WILD))
    assert 0 < steady < noisy < wild
    assert noisy == pytest.approx(2 * steady, rel=0.15)
    assert wild == pytest.approx(MOST_NOISE * steady, rel=0.15)


def test_a_machine_that_disturbs_a_quarter_of_the_trials_has_more_rounds_to_come() -> None:
    steady, one, two = (reserved_s(STEADY, Programs(), others=o) for o in ([STEADY], [NOISY, STEADY], [NOISY] * 2))
    assert one == two == pytest.approx(2 * steady, rel=0.15)


def test_never_more_than_its_share_of_the_budget() -> None:
    assert reserved_s(WILD, Programs(), budget_s=20.0) == FINALISTS_SHARE * 20.0


def test_programs_that_share_their_turns_need_no_more_of_them() -> None:
    assert reserved_s(WILD, InTurns()) == reserved_s(STEADY, InTurns())


def test_what_is_built_already_takes_no_time() -> None:
    plain, written, handed = (
        reserved_s(STEADY, programs, compile_s=8.0) for programs in (Programs(), Keeping(False), Keeping(True))
    )
    assert handed == pytest.approx(reserved_s(STEADY, Programs()))
    assert written == pytest.approx(handed + 8.0)  # the winner, once more
    assert plain == pytest.approx(handed + 8.0 + 2 * 8.0)  # the default and the finalist before


def test_time_is_kept_for_a_longer_look() -> None:
    assert reserved_s(STEADY, LookingAgain()) == pytest.approx(reserved_s(STEADY, Programs()) + 5.0)
