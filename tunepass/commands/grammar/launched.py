"""Words before the compiler after `--`, as in `-- nice -n 5 gcc -O2`: they only start it, as a search does itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from tunepass.compilers.finding import compiler_at, is_program

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
SHELL_KEYWORD = "time"  # where no program has that name


def split_launcher(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the compiler's name, where the first is a program, and the compiler's command."""
    at = compiler_at(words) if words and (is_program(words[0]) or words[0] == SHELL_KEYWORD) else None
    return list(words[: at or 0]), list(words[at or 0 :])


def enter(launcher: Sequence[str], compiler: Sequence[str]) -> list[str]:
    """Set the variables that `env` gives the compiler; a note names the other words, which nothing here follows."""
    left = list(_without_variables(launcher))
    if not left:
        return []
    return [f"note: candidates are compiled by `{compiler[0]}` itself, without `{' '.join(left)}`"]


def _without_variables(launcher: Sequence[str]) -> Iterator[str]:
    """Sets the variables of `env NAME=VALUE` and `env -u NAME`; gives the other words."""
    words, in_env = iter(launcher), False
    for word in words:
        if os.path.basename(word) == "env" and is_program(word):
            in_env = True
        elif in_env and ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            os.environ[name] = value
        elif in_env and word in ("-u", "--unset"):
            os.environ.pop(next(words, ""), None)
        else:
            in_env = in_env and word.startswith("-")
            yield word
