"""Questions and answers, line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tunepass as tp
from tunepass.jobs.serving import answered, serve
from tunepass.pruning.pruned_space import PrunedSpace

SAMPLE = Path(__file__).parents[2] / "samples" / "dnn" / "mnist_keras.py"
SMALL = {"batch_size": 16, "kernel": 3, "filters": 16, "units": 64, "padding": "valid"}
LARGE = {**SMALL, "filters": 512, "units": 512}


@pytest.fixture(scope="module")
def space() -> PrunedSpace:
    return tp.pruned_space(SAMPLE, device="phone", limits=["flops=60M"])


def ask(space: PrunedSpace, **question: object) -> dict[str, object]:
    return dict(answered(space, json.dumps(question)))


def test_is_it_possible(space: PrunedSpace) -> None:
    assert ask(space, ask="possible", configuration=SMALL) == {"possible": True}
    assert ask(space, ask="possible", configuration=LARGE, id=7) == {"id": 7, "possible": False}
    assert ask(space, ask="possible", configuration={**SMALL, "units": 63}) == {"possible": False}
    assert ask(space, ask="possible", configuration={"units": 64}) == {"possible": False}


def test_which_limits_does_it_break_and_by_how_much(space: PrunedSpace) -> None:
    answer = ask(space, ask="explain", configuration=LARGE)
    assert answer["possible"] is False and answer["constraints"] == []
    breaks = {b["limit"]: b for b in answer["breaks"]}  # type: ignore[attr-defined]
    assert set(breaks) == {"weight_byte <= 10 MB", "memory <= 1 GB", "flops=60M"}
    flops, byte = breaks["flops=60M"], breaks["weight_byte <= 10 MB"]
    assert flops["value"] - flops["most"] == flops["by"] > 0
    assert byte["most"] == 10_000_000 and byte["unit"] == "B"
    assert answer["resources"]["flops"] == flops["value"]  # type: ignore[index]


def test_what_is_possible_breaks_nothing(space: PrunedSpace) -> None:
    answer = ask(space, ask="explain", configuration=SMALL)
    assert answer["possible"] is True and answer["breaks"] == []


def test_the_nearest_possible_one(space: PrunedSpace) -> None:
    answer = ask(space, ask="nearest", configuration=LARGE)
    nearest = answer["nearest"]
    assert isinstance(nearest, dict) and space.contains(nearest)
    assert answer["changed"] == [name for name in LARGE if nearest[name] != LARGE[name]]
    assert ask(space, ask="nearest", configuration=SMALL) == {"nearest": SMALL, "changed": []}


def test_samples_are_distinct_possible_and_repeat_by_their_seed(space: PrunedSpace) -> None:
    first = ask(space, ask="sample", n=10, seed=3)["configurations"]
    assert isinstance(first, list) and len({json.dumps(c) for c in first}) == 10
    assert all(space.contains(c) for c in first)
    assert ask(space, ask="sample", n=10, seed=3)["configurations"] == first
    everything = ask(space, ask="sample", n=1000)["configurations"]
    assert isinstance(everything, list) and len(everything) == space.space.size == ask(space, ask="space")["left"]


def test_every_configuration_is_answered_as_the_space_does(space: PrunedSpace) -> None:
    whole = tp.Space(space.parameters)
    kept = [c for c in whole.enumerate() if space.contains(c)]
    assert len(kept) == space.space.size
    assert all(space.space.contains(c) for c in kept)
    assert all(bool(space.broken(c) or space.unmet(c)) != space.contains(c) for c in whole.enumerate())


@pytest.mark.parametrize(
    "line,message",
    [
        ("{", "this line is not JSON"),
        ("[" * 100_000, "this line is not JSON"),
        ("7", "a question is an object"),
        ('{"ask": "posible"}', "did you mean possible?"),
        ('{"ask": []}', "`ask` is one of space"),
        ('{"ask": "explain"}', "`configuration` is an object"),
        ('{"ask": "explain", "configuration": {"units": 64}}', "no value is given"),
        ('{"ask": "possible", "configuration": {"units": {}}}', "is no value"),
        ('{"ask": "nearest", "configuration": {"units": [[1]]}}', "is no value"),
        ('{"ask": "sample", "n": -1}', "`n` is a whole number from 0"),
        ('{"ask": "sample", "n": 1e9}', "`n` is a whole number from 0"),
        (" " * (1 << 20) + "{}", "a line has at most"),
    ],
)
def test_what_is_no_question_is_told_and_the_next_line_read(space: PrunedSpace, line: str, message: str) -> None:
    bad, good = serve(space, [line, "\n", '{"ask": "sample", "n": 1}'])
    assert message in json.loads(bad)["error"]
    assert len(json.loads(good)["configurations"]) == 1


@pytest.mark.parametrize(
    "changes", [{"batch_size": True}, {"units": 64.5}, {"padding": ["same"]}, {"units": None}, {"more": 1}]
)
def test_values_that_are_none_are_not_possible(space: PrunedSpace, changes: dict[str, object]) -> None:
    assert ask(space, ask="possible", configuration={**SMALL, **changes}) == {"possible": False}


def test_nothing_left_is_an_error_with_what_conflicts() -> None:
    with pytest.raises(tp.TunepassError, match="the space is empty"):
        tp.pruned_space(SAMPLE, limits=["weights=1K"])


def test_orders_reals_and_free_parameters() -> None:
    parameters = (tp.Permutation("order", 3), tp.Real("rate", 0.1, 1.0), tp.Integer("units", 1, 9))
    constraints = [tp.Constraint.parse("pos(order, 0) < units", parameters)]
    space = PrunedSpace(parameters, constraints, ())
    possible = {"order": [2, 1, 0], "rate": 0.5, "units": 3}
    assert ask(space, ask="possible", configuration=possible) == {"possible": True}
    for change in ({"units": 2}, {"rate": 5.5}, {"order": [2, 1]}, {"order": "210"}):
        assert ask(space, ask="possible", configuration={**possible, **change}) == {"possible": False}
    assert ask(space, ask="space")["left"] is None
