"""Writes a scheduled scop as plain C.

Names: a loop keeps its index's, the loop over tiles of `i` is `i_tile`, `i_split` is where unrolled iterations stop and
single ones finish the rest, `i_end` is where a loop whose end has to be worked out ends, `sum` gathers what a vector
loop adds up, in an element for each `lane`. A name that the source already uses gets underscores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.code import (
    Block,
    Code,
    Condition,
    Instance,
    Let,
    Loop,
    Reader,
    Single,
    block,
    instances_in,
    loops_in,
    simplified,
    unrolled,
)
from tunepass.polyhedral.codegen.expressions import Expression, Name, Number, add, printed, substituted
from tunepass.polyhedral.codegen.guard import condition_of, source_lines
from tunepass.polyhedral.codegen.pack import Packing, packed
from tunepass.polyhedral.codegen.replay import keeps_schedule
from tunepass.polyhedral.codegen.schedule import syntax_tree
from tunepass.polyhedral.codegen.sums import Sum, lanes_of
from tunepass.polyhedral.codegen.text import index_type, instance, parameter_texts
from tunepass.polyhedral.codegen.updates import gathered, target_of
from tunepass.polyhedral.schedules.apply import jams_inside, planned
from tunepass.polyhedral.schedules.legality import accumulated, privatizable
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import Band, Tree, bands_in, statements_in
from tunepass.polyhedral.shapes.shapes import subject

INDENT = "    "
SHARES = re.compile(r"\bomp\s+(?!simd\b|atomic\b)\w")  # iterations among threads
Lines = tuple[str, ...]


def rewrite_scop(scop: Scop, plan: Plan, *, numbered: bool, independent: bool = False) -> str:
    """The scop's text under `plan`; `numbered` keeps the source's lines for what the compiler says (`#line`)."""
    tree = planned(scop, plan, independent)
    packing, _ = _generated(scop, plan, independent)
    scop = subject(scop, plan.shape)
    lines = _Writer(scop, jams_inside(tree), numbered, plan, packing).whole(packing.code)
    source = scop.span.source
    first = source.line_text(scop.span.start)
    margin = first[: len(first) - len(first.lstrip())]
    text = "\n".join(row if not row or row.startswith("#line") else margin + row for row in lines).removeprefix(margin)
    if not numbered:
        return text
    return f"{text}\n{_line(source.name, source.position(scop.span.end)[0])}\n"


def is_faithful(scop: Scop, plan: Plan, independent: bool = False) -> bool:
    """Does the text under `plan` run what it should, as far as that is tried? The generator of loops is not ours."""
    return _generated(scop, plan, independent)[1]


@lru_cache(maxsize=16)
def _generated(scop: Scop, plan: Plan, independent: bool) -> tuple[Packing, bool]:
    scop, tree = subject(scop, plan.shape), planned(scop, plan, independent)
    node, bands, schedule = syntax_tree(scop, tree)
    reader = Reader(scop, bands)
    code = reader.code(node)
    packing = packed(scop, tree, plan, code, reader.loops)
    return replace(packing, code=simplified(unrolled(packing.code))), keeps_schedule(scop, schedule, code)


def _line(name: str, number: int) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {number} "{escaped}"'


def _inside(lines: Lines) -> Lines:
    """In braces: one block that is all there is loses its own."""
    if lines and lines[0] == "{" and [n for n, line in enumerate(lines) if line == "}"] == [len(lines) - 1]:
        return lines[1:-1]
    return tuple(line if line.startswith("#line") else INDENT + line for line in lines)


def _renamed(code: Code, values: Mapping[str, Expression], names: Mapping[str, str]) -> Code:
    """A vector loop's instances with these values and these names of their sums."""
    instances = instances_in(code) or ()
    moved = [replace(one, values=tuple(substituted(value, values) for value in one.values)) for one in instances]
    return block([replace(one, gathered=names.get(one.gathered, one.gathered)) for one in moved])


