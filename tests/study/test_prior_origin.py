from __future__ import annotations

import pytest

from tunepass.diagnostics import StudyError
from tunepass.study.prior_origin import Origin, identity_changes
from tunepass.study.storage.store import Store
from tunepass.study.trust import Trust

ORIGIN = Origin(place="a.db", study="a.c::f@01", trials=1, differs=("flags: -O2 -> -O3",), shared=("TILE",))


def test_it_is_told_in_a_line() -> None:
    assert ORIGIN.sentence() == "a.c::f@01 (1 trial; flags: -O2 -> -O3)" and ORIGIN.worth() == ""
    assert ORIGIN.trusted(Trust(0.5, 0.25, 7)).worth() == "rank correlation 0.50 over 7 trials, weight 0.25"
    assert ORIGIN.trusted(Trust(0.5, None, 7)).worth().endswith("not used")


@pytest.mark.parametrize("trust", [None, Trust(-0.25, 0.0, 3), Trust(1.0, None, 3)])
def test_it_survives_the_store(trust: Trust | None) -> None:
    assert Origin.decode(ORIGIN.trusted(trust).encode()) == ORIGIN.trusted(trust)
    with Store() as store:
        record, _ = store.open_study("s", "{}", (), {})
        assert store.origin(record) is None
        store.set_origin(record, ORIGIN)
        assert store.origin(record) == ORIGIN
        store.set_origin(record, None)
        assert store.origin(record) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"place": 1}', "3"])
def test_a_damaged_one_is_an_error(text: str) -> None:
    with pytest.raises(StudyError, match="origin is"):
        Origin.decode(text)


def test_changes_are_told_for_people() -> None:
    old, new = {"source": "sha256:1", "flags": "-O2"}, {"source": "sha256:2", "flags": "-O2", "device": "D"}
    assert identity_changes(old, new, ("device", "source", "flags")) == ("device: - -> D", "another source")
