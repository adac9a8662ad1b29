"""What is said of a default that was kept."""

from __future__ import annotations

import numpy as np

from tests.passes.fakes import kernel
from tunepass.commands.answers.finalists import finalist_lines, finalists_data, kept_sentence
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.comparison.final_round import Comparison, comparison_of
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.trial import Trial

TIME = (Objective("time", unit="ms"),)
SPACE = Space(kernel().parameters, kernel().constraints)
OTHER = Configuration({"TILE": 8, "MODE": "a"})
DEFAULT = Trial(0, SPACE.default, Measured({"time": 1.0}))


def compared(gain: float, noise: float, rounds: int) -> Comparison:
    rng = np.random.default_rng(1)
    times = np.exp(noise * rng.standard_normal((2, rounds)))
    return comparison_of("time", list(times[0] * gain), [OTHER], [list(times[1])])


def test_the_best_finalist_and_how_many_more_rounds_would_decide() -> None:
    undecided = compared(1.05, 0.05, 20)
    sentence = kept_sentence(undecided, (), TIME, SPACE)
    data = finalists_data(undecided, (), TIME, SPACE)
    assert isinstance(data, dict) and isinstance(data["candidates"], list)
    (only,) = data["candidates"]
    assert f"best finalist {only['gain']:.3f}x [{only['interval'][0]:.3f}, {only['interval'][1]:.3f}]" in sentence
    assert sentence.endswith(
        f"; about {data['more_rounds']} more rounds would decide: a longer --budget with --continue makes them"
    )
    assert (data["rounds"], data["best"], only["choice"]) == (20, 0, {"TILE": 8, "MODE": "a"})


def test_more_rounds_than_a_build_makes_are_told() -> None:
    sentence = kept_sentence(compared(1.02, 0.08, 30), (), TIME, SPACE)
    assert sentence.endswith(" more rounds would decide: a build makes 100 at most")


def test_what_more_rounds_cannot_change() -> None:
    assert "no finalist is 1.01x better; the best is 1.0" in kept_sentence(compared(1.0, 0.001, 10), (), TIME, SPACE)
    wild = comparison_of("time", [1.0, 2.0] * 5, [OTHER], [[2.0, 1.0] * 5])
    assert "more than 1,000 more rounds" in kept_sentence(wild, (), TIME, SPACE)
    assert "no finalist made enough rounds (2)" in kept_sentence(compared(2.0, 0.0, 2), (), TIME, SPACE)


def test_a_finalist_that_failed_is_named_and_not_the_best() -> None:
    slower = Configuration({"TILE": 8, "MODE": "b"})
    faster = compared(1.7, 0.01, 20)
    trials = [
        DEFAULT,
        Trial(1, OTHER, Failed("wrong_result", "a data race\nat line 3")),
        Trial(2, slower, Measured({"time": 1.1})),
    ]
    alone = kept_sentence(faster, trials[:2], TIME, SPACE)
    assert alone.startswith(
        "default kept: no finalist is left; failed finalist: TILE=8, MODE=a (wrong_result: a data race); 1 of 1"
    )
    both = comparison_of("time", faster.default, [OTHER, slower], [faster.finalists[0].values, [1.9] * 20])
    sentence = kept_sentence(both, trials, TIME, SPACE)
    assert sentence.startswith("default kept: no finalist is 1.01x better; the best is 0.")
    assert "; failed finalist: TILE=8, MODE=a (wrong_result: a data race); " in sentence
    data = finalists_data(both, trials, TIME, SPACE)
    assert isinstance(data, dict) and isinstance(data["candidates"], list) and data["best"] == 1
    assert [c["failed"] for c in data["candidates"] if isinstance(c, dict)] == ["wrong_result", None]


def test_why_nothing_was_compared() -> None:
    def said(*others: Trial) -> str:
        return kept_sentence(None, [DEFAULT, *others], TIME, SPACE)

    assert said() == "default kept: nothing else was evaluated"
    assert (
        said(Trial(1, OTHER, Failed("crash")))
        == "default kept: no other candidate works; 1 of 1 candidate failed (1 crash)"
    )
    same = Trial(1, OTHER, Measured({"time": 1.0}), same_as=0)
    assert said(same) == "default kept: what else was evaluated is the same code"
    assert said(Trial(1, OTHER, Measured({"time": 1.0}))) == "default kept: no significant gain"
    alone = Space(kernel().parameters, ("TILE == 4", "MODE == 'a'"))
    assert kept_sentence(None, [DEFAULT], TIME, alone) == "default kept: there is no other configuration"


def test_explain_has_a_line_for_each_finalist() -> None:
    head, *lines = "\n".join(finalist_lines(compared(1.3, 0.05, 20), TIME)).splitlines()
    assert head == "  finalists, in 20 rounds with the default:" and len(lines) == 2
    assert lines[1].split()[0] == "20" and lines[1].endswith("TILE=8, MODE=a") and "|" in lines[1]
    assert finalist_lines(None, TIME) == [] and finalists_data(None, (), TIME, SPACE) is None
