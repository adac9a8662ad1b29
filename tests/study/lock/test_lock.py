"""tunepass.lock: its exact text, round trips, edits that leave the rest alone, and files that are not what they say."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.diagnostics import EnvironmentFault, StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.identity import Identity
from tunepass.study.lock.lock import Entry, Lock, LockedObjective, update
from tunepass.study.lock.text import scalar

GOLDEN = Path(__file__).parents[2] / "golden" / "study"
EXPECTED = (GOLDEN / "tunepass.lock").read_text()
OBJECTIVE = LockedObjective(
    name="time", unit="ms", default=412.1, chosen=98.3, gain=4.19, interval=(4.11, 4.27), evaluations=60
)
IDENTITY = Identity(
    source="sha256:ab12", space="sha256:cd34", compiler="gcc 12.2.0", flags=("-O2",), device="cpu x86_64", harness="1"
)


def entry(**choice: bool | int | float | str | tuple[int | str, ...]) -> Entry:
    return Entry(Configuration(choice), OBJECTIVE, IDENTITY)


MATMUL = entry(TILE=64, UNROLL=4, OPT="-O3")


def test_the_exact_text(tmp_path: Path) -> None:
    lock = Lock().with_entry("matmul.c::matmul", MATMUL)
    assert lock.text() == EXPECTED
    lock.write(tmp_path / "tunepass.lock")
    assert (tmp_path / "tunepass.lock").read_text() == EXPECTED
    assert Lock.read(tmp_path / "tunepass.lock") == lock
    assert os.listdir(tmp_path) == ["tunepass.lock"]


def test_missing_and_empty_locks(tmp_path: Path) -> None:
    assert Lock.read(tmp_path / "tunepass.lock").entries == {}
    Lock().write(tmp_path / "tunepass.lock")
    assert Lock.read(tmp_path / "tunepass.lock").entries == {}
    assert Lock.parse("version: 1\nkernels:\n").entries == {}


def test_other_entries_stay_byte_for_byte() -> None:
    text = EXPECTED.replace("  matmul.c", "  # reviewed by hand\n  matmul.c").replace("TILE: 64, ", "TILE:   64,  ")
    lock = Lock.parse(text)
    before = lock.with_entry("a.c::first", entry(X=1)).text()
    after = lock.with_entry("z.c::last", entry(X=1)).text()
    assert "  # reviewed by hand\n  matmul.c::matmul:\n    choice: {TILE:   64,  UNROLL: 4, OPT: -O3}\n" in after
    assert after.startswith(text)
    assert before.endswith(text[text.index("  matmul.c") :])
    assert list(Lock.parse(before).entries) == ["a.c::first", "matmul.c::matmul"]
    assert lock.with_entry("matmul.c::matmul", MATMUL).text() == text  # says the same: stays as written
    assert lock.with_entry("matmul.c::matmul", entry(TILE=8)).without("matmul.c::matmul").entries == {}


def test_a_file_laid_out_otherwise_is_written_anew() -> None:
    flow = yaml.safe_dump(yaml.safe_load(EXPECTED), default_flow_style=True, width=1000)
    assert Lock.parse(flow).with_entry("b.c::g", entry(X=1)).text().startswith(EXPECTED[: EXPECTED.index("  matmul")])
    assert Lock.parse(flow).entries["matmul.c::matmul"] == MATMUL


VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(
        ["on", "No", "null", "~", "1", "1e5", "0x1f", "2024-01-01", "-O3 -ffast-math", "a: b", "-", "12:30"]
    ),
    st.permutations(["i", "j", "on"]).map(tuple),
    st.permutations([0, 1, 2]).map(tuple),
)


@given(st.dictionaries(st.from_regex(r"[A-Za-z_]\w{0,5}", fullmatch=True), VALUES, max_size=4), st.text(max_size=9))
@examples(150)
def test_choices_round_trip(choice: dict[str, bool | int | float | str], key: str) -> None:
    text = Lock().with_entry(key, entry(**choice)).text()
    read = Lock.parse(text).entries[key].choice
    assert read == Configuration(choice) and list(read) == list(choice)
    assert [type(v) for v in read.values()] == [type(v) for v in choice.values()]
    assert yaml.safe_load(text)["kernels"][key]["choice"].keys() == choice.keys()


@given(VALUES)
@examples(100)
def test_scalars_stay_on_one_line(value: bool | int | float | str | tuple[int | str, ...]) -> None:
    if not isinstance(value, tuple):
        assert "\n" not in scalar(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "version: 3\nkernels: {}\nnew: 1\n",
            "tunepass.lock:1:10: error: lock version 3 is newer than this tunepass knows",
        ),
        ("kernels: {}\n", "tunepass.lock:1:1: error: a lock lacks `version`"),
        ("version: one\nkernels: {}\n", "tunepass.lock:1:10: error: version is a whole number"),
        ("version: 1\nkernals: {}\n", "tunepass.lock:2:1: error: a lock has no `kernals`(.|\n)*did you mean `kernels`"),
        ("version: 1\nkernels: {a: [}\n", "tunepass.lock:2:15: error: this is not YAML"),
        ("version: 1\nkernels:\n\t a: 1\n", "tunepass.lock:3:1: error: this is not YAML"),
        ("version: 1\nkernels:\n  a: 1\n", "tunepass.lock:3:6: error: kernel a is a mapping"),
        ("version: 1\nkernels:\n  a: {choice: {}}\n", "tunepass.lock:3:6: error: kernel a lacks `objective`"),
        ("version: 1\nkernels: &a\n  b: *a\n", "tunepass.lock:2:10: error: a lock has no anchors or aliases"),
        ("version: 1\nkernels: " + "[" * 5000, "tunepass.lock:2:17: error: a lock is not nested this deeply"),
        ("- a\n", "tunepass.lock is not a lock"),
        ("", "tunepass.lock is not a lock"),
        ("a: \0\n", "tunepass.lock:1:4: error: this is not YAML"),
        (EXPECTED.replace("gain: 4.19", "gain: big"), "tunepass.lock:6:75: error: gain is a number"),
        (EXPECTED.replace("[4.11, 4.27]", "[4.11]"), "error: interval must be two numbers"),
        (
            EXPECTED.replace("TILE: 64", "TILE: 2024-01-01"),
            "tunepass.lock:5:20: error: TILE is a Boolean, a number",
        ),
        (EXPECTED.replace("TILE: 64", "TILE: 64, TILE: 8"), "error: choice has `TILE` twice"),
        (
            EXPECTED.replace("TILE: 64", "TILE: !!python/object:os.system 1"),
            "tunepass.lock:5:20: error: a lock has no tags",
        ),
        (EXPECTED.replace("chosen:", "choosen:"), "objective has no `choosen`(.|\n)*did you mean `chosen`"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        Lock.parse(text)


def test_unreadable_files(tmp_path: Path) -> None:
    path = tmp_path / "tunepass.lock"
    path.write_bytes(b"version: \xff\n")
    with pytest.raises(StudyError, match="not UTF-8"):
        Lock.read(path)
    path.write_bytes(b"#" * (9 << 20))
    with pytest.raises(StudyError, match="larger than 8 MiB"):
        Lock.read(path)
    with pytest.raises(StudyError, match="cannot read"):
        Lock.read(tmp_path)


def test_a_failed_write_leaves_the_old_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tunepass.lock"
    path.write_text(EXPECTED)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EnvironmentFault, match=r"cannot write .*tunepass.lock: No space left on device"):
        Lock.read(path).with_entry("b.c::g", entry(X=1)).write(path)
    assert path.read_text() == EXPECTED and os.listdir(tmp_path) == ["tunepass.lock"]


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "tunepass.lock"
    path.write_text(EXPECTED)
    path.chmod(0o640)
    update(path, "b.c::g", entry(X=1))
    assert path.stat().st_mode & 0o777 == 0o640


def _update(path: str, k: int) -> None:
    for i in range(5):
        update(path, f"k{k}.c::f{i}", entry(X=i))


def test_two_processes_keep_each_others_entries(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_update, args=(str(tmp_path / "tunepass.lock"), k)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(Lock.read(tmp_path / "tunepass.lock").entries) == 10


def test_identity_changes_are_lines_for_people() -> None:
    now = Identity(
        source="sha256:" + "f" * 64, space="sha256:cd34", compiler="gcc 13.1.0", device="cpu x86_64", harness="1"
    )
    assert IDENTITY.changes(IDENTITY) == []
    assert IDENTITY.changes(now) == [
        "source: sha256:ab12 -> sha256:ffffffffffff…",
        "compiler: gcc 12.2.0 -> gcc 13.1.0",
        "flags: -O2 -> (none)",
    ]


def test_what_was_compiled_is_in_the_text_where_it_is_known() -> None:
    whole = Entry(MATMUL.choice, OBJECTIVE, replace(IDENTITY, files="sha256:ee", toolchain="sha256:ff"))
    text = Lock().with_entry("matmul.c::matmul", whole).text()
    assert "harness: 1, files: sha256:ee, toolchain: sha256:ff}" in text
    assert Lock.parse(text).entries["matmul.c::matmul"] == whole


def test_numbers_are_rounded_to_what_diffs_well() -> None:
    noisy = LockedObjective(
        name="t", default=1.23456789, chosen=1 / 3, gain=3.7037037, interval=(3, 4.00000001), evaluations=2
    )
    assert (noisy.default, noisy.chosen, noisy.gain, noisy.interval) == (1.23457, 0.333333, 3.7037, (3.0, 4.0))


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_only_a_regular_file_is_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tunepass.lock"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
    with pytest.raises(StudyError, match=r"cannot read .*not a regular file"):
        Lock.read(path)
    with pytest.raises(StudyError, match=r"cannot write .*not a regular file"):
        Lock().write(path)


def test_a_link_leads_to_the_file_that_is_read_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    path, target = tmp_path / "tunepass.lock", tmp_path / "shared" / "lock"
    target.write_text(EXPECTED)
    path.symlink_to(target)
    update(path, "b.c::g", entry(X=1))
    assert path.is_symlink() and len(Lock.read(path).entries) == 2
    assert target.read_text() == path.read_text() and os.listdir(tmp_path / "shared") == ["lock"]


def test_aliases_do_not_multiply() -> None:
    bomb = "version: 1\nkernels:\n  a: &a [1]\n" + "".join(
        f"  {b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi")
    )
    with pytest.raises(StudyError, match=r"tunepass.lock:3:6: error: a lock has no anchors"):
        Lock.parse(bomb)
