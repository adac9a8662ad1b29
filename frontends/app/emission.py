"""What was chosen, as files to commit: variables for a Makefile, and a script that runs the program tuned."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath

from tunepass.frontends.app import lowering
from tunepass.ir.application import Application
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

HERE = "\0here\0"  # stands for the script's folder until the words are quoted


def emit_files(kernel: Kernel, note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.mk, NAME.tuned.sh."""
    return (
        EmittedFile(f"{kernel.name}.{word}.mk", _makefile(kernel, note)),
        EmittedFile(f"{kernel.name}.{word}.sh", _script(kernel, note, word)),
    )


def chosen(kernel: Kernel) -> Configuration:
    """The configuration its schedule binds; parameters without a choice keep their default."""
    values = {p.name: p.default for p in kernel.parameters}
    return Configuration({**values, **{c.parameter: c.value for c in kernel.schedule}})


def program_name(kernel: Kernel, word: str = "tuned") -> str:
    """What the built program is called in the output folder."""
    return f"{kernel.name}.{word}"


def _comment(kernel: Kernel, note: str, what: str) -> list[str]:
    name = PurePosixPath(kernel.source.name).name
    return [f"# {what} of {kernel.name} ({name}), tuned by tunepass.", *(f"# {line}" for line in note.splitlines())]


def _makefile(kernel: Kernel, note: str) -> str:
    """`include` it, and use $(NAME_FLAGS) where the flags stand."""
    configuration, prefix = chosen(kernel), re.sub(r"\W", "_", kernel.name).upper()
    lines = _comment(kernel, note, "The choice")
    lines.append(f"{prefix}_FLAGS = {_make(shlex.join(lowering.flags(kernel, configuration)))}")
    lines.append(f"{prefix}_ARGUMENTS = {_make(shlex.join(lowering.arguments(kernel, configuration)))}")
    pairs = [f"{name}={shlex.quote(value)}" for name, value in lowering.environment(kernel, configuration)]
    lines.append(f"{prefix}_ENVIRONMENT = {_make(' '.join(pairs))}")
    if lowering.profiled(kernel, configuration):
        lines.append("# Built in two phases: to count what the program does in training, then with what was counted.")
        lines.append(f"{prefix}_PROFILE = 1")
    placed = lowering.placed_names(kernel)
    lines += [
        f"{prefix}_{p.name} = {_make(lowering.value_text(kernel, configuration, p.name))}"
        for p in kernel.parameters
        if p.name in placed
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _make(text: str) -> str:
    return text.replace("$", "$$").replace("#", "\\#")


def _script(kernel: Kernel, note: str, word: str) -> str:
    """Runs the program that was built beside the script, as it was tuned; further arguments are passed on."""
    lines = ["#!/bin/sh", *_comment(kernel, note, "A run")]
    words = list(lowering.run_words(kernel, chosen(kernel), HERE, "."))
    if _is_product(kernel, words[0]):
        lines += ['here=$(cd "$(dirname "$0")" && pwd)']
        words[0] = f"{HERE}/{program_name(kernel, word)}"
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in lowering.environment(kernel, chosen(kernel)))
    if settings:
        lines.append(f"export {settings}")
    return "\n".join([*lines, f'exec {" ".join(map(_quoted, words))} "$@"', ""])


def _is_product(kernel: Kernel, word: str) -> bool:
    product = kernel.body_as(Application).build.product
    return bool(product) and PurePosixPath(word.replace(f"{HERE}/", "")) == PurePosixPath(product)


def _quoted(word: str) -> str:
    if HERE not in word:
        return shlex.quote(word)
    return '"$here"' + shlex.quote(word.replace(HERE, "")) if word.replace(HERE, "") else '"$here"'
