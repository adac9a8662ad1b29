"""Writes a scheduled loop nest as plain C.

Names: of index `i`, `i_tile` starts a tile and `i_end` ends it; `i_split` is where unrolled iterations stop and single
ones finish the rest; `i_base` steps over the unrolled ones if `i` itself cannot. A name that the source already uses
gets underscores.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.ir.loops import Loop, Nest
from tunepass.ir.schedule import Step, plan
from tunepass.space.configuration import Value

INDENT = "    "
SHARES = re.compile(r"\bomp\s+(?!simd\b|atomic\b)\w")  # iterations among threads
Copies = tuple[tuple[Step, int], ...]
"""The iterations, counted from the base, of an unrolled loop that the body is written for."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of C; `single` if they are one statement that may stand without braces, `declares` if they add names."""

    lines: tuple[str, ...]
    single: bool
    declares: bool = False

    def alone(self) -> tuple[str, ...]:
        """The lines beside others of their kind: names they declare stay inside braces."""
        return ("{", *self.inside(), "}") if self.declares else self.lines

    def inside(self) -> tuple[str, ...]:
        return tuple(line if line.startswith("#line") else INDENT + line for line in self.lines)


@dataclass(frozen=True, slots=True)
class PointRange:
    """Where the points of a loop run now; `ascending` if start is known to come before end, or at it."""

    start: str
    end: str
    ascending: bool


def rewrite(nest: Nest, values: Mapping[str, Value], *, numbered: bool) -> str:
    """The nest's text under `values`; `numbered` keeps the source's lines for what the compiler says (`#line`)."""
    writer = _Writer(nest, numbered)
    block = writer.loops(plan(nest, values), {loop.index: _whole(loop) for loop in nest.loops}, ())
    lines = block.lines if block.single else ("{", *block.inside(), "}")
    source = nest.span.source
    line = source.line_text(nest.span.start)
    margin = line[: len(line) - len(line.lstrip())]
    text = "\n".join(row if not row or row.startswith("#line") else margin + row for row in lines)
    text = text.removeprefix(margin)  # the source has it already
    if not numbered:
        return text
    after = source.position(nest.span.end)[0]
    return f"{text}\n{_line(source.name, after)}\n"


def describe(nest: Nest, values: Mapping[str, Value]) -> str:
    """What was done, for a comment: `i_tile, k_tile, i, k, j; tiles of 32 i, 64 k; k unrolled by 4`."""
    steps = plan(nest, values)
    parts = [", ".join(s.loop.tile if s.over_tiles else s.loop.index for s in steps)]
    tiles = [f"{s.tile} {s.loop.index}" for s in steps if s.over_tiles]
    parts += [f"tiles of {', '.join(tiles)}"] if tiles else []
    for s in steps:
        if s.copies > 1:
            parts.append(f"{s.loop.index} unrolled{' and jammed' if s.jam else ''} by {s.copies}")
        parts += [f"{s.loop.index} vectorized"] if s.vectorize else []
        parts += [f"{s.loop.index} parallel"] if s.parallel else []
    return "; ".join(parts)


def own_pragmas(step: Step) -> tuple[str, ...]:
    """The source's own that stand before this piece of their loop: before the tiles, or before the points."""
    outermost = step.over_tiles or step.tile == 1
    return tuple(p for p in step.loop.pragmas if (outermost if SHARES.search(p) else not step.over_tiles))


def _whole(loop: Loop) -> PointRange:
    return PointRange(loop.start, loop.end, loop.start == "0" and not loop.down)


def _line(name: str, number: int) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {number} "{escaped}"'


