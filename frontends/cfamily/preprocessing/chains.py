"""The `#if`s of a text, each with its `#elif`s, `#else` and `#endif`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tunepass.frontends.cfamily.text.raw import Directive

OPENING = frozenset({"if", "ifdef", "ifndef"})
FURTHER = frozenset({"elif", "elifdef", "elifndef", "else"})
CLOSING = "endif"
CONDITIONS = OPENING | FURTHER | {CLOSING}


@dataclass(frozen=True, slots=True)
class Chain:
    """An `#if` with its other directives, of which `#endif` is the last where it is `closed`.

    `around` is the place, in the list of all, of the one that it stands in, and in which branch of that.
    """

    directives: tuple[Directive, ...]
    around: tuple[int, int] | None
    closed: bool

    @property
    def start(self) -> int:
        return self.directives[0].start

    @property
    def heads(self) -> tuple[Directive, ...]:
        """The directives that begin its branches."""
        return self.directives[: len(self.directives) - self.closed]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Of its branches but `#else`; `#ifdef X` is `defined(X)`."""
        return tuple(condition_of(head) for head in self.heads if head.kind != "else")

    def branches(self) -> Iterator[tuple[Directive, int]]:
        """The directive that begins each branch, and where the branch ends; -1: at the end of the text."""
        ends = [directive.start for directive in self.directives[1:]] + [-1]
        return zip(self.heads, ends)


def chains(directives: Iterable[Directive]) -> list[Chain]:
    """In the order of their `#if`s, so that outer ones come first."""
    found: list[tuple[list[Directive], tuple[int, int] | None]] = []
    opened: list[int] = []
    for directive in directives:
        if directive.kind in OPENING:
            around = (opened[-1], len(found[opened[-1]][0]) - 1) if opened else None
            opened.append(len(found))
            found.append(([directive], around))
        elif directive.kind in CONDITIONS and opened:
            found[opened[-1]][0].append(directive)
            if directive.kind == CLOSING:
                opened.pop()
    return [Chain(tuple(listed), around, listed[-1].kind == CLOSING) for listed, around in found]


def branch_around(listed: Sequence[Chain], place: int) -> tuple[int, int] | None:
    """The innermost chain around a place, by its place in the list, and the branch."""
    for number in range(len(listed) - 1, -1, -1):
        chain = listed[number]
        if chain.start <= place and (not chain.closed or place < chain.directives[-1].start):
            return number, sum(head.start <= place for head in chain.heads) - 1
    return None


def condition_of(directive: Directive) -> str:
    """What `#if`, `#ifdef` and the like ask."""
    if not directive.kind.endswith("def"):
        return directive.body
    name = directive.body.split()[0] if directive.body else "0"
    return f"{'!' if directive.kind.endswith('ndef') else ''}defined({name})"
