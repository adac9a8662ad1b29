"""How many cases a test is tried on: few in `make test`, all in `make test-all`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")
ALL, FEW = 100, 25  # examples of a property that states no number


def load_profile(every: bool) -> None:
    """Deterministic and without wall-time deadlines: a slow machine is not a failing test."""
    name, count = ("all", ALL) if every else ("few", FEW)
    settings.register_profile(name, deadline=None, derandomize=True, database=None, print_blob=True, max_examples=count)
    settings.load_profile(name)


def examples(count: int, few: int = ALL) -> settings:
    """`count` examples in `make test-all`, and as much less in `make test` as properties that state no number, `few`
    at most."""
    return settings(max_examples=count if scaled(ALL) == ALL else min(few, scaled(count)))


def scaled(count: int) -> int:
    """The same for cases that a test draws itself."""
    return max(1, count * settings().max_examples // ALL)


def optimisation() -> str:
    """The flag for C of tests that compare results alone: a compiler is quickest where it does not optimise."""
    return "-O1" if scaled(ALL) == ALL else "-O0"


def part(cases: Sequence[Case], count: int) -> Sequence[Case]:
    """`count` of the cases, at equal distances, in `make test`; all in `make test-all`."""
    return cases if settings().max_examples >= ALL else cases[:: max(1, len(cases) // count)]


def repetitive(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The cases that `make test` leaves out.

    Of tests marked `each_value` those without which every value of every parameter still occurs: the values of the
    longest list occur once each, those of the others in turn beside them. Of tests marked `one_in` all but each
    count-th; the same of tests marked `in_turn`, but each of these tests begins with another case.
    """
    products, lists, turns = (_marked(items, name) for name in ("each_value", "one_in", "in_turn"))
    return {
        *(case for cases in products for case in _off_diagonal(cases)),
        *(case for cases in lists for place, case in enumerate(cases) if place % _count(case, "one_in")),
        *(
            case
            for turn, cases in enumerate(turns)
            for place, case in enumerate(cases, turn)
            if place % _count(case, "in_turn")
        ),
    }


def slow(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The cases that `make test` leaves to `make test-slow`.

    Tests marked `slow`; of those marked `slow_but` all but each count-th case; of classes marked `slow_tests` the tests
    with one of these words in their names.
    """
    return {
        *(item for item in items if item.get_closest_marker("slow")),
        *(
            case
            for cases in _marked(items, "slow_but")
            for place, case in enumerate(cases)
            if place % _count(case, "slow_but")
        ),
        *(item for item in items if any(word in item.name for word in _slow_words(item))),
    }


def _slow_words(item: pytest.Item) -> Sequence[str]:
    marker = item.get_closest_marker("slow_tests")
    return marker.args if marker else ()


def _marked(items: Iterable[pytest.Item], marker: str) -> Collection[list[pytest.Function]]:
    """The cases of each test with that marker."""
    tests: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker(marker):
            tests[item.nodeid.partition("[")[0]].append(item)
    return tests.values()


def _count(case: pytest.Function, name: str) -> int:
    marker = case.get_closest_marker(name)
    return int(marker.args[0]) if marker else 1


def _off_diagonal(cases: list[pytest.Function]) -> list[pytest.Function]:
    values: dict[str, list[str]] = defaultdict(list)  # of each parameter, in the order of the cases
    for case in cases:
        for name, value in case.callspec.params.items():
            if repr(value) not in values[name]:
                values[name].append(repr(value))
    longest, *others = sorted(values, key=lambda name: -len(values[name]))
    periods = [math.prod(len(values[before]) for before in others[:place]) for place in range(len(others))]

    def is_kept(params: Mapping[str, object]) -> bool:
        turn = values[longest].index(repr(params[longest]))
        return all(
            values[name].index(repr(params[name])) == turn // period % len(values[name])
            for name, period in zip(others, periods)
        )

    return [case for case in cases if not is_kept(case.callspec.params)]
