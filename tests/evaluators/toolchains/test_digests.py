"""Digests of files: one that is not there has a digest of its own, one that the machine cannot read has none."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import NoReturn

import pytest

from tunepass.evaluators.toolchains import digests


def test_a_missing_file_has_a_digest_of_its_own(tmp_path: Path) -> None:
    assert digests.content_digest(tmp_path / "none") == digests.MISSING


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO, errno.ENOMEM])
def test_a_file_that_the_machine_cannot_read_is_not_missing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a lock would be stale, and trials be filed under another identity."""

    def failing(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    (tmp_path / "k.c").write_text("int x;\n")
    monkeypatch.setattr("builtins.open", failing)
    monkeypatch.setattr(io, "open", failing)
    with pytest.raises(OSError, match=os.strerror(number)):
        digests.content_digest(tmp_path / "k.c")
