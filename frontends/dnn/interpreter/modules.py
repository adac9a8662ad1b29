"""The files that a source imports: of its own folder, or of the package that it is in. They are read, never executed.

A file is read once a name of it is needed. Its statements have lines of their own, behind those of the files read
before, so that a line tells the file.
"""

from __future__ import annotations

import ast
import os
import sys
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.files import read_utf8
from tunepass.frontends.dnn.interpreter.values import Module, Unknown
from tunepass.python_text import module_tree

SIZE_LIMIT = 1 << 20  # bytes of a file
MOST = 200  # files
FRAMEWORKS = frozenset({"torch", "tensorflow", "keras", "numpy", "jax", "flax"})  # known by their names, not followed


class Modules:
    """`files` are those that were read besides the source, in their order."""

    def __init__(self, source: Source):
        self.source = source
        self.folder = Path(os.path.abspath(source.name)).parent
        self.root, self.package = _package(self.folder)
        self._real = self.root.resolve()
        self.files: list[Source] = []
        self._known: dict[Path, Module] = {}
        self._texts = [_Lines(source, 0)]
        self._firsts = [0]

    # Places

    def at(self, line: int) -> _Lines:
        """The text that a line of a statement is of."""
        return self._texts[bisect_right(self._firsts, line - 1) - 1]

    def is_source(self, node: ast.AST) -> bool:
        """Whether the node stands in the source itself, the one that is tuned."""
        return len(self._firsts) == 1 or int(getattr(node, "lineno", 1)) <= self._firsts[1]

    # Imports

    def imported(self, node: ast.ImportFrom) -> Module | Unknown | None:
        """The module that names are taken of. None: it is none of the source's folder or package."""
        names = node.module.split(".") if node.module else []
        if node.level == 0:
            return self.absolute(names)
        here = Path(os.path.abspath(self.at(node.lineno).source.name)).parent
        for _ in range(node.level - 1):
            if here == self.root:
                return None
            here = here.parent
        return self._descended(here, names)

    def absolute(self, names: Sequence[str]) -> Module | Unknown | None:
        """`a.b` beside the source, or of its package; what a framework is called is that framework."""
        if names[0] == self.package:
            found = self._descended(self.root, names[1:])
            beside = isinstance(found, Module) and found.path is not None and found.path.parent == self.folder
            return found if self.package not in FRAMEWORKS or beside else None
        if names[0] in FRAMEWORKS or names[0] in sys.stdlib_module_names:
            return None
        return self._descended(self.folder, names)

    def _descended(self, folder: Path, names: Sequence[str]) -> Module | Unknown | None:
        found: Module | Unknown | None = self._module(folder)
        for name in names:
            if not isinstance(found, Module):
                return found
            found = self.below(found, name)
        return found

    def below(self, module: Module, name: str) -> Module | Unknown | None:
        """The module of that name in the folder of a package."""
        if module.folder is None:
            return None
        package, file = module.folder / name, module.folder / f"{name}.py"
        for path, start in ((package, package / "__init__.py"), (file, file), (package, package)):
            if start.exists() and start.is_dir() == (start == package):
                if not start.resolve().is_relative_to(self._real):
                    return Unknown(f"`{name}` is a link that leads out of the source's folder")
                return self._module(path)
        return None

    def _module(self, path: Path) -> Module:
        if path not in self._known:
            folder = path.is_dir()
            start = path / "__init__.py" if folder else path
            self._known[path] = Module(path.stem, start if start.is_file() else None, path if folder else None)
        return self._known[path]

    # Texts

    def tree(self, module: Module, wanted_by: Span) -> list[ast.stmt]:
        """The statements of a module's file. SourceError at its line for what is not Python."""
        if module.path is None:
            return []
        if len(self.files) >= MOST:
            raise SourceError(f"more than {MOST} files are imported", wanted_by)
        shown = str(module.path) if os.path.isabs(self.source.name) else os.path.relpath(module.path)
        source = Source(shown, read_utf8(module.path, SIZE_LIMIT, SourceError))
        first = self._firsts[-1] + self._texts[-1].count
        self.files.append(source)
        self._firsts.append(first)
        self._texts.append(_Lines(source, first))
        return parsed(source, first).body


class _Lines:
    """A text whose first line follows the line `first`."""

    def __init__(self, source: Source, first: int):
        self.source, self.first = source, first
        self.starts = [0]
        for line in source.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    @property
    def count(self) -> int:
        return len(self.starts)

    def span(self, node: ast.AST) -> Span:
        line = int(getattr(node, "lineno", self.first + 1))
        end = int(getattr(node, "end_lineno", None) or line)
        start = self._offset(line - self.first, getattr(node, "col_offset", 0))
        if end == line:
            stop = self._offset(line - self.first, getattr(node, "end_col_offset", 0) or 0)
        else:  # the first line is enough to show
            following = line - self.first
            stop = self.starts[following] - 1 if following < len(self.starts) else len(self.source.text)
        return Span(self.source, start, max(stop, start + 1))

    def _offset(self, line: int, column: int) -> int:
        """Columns of `ast` are bytes."""
        start = self.starts[line - 1]
        text = self.source.text[start : self.starts[line] if line < len(self.starts) else len(self.source.text)]
        return start + len(text.encode()[:column].decode(errors="ignore"))


def parsed(source: Source, first: int = 0) -> ast.Module:
    """The statements of a text, with lines that follow `first`. SourceError at the place for what is not Python."""
    if len(source.text) > SIZE_LIMIT:
        raise SourceError(f"{source.name} is too large to be a model ({SIZE_LIMIT >> 10} KiB)")
    try:
        return module_tree("\n" * first + source.text)
    except SyntaxError as error:
        line, column = (error.lineno or 1) - first, error.offset or 1
        start = sum(len(text) for text in source.text.splitlines(keepends=True)[: line - 1]) + column - 1
        span = Span(source, min(start, len(source.text)), min(start, len(source.text)) + 1)
        raise SourceError(f"this is not Python: {error.msg}", span) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(f"{source.name} is not Python: {error}", source.span(0, 1)) from None


def _package(folder: Path) -> tuple[Path, str]:
    """The outermost package that a folder is in, and its name; else the folder, and no name."""
    root, name = folder, ""
    for place in (folder, *folder.parents):
        if not (place / "__init__.py").is_file():
            break
        root, name = place, place.name
    return root, name
