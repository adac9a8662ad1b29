"""Work that was done stays done: builds that are killed, starved of disk, run twice at once, or meet other schemas."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.killing import Place, kill_again_and_again, left_running, reported_counts
from tunepass.study.storage.schema import APPLICATION_ID, STEPS

KILLS = 6


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, float]:
    """A build that nothing happened to, and how long it took. Tests copy what they change."""
    place = Place.make(tmp_path_factory.mktemp("undisturbed"))
    done, seconds = place.build()
    assert done.returncode == 0, done.stderr
    assert len(place.rows()) == place.evaluations and json.loads(done.stdout)["choice"]
    return place, seconds


def copy_of(place: Place, target: Path) -> Place:
    shutil.copytree(place.path, target)
    return Place(target, place.evaluations, place.strategy)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte of its own."""
    target = tmp_path / "disk"
    target.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(target)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs to mount a file system")
    try:
        yield target
    finally:
        subprocess.run(["umount", "-l", str(target)], check=True)


def refused(done: subprocess.CompletedProcess[str], *words: str, status: int = 2) -> None:
    """One diagnostic, no traceback."""
    assert done.returncode == status, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr


@pytest.mark.slow
def test_killed_at_any_moment(undisturbed: tuple[Place, float], tmp_path: Path) -> None:
    place, seconds = undisturbed
    killed = Place.make(tmp_path / "killed")
    kill_again_and_again(killed, place, KILLS, 0.8 * seconds, random.Random(5))
    assert left_running(killed) == []


@pytest.mark.slow
def test_a_file_size_limit_stops_the_search_and_loses_nothing(undisturbed: tuple[Place, float], tmp_path: Path) -> None:
    place = Place.make(tmp_path / "limited")

    def limit() -> None:  # reached by the store's journal after a few trials
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))

    done, _ = place.build(prepare=limit)
    refused(done, "store.db", "disk I/O error", "ulimit -f", status=4)
    kept = place.rows()
    assert 0 < max(reported_counts(done.stderr)) <= len(kept) < place.evaluations
    again, _ = place.build()
    assert again.returncode == 0, again.stderr
    assert place.rows()[: len(kept)] == kept and place.rows() == undisturbed[0].rows()


@pytest.mark.slow
def test_a_full_disk(undisturbed: tuple[Place, float], small_disk: Path) -> None:
    place = Place.make(small_disk / "app")
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 200_000))
    done, _ = place.build()
    refused(done, "store.db", "disk is full", status=4)
    ballast.unlink()
    kept = place.rows()
    assert 0 < max(reported_counts(done.stderr)) <= len(kept) < place.evaluations
    again, _ = place.build()
    assert again.returncode == 0, again.stderr
    assert place.rows()[: len(kept)] == kept and place.rows() == undisturbed[0].rows()
    assert place.choice() == undisturbed[0].choice()


def test_a_disk_without_a_byte(undisturbed: tuple[Place, float], small_disk: Path) -> None:
    place = Place.make(small_disk / "app")
    with pytest.raises(OSError, match="No space"), (small_disk / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    done, _ = place.build()
    refused(done, "disk is full", "free some space", status=4)


def test_a_read_only_folder(undisturbed: tuple[Place, float], small_disk: Path, tmp_path: Path) -> None:
    place = copy_of(undisturbed[0], small_disk / "app")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done, _ = place.build("-o", str(tmp_path / "out"))  # the lock fits: nothing is to be written there
    assert done.returncode == 0 and json.loads(done.stdout)["evaluations"] == 0, done.stderr
    done, _ = place.build("-o", str(tmp_path / "out"), "--continue")
    refused(done, "Read-only file system")


@pytest.mark.slow
def test_two_builds_on_one_store(undisturbed: tuple[Place, float], tmp_path: Path) -> None:
    place = Place.make(tmp_path / "shared")
    first, second = place.start("-o", "out1"), place.start("-o", "out2")
    ends = [process.communicate(timeout=300) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), ends
    rows = place.rows()
    assert len(rows) == place.evaluations == len({row[1] for row in rows})
    assert [row[0] for row in rows] == list(range(place.evaluations))
    runs = [line for line in place.runs() if line != "9 w" and line[0] != "7"]  # the first failure is made again
    assert len(runs) == len(set(runs)), "both evaluated the same configuration"
    assert "tune.yaml::exact" in (place.path / "tunepass.lock").read_text()


def as_first_schema(store: Path, trials: int) -> None:
    """Write the store anew as version 1 had it, with its first `trials`."""
    newer = store.rename(store.with_name("newer.db"))
    with sqlite3.connect(store) as connection:
        for statement in STEPS[0]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("ATTACH ? AS newer", (str(newer),))
        for table, where in (("study", ""), ("trial", f"WHERE number < {trials}")):
            names = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
            connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM newer.{table} {where}")
    connection.close()
    newer.unlink()


def test_a_store_of_an_older_schema_is_brought_up_to_date(undisturbed: tuple[Place, float], tmp_path: Path) -> None:
    place = copy_of(undisturbed[0], tmp_path / "old")
    (place.path / "tunepass.lock").unlink()
    as_first_schema(place.store, trials=8)
    seen = len(place.runs())
    done, _ = place.build()
    assert done.returncode == 0 and json.loads(done.stdout)["evaluations"] == 4, done.stderr
    assert place.rows() == undisturbed[0].rows() and len(place.runs()) - seen == 5  # and the default, for its time


def test_a_store_of_a_newer_schema_is_refused(undisturbed: tuple[Place, float], tmp_path: Path) -> None:
    place = copy_of(undisturbed[0], tmp_path / "new")
    (place.path / "tunepass.lock").unlink()
    with sqlite3.connect(place.store) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = place.store.read_bytes()
    done, _ = place.build()
    refused(done, "store.db has store schema 99", "update tunepass")
    assert place.store.read_bytes() == before


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
@pytest.mark.slow_but(2)
def test_a_store_that_is_removed_is_rescued(undisturbed: tuple[Place, float], replaced: bool, tmp_path: Path) -> None:
    place = Place.make(tmp_path / "app")
    process = place.start()
    until = time.monotonic() + 60
    while len(place.rows()) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    shutil.rmtree(place.store.parent)
    if replaced:
        place.store.parent.mkdir()
        shutil.copy(undisturbed[0].store, place.store)
    _, err = process.communicate(timeout=120)
    refused(subprocess.CompletedProcess([], process.returncode, "", err), "was removed or replaced", status=4)
    assert not (place.path / "tunepass.lock").exists()
    rescued = place.path / err.split("all its trials are in ")[1].split()[0]
    done, _ = place.build("--store", str(rescued))
    assert done.returncode == 0 and json.loads(done.stdout)["evaluations"] == 0, done.stderr
    shutil.rmtree(place.store, ignore_errors=True)
    os.replace(rescued, place.store)
    assert place.rows() == undisturbed[0].rows() and place.choice() == undisturbed[0].choice()
