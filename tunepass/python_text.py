"""Other people's Python as trees. What Python only warns of in it (`"\\d"`) is for its authors, and not told."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)  # how text ends that has no tree
_filters = threading.Lock()  # those of warnings are the whole process's


def module_tree(text: str) -> ast.Module:
    """The statements of a text. Raises one of `NOT_PYTHON`."""
    with _no_warnings():
        return ast.parse(text)


def expression_tree(text: str) -> ast.expr:
    """The expression that a text is, spaces around it aside. Raises one of `NOT_PYTHON`."""
    with _no_warnings():
        return ast.parse(text.strip(), mode="eval").body


@contextmanager
def _no_warnings() -> Iterator[None]:
    with _filters, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
