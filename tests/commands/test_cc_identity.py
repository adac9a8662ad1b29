"""What `tunepass cc` makes is what the compiler alone makes of the same text: no other names, the same every time."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import FILL, MAIN, PROBE, lock
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.launcher.rewritten import arguments_with, mapped, prints, rules_for, written

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=name)) for name in ("gcc", "clang")
]
LIMIT = "#define LIMIT 4\nstatic inline int limited(int x) { return x < LIMIT ? x : LIMIT; }\n"
SOURCES = ("src/fill.c", "fill.c")


@pytest.fixture(scope="module")
def scheduled(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """fill.c and src/fill.c, whose loops are rewritten."""
    found = Folder(tmp_path_factory.mktemp("scheduled"))
    (found.path / "src").mkdir()
    for folder in (found.path, found.path / "src"):
        (folder / "n.h").write_text(LIMIT)
        (folder / "fill.c").write_text(FILL + "const char *base(void) { return __BASE_FILE__; }\n")
        lock(folder, "fill.c", TI=2)
    found.write("two.c", "int two(void) { return 2; }\nint main(void) { return 0; }\n")
    return found


def made(folder: Folder, *words: str, compiler: str, alone: bool) -> dict[str, bytes]:
    """The files that appear, with their contents, and are gone again; `alone`: by the compiler itself."""
    before = folder.files()
    if alone:
        done = subprocess.run([compiler, *words], cwd=folder.path, capture_output=True, text=True, check=False)
    else:
        cache = {"TUNEPASS_CACHE": str(folder.path.parent / "cache-of-tests")}
        done = folder.run("cc", *words, TUNEPASS_CC=compiler, **cache)
    assert done.returncode == 0, done.stderr
    contents = {name: (folder.path / name).read_bytes() for name in folder.files() - before}
    for name in contents:
        (folder.path / name).unlink()
    return contents


def by_itself(folder: Folder, source: str, *words: str, compiler: str) -> dict[str, bytes]:
    """As `made` by the compiler alone, while the rewritten text stands where its source does."""
    path = folder.path / source
    text = path.read_text()
    tuned = tuned_source(path).text
    assert tuned is not None
    try:
        path.write_text(f'#line 1 "{source}"\n' + tuned.replace(str(path), source))
        return made(folder, *words, compiler=compiler, alone=True)
    finally:
        path.write_text(text)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "words",
    [
        "-O2",
        "-g -O2",
        "-g -gsplit-dwarf",
        "-g -gdwarf-4 -O1",
        "-O1 --coverage -frandom-seed=1",
        "-g -save-temps -MD -MP",
    ],
)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_rewritten_text_is_compiled_as_the_source(scheduled: Folder, words: str, source: str, compiler: str) -> None:
    call = [*words.split(), "-c", source, "-o", "made.o"]
    wanted = by_itself(scheduled, source, *call, compiler=compiler)
    first = made(scheduled, *call, compiler=compiler, alone=False)
    assert first.keys() == wanted.keys() and first == made(scheduled, *call, compiler=compiler, alone=False)
    for name, content in first.items():
        if not name.endswith(".bc"):  # clang's bitcode has the path of the file that was read
            assert b"cache-of-tests" not in content and b"tunepass-cc" not in content, name
        if name.endswith((".o", ".dwo", ".gcno")):
            assert content == wanted[name], name


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("words", ["-g -gsplit-dwarf", "--coverage -frandom-seed=1", "-g -MMD"])
@pytest.mark.each_value
def test_what_lies_beside_a_program_is_called_as_the_compiler_calls_it(
    scheduled: Folder, words: str, compiler: str
) -> None:
    call = [*words.split(), "two.c", "src/fill.c", "-o", "prog"]
    wanted = made(scheduled, *call, compiler=compiler, alone=True)
    first = made(scheduled, *call, compiler=compiler, alone=False)
    assert first.keys() == wanted.keys()
    assert not any(b"cache-of-tests" in content or b"tunepass-cc" in content for content in first.values())


@pytest.mark.parametrize("compiler", COMPILERS)
def test_preprocessed_text_names_the_source(scheduled: Folder, compiler: str) -> None:
    printed = scheduled.run("cc", "-E", "src/fill.c", TUNEPASS_CC=compiler).stdout
    assert printed == scheduled.run("cc", "-E", "src/fill.c", "-o", "-", TUNEPASS_CC=compiler).stdout
    assert '"src/fill.c"' in printed and "i_tile" in printed and "cc-1" not in printed and "tunepass-cc" not in printed


@pytest.mark.parametrize("words", ["-O2", "-g", "-g -gsplit-dwarf -Wall"])
def test_macros_and_flags_change_nothing_else(tmp_path: Path, words: str) -> None:
    folder = Folder(tmp_path)
    folder.write("probe.c", PROBE)
    folder.write("main.c", MAIN)
    lock(tmp_path, TILE=32, OPT="-DEXTRA=5")
    ours = made(folder, *words.split(), "-c", "probe.c", "main.c", compiler="gcc", alone=False)
    chosen = made(folder, *words.split(), "-DEXTRA=5", "-DTILE=32", "-c", "probe.c", compiler="gcc", alone=True)
    plain = made(folder, *words.split(), "-c", "main.c", compiler="gcc", alone=True)
    assert ours == {**chosen, **plain}


def test_the_users_own_maps_hold_for_the_source_too() -> None:
    words = ["-ffile-prefix-map=/build/x=.", "-fdebug-prefix-map=/build=/usr/src", "-c", "/build/x/a.c"]
    assert mapped(words, "/build/x/a.c", "-fdebug-prefix-map=") == "/usr/src/x/a.c"
    assert mapped(words, "/build/x/a.c", "-fmacro-prefix-map=") == "./a.c"
    changed = arguments_with(words, 3, "/c/a.c")
    assert changed[:2] == ["-iquote", "/build/x"] and changed[5] == "/c/a.c"
    assert changed[6:] == ["-fdebug-prefix-map=/c/a.c=/usr/src/x/a.c", "-fmacro-prefix-map=/c/a.c=./a.c"]


def test_headers_of_the_working_folder_keep_their_names() -> None:
    assert "-fdebug-prefix-map=./=" in arguments_with(["-c", "a.c"], 1, "/c/a.c")
    for own in (["-I."], ["-I", "./inc"], ["-iquote", "."]):
        words = [*own, "-c", "a.c"]
        assert "-fdebug-prefix-map=./=" not in arguments_with(words, len(own) + 1, "/c/a.c")


@pytest.mark.parametrize(
    "words,files",
    [
        ("-c x/a.c", []),
        ("-S x/a.c", ["a.s"]),
        ("-S x/a.c -o y.s", ["y.s"]),
        ("-E x/a.c -o y.i", ["y.i"]),
        ("-E x/a.c", []),
    ],
)
def test_files_of_text(words: str, files: list[str]) -> None:
    assert written(words.split(), "x/a.c") == files
    assert prints(words.split()) == (words == "-E x/a.c")


def test_files_of_text_that_are_kept() -> None:
    assert {"o/b.i", "a.s", "o/b-a.s"} <= set(written(["-save-temps", "-c", "x/a.c", "-o", "o/b.o"], "x/a.c"))
    assert rules_for(["-MD", "-c", "x/a.c", "-o", "o/b.o"], "x/a.c", links=False) == ["o/b.d"]
