"""Which errors are the machine's, and what is said of them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass import cli
from tunepass.commands import doctor
from tunepass.commands.answers.store import is_store
from tunepass.compilers import responses
from tunepass.diagnostics import EnvironmentFault, StudyError, ToolError, TunepassError
from tunepass.evaluators.process.cores import processor_name
from tunepass.evaluators.toolchains import python_files, snapshot
from tunepass.frontends.cfamily.branches import conditions
from tunepass.frontends.cfamily.preprocessing import directives
from tunepass.jobs import annotations, transfer
from tunepass.launcher import link_marks
from tunepass.machine_faults import ERRNOS, cannot, doing, is_machines, machine_fault, words_of
from tunepass.tensors.data.text_stream import line_stream


def error_of(number: int, name: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), name)


MACHINES = [
    *(error_of(number) for number in sorted(ERRNOS)),
    MemoryError(),
    RuntimeError("can't start new thread"),
    ImportError("libz.so.1: failed to map segment from shared object: Cannot allocate memory"),
    FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp', '/var/tmp']"),
]


@pytest.mark.parametrize("error", MACHINES, ids=repr)
def test_a_fault_of_the_machine_ends_any_command_with_status_4_and_a_remedy(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(options: object) -> None:
        raise error

    assert is_machines(error)
    monkeypatch.setattr(doctor, "run", failing)
    assert cli.main(["doctor"]) == 4
    first, hint = capsys.readouterr().err.splitlines()
    assert first.startswith("error: ") and hint.startswith("  = help: ") and "find out why" not in hint


@pytest.mark.parametrize(
    "error",
    [error_of(errno.ENOENT), error_of(errno.EACCES), RuntimeError("odd"), ImportError("no module x"), ValueError()],
    ids=repr,
)
def test_other_errors_are_not(error: Exception) -> None:
    assert not is_machines(error)


def test_the_file_is_named() -> None:
    fault = machine_fault(error_of(errno.ENOSPC, "/a/b"), "cannot keep it")
    assert fault.diagnostics[0].message == "cannot keep it: /a/b: No space left on device"
    assert "free some space" in (fault.diagnostics[0].hint or "")


@pytest.mark.parametrize(
    "number,kind,hint", [(errno.EMFILE, EnvironmentFault, "ulimit -n"), (errno.ENOENT, ToolError, "PATH")]
)
def test_what_cannot_be_done_is_of_its_kind(number: int, kind: type[TunepassError], hint: str) -> None:
    failed = cannot("run gcc", error_of(number), ToolError, "is it on the PATH?")
    assert type(failed) is kind and hint in (failed.diagnostics[0].hint or "")
    assert failed.diagnostics[0].message == f"cannot run gcc: {os.strerror(number)}"


UNREADABLE = Path("/proc/self/mem")  # a file that is there; to read its first page is EIO


def market_lines(path: Path) -> str:
    with line_stream(path) as lines:
        return str(lines.next_line())


READERS: dict[str, Callable[[Path], object]] = {
    "the processor's name": processor_name,
    "an included file": lambda path: directives.text_of(str(path)),
    "a header's conditions": lambda path: conditions._read_header(str(path)),
    "a compiled source": annotations.contents,
    "an object": lambda path: link_marks.read(str(path)),
    "a file of options": lambda path: responses._text(str(path)),
    "a module": python_files._text,
    "a store": is_store,
}


@pytest.mark.skipif(not UNREADABLE.exists(), reason="Linux has it")
@pytest.mark.parametrize("reader", READERS)
def test_only_a_missing_file_is_passed_over(reader: str, tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(UNREADABLE)
    READERS[reader](tmp_path / "missing.py")
    with pytest.raises(OSError) as raised:
        READERS[reader](tmp_path / "link.py")
    assert raised.value.errno == errno.EIO and is_machines(raised.value)


@pytest.mark.skipif(not UNREADABLE.exists(), reason="Linux has it")
@pytest.mark.parametrize("reader", [market_lines, lambda path: transfer._is_sqlite(path)], ids=["a tensor", "a store"])
def test_a_file_that_the_machine_does_not_read_is_its_fault(reader: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"cannot read .*: Input/output error"):
        reader(UNREADABLE)
    with pytest.raises(TunepassError, match=r"cannot read .*: No such file"):
        reader(tmp_path / "missing")


def test_a_folder_that_cannot_be_listed_now_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: str) -> object:
        raise error_of(errno.EMFILE)

    monkeypatch.setattr(os, "scandir", full)
    with pytest.raises(OSError, match="Too many open files"):
        snapshot._link_others(str(tmp_path), "/tmp", (), ())


def test_a_reader_that_goes_is_no_fault() -> None:
    with pytest.raises(BrokenPipeError), doing("write"):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
    with pytest.raises(StudyError), doing("write"):
        raise StudyError("other")
    with pytest.raises(EnvironmentFault, match="cannot write: Input/output error"), doing("write"):
        raise error_of(errno.EIO)


def test_why_there_is_no_temporary_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert words_of(error) == "No usable temporary directory found in ['/tmp']"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "file"))
    assert words_of(error) == "No usable temporary directory found in ['/tmp']: Not a directory"
