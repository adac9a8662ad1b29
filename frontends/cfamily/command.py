"""The user's compiler command as the reader calls it: preprocessing a text on the standard input."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Dialect = Literal["c", "c++", "cuda", "opencl", "hls"]
CXX_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP", ".cu", ".hpp", ".cuh")
TAKES_VALUE = frozenset({"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-include", "-imacros", "-isystem",
                         "-iquote", "-idirafter", "-isysroot", "-MF", "-MT", "-MQ", "-Xlinker", "-Xclang", "-mllvm",
                         "--param", "-arch", "-target", "-B", "-gencode", "-ccbin", "-code",
                         "-Xcompiler", "-Xptxas", "-Xcudafe", "-maxrregcount"})  # fmt: skip
DROPPED = ("-o", "-x", "-l", "-L", "-T", "-u", "-z", "-MF", "-MT", "-MQ", "-Xlinker", "-Wl,")
DROPPED_ALONE = frozenset({"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-shared", "-static", "-pipe"})


@dataclass(frozen=True, slots=True)
class Command:
    """`words` after `program` that say what is included and defined, and of which dialect the text is."""

    program: str
    words: tuple[str, ...]
    language: str
    folder: Path  # of the source: where quoted includes are looked for

    @classmethod
    def of(cls, words: Sequence[str], name: str, dialect: Dialect) -> Command:
        """`words` as after `--`: the compiler, if the first is no option, then its words. `name` is the source's."""
        path = Path(name)
        cxx = dialect in ("c++", "cuda") or (dialect == "hls" and path.suffix in CXX_SUFFIXES)
        language = "c++" if cxx else "c"
        named = bool(words) and not words[0].startswith("-") and "." not in Path(words[0]).suffix[:1]
        program = words[0] if named else _usual(cxx, dialect)
        return cls(program, tuple(_kept(words[1:] if named else words)), language, path.parent)

    def preprocessing(self, further: Sequence[str], *, macros: bool) -> list[str]:
        """The command line of one `-E`; `macros`: definitions are printed too."""
        about = ["-E", *(["-dD"] if macros else []), "-x", self.language, "-w", f"-iquote{self.folder}"]
        return [self.program, *self.words, *further, *about, "-"]


def _usual(cxx: bool, dialect: Dialect) -> str:
    words = shlex.split(os.environ.get("TUNEPASS_CC", "")) or ["cc"]
    if dialect == "cuda" and shutil.which("nvcc") is not None:
        return "nvcc"
    return "c++" if cxx and words == ["cc"] else words[0]


def _kept(words: Sequence[str]) -> Iterator[str]:
    """Without outputs, linking, other inputs, and tunepass's own words."""
    rest = iter(words)
    for word in rest:
        value = next(rest, None) if word in TAKES_VALUE else None
        if word.startswith(("--size=", "--operators=")) or word in DROPPED_ALONE or word.startswith(DROPPED):
            continue
        if not word.startswith("-"):
            continue
        yield word
        if value is not None:
            yield value
