"""Generated code as a tree: isl's, with the loops' directives at hand, and unrolled copies written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.expressions import (
    Expression,
    Name,
    Number,
    Operation,
    add,
    extreme,
    names_in,
    read,
    slope,
)
from tunepass.polyhedral.codegen.expressions import substituted as moved
from tunepass.polyhedral.schedules.tree import Band

if TYPE_CHECKING:
    import islpy as isl


@dataclass(frozen=True, slots=True)
class Instance:
    """A statement at these values of its own indices. `gathered` is the variable that its update goes to instead;
    `variant` names its text where that reads buffers (pack.py)."""

    statement: str
    values: tuple[Expression, ...]
    gathered: str = ""
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One after the other. `pieces` are of one loop, which isl took apart."""

    children: tuple[Code, ...]
    pieces: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    condition: Expression
    then: Code
    otherwise: Code | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """From `first` to `last` (both inside) by `step`; `band` says which loop of the tree this is, or a part of."""

    index: str
    first: Expression
    last: Expression
    step: int
    body: Code
    band: Band


@dataclass(frozen=True, slots=True)
class Let:
    """A constant of generated code, for what follows it in `body`."""

    name: str
    value: Expression
    body: Code
    index: str  # what it bounds
    word: str  # ends its name


@dataclass(frozen=True, slots=True)
class Single:
    """The only iteration of a loop that isl does not write. Its index depends on `names`."""

    body: Code
    names: tuple[Expression, ...]


Code = Instance | Block | Condition | Loop | Let | Single


def block(children: Sequence[Code]) -> Code:
    """The children in a row, blocks among them opened: not pieces of one loop, which stay together."""
    flat: list[Code] = []
    for child in children:
        flat += child.children if isinstance(child, Block) and not child.pieces else [child]
    return flat[0] if len(flat) == 1 else Block(tuple(flat))


class Reader:
    """From isl's tree: marks name the bands; every loop gets an index of its own, also one of a single iteration for
    which isl writes no loop: copies of a loop around it must not run side by side inside where its value differs."""

    def __init__(self, scop: Scop, bands: Sequence[Band], loops: int = 0):
        self.bands, self.loops = bands, loops
        self.loops_of = {statement.name: statement.loops for statement in scop.statements}

    def code(self, node: isl.AstNode, band: Band | None = None) -> Code:
        import islpy as isl

        kinds = isl.ast_node_type
        match node.get_type():
            case kinds.mark:
                marked = self.bands[int(node.mark_get_id().get_name()[1:])]
                code = self.code(node.mark_get_node(), marked)
                return code if band is None else self.single(code, band)
            case kinds.block:
                children = node.block_get_children()
                parts = [self.code(children.get_at(n), band) for n in range(children.n_ast_node())]
                return Block(tuple(parts), pieces=True) if band is not None else block(parts)
            case kinds.if_:
                otherwise = self.code(node.if_get_else_node(), band) if node.if_has_else_node() else None
                return Condition(read(node.if_get_cond()), self.code(node.if_get_then_node(), band), otherwise)
            case kinds.user:
                call = node.user_get_expr()
                values = tuple(read(call.get_op_arg(n)) for n in range(1, call.get_op_n_arg()))
                instance = Instance(call.get_op_arg(0).get_id().get_name(), values)
                return instance if band is None else self.single(instance, band)
        return self.loop(node, band)

    def single(self, body: Code, band: Band) -> Code:
        """Around the body of a loop that isl did not write."""
        inside = {loop.index for loop in loops_in(body)}
        values = [value for one in instances_below(body) for value in self.values_of(one, band)]
        names = frozenset[str]().union(*map(names_in, values)) - inside
        return Single(body, tuple(Name(name) for name in sorted(names)))

    def values_of(self, instance: Instance, band: Band) -> list[Expression]:
        """Values of the statement's own indices that decide the band's."""
        words = set(re.findall(r"[A-Za-z_]\w*", dict(band.rows).get(instance.statement, "")))
        loops = self.loops_of.get(instance.statement, ())
        return [value for loop, value in zip(loops, instance.values) if loop in words]

    def loop(self, node: isl.AstNode, band: Band | None) -> Code:
        index = node.for_get_iterator().get_id().get_name()
        first = read(node.for_get_init())
        body = node.for_get_body()
        self.loops += 1
        name = f"{index}.{self.loops}"
        assert band is not None
        inside = substituted(self.code(body), {index: Name(name)})
        if node.for_is_degenerate():
            return Loop(index=name, first=first, last=first, step=1, body=inside, band=replace(band, copies=1))
        condition = node.for_get_cond()
        end = read(condition.get_op_arg(1))
        strict = condition.get_op_type().name == "lt"
        return Loop(
            index=name,
            first=first,
            last=add(end, Number(-1)) if strict else end,
            step=int(str(node.for_get_inc().get_val())),
            body=inside,
            band=band,
        )


