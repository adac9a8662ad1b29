"""A lock is stale when anything changed that was compiled, or what compiles it; people are told what."""

from __future__ import annotations

import hashlib
import json
import re
import shutil

import pytest

from tests.commands.conftest import SOURCE, Folder
from tunepass.study.identity import source_hash
from tunepass.study.storage.store import Store

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
HEADER = "#define FACTOR 2\n"
FAKE = """#!/bin/sh
case " $* " in
*" -### "*) gcc "$@" 2>&1 | sed 's/"-march=[^"]*"/"-march=PROCESSOR"/' >&2 ;;
*) exec gcc "$@" ;;
esac
"""


def include_tile(folder: Folder) -> None:
    (folder.path / "include").mkdir()
    folder.write("include/tile.h", HEADER)
    folder.write("scale.c", '#include "tile.h"\n' + SOURCE.replace("2 * x[j]", "FACTOR * x[j]"))


def build(folder: Folder, *compiler: str, **environment: str) -> tuple[int, str]:
    """How many configurations were evaluated, and what was said meanwhile."""
    done = folder.run("build", "scale.c", "--max-evals", "1", "--format", "json", "--", *compiler, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["evaluations"], done.stderr


def verify(folder: Folder, *compiler: str, **environment: str) -> list[str]:
    """The reasons; none: it fits."""
    done = folder.run("verify", "scale.c", "--", *compiler, **environment)
    assert done.returncode in (0, 3), done.stderr
    of_checks = ("  checks ", "    ")
    first, *reasons = [line.strip() for line in done.stdout.splitlines() if not line.startswith(of_checks)]
    assert first.endswith("stale" if reasons else "fits") and done.returncode == (3 if reasons else 0)
    return reasons


def test_a_header_that_changed_is_named_and_searched_again(folder: Folder) -> None:
    compiler = ("gcc", "-O2", "-Iinclude")
    include_tile(folder)
    assert build(folder, *compiler)[0] == 1
    assert verify(folder, *compiler) == []
    folder.write("include/tile.h", HEADER.replace("2", "3"))
    assert verify(folder, *compiler) == ["header changed: include/tile.h"]
    frozen = folder.run("build", "scale.c", "--frozen", "--", *compiler)
    assert frozen.returncode == 3 and "header changed: include/tile.h" in frozen.stderr
    evaluated, said = build(folder, *compiler)
    assert evaluated == 1 and "the lock is stale: header changed: include/tile.h" in said
    assert verify(folder, *compiler) == []
    folder.write("include/tile.h", HEADER)
    assert build(folder, *compiler)[0] == 0  # what was measured with the first header is kept


@pytest.mark.slow
def test_without_the_store_it_is_said_that_a_file_changed(folder: Folder) -> None:
    compiler = ("gcc", "-O2", "-Iinclude")
    include_tile(folder)
    build(folder, *compiler)
    shutil.rmtree(folder.path / ".tunepass")
    assert verify(folder, *compiler) == []
    folder.write("include/tile.h", HEADER.replace("2", "3"))
    (reason,) = verify(folder, *compiler)
    assert reason.startswith("files: a header or another file") and "lists with -M" in reason


@pytest.mark.slow
def test_a_lock_of_the_version_before_is_compared_on_what_it_has(folder: Folder) -> None:
    compiler = ("gcc", "-O2", "-Iinclude")
    include_tile(folder)
    build(folder, *compiler)
    lock = folder.path / "tunepass.lock"
    lock.write_text(re.sub(r", files: \S+, toolchain: [^}]+", "", lock.read_text()))
    assert "files:" not in lock.read_text() and verify(folder, *compiler) == []
    assert build(folder, *compiler)[0] == 0
    assert verify(folder, "gcc", "-O1", "-Iinclude") == ["flags: -O2 -Iinclude -> -O1 -Iinclude"]


def test_a_lock_from_another_processor_or_compiler_binary_is_stale(folder: Folder, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    folder.path.joinpath("mycc").touch(0o755)
    words = ("./mycc", "-O2", "-march=native")
    environment = {"TUNEPASS_CACHE": str(tmp_path_factory.mktemp("cache"))}
    folder.write("mycc", FAKE.replace("PROCESSOR", "znver3"))
    build(folder, *words, **environment)
    assert verify(folder, *words, **environment) == []
    folder.write("mycc", FAKE.replace("PROCESSOR", "znver3") + "# rebuilt\n")
    assert verify(folder, *words, **environment) == ["program changed: compiler driver"]
    folder.write("mycc", FAKE.replace("PROCESSOR", "skylake"))
    assert verify(folder, *words, **environment) == [
        "program changed: compiler driver",
        "flag -march=native: -march=znver3 -> -march=skylake",
    ]


EDITING = """#!/bin/sh
case " $* " in
*BLOCK=1\\ *) (cd HERE && [ ! -e edited ] && touch edited && EDIT) ;;
esac
exec gcc "$@"
"""
EDITS = {
    "header in place": "echo '#define FACTOR 3' > include/tile.h",
    "header renamed over": "echo '#define FACTOR 3' > new && mv new include/tile.h",
    "source": "echo '/* more */' >> scale.c",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
@pytest.mark.slow_but(3)
def test_a_file_edited_while_it_is_searched_ends_the_build(folder: Folder, edit: str) -> None:
    """The compiler edits it itself, when it is asked for a certain candidate."""
    include_tile(folder)
    source = folder.path.joinpath("scale.c").read_text()
    folder.write("mycc", EDITING.replace("EDIT", edit).replace("HERE", str(folder.path))).chmod(0o755)
    words = ("build", "scale.c", "--strategy", "exhaustive", "--format", "json", "--", "./mycc", "-O2", "-Iinclude")
    done = folder.run(*words)
    name = "scale.c" if "scale.c" in edit else "include/tile.h"
    assert done.returncode == 2 and f"error: {name} changed during the build" in done.stderr
    assert "every trial so far is kept" in done.stderr and not folder.path.joinpath("tunepass.lock").exists()
    with Store(f"sqlite:///{folder.path / '.tunepass' / 'store.db'}") as store:
        (study,) = store.studies()
        read = store.manifest(study.identity["files"])
    header = ("include/tile.h", hashlib.sha256(HEADER.encode()).hexdigest())
    assert 0 < study.trials < 5 and study.identity["source"] == source_hash(source)
    assert read is not None and header in [(part.name, part.value) for part in read.parts]
