"""Which earlier study a search starts from, and what is wrong with one that it cannot start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tunepass.diagnostics import TunepassError
from tunepass.jobs import transfer as transfers
from tunepass.jobs.transfer import Recipient
from tunepass.search.prior import SearchPrior
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Ordinal
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.several import SeveralPriorMeans
from tunepass.strategies.prior_mean.sources import ObservedPriorMean
from tunepass.study.identity import Identity
from tunepass.study.lock.lock import Entry, Lock, LockedObjective
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.prior_origin import Origin
from tunepass.study.storage.location import StoreLocation
from tunepass.study.study import Study

SPACE = Space([Ordinal("tile", [4, 8, 16, 32], log=True), Integer("unroll", 1, 4)])
TIME = Objective("time", unit="ms")
HERE = Identity(source="sha256:1", space="sha256:1", compiler="gcc", flags=("-O2",), device="here").texts()
TARGET = Recipient(key="a.c::f", study="a.c::f@now", space=SPACE, objective=TIME, identity=HERE)


def transfer(recipient: Recipient, store: Path | str, named: Sequence[str] = ()) -> SearchPrior | None:
    return transfers.transfer(recipient, StoreLocation.named(store), named)


def price(configuration: Configuration) -> Outcome:
    if configuration["tile"] == 32:
        return Failed("crash", "")
    return Measured({"time": 20.0 - float(str(configuration["tile"])) + float(str(configuration["unroll"]))})


def tuned(store: Path, name: str, trials: int = 8, space: Space = SPACE, **differs: str) -> Study:
    study = Study(
        space, [TIME], strategy="exhaustive", max_evals=trials, store=f"sqlite:///{store}", name=name,
        identity={**HERE, **differs},
    )  # fmt: skip
    while asked := study.suggest(1):
        study.observe(asked[0], price(asked[0]))
    return study


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def origin_of(found: SearchPrior | None) -> str:
    assert found is not None
    return found.origin.study


def test_without_a_store_there_is_nothing(store: Path) -> None:
    assert transfer(TARGET, store) is None and not store.exists()


def test_the_nearest_study_of_the_kernel_is_the_default(store: Path) -> None:
    tuned(store, "a.c::f@gpu", device="another")
    tuned(store, "a.c::f@flags", flags="-O3")
    tuned(store, "a.c::f@size", source="sha256:2")
    tuned(store, "a.c::f@poor", trials=1, flags="-O3 -march=native")
    tuned(store, "b.c::f@same")
    found = transfer(TARGET, store)
    assert origin_of(found) == "a.c::f@flags"
    assert found is not None and found.origin.differs == ("flags: -O3 -> -O2",)
    assert found.origin.shared == ("tile", "unroll") and found.origin.trials == 8
    assert transfer(TARGET, store, ["none"]) is None


def test_a_study_that_began_goes_on_with_what_it_began_with(store: Path) -> None:
    tuned(store, "a.c::f@flags", trials=4, flags="-O3")
    found = transfer(TARGET, store)
    own = tuned(store, "a.c::f@now", trials=2)
    assert transfer(TARGET, store) is None  # it began with nothing
    assert found is not None
    own.store.set_origin(own.store.studies()[-1], found.origin)
    tuned(store, "a.c::f@flags", trials=9, flags="-O3")
    again = transfer(TARGET, store)
    assert again is not None and again.origin == found.origin and again.origin.trials == 4


def test_a_study_whose_source_is_gone_says_that_it_goes_on_without(store: Path, tmp_path: Path) -> None:
    tuned(tmp_path / "other.db", "a.c::f@flags", flags="-O3")
    found = transfer(TARGET, store, [str(tmp_path / "other.db")])
    own = tuned(store, "a.c::f@now", trials=2)
    assert found is not None and not found.warnings
    own.store.set_origin(own.store.studies()[-1], found.origin)
    (tmp_path / "other.db").unlink()
    again = transfer(TARGET, store)
    assert again is not None and again.mean is None and again.origin == found.origin
    assert again.sentence().startswith("goes on without a.c::f@flags (8 trials") and "is gone" in again.warnings[0]


def test_failures_are_no_better_than_the_median(store: Path) -> None:
    tuned(store, "a.c::f@all", trials=16, flags="-O3")
    found = transfer(TARGET, store)
    assert found is not None
    rows = list(SPACE.enumerate())
    values = found.mean.values(SPACE, SPACE.columns(rows))
    assert rows[int(np.argmin(values))] == Configuration({"tile": 16, "unroll": 1})
    failed = np.array([c["tile"] == 32 for c in rows])
    assert values[failed] == pytest.approx(np.median(values[~failed]))


def test_a_named_study_is_taken_by_its_name_or_the_beginning_of_it(store: Path) -> None:
    tuned(store, "b.c::g@1", device="far")
    tuned(store, "b.c::g@2", device="far", trials=12)
    assert origin_of(transfer(TARGET, store, [f"{store}:b.c::g@1"])) == "b.c::g@1"
    assert origin_of(transfer(TARGET, store, [f"sqlite:///{store}:b.c::g"])) == "b.c::g@2"


def test_the_objective_may_have_another_name_and_direction(store: Path) -> None:
    tuned(store, "a.c::f@flags", flags="-O3")
    speed = replace(TARGET, objective=Objective("speed", maximise=True))
    assert transfer(speed, store) is None  # by default only the same objective
    found = transfer(speed, store, [str(store)])
    assert found is not None and found.origin.differs[-1] == "objective: time -> speed"
    rows = list(SPACE.enumerate())
    values = found.mean.values(SPACE, SPACE.columns(rows))
    assert rows[int(np.argmax(values))]["unroll"] == 1


def test_a_lock_alone_tells_its_choice(tmp_path: Path) -> None:
    choice = Configuration({"tile": 16, "unroll": 2})
    measured = LockedObjective(
        name="time", unit="ms", default=20.0, chosen=6.0, gain=3.3, interval=None, evaluations=40
    )
    entry = Entry(choice, measured, Identity(source="sha256:1", space="sha256:1", device="far"))
    Lock().with_entry("a.c::f", entry).write(tmp_path / "tunepass.lock")
    found = transfer(TARGET, tmp_path / "none.db", [str(tmp_path / "tunepass.lock")])
    assert found is not None and "device: far -> here" in found.origin.differs
    rows = list(SPACE.enumerate())
    values = found.mean.values(SPACE, SPACE.columns(rows))
    assert rows[int(np.argmin(values))] == choice
    near, far = (rows.index(Configuration({"tile": tile, "unroll": 2})) for tile in (32, 4))
    assert values[near] < values[far]
    with pytest.raises(TunepassError, match=r"has no kernel a\.c::g") as error:
        transfer(TARGET, tmp_path / "none.db", [f"{tmp_path / 'tunepass.lock'}:a.c::g"])
    assert "did you mean 'a.c::f'" in str(error.value)


def test_what_cannot_be_started_from_says_why(store: Path, tmp_path: Path) -> None:
    other = Space([Integer("wide", 1, 4)])
    study = Study(other, [TIME], store=f"sqlite:///{store}", name="b.c::g@1", identity=HERE)
    study.observe({"wide": 1}, Measured({"time": 1.0}))
    failing = Study(SPACE, [TIME], store=f"sqlite:///{store}", name="b.c::h@1", identity=HERE)
    failing.observe(SPACE.default, Failed("crash", ""))
    text = tmp_path / "notes.txt"
    text.write_text("- nothing\n")
    for named, message in [
        (str(tmp_path / "absent.db"), "there is no file"),
        (str(store), "has no earlier study of a.c::f; it has b.c::g@1"),
        (f"{store}:b.c::q", "did you mean 'b.c::[gh]'"),
        (f"{store}:b.c::g", "share no parameter"),
        (f"{store}:b.c::h", "measured nothing"),
        (str(text), "lock"),
    ]:
        with pytest.raises(TunepassError, match=message):
            transfer(TARGET, store, [named])


def test_several_named_studies_speak_together_and_an_interrupted_search_goes_on_with_all(
    store: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    tuned(first, "a.c::f@flags", flags="-O3")
    tuned(second, "a.c::f@gpu", trials=12, device="another")
    found = transfer(TARGET, store, [str(first), str(second), str(first)])
    assert found is not None and isinstance(found.mean, SeveralPriorMeans) and len(found.mean.sources) == 2
    assert found.sentence() == (
        "starts from a.c::f@flags (8 trials; flags: -O3 -> -O2) and a.c::f@gpu (12 trials; device: another -> here)"
    )
    own = tuned(store, "a.c::f@now", trials=2)
    own.store.set_origin(own.store.studies()[-1], found.origin)
    tuned(second, "a.c::f@gpu", trials=16, device="another")
    again = transfer(TARGET, store)
    assert again is not None and again.origin == found.origin and not again.warnings
    rows = SPACE.columns(list(SPACE.enumerate()))
    assert again.mean is not None
    np.testing.assert_array_equal(again.mean.values(SPACE, rows), found.mean.values(SPACE, rows))
    first.unlink()
    rest = transfer(TARGET, store)
    assert rest is not None and isinstance(rest.mean, ObservedPriorMean) and rest.origin == found.origin
    assert rest.warnings == (f"the search began from a.c::f@flags in {first}, which is gone: it goes on without",)


def test_none_stands_alone(store: Path) -> None:
    with pytest.raises(TunepassError, match="stands alone"):
        transfer(TARGET, store, ["none", "other.db"])


def test_what_several_sources_were_worth_is_told_and_kept(store: Path) -> None:
    tuned(store, "a.c::f@flags", flags="-O3")
    tuned(store, "a.c::f@gpu", device="another")
    found = transfer(TARGET, store, [f"{store}:a.c::f@flags", f"{store}:a.c::f@gpu"])
    assert found is not None
    study = Study(SPACE, [TIME], max_evals=6, prior_mean=found.mean)
    while asked := study.suggest(1):
        study.observe(asked[0], price(asked[0]))
    told = study.remember(found.origin)
    assert told is not None and told.trust is not None and sum(told.trust.shares) == pytest.approx(1.0)
    assert told.worth().endswith("(0.50 + 0.50)")  # they say the same
    assert Origin.decode(told.encode()) == told
