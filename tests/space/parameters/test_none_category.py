"""None among the values of a categorical parameter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.study.studies import TIME, url
from tunepass.diagnostics import SpaceError, StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer
from tunepass.space.space import Space
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

DEPTH = Categorical("depth", [None, 3, 5])


def test_none_is_a_value_like_any_other() -> None:
    space = Space([DEPTH, Integer("k", 1, 4)], ["depth == 'None' or k > 2"])
    assert space.size == 4 + 2 * 2 and space.default == Configuration({"depth": None, "k": 1})
    assert space.contains({"depth": None, "k": 2}) and not space.contains({"depth": 3, "k": 2})
    assert {c["depth"] for c in space.sample(8, np.random.default_rng(0))} == {None, 3, 5}
    assert space.unrank(space.rank(space.default)) == space.default


def test_it_is_stored_and_read_again(tmp_path: Path) -> None:
    space = Space([DEPTH, Categorical("kind", ["a", None, "b"])])
    some = Study(space, [TIME], store=url(tmp_path))
    while not some.finished:
        for c in some.suggest(2):
            some.observe(c, Measured({"time": (float(str(c["depth"])) if c["depth"] is not None else 9.0)}))
    some.close()
    again = Study(space, [TIME], store=url(tmp_path))
    assert len(again.trials) == 9 and again.exhausted
    assert {t.configuration["kind"] for t in again.trials} == {"a", None, "b"}


def test_a_missing_value_is_not_none() -> None:
    some = Study(Space([Categorical("kind", ["a", "b"])]), [TIME])
    with pytest.raises(StudyError, match="None is not one of its values"):
        some.observe({"kind": None}, Measured({"time": 1.0}))
    with pytest.raises(SpaceError, match="'None' is not a value beside None"):
        Categorical("kind", [None, "None"])
    with pytest.raises(SpaceError, match="all numbers or all Booleans"):
        Categorical("kind", [None, "a", 3])  # type: ignore[list-item]
