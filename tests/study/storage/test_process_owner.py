"""Who holds a suggestion: told by a lock on a file beside the store."""

from __future__ import annotations

import os
from pathlib import Path

from tunepass.study.storage.process_owner import SUFFIX, Owner


def test_a_holder_lives_until_it_lets_go(tmp_path: Path) -> None:
    holder, other = Owner(tmp_path / "store.db"), Owner(tmp_path / "store.db")
    assert other.alive(holder.name)
    holder.release()
    assert not other.alive(holder.name) and list(tmp_path.iterdir()) == []


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"store.db{SUFFIX}")
    owner = Owner(tmp_path / "store.db")
    assert not owner.alive("byte/7/elsewhere/1")
    owner.release()
