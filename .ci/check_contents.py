"""Compares a built sdist and wheel with what git tracks; or, with --blocks, cuts a page's Python into files.

python .ci/check_contents.py dist/tunepass-*.tar.gz dist/tunepass-*.whl
python .ci/check_contents.py --blocks docs/extending.md FOLDER
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

FOLDER_OF = {"tunepass/": "tunepass/", "frontends/": "tunepass/frontends/", "hwmodels/": "tunepass/hwmodels/"}
GENERATED = re.compile(r"(PKG-INFO|setup\.cfg|tunepass\.egg-info/.*|tunepass/_native\..*so|tunepass-.*\.dist-info/.*)$")


def tracked() -> set[str]:
    """Every file of the repository, by its path."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


def installed(files: set[str]) -> set[str]:
    """Where the files of the package are in a wheel."""
    return {
        package + name.removeprefix(folder)
        for name in files
        for folder, package in FOLDER_OF.items()
        if name.startswith(folder)
    }


def contents(archive: Path) -> set[str]:
    """The files of an sdist (without its top folder) or of a wheel."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = set(wheel.namelist())
        if not any(name.startswith("tunepass/_native.") and name.endswith(".so") for name in names):
            sys.exit(f"{archive.name} has no native module")
        return names
    with tarfile.open(archive) as sdist:
        return {member.name.partition("/")[2] for member in sdist if member.isfile()}


def compare(archive: Path) -> list[str]:
    """What an archive lacks or has too much, a line each."""
    present = {name for name in contents(archive) if not GENERATED.match(name)}
    expected = installed(tracked()) if archive.suffix == ".whl" else tracked()
    lacking = [f"{archive.name} lacks {name}" for name in sorted(expected - present)]
    return lacking + [f"{archive.name} has {name}, which git does not track" for name in sorted(present - expected)]


def cut_blocks(page: Path, folder: Path) -> None:
    """Write each Python block of a page to a file of its own."""
    folder.mkdir()
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    for number, text in enumerate(blocks):
        (folder / f"{page.stem}_{number}.py").write_text(text)


def main(words: list[str]) -> None:
    if words[0] == "--blocks":
        cut_blocks(Path(words[1]), Path(words[2]))
        return
    problems = [line for word in words for line in compare(Path(word))]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
