"""tunepass.choices: how it follows its lock, and what it says where a source cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.test_cc import PROBE, lock
from tunepass.diagnostics import StudyError
from tunepass.jobs.locks import choices_file
from tunepass.jobs.locks.choices_file import NAME, refresh_choices, write_choices
from tunepass.jobs.locks.tuned_sources import tuned_source

OTHER = "other.c"


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the sources that are read, in a folder with two sources and their lock."""
    names: list[str] = []

    def reading(source: Path) -> object:
        names.append(source.name)
        return tuned_source(source)

    monkeypatch.setattr(choices_file, "tuned_source", reading)
    for name, tile in (("probe.c", 32), (OTHER, 16)):
        (tmp_path / name).write_text(PROBE)
        lock(tmp_path, source=name, TILE=tile, OPT="")
    return names


def lines_of(folder: Path, name: str) -> list[str]:
    """The lines of a source, after its first."""
    text = (folder / NAME).read_text()
    _, _, section = text.partition(f"source {name} ")
    return section.partition("\nsource ")[0].partition("\nend ")[0].splitlines()[1:]


def test_the_file_follows_a_changed_lock_and_reads_that_source_alone(tmp_path: Path, read: list[str]) -> None:
    write_choices(tmp_path)
    assert lines_of(tmp_path, "probe.c") == ["define TILE=32"] and sorted(read) == [OTHER, "probe.c"]
    read.clear()
    lock(tmp_path, TILE=16, OPT="-DEXTRA=5")
    assert refresh_choices(tmp_path) == () and read == ["probe.c"]
    assert lines_of(tmp_path, "probe.c") == ["define EXTRA=5", "define TILE=16"]


def test_a_stale_entry_is_said_and_read_again_each_time(tmp_path: Path, read: list[str]) -> None:
    (tmp_path / "probe.c").write_text(PROBE + "/* */\n")
    write_choices(tmp_path)
    (stale,) = [line for line in lines_of(tmp_path, "probe.c") if line.startswith("stale ")]
    assert "changed since probe was tuned" in stale
    read.clear()
    notes = refresh_choices(tmp_path)
    assert read == ["probe.c"] and any("changed since probe was tuned" in note for note in notes)
    before = (tmp_path / NAME).read_bytes()
    assert write_choices(tmp_path, frozen=True).stale
    (tmp_path / "probe.c").write_text(PROBE + "/* again */\n")
    write_choices(tmp_path, frozen=True)
    assert (tmp_path / NAME).read_bytes() == before


def test_a_source_that_cannot_be_read_hinders_no_other(tmp_path: Path, read: list[str]) -> None:
    (tmp_path / "probe.c").write_text(PROBE.replace("ordinal(8, 16, 32)", "ordinal(8, 16"))
    (written,) = [line for line in write_choices(tmp_path).stale if "its defaults are used" in line]
    assert written.startswith("probe.c:5: ")
    assert [line.split()[0] for line in lines_of(tmp_path, "probe.c")] == ["stale"]
    assert lines_of(tmp_path, OTHER) == ["define TILE=16"]


def test_a_source_that_is_gone_is_left_out(tmp_path: Path, read: list[str]) -> None:
    (tmp_path / OTHER).unlink()
    written = write_choices(tmp_path)
    assert written.sources == ("probe.c",) and OTHER in written.notes[0]


def test_a_damaged_file_is_made_anew_and_a_missing_one_is_not(tmp_path: Path, read: list[str]) -> None:
    assert refresh_choices(tmp_path) == () and not (tmp_path / NAME).exists()
    write_choices(tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    for damaged in (b"", b"\0" * 99, whole[:-9], whole.replace(b"TILE=32", b"TILE=33")):
        (tmp_path / NAME).write_bytes(damaged)
        refresh_choices(tmp_path)
        assert (tmp_path / NAME).read_bytes() == whole


def test_an_error_in_writing_leaves_the_old_file(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_choices(tmp_path)
    before = (tmp_path / NAME).read_bytes()

    def refused(*_: object) -> None:
        raise StudyError("cannot write")

    monkeypatch.setattr(choices_file, "write_bytes", refused)
    lock(tmp_path, TILE=16, OPT="")
    with pytest.raises(StudyError):
        refresh_choices(tmp_path)
    assert (tmp_path / NAME).read_bytes() == before


def test_a_name_with_blanks_is_one_word(tmp_path: Path) -> None:
    name = "a b%.c"
    (tmp_path / name).write_text(PROBE)
    lock(tmp_path, source=name, TILE=32, OPT="")
    write_choices(tmp_path)
    assert lines_of(tmp_path, "a%20b%25.c") == ["define TILE=32"]
