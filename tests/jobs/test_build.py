"""What prevents a build from writing what it found is the machine's fault, and the search is resumed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tunepass.backends.base import Target
from tunepass.diagnostics import EnvironmentFault, SourceError, ToolError, TunepassError
from tunepass.files import write_text
from tunepass.jobs.build import BuildRequest, _finishing
from tunepass.tuning.options import SearchOptions

REQUEST = BuildRequest(
    source="k.c", folder=Path("out"), store=Path("store.db"), target=Target(), options=SearchOptions()
)


@pytest.mark.parametrize(
    "error,words",
    [
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "out/.tunepass-1"),
            "out: out/.tunepass-1: No such",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "out: No space left on device"),
        (ToolError("the tuned k.c does not compile", hint="x.s: No space left on device"), "No space left on device"),
        (EnvironmentFault("cannot write k.h: Read-only file system"), "Read-only file system"),
    ],
)
def test_what_cannot_be_written_any_more_is_the_machines_fault(error: Exception, words: str) -> None:
    with pytest.raises(EnvironmentFault, match=words), _finishing(REQUEST):
        raise error


@pytest.mark.parametrize("error", [ToolError("the tuned k.c does not link", hint="undefined"), SourceError("k.c")])
def test_other_errors_are_as_they_were(error: TunepassError) -> None:
    with pytest.raises(type(error)) as raised, _finishing(REQUEST):
        raise error
    assert raised.value is error


@pytest.mark.parametrize("number,kind", [(errno.ENOSPC, EnvironmentFault), (errno.EACCES, TunepassError)])
def test_a_file_that_cannot_be_written_is_as_it_was(
    number: int, kind: type[TunepassError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace(source: object, target: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "k.h"
    path.write_text("before")
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(kind, match=os.strerror(number)) as raised:
        write_text(path, "after")
    assert type(raised.value) is kind
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
