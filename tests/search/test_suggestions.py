"""Where sampling finds no more, a search ends with a warning, but never before its default was evaluated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from tunepass.diagnostics import SamplingError
from tunepass.search.loop import SearchLoop
from tunepass.space.configuration import Configuration


def loop(trials: list[object]) -> SearchLoop:
    def suggest(n: int, first: object) -> list[Configuration]:
        raise SamplingError("sampling found no configuration")

    parts = {"trial_log": SimpleNamespace(trials=trials), "sharing": SimpleNamespace(suggest=suggest)}
    return cast(SearchLoop, SimpleNamespace(**parts, final=SimpleNamespace(warnings=[]), batch=lambda: 1))


def test_the_search_ends_with_a_warning() -> None:
    some = loop([object()])
    assert SearchLoop.suggestions(some, 1, []) == []
    assert some.final.warnings == ["the search ended before its budget: sampling found no configuration"]


def test_without_the_default_it_is_an_error() -> None:
    with pytest.raises(SamplingError):
        SearchLoop.suggestions(loop([]), 1, [])
