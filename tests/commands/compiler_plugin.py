"""A compiler that loads the plugin of tunepass, in a folder with a choice; and choices files that are none."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.commands.test_cc import MAIN, PROBE, lock
from tunepass.jobs.locks.choices_file import write_choices

OPTIONED = PROBE.replace('categorical("", "-DEXTRA=5") = ""', 'categorical("-O1", "-O3") = "-O1"')
WORDS = ["-DTILE=32", "-DEXTRA=5"]
ERROR = "-fplugin-arg-tunepass-stale=error"


@dataclass(frozen=True)
class LoadingCompiler:
    """`program` with `plugin`, called in `folder`."""

    program: str
    plugin: Path
    folder: Path

    def call(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Without the plugin, unless the words load it."""
        environment = {**os.environ, "LC_ALL": "C"}
        command = [self.program, *words]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    def load(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return self.call(self.word, *words)

    @property
    def word(self) -> str:
        return f"-fplugin={self.plugin}"

    def object(self, *words: str | Path, source: str = "probe.c") -> bytes:
        """Compiled without a message."""
        done = self.call(*words, "-c", source, "-o", "made.o")
        assert done.returncode == 0 and not done.stderr, done.stderr
        return (self.folder / "made.o").read_bytes()


def choices_folder(folder: Path) -> Path:
    (folder / "probe.c").write_text(PROBE)
    (folder / "main.c").write_text(MAIN)
    lock(folder, TILE=32, OPT="-DEXTRA=5")
    write_choices(folder)
    return folder


def sealed(*lines: str) -> bytes:
    """A choices file with these lines and the digest that fits them."""
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return body + f"end sha256:{hashlib.sha256(body).hexdigest()}\n".encode()


LOCK, SOURCE = f"lock sha256:{'0' * 64}", f"source probe.c sha256:{'0' * 64} sha256:{'0' * 64}"
FIRST = "tunepass-choices 1"
BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda whole: b"", ": it is no choices file of tunepass"),
    "binary": (lambda whole: bytes(range(256)) * 9, ": it is no choices file of tunepass"),
    "truncated": (lambda whole: whole[: len(whole) // 2], ": it is damaged"),
    "without its last byte": (lambda whole: whole[:-1], ": it is damaged"),
    "longer": (lambda whole: whole + b"define TILE=9\n", ": it is damaged"),
    "altered": (lambda whole: whole.replace(b"TILE=32", b"TILE=64"), ": it is damaged"),
    "later version": (lambda whole: sealed("tunepass-choices 2"), ":1: another version of tunepass wrote it"),
    "without a lock": (lambda whole: sealed(FIRST), ":2: the digest of the lock is not there"),
    "two locks": (lambda whole: sealed(FIRST, LOCK, LOCK), ":3: the lock has one digest"),
    "no digest": (lambda whole: sealed(FIRST, LOCK, "source probe.c x y"), ":3: a source has a name and two digests"),
    "traversal": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "../probe.c")),
        ":3: a source stands in the folder of the choices file",
    ),
    "escaped traversal": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "..%2fprobe.c")),
        ":3: a source stands in the folder of the choices file",
    ),
    "line end in a name": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "probe.c%0a")),
        ":3: the name of a source has a control character",
    ),
    "twice": (lambda whole: sealed(FIRST, LOCK, SOURCE, SOURCE), ":4: this source has lines already"),
    "macro of nobody": (lambda whole: sealed(FIRST, LOCK, "define A=1"), ":3: no source stands before it"),
    "no macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define 1=2"), ":4: this is no macro"),
    "kept macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define defined=2"), ":4: this is no macro"),
    "open macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define A(x=2"), ":4: this is no macro"),
    "undefined": (lambda whole: sealed(FIRST, LOCK, SOURCE, "undef A=2"), ":4: this is no macro"),
    "no option": (lambda whole: sealed(FIRST, LOCK, SOURCE, "option x.c"), ":4: an option begins with a dash"),
    "escape": (lambda whole: sealed(FIRST, LOCK, SOURCE, "stale \x1b[2J"), ":4: it has a control character"),
    "zero": (lambda whole: sealed(FIRST, LOCK, SOURCE, "stale a\0b"), ":4: it has a control character"),
    "unknown": (lambda whole: sealed(FIRST, LOCK, SOURCE, "run rm"), ":4: this plugin does not know it"),
    "empty line": (lambda whole: sealed(FIRST, LOCK, SOURCE, ""), ":4: it has no value"),
}