def instances_below(code: Code) -> Iterator[Instance]:
    """Every instance, in the order of the text."""
    match code:
        case Instance():
            yield code
        case Block(children):
            for child in children:
                yield from instances_below(child)
        case Condition(then=then, otherwise=otherwise):
            yield from instances_below(then)
            if otherwise is not None:
                yield from instances_below(otherwise)
        case Let(body=body) | Loop(body=body) | Single(body):
            yield from instances_below(body)


def instances_in(code: Code) -> tuple[Instance, ...] | None:
    """Of code that is nothing else."""
    match code:
        case Instance():
            return (code,)
        case Block(children) if all(isinstance(child, Instance) for child in children):
            return tuple(child for child in children if isinstance(child, Instance))
    return None


def loops_in(code: Code) -> Iterator[Loop]:
    """Every loop, outer ones first."""
    match code:
        case Block(children):
            for child in children:
                yield from loops_in(child)
        case Condition(then=then, otherwise=otherwise):
            yield from loops_in(then)
            if otherwise is not None:
                yield from loops_in(otherwise)
        case Let(body=body) | Single(body):
            yield from loops_in(body)
        case Loop(body=body):
            yield code
            yield from loops_in(body)


def simplified(code: Code) -> Code:
    """Without loops of one iteration, and blocks in blocks."""
    match code:
        case Block(children):
            return block([simplified(child) for child in children])
        case Condition(condition, then, otherwise):
            return Condition(condition, simplified(then), simplified(otherwise) if otherwise else None)
        case Let(body=body):
            return replace(code, body=simplified(body))
        case Single(body):
            return simplified(body)
        case Loop(index=index, first=first, last=last, body=body) if first == last:
            return simplified(substituted(body, {index: first}))
        case Loop(body=body):
            return replace(code, body=simplified(body))
    return code


def substituted(code: Code, values: Mapping[str, Expression]) -> Code:
    match code:
        case Instance(values=instance_values):
            return replace(code, values=tuple(moved(value, values) for value in instance_values))
        case Block(children):
            return replace(code, children=tuple(substituted(child, values) for child in children))
        case Condition(condition, then, otherwise):
            other = substituted(otherwise, values) if otherwise else None
            return Condition(moved(condition, values), substituted(then, values), other)
        case Let(value=value, body=body):
            return replace(code, value=moved(value, values), body=substituted(body, values))
        case Single(body, names):
            return Single(substituted(body, values), tuple(moved(name, values) for name in names))
        case Loop(first=first, last=last, body=body):
            first, last = moved(first, values), moved(last, values)
            return replace(code, first=first, last=last, body=substituted(body, values))
    raise TypeError(code)


def unrolled(code: Code) -> Code:
    """With the copies of every loop written out, outer ones first, and the loops over what they leave."""
    match code:
        case Block(children):
            return replace(code, children=tuple(unrolled(child) for child in children))
        case Condition(condition, then, otherwise):
            return Condition(condition, unrolled(then), unrolled(otherwise) if otherwise else None)
        case Let(body=body) | Single(body):
            return replace(code, body=unrolled(body))
        case Loop(band=band, step=step) if band.peel > 0 or (band.peel < 0 and step == 1):
            return unrolled(_peeled(replace(code, band=replace(band, peel=0)), band.peel))
        case Loop(band=band) if band.copies > 1:
            return unrolled(_copied(replace(code, band=replace(band, copies=1)), band.copies))
        case Loop(body=body):
            return replace(code, body=unrolled(body))
    return code


def _peeled(loop: Loop, iterations: int) -> Code:
    """The first iterations apart from the rest; the last ones where the number is negative."""
    distance = Number(abs(iterations) * loop.step)
    few = replace(loop.band, copies=1, parallel=False, vectorize=False)
    if iterations > 0:
        start = add(loop.first, distance)
        ends = extreme("min", loop.last, add(start, Number(-1)))
        return Block((replace(loop, last=ends, band=few), replace(loop, first=start)), pieces=True)
    end = add(loop.last, Number(-distance.value))
    starts = extreme("max", loop.first, add(end, Number(1)))
    return Block((replace(loop, last=end), replace(loop, first=starts, band=few)), pieces=True)


