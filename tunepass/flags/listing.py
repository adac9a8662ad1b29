"""All that a compiler of this machine lets one tune at a level: asked of the compiler itself."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import Compiler, identify
from tunepass.diagnostics import ToolError, TunepassError
from tunepass.flags import clang, gcc
from tunepass.flags.accepted import Pair, accepted_options, asking
from tunepass.flags.block import LEVEL
from tunepass.flags.option import Option, OptionChoice

LEVELS = ("-O1", "-O2", "-O3", "-Os")
KINDS = ("optimizers", "params")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionListing:
    """`refused` are texts that the compiler lists and does not take, or that do nothing here."""

    compiler: Compiler
    options: tuple[Option, ...]
    conflicts: tuple[Pair, ...]
    refused: tuple[str, ...]


def listing(
    program: str, level: str = "-O2", kinds: Sequence[str] = KINDS, *, math: bool = False, native: bool = False
) -> OptionListing:
    """Raises TunepassError for a compiler that is neither gcc nor clang, and for a level that is none."""
    compiler = identify(program)
    if level not in LEVELS:
        raise TunepassError(f"no level is called {level}", hint=f"levels are {', '.join(LEVELS)}")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise TunepassError(f"no kind of option is called {unknown[0]}", hint=f"kinds are {', '.join(KINDS)}")
    if compiler.family == "other":
        raise TunepassError(f"{program} is neither gcc nor clang", hint=f"it says that it is {compiler.version}")
    read = _of_gcc if compiler.family == "gcc" else _of_clang
    silent = asking([compiler.path, level, "-Werror"], shlex.split)
    accepted = accepted_options(
        read(compiler.path, level, kinds, math), asking([compiler.path, level], shlex.split), silent
    )
    return OptionListing(
        compiler=compiler,
        options=(*_basic(level, native), *accepted.options),
        conflicts=accepted.conflicts,
        refused=accepted.refused,
    )


def _basic(level: str, native: bool) -> list[Option]:
    """The level itself, and the processor's own instructions."""
    levels = (level, *(other for other in LEVELS if other != level))
    return [OptionChoice(LEVEL, levels), *([OptionChoice("MARCH", ("", "-march=native"))] if native else [])]


def _of_gcc(path: str, level: str, kinds: Sequence[str], math: bool) -> list[Option]:
    options: list[Option] = []
    if "optimizers" in kinds:
        others = [_command_text([path, "-Q", other, "--help=optimizers"]) for other in LEVELS if other != level]
        options += gcc.optimizers(_command_text([path, "-Q", level, "--help=optimizers"]), others, math=math)
    if "params" in kinds:
        options += gcc.parameters(_command_text([path, "-Q", level, "--help=params"]), math=math)
    return options


def _of_clang(path: str, level: str, kinds: Sequence[str], math: bool) -> list[Option]:
    empty = ["-x", "c", "-c", "/dev/null", "-o", "/dev/null"]
    options: list[Option] = []
    if "optimizers" in kinds:
        options += clang.switches(math=math)
    if "params" in kinds:
        values = _command_text([path, level, "-mllvm", "-print-all-options", *empty])
        options += clang.parameters(values, _command_text([path, "-mllvm", "-help-hidden", *empty]), math=math)
    return options


def _command_text(words: Sequence[str]) -> str:
    """The list that the compiler prints. Raises ToolError where it prints none."""
    reply = ask(words)
    if not reply.ok or not reply.stdout:
        first = (reply.stderr.splitlines() or ["it says nothing"])[0]
        raise ToolError(f"{' '.join(words)} does not list options", hint=first)
    return reply.stdout
