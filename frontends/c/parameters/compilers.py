"""The compilers that a `compiler` parameter may name: plain names of gcc and clang, so that it starts nothing else.

A source is text from anywhere. What it names is looked up on the PATH and asked for its version, so the name itself has
to be one that compilers have: no path, no option, no word of a shell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Listed
from tunepass.ir.kernel import Kernel
from tunepass.space.parameters.categorical import Categorical

# `gcc`, `g++-12`, `clang-14`, `aarch64-linux-gnu-gcc`
NAME = re.compile(r"(?:[A-Za-z0-9_]+-){0,4}(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(?:-[0-9]+(?:\.[0-9]+){0,2})?")
HOW = 'names are those of gcc and clang on the PATH: compiler("gcc", "clang-14")'


def check_compilers(pragma: ParamText) -> None:
    """Raises SourceError for a value that is no plain name of a compiler, and for what such a parameter cannot have."""
    if pragma.default is not None:
        raise SourceError(
            f"`{pragma.name}` has the compiler after `--` as its default", pragma.default.span, "leave `= …` out"
        )
    if pragma.flag:
        raise SourceError(f"`{pragma.name}` names compilers, which are no flags", pragma.span, "remove `flag`")
    assert isinstance(pragma.values, Listed)
    for value, span in zip(pragma.values.values, pragma.values.spans):
        if not isinstance(value, str) or not is_plain(value):
            raise SourceError(f"{_shown(value)} is no plain name of a compiler", span, HOW)


def check_one(params: Sequence[ParamText]) -> None:
    """Raises SourceError where a source has two: its kernels are one object, by one compiler."""
    named = [pragma for pragma in params if pragma.compiler]
    if len(named) > 1:
        raise SourceError(
            f"`{named[1].name}` is a second `compiler` parameter: one compiler builds all kernels of a source",
            named[1].span,
            f"the first is `{named[0].name}`, in line {named[0].span.line}",
        )


def is_plain(name: str) -> bool:
    return NAME.fullmatch(name) is not None


def compilers_of(kernel: Kernel) -> tuple[Categorical, Span | None] | None:
    """The parameter whose values are compilers, and its place."""
    for parameter in kernel.parameters:
        binding = kernel.binding(parameter.name)
        if binding.role == "compiler" and isinstance(parameter, Categorical):
            return parameter, binding.span
    return None


def with_default(kernel: Kernel, name: str) -> Kernel:
    """The kernel whose default compiler is `name`, one of the values."""
    parameters = tuple(
        Categorical(p.name, p.domain, default=name, prior=p.prior, span=p.span)  # type: ignore[arg-type]
        if isinstance(p, Categorical) and kernel.binding(p.name).role == "compiler"
        else p
        for p in kernel.parameters
    )
    return replace(kernel, parameters=parameters)


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
