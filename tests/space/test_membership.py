"""An assignment from elsewhere, against parameters and constraints alone."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Value
from tunepass.space.membership import checked_configuration
from tunepass.space.parameter import Categorical, Ordinal, Permutation, Real
from tunepass.space.space import Space

SPACE = Space(
    [
        Ordinal("T", [1, 8, 16]),
        Categorical("OPT", ["", "-O3"]),
        Real("R", 0.0, 2.0),
        Permutation("P", ["i", "j"]),
        Categorical("B", [True, False]),
    ],
    ['T > 1 or OPT == ""'],
)
GOOD: dict[str, Value] = {"T": 8, "OPT": "-O3", "R": 1.5, "P": ("j", "i"), "B": False}


def test_a_configuration_is_returned_in_the_parameters_own_values() -> None:
    checked = checked_configuration(SPACE.parameters, SPACE.constraints, {**GOOD, "T": 8.0, "R": 1})
    assert dict(checked) == {**GOOD, "R": 1.0} and isinstance(checked["T"], int) and isinstance(checked["R"], float)


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"T": 9}, "T: 9 is not one of its values"),
        ({"OPT": "-O3 -wrapper ./evil.sh"}, "OPT: '-O3 -wrapper ./evil.sh' is not one of its values"),
        ({"R": float("nan")}, "R: nan is not"),
        ({"R": "1"}, "R: '1' is not"),
        ({"P": ("i", "i")}, "P: "),
        ({"P": "i j"}, "P: "),
        ({"B": 0}, "B: 0 is not"),
        ({"T": True}, "T: True is not"),
        ({"T": 1}, "the constraint `T > 1 or OPT"),
        ({"X": 1}, "X: there is no such parameter"),
    ],
)
def test_what_is_none_says_why(changes: dict[str, Value], message: str) -> None:
    with pytest.raises(SpaceError) as caught:
        checked_configuration(SPACE.parameters, SPACE.constraints, {**GOOD, **changes})
    assert caught.value.diagnostics[0].message.startswith(message)


def test_a_missing_value_is_told() -> None:
    with pytest.raises(SpaceError, match="T, R: no value"):
        checked_configuration(SPACE.parameters, SPACE.constraints, {"OPT": "", "P": ("i", "j"), "B": True})
