"""Texts are UTF-8 whatever the locale, bytes that are none stay as they are, and so do files' names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE
from tunepass import cli
from tunepass.backends.base import frontend_of
from tunepass.diagnostics import StudyError, TunepassError
from tunepass.files import encoded, read_bytes, write_bytes, write_text
from tunepass.jobs.places import file_name, lock_key
from tunepass.jobs.reading import parse, read_source
from tunepass.passes.apply_schedule import scheduled
from tunepass.study.lock.lock import Lock

LATIN = '\r\nstatic const char *unit = "\udcb5s caf\udce9";\r\n/* \udcff */\r\n'
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # Python takes all names for ASCII then
NAMES = ("a.c", "é.c", "caf\udce9.c", "a\\b.c", "a\\xe9.c", "\\\udcff\\x.c", "-o.c", "a b.c", "a::b.c")


def written(path: Path) -> bytes:
    """The tuned source of the file's own kernel."""
    kernel = parse(path).kernels[0]
    choice = {p.name: p.default for p in kernel.parameters}
    (file,) = frontend_of(path).emit([scheduled(kernel, choice)])[:1]  # type: ignore[arg-type]
    return encoded(file.text)


def test_bytes_that_are_no_utf8_are_written_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "scale.c"
    path.write_bytes(encoded(SOURCE.replace("\n", "\r\n") + LATIN))
    assert b'"\xb5s caf\xe9";\r\n/* \xff */\r\n' in written(path)


def test_a_byte_order_mark_is_no_part_of_a_source(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.c", tmp_path / "marked.c"
    plain.write_text(SOURCE)
    marked.write_bytes(b"\xef\xbb\xbf" + SOURCE.encode())
    assert read_source(marked).text == read_source(plain).text


@pytest.mark.parametrize("name", NAMES)
def test_any_name_can_be_a_key(name: str) -> None:
    key = lock_key(name, "f")
    key.encode("utf-8")
    assert file_name(key) == name and key.isprintable()
    assert len({lock_key(other, "f") for other in NAMES}) == len(NAMES)


@pytest.mark.parametrize("key", ["../../etc/x.c::f", "/etc/passwd::f", "..::f", "::f", "f", "a/b.c::f", "\0.c::f"])
def test_no_key_names_a_file_of_another_folder(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.study.lock.test_lock import entry

    assert file_name(key) is None
    Lock().with_entry(key, entry(X=1)).write(tmp_path / "tunepass.lock")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["verify"]) == 3
    assert "it names no file of the lock's folder" in capsys.readouterr().out


@pytest.mark.slow
def test_a_name_that_is_no_utf8_works_in_any_locale(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.c")
    (tmp_path / name).write_bytes(encoded(SOURCE + LATIN))
    command = [sys.executable, "-m", "tunepass", "space", "--format", "json", name]
    outputs = [
        subprocess.run(command, cwd=tmp_path, env={**os.environ, **extra}, capture_output=True, check=False)
        for extra in ({}, ASCII)
    ]
    assert outputs[0].stdout == outputs[1].stdout and [o.returncode for o in outputs] == [0, 0], outputs
    assert json.loads(outputs[0].stdout)["source"] == name


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_a_source_is_a_regular_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
    with pytest.raises(TunepassError, match=r"cannot read .*a.c: it is a .*, not a regular file"):
        parse(path)


def test_a_file_is_replaced_whole_with_its_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to("a")
    write_text(link, "after \udce9")
    assert path.read_bytes() == b"after \xe9" and path.stat().st_mode & 0o777 == 0o640 and link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "link"]


def test_a_new_file_has_the_permissions_of_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StudyError, match=r"cannot write .*it is a pipe"):
        write_bytes(tmp_path / "pipe", b"", StudyError)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(2049))
    with pytest.raises(StudyError, match="larger than 2 KiB"):
        read_bytes(tmp_path / "a", 2048, StudyError)


@pytest.mark.parametrize("name,mark", [(b"caf\xe9.c", b""), (b"marked.c", b"\xef\xbb\xbf")])
@pytest.mark.slow_but(2)
def test_a_build_keeps_names_and_bytes(
    name: bytes,
    mark: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    source = os.fsdecode(name)
    Path(source).write_bytes(mark + encoded(SOURCE + LATIN))
    assert cli.main(["build", source, "--max-evals", "1", "--", "gcc", "-O1"]) == 0, capsysbinary.readouterr().err
    assert b'"\xb5s caf\xe9"' in Path("out", source.replace(".c", ".tuned.c")).read_bytes()
    assert cli.main(["verify", "--", "gcc", "-O1"]) == 0, capsysbinary.readouterr().out