def _group(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _moved(text: str, distance: int, down: bool) -> str:
    """`text` that many iterations' steps further on."""
    return text if distance == 0 else f"{text} {'-' if down else '+'} {distance}"


class _Writer:
    def __init__(self, nest: Nest, numbered: bool):
        self.nest, self.numbered = nest, numbered

    def name(self, loop: Loop, suffix: str) -> str:
        name = f"{loop.index}_{suffix}"
        while name in self.nest.taken:
            name += "_"
        return name

    def at(self, line: int) -> tuple[str, ...]:
        return (_line(self.nest.span.source.name, line),) if self.numbered else ()

    def loops(self, steps: Sequence[Step], ranges: Mapping[str, PointRange], pending: tuple[Copies, ...]) -> CodeBlock:
        """The loops of `steps` around the body; `pending` are the copies that the body is still to be written for."""
        if not steps:
            return self.innermost(pending)
        step, rest = steps[0], steps[1:]
        if step.over_tiles:
            return self.tiles(step, rest, ranges, pending)
        if step.copies == 1:
            span = ranges[step.loop.index]
            inner = self.loops(rest, ranges, pending)
            return self.loop(step, step.loop.index, span.start, span.end, step.loop.step, inner)
        return self.unrolled(step, rest, ranges, pending)

    def loop(self, step: Step, index: str, start: str, end: str, by: int, inner: CodeBlock) -> CodeBlock:
        loop = step.loop
        compare, sign = (">", "-") if loop.down else ("<", "+")
        advance = f"{index}{sign}{sign}" if by == 1 else f"{index} {sign}= {by}"
        header = f"for ({loop.type} {index} = {start}; {index} {compare} {end}; {advance})"
        words = ["parallel for"] * step.parallel + ["simd"] * step.vectorize
        pragmas = (f"#pragma omp {' '.join(words)}",) if words else own_pragmas(step)
        line = loop.span.line if loop.span else 1
        head = (*self.at(max(1, line - len(pragmas))), *pragmas)
        if inner.single and inner.lines[0].startswith("{"):
            return CodeBlock((*head, f"{header} {inner.lines[0]}", *inner.lines[1:]), not pragmas)
        if inner.single:
            return CodeBlock((*head, header, *inner.inside()), not pragmas)
        return CodeBlock((*head, f"{header} {{", *inner.inside(), "}"), not pragmas)

    def tiles(
        self, step: Step, rest: Sequence[Step], ranges: Mapping[str, PointRange], pending: tuple[Copies, ...]
    ) -> CodeBlock:
        loop, span = step.loop, ranges[step.loop.index]
        tile, end = self.name(loop, "tile"), self.name(loop, "end")
        by = step.tile * loop.step
        stop, compare = _moved(tile, by, loop.down), ">" if loop.down else "<"
        limit = f"const {loop.type} {end} = {stop} {compare} {span.end} ? {stop} : {span.end};"
        inner = self.loops(rest, {**ranges, loop.index: PointRange(tile, end, True)}, pending)
        return self.loop(step, tile, span.start, span.end, by, CodeBlock((limit, *inner.lines), False))

    def unrolled(
        self, step: Step, rest: Sequence[Step], ranges: Mapping[str, PointRange], pending: tuple[Copies, ...]
    ) -> CodeBlock:
        """The loop over whole groups of copies, then the loop over what they leave."""
        loop, span = step.loop, ranges[step.loop.index]
        by = step.copies * loop.step
        split = self.name(loop, "split")
        limit = f"const {loop.type} {split} = {self.split(loop, span, by)};"
        if step.jam:
            inner = self.loops(rest, ranges, (*pending, tuple((step, u) for u in range(step.copies))))
        else:
            copies = [self.loops(rest, ranges, (*pending, ((step, u),))) for u in range(step.copies)]
            inner = CodeBlock(tuple(itertools.chain(*(copy.alone() for copy in copies))), False)
        main = self.loop(step, self.base(loop), span.start, split, by, inner)
        left = replace(step, parallel=False, vectorize=False)
        remainder = self.loop(left, loop.index, split, span.end, loop.step, self.loops(rest, ranges, pending))
        return CodeBlock((limit, *main.lines, *remainder.lines), False, declares=True)

    def base(self, loop: Loop) -> str:
        """The index of unrolled iterations: the loop's own where the body's uses of it can be rewritten."""
        return loop.index if self.nest.uses is not None else self.name(loop, "base")

    def split(self, loop: Loop, span: PointRange, by: int) -> str:
        """start + floor((end - start) / by) * by, guarded where the range may be empty the wrong way round."""
        if span.start == "0" and not loop.down:
            return f"{_group(span.end)} / {by} * {by}"
        first, last = (span.end, span.start) if loop.down else (span.start, span.end)
        whole = f"{span.start} {'-' if loop.down else '+'} ({_group(last)} - {_group(first)}) / {by} * {by}"
        if span.ascending or re.fullmatch(r"[-+*/%()\s\d]*", span.start + span.end):
            return whole
        return f"{_group(first)} < {_group(last)} ? {whole} : {span.start}"

    def innermost(self, pending: tuple[Copies, ...]) -> CodeBlock:
        """The body, once for every combination of copies of the unrolled loops around it."""
        line = self.at(self.nest.body.line)
        blocks = [self.copy(numbers, line) for numbers in itertools.product(*pending)]
        if len(blocks) == 1:
            return blocks[0]
        return CodeBlock(tuple(itertools.chain(*(block.alone() for block in blocks))), False)

    def copy(self, numbers: Sequence[tuple[Step, int]], line: tuple[str, ...]) -> CodeBlock:
        """The body some iterations further on: with its indices replaced, else with constants of their names."""
        if self.nest.uses is not None:
            moves = {
                step.loop.index: f"({_moved(step.loop.index, number * step.loop.step, step.loop.down)})"
                for step, number in numbers
                if number
            }
            return CodeBlock((*line, *_body(self.nest, moves)), True)
        bound = [
            f"const {step.loop.type} {step.loop.index} = "
            f"{_moved(self.base(step.loop), number * step.loop.step, step.loop.down)};"
            for step, number in numbers
        ]
        return CodeBlock((*bound, *line, *_body(self.nest, {})), not bound, declares=bool(bound))


def _body(nest: Nest, moves: Mapping[str, str]) -> tuple[str, ...]:
    """The body's lines, some indices replaced, moved to the margin unless something in it would notice."""
    text, start = nest.body.text, nest.body.start
    for index, offset in reversed(nest.uses or ()):
        if index in moves:
            position = offset - start
            text = text[:position] + moves[index] + text[position + len(index) :]
    if re.search(r'R"|\\\r?\n', text):
        return tuple(text.splitlines())
    first, newline, rest = text.partition("\n")
    if first.startswith("{"):
        return (first, *textwrap.dedent(rest).splitlines())
    margin = " " * (nest.body.column - 1)
    return tuple(textwrap.dedent(margin + first + newline + rest).splitlines())
