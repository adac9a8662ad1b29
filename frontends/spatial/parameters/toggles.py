"""Loops whose stages overlap or run one after the other: a Boolean parameter for each such loop of the source.

A loop that is switched off is written with a comment that keeps its toggle for the next reading:

    /* tunepass NAME was HEAD */ Sequential.Foreach        HEAD is what stands there when it is on
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tunepass.diagnostics import Span
from tunepass.ir.hardware import Controller, Schedule
from tunepass.space.configuration import Value

_MARK = re.compile(r"/\* tunepass (?P<name>\w+) was (?P<head>[^*]+) \*/\s*")
_LOOPS = ("foreach", "reduce", "memreduce")


@dataclass(frozen=True, slots=True)
class Toggle:
    """`written` is the text of a head that is on; `edit` what emission replaces: the head, and a mark before it."""

    name: str
    head: Span
    edit: Span
    on: bool
    written: str

    def text(self, value: Value) -> str:
        """The source's text at `edit` that says `value`."""
        if bool(value) == self.on:
            return self.edit.text
        if value:
            return self.written
        was = self.written if "*" not in self.written else _parts(self.written)[-1]  # no comment in the comment
        return f"/* tunepass {self.name} was {was} */ {sequential(self.written)}"


@dataclass(frozen=True, slots=True)
class Mark:
    """The comment before a head that is switched off; `head` is what it keeps."""

    name: str
    head: str
    span: Span


def mark_before(head: Span) -> Mark | None:
    """The mark that ends where `head` begins."""
    text = head.source.text
    start = text.rfind("/*", 0, head.start)
    match = _MARK.fullmatch(text, start, head.start) if start >= 0 else None
    return Mark(match["name"], match["head"], Span(head.source, start, head.start)) if match else None


def toggle_name(called: str) -> str:
    """The name of the toggle of a loop that the source calls so."""
    return "pipeline_" + re.sub(r"[^0-9A-Za-z_]", "_", called.strip("`"))


def sequential(head: str) -> str:
    """The head of a loop, sequential: `Foreach`, `Pipe(ii = 2).Reduce[T]`, `'NAME.Foreach`, `Named("a").Foreach`."""
    *styles, loop = _parts(head)
    names = [part for part in styles if part.startswith(("'", "Named"))]
    return ".".join([*names, "Sequential", loop])


def _parts(head: str) -> list[str]:
    """The text between the dots that stand in no bracket and no string."""
    parts, depth, quoted = [""], 0, False
    for character in head:
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "([{") - (character in ")]}")
        if character == "." and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def with_toggles(
    accel: Controller, switches: Mapping[int, Toggle], unique: Callable[[str], str]
) -> tuple[Controller, tuple[Toggle, ...]]:
    """The controllers with toggles and labels that differ, and the toggles in the order of the source.

    A loop with at least two stages to overlap (a block reduction's accumulation is one) gets a toggle. A loop of a
    function that is inlined several times is one loop of the source: all its controllers follow one toggle.
    """
    starts = sorted({start for controller in accel.walk() for start in _switched(controller)} & switches.keys())
    marked = [start for start in starts if not switches[start].on]  # their names are settled
    names = {start: unique(switches[start].name) for start in dict.fromkeys([*marked, *starts])}
    toggles = tuple(replace(switches[start], name=names[start]) for start in starts)
    return _named(accel, names, set()), toggles


def _switched(controller: Controller) -> Iterator[int]:
    """Where the head of a loop with stages to overlap starts."""
    stages = len(controller.stages) + (controller.kind == "memreduce")
    if _is_pipelined(controller) and stages >= 2 and controller.span is not None:
        yield controller.span.start


def _is_pipelined(controller: Controller) -> bool:
    return controller.kind in _LOOPS and controller.schedule is Schedule.PIPELINED


def _named(controller: Controller, names: Mapping[int, str], labels: set[str]) -> Controller:
    label = _free(controller.label, labels)
    labels.add(label)
    start = controller.span.start if controller.span is not None else -1
    toggle = names.get(start) if _is_pipelined(controller) else None
    stages = tuple(_named(s, names, labels) if isinstance(s, Controller) else s for s in controller.stages)
    return replace(controller, label=label, stages=stages, toggle=toggle)


def _free(name: str, taken: Collection[str]) -> str:
    """`name`, or `name_2` and so on when it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
