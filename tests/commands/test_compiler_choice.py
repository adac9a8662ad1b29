"""The compiler as a parameter, from the build to `tunepass cc`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.commands.conftest import Folder, folder_with

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("clang") is None, reason="needs gcc and clang"
)
SOURCE = """\
#pragma tunepass param CC: compiler("gcc", "clang")
#pragma tunepass kernel scale(n = 4096, x: in float[n], y: out float[n])
void scale(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
"""
MAIN = "void scale(int, const float *, float *); int main(void) { float a[1] = {1}; scale(1, a, a); return a[0] != 2; }"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A source whose lock says clang, whatever was faster."""
    folder = folder_with(tmp_path_factory.mktemp("tuned"))
    folder.write("scale.c", SOURCE)
    folder.write("main.c", MAIN)
    done = folder.run("build", "scale.c", "--format", "json", "--", "gcc", "-O1")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["default"] == {"CC": "gcc"} and data["trials"] == 2 and data["failures"] == {}
    lock = folder.path / "tunepass.lock"
    lock.write_text(re.sub(r"CC: \w+", "CC: clang", lock.read_text()))
    return folder


def made_by(folder: Folder, name: str) -> set[str]:
    data = (folder.path / name).read_bytes()
    return {program for program, mark in (("gcc", b"GCC: ("), ("clang", b"clang version")) if mark in data}


@pytest.mark.slow
def test_a_build_from_the_lock_uses_the_compiler_of_the_choice(tuned: Folder) -> None:
    done = tuned.run("build", "scale.c", "--frozen", "--", "gcc", "-O1")
    assert done.returncode == 0, done.stderr
    assert made_by(tuned, "out/scale.tuned.o") == {"clang"}
    text = (tuned.path / "out/scale.tuned.c").read_text()
    assert "Compile with clang" in text and 'param CC: compiler("gcc", "clang")\n' in text


def test_cc_compiles_by_the_compiler_of_the_choice(tuned: Folder) -> None:
    for _ in range(2):  # the second answer is remembered
        done = tuned.run("cc", "gcc", "-O1", "-c", "scale.c", "-o", "scale.o")
        assert (done.returncode, done.stderr) == (0, "") and made_by(tuned, "scale.o") == {"clang"}
    assert tuned.run("cc", "gcc", "-c", "main.c", "-o", "main.o").returncode == 0
    assert made_by(tuned, "main.o") == {"gcc"}


@pytest.mark.parametrize("others", [["main.c"], ["main.o"]])
def test_the_calls_own_compiler_links(tuned: Folder, others: list[str]) -> None:
    assert tuned.run("cc", "gcc", "-c", "main.c", "-o", "main.o").returncode == 0
    done = tuned.run("cc", "gcc", "-O1", "-v", "scale.c", *others, "-o", "program")
    assert done.returncode == 0 and "collect2" in done.stderr and made_by(tuned, "program") == {"gcc", "clang"}
    assert subprocess.run([tuned.path / "program"], check=False).returncode == 0


def test_a_machine_without_it_compiles_the_choice_all_the_same(tuned: Folder) -> None:
    (tuned.path / "programs").mkdir()
    for name in ("gcc", "as", "ld"):
        (tuned.path / "programs" / name).symlink_to(str(shutil.which(name)))
    place = {"PATH": str(tuned.path / "programs")}
    done = tuned.run("cc", "gcc", "-O1", "-c", "scale.c", "-o", "other.o", **place)
    assert done.returncode == 0 and "the chosen compiler clang is no gcc or clang of this machine" in done.stderr
    frozen = tuned.run("cc", "gcc", "-O1", "-c", "scale.c", "-o", "other.o", TUNEPASS_FROZEN="1", **place)
    assert frozen.returncode == 3 and "the chosen compiler clang" in frozen.stderr


def test_a_lock_names_no_other_program(tuned: Folder) -> None:
    copy = Folder(tuned.path.parent / "forged")
    shutil.copytree(tuned.path, copy.path)
    lock = copy.path / "tunepass.lock"
    lock.write_text(lock.read_text().replace("CC: clang", "CC: ./own"))
    copy.write("own", "#!/bin/sh\ntouch started\n").chmod(0o755)
    done = copy.run("cc", "gcc", "-O1", "-c", "scale.c", "-o", "scale.o")
    assert done.returncode == 0 and "is not one of its configurations" in done.stderr
    assert not (copy.path / "started").exists()
