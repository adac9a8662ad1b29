from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.space.features.embedding import Embedding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Ordinal
from tunepass.space.space import Space
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import (
    DesignSettings,
    design_size,
    has_good_defaults,
    interleaved,
    medoids,
    nearer,
    warm_up,
)
from tunepass.study.outcome import Failed, Measured
from tunepass.study.trial import Trial
from tunepass.surrogates.kernels import Features, distances
from tunepass.testing.strategy import small_space, task


def closest(space: Space, kind: str, seed: int) -> float:
    embedding = Embedding(space.parameters)
    settings = DesignSettings(kind="maximin" if kind == "maximin" else "random", size=9)
    rows = embedding.rows(space.columns(warm_up(task(space, seed=seed), embedding, settings)))
    d2 = distances(rows, rows, Features.of(embedding.group, embedding.nominal)).sum(axis=0)
    return float(d2[np.triu_indices(len(rows), 1)].min())


def test_maximin_keeps_farther_apart_than_random() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63)], constraints=["x + y <= 80"])
    assert min(closest(space, "maximin", s) for s in range(4)) > 2 * max(closest(space, "random", s) for s in range(4))


def test_default_first_feasible_distinct_and_the_same_for_a_seed() -> None:
    space = small_space()
    embedding = Embedding(space.parameters)
    design = warm_up(task(space), embedding, DesignSettings(size=12))
    assert design[0] == space.default and len(set(design)) == 12
    assert all(space.contains(configuration) for configuration in design)
    assert design == warm_up(task(space), embedding, DesignSettings(size=12))
    assert design != warm_up(task(space, seed=1), embedding, DesignSettings(size=12))


def test_size_follows_dimension_and_budget() -> None:
    space = Space([Integer(f"p{i}", 0, 9) for i in range(10)])
    assert design_size(task(space, max_evals=None), DesignSettings()) == 11
    assert design_size(task(space, max_evals=20), DesignSettings()) == 6
    assert design_size(task(space, max_evals=4), DesignSettings()) == 3
    assert design_size(task(space), DesignSettings(size=7)) == 7


def test_half_of_the_design_follows_the_priors() -> None:
    space = Space([Ordinal("tile", list(range(200)), prior=(1.0, 30.0)), Integer("n", 0, 99)])
    design = warm_up(task(space), Embedding(space.parameters), DesignSettings(size=21))
    low = sum(int(str(c["tile"])) < 25 for c in design[1:])
    assert 8 <= low <= 16


def test_the_rest_of_a_first_batch_keeps_far_from_all_before() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63)])
    embedding = Embedding(space.parameters)

    def least_distance(kind: Literal["maximin", "random"], seed: int) -> float:
        settings = BayesianSettings(surrogate="gp", design=DesignSettings(kind=kind))
        rows = embedding.rows(space.columns(Bayesian(task(space, seed=seed), settings).suggest(16)))
        d2 = distances(rows, rows, Features.of(embedding.group, embedding.nominal)).sum(axis=0)
        return float(d2[np.triu_indices(len(rows), 1)].min())

    assert min(least_distance("maximin", s) for s in range(4)) > 4 * max(least_distance("random", s) for s in range(4))


def test_priors_shape_the_rest_of_a_first_batch_too() -> None:
    space = Space([Ordinal("tile", list(range(200)), prior=(1.0, 30.0)), Integer("n", 0, 99)])
    batch = Bayesian(task(space), SETTINGS).suggest(24)
    low = sum(int(str(c["tile"])) < 25 for c in batch[3:])
    assert 9 <= low <= 16


def test_every_other_point_of_a_design_of_middles_is_a_medoid() -> None:
    """Of a pool of the whole grid: inside, where a maximin design has its border, and no worse than random centres."""
    space = Space([Integer("x", 0, 15), Integer("y", 0, 15)])
    embedding = Embedding(space.parameters)
    design = warm_up(task(space, seed=3), embedding, DesignSettings(kind="medoids", size=17))
    border = [c["x"] in (0, 15) or c["y"] in (0, 15) for c in design]
    assert len(set(design)) == 17 and sum(border[2::2]) <= 1 and sum(border[1::2]) >= 4


def test_medoids_are_the_middles_of_clusters() -> None:
    """Three groups of values on a line, the default in the first: one centre in the middle of each of the others."""
    values = [0, 1, 2, 40, 41, 42, 43, 44, 90, 91, 92]
    space = Space([Ordinal("x", values, default=1)])
    pool = space.columns(space.configurations({"x": np.array(values)}))
    assert sorted(int(str(c["x"])) for c in medoids(space, Embedding(space.parameters), pool, 2)) == [42, 91]


def observed_warm_up(
    fails: Callable[[Configuration], bool], kind: Literal["maximin", "random"] = "maximin", count: int = 40
) -> list[Configuration]:
    """The first 16 suggestions where only some configurations can be measured."""
    space = Space([Categorical(f"f{i}", [False, True]) for i in range(count)], ["f0 or f1 or not f2"])
    strategy = Bayesian(task(space, max_evals=100), BayesianSettings(design=DesignSettings(kind=kind)))
    suggested = []
    for number in range(16):
        (configuration,) = strategy.suggest(1)
        suggested.append(configuration)
        outcome = Failed("run", "") if fails(configuration) else Measured({"time": 1.0 + number})
        strategy.observe(Trial(number, configuration, outcome))
    return suggested


