"""Sources on stdin and behind symbolic links, and what `tunepass cc --show-stats` says of all."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import FILL, MAIN, PROBE, lock, said
from tests.commands.test_cc_spellings import run_with_stdin


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Its cache is beside it. probe.c says 37 as its lock has it, and 8 without; fill.c is rewritten."""
    (tmp_path / "real").mkdir()
    found = Folder(tmp_path / "real")
    for name, text in {"probe.c": PROBE, "main.c": MAIN, "fill.c": FILL, "n.h": "#define LIMIT 4\n"}.items():
        found.write(name, text)
    lock(found.path, TILE=32, OPT="-DEXTRA=5")
    lock(found.path, "fill.c", TI=2)
    return found


def cache(folder: Folder) -> dict[str, str]:
    above = folder.path.parent
    return {"TUNEPASS_CACHE": str(above / "cache"), "XDG_STATE_HOME": str(above / "state")}


def statistics(folder: Folder) -> dict[str, tuple[bool, str]]:
    done = folder.run("cc", "--show-stats", "--format", "json", **cache(folder))
    assert done.returncode == 0, done.stderr
    return {one["source"]: (one["tuned"], one["why"]) for one in json.loads(done.stdout)["sources"]}


@pytest.mark.parametrize("words", ["-x c -c - -o probe.o", "-c -o probe.o -xc -", "-c -x c++ -o probe.o -"])
@pytest.mark.slow_but(3)
def test_a_source_on_stdin_is_the_one_with_its_text(words: str, folder: Folder) -> None:
    done = run_with_stdin(folder, words, PROBE, TUNEPASS_FROZEN="1", **cache(folder))
    assert (done.returncode, done.stderr) == (0, "")
    if "c++" not in words:
        subprocess.run(["cc", "main.c", "probe.o"], cwd=folder.path, check=True)
        assert said(folder) == "37\n"
    assert statistics(folder) == {"-": (True, "probe: TILE=32, OPT=-DEXTRA=5")}


