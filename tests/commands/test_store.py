"""`tunepass store`: what is damaged is listed, what can be read is saved, and nothing that is read is changed."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.study.storage.test_damage import CHANGES, read_everything, stored
from tests.study.storage.test_store import open_study, trial
from tunepass.cli import main
from tunepass.study.storage.store import Store

COMPAT = Path(__file__).parents[1] / "golden" / "compat" / "c" / "store.db"


def everything(path: Path) -> list[object]:
    with Store(f"sqlite:///{path}") as store:
        return [(s.name, s.identity, s.objectives, store.origin(s), store.trials(s)) for s in store.studies()]


def contents(path: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file()}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_damaged_is_found_and_the_rest_is_saved(
    change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(change)
    before = contents(path)
    status = main(["store", "check", str(path)])
    printed = capsys.readouterr()
    assert status == 1 and "damaged" in printed.out, printed
    assert contents(path) == before
    status = main(["store", "repair", str(path)])
    printed = capsys.readouterr()
    new = tmp_path / "store.repaired.db"
    assert (status, new.exists()) in ((1, True), (2, False)) and "internal" not in printed.err
    if new.exists():
        read_everything(new)
        assert main(["store", "check", str(new)]) == 0
    assert contents(path).items() >= before.items()


def test_a_whole_store_survives_export_and_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(shutil.copy(COMPAT, tmp_path / "old.db"))
    before = contents(path)
    assert main(["store", "check", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "store": str(path), "studies": 1, "trials": 18, "lost": 0, "problems": []
    }  # fmt: skip
    assert main(["store", "export", str(path), "-o", str(tmp_path / "a.jsonl")]) == 0
    assert main(["store", "repair", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "new.db")]) == 0
    assert main(["store", "repair", str(path)]) == 0
    assert contents(path).items() >= before.items()
    assert everything(tmp_path / "new.db") == everything(tmp_path / "old.repaired.db") == everything(path)
    capsys.readouterr()
    assert main(["store", "export", str(tmp_path / "new.db")]) == 0
    assert capsys.readouterr().out == (tmp_path / "a.jsonl").read_text()


def test_lost_trials_are_told_and_the_others_numbered_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE trial SET configuration = '{' WHERE number = 1")
        connection.execute("UPDATE trial SET same_as = 1 WHERE number = 2")
    assert main(["store", "repair", str(path), "-o", str(tmp_path / "new.db"), "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["trials"], told["lost"]) == (3, 1)
    assert told["problems"][0] == "study 's': trial 1: configuration is not JSON: '{'"
    with Store(f"sqlite:///{tmp_path}/new.db") as store:
        assert [(t.number, t.same_as) for t in store.trials(open_study(store))] == [(0, None), (1, None), (2, None)]


def test_rows_around_a_page_that_cannot_be_read_are_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "store.db"
    with Store(f"sqlite:///{path}") as store:
        study = open_study(store)
        for i in range(60):
            store.record(study, trial(i))
    data = bytearray(path.read_bytes())
    pages = range(0, len(data), 4096)
    leaves = [
        at
        for at in pages
        if data[at] == 0x0D and b"snow" not in data[at : at + 4096] and b"-O3" in data[at : at + 4096]
    ]
    data[leaves[1] : leaves[1] + 200] = b"\xff" * 200
    path.write_bytes(data)
    assert main(["store", "repair", str(path)]) == 1
    with Store(f"sqlite:///{tmp_path}/store.repaired.db") as store:
        assert 20 < len(store.trials(open_study(store))) < 60


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(tmp_path)
    (tmp_path / "store.repaired.db").write_text("mine")
    assert main(["store", "repair", str(path)]) == 2
    assert "File exists" in capsys.readouterr().err and (tmp_path / "store.repaired.db").read_text() == "mine"


@pytest.mark.parametrize(
    "content", [b"", b"notes\n" * 99, b"SQLite format 3\0" + bytes(84), b"SQLite format 3\0" * 999]
)
@pytest.mark.parametrize("action", ["check", "repair", "export"])
def test_a_file_that_is_no_store(
    action: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "store.db").write_bytes(content)
    assert main(["store", action, str(tmp_path / "store.db")]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("error:") == 1 and "internal" not in printed.err
    assert os.listdir(tmp_path) == ["store.db"]


@pytest.mark.parametrize("line", ["{", "[1]", '{"kind":"trial","study":"s","number":0}', '{"kind":"study"}'])
def test_lines_that_cannot_be_read_are_told(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(tmp_path)
    text = tmp_path / "a.jsonl"
    assert main(["store", "export", str(tmp_path / "store.db"), "-o", str(text)]) == 0
    text.write_text(text.read_text() + line + "\n")
    assert main(["store", "repair", str(text)]) == 1
    assert "wrote" in (out := capsys.readouterr().out) and "line 8: " in out
