"""Scalars that every iteration of a loop sets anew, as arrays with an element for each: their one place in memory then
no longer keeps the iterations in order (P. Feautrier, "Array expansion", 1988)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopAccess, ScopArray, ScopStatement, Use
from tunepass.polyhedral.codegen.expressions import Number, add, printed, read
from tunepass.polyhedral.codegen.text import parameter_texts
from tunepass.polyhedral.dependences.pairs import last_writes

if TYPE_CHECKING:
    import islpy as isl


@dataclass(frozen=True, slots=True)
class _Group:
    """Statements that pass one scalar's values to each other, in the same iteration of `loop`."""

    scalar: ScopArray
    statements: frozenset[str]
    loop: str


@lru_cache(maxsize=16)
def expanded(scop: Scop) -> Scop:
    """`scop` with every scalar expanded that can be, over the innermost loop that is around all its uses."""
    changed = scop
    for array in scop.arrays:
        if array.private and not array.extents:
            for group in _groups(scop, array):
                changed = _expanded(changed, group)
    return changed


def _groups(scop: Scop, scalar: ScopArray) -> Iterator[_Group]:
    flow, unwritten = last_writes(scop, scalar.name)
    if not unwritten.is_empty():
        return
    using = {s.name: s for s in scop.statements if any(a.array == scalar.name for a in s.accesses)}
    maps: list[isl.Map] = []
    flow.foreach_map(maps.append)
    together = {name: frozenset([name]) for name in using}
    for pair in maps:
        joined = together[_source(pair)] | together[_sink(pair)]
        together.update(dict.fromkeys(joined, joined))
    for statements in dict.fromkeys(together.values()):
        group_maps = [pair for pair in maps if _source(pair) in statements]
        loop = _loop([using[name] for name in statements], group_maps)
        if loop is not None and all(_names(using[name], scalar.text) for name in statements):
            yield _Group(scalar, statements, loop)


def _source(pair: isl.Map) -> str:
    from islpy import dim_type

    return str(pair.get_tuple_name(dim_type.in_))


def _sink(pair: isl.Map) -> str:
    from islpy import dim_type

    return str(pair.get_tuple_name(dim_type.out))


def _loop(statements: list[ScopStatement], flow: list[isl.Map]) -> str | None:
    """The innermost loop around all of them, if values stay inside each of its iterations."""
    from islpy import dim_type

    depth = 0
    while all(len(s.loops) > depth for s in statements) and len({s.loops[depth] for s in statements}) == 1:
        depth += 1
    if not depth:
        return None
    for pair in flow:
        same = pair
        for place in range(depth):
            same = same.equate(dim_type.in_, place, dim_type.out, place)
        if not pair.is_subset(same):
            return None
    return statements[0].loops[depth - 1]


def _names(statement: ScopStatement, scalar: str) -> bool:
    """Can the scalar be replaced in its text?"""
    return statement.uses is not None and bool(_word(scalar).search(statement.text))


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.\"'])(?<!->){re.escape(name)}(?![\w\"'])")


def _expanded(scop: Scop, group: _Group) -> Scop:
    size = _size(scop, group)
    if size is None:
        return scop
    name = f"{group.scalar.name}_of_{group.loop}"
    while name in scop.taken:
        name += "_"
    element = group.scalar.element
    array = replace(group.scalar, name=name, text=name, extents=(size,), private=True)
    room = f"sizeof({element}) * ({size} > 0 ? {size} : 1)"
    return replace(
        scop,
        arrays=(*scop.arrays, array),
        statements=tuple(_moved(scop, s, group, name) if s.name in group.statements else s for s in scop.statements),
        declarations=(*scop.declarations, f"{element} *{name} = ({element} *)__builtin_malloc({room});"),
        after=(f"__builtin_free({name});", f"(void){group.scalar.text};", *scop.after),  # else it is told to be unused
        taken=scop.taken | {name},
    )


def _size(scop: Scop, group: _Group) -> str | None:
    """C text of one more than the loop's largest index; None where it may be negative, or nothing runs."""
    import islpy as isl

    values = isl.Set.empty(isl.Space.create_from_names(isl.DEFAULT_CONTEXT, set=["v"]))
    for s in scop.statements:
        if s.name in group.statements:
            place = s.loops.index(group.loop)
            domain = isl.Set(s.domain).intersect_params(isl.Set(scop.context)).reset_tuple_id()
            extent = domain.project_out(isl.dim_type.set, place + 1, len(s.loops) - place - 1)
            extent = extent.project_out(isl.dim_type.set, 0, place)
            values = extent.reset_space(extent.get_space()) if values.is_empty() else values.union(extent)
    if values.is_empty() or not values.is_subset(isl.Set("{ [v] : v >= 0 }").align_params(values.get_space())):
        return None
    largest = isl.AstBuild.from_context(isl.Set(scop.context)).expr_from_pw_aff(values.dim_max(0))
    texts = parameter_texts(scop)
    text = printed(add(read(largest), Number(1)), texts)
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _moved(scop: Scop, statement: ScopStatement, group: _Group, name: str) -> ScopStatement:
    """The statement with an element in the place of the scalar."""
    index = scop.loop(group.loop).index
    uses, text, end = list(statement.uses or ()), "", 0
    shifted: list[Use] = []
    for word in _word(group.scalar.text).finditer(statement.text):
        shifted += [replace(u, start=u.start + len(text) - end) for u in uses if end <= u.start < word.start()]
        text += statement.text[end : word.start()] + f"{name}["
        shifted.append(Use(group.loop, len(text)))
        text, end = f"{text}{index}]", word.end()
    shifted += [replace(u, start=u.start + len(text) - end) for u in uses if end <= u.start]
    accesses = tuple(_at(scop, a, statement, group, name) for a in statement.accesses)
    return replace(statement, text=text + statement.text[end:], uses=tuple(shifted), accesses=accesses)


def _at(scop: Scop, access: ScopAccess, statement: ScopStatement, group: _Group, name: str) -> ScopAccess:
    if access.array != group.scalar.name:
        return access
    names = ", ".join(p.name for p in scop.parameters)
    instance = f"{statement.name}[{', '.join(statement.loops)}]"
    return replace(access, array=name, map=f"[{names}] -> {{ {instance} -> {name}[{group.loop}] }}")
