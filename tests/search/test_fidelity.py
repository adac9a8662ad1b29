"""A study with cheaper levels: which one is asked, what it costs, and what it saves on functions with known optima."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import tunepass as tp
from tests.benchmarks.search.panel_fidelity import Branin
from tunepass.diagnostics import StudyError
from tunepass.search.fidelity import FIRST, FULL, FidelitySuggestion

SPACE = tp.Space([tp.Integer("a", 0, 30), tp.Integer("b", 0, 30)])
TIME = tp.Objective("time")


def price(asked: FidelitySuggestion) -> tp.Measured:
    a, b = (float(str(asked.configuration[name])) for name in "ab")
    shift = 0 if asked.fidelity == FULL else 2
    return tp.Measured({"time": 5 + (a - 11 - shift) ** 2 / 20 + (b - 23) ** 2 / 30})


def searched(study: tp.FidelityStudy, evaluations: int = 10**6) -> list[FidelitySuggestion]:
    done: list[FidelitySuggestion] = []
    while len(done) < evaluations and (suggested := study.suggest()):
        study.observe(suggested[0].configuration, price(suggested[0]), fidelity=suggested[0].fidelity)
        done.append(suggested[0])
    return done


def test_the_cheap_level_comes_first_and_the_budget_is_kept() -> None:
    study = tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=20)
    done = searched(study)
    first = math.ceil(FIRST * 20 / 0.1)
    assert [asked.fidelity for asked in done[: first + 1]] == ["small"] * first + [FULL]
    small, full = study.at("small").trials, study.at(FULL).trials
    assert study.finished and study.spent == pytest.approx(0.1 * len(small) + len(full))
    assert 19 < study.spent <= 20 and study.suggest() == []
    assert study.best is not None and study.best == study.at(FULL).best


def test_what_is_under_evaluation_counts() -> None:
    study = tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.5)], budget=4)
    asked = study.suggest(50)
    assert study.spent == pytest.approx(sum(0.5 if one.fidelity == "small" else 1 for one in asked)) and study.finished
    assert len({(one.configuration, one.fidelity) for one in asked}) == len(asked)


@pytest.mark.slow
def test_several_levels_each_foretell_the_next() -> None:
    levels = [tp.Fidelity("half", cost=0.3), tp.Fidelity("count", cost=0.02)]
    study = tp.FidelityStudy(SPACE, TIME, levels, budget=15)
    done = searched(study)
    assert done[0].fidelity == "count" and {asked.fidelity for asked in done} == {"count", "half", FULL}
    trust = study.at(FULL).trust
    assert trust is not None and trust.weight is not None and trust.weight > 0.5


def test_a_level_that_foretells_nothing_gets_its_first_share_alone() -> None:
    study = tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=40)
    rng = np.random.default_rng(0)
    while suggested := study.suggest():
        (asked,) = suggested
        noise = tp.Measured({"time": float(np.exp(rng.normal()))})
        study.observe(asked.configuration, price(asked) if asked.fidelity == FULL else noise, fidelity=asked.fidelity)
    assert len(study.at("small").trials) * 0.1 <= FIRST * 40 + 0.1
    assert study.best is not None and study.best.outcome.values["time"] < 5.2  # type: ignore[union-attr]


def test_an_interrupted_study_goes_on_as_an_undisturbed_one(tmp_path: Path) -> None:
    def made(store: str) -> tp.FidelityStudy:
        return tp.FidelityStudy(
            SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=12, store=f"sqlite:///{tmp_path / store}", name="s"
        )

    whole = made("whole.db")
    undisturbed = searched(whole)
    parts: list[FidelitySuggestion] = []
    for evaluations in (7, 15, 6, 10**6):
        study = made("parts.db")
        parts += searched(study, evaluations)
        study.close()
    whole.close()
    assert parts == undisturbed


def test_failures_of_a_cheap_level_are_learned_too() -> None:
    study = tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=10)
    while suggested := study.suggest():
        (asked,) = suggested
        failed = float(str(asked.configuration["a"])) > 25
        outcome: tp.Measured | tp.Failed = tp.Failed("compile", "") if failed else price(asked)
        study.observe(asked.configuration, outcome, fidelity=asked.fidelity)
    assert study.best is not None and study.at("small").failures


@pytest.mark.parametrize(
    ("fidelities", "budget", "message"),
    [
        ([], 10, "distinct names, got none"),
        ([("a", 0.1), ("a", 0.2)], 10, "distinct names, got a, a"),
        ([("a", 0.1)], 0.5, "at least one evaluation, got 0.5"),
        ([("a", 1.5)], 10, "0 < cost < 1 must hold"),
        ([("full", 0.5)], 10, "a name of its own, not 'full'"),
    ],
)
def test_what_makes_no_study(fidelities: list[tuple[str, float]], budget: float, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        tp.FidelityStudy(SPACE, TIME, [tp.Fidelity(name, cost) for name, cost in fidelities], budget=budget)


def test_an_unknown_fidelity_is_told_with_the_nearest() -> None:
    study = tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=10)
    with pytest.raises(StudyError, match="no fidelity 'smal'") as caught:
        study.observe(SPACE.default, tp.Measured({"time": 1.0}), fidelity="smal")
    assert "did you mean 'small'" in str(caught.value)


@pytest.mark.slow
def test_cheap_evaluations_save_costly_ones_on_branin() -> None:
    """With 15 evaluations' worth the regret is a tenth of what 20 evaluations without a cheap level leave."""
    problem = Branin()
    logs = {
        "plain": [math.log10(problem.plain(seed, 20)[-1][1] - problem.optimum) for seed in range(6)],
        "cheap": [math.log10(problem.with_cheap(seed, 15)[-1][1] - problem.optimum) for seed in range(6)],
    }
    assert np.mean(logs["cheap"]) < np.mean(logs["plain"]) - 1


def test_an_exhausted_space_is_asked_once_at_every_level_and_gives_nothing_then() -> None:
    space = tp.Space([tp.Integer("a", 10, 12), tp.Integer("b", 22, 23)])
    study = tp.FidelityStudy(space, TIME, [tp.Fidelity("small", cost=0.1)], budget=50)
    done = searched(study)
    assert len(set(done)) == len(done)
    assert {asked.configuration for asked in done if asked.fidelity == FULL} == set(space.enumerate())
    assert study.finished and study.suggest(3) == []


def test_the_same_seed_asks_the_same_and_another_one_something_else() -> None:
    def asked(seed: int) -> list[FidelitySuggestion]:
        return searched(tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", cost=0.1)], budget=8, seed=seed))

    assert asked(1) == asked(1) != asked(2)
