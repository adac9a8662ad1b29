"""Tiles of arrays copied to local buffers, which what is inside a loop reads instead.

    for (int k_tile = 0; k_tile < n; k_tile += 32) {
        double B_pack[32][64] __attribute__((aligned(64)));
        const long B_pack_0 = k_tile, B_pack_1 = j_tile;
        for (int k ...) for (int j ...) B_pack[k - B_pack_0][j - B_pack_1] = B[k][j];
        ...

The elements are those that isl finds to be read at one iteration of the loop and of those around it (footprint.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopStatement, Use
from tunepass.polyhedral.codegen.code import Block, Code, Condition, Instance, Let, Loop, Reader, Single, substituted
from tunepass.polyhedral.codegen.expressions import Name, Number, read
from tunepass.polyhedral.schedules.footprint import (
    Buffer,
    Tile,
    elements_of,
    movement_of,
    paths_to,
    subscripts_of,
    tiles_of,
)
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import Band, Leaf, Tree

if TYPE_CHECKING:
    import islpy as isl

LOOPS = 1000  # more than a buffer's copies have, whose indices have numbers of their own


@dataclass(frozen=True, slots=True)
class Packing:
    """Code with its copies; `statements` are those that read buffers, by the names of the code's variants."""

    code: Code
    buffers: Mapping[str, Buffer]
    statements: Mapping[str, ScopStatement]


def packed(scop: Scop, tree: Tree, plan: Plan, code: Code, loops: int) -> Packing:
    """`code` of `tree` with the copies that `plan` asks for; `loops` are how many names it has given to indices."""
    packing, used_names = Packing(code, {}, {}), set(scop.taken)
    for array, loop in plan.pack:
        for path in paths_to(tree, loop):
            for tile in tiles_of(scop, path, array, used_names):
                used_names.add(tile.buffer.name)
                packing = _Packer(scop, tile, loops + LOOPS * len(used_names)).done(packing)
    return packing


class _Packer:
    """Puts one tile's copies into code."""

    def __init__(self, scop: Scop, tile: Tile, number: int):
        self.scop, self.tile, self.number = scop, tile, number
        self.statements: dict[str, ScopStatement] = {}

    def done(self, before: Packing) -> Packing:
        self.before = before.statements
        code = self.code(before.code, ())
        name = self.tile.buffer.name
        return Packing(code, {**before.buffers, name: self.tile.buffer}, {**before.statements, **self.statements})

    def code(self, code: Code, around: tuple[Loop, ...]) -> Code:
        match code:
            case Block(children):
                return replace(code, children=tuple(self.code(child, around) for child in children))
            case Condition(condition, then, otherwise):
                other = self.code(otherwise, around) if otherwise else None
                return Condition(condition, self.code(then, around), other)
            case Let(body=body):
                return replace(code, body=self.code(body, around))
            case Loop(body=body):
                path = (*around, code)
                next_index = self.tile.path[len(around)] if len(around) < len(self.tile.path) else None
                if next_index is None or (next_index.label, next_index.rows) != (code.band.label, code.band.rows):
                    return code
                if len(path) < len(self.tile.path):
                    return replace(code, body=self.code(body, path))
                reading = self.reading(body)
                return code if reading == body else replace(code, body=Block((*self.copies(path), reading)))
        return code

    def copies(self, path: tuple[Loop, ...]) -> tuple[Code, ...]:
        """The buffer's declaration, and the loops that fill it."""
        import islpy as isl

        names = {f"q{n}": Name(loop.index) for n, loop in enumerate(path)}
        build = isl.AstBuild.from_context(isl.Set(self.scop.context))
        firsts = tuple(read(build.expr_from_pw_aff(first)) for first in self.tile.firsts)
        declared = Instance(f"pack {self.tile.buffer.name}", firsts)
        return substituted(declared, names), substituted(self.loops(self.tile.elements, path), names)

    def loops(self, elements: isl.Set, path: tuple[Loop, ...]) -> Code:
        import islpy as isl

        rank = elements.dim(isl.dim_type.set)
        names = [f"e{n}" for n in range(rank)]
        for n, name in enumerate(names):
            elements = elements.set_dim_name(isl.dim_type.set, n, name)
        bands = [Band(loop, (), Leaf("copy")) for loop in self.tile.loops]
        text = f'domain: "{elements.to_str()}"\n'
        for depth, name in enumerate(names):
            pad = "  " * (2 * depth)
            text += f'{pad}child:\n{pad}  mark: "b{depth}"\n{pad}  child:\n'
            text += f'{pad}    schedule: "[{{ copy[{", ".join(names)}] -> [({name})] }}]"\n'
        build = isl.AstBuild.from_context(self.context(elements, path))
        reader = Reader(self.scop, bands, self.number)
        code = reader.code(build.node_from_schedule(isl.Schedule(text)))
        return _named(code, f"copy {self.tile.buffer.name}")

    def context(self, elements: isl.Set, path: tuple[Loop, ...]) -> isl.Set:
        """What is known of the path's indices: where they start, and that those over tiles are at multiples of their
        size. The loop may run where nothing is read."""
        import islpy as isl

        names = ", ".join(elements.get_dim_name(isl.dim_type.param, n) for n in range(elements.dim(isl.dim_type.param)))
        facts = [f"q{n} mod {loop.band.strip} = 0" for n, loop in enumerate(path) if loop.band.strip > 1]
        facts += [f"q{n} >= {loop.first.value}" for n, loop in enumerate(path) if isinstance(loop.first, Number)]
        known = isl.Set(f"[{names}] -> {{ : {' and '.join(facts)} }}")
        return known.intersect(isl.Set(self.scop.context).params())

    def reading(self, code: Code) -> Code:
        """With the buffer in the place of the array."""
        match code:
            case Instance(statement=name):
                return self.instance(code, name)
            case Block(children):
                return replace(code, children=tuple(self.reading(child) for child in children))
            case Condition(condition, then, otherwise):
                return Condition(condition, self.reading(then), self.reading(otherwise) if otherwise else None)
            case Let(body=body) | Loop(body=body) | Single(body):
                return replace(code, body=self.reading(body))
        raise TypeError(code)

    def instance(self, code: Instance, name: str) -> Instance:
        plain = next((s for s in self.scop.statements if s.name == name), None)
        if plain is None or not any(a.array == self.tile.buffer.array for a in plain.accesses):
            return code
        current = self.before.get(code.variant, plain)
        variant = f"{code.variant or name} {self.tile.buffer.name}"
        if variant not in self.statements:
            self.statements[variant] = _moved(self.scop, current, self.tile)
        return replace(code, variant=variant)


