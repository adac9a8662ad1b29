"""The compiler's words that a `flag` parameter may hold: split once, where its pragma is read.

A category decides how the code is compiled, not what is made of it or what else is run. So words that name an output,
that stop the compiler early or that take arguments from a file are refused, and so are those that start another program
("GCC manual", Option Index; clang --help). What loads code into the compiler is told.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from tunepass.compilers import options
from tunepass.diagnostics import Diagnostic, Severity, SourceError, Span
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Listed

Words = tuple[tuple[str, tuple[str, ...]], ...]  # each category's text with the words it is

JOINED = {"-Wl": "linker", "-Wa": "assembler", "-Wp": "preprocessor"}  # `-Wl,WORD,WORD`
STOPS = frozenset({"-###", "-", "-version", "-help", *(word.replace("--", "-") for word in options.STOPS)})
OUTPUTS = ("-aux-info", "-dumpbase", "-dumpdir", "-save-temps", "-output", "-fdump-", "-print-", "-serialize-diag")
LISTS = options.ONLY_LISTED | options.ASIDE | {"-MG", "-MP"}
STARTS = ("-wrapper", "-specs", "-B", "-prefix")
LOADS = ("-fplugin", "-fpass-plugin", "-load", "-plugin", "-add-plugin", "-ld-path", "-fuse-ld=/")


def flag_words(pragma: ParamText) -> tuple[Words, tuple[Diagnostic, ...]]:
    """Every text of a `flag` parameter as words, and what to warn about. Raises SourceError for what no flag can be."""
    if not pragma.flag or not isinstance(pragma.values, Listed):
        return (), ()
    words: list[tuple[str, tuple[str, ...]]] = []
    warnings: list[Diagnostic] = []
    for value, span in zip(pragma.values.values, pragma.values.spans):
        if isinstance(value, str):
            words.append((value, _split(value, span)))
            warnings += _check(words[-1][1], span)
    return tuple(words), tuple(warnings)


def _split(text: str, span: Span) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        start = _open_quote(text)
        literal = span.text[1:-1] == text  # without an escape, a place in the text is a place in the source
        place = span.source.span(span.start + 1 + start, span.end - 1) if literal else span
        what = "this quote is not closed" if text[start] != "\\" else "a backslash ends this flag and quotes nothing"
        raise SourceError(what, place, "words are split as a shell does; write a quote as \\'") from None


def _open_quote(text: str) -> int:
    """Where the quote stands that is not closed, or the last backslash: what shlex.split does not take."""
    quote, start, i = "", 0, 0
    for place, character in enumerate(text):
        if place < i:
            continue
        if character == "\\" and quote != "'":
            if place + 1 == len(text):
                return place if not quote else start
            i = place + 2
        elif quote == character:
            quote = ""
        elif not quote and character in "'\"":
            quote, start = character, place
    return start


def _check(words: Sequence[str], span: Span) -> Iterator[Diagnostic]:
    follower = ""  # who reads the next word: the linker, say
    for word in words:
        reader, follower = follower or "compiler", options.PASSED_ON.get(word, "")
        head, *rest = word.split(",")
        if reader == "compiler" and head in JOINED:
            for passed in rest:
                yield from _check_word(passed, JOINED[head], word, span)
        else:
            yield from _check_word(word, reader, word, span)


def _check_word(word: str, reader: str, shown: str, span: Span) -> Iterator[Diagnostic]:
    """One word as `reader` understands it. Options are also written with two dashes."""
    option = word[1:] if word.startswith("--") else word
    if word.startswith("@"):
        raise SourceError(f"`{shown}` reads arguments from a file", span, "write them out: a choice is to be readable")
    if option == "-o" or (reader == "compiler" and option.startswith(("-o", *OUTPUTS))) or _lists(option, reader):
        raise SourceError(f"`{shown}` names an output, and tunepass says what is made", span, "leave it out")
    if reader in ("compiler", "pass") and option in STOPS:
        raise SourceError(f"`{shown}` changes what is made, and candidates are objects", span, "leave it out")
    if reader == "compiler" and option.startswith(STARTS):
        raise SourceError(
            f"`{shown}` has the compiler start other programs", span, "put it after `--`, or into TUNEPASS_CC"
        )
    if option.startswith(LOADS):
        yield Diagnostic(
            f"`{shown}` loads code into the compiler, or has it start a program",
            span,
            "whoever builds this source runs it; it is safer after `--`",
            Severity.WARNING,
        )


def _lists(option: str, reader: str) -> bool:
    """-M, -MD, -MF and their kin; for the linker -M and -Map."""
    if reader == "linker":
        return option == "-M" or option.startswith("-Map")
    return option in LISTS or option.startswith(options.RULE_VALUES)
