"""Where compilers write dependencies, and how they name files in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.launcher.dependency_files import listings, names_beside, only_lists
from tunepass.launcher.rewritten import edit, for_make, rules_for


@pytest.mark.parametrize(
    "words,files",
    [
        ("-c x/a.c", []),
        ("-MMD -c x/a.c", ["a.d"]),
        ("-MD -c x/a.c -o y/b.o", ["y/b.d"]),
        ("-MD -oy/b.o -c x/a.c", ["y/b.d"]),
        ("-MMD -MF z -c x/a.c", ["z"]),
        ("-MMD -MFz -c x/a.c", ["z"]),
        ("-Wp,-MMD,z -c x/a.c", ["z"]),
    ],
)
def test_names(words: str, files: list[str]) -> None:
    assert rules_for(words.split(), "x/a.c", links=False) == files


def test_a_linked_program_names_it() -> None:
    assert "prog-a.d" in rules_for(["-MMD", "x/a.c", "-o", "prog"], "x/a.c", links=True)


@pytest.mark.parametrize(
    "line,file,words",
    [
        (" /usr/cc1 -quiet -MMD prog.d -MQ prog x/a.c -dumpbase a.c", "prog.d", ("-MMD", "-MQ", "prog")),
        (" /usr/cc1 -MD p.d -MF z -MP -MT foo x/a.c", "z", ("-MD", "-MP", "-MT", "foo")),
        (' "/usr/clang" "-cc1" "-dependency-file" "a.d" "-MT" "a.o" "x/a.c"', "a.d", ("-MMD", "-MT", "a.o")),
        (" /usr/cc1 -MMD a-a.d x/a.c", "a-a.d", ("-MMD", "-MQ", "a.o")),
    ],
)
def test_what_a_dry_run_lists(line: str, file: str, words: tuple[str, ...]) -> None:
    dry_run = f"gcc version 12 (it's)\nCOLLECT_GCC_OPTIONS='-MMD' '-o' 'prog'\n{line}\n"
    (listing,) = listings(dry_run, ["x/a.c", "b.c"]).values()
    assert (listing.file, listing.words) == (Path(file), words)


def test_only_lists() -> None:
    assert only_lists(["-MM", "a.c"]) and not only_lists(["-MMD", "-c", "a.c"])


def test_names_are_written_as_make_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "a.d"
    file.write_text("a.o: /tmp/s\\ 1/a.c b.h\n")
    file.chmod(0o640)
    edit([str(file), str(tmp_path / "none.d")], for_make("/tmp/s 1/a.c"), for_make("my $dir/a.c"))
    assert file.read_text() == "a.o: my\\ $$dir/a.c b.h\n"
    assert list(tmp_path.iterdir()) == [file] and file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "line,words",
    [
        (
            "/usr/cc1 -quiet x/a.c -dumpdir prog- -dumpbase a.c -dumpbase-ext .c",
            "-dumpdir prog- -dumpbase a.c -dumpbase-ext .c",
        ),
        ('"/usr/clang" "-cc1" "-split-dwarf-file" "a.dwo" "x/a.c"', "-Xclang -split-dwarf-file -Xclang a.dwo"),
        ("/usr/cc1 -dumpdir prog- b.c", ""),
    ],
)
def test_what_is_written_beside_a_program_is_called_as_the_compiler_says(line: str, words: str) -> None:
    assert names_beside(f"gcc version 12 (it's)\n {line}\n", "x/a.c") == words.split()
