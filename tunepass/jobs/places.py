"""Where a source's trials and its lock are, and what a kernel is called there."""

from __future__ import annotations

import os
from pathlib import Path

from tunepass.study.lock import lock


def lock_key(source: str | Path, kernel: str) -> str:
    """`matmul.c::matmul`."""
    return f"{Path(source).name}::{kernel}"


def lock_path(source: str | Path) -> Path:
    """The lock of the folder that holds the source."""
    return Path(source).parent / lock.NAME


def store_path(source: str | Path, named: str | None) -> Path:
    """`--store`, else TUNEPASS_STORE, else `.tunepass/store.db` beside the source."""
    chosen = named or os.environ.get("TUNEPASS_STORE")
    return Path(chosen.removeprefix("sqlite:///")) if chosen else Path(source).parent / ".tunepass" / "store.db"
