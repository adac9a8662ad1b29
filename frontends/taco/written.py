"""What the statements of a .taco file say, as written: no name is looked up."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.ir.tensor import Access


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class FormatWord:
    """A word after a tensor: `dense`, `ds`, `ds:1,0`, `double`. `order` is empty where none is written."""

    text: str
    order: tuple[int, ...]
    span: Span
    packed: bool = False  # with the bounds of TACO's packs


@dataclass(frozen=True, slots=True)
class Declaration:
    """`tensor B(i,j) = ds double`."""

    access: Access
    words: tuple[FormatWord, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """Of a directive: its text and where it stands; of `{a, b}` and `name(a, b)` also what is in the brackets."""

    text: str
    span: Span
    head: str | None = None  # the name before the bracket, empty before a list
    inner: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenDirective:
    name: str
    arguments: tuple[Argument, ...]
    name_span: Span
    span: Span
