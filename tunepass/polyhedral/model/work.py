"""Work of a scop's statements in an iteration, from accesses and texts: for models of loops."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.accesses import Access, IterationWork
from tunepass.ir.scop import Scop, ScopAccess, ScopStatement
from tunepass.ir.scop_work import ShapedWork
from tunepass.polyhedral.dependences.pairs import dependences
from tunepass.polyhedral.model.extents import UNKNOWN_SIZE, average_trips, known_values
from tunepass.polyhedral.schedules.apply import chain_of
from tunepass.polyhedral.schedules.tree import Band, Leaf, Sequence, Tree
from tunepass.polyhedral.shapes.shapes import shape_tree, subject

if TYPE_CHECKING:
    import islpy as isl

SUBSCRIPT = re.compile(r"\[[^\[\]]*\]")
OPERATION = re.compile(r"\+\+|--|[-+*]=?|[<>]=?|\?")
DIVISION = re.compile(r"/|\bsqrtf?\b|\bSQRT_FUN\b")
BRANCH = re.compile(r"\b(?:if|else|for|while|do|switch)\b")
CALL = re.compile(r"\b(?:exp|pow|log|sin|cos|tan|EXP_FUN|POW_FUN)f?\s*\(")
Chains = tuple[tuple[Band, ...], ...]


def works_of(scop: Scop, shapes: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[ShapedWork, ...]:
    """Every statement in a loop in every shape. `sizes` are of parameters, where known."""
    works: list[ShapedWork] = []
    for shape in shapes:
        plain, tree = _plain(subject(scop, shape), tuple(sizes.items())), shape_tree(scop, shape)
        works += [_shaped(shape, name, chains, *plain[name]) for name, chains in _paths(tree, ())] if tree else []
    return tuple(work for work in works if work.chains)


def known_works(scop: Scop, sizes: Mapping[str, bool | int | float]) -> tuple[ShapedWork, ...]:
    """Every statement of the source's loops; none where a size is unknown, or an access is a guess."""
    whole = {name: value for name, value in sizes.items() if isinstance(value, int)}
    known = whole.keys() | known_values(scop).keys()
    if any(p.name not in known for p in scop.parameters) or not all(_is_plain(scop, s, whole) for s in scop.statements):
        return ()
    return works_of(scop, ("source",), whole)


def _is_plain(scop: Scop, statement: ScopStatement, sizes: Mapping[str, int]) -> bool:
    """Every access can be put in numbers, and nothing is done under a condition."""
    numbers = all(
        a.always
        and (a.polynomial or (a.certain and not _divides(a)))
        and _linear(scop, statement, a, sizes) is not None
        for a in statement.accesses
    )
    return numbers and statement.opaque is None and not BRANCH.search(statement.text)


def _divides(access: ScopAccess) -> bool:
    """Does a subscript divide (`i / 2`), or is it one of several elements?"""
    import islpy as isl

    relation = isl.Map(access.map)
    return not relation.is_single_valued() or "floor" in str(isl.PwMultiAff.from_map(relation))


@lru_cache(maxsize=4)
def _plain(scop: Scop, sizes: tuple[tuple[str, int], ...]) -> Mapping[str, tuple[IterationWork, frozenset[str]]]:
    """Each statement's work in its own loops, and those that carry no dependence."""
    return {s.name: (_work(scop, s, dict(sizes)), frozenset(_free(scop, s))) for s in scop.statements}


def _paths(tree: Tree, around: Chains) -> Iterator[tuple[str, Chains]]:
    """Each statement with the chains around it."""
    match tree:
        case Leaf(statement):
            yield statement, around
        case Sequence(children):
            for child in children:
                yield from _paths(child, around)
        case Band():
            bands, inner = chain_of(tree)
            yield from _paths(inner, (*around, bands))


def _shaped(shape: str, name: str, chains: Chains, work: IterationWork, free: frozenset[str]) -> ShapedWork:
    """The statement's own loops under the names that they have in the shape. No vectors are counted on where the
    innermost loops are skewed: what is contiguous in the source is not along them."""
    trips, named = dict(work.trips), dict[str, str]()  # own loop: its name here
    skewed = False
    local_accesses = []
    for bands in chains:
        loops, skewed = [], False
        for band in bands:
            words = re.findall(r"[A-Za-z_]\w*", dict(band.rows)[name])
            skewed = skewed or len(trips.keys() & words) > 1
            loop = next((w for w in reversed(words) if w in trips and w not in named), None)
            if loop is not None and band.name not in named.values():
                named[loop] = band.name
                loops.append(band.name)
        local_accesses.append(tuple(loops))
    accesses = tuple(_renamed(access, named) for access in work.accesses)
    return ShapedWork(
        shape=shape,
        statement=name,
        chains=tuple(loops for loops in local_accesses if loops),
        work=IterationWork(
            trips=tuple((named[loop], count) for loop, count in work.trips if loop in named),
            accesses=accesses,
            operations=work.operations,
            divisions=work.divisions,
            calls=work.calls,
            chained=work.chained,
        ),
        free=frozenset() if skewed else frozenset(named[loop] for loop in free if loop in named),
    )


def _renamed(access: Access, named: Mapping[str, str]) -> Access:
    strides = tuple((named[loop], stride) for loop, stride in access.strides if loop in named)
    return Access(
        array=access.array,
        element_byte=access.element_byte,
        strides=strides,
        offset=access.offset,
        read=access.read,
        written=access.written,
    )


