"""Supervisors are started here as a build starts them."""

from __future__ import annotations

import pytest

from tests.supervisor_forks import start_as_builds_do
from tunepass.evaluators.process import run


@pytest.fixture(autouse=True)
def started_supervisors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "start_supervisor", start_as_builds_do)