def _named(code: Code, name: str) -> Code:
    match code:
        case Instance():
            return replace(code, statement=name)
        case Block(children):
            return replace(code, children=tuple(_named(child, name) for child in children))
        case Condition(condition, then, otherwise):
            return Condition(condition, _named(then, name), _named(otherwise, name) if otherwise else None)
        case Let(body=body) | Loop(body=body) | Single(body):
            return replace(code, body=_named(body, name))
    raise TypeError(code)


def _moved(scop: Scop, statement: ScopStatement, tile: Tile) -> ScopStatement:
    """The statement's text with elements of the buffer."""
    uses, text, end = list(statement.uses or ()), "", 0
    shifted: list[Use] = []
    accesses = list(statement.accesses)
    array_accesses = [n for n, access in enumerate(accesses) if access.array == tile.buffer.array]
    for n, element in zip(array_accesses, elements_of(statement, scop.array(tile.buffer.array))):
        if movement_of(statement, accesses[n]) != tile.movement:
            continue
        shifted += [replace(u, start=u.start + len(text) - end) for u in uses if end <= u.start < element.start()]
        text += statement.text[end : element.start()] + tile.buffer.name
        end = element.end()
        subscripts = subscripts_of(statement, accesses[n])
        for dimension in tile.buffer.order:
            text += "["
            for name, factor in subscripts[dimension].factors:
                text += ("" if text.endswith("[") else " + ") + ("" if factor == "1" else f"{factor} * ")
                if name in statement.loops:
                    shifted.append(Use(name, len(text)))
                text += _called(scop, statement, name)
            text += f"{subscripts[dimension].ending} - {tile.buffer.first(dimension)}]"
        accesses[n] = replace(accesses[n], array=tile.buffer.name)
    shifted += [replace(u, start=u.start + len(text) - end) for u in uses if end <= u.start]
    return replace(statement, text=text + statement.text[end:], uses=tuple(shifted), accesses=tuple(accesses))


def _called(scop: Scop, statement: ScopStatement, name: str) -> str:
    """A loop's index, or a parameter's text."""
    if name in statement.loops:
        return scop.loop(name).index
    return next(p.text if re.fullmatch(r"\w+", p.text) else f"({p.text})" for p in scop.parameters if p.name == name)
