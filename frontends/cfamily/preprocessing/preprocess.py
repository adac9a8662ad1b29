"""A source as its compiler sees it: active tokens with their ranges in the user's text, pragmas, macros, headers."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tunepass.compilers.asking import ask_about
from tunepass.compilers.cc import identify
from tunepass.diagnostics import Source, SourceError, ToolError
from tunepass.frontends.cfamily.preprocessing.alignment import Aligned, Aligner, MisalignedError, PragmaTokens
from tunepass.frontends.cfamily.preprocessing.chains import CONDITIONS
from tunepass.frontends.cfamily.preprocessing.command import STDIN, Command
from tunepass.frontends.cfamily.preprocessing.directives import FileText, PlacedDirective, read_order
from tunepass.frontends.cfamily.preprocessing.guards import guarded
from tunepass.frontends.cfamily.preprocessing.output import OWN, Chunk, Output, read_output
from tunepass.frontends.cfamily.preprocessing.parametric import parametric_names
from tunepass.frontends.cfamily.preprocessing.redefined import check_not_redefined
from tunepass.frontends.cfamily.preprocessing.symbols import Symbols
from tunepass.frontends.cfamily.preprocessing.trigraphs import trigraph_at
from tunepass.frontends.cfamily.syntax.tree import UnreadableError
from tunepass.frontends.cfamily.text.marks import (
    ARGUMENT,
    BUILT_IN,
    CLOSE,
    HIDDEN,
    OPEN,
    PRAGMA,
    PREFIX,
    SECTION,
    ActiveTokens,
    MacroText,
    MacroUse,
    MarkedText,
    uses_of,
)
from tunepass.frontends.cfamily.text.raw import Directive, RawText, read_raw
from tunepass.frontends.cfamily.text.tokens import Token, closings, names_in, words_of
from tunepass.machine_faults import raise_machines

ACTIVE = re.compile(rf"(?:{SECTION}|{PRAGMA})(\d+)_")
ABSENT = f"{PREFIX}h_"
MOST_IN_WORDS = 1 << 15  # characters of definitions in a command
USE_MARK = re.compile(rf"(?:{OPEN}|{CLOSE})\d+_")
ERROR = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE
)


@dataclass(frozen=True)
class Preprocessed:
    """`tokens` of the main file and of its own headers; `headers` are the texts of all included files."""

    source: Source
    raw: RawText
    tokens: tuple[Token, ...]
    pragmas: tuple[PragmaTokens, ...]
    active: frozenset[int]  # sections
    macros: Mapping[str, Sequence[MacroText]]
    headers: tuple[Chunk, ...]
    included: tuple[str, ...]  # the files that are not the system's
    skipped: frozenset[str]  # included files that are too long to be read
    symbols: Symbols
    missing: tuple[str, ...] = ()  # headers that are not here and were taken as empty
    redefined: tuple[Directive, ...] = ()  # active definitions of parameters, which a -D does not change

    @cached_property
    def activity(self) -> tuple[tuple[int, int, bool], ...]:
        """(start, end, is active) of every section that has tokens."""
        spans = [(s.outer or (s.tokens[0].start, s.tokens[-1].end)) for s in self.raw.sections]
        return tuple((start, end, n in self.active) for n, (start, end) in enumerate(spans))

    @cached_property
    def active_pragmas(self) -> frozenset[int]:
        """The places of pragmas that no `#if` leaves out."""
        sections = (section for n, section in enumerate(self.raw.sections) if n in self.active)
        return frozenset(section.outer[0] for section in sections if section.outer is not None)

    def reads_parameter(self, directive: Directive) -> bool:
        """Whether a condition names a parameter, itself or by a macro."""
        return directive.kind in CONDITIONS and bool(self.parametric & set(names_in(directive.body)))

    @cached_property
    def read_order(self) -> tuple[PlacedDirective, ...]:
        """The directives of the source and of its headers."""
        return read_order(FileText(self.source, self.raw, own=True), self.included)

    @cached_property
    def parametric(self) -> frozenset[str]:
        """The macros that differ with the values of parameters."""
        if not self.symbols.names:
            return frozenset()
        return parametric_names(self.symbols.names, self.read_order, self.macros)


def preprocess(
    source: Source, command: Command, symbols: Symbols, *, stubs: bool = False, guards: bool = False
) -> Preprocessed:
    """Raises SourceError with the compiler's own message where it cannot preprocess the source.

    With `stubs`, headers that are not here are taken as empty ones: those of a device's compiler. With `guards`, all
    branches of an `#if` over symbols are read, see guards.py.
    """
    if not stubs:
        return _preprocess(source, command, symbols, guards)
    try:
        return _preprocess(source, command, symbols, guards)
    except MissingHeaderError:
        with empty_headers(source, command, symbols) as (with_headers, names):
            text = _preprocess(source, with_headers, symbols, guards)
        missing = tuple(name for number, name in enumerate(names) if f"{ABSENT}{number}_" in text.macros)
        macros = {name: texts for name, texts in text.macros.items() if not name.startswith(ABSENT)}
        return replace(text, missing=missing, macros=macros)


class MissingHeaderError(UnreadableError):
    """A header that the compiler does not find."""


@contextlib.contextmanager
def empty_headers(source: Source, command: Command, symbols: Symbols) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """The command with a folder of files for headers that may not be found, after all others, and their names.

    Each defines a macro of its own, which says that the compiler took it.
    """
    with defining(symbols) as definitions:
        listing = [command.program, *command.words, *definitions, "-M", "-MG", "-x", command.language,
                   f"-iquote{command.folder}", STDIN]  # fmt: skip
        reply = ask_about(listing, source.text)
    listed = reply.stdout.replace("\\\n", " ").partition(":")[2].split()
    names = tuple(name for name in listed if not Path(name).is_absolute())
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder, "a", "b", "c", "d")  # for names that begin with `../`
        inner.mkdir(parents=True)
        for number, name in enumerate(names):
            path = Path(os.path.normpath(inner / name))
            if path.is_relative_to(folder) and not path.exists():
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(f"#define {ABSENT}{number}_\n")
                except OSError as error:  # a name that is a folder of another one: the compiler tells
                    raise_machines(error)
        yield replace(command, words=(*command.words, f"-idirafter{inner}")), names


@contextlib.contextmanager
def defining(symbols: Symbols) -> Iterator[list[str]]:
    """The compiler's words for the symbols' values; where they are too many for a command, a file as if they were words
    (gcc hands its words to its parts in one variable of the environment, of at most 128 KiB)."""
    words = symbols.definitions()
    if sum(map(len, words)) < MOST_IN_WORDS:
        yield words
        return
    with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
        file.write('#line 1 "<command-line>"\n' + "".join(map(_directive, words)))
        file.flush()
        yield ["-imacros", file.name]


def _directive(word: str) -> str:
    """Lines of a source for the -D or -U."""
    name, defines, value = word[2:].partition("=")
    return f"#undef {name}\n" + (f"#define {name} {value}\n" if defines else "")


def _preprocess(source: Source, command: Command, symbols: Symbols, guards: bool) -> Preprocessed:
    raw = read_raw(source.text)
    if guards:
        raw = guarded(raw, symbols.names)
    if PREFIX in source.text:
        start = source.text.index(PREFIX)
        raise SourceError(f"names that begin with `{PREFIX}` are tunepass's", source.span(start, start + len(PREFIX)))
    marked = MarkedText(raw, symbols.names)
    plain = _run(source, command, symbols, marked.sections_marked(), macros=True)
    check_not_redefined(symbols, plain)
    sections = frozenset(int(n) for n in ACTIVE.findall(plain.main))
    active = ActiveTokens.of(raw, sections)
    uses = uses_of(active, plain.macros, symbols.names)
    aligned = _aligned(source, command, symbols, marked, plain, active, uses)
    return Preprocessed(
        source=source,
        raw=raw,
        tokens=tuple(aligned.tokens),
        pragmas=tuple(aligned.pragmas),
        active=sections | aligned.active,
        macros={name: texts for name, texts in plain.macros.items() if not name.startswith(HIDDEN)},
        headers=tuple(chunk for chunk in plain.chunks if chunk.file),
        included=tuple(plain.included),
        skipped=frozenset(aligned.skipped),
        symbols=symbols,
        redefined=tuple(d for d in raw.directives if f"{HIDDEN}{d.start}_" in plain.macros),
    )


def _aligned(
    source: Source, command: Command, symbols: Symbols, marked: MarkedText, plain: Output, active: ActiveTokens,
    uses: list[MacroUse],
) -> Aligned:  # fmt: skip
    """With the uses of macros marked; names in their arguments are numbered where that changes nothing."""
    if not uses:
        return _place(source, Aligner(marked.raw, symbols, active, []), plain)
    words = _words(plain.main, symbols)
    macros = plain.macros.keys() - symbols.names | BUILT_IN
    names = frozenset(t.text for t in active.tokens if t.kind == "name") - macros
    places: list[int] = []
    for renamed in (names, frozenset[str]()):
        output = _run(source, command, symbols, marked.uses_marked(active, uses, renamed), macros=False)
        try:
            if _words(output.main, symbols) == words:
                return Aligner(marked.raw, symbols, active, uses).read(output)
            places.append(_difference(marked.raw, symbols, active, uses, output, plain))
        except MisalignedError as error:
            places.append(error.place)
    raise _refusal(source, places[-1])


def _place(source: Source, aligner: Aligner, output: Output) -> Aligned:
    try:
        return aligner.read(output)
    except MisalignedError as error:
        raise _refusal(source, error.place) from None


def _words(text: str, symbols: Symbols) -> list[str]:
    """The tokens' texts without marks of uses and arguments; a parameter's value is its name."""
    words = [text for _, text in words_of(ARGUMENT.sub("", USE_MARK.sub(" ", text)))]
    if not symbols.values:
        return words
    words = [symbols.named(text) or text for text in words]
    return [w for at, w in enumerate(words) if w != "-" or not symbols.is_negative((*words[at + 1 : at + 2], "")[0])]


def _difference(
    raw: RawText, symbols: Symbols, active: ActiveTokens, uses: list[MacroUse], output: Output, plain: Output
) -> int:
    """The offset of the first token that marks changed."""
    aligned = Aligner(raw, symbols, active, uses).run(output.main)
    words = [w for w in _words(plain.main, symbols) if not w.startswith(PREFIX)]
    for token, word in zip(aligned.tokens, words):
        if token.text != word:
            return token.start
    return aligned.tokens[-1].start if aligned.tokens else 0


def _refusal(source: Source, place: int) -> SourceError:
    trigraph = trigraph_at(source, place)
    if trigraph is not None:
        return trigraph
    span = source.span(place, min(place + 1, len(source.text)))
    hint = "write the macro's use out here, or put it into brackets of its own"
    return SourceError("the macros of this line cannot be traced to the source's text", span, hint)


def _run(source: Source, command: Command, symbols: Symbols, text: str, *, macros: bool) -> Output:
    try:
        with defining(symbols) as definitions:
            reply = ask_about(command.preprocessing(definitions, macros=macros), f'#line 1 "{OWN}"\n{text}')
    except ToolError:
        identify(command.program)  # says how to get a compiler that is not there
        raise
    if not reply.ok:
        raise failure(source, command, reply.stderr)
    return read_output(reply.stdout)


def failure(source: Source, command: Command, errors: str) -> SourceError:
    """The compiler's first error, at its place if that is in the source."""
    first = ERROR.search(errors)
    if first is None:
        lines = errors.strip().splitlines() or ["it was stopped: its macros make too much code"]
        return UnreadableError(f"{command.program} cannot preprocess {source.name}: {lines[0]}")
    text = re.sub(rf"\b{OWN}\b", source.name, first.group())
    missing = re.search(r"No such file|file not found", text) is not None
    hint = "name its folder with -I after `--`, or generate it first" if missing else None
    kind = MissingHeaderError if missing else UnreadableError
    message = f"{source.name} does not compile as it is: {text}"
    if first["file"] != OWN:
        return kind(message, hint=hint)
    opened = re.search(r'unterminated .*invoking macro "(\w+)"', text)
    place = _unclosed_use(source, opened[1]) if opened else None
    if place is not None:
        return SourceError(f"the arguments of macro `{place.text}` are not closed", source.span(place.start, place.end))
    starts = [0, *(m.end() for m in re.finditer("\n", source.text))]
    start = starts[min(int(first["line"]), len(starts)) - 1]
    end = source.text.find("\n", start)
    return kind(message, source.span(start, end if end >= 0 else None), hint)


def _unclosed_use(source: Source, macro: str) -> Token | None:
    """The use of a macro whose arguments run to the end of the file: the compiler tells only where that is."""
    code = [token for section in read_raw(source.text).sections for token in section.tokens]
    closed = closings(code)
    uses = (at for at in range(len(code) - 1) if code[at].text == macro and code[at + 1].at("("))
    return next((code[at] for at in uses if at + 1 not in closed), None)