def _copied(loop: Loop, copies: int) -> Code:
    """Groups of `copies` iterations, then those left over one by one."""
    if isinstance(loop.last, Operation) and loop.last.operator in ("min", "max", "?:", "floor"):
        end = Name(f"{loop.index}.end")
        bounded = replace(loop, last=add(end, Number(-1)))
        return Let(end.name, add(loop.last, Number(1)), _copied(bounded, copies), loop.index, "end")
    index, by = Name(loop.index), copies * loop.step
    split = Name(f"{loop.index}.split")
    values = [add(index, Number(number * loop.step)) for number in range(copies)]
    body = (
        jammed(loop.body, loop.index, values)
        if loop.band.jam
        else block([substituted(loop.body, {loop.index: value}) for value in values])
    )
    groups = replace(loop, last=add(split, Number(-1)), step=by, body=body)
    rest = replace(loop, first=split, band=replace(loop.band, parallel=False, vectorize=False))
    return Let(split.name, _split(loop, copies), block([groups, rest]), loop.index, "split")


def _split(loop: Loop, copies: int) -> Expression:
    """Where whole groups end: first + floor((last - first + step) / by) * by, or first where there are none."""
    by, end = Number(copies * loop.step), add(loop.last, Number(loop.step))
    length = end if loop.first == Number(0) else Operation("-", (end, loop.first))
    whole = Operation("*", (Operation("/", (length, by)), by))
    split = whole if loop.first == Number(0) else add(loop.first, whole)
    return Operation("?:", (Operation("<", (loop.first, end)), split, loop.first))


def jammed(code: Code, index: str, values: Sequence[Expression]) -> Code:
    """`code` once for each of the index's values, side by side in its innermost loops.

    Where a loop inside runs over a range that moves with the index, the copies share the part that all have; each
    runs the rest by itself, before and after.
    """
    match code:
        case Block(children) if not code.pieces or not _moves(children, index):
            return replace(code, children=tuple(jammed(child, index, values) for child in children))
        case Condition(condition, then, otherwise) if index not in names_in(condition):
            other = jammed(otherwise, index, values) if otherwise else None
            return Condition(condition, jammed(then, index, values), other)
        case Single(body, names) if all(index not in names_in(name) for name in names):
            return replace(code, body=jammed(body, index, values))
        case Let(value=value, body=body) if index not in names_in(value):
            return replace(code, body=jammed(body, index, values))
        case Loop(first=first, last=last, body=body):
            if index not in names_in(first) | names_in(last):
                return replace(code, body=jammed(body, index, values))
            low, high = slope(first, index), slope(last, index)
            if code.step == 1 and first != last and low is not None and high is not None:
                return _shared(code, index, values, low, high)
    return block([substituted(code, {index: value}) for value in values])


def _moves(pieces: Sequence[Code], index: str) -> bool:
    """Does where one piece of a loop ends depend on `index`? Copies that share pieces would then pass each other."""

    def moves(piece: Code) -> bool:
        match piece:
            case Loop(first=first, last=last):
                return index in names_in(first) | names_in(last)
            case Single(names=names):
                return any(index in names_in(name) for name in names)
        return True

    return any(map(moves, pieces))


def _alone(loop: Loop, values: Mapping[str, Expression]) -> Loop:
    first, last = moved(loop.first, values), moved(loop.last, values)
    body = substituted(loop.body, values)
    return replace(loop, first=first, last=last, body=body, band=replace(loop.band, parallel=False))


def _shared(loop: Loop, index: str, values: Sequence[Expression], low: int, high: int) -> Code:
    """The range that all copies have in common between what only some have."""
    starts = [moved(loop.first, {index: value}) for value in values]
    ends = [moved(loop.last, {index: value}) for value in values]
    first = starts[-1] if low > 0 else starts[0]  # the latest start
    last = ends[0] if high > 0 else ends[-1]  # the earliest end
    alone = [_alone(loop, {index: value}) for value in values]
    before = [
        replace(copy, last=extreme("min", copy.last, add(first, Number(-1))))
        for copy, start in zip(alone, starts)
        if start != first
    ]
    after = [
        replace(copy, first=extreme("max", copy.first, first, add(last, Number(1))))
        for copy, end in zip(alone, ends)
        if end != last
    ]
    common = replace(loop, first=first, last=last, body=jammed(loop.body, index, values))
    return block([*before, common, *after])
