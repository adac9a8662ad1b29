from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.search import panel_drawn
from tests.benchmarks.search.drawn import CHOOSING, KINDS, SPLIT, flags, is_for_choosing, least, mixed, with_failures
from tests.benchmarks.search.runs import Places
from tunepass.study.outcome import Failed


@pytest.mark.parametrize("seed", range(6))
def test_the_least_over_flags_is_that_of_all_configurations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, k = 9, int(rng.integers(16))
    main, joint = rng.normal(size=d), rng.normal(size=k)
    pairs = np.array([rng.choice(d, 2, replace=False) for _ in range(k)], np.int64).reshape(-1, 2)
    every = np.array([*itertools.product([0.0, 1.0], repeat=d)])
    values = every @ main + (joint * every[:, pairs[:, 0]] * every[:, pairs[:, 1]]).sum(axis=1)
    value, best = least(main, pairs, joint)
    assert value == pytest.approx(values.min()) and best.tolist() == every[values.argmin()].tolist()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "210 mixed"])
def test_no_configuration_is_better_than_the_optimum(kind: str) -> None:
    problem, rng = KINDS[kind](1), np.random.default_rng(2)
    assert all(problem.truth(c) >= problem.optimum - 1e-12 for c in problem.space.sample(60, rng))
    assert problem.default > problem.optimum


def test_a_seed_gives_the_same_problem() -> None:
    one, same, other = mixed(3), mixed(3), mixed(4)
    configurations = one.space.sample(5, np.random.default_rng(0))
    assert [one.truth(c) for c in configurations] == [same.truth(c) for c in configurations]
    assert one.name != other.name


def test_hidden_failures_spare_the_default_and_the_optimum() -> None:
    problem, rng = with_failures(flags(5), 5), np.random.default_rng(1)
    assert problem.best_places is not None and problem.risk_of(problem.best_places) == 0
    assert not isinstance(problem.measured(problem.space.default, rng), Failed)
    assert any(isinstance(problem.measured(c, rng), Failed) for c in problem.space.sample(300, rng))


def test_kinds_that_had_no_part_in_choices_are_never_for_choosing() -> None:
    apart = [kind for kind in KINDS if kind not in CHOOSING]
    assert apart and not any(is_for_choosing(kind, range(5)) for kind in apart)
    assert is_for_choosing(CHOOSING[0], range(5)) and not is_for_choosing(CHOOSING[0], [SPLIT])


def test_searches_of_one_problem_are_repeatable_and_told_in_the_order_of_their_ends(tmp_path: Path) -> None:
    problem = KINDS["asynchronous, mixed"](1)
    runs = [panel_drawn.searched(problem, panel_drawn.Ours(problem, "random", 1, 20), 1, 20) for _ in range(2)]
    assert problem.workers >= 4 and runs[0].times == runs[1].times and len(runs[0].times) == 20
    assert (np.diff(runs[0].times) <= 0).all()  # nothing is noisy


def test_the_table_has_both_scores_and_the_difference_in_pairs(tmp_path: Path) -> None:
    places = Places(tmp_path, tmp_path)
    text = panel_drawn.table(places, ["failures, mixed"], ["random", "density_ratio"], range(SPLIT, SPLIT + 2), print)
    assert "gained at 50 | gained at 100 | optimum over best at 50" in text
    random, ratio = text.splitlines()[2:]
    assert random.startswith("| failures, mixed | random |") and ratio.startswith("| failures, mixed | density_ratio |")
    assert text == panel_drawn.table(
        places, ["failures, mixed"], ["random", "density_ratio"], range(SPLIT, SPLIT + 2), print
    )
