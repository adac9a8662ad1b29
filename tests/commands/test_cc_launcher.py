"""`tunepass c++`, the launcher's form, and warnings of pragmas that only tunepass knows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import MAIN, PROBE, lock, said
from tunepass.launcher.compiler import compiler_behind

needs_cxx = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
CXX_MAIN = MAIN.replace("int tile(void);", "int tile(void);\nstatic int twice(int x) noexcept { return 2 * x; }")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """probe.c and probe.cpp say 37 as their lock has it, and 8 without."""
    found = Folder(tmp_path)
    for name in ("probe.c", "probe.cpp"):
        found.write(name, PROBE)
        lock(tmp_path, name, TILE=32, OPT="-DEXTRA=5")
    found.write("main.c", MAIN)
    found.write("main.cpp", CXX_MAIN.replace("tile());", "twice(tile()) / 2);"))
    return found


@needs_cxx
def test_a_source_in_cxx_is_tuned_and_linked_as_one(folder: Folder) -> None:
    done = folder.run("c++", "-std=c++17", "main.cpp", "probe.cpp", "-o", "prog")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert said(folder, "./prog") == "37\n"


@needs_cxx
def test_what_is_behind_it_is_named_apart(folder: Folder) -> None:
    folder.write("fake", "#!/bin/sh\necho fake $*\n").chmod(0o755)
    done = folder.run("c++", "-c", "main.cpp", TUNEPASS_CXX="./fake --own", TUNEPASS_CC="nocc")
    assert (done.returncode, done.stdout) == (0, "fake --own -c main.cpp\n")


@needs_cxx
def test_sources_in_c_are_cxx_to_a_compiler_of_cxx(folder: Folder) -> None:
    folder.write("main.c", MAIN.replace("int tile", 'static_assert(sizeof(char) == 1, "");\nint tile'))
    assert folder.run("c++", "main.c", "probe.c", "-o", "prog").returncode == 0
    assert said(folder, "./prog") == "37\n"


def test_the_compiler_may_follow(folder: Folder) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None
    done = folder.run("cc", compiler, "-O1", "-c", "probe.c", "-o", "probe.o", TUNEPASS_CC="nocc")
    assert (done.returncode, done.stderr) == (0, "")
    assert folder.run("cc", "--frozen", "cc", "main.c", "probe.o", TUNEPASS_CC="nocc").returncode == 0
    assert said(folder) == "37\n"


def test_other_launchers_may_stand_between(folder: Folder) -> None:
    folder.write("ccache", '#!/bin/sh\necho through >&2\nexec "$@"\n').chmod(0o755)
    done = folder.run("cc", "./ccache", "cc", "main.c", "probe.c", TUNEPASS_CC="nocc")
    assert done.returncode == 0 and "through" in done.stderr and said(folder) == "37\n"


WRAPPERS = {"through.sh": 'exec "$@"', "own.sh": 'echo "$*" >> calls; exec cc "$@"', "odd": 'shift; exec cc "$@"'}
LAUNCHERS = (
    *("nice", "nice -n 5", "env", "env -u V A=1", "env A=cc", "timeout 20", "timeout -k 5 20", "taskset -c 0"),
    *("time -o log", "ccache", "distcc", "setsid -w", "stdbuf -oL", "flock cc", "./through.sh", "sh ./through.sh"),
    *("nice -n 5 env A=1 ./through.sh",),
)


@pytest.fixture
def wrapped(folder: Folder) -> Folder:
    for name, text in WRAPPERS.items():
        folder.write(name, f"#!/bin/sh\n{text}\n").chmod(0o755)
    return folder


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_any_launcher_may_stand_before_the_compiler(launcher: str, wrapped: Folder, tmp_path: Path) -> None:
    if shutil.which(launcher.split()[0], path=f"{os.environ['PATH']}:{tmp_path}") is None and launcher[0] != ".":
        pytest.skip(f"no {launcher}")
    here = {"DISTCC_HOSTS": "localhost", "CCACHE_DIR": str(tmp_path / "ccache"), "DISTCC_DIR": str(tmp_path / "distcc")}
    for words in ("-c main.c -o main.o", "-c probe.c -o probe.o", "main.o probe.o -o prog", "main.c probe.c -o prog"):
        done = wrapped.run("cc", *launcher.split(), "cc", *words.split(), TUNEPASS_CC="nocc", **here)
        assert done.returncode == 0, done.stderr
        assert "-o prog" not in words or said(wrapped, "./prog") == "37\n"


@pytest.mark.parametrize("command", ["./own.sh", "nice ./own.sh", "./through.sh ./own.sh"])
@pytest.mark.slow_but(3)
def test_a_program_without_a_compilers_name_is_asked_once(command: str, wrapped: Folder) -> None:
    words = [*command.split(), "-c", "probe.c"]
    cache = {"TUNEPASS_CACHE": str(wrapped.path / "cache"), "XDG_STATE_HOME": str(wrapped.path / "state")}
    for _ in range(2):
        assert wrapped.run("cc", *words, **cache).returncode == 0
        assert wrapped.run("cc", "main.c", "probe.o").returncode == 0 and said(wrapped) == "37\n"
        (wrapped.path / "probe.o").unlink()
    calls = (wrapped.path / "calls").read_text().splitlines()
    asked = [call for call in calls if call.startswith("-E")]
    read = [call for call in calls if "-E" in call and call not in asked]
    assert len(asked) == 1 and len(read) <= 2  # the source is read by it, and not again for the same answer
    assert [call.partition(" ")[0] for call in calls if "-E" not in call] == ["-c", "-c"]


def test_without_a_known_compiler_the_words_are_passed_on(wrapped: Folder) -> None:
    done = wrapped.run("cc", "./odd", "x", "main.c", "probe.c", "-o", "prog")
    assert done.returncode == 0 and said(wrapped, "./prog") == "8\n"
    assert done.stderr.startswith("tunepass cc: warning: probe.c is compiled untuned: no word of the command is known")
    done = wrapped.run("cc", "--frozen", "./odd", "x", "-c", "probe.c")
    assert done.returncode == 3 and "error: probe.c is compiled untuned" in done.stderr
    (wrapped.path / "tunepass.lock").unlink()
    assert wrapped.run("cc", "./odd", "x", "-c", "probe.c").stderr == ""


def test_time_may_be_a_word_of_the_shells_alone(folder: Folder) -> None:
    (folder.path / "bin").mkdir()
    for name in ("cc", "as", "ld"):
        (folder.path / "bin" / name).symlink_to(shutil.which(name) or "none")
    done = folder.run("cc", "time", "cc", "main.c", "probe.c", PATH=str(folder.path / "bin"))
    assert done.returncode == 0 and said(folder) == "37\n"
    note = "tunepass cc: note: time is the shell's own word here: the compiler runs without it\n"
    assert done.stderr == note
    done = folder.run("cc", "--frozen", "time", "cc", "-c", "probe.c", PATH=str(folder.path / "bin"))
    assert (done.returncode, done.stderr) == (0, note)


def test_only_a_program_before_all_arguments_is_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEPASS_CC", raising=False)
    for name in ("run.c", "x.o", "libx.so.1", "x86_64-linux-gnu-g++-13", "notes"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755 if name != "notes" else 0o644)
    for words in (["./run.c"], ["./x.o"], ["./libx.so.1"], ["./notes"], ["-c", "cc"], ["@cc"], []):
        assert split_by(words) == (["cc"], words, False)
    words = ["./x86_64-linux-gnu-g++-13", "-c", "run.c"]
    assert split_by(words) == (words[:1], words[1:], True)


def split_by(words: list[str]) -> tuple[list[str], list[str], bool]:
    behind = compiler_behind(words, "cc")
    return behind.command, behind.arguments, behind.cxx


@needs_cmake
def test_cmake_launches_it(folder: Folder) -> None:
    folder.write(
        "CMakeLists.txt", "cmake_minimum_required(VERSION 3.5)\nproject(p C)\nadd_executable(prog main.c probe.c)\n"
    )
    launcher = folder.write("tunepass", '#!/bin/sh\necho "$*" >> calls\nexec "$TUNEPASS_PYTHON" -m tunepass "$@"\n')
    launcher.chmod(0o755)

    environment = {**os.environ, "TUNEPASS_PYTHON": sys.executable}
    words = ["-S", ".", "-B", "made", "-G", "Unix Makefiles", f"-DCMAKE_C_COMPILER_LAUNCHER={launcher};cc"]
    for command in (["cmake", *words], ["cmake", "--build", "made"]):
        subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, check=True)
    assert said(folder, "made/prog") == "37\n"


WARNING = "-Wall -Werror -c"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_pragmas_that_only_tunepass_knows_are_no_warning(folder: Folder, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    quiet = folder.run("cc", *WARNING.split(), "probe.c", TUNEPASS_CC=compiler)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    (folder.path / "tunepass.lock").unlink()
    assert folder.run("cc", *WARNING.split(), "probe.c", TUNEPASS_CC=compiler).returncode == 0
    folder.write("words", f"{WARNING} probe.c")
    assert folder.run("cc", "@words", TUNEPASS_CC=compiler).returncode == 0


@pytest.mark.parametrize("words", ["-Wunknown-pragmas", "-Werror=unknown-pragmas"])
def test_who_asks_for_the_warning_gets_it(folder: Folder, words: str) -> None:
    done = folder.run("cc", *WARNING.split(), words, "probe.c")
    assert done.returncode == 1 and "unknown-pragmas" in done.stderr


def test_other_sources_keep_the_warning(folder: Folder) -> None:
    folder.write("other.c", "#pragma mine\nint x;\n")
    assert folder.run("cc", *WARNING.split(), "other.c").returncode == 1
