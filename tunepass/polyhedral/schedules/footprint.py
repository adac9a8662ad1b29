"""Footprint of an array in one iteration of a loop: a box of a constant size, which a local buffer can hold.

Its last dimension is the one along which the innermost loop moves. Nothing inside the loop may write the array (S.
Verdoolaege et al., "Polyhedral parallel code generation for CUDA", 2013, 4.3).
"""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopAccess, ScopArray, ScopStatement
from tunepass.ir.scop_directives import ANY
from tunepass.polyhedral.schedules.legality import time_of
from tunepass.polyhedral.schedules.tree import Band, Sequence, Tree, bands_in, statements_in

if TYPE_CHECKING:
    import islpy as isl

LARGEST_BYTE = 512 * 1024  # of a buffer, which lies on the stack
Path = tuple[Band, ...]
"""Loops from the outermost to the one that copies."""
Accessing = tuple[ScopStatement, ScopAccess]
Movement = tuple[tuple[tuple[str, str], ...], ...]
"""Of each subscript, the factors of loops and parameters."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """`order` are the array's dimensions as the buffer has them; `sizes` in the same order. `flat`: the source counts
    the array's elements in one subscript."""

    name: str
    array: str
    element: str
    order: tuple[int, ...]
    sizes: tuple[int, ...]
    flat: bool

    def declaration(self, offsets: tuple[str, ...]) -> tuple[str, str]:
        """`offsets` are of the array's dimensions."""
        extents = "".join(f"[{size}]" for size in self.sizes)
        starts = ", ".join(f"{self.first(n)} = {offset}" for n, offset in enumerate(offsets))
        return f"{self.element} {self.name}{extents} __attribute__((aligned(64)));", f"const long {starts};"

    def first(self, dimension: int) -> str:
        return f"{self.name}_{dimension}"

    def filled(self, array: ScopArray, element: tuple[str, ...]) -> str:
        """The copy of one element, whose subscripts are C texts."""
        grouped = [value if re.fullmatch(r"\w+", value) else f"({value})" for value in element]
        whole = [f"({value})" if "?" in value else value for value in element]
        subscripts = "".join(f"[{whole[n]} - {self.first(n)}]" for n in self.order)
        if not self.flat:
            return f"{self.name}{subscripts} = {array.text}{''.join(f'[{value}]' for value in element)};"
        place = grouped[0]
        for extent, value in zip(array.extents[1:], grouped[1:]):
            place = f"({place}) * ({extent}) + {value}" if "+" in place else f"{place} * ({extent}) + {value}"
        return f"{self.name}{subscripts} = {array.text}[{place}];"


@dataclass(frozen=True, slots=True)
class _Side:
    first: isl.PwAff
    size: int


@dataclass(frozen=True, slots=True)
class _Subscript:
    """What loops and parameters are multiplied by, and the constant."""

    factors: tuple[tuple[str, str], ...]
    constant: str

    @property
    def ending(self) -> str:
        """The constant, after the factors."""
        if not self.factors:
            return self.constant
        sign = "-" if self.constant.startswith("-") else "+"
        return "" if self.constant == "0" else f" {sign} {self.constant.lstrip('-')}"


@dataclass(frozen=True, slots=True)
class Tile:
    """What one loop copies of an array, for the accesses of one `movement`; `elements` and `firsts` are over the path's
    indices as parameters, `loops` name what moves along each dimension."""

    buffer: Buffer
    path: Path
    elements: isl.Set
    firsts: tuple[isl.PwAff, ...]
    loops: tuple[str, ...]
    movement: Movement


def may_pack(scop: Scop, tree: Tree, packs: abc.Sequence[tuple[str, str]]) -> bool:
    """Can every array that is named with a loop be copied there? A loop that is not in the tree asks for nothing."""
    requested = [(array, list(paths_to(tree, loop))) for array, loop in packs if loop != ANY]
    return all(
        not paths or any(True for p in paths for _ in tiles_of(scop, p, array, ())) for array, paths in requested
    )


