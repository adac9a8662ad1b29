"""A core is reserved for one measurement at a time, between processes and within one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tunepass.evaluators.process.cores import reserved_core


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
