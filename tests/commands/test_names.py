"""Files whose names are awkward: like options, like files of options, with spaces, quotes and the lock's own colons."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE, Folder
from tests.commands.test_cc import FILL, lock
from tunepass.compilers.responses import operand

NAME = "-a::b \"c' @.c"


@pytest.mark.slow
def test_a_name_like_an_option_is_a_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(NAME, SOURCE)
    spelled, words = f"./{NAME}", ("--max-evals", "1", "-o", "./-out")
    done = folder.run("build", spelled, *words, "--", "gcc", "-O2")
    assert done.returncode == 0, done.stderr
    assert f"-out/{NAME[:-2]}.tuned.o" in folder.files()
    assert folder.run("verify").stdout.startswith(f"{NAME}::scale: fits\n  checks    ")
    assert folder.run("build", spelled, *words, "--frozen", "--", "gcc", "-O2").returncode == 0
    assert folder.run("report", spelled, "-o", "./-r.html").returncode == 0
    assert folder.run("cc", "--frozen", "-c", spelled, "-o", "-o.o").returncode == 0 and "-o.o" in folder.files()


@pytest.mark.parametrize("name,word", [("-x.c", "./-x.c"), ("@x.c", "./@x.c"), ("x.c", "x.c"), ("/-x.c", "/-x.c")])
def test_operands(name: str, word: str) -> None:
    assert operand(name) == word


def test_a_name_with_a_line_break_is_refused(folder: Folder) -> None:
    folder.write("a\nb.c", SOURCE)
    done = folder.run("build", "a\nb.c")
    assert done.returncode == 2 and "no line break, got 'a\\nb.c'" in done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "spelled", ["./src/fill.c", "src/../src/fill.c", "src//fill.c", "./-f.c", "./a \"b'c.c", ".//./@f.c"]
)
@pytest.mark.each_value
@pytest.mark.slow_but(3)
def test_rewritten_text_keeps_the_name_as_it_is_spelled(spelled: str, compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    folder = Folder(tmp_path)
    (tmp_path / "src").mkdir()
    for place in ("src/fill.c", "-f.c", "a \"b'c.c", "@f.c"):
        path = folder.write(place, FILL.replace('#include "n.h"', "#define LIMIT 4"))
        lock(path.parent, path.name, TI=2)
    words = ["-MMD", "-MF", "deps", "-S", "-o", "out.s", spelled]
    subprocess.run([compiler, *words], cwd=tmp_path, check=True)
    alone = (tmp_path / "deps").read_text()
    done = folder.run("cc", *words, TUNEPASS_CC=compiler)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    folded = [text.replace("\\\n", "").split() for text in ((tmp_path / "deps").read_text(), alone)]
    assert folded[0] == folded[1]  # lines are folded by the names that the compiler saw
    quoted = spelled.replace('"', '\\"')
    assert f'"{quoted}"' in (tmp_path / "out.s").read_text()  # what __FILE__ is
