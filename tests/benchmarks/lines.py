"""Lines of Python that git tracks, by folder: now, and in a commit given as BASE. `make lines BASE=f612079`.

A folder is counted with all below it. `C family` is the sum of the four folders that read or write C and its dialects.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePath

ROOT = Path(__file__).parents[2]
C_FAMILY = ("frontends/c", "frontends/cfamily", "frontends/gpu", "frontends/hls")
SHOWN = (*C_FAMILY, "frontends", "tunepass/interchange", "tunepass/backends", "tunepass", "hwmodels", "native", "tests")


def git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, stdout=subprocess.PIPE).stdout


def lines_in(commit: str) -> Counter[str]:
    """By each folder of a file; `commit` is empty for the working tree."""
    listed = git("ls-tree", "-r", "-z", "--name-only", commit) if commit else git("ls-files", "-z")
    names = [name for name in listed.decode().split("\0") if name.endswith(".py")]
    counts: Counter[str] = Counter()
    for name in names:
        path = ROOT / name
        text = git("show", f"{commit}:{name}") if commit else path.read_bytes() if path.exists() else b""
        for folder in PurePath(name).parents:
            counts[str(folder)] += text.count(b"\n")
    counts["C family"] = sum(counts[folder] for folder in C_FAMILY)
    return counts


def main(base: str = "") -> None:
    now = lines_in("")
    before = lines_in(base) if base else None
    print(f"{'folder':24}{f'{base} ' if base else '':>9}{'now':>8}")
    for folder in ("C family", *SHOWN):
        old = f"{before[folder]:8,} " if before is not None else ""
        print(f"{folder:24}{old:>9}{now[folder]:8,}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
