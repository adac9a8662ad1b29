"""What is wrong with a file before anything is read of it: open conditions, misspelt pragmas, empty macros."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, nearest
from tunepass.frontends.c.parameters.macros import MacroDefault
from tunepass.frontends.cfamily.preprocessing.chains import chains
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.hls.pragmas.known import FIRST


def check_directives(source: Source, directives: Sequence[Directive]) -> list[Diagnostic]:
    """Warnings; SourceError for a condition that no `#endif` ends."""
    opened = [chain.directives[0] for chain in chains(directives) if not chain.closed]
    if opened:
        raise SourceError(f"no `#endif` ends this `#{opened[-1].kind}`", _span(source, opened[-1]))
    return list(_misspelt(source, directives))


def _misspelt(source: Source, directives: Sequence[Directive]) -> Iterator[Diagnostic]:
    for directive in directives:
        words = directive.body.split()
        if directive.kind != "pragma" or not words:
            continue
        first = words[0].partition("(")[0]
        close = nearest(first, FIRST) if first.lower() not in {w.lower() for w in FIRST} else None
        if close is not None:
            hint = f"did you mean `{close}`?"
            yield Diagnostic(f"unknown pragma `{first}`", _span(source, directive), hint, Severity.WARNING)


def _span(source: Source, directive: Directive) -> Span:
    line = source.text[directive.start : directive.end].splitlines()[0]
    return source.span(directive.start, directive.start + len(line.rstrip()))


def undefined(macros: Mapping[str, MacroDefault], parameters: set[str]) -> list[Diagnostic]:
    """Macros that parameters set, and that are defined as nothing: no value can be put in that place."""
    return [
        Diagnostic(f"the macro of the parameter `{name}` is defined as nothing", macro.span, "give it its default")
        for name, macro in macros.items()
        if name in parameters and not macro.text.strip()
    ]
