"""What `tunepass cc` remembers: when it holds, who may have written it, and how little it then loads."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import FILL, MAIN, PROBE, lock, said
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.reading import load
from tunepass.launcher import sealed
from tunepass.launcher.prepared import CallQuestion, Prepared

HEAVY = ("numpy", "yaml", "lark", "cffi", "re", "dataclasses", "typing", "subprocess", "tunepass.launcher.locked")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Its cache and its key are in folders beside it."""
    (tmp_path / "here").mkdir()
    found = Folder(tmp_path / "here")
    found.write("probe.c", PROBE)
    found.write("main.c", MAIN)
    lock(found.path, TILE=32, OPT="-DEXTRA=5")
    found.write("fill.c", FILL)
    found.write("n.h", "#define LIMIT 4\n")
    lock(found.path, "fill.c", TI=2)
    return found


def places(folder: Folder) -> dict[str, str]:
    above = folder.path.parent
    return {"TUNEPASS_CACHE": str(above / "cache"), "XDG_STATE_HOME": str(above / "state")}


def records(folder: Folder) -> list[Path]:
    return sorted(path for path in (folder.path.parent / "cache" / "cc-1").iterdir() if path.is_file())


def compiled(folder: Folder, source: str = "probe.c") -> bytes:
    done = folder.run("cc", "-O1", "-c", source, "-o", "made.o", **places(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return (folder.path / "made.o").read_bytes()


def loaded(folder: Folder, *words: str) -> list[str]:
    """What a call in a fresh interpreter loads, of what takes long, before the compiler starts."""
    code = (
        "import os, sys\n"
        f"sys.modules.pop('re', None); before = set(sys.modules); heavy = {HEAVY!r}\n"
        "def started(*call): print(*[m for m in heavy if m in sys.modules and m not in before]); os._exit(0)\n"
        "os.execvp = os.posix_spawnp = started\n"
        "from tunepass.cli import main\n"
        f"sys.exit(main({['cc', *words]!r}))"
    )
    environment = {**os.environ, **places(folder)}
    words = (sys.executable, "-c", code)
    done = subprocess.run(words, cwd=folder.path, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("source", ["probe.c", "fill.c"])
def test_the_second_call_loads_nothing_that_takes_long(folder: Folder, source: str) -> None:
    first = compiled(folder, source)
    assert loaded(folder, "-O1", "-c", source, "-o", "made.o") == []
    assert compiled(folder, source) == first


def test_a_call_with_debug_data_is_remembered(folder: Folder) -> None:
    """With -g, gcc's preprocessed text names the working folder, which every object that is written there changes."""
    assert folder.run("cc", "-g", "-c", "probe.c", **places(folder)).returncode == 0
    folder.write("later.o", "")
    assert loaded(folder, "-g", "-c", "probe.c") == []


def test_a_source_without_a_word_for_us_needs_none_of_it(folder: Folder) -> None:
    assert loaded(folder, "-O1", "-c", "main.c") == []
    assert loaded(folder, "-DX", "main.c", "-lm", "-o", "prog") == []
    assert not (folder.path.parent / "cache").exists()


@pytest.mark.parametrize("changed", ["source", "lock", "words"])
@pytest.mark.slow_but(3)
def test_an_answer_goes_with_what_it_was_worked_out_from(folder: Folder, changed: str) -> None:
    compiled(folder)
    words = ["-O1"]
    if changed == "source":
        folder.write("probe.c", PROBE.replace("TILE + EXTRA", "TILE - EXTRA"))
    elif changed == "lock":
        lock(folder.path, TILE=16, OPT="-DEXTRA=5")
    else:
        words = ["-UEXTRA", "-DTWICE=2"]
    assert folder.run("cc", *words, "-c", "probe.c", **places(folder)).returncode == 0
    assert folder.run("cc", "main.c", "probe.o", **places(folder)).returncode == 0
    assert said(folder) == {"source": "27\n", "lock": "21\n", "words": "37\n"}[changed]


def test_what_there_is_to_say_is_said_each_time(folder: Folder) -> None:
    folder.write("probe.c", PROBE + "/* changed */\n")
    notes = [folder.run("cc", "-c", "probe.c", **places(folder)).stderr for _ in range(2)]
    assert notes[0] == notes[1] and "the locked choice is used" in notes[0]
    assert folder.run("cc", "--frozen", "-c", "probe.c", **places(folder)).returncode == 3


def forged(folder: Folder, old: bytes, new: bytes) -> None:
    for record in records(folder):
        record.write_bytes(record.read_bytes().replace(old, new))


@pytest.mark.parametrize("new", [b"-DEXTRA=6", b"-wrapper=", b""])
@pytest.mark.slow_but(3)
def test_a_record_that_was_changed_is_not_believed(folder: Folder, new: bytes) -> None:
    honest = compiled(folder)
    forged(folder, b"-DEXTRA=5", new)
    assert compiled(folder) == honest


def test_even_under_the_seal_no_word_reaches_the_compiler_that_the_source_does_not_have(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in places(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder.path)
    question = CallQuestion(["cc"], ["-c", "probe.c"], {"probe.c": PROBE.encode()})
    for word in ("-DTILE=8", "-DEXTRA=5", "-fopenmp"):
        question.keep(Prepared(1, [word]))
        assert question.answer() is not None, word
    for word in ("-fplugin=x", "-DOTHER=1", "@x", "-B.", "-oevil"):
        question.keep(Prepared(1, [word]))
        assert question.answer() is None, word


def test_a_text_that_was_changed_is_not_compiled(folder: Folder) -> None:
    honest = compiled(folder, "fill.c")
    (text,) = (folder.path.parent / "cache" / "cc-1").glob("*/fill.c")
    text.write_text(text.read_text().replace("i + LIMIT", "i - LIMIT"))
    assert compiled(folder, "fill.c") == honest and "i + LIMIT" in text.read_text()


def test_a_record_of_other_code_is_not_used(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in places(folder).items():
        monkeypatch.setenv(name, value)
    module = folder.write("code.py", "")
    monkeypatch.setitem(sys.modules, "tunepass.of_this_test", type(sys)("tunepass.of_this_test"))
    monkeypatch.setattr(sys.modules["tunepass.of_this_test"], "__file__", str(module), raising=False)
    question = CallQuestion(["cc"], ["-c", "probe.c"], {"probe.c": PROBE.encode()})
    question.keep(Prepared(1, ["-DTILE=8"]))
    assert question.answer() is not None
    module.write_text("changed = True\n")
    assert question.answer() is None


AUTO = """\
#include "size.h"
#pragma tunepass kernel f(n = 16, x: in double[n*n], y: out double[n*n])
void f(int n, const double *x, double *y)
{
#pragma tunepass loop auto
    for (int i = 0; i < LIMIT(n); i++)
        for (int j = 0; j < n; j++)
            y[i * n + j] = 2 * x[i * n + j];
}
"""


@pytest.mark.slow
def test_an_answer_goes_with_the_headers_that_a_nest_was_read_with(folder: Folder) -> None:
    (folder.path / "inc").mkdir()
    header = folder.write("inc/size.h", "#define LIMIT(n) (n)\n")
    source = folder.write("auto.c", AUTO)
    kernel = load(source, words=["-Iinc", f"-I{folder.path}/inc"])
    lock(folder.path, "auto.c", ["-Iinc", f"-I{folder.path}/inc"], **{p.name: p.default for p in kernel.parameters})
    lookup = tuned_source(source, words=["-I", str(header.parent)])
    assert {str(source), str(header)} <= lookup.read and not lookup.warnings
    words = ("cc", "-O1", "-Iinc", "-c", "auto.c")
    assert folder.run(*words, **places(folder)).returncode == 0
    assert loaded(folder, *words[1:]) == []
    header.write_text("#define LIMIT(n) ((n) - 1)\n")
    assert "tunepass.launcher.locked" in loaded(folder, *words[1:])


def test_what_others_could_have_written_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    sealed.remember("name", b"content")
    record, key = tmp_path / "cache/cc-1/name", Path(sealed.key_path())
    assert sealed.recall("name") == b"content" and sealed.recall("other") is None
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    for path, mode in ((record, 0o620), (key, 0o640)):
        before = stat.S_IMODE(path.stat().st_mode)
        path.chmod(mode)
        assert sealed.recall("name") is None
        path.chmod(before)
    (record.parent / "other").write_bytes(record.read_bytes())  # under another name
    assert sealed.recall("other") is None
    record.rename(tmp_path / "moved")
    record.symlink_to(tmp_path / "moved")
    assert sealed.recall("name") is None
    key.write_bytes(bytes(32))
    assert sealed.recall("name") is None


@pytest.mark.parametrize("place", ["cache", "state"])
@pytest.mark.slow_but(2)
def test_where_others_may_write_nothing_is_kept(folder: Folder, place: str) -> None:
    (folder.path.parent / place).mkdir()
    inner = folder.path.parent / place / ("cc-1" if place == "cache" else "tunepass")
    inner.mkdir()
    inner.chmod(0o777)
    assert compiled(folder) == compiled(folder) and compiled(folder, "fill.c") == compiled(folder, "fill.c")
    assert not list(inner.iterdir())


def test_without_a_place_to_remember_in_it_works_as_well(folder: Folder) -> None:
    (folder.path.parent / "cache").write_text("a file")
    assert compiled(folder, "fill.c") == compiled(folder, "fill.c")


def test_many_at_once_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(20):
            content = bytes([number]) * 1000
            sealed.remember("shared", content)
            seen = sealed.recall("shared")
            if seen is None or len(set(seen)) != 1 or len(seen) != 1000:
                wrong.append((turn, seen))
            if sealed.keep_text(b"text", "a.c") is None:
                wrong.append("text")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(list((tmp_path / "cache/cc-1").iterdir())) == 2


def test_what_is_old_goes_when_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sealed, "MOST", 5)
    text = sealed.keep_text(b"text", "a.c")
    assert text is not None
    for name in "abcd":
        sealed.remember(name, b"x")
        os.utime(tmp_path / "cache/cc-1" / name, (1, 1))
    os.utime(Path(text).parent, (0, 0))
    sealed.remember("e", b"x")
    assert {path.name for path in (tmp_path / "cache/cc-1").iterdir()} == {"b", "c", "d", "e"}