def _work(scop: Scop, statement: ScopStatement, sizes: Mapping[str, int]) -> IterationWork:
    trips = average_trips(scop, statement, sizes)
    text = statement.text
    while SUBSCRIPT.search(text):
        text = SUBSCRIPT.sub("", text)
    merged: dict[tuple[str, tuple[tuple[str, int], ...], int], Access] = {}
    for access in statement.accesses:
        linear = _linear(scop, statement, access, sizes)
        if linear is not None:
            key = (linear.array, linear.strides, linear.offset)
            known = merged.get(key, linear)
            merged[key] = _joined(known, linear)
    operations, divisions, calls = (len(part.findall(text)) for part in (OPERATION, DIVISION, CALL))
    updates = any(access.update is not None for access in statement.accesses)
    waits = any(access.read and access.written for access in merged.values()) and not updates
    return IterationWork(
        trips=tuple((loop, _trips(scop, loop, count)) for loop, count in zip(statement.loops, trips)),
        accesses=tuple(merged.values()),
        operations=operations,
        divisions=divisions,
        calls=calls,
        chained=max(1, operations + divisions + calls) if waits else 1,
    )


def _trips(scop: Scop, loop: str, count: float) -> int:
    """Of a loop whose index has `count` values without its step."""
    return max(1, -(-round(count) // abs(scop.loop(loop).step)))


def _joined(a: Access, b: Access) -> Access:
    return Access(
        array=a.array,
        element_byte=a.element_byte,
        strides=a.strides,
        offset=a.offset,
        read=a.read or b.read,
        written=a.written or b.written,
    )


def _linear(scop: Scop, statement: ScopStatement, access: ScopAccess, sizes: Mapping[str, int]) -> Access | None:
    """The access with its strides in elements; None where it is not affine."""
    values = {**sizes, **known_values(scop)}
    terms = (
        _polynomial_terms(access, statement, values) if access.polynomial else _terms(scop, statement, access, values)
    )
    if terms is None:
        return None
    moved = {loop: terms.get(loop, 0) * scop.loop(loop).step for loop in statement.loops}
    return Access(
        array=access.array,
        element_byte=access.element_byte,
        strides=tuple((loop, stride) for loop, stride in moved.items() if stride),
        offset=terms.get("", 0),
        read=access.read,
        written=access.written,
    )


def _polynomial_terms(access: ScopAccess, statement: ScopStatement, values: Mapping[str, int]) -> dict[str, int] | None:
    """Elements by index, and under `` the number without one; None where it is not affine once sizes are numbers."""
    terms: dict[str, int] = {}
    for names, factor in access.polynomial:
        loops = [name for name in names if name in statement.loops]
        others = [name for name in names if name not in statement.loops]
        if len(loops) > 1 or any(name not in values for name in others):
            return None
        loop = loops[0] if loops else ""
        terms[loop] = terms.get(loop, 0) + factor * math.prod(values[name] for name in others)
    return terms


def _terms(
    scop: Scop, statement: ScopStatement, access: ScopAccess, values: Mapping[str, int]
) -> dict[str, int] | None:
    """The same of an affine access."""
    import islpy as isl

    relation = isl.Map(access.map)
    if not relation.is_single_valued():
        return None
    pieces: list[isl.MultiAff] = []
    isl.PwMultiAff.from_map(relation).foreach_piece(lambda _, value: pieces.append(value))
    terms: dict[str, int] = {}
    for place, step in enumerate(_steps(scop, access.array, relation.dim(isl.dim_type.out), values)):
        subscript = pieces[0].get_aff(place)
        for position, loop in enumerate(statement.loops):
            terms[loop] = terms.get(loop, 0) + step * _whole(subscript.get_coefficient_val(isl.dim_type.in_, position))
        for position in range(subscript.dim(isl.dim_type.param)):
            value = values.get(subscript.get_dim_name(isl.dim_type.param, position), 0)
            factor = _whole(subscript.get_coefficient_val(isl.dim_type.param, position))
            terms[""] = terms.get("", 0) + step * value * factor
        terms[""] = terms.get("", 0) + step * _whole(subscript.get_constant_val())
    return terms


def _whole(value: isl.Val) -> int:
    return int(str(value)) if value.is_int() else 0


def _steps(scop: Scop, array: str, dimensions: int, values: Mapping[str, int]) -> list[int]:
    """Elements from one subscript's value to the next, of each dimension."""
    texts = {p.text: values[p.name] for p in scop.parameters if p.name in values}
    extents = scop.array(array).extents[-dimensions:] if dimensions else ()
    lengths = [int(e) if e.isdecimal() else texts.get(e, values.get(e, UNKNOWN_SIZE)) for e in extents]
    lengths = [UNKNOWN_SIZE] * (dimensions - len(lengths)) + lengths
    return [math.prod(lengths[place + 1 :]) for place in range(dimensions)]


def _free(scop: Scop, statement: ScopStatement) -> Iterator[str]:
    """Loops along which the statement's instances do not depend on each other, all other indices being equal."""
    import islpy as isl

    carried = [d.map for d in dependences(scop).each if d.source == d.sink == statement.name and not d.update]
    for loop in statement.loops:
        places = [n for n, other in enumerate(statement.loops) if other != loop]
        left = carried
        for n in places:
            left = [m.equate(isl.dim_type.in_, n, isl.dim_type.out, n) for m in left]
        if all(m.is_empty() for m in left):
            yield loop