def paths_to(tree: Tree, loop: str) -> Iterator[Path]:
    """To every loop of that label, or to the innermost one over tiles of each chain of loops."""
    for path in _paths(tree, ()):
        last, below = path[-1], path[-1].child
        over = isinstance(below, Band) and below.tiles
        if last.label == loop or (loop == ANY and last.tiles and not over):
            yield path


def _paths(tree: Tree, around: Path) -> Iterator[Path]:
    match tree:
        case Sequence(children):
            for child in children:
                yield from _paths(child, around)
        case Band(child=child):
            yield (*around, tree)
            yield from _paths(child, (*around, tree))


def tiles_of(scop: Scop, path: Path, array: str, used_names: Collection[str]) -> Iterator[Tile]:
    """One for all accesses that move alike, unless the array is written inside, or text and accesses do not agree."""
    inside = [s for s in scop.statements if s.name in statements_in(path[-1])]
    accesses = [(s, a) for s in inside for a in s.accesses if a.array == array]
    known = scop.array(array)
    if not known.element or not known.extents or path[-1].vectorize or any(b.copies > 1 or b.peel for b in path):
        return
    if any(a.written or not a.certain for _, a in accesses) or not all(is_plain(s, known) for s, _ in accesses):
        return
    name = f"{known.text}_pack"
    for movement in dict.fromkeys(movement_of(s, a) for s, a in accesses):
        while name in used_names or name in scop.taken:
            name += "_"
        tile = _tile(scop, path, known, [(s, a) for s, a in accesses if movement_of(s, a) == movement], name)
        if tile is not None:
            used_names = {*used_names, name}
            yield tile


def _tile(scop: Scop, path: Path, array: ScopArray, accesses: abc.Sequence[Accessing], name: str) -> Tile | None:
    """None where the elements are not affine, or no box of a size that is small enough holds them."""
    import islpy as isl

    subscripts = subscripts_of(*accesses[0])
    if not subscripts:
        return None
    maps = [_reads(scop, path, s, a) for s, a in accesses]
    elements = _elements_of(reduce(lambda whole, part: whole.union(part), maps).coalesce())
    box = [_narrowest(elements, n) for n in range(elements.dim(isl.dim_type.set))]
    sizes = [side.size for side in box if side is not None]
    if len(sizes) < len(box) or prod(sizes) * array.element_byte > LARGEST_BYTE:
        return None
    statement = accesses[0][0]
    inner = [band for band in bands_in(path[-1]) if statement.name in statements_in(band)][-1]
    row = dict(inner.rows)[statement.name]
    moved = [n for n, s in enumerate(subscripts) if any(re.search(rf"\b{loop}\b", row) for loop, _ in s.factors)]
    last = moved[-1] if moved else len(sizes) - 1
    order = (*(n for n in range(len(sizes)) if n != last), last)
    flat = elements_of(statement, array)[0].group().count("[") < len(sizes)
    buffer = Buffer(name, array.name, array.element, order, tuple(sizes[n] for n in order), flat)
    firsts = tuple(side.first for side in box if side is not None)
    factors = [[loop for loop, _ in s.factors if loop in statement.loops] for s in subscripts]
    loops = tuple(named[0] if named else statement.loops[-1] for named in factors)
    return Tile(buffer, path, elements, firsts, loops, movement_of(*accesses[0]))


def _elements_of(reads: isl.Map) -> isl.Set:
    """The elements, the loops' indices being parameters `q0`, `q1`, ..."""
    import islpy as isl

    count, start = reads.dim(isl.dim_type.in_), reads.dim(isl.dim_type.param)
    moved = reads.move_dims(isl.dim_type.param, start, isl.dim_type.in_, 0, count)
    for n in range(count):
        moved = moved.set_dim_name(isl.dim_type.param, start + n, f"q{n}")
    return moved.range().set_tuple_name("copy")


