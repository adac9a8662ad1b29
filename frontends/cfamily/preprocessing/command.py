"""The user's compiler command as the reader calls it: preprocessing a text on the standard input."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tunepass.compilers import options
from tunepass.compilers.languages import CUDA, CXX, is_linked, is_source
from tunepass.compilers.named import usual_compiler

Dialect = Literal["c", "c++", "cuda", "opencl", "hls"]
STDIN = "/dev/stdin"  # not `-`: with that, headers in the working directory would hide those beside the source
OWN_WORDS = ("--size=", "--operators=")
DROPPED = options.STOPS_EARLY | options.ASIDE | options.LINKING_ALONE | {"-MP", "-MG", "-pipe"}


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
        cxx = dialect in ("c++", "cuda") or (dialect == "hls" and name.endswith((*CXX, *CUDA)))
        given = [word for word in words if not word.startswith(OWN_WORDS)]
        named = bool(given) and not given[0].startswith("-") and not is_source(given[0]) and not is_linked(given[0])
        program, *rest = given if named else [*_usual(dialect, cxx=cxx), *given]
        return cls(
            program, tuple(read_words(rest, options.table_of(program))), "c++" if cxx else "c", Path(name).parent
        )

    def preprocessing(self, further: Sequence[str], *, macros: bool) -> list[str]:
        """The command line of one `-E`; `macros`: definitions are printed too."""
        about = ["-E", *(["-dD"] if macros else []), "-x", self.language, "-w", f"-iquote{self.folder}"]
        return [self.program, *self.words, *further, *about, STDIN]


def _usual(dialect: Dialect, *, cxx: bool) -> tuple[str, ...]:
    """nvcc for CUDA, where it is found."""
    if dialect == "cuda" and shutil.which("nvcc") is not None:
        return ("nvcc",)
    return usual_compiler(cxx=cxx)


def read_words(words: Sequence[str], takes_value: Collection[str] = options.TAKES_VALUE) -> list[str]:
    """Without outputs, dependency files, linking and other inputs."""
    unread = (*options.OUTPUT, *options.LANGUAGE, *options.RULE_VALUES)

    def reads(word: str, value: str | None) -> bool:
        if options.is_input(word, value) or word in DROPPED or options.is_linking(word):
            return False
        aside = word.startswith((*options.ASIDE_BY_PREPROCESSOR, *options.SAVE_TEMPS))
        return not aside and not options.is_named(word, value, unread)

    return options.kept(words, reads, takes_value)
