"""Definitions of parameters in included headers, which a -D does not change."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.preprocessing.chains import branch_around, chains
from tunepass.frontends.cfamily.preprocessing.directives import LONGEST, FileText, text_of
from tunepass.frontends.cfamily.preprocessing.output import Output
from tunepass.frontends.cfamily.preprocessing.parametric import defined_name
from tunepass.frontends.cfamily.preprocessing.symbols import Symbols
from tunepass.frontends.cfamily.text.raw import Directive, read_raw


def check_not_redefined(symbols: Symbols, output: Output) -> None:
    """Raises SourceError at a header's active `#define` of a parameter that no `#ifndef` keeps from the compiler.

    `output` is without the source's own definitions of parameters.
    """
    given = dict(word[2:].split("=", 1) for word in symbols.definitions() if word.startswith("-D"))
    for name, value in given.items():
        bodies = {macro.body for macro in output.macros.get(name, ()) if macro.body != value}
        if not bodies or symbols.is_presence(name):
            continue
        for file, directive in _definitions(name, output):
            if " ".join(directive.body.split()[1:]) in bodies:
                message = f"`{name}` is defined here without `#ifndef`, so -D{name}=… cannot change it"
                hint = f"write `#ifndef {name}`, the `#define`, `#endif`"
                raise SourceError(message, file.line_of(directive), hint)


def _definitions(name: str, output: Output) -> Iterator[tuple[FileText, Directive]]:
    """In headers that are not the system's, outside an `#ifndef` of the name."""
    for path in output.included:
        text = text_of(path)
        if name not in text or len(text) > LONGEST:
            continue
        file = FileText(Source(os.path.normpath(path), text), read_raw(text))
        listed = chains(file.raw.directives)
        for directive in file.raw.directives:
            if directive.kind == "define" and defined_name(directive) == name:
                around = branch_around(listed, directive.start)
                head = listed[around[0]].heads[around[1]] if around is not None else None
                if head is None or head.kind != "ifndef" or head.body.split()[:1] != [name]:
                    yield file, directive