def test_the_more_trials_of_the_design_fail_the_nearer_the_rest_is_to_the_best() -> None:
    default, *rest = observed_warm_up(lambda configuration: sum(configuration.values()) > 3)
    assert not any(default.values()) and len({default, *rest}) == 16
    on = [sum(configuration.values()) for configuration in rest]
    assert min(on[:3]) > 10 > max(on[-3:]), "half of the flags are on, then few"


def test_one_failure_or_none_leaves_the_design_as_it_is() -> None:
    plain = observed_warm_up(lambda configuration: False)
    assert observed_warm_up(lambda configuration: configuration == plain[5]) == plain
    twice = observed_warm_up(lambda configuration: configuration in (plain[5], plain[6]))
    assert twice[:7] == plain[:7] and set(twice[7:]).isdisjoint(plain)


def test_of_a_batch_none_is_a_point_of_the_design_that_was_replaced() -> None:
    """Once others stand in their places, the design's own are not suggested after all."""
    space = Space([Categorical(f"f{i}", [False, True]) for i in range(40)])
    strategy = Bayesian(task(space, max_evals=100), BayesianSettings(design=DesignSettings()))
    on: list[list[int]] = []
    for batch in range(3):
        suggested = strategy.suggest(8)
        on.append([sum(configuration.values()) for configuration in suggested])
        for number, configuration in enumerate(suggested, 8 * batch):
            fails = sum(configuration.values()) > 3
            outcome = Failed("run", "") if fails else Measured({"time": 1.0 + number})
            strategy.observe(Trial(number, configuration, outcome))
    assert min(on[0][1:]) > 10 > max(on[1])


def test_a_design_of_few_parameters_stays_as_it_is() -> None:
    plain = observed_warm_up(lambda configuration: False, count=20)
    assert observed_warm_up(lambda configuration: configuration != plain[0], count=20) == plain


def test_a_random_design_stays_random() -> None:
    plain = observed_warm_up(lambda configuration: False, "random")
    assert observed_warm_up(lambda configuration: configuration != plain[0], "random") == plain


def test_a_mix_that_constraints_exclude_has_more_of_the_best() -> None:
    space = Space([Integer(f"n{i}", 0, 9) for i in range(6)], ["n0 + n1 + n2 + n3 + n4 + n5 <= 20 or n0 == 9"])
    point = Configuration({f"n{i}": 9 for i in range(6)})
    rng = np.random.default_rng(0)
    for _ in range(50):
        mix = nearer(Neighbourhood(space), point, space.default, 0.5, rng)
        assert space.contains(mix)


def test_a_space_smaller_than_the_design() -> None:
    space = Space([Integer("n", 0, 3)])
    design = warm_up(task(space), Embedding(space.parameters), DesignSettings(size=10))
    assert 1 <= len(set(design)) == len(design) <= 4


def test_the_best_and_the_design_alternate() -> None:
    a, b, c, d = Space([Integer("x", 0, 9)]).sample(4, np.random.default_rng(0))
    assert interleaved(a, [b, a], [c, d]) == [a, b, c, d]


def level(constraints: tuple[str, ...] = ()) -> Space:
    """Flags: one parameter of which any value may be the best, the others good as they are."""
    switches = [Categorical(f"f{i}", ["", "on", "off"], prior=[98, 1, 1]) for i in range(58)]
    limit = Ordinal("limit", [25, 50, 100, 200], default=100, prior=(40.0, 50.0))
    return Space([Categorical("LEVEL", ["-O2", "-O3", "-Os"]), *switches, limit], constraints)


def test_of_many_parameters_with_good_defaults_each_is_changed_once_in_the_design() -> None:
    space = level()
    default, *design = warm_up(task(space), Embedding(space.parameters), DesignSettings(kind="medoids", size=16))
    assert default == space.default and len(design) == 15
    for name in list(default)[1:]:
        assert sum(c[name] != default[name] for c in design) == 1, name
    assert {c["LEVEL"] for c in design} == {"-O2", "-O3", "-Os"}


def test_a_group_that_is_not_feasible_gives_way_to_a_draw() -> None:
    space = level(('f0 == "" or LEVEL == "-O3"', 'f1 != "on" or f2 != "on"'))
    for seed in range(6):
        design = warm_up(task(space, seed=seed), Embedding(space.parameters), DesignSettings(size=16))
        assert all(space.contains(c) for c in design)


def test_defaults_are_good_where_priors_say_so_of_most_of_many() -> None:
    assert has_good_defaults(task(level()))
    assert not has_good_defaults(task(Space(level().parameters[:20])))
    assert not has_good_defaults(task(Space([Categorical(f"f{i}", [False, True]) for i in range(60)])))
    assert not has_good_defaults(task(Space([Categorical(f"f{i}", [0, 1], prior=[1, 49]) for i in range(60)])))


def test_candidates_stay_near_good_defaults() -> None:
    strategy = Bayesian(task(level()), SETTINGS)
    columns = strategy._candidates(np.random.default_rng(0))
    changed = sum((columns[f"f{i}"] != 0).astype(int) for i in range(58))
    assert changed.max() < 15
