"""The user's own operators and resources: a file that the command line names, or the source."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import abspath, dirname, relpath
from pathlib import Path, PurePath

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.files import read_utf8
from tunepass.frontends.base import OPERATORS
from tunepass.graphs.table import SIZE_LIMIT


def own_operators(source: Source, stated: tuple[str, Span] | None, words: Sequence[str]) -> Source | None:
    """The file's text; None where none is named. The command line's comes before the source's."""
    given = [word.removeprefix(OPERATORS) for word in words if word.startswith(OPERATORS)]
    if not given and stated is None:
        return None
    path = Path(given[-1]) if given else beside(source, *stated)  # type: ignore[misc]
    try:
        return Source(str(path), read_utf8(path, SIZE_LIMIT, SourceError))
    except SourceError as error:
        if given or stated is None:
            raise
        raise SourceError(error.diagnostics[0].message, stated[1]) from None


def kept_words(source: Source, words: Sequence[str]) -> tuple[str, ...]:
    """The words that say which file it is, as a lock keeps them: its path from the folder of the source."""
    given = [word.removeprefix(OPERATORS) for word in words if word.startswith(OPERATORS)]
    folder = dirname(abspath(source.name))
    return tuple(OPERATORS + Path(relpath(path, folder)).as_posix() for path in given[-1:])


def beside(source: Source, name: str, span: Span | None) -> Path:
    """A file that a source names: in its folder, or below."""
    path = PurePath(name)
    if path.is_absolute() or ".." in path.parts:
        raise SourceError("a file that a source names stands in its folder, or below", span, "move it there")
    return Path(source.name).parent / path