def _narrowest(elements: isl.Set, dimension: int) -> _Side | None:
    """The side of a box around all elements, whose first is a lower bound of theirs and whose size is a number."""
    import islpy as isl

    set_, rank = isl.dim_type.set, elements.dim(isl.dim_type.set)
    line = elements.project_out(set_, dimension + 1, rank - dimension - 1).project_out(set_, 0, dimension)
    line = line.reset_tuple_id()
    sides: list[_Side] = []
    for constraint in line.remove_divs().simple_hull().get_constraints():
        factor = str(constraint.get_coefficient_val(set_, 0))
        if factor != "1" and not (constraint.is_equality() and factor == "-1"):
            continue
        first = constraint.get_bound(set_, 0)
        if first.dim(isl.dim_type.div):
            continue
        distance = isl.Aff.var_on_domain(first.get_domain_local_space(), set_, 0).sub(first)
        most = line.apply(isl.Map.from_aff(distance)).dim_max_val(0)
        if most.is_int():
            sides.append(_Side(isl.PwAff.from_aff(first).project_domain_on_params(), int(str(most)) + 1))
    return min(sides, key=lambda side: side.size, default=None)


def is_plain(statement: ScopStatement, array: ScopArray) -> bool:
    """Does the text name the array only in brackets that follow it, once for every access, and with its loops?"""
    named = len(re.findall(rf"(?<![\w.>]){re.escape(array.text)}\b", statement.text))
    accesses = [a for a in statement.accesses if a.array == array.name]
    elements = elements_of(statement, array)
    if statement.uses is None or not named == len(elements) == len(accesses):
        return False
    for element, access in zip(elements, accesses):
        if re.match(r"\s*(?:\.|->|\[|\()", statement.text[element.end() :]):
            return False
        used = {use.loop for use in statement.uses if element.start() <= use.start < element.end()}
        moving = {name for s in subscripts_of(statement, access) for name, _ in s.factors}
        if used != moving & set(statement.loops):
            return False
    return True


def elements_of(statement: ScopStatement, array: ScopArray) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<![\w.>]){re.escape(array.text)}(?:\s*\[[^\[\]]*\])+", statement.text))


def movement_of(statement: ScopStatement, access: ScopAccess) -> Movement:
    return tuple(subscript.factors for subscript in subscripts_of(statement, access))


def subscripts_of(statement: ScopStatement, access: ScopAccess) -> list[_Subscript]:
    """Of each dimension; nothing where they are not of one affine form."""
    import islpy as isl

    relation = isl.Map(access.map)
    pieces: list[isl.MultiAff] = []
    if relation.is_single_valued():
        isl.PwMultiAff.from_map(relation).foreach_piece(lambda _, value: pieces.append(value))
    affs = [pieces[0].get_aff(n) for n in range(relation.dim(isl.dim_type.out))] if len(pieces) == 1 else []
    if any(aff.dim(isl.dim_type.div) or not aff.get_denominator_val().is_one() for aff in affs):
        return []
    subscripts = []
    for aff in affs:
        names = [(isl.dim_type.in_, n, name) for n, name in enumerate(statement.loops)]
        kind = isl.dim_type.param
        names += [(kind, n, aff.get_dim_name(kind, n)) for n in range(aff.dim(kind))]
        factors = [(name, str(aff.get_coefficient_val(kind, n))) for kind, n, name in names]
        subscripts.append(_Subscript(tuple(f for f in factors if f[1] != "0"), str(aff.get_constant_val())))
    return subscripts


def _reads(scop: Scop, path: Path, statement: ScopStatement, access: ScopAccess) -> isl.Map:
    """{ indices of the path's loops -> elements }."""
    import islpy as isl

    row = [((statement.name, dict(band.rows)[statement.name]),) for band in path]
    times = [isl.UnionMap.from_multi_union_pw_aff(time_of(scop, r, b.strip)) for r, b in zip(row, path)]
    time = isl.Map.from_union_map(reduce(lambda whole, part: whole.flat_range_product(part), times))
    domain = isl.Set(statement.domain).intersect_params(isl.Set(scop.context))
    return isl.Map(access.map).intersect_domain(domain).apply_domain(time)
