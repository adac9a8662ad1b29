"""Files of its folder that a Python command reads, as far as its words and the sources' imports tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunepass.evaluators.toolchains.digests import content_digest, signature
from tunepass.evaluators.toolchains.source_files import FileRead, shown_name
from tunepass.machine_faults import raise_machines
from tunepass.python_text import NOT_PYTHON, module_tree
from tunepass.study.manifest import Kind, Part

MOST = 1000  # files


def python_files(source: Path, text: str, words: Sequence[str]) -> tuple[FileRead, ...]:
    """Files that the words name, and the modules beside the source that it, or one of those, imports; not the source
    itself."""
    folder = source.absolute().parent
    named = [path for word in words if word and (path := folder / word.rpartition("=")[2]).is_file()]
    waiting, files = [(source.absolute(), text), *((path, _text(path)) for path in named)], dict.fromkeys(named)
    while waiting and len(files) < MOST:
        path, content = waiting.pop()
        for module in _modules(path, content, folder):
            if module not in files and module != source.absolute():
                files[module] = None
                waiting.append((module, _text(module)))
    return tuple(_read(path, folder) for path in files if path != source.absolute())


def _modules(path: Path, text: str, folder: Path) -> Iterator[Path]:
    """The files of the modules that a source imports, those that are in the folder or beside it."""
    try:
        tree = module_tree(text)
    except NOT_PYTHON:
        return  # no Python
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(folder, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if 0 < node.level <= len(path.parents) else folder
            names = node.module.split(".") if node.module else []
            yield from _files(start, names)
            for alias in node.names:
                yield from _files(start, [*names, alias.name])


def _files(start: Path, names: Sequence[str]) -> Iterator[Path]:
    """`a.b` is a/b.py, or a/b/__init__.py and a/__init__.py."""
    for count in range(1, len(names) + 1):
        place = start.joinpath(*names[:count])
        for path in (place.with_name(place.name + ".py"), place / "__init__.py"):
            if path.is_file():
                yield path


def _text(path: Path) -> str:
    """Text of a Python source, else an empty text: data has no imports."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.suffix == ".py" else ""
    except OSError as error:
        raise_machines(error)
        return ""


def _read(path: Path, folder: Path) -> FileRead:
    before = signature(path)  # first: a change while it is read shows later
    kind: Kind = "source" if path.suffix == ".py" else "file"
    return FileRead(path, Part(kind, shown_name(path, str(folder)), content_digest(path)), before)
