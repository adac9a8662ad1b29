"""From a path to kernels. Whatever the file holds, it is read or refused with one diagnostic."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tunepass import registry
from tunepass.backends.base import frontend_of
from tunepass.compilers.languages import USUAL_SUFFIX, language_of
from tunepass.compilers.named import harmless_words
from tunepass.diagnostics import EnvironmentFault, Source, SourceError, TunepassError, spelling_hint
from tunepass.files import read_bytes, shown
from tunepass.frontends.base import OPERATORS, SIZE, Frontend, Parsed, sizes_in
from tunepass.ir.kernel import Kernel
from tunepass.jobs.places import file_name, key_name, lock_path
from tunepass.study.lock.lock import Lock

READ_BY_COMPILER = ("c", "c++", "cuda", "hip", "cl")  # languages whose sources a compiler preprocesses
SOURCE_LIMIT = 16 << 20  # bytes; a kernel's source is written by people, or by a generator that may be asked for less


def read_source(path: str | Path) -> Source:
    """The text at `path`, named as the user typed it. Bytes that are no UTF-8 (of strings and comments in Latin-1, say)
    stand in it as surrogates, and are written as they were. Raises SourceError for what cannot be a source."""
    name = str(path)
    if "\n" in name or "\r" in name:
        raise SourceError(f"a source's name has no line break, got {name!r}", hint="compilers list it as two files")
    suffix = Path(name).suffix
    if registry.has("frontends", suffix) and suffix in (frontend := frontend_of(name)).binary:
        return frontend.opened(path)
    data = read_bytes(path, SOURCE_LIMIT, SourceError)
    if b"\0" in data:
        raise SourceError(f"{shown(name)} is not text: it holds a zero byte at offset {data.index(0)}")
    return Source(name, data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))


def taco_source(expression: str, words: Sequence[tuple[str, str]]) -> Source:
    """A source in this folder made of the words that TACO's tool takes. Raises TunepassError where a file that says
    something else has its name."""
    from tunepass.frontends.taco.commandline import source_of  # with TACO's grammar

    source = source_of(expression, words)
    if Path(source.name).exists() and read_source(source.name).text != source.text:
        raise TunepassError(
            f"{source.name} is a file of this folder and says something else",
            hint=f"call the result otherwise, or run `tunepass build {source.name}`",
        )
    return source


def parse(
    given: str | Path | Source, only: str | None = None, language: str = "", words: Sequence[str] | None = None
) -> Parsed:
    """The kernels of a source or of the one at a path, of several the one called `only`, and the frontend's warnings.
    `language` is what it is read as where no frontend knows its suffix; `words` are the compiler's, None: those of its
    lock."""
    source = given if isinstance(given, Source) else read_source(given)
    path = source.name
    known = Path(path).suffix in registry.built_in("frontends") or language not in USUAL_SUFFIX
    frontend = frontend_of(path if known else f"source{USUAL_SUFFIX[language]}", source.text)
    if not frontend.takes_operators and any(word.startswith(OPERATORS) for word in words or ()):
        raise TunepassError(f"--operators is about deep-learning models, {path} is none", hint="leave it out")
    if words is None and frontend.leaves_sizes_open:
        parsed = _as_locked(frontend, source, only, _locked_words(path))
        return replace(parsed, kernels=select(parsed.kernels, only, str(path)))
    if words is None:
        is_read_by_compiler = (language_of(path) or language) in READ_BY_COMPILER
        words = harmless_words(_locked_words(path)) if is_read_by_compiler else ()
    elif not frontend.leaves_sizes_open and (sizes := sizes_in(words)):
        raise TunepassError(
            f"--size {next(iter(sizes))}=N says what a size of a Spatial program is, {path} is none",
            hint="leave it out",
        )
    if frontend.takes_operators and not any(word.startswith(OPERATORS) for word in words):
        words = (*words, *_locked_operators(path))
    parsed = frontend.parse(source, only, words)
    return replace(parsed, kernels=select(parsed.kernels, only, str(path)))


def _as_locked(frontend: Frontend, source: Source, only: str | None, words: Sequence[str]) -> Parsed:
    """With the sizes that the lock has, as far as the source still leaves them open."""
    try:
        return frontend.parse(source, only, words)
    except SourceError:
        if not sizes_in(words):
            raise
        return frontend.parse(source, only)


def _locked_words(path: str | Path) -> tuple[str, ...]:
    """The compiler's words that the source was tuned with, as far as a lock that can be read says so."""
    try:
        entries = Lock.read(lock_path(path), only=key_name(Path(path).name)).entries
    except EnvironmentFault:
        raise
    except TunepassError:
        return ()  # whoever needs the lock says what is wrong with it
    flags = [entry.identity.flags for key, entry in entries.items() if file_name(key) == Path(path).name]
    sizes = (word for words in flags[1:] for word in words if word.startswith(SIZE))  # of the source's other kernels
    return tuple(dict.fromkeys((*flags[0], *sizes))) if flags else ()


def _locked_operators(path: str | Path) -> tuple[str, ...]:
    """The word for the table of operators that the source was tuned with, if a lock that can be read says so."""
    given = [word.removeprefix(OPERATORS) for word in _locked_words(path) if word.startswith(OPERATORS)]
    return tuple(OPERATORS + os.path.normpath(Path(path).parent / name) for name in given[:1])


def load(path: str | Path, kernel: str | None = None, words: Sequence[str] | None = None) -> Kernel:
    """The kernel of an annotated source.

    Args:
        path: of the source; its suffix chooses the frontend.
        kernel: the name of one of several kernels.
        words: the compiler's, for included files and macros; None: those of the lock.

    Returns:
        The kernel, ready for a Pipeline.

    Raises:
        SourceError: the source is wrong or not readable, with the place.
        TunepassError: it has several kernels and none is named, or none of that name.

    Example:
        >>> tp.load("samples/taco/spmv.taco").language
        'taco'
    """
    kernels = parse(path, kernel, words=words).kernels
    if len(kernels) > 1:
        raise TunepassError(
            f"{path} has several kernels: {', '.join(k.name for k in kernels)}", hint="name one of them"
        )
    return kernels[0]


def select(kernels: tuple[Kernel, ...], name: str | None, path: str) -> tuple[Kernel, ...]:
    """The kernel called `name`, or all of them."""
    selected = tuple(k for k in kernels if name in (None, k.name))
    if not selected:
        names = [k.name for k in kernels]
        hint = spelling_hint(name or "", names, f"there are {', '.join(names)}", quote=repr)
        raise TunepassError(f"{path} has no kernel {name!r}", hint=hint)
    return selected