class _Writer:
    """`names` and `types` are of the indices in scope, by the index of the code's tree."""

    def __init__(self, scop: Scop, tree: Tree, numbered: bool, plan: Plan, packing: Packing):
        self.scop, self.tree, self.numbered = scop, tree, numbered
        self.prefetch, self.exact = plan.prefetch, plan.exact
        self.buffers = packing.buffers
        self.statements = {**{s.name: s for s in scop.statements}, **packing.statements}
        self.bands = {
            (band.name, statements_in(band)): band for band in bands_in(self.tree) if band.parallel or band.vectorize
        }
        self.texts = parameter_texts(scop)
        self.sums = 0

    def whole(self, code: Code) -> Lines:
        lines = self.proven(code)
        if not self.scop.condition:
            return lines
        source = source_lines(self.scop)
        other = ("} else {", *_inside((*self.at(self.scop.span.line), *source)), "}")
        return (f"if ({condition_of(self.scop)}) {{", *_inside(lines), *other)

    def proven(self, code: Code) -> Lines:
        """What runs where the scop's condition holds."""
        lines = self.code(code, {}, {})
        if isinstance(code, Loop | Condition) and not self.scop.declarations and not self.scop.after:
            return lines
        return ("{", *_inside((*self.scop.declarations, *lines, *self.scop.after)), "}")

    def at(self, line: int) -> Lines:
        return (_line(self.scop.span.source.name, max(1, line)),) if self.numbered else ()

    def code(self, code: Code, names: Mapping[str, str], types: Mapping[str, str]) -> Lines:
        match code:
            case Instance():
                return self.instance(code, names, types)
            case Block(children):
                return tuple(line for child in children for line in self.code(child, names, types))
            case Condition(condition, then, otherwise):
                head = f"if ({self.printed(condition, names)}) {{"
                lines = (head, *_inside(self.code(then, names, types)))
                other = ("} else {", *_inside(self.code(otherwise, names, types))) if otherwise else ()
                return (*lines, *other, "}")
            case Let():
                return ("{", *_inside(self.let(code, names, types)), "}")
            case Loop():
                return self.loop(code, names, types)
            case Single(body):
                return self.code(body, names, types)
        raise TypeError(code)

    def printed(self, value: Expression, names: Mapping[str, str]) -> str:
        return printed(value, {**self.texts, **names})

    def instance(self, code: Instance, names: Mapping[str, str], types: Mapping[str, str]) -> Lines:
        if code.statement not in self.statements:
            return self.copy(code, names)
        statement = self.statements[code.statement]
        constants, text = self.text(code, names, types)
        text = gathered(text, code.gathered) if code.gathered else text
        lines = (*self.at(statement.span.line), *text.splitlines())
        return ("{", *_inside((*constants, *lines)), "}") if constants else lines

    def copy(self, code: Instance, names: Mapping[str, str]) -> Lines:
        """A buffer's declaration, or the copy of one element to it."""
        word, name = code.statement.split()
        buffer, values = self.buffers[name], tuple(self.printed(value, names) for value in code.values)
        if word == "pack":
            return buffer.declaration(values)
        return (buffer.filled(self.scop.array(buffer.array), values),)

    def text(self, code: Instance, names: Mapping[str, str], types: Mapping[str, str]) -> tuple[Lines, str]:
        statement = self.statements[code.variant or code.statement]
        return instance(self.scop, statement, code.values, {**self.texts, **names}, types)

    def let(self, code: Let, names: Mapping[str, str], types: Mapping[str, str]) -> Lines:
        """Constants, then what they are for; without the braces that keep their names apart."""
        loop = next(part for part in loops_in(code.body) if part.index == code.index)
        index, type_ = self.index(loop.band, names)
        name = self.free(f"{index}_{code.word}", names)
        head = f"const {type_} {name} = {self.printed(code.value, names)};"
        inner, kinds = {**names, code.name: name}, {**types, code.name: type_}
        body = code.body
        return (head, *(self.let(body, inner, kinds) if isinstance(body, Let) else self.code(body, inner, kinds)))

    def index(self, band: Band, names: Mapping[str, str]) -> tuple[str, str]:
        """Its name and type."""
        loop = self.scop.loop(band.name)
        suffix = "_tile" if band.tiles else ""
        plain = loop.index + suffix
        used = set(names.values())
        usable = plain not in used and (not suffix or plain not in self.scop.taken)
        name = plain if usable and not self.is_captured(plain, band) else None
        loops = [self.own_loop(statement, row) for statement, row in band.rows]
        return name or self.free(loop.name + suffix, names), index_type(self.scop, [*filter(None, loops), band.name])

    def is_captured(self, name: str, band: Band) -> bool:
        """True if a statement inside means something else by the name: a variable that it sets itself, say."""
        inside = (s for s in self.scop.statements if s.name in statements_in(band))
        return any(
            name in re.findall(r"[A-Za-z_]\w*", s.text) and name not in {self.scop.loop(n).index for n in s.loops}
            for s in inside
        )

    def own_loop(self, statement: str, row: str) -> str | None:
        words = set(re.findall(r"[A-Za-z_]\w*", row))
        return next((loop for loop in reversed(self.statements[statement].loops) if loop in words), None)

    def free(self, name: str, names: Mapping[str, str]) -> str:
        while name in names.values() or name in self.scop.taken:
            name += "_"
        return name

    def loop(self, code: Loop, names: Mapping[str, str], types: Mapping[str, str]) -> Lines:
        index, type_ = self.index(code.band, names)
        inner, kinds = {**names, code.index: index}, {**types, code.index: type_}
        sums: tuple[Sum, ...] = ()
        if code.band.vectorize:
            code, sums = self.gather(code, inner, kinds)
        if sums:
            return self.lanes(code, sums, index, type_, inner, kinds)
        limit, compare, stop = self.end(code, index, type_, inner)
        advance = f"{index}++" if code.step == 1 else f"{index} += {code.step}"
        before, begun = self.begun(type_, index, self.printed(code.first, inner))
        header = f"for ({begun}; {index} {compare} {stop}; {advance}) {{"
        pragma = self.pragma(code.band)
        line = self.scop.loop(code.band.name).span.line - len(pragma)
        body = (*self.fetches(code, inner, kinds), *self.code(code.body, inner, kinds))
        lines = (*before, *limit, *self.at(line), *pragma, header, *_inside(body), "}")
        return ("{", *_inside(lines), "}") if limit or before else lines

    def begun(self, type_: str, index: str, first: str) -> tuple[Lines, str]:
        """An index's declaration, if it has to stand before its loop, and what the loop's header begins with."""
        if self.scop.headers_declare:
            return (), f"{type_} {index} = {first}"
        return (f"{type_} {index};",), f"{index} = {first}"

    def lanes(
        self,
        code: Loop,
        sums: tuple[Sum, ...],
        index: str,
        type_: str,
        names: Mapping[str, str],
        types: Mapping[str, str],
    ) -> Lines:
        """A vector loop that adds up: groups of iterations, one in each lane, then those left over one by one."""
        limit, compare, stop = self.end(code, index, type_, names)
        count, lane = lanes_of(sums), self.free("lane", names)
        later = {code.index: add(Name(code.index), Name(lane))}
        inner, kinds = {**names, lane: lane}, {**types, lane: type_}
        group = _renamed(code.body, later, {s.name: f"{s.lanes}[{lane}]" for s in sums})
        pragma = self.pragma(code.band)
        line = self.scop.loop(code.band.name).span.line - len(pragma) - 1
        ahead = f"{index} + {count} <= {stop}" if compare == "<" else f"{index} + {count - 1} <= {stop}"
        before, begun = self.begun(type_, lane, "0")
        head = f"for ({begun}; {lane} < {count}; {lane}++) {{"
        whole = (*before, *pragma, head, *_inside(self.code(group, inner, kinds)), "}")
        first = self.printed(code.first, names)
        lines = (
            *(s.begun(count) for s in sums),
            f"{type_} {index} = {first};",
            *self.at(line),
            f"for (; {ahead}; {index} += {count}) {{",
            *_inside(whole),
            "}",
            *(s.joined(count) for s in sums),
            *self.at(line),
            f"for (; {index} {compare} {stop}; {index}++) {{",
            *_inside(self.code(code.body, names, types)),
            "}",
            *self.at(line),
            *(s.addition for s in sums),
        )
        bound = f"({first})" if "?" in first else first
        some = (f"if ({bound} {compare} {stop}) {{", *_inside(lines), "}")  # else what is added to need not exist
        return ("{", *_inside((*limit, *some)), "}") if limit else some

    def fetches(self, code: Loop, names: Mapping[str, str], types: Mapping[str, str]) -> Lines:
        """In an innermost loop that is not vectorized: a word to the cache about the elements of iterations ahead."""
        instances = instances_in(code.body)
        if instances is None or code.band.vectorize or any(one.statement not in self.statements for one in instances):
            return ()
        texts: dict[str, None] = {}
        for array, ahead in self.prefetch:
            later = {code.index: add(Name(code.index), Number(ahead * code.step))}
            for one in instances:
                moved = replace(one, values=tuple(substituted(value, later) for value in one.values))
                element = rf"(?<![\w.]){re.escape(self.scop.array(array).text)}(?:\[[^\[\]]*\])+"
                now, then = (re.findall(element, self.text(part, names, types)[1]) for part in (one, moved))
                texts.update(dict.fromkeys(text for text in then if text not in now))
        return tuple(f"__builtin_prefetch(&{element});" for element in texts)

    def end(self, code: Loop, index: str, type_: str, names: Mapping[str, str]) -> tuple[Lines, str, str]:
        """(a constant for an end that takes work, how the index compares with the end, the end)."""
        last, end = self.printed(code.last, names), self.printed(add(code.last, Number(1)), names)
        compare, stop = ("<", end) if len(end) <= len(last) else ("<=", last)
        if "?" not in stop:
            return (), compare, stop
        name = self.free(f"{index}_end", names)
        return (f"const {type_} {name} = {end};",), "<", name

    def pragma(self, band: Band) -> Lines:
        words = ["parallel for"] * band.parallel + ["simd"] * band.vectorize
        if not words:
            return self.own_pragmas(band)
        known = self.bands[band.name, statements_in(band)]
        private = [self.scop.array(name) for name in privatizable(self.scop, self.tree, known)]
        private_names = sorted(array.text for array in private if array.element)  # memory without a name has none
        clauses = [f"private({', '.join(private_names)})"] if private_names else []
        return (" ".join(["#pragma omp", *words, *clauses]),)

    def own_pragmas(self, band: Band) -> Lines:
        """The source's own before this piece of their loop: what shares iterations among threads before the outermost,
        what is said of iterations before the loop over points."""
        tiled = any(other.tiles and other.name == band.name for other in bands_in(self.tree))
        pragmas = self.scop.loop(band.name).pragmas
        return tuple(p for p in pragmas if (band.tiles or not tiled if SHARES.search(p) else not band.tiles))

    def gather(self, code: Loop, names: Mapping[str, str], types: Mapping[str, str]) -> tuple[Loop, tuple[Sum, ...]]:
        """A vector loop with its updates of one element gathered in variables; no vector loop where they cannot be."""
        plain = replace(code, band=replace(code.band, vectorize=False))
        instances = instances_in(code.body)
        chosen = accumulated(self.scop, self.tree, self.bands[code.band.name, statements_in(code.band)])
        if self.exact and not chosen:
            return code, ()
        if instances is None or code.step != 1:
            return plain, ()
        sums: list[Sum] = []
        changed: list[Code] = []
        for one in instances:
            if one.statement not in chosen:
                changed.append(one)
                continue
            total = self.sum(one, f"sum{len(sums) + 1}" if len(instances) > 1 else "sum", names, types)
            if total is None or re.search(rf"\b{names[code.index]}\b", total.target):
                return plain, ()
            sums.append(total)
            changed.append(replace(one, gathered=total.name))
        return replace(code, body=block(changed)), tuple(sums)

    def sum(self, code: Instance, name: str, names: Mapping[str, str], types: Mapping[str, str]) -> Sum | None:
        constants, text = self.text(code, names, types)
        target = target_of(text)
        if constants or target is None:
            return None
        access = next(a for a in self.statements[code.statement].accesses if a.update is not None)
        element = self.scop.array(access.array).element
        lanes = self.free(name.replace("sum", "sums"), names)
        return Sum(self.free(name, names), lanes, access.update or "+", element, target, access.element_byte)
