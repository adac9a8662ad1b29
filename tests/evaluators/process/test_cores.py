"""A core is reserved for one measurement at a time, between processes and within one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunepass.diagnostics import EnvironmentFault
from tunepass.evaluators.process.cores import Patience, reserved_core


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_two_measurements_get_two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    with reserved_core() as first, reserved_core() as second:
        assert (first, second) == ((2,), (1,))
    with reserved_core() as again:
        assert again == (2,)


def test_with_one_core_there_is_nothing_to_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    with reserved_core() as cores:
        assert cores == ()


def test_an_unusable_folder_reserves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    with reserved_core() as cores:
        assert cores == (1,)


@pytest.fixture
def taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The one core's lock, held by somebody who signed it."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    path = tmp_path / f"tunepass-core-{os.getuid()}-3.lock"
    path.write_text(f"1234 {time.time() - 70:.0f} build k.c")
    held = os.open(path, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    yield held
    os.close(held)


def test_whoever_waits_says_for_whom_and_gives_up_in_time(taken: int) -> None:
    said: list[str] = []
    patience = Patience(said.append, lambda: 0.05, said_after_s=0.01)
    words = r"no core became free.*process 1234 \(`tunepass build k.c`\)"
    with pytest.raises(EnvironmentFault, match=words), reserved_core(patience):
        raise AssertionError
    assert len(said) == 1 and "has measured there for 7" in said[0]


def test_a_core_that_becomes_free_is_taken(taken: int, tmp_path: Path) -> None:
    with reserved_core(Patience(lambda _: fcntl.flock(taken, fcntl.LOCK_UN), said_after_s=0.01)) as cores:
        assert cores == ()
        with pytest.raises(BlockingIOError):
            fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert (tmp_path / f"tunepass-core-{os.getuid()}-3.lock").read_text().startswith(f"{os.getpid()} ")
    fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_one_who_gave_up_does_not_keep_it_later(taken: int) -> None:
    with pytest.raises(EnvironmentFault), reserved_core(Patience(left_s=lambda: 0.01)):
        raise AssertionError
    fcntl.flock(taken, fcntl.LOCK_UN)
    until = time.monotonic() + 10
    while time.monotonic() < until:  # the thread that waited gets it and lets it go
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.001)
    raise AssertionError
