"""The ledger of checks: its rows, and their way through stores, JSON lines and locks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameters.integer import Integer
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.ledger import CHECKS, EMPTY, Check, Ledger, not_requested, priced, ran, ran_unless, unrecorded
from tunepass.study.lock.layout import is_laid_out
from tunepass.study.lock.lock import Entry, Lock, LockedObjective
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.storage import json_lines
from tunepass.study.storage.json_lines import StoredTrial
from tunepass.study.storage.salvage import salvage
from tunepass.study.study import Study

RACES = Check("data races", "could not run", "no libtsan: it's 'lost', #1", "apt install libtsan2")
LEDGER = Ledger((*ran("outputs", "sizes"), *not_requested("", "sanitizers"), RACES))


def entry(checks: Ledger) -> Entry:
    objective = LockedObjective(name="time", default=2.0, chosen=1.0, gain=2.0, interval=None, evaluations=4)
    return Entry(Configuration({"A": 1}), objective, Identity(source="s", space="p"), {}, checks)


def test_a_later_row_replaces_an_earlier_one_and_rows_have_the_tables_order() -> None:
    ledger = Ledger((Check("rounds"), Check("my own"), RACES, Check("outputs"))).updated([Check("data races")])
    assert [check.name for check in ledger.checks] == ["outputs", "data races", "rounds", "my own"]
    assert ledger.missed == () and not EMPTY and ledger


def test_a_check_without_a_row_could_not_run() -> None:
    completed = LEDGER.completed("nobody says")
    assert {check.name for check in completed.checks} == set(CHECKS)
    assert {check.reason for check in completed.missed} == {"nobody says", RACES.reason}
    assert {check.name for check in completed.refused(["data races"])} == set(CHECKS) - {
        *("outputs", "sizes", "sanitizers", "data races")
    }
    assert len(unrecorded().missed) == len(CHECKS) and priced().missed == ()


def test_the_lines_name_what_could_not_run() -> None:
    assert Ledger(ran("outputs", "sizes")).lines() == ["2 ran"]
    assert LEDGER.lines() == [
        "2 ran, 1 not requested (sanitizers), 1 could not run:",
        "  data races could not run: no libtsan: it's 'lost', #1 (to get it: apt install libtsan2)",
    ]
    both = [Check(name, "could not run", "no compiler") for name in ("seeds", "sizes")]
    assert Ledger(tuple(both)).lines() == ["0 ran, 2 could not run:", "  seeds, sizes could not run: no compiler"]


def test_reasons_are_one_short_line() -> None:
    assert ran_unless("sizes", []) == Check("sizes")
    row = ran_unless("sizes", ["a\n  b", "a\n  b", "c" * 300], "d")
    assert row.state == "could not run" and row.reason.startswith("a b; ccc") and len(row.reason) == 200


@pytest.mark.parametrize(
    "name,state,reason", [("", "ran", ""), ("sizes", "passed", ""), ("sizes", "could not run", ""), (3, "ran", "")]
)
def test_rows_follow_their_rules(name: str, state: str, reason: str) -> None:
    with pytest.raises(StudyError):
        Check(name, state, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", '{"passed":["a"]}', '{"ran":[1]}', '{"could not run":{"a":["", ""]}}', '{"ran":{"a":', "[" * 9999],
)
def test_other_texts_are_no_ledger(text: str) -> None:
    with pytest.raises(StudyError):
        Ledger.decode(text)


def test_a_ledger_reads_as_it_was_written() -> None:
    assert Ledger.decode(LEDGER.encode()) == LEDGER
    assert LEDGER.digest == LEDGER.without_remedies().digest != Ledger(ran("outputs")).digest


def test_a_store_and_its_json_lines_have_the_ledger(tmp_path: Path) -> None:
    space, path = Space([Integer("A", 1, 3)]), tmp_path / "store.db"
    study = Study(space, [Objective("time")], store=f"sqlite:///{path}", name="s")
    study.observe({"A": 1}, Measured({"time": 1.0}), checks=LEDGER)
    study.observe({"A": 2}, Measured({"time": 1.0}), same_as={"A": 1}, checks=LEDGER)
    trial = study.observe({"A": 3}, Measured({"time": 2.0}))
    study.keep_checks(trial, Ledger(ran("outputs")))
    study.close()
    trials = Study(space, [Objective("time")], store=f"sqlite:///{path}", name="s").trials
    assert [t.checks for t in trials] == [LEDGER, LEDGER, Ledger(ran("outputs"))]
    items = salvage(path).items
    text = "".join(json_lines.lines(items))
    read = [item for item in json_lines.read(text) if isinstance(item, StoredTrial)]
    assert [item.trial.checks for item in read] == [t.checks for t in trials]


def test_a_lock_with_checks_has_version_2_and_reads_the_same() -> None:
    lock = Lock().with_entry("a.c::f", entry(LEDGER.without_remedies())).with_entry("b.c::g", entry(EMPTY))
    text = lock.text()
    assert "\nversion: 2\n" in text and Lock.parse(text) == lock and Lock.parse(text).text() == text
    assert lock.without("a.c::f").text().count("version: 1") == 1
    assert is_laid_out(text.replace("no libtsan: it's 'lost', #1", "none"))


def test_a_lock_of_version_1_keeps_its_text_and_takes_version_2_with_the_first_ledger() -> None:
    old = "# mine\nversion: 1\nkernels:\n" + entry(EMPTY).text("b.c::g")
    lock = Lock.parse(old)
    assert lock.text() == old and not lock.entries["b.c::g"].checks
    new = lock.with_entry("a.c::f", entry(LEDGER.without_remedies())).text()
    assert new.startswith("# mine\nversion: 2\nkernels:\n") and Lock.parse(new).entries["a.c::f"].checks.missed


@pytest.mark.parametrize(
    "checks,message",
    [
        ("{ledger: a, passed: [outputs]}", "checks has no `passed`"),
        ("{ledger: a, ran: outputs}", "ran is a list"),
        ('{ledger: a, could_not_run: {sizes: ""}}', "sizes could not run for no reason"),
        ("{ledger: a, ran: [outputs]}", "the digest `ledger` is not of these checks"),
        ("{ran: [outputs]}", "checks lacks `ledger`"),
    ],
)
def test_checks_of_a_lock_follow_their_rules(checks: str, message: str) -> None:
    text = Lock().with_entry("a.c::f", entry(LEDGER)).text()
    line = next(line for line in text.splitlines() if "checks:" in line)
    with pytest.raises(StudyError, match=message):
        Lock.parse(text.replace(line, f"    checks: {checks}"))
    with pytest.raises(StudyError, match="has no `checks`"):
        Lock.parse(text.replace("version: 2", "version: 1"))


def test_the_documents_table_has_every_check_and_what_it_proves() -> None:
    text = (Path(__file__).parents[2] / "docs" / "trials.md").read_text()
    section = text.partition("## The ledger of checks\n")[2].partition("\n## ")[0]
    cells = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert {row[0].strip("| `"): row[1] for row in cells} == dict(CHECKS)
    assert all(len(row) == 4 and all(cell.strip(" |") for cell in row) for row in cells)
