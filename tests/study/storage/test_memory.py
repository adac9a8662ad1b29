"""A store in memory does what one in a file does; and what a claim reads of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.study.storage.test_store import OUTCOMES, TIME, configuration, open_study, trial, url
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.storage import store as store_module
from tunepass.study.storage.memory import MemoryStore
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.trial import Trial

AnyStore = Store | MemoryStore


def history(store: AnyStore) -> list[object]:
    """What every method answers in a study's life."""
    study = open_study(store)
    seen: list[object] = [store.open_study("s", "other", TIME, {})[1], store.claim(study, [])]
    for i, outcome in enumerate(OUTCOMES):
        seen.append(
            store.record(study, Trial(0, configuration(i), outcome, {"compile": 0.5}, "log", same_as=i or None))
        )
    seen.append(store.record(study, trial(1)))  # the first one stands
    store.replace(study, [Trial(2, configuration(2), OUTCOMES[0])])
    seen.append(store.measure_again(study, Trial(2, configuration(2), Measured({"time": 2.25, "rate": 9.0}))))
    seen.append(store.claim(study, [configuration(i) for i in (2, 5, 6, 5, 7)], limit=6))  # 1 + 1 + 1 spent of 4 trials
    store.report(study, configuration(5), {1: 0.5, 2: 0.25})
    store.report(study, configuration(9), {1: 0.5})
    seen.append(store.reported(study))
    seen.append(store.claim(study, [configuration(5)]))  # a living holder has it
    for resumable in (True, False):
        store.release(study, configuration(5), resumable=resumable)
        seen.append([(p.configuration, p.abandoned) for p in store.pending(study)])
        seen.append(store.reported(study))
        seen.append(store.claim(study, [configuration(5)], resumable=resumable))
        seen.append(store.reported(study))
    seen.append(store.record(study, trial(6)))
    seen += [[(p.configuration, p.abandoned) for p in store.pending(study)], store.trials(study, after=2)]
    store.open_study("t", "{}", TIME[:1], {})
    seen += [store.study("t").trials, store.study("u"), [(s.name, s.trials, s.objectives) for s in store.studies()]]  # type: ignore[union-attr]
    return seen


def test_memory_answers_as_a_file_does(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as file:
        assert history(MemoryStore()) == history(file)


def test_a_study_without_a_store_is_in_memory_and_its_successor_shares_it() -> None:
    study = Study(Space([Ordinal("tile", [1, 2, 4])]), [Objective("time")], max_evals=2)
    (first,) = study.suggest()
    study.observe(first, Measured({"time": 1.0}))
    wider = study.with_space(Space([Ordinal("tile", [1, 2, 4, 8])]), max_evals=3)
    assert isinstance(study.store, MemoryStore) and wider.store is study.store
    assert [t.configuration for t in wider.trials] == [first] and len(study.store.studies()) == 2
    study.close()
    with pytest.raises(StudyError, match="closed"):
        study.suggest()


def test_what_suggest_returned_is_not_checked_again_and_all_else_is() -> None:
    study = Study(Space([Ordinal("tile", [1, 2, 4])]), [Objective("time")])
    (first,) = study.suggest()
    assert study.observe(first, Measured({"time": 1.0})).configuration is first
    with pytest.raises(StudyError, match="tile"):
        study.observe(Configuration({"tile": 3}), Measured({"time": 1.0}))
    assert study.observe({"tile": 2.0}, Measured({"time": 1.0})).configuration["tile"] == 2


def test_no_part_of_a_claim_reads_all_trials(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        plan = [
            row
            for query in store_module._counts(store._session)
            for row in store._session.connection.execute(f"EXPLAIN QUERY PLAN {query}", (1,)).fetchall()
        ]
    searches = [str(row[3]) for row in plan if "trial" in str(row[3])]
    assert len(searches) == 3 and all(text.startswith("SEARCH") for text in searches)
    assert sum("trial_same" in text or "trial_repeats" in text for text in searches) == 2


def test_an_outcome_waits_for_the_disk_and_a_claim_does_not(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        statements: list[str] = []
        store._session.connection.set_trace_callback(statements.append)
        store.claim(study, [configuration(1)])
        claimed = [s for s in statements if s.startswith(("PRAGMA", "BEGIN", "COMMIT"))]
        statements.clear()
        store.record(study, trial(1))
        assert not [s for s in statements if s.startswith("PRAGMA")]
        synced = store._session.connection.execute("PRAGMA synchronous").fetchone()
    assert claimed == ["PRAGMA synchronous = NORMAL", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous = FULL"]
    assert synced == (2,)  # FULL