@pytest.mark.slow
def test_a_rewritten_source_from_stdin_is_called_as_by_the_compiler(folder: Folder) -> None:
    done = run_with_stdin(folder, "-O1 -MD -S -x c - -g", FILL, **cache(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assembly, rules = (folder.path / "-.s").read_text(), (folder.path / "-.d").read_text()
    assert "<stdin>" in assembly and "n.h" in rules and "cache" not in assembly + rules
    plain = run_with_stdin(folder, "-O1 -S -x c - -o plain.s", FILL.replace("tunepass", "other"), **cache(folder))
    assert plain.returncode == 0 and assembly.count("\n") != (folder.path / "plain.s").read_text().count("\n")
    printed = run_with_stdin(folder, "-E -x c -", FILL, **cache(folder))
    assert printed.returncode == 0 and "<stdin>" in printed.stdout and "cache" not in printed.stdout


@pytest.mark.slow
def test_another_text_on_stdin_is_told(folder: Folder) -> None:
    done = run_with_stdin(folder, "-x c -c -", PROBE + "\n", **cache(folder))
    assert done.returncode == 0 and "no one entry of tunepass.lock here has its text" in done.stderr
    folder.write("again.c", PROBE)
    lock(folder.path, "again.c", TILE=16, OPT="")
    assert "no one entry" in run_with_stdin(folder, "-x c -c -", PROBE, **cache(folder)).stderr
    assert not statistics(folder)["-"][0]
    (folder.path / "tunepass.lock").unlink()
    assert run_with_stdin(folder, "-x c -c -", PROBE, **cache(folder)).stderr == ""


@pytest.mark.parametrize("name", ["probe.c", "other.c", "chain.c", "deep/probe.c"])
@pytest.mark.slow_but(2)
def test_a_source_behind_links_has_the_lock_of_what_it_leads_to(name: str, folder: Folder) -> None:
    sandbox = Folder(folder.path.parent / "sandbox")
    (sandbox.path / "deep").mkdir(parents=True)
    link = sandbox.path / name
    if name == "chain.c":
        (sandbox.path / "deep" / "x.c").symlink_to(folder.path / "probe.c")
        link.symlink_to(Path("deep") / "x.c")
    else:
        link.symlink_to(folder.path / "probe.c")
    for tile, answer in ((32, "37\n"), (32, "37\n"), (16, "21\n")):
        lock(folder.path, TILE=tile, OPT="-DEXTRA=5")
        done = sandbox.run("cc", "--frozen", "-c", name, "-o", "probe.o", **cache(folder))
        assert (done.returncode, done.stderr) == (0, "")
        assert sandbox.run("cc", "-c", name, "-o", "probe.o", **cache(folder)).returncode == 0
        subprocess.run(["cc", str(folder.path / "main.c"), "probe.o"], cwd=sandbox.path, check=True)
        assert said(sandbox) == answer


def test_the_lock_beside_a_link_comes_first(folder: Folder) -> None:
    sandbox = Folder(folder.path.parent / "sandbox")
    sandbox.path.mkdir()
    (sandbox.path / "probe.c").symlink_to(folder.path / "probe.c")
    lock(sandbox.path, TILE=16, OPT="")
    assert sandbox.run("cc", "probe.c", str(folder.path / "main.c"), **cache(folder)).returncode == 0
    assert said(sandbox) == "16\n"


def test_a_link_without_a_lock_is_told(folder: Folder) -> None:
    (folder.path / "tunepass.lock").unlink()
    (folder.path / "link.c").symlink_to("probe.c")
    done = folder.run("cc", "-c", "link.c", **cache(folder))
    assert done.returncode == 0
    note = "link.c has no entry in tunepass.lock"
    assert done.stderr == f"tunepass cc: note: {note}; it is compiled untuned\n"
    assert statistics(folder) == {str(folder.path / "link.c"): (False, note)}


@pytest.mark.slow
def test_statistics_have_the_last_word_on_each_annotated_source(folder: Folder) -> None:
    shown = folder.run("cc", "--show-stats", **cache(folder))
    assert shown.stdout == "no annotated source has been compiled by tunepass cc\n"
    folder.write("unity.c", f'#include "probe.c"\n/* tunepass */\n{MAIN}')
    folder.write("new.c", PROBE)
    for words in ("-c main.c", "-c probe.c", "-c probe.c", "-c new.c", "-c unity.c", "main.c fill.c probe.c"):
        folder.run("cc", *words.split(), **cache(folder))
    found = {Path(source).name: why for source, why in statistics(folder).items()}
    assert found["fill.c"][0] and found["new.c"] == (False, "new.c has no entry in tunepass.lock")
    assert found["probe.c"] == (True, "probe: TILE=32, OPT=-DEXTRA=5") and set(found) == {"fill.c", "new.c", "probe.c"}
    shown = folder.run("cc", "--show-stats", **cache(folder))
    assert shown.stdout.startswith("2 tuned, 1 not tuned:") and len(shown.stdout.splitlines()) == 4
    lock(folder.path, TILE=31, OPT="")
    assert "is not one of its configurations" in folder.run("cc", "-c", "probe.c", **cache(folder)).stderr
    tuned, why = statistics(folder)[str(folder.path / "probe.c")]
    assert not tuned and "is not one of its configurations" in why
    assert folder.run("cc", "--zero-stats", **cache(folder)).returncode == 0 and statistics(folder) == {}


def test_a_remembered_call_counts_too(folder: Folder) -> None:
    for _ in range(2):
        assert folder.run("cc", "-c", "probe.c", **cache(folder)).returncode == 0
        assert statistics(folder) and folder.run("cc", "--zero-stats", **cache(folder)).returncode == 0


def test_annotated_headers_are_not_tuned(folder: Folder) -> None:
    folder.write("probe.h", PROBE)
    folder.write("user.c", f'#include "probe.h"\n{PROBE}'.replace("probe(", "second(").replace("tile(", "other("))
    folder.run("cc", "-c", "user.c", **cache(folder))
    found = {Path(source).name: one for source, one in statistics(folder).items()}
    tuned, why = found["probe.h"]
    assert not tuned and "included by user.c" in why


@pytest.mark.parametrize("words", ["--show-stats x", "--show-stats --format yaml", "--zero-stats x"])
def test_statistics_take_no_other_words(words: str, folder: Folder) -> None:
    done = folder.run("cc", *words.split(), **cache(folder))
    assert done.returncode == 2 and "takes no" in done.stderr
